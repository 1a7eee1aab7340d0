//! A GPU: the CUDA driver, NVRTC and cuBLAS, each loaded when a device is opened.

#![allow(unsafe_code)] // calls into C

use crate::CudaError;
use crate::compiler;
use crate::launch::{Gemm, Grid, Number};
use crate::staging::Staging;
use crate::times::Times;
use cudarc::cublas::{result as cublas, sys as cublas_sys};
use cudarc::driver::{CudaContext, result as driver, sys};
use std::ffi::{CString, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// A stream of calls to a device, which take effect in their order. Calls come from any thread: each makes the device's
/// context current on its thread.
pub(crate) struct Driver {
    opened: Arc<OpenDevice>,
    stream: sys::CUstream,
    staging: Mutex<Staging>,
    pub(crate) times: Times,
}

/// A device with compiled kernels.
struct OpenDevice {
    context: Arc<CudaContext>,
    /// The function of each kernel, in the order of `names` of [`open`](Driver::open); functions live as long as the
    /// context.
    functions: Vec<sys::CUfunction>,
    /// Its stream is set before each call.
    cublas: Mutex<cublas_sys::cublasHandle_t>,
}

// SAFETY: the stream is an address that only CUDA's libraries follow. These libraries take calls from all threads,
// several at a time; data are guarded by the borrows of `Matrix`, and a lock guards the memory of copies.
unsafe impl Send for Driver {}
// SAFETY: the same.
unsafe impl Sync for Driver {}
// SAFETY: functions and the handle are such addresses, too.
unsafe impl Send for OpenDevice {}
// SAFETY: the same.
unsafe impl Sync for OpenDevice {}

impl Driver {
    /// Opens device number `index`, compiles the kernels for it and finds those of these names.
    pub(crate) fn open(index: usize, names: &[&str]) -> Result<Self, CudaError> {
        check_libraries()?;
        let count = match CudaContext::device_count() {
            Ok(count) => count.max(0) as usize,
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => 0,
            Err(error) => return Err(CudaError::call("be found")(error)),
        };
        if index >= count {
            return Err(CudaError::NoDevice { index, count });
        }
        let context = CudaContext::new(index).map_err(CudaError::call("be opened"))?;
        let (major, minor) = context.compute_capability().map_err(CudaError::call("report its compute capability"))?;
        let code = compiler::compile(&format!("sm_{major}{minor}"))?;
        // SAFETY: `code` is what NVRTC made for this device; the module is never unloaded.
        let module = unsafe { driver::module::load_data(code.as_ptr().cast()) };
        let module =
            module.map_err(CudaError::call("load the kernels, for which NVRTC must not be newer than the driver"))?;
        let find = |name: &&str| {
            let name = CString::new(*name).map_err(CudaError::call("name a kernel"))?;
            // SAFETY: the module is the one from above.
            unsafe { driver::module::get_function(module, name) }.map_err(CudaError::call("find a kernel"))
        };
        let functions = names.iter().map(find).collect::<Result<_, _>>()?;
        let cublas = cublas::create_handle().map_err(CudaError::call("start cuBLAS"))?;
        Self::on_new_stream(Arc::new(OpenDevice { context, functions, cublas: Mutex::new(cublas) }))
    }

    /// Another stream of calls to the same device, which neither waits for this one nor makes it wait.
    pub(crate) fn another(&self) -> Result<Self, CudaError> {
        self.bind()?;
        Self::on_new_stream(Arc::clone(&self.opened))
    }

    fn on_new_stream(opened: Arc<OpenDevice>) -> Result<Self, CudaError> {
        let stream = driver::stream::create(driver::stream::StreamKind::NonBlocking);
        let stream = stream.map_err(CudaError::call("make a stream"))?;
        Ok(Self { opened, stream, staging: Mutex::default(), times: Times::default() })
    }

    /// The device's name.
    pub(crate) fn name(&self) -> String {
        self.opened.context.name().unwrap_or_else(|_| "a GPU".to_owned())
    }

    /// Makes the context current on this thread, which costs nothing where it is already.
    fn bind(&self) -> Result<(), CudaError> {
        self.opened.context.bind_to_thread().map_err(CudaError::call("be used by another thread"))
    }

    pub(crate) fn allocate(&self, numbers: usize) -> Result<u64, CudaError> {
        self.bind()?;
        let bytes = numbers * size_of::<f32>();
        // SAFETY: memory without owner; `Matrix` gives it one.
        unsafe { driver::malloc_sync(bytes) }.map_err(|error| {
            let (free, total) = driver::mem_get_info().unwrap_or_default();
            match error.0 {
                sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    CudaError::OutOfMemory { megabytes: bytes.div_ceil(1 << 20), free: free >> 20, total: total >> 20 }
                }
                _ => CudaError::call("allocate memory")(error),
            }
        })
    }

    /// # Safety
    /// As [`Backend::free`](crate::backend::Backend::free).
    pub(crate) unsafe fn free(&self, address: u64) {
        // An error here is that of an earlier launch, which the next call reports.
        let _ = self.bind();
        // SAFETY: the caller's; the call waits for all launches.
        let _ = unsafe { driver::free_sync(address) };
    }

    /// # Safety
    /// As [`Backend::clear`](crate::backend::Backend::clear).
    pub(crate) unsafe fn clear(&self, address: u64, numbers: usize) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the caller's.
        let result = unsafe { driver::memset_d8_async(address, 0, numbers * size_of::<f32>(), self.stream) };
        result.map_err(CudaError::call("set memory to zero"))
    }

    /// # Safety
    /// As [`Backend::write`](crate::backend::Backend::write).
    pub(crate) unsafe fn write<T: Number>(&self, address: u64, numbers: &[T]) -> Result<(), CudaError> {
        self.bind()?;
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's; the stream is always that of `self`.
        unsafe { staging.copy(numbers, address, self.stream) }
    }

    /// # Safety
    /// As [`Backend::read`](crate::backend::Backend::read).
    pub(crate) unsafe fn read(&self, address: u64, numbers: &mut [f32]) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the caller's; `numbers` is borrowed until the stream is done.
        let result = unsafe {
            driver::memcpy_dtoh_async(numbers, address, self.stream)
                .and_then(|()| driver::stream::synchronize(self.stream))
        };
        result.map_err(CudaError::call("finish what it was given"))
    }

    /// Waits for all calls so far.
    pub(crate) fn synchronise(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the stream lives as long as `self`.
        unsafe { driver::stream::synchronize(self.stream) }.map_err(CudaError::call("finish what it was given"))
    }

    /// # Safety
    /// The arguments are those of the kernel, and point to memory that the kernel may use.
    pub(crate) unsafe fn launch(
        &self,
        kernel: usize,
        grid: Grid,
        arguments: &mut [*mut c_void],
    ) -> Result<(), CudaError> {
        self.bind()?;
        let (blocks, threads) = ((grid.blocks, 1, 1), (grid.threads, 1, 1));
        let function = self.opened.functions[kernel];
        // SAFETY: the caller's.
        let result = unsafe { driver::launch_kernel(function, blocks, threads, 0, self.stream, arguments) };
        result.map_err(CudaError::call("launch a kernel"))
    }

    /// # Safety
    /// As [`Backend::gemm`](crate::backend::Backend::gemm).
    pub(crate) unsafe fn gemm(&self, gemm: Gemm) -> Result<(), CudaError> {
        use cublas_sys::cublasComputeType_t::CUBLAS_COMPUTE_32F;
        use cublas_sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        use cublas_sys::cudaDataType::{CUDA_R_16BF, CUDA_R_32F};
        self.bind()?;
        let [op_a, op_b] = gemm.transposed.map(|transposed| if transposed { CUBLAS_OP_T } else { CUBLAS_OP_N });
        let factors = if gemm.bf16 { CUDA_R_16BF } else { CUDA_R_32F };
        let alpha = 1.0_f32;
        let handle = self.opened.cublas.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: both live as long as `self`.
        unsafe { cublas::set_stream(*handle, self.stream.cast()) }.map_err(CudaError::call("use a stream"))?;
        // SAFETY: the caller's; `Cuda` has checked that sizes fit.
        let result = unsafe {
            cublas::gemm_ex(
                *handle,
                op_a,
                op_b,
                gemm.m as c_int,
                gemm.n as c_int,
                gemm.k as c_int,
                (&raw const alpha).cast(),
                gemm.a.cast(),
                factors,
                gemm.lda as c_int,
                gemm.b.cast(),
                factors,
                gemm.ldb as c_int,
                (&raw const gemm.beta).cast(),
                gemm.c.cast(),
                CUDA_R_32F,
                gemm.ldc as c_int,
                CUBLAS_COMPUTE_32F,
                cublas_sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        result.map_err(CudaError::call("compute a product"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // An error has no consequence any more.
        let _ = self.synchronise();
        let staging = self.staging.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all calls of the stream have ended, and this is the only owner of the stream and its memory.
        let _ = unsafe {
            staging.free();
            driver::stream::destroy(self.stream)
        };
    }
}

impl Drop for OpenDevice {
    fn drop(&mut self) {
        let handle = self.cublas.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: this is the only owner of the handle. An error has no consequence any more.
        let _ = unsafe { cublas::destroy_handle(*handle) };
    }
}

/// Looks for all libraries first, because cudarc panics where a library is missing.
fn check_libraries() -> Result<(), CudaError> {
    // SAFETY: this loads NVIDIA's libraries, whose initialisation has no preconditions.
    let [driver, cublas] = unsafe { [sys::is_culib_present(), cublas_sys::is_culib_present()] };
    if !driver {
        return Err(CudaError::NoLibrary { file: "libcuda.so.1", install: "an NVIDIA GPU and its driver" });
    }
    compiler::check_library()?;
    if !cublas {
        return Err(CudaError::NoLibrary { file: "libcublas.so", install: "cuBLAS of CUDA 12 or 13" });
    }
    Ok(())
}

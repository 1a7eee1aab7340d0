//! A device and its memory.

#![allow(unsafe_code)] // hands memory to the backend

use crate::backend::Backend;
#[cfg(feature = "driver")]
use crate::backend::NAMES;
#[cfg(feature = "driver")]
use crate::driver::Driver;
use crate::launch::Grid;
use crate::{CallTimes, CudaError};
use metaphrase_device::{Device, Failure, Pool, PoolItem, Shape, Storage, TrainingPrecision};
use metaphrase_kernels as kernels;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// A CUDA device that computes.
pub struct Cuda {
    backend: Arc<Backend>,
    name: String,
    pub(crate) precision: TrainingPrecision,
    pool: Pool<Matrix>,
    /// The first failure; operations after it do nothing.
    failure: Option<CudaError>,
    pub(crate) multiply_adds: u64,
}

/// A matrix in a device's memory, row-major.
pub struct Matrix {
    rows: usize,
    cols: usize,
    /// The count of numbers that fit into the memory: 0 if the device has failed.
    capacity: usize,
    address: u64,
    backend: Arc<Backend>,
    rounded: Mutex<Rounded>,
}

/// A matrix in bf16, for products: two numbers in the place of one.
#[derive(Default)]
struct Rounded {
    copy: Option<Box<Matrix>>,
    /// Whether the matrix has not changed since the copy was made.
    is_current: bool,
}

/// No side of a matrix is longer: cuBLAS counts with `int`.
const LONGEST: usize = i32::MAX as usize;

impl Cuda {
    /// Opens device number `index` and compiles the kernels for it, which takes seconds.
    ///
    /// # Errors
    /// If a library is missing, or there is no such device.
    #[cfg(feature = "driver")]
    pub fn open(index: usize) -> Result<Self, CudaError> {
        let driver = Driver::open(index, NAMES)?;
        let name = driver.name();
        Ok(Self::new(Backend::Driver(driver), name))
    }

    /// The emulator, on which kernels run on the CPU. With `reversed`, the threads of a block take turns from the last
    /// to the first, which changes results only if a barrier is missing.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub fn emulated(reversed: bool) -> Self {
        let emulator = crate::emulator::Emulator::new(reversed, usize::MAX);
        Self::new(Backend::Emulator(Arc::new(emulator)), "the emulator".to_owned())
    }

    /// The emulator with memory for this number of `f32`.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub fn emulated_with_memory(numbers: usize) -> Self {
        let emulator = crate::emulator::Emulator::new(false, numbers);
        Self::new(Backend::Emulator(Arc::new(emulator)), "a small emulator".to_owned())
    }

    fn new(backend: Backend, name: String) -> Self {
        Self::new_on(Arc::new(backend), name)
    }

    fn new_on(backend: Arc<Backend>, name: String) -> Self {
        let precision = TrainingPrecision::default();
        Self { backend, name, precision, pool: Pool::default(), failure: None, multiply_adds: 0 }
    }

    /// The device of a test: the emulator, or the first GPU if the environment has `METAPHRASE_TEST_GPU` and the
    /// feature `driver` is on.
    ///
    /// # Panics
    /// If the GPU can not be opened.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub fn for_tests(reversed: bool) -> Self {
        #[cfg(feature = "driver")]
        if std::env::var_os("METAPHRASE_TEST_GPU").is_some() {
            thread_local! { // compiling takes seconds, and tests open many devices
                static GPU: Arc<Backend> = Driver::open(0, NAMES).map(Backend::Driver).map(Arc::new).expect("a GPU");
            }
            return Self::new_on(GPU.with(Arc::clone), "the GPU".to_owned());
        }
        Self::emulated(reversed)
    }

    /// The same device with other free matrices and a stream of operations of its own, for another thread. It may read
    /// a matrix of this one after [`synchronise`](Self::synchronise), or after this one has read numbers.
    #[must_use]
    pub fn another(&self) -> Self {
        let (backend, failure) = match self.backend.another() {
            Ok(backend) => (Arc::new(backend), None),
            Err(error) => (Arc::clone(&self.backend), Some(error)),
        };
        Self { failure, ..Self::new_on(backend, self.name.clone()) }
    }

    /// Waits for all operations so far.
    pub fn synchronise(&mut self) {
        self.run(Backend::synchronise);
    }

    /// Measures the time of each call from now on. The device is waited for after each call, so all is slower.
    pub fn measure_times(&self) {
        self.backend.times().start();
    }

    /// The times of all calls since [`measure_times`](Self::measure_times), the longest first.
    #[must_use]
    pub fn times(&self) -> Vec<CallTimes> {
        self.backend.times().all()
    }

    /// Multiplications with addition in all products so far.
    #[must_use]
    pub const fn multiply_adds(&self) -> u64 {
        self.multiply_adds
    }

    /// The count of numbers that fit into its free matrices.
    #[must_use]
    pub fn pooled(&self) -> usize {
        self.pool.capacity()
    }

    /// Whether all calls have succeeded so far. A kernel may still fail after its launch: [`Storage::download`] waits
    /// for all kernels.
    ///
    /// # Errors
    /// The first failure.
    pub fn check(&self) -> Result<(), CudaError> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Copies neighbouring rows of a matrix to the CPU.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn download_rows(&mut self, matrix: &Matrix, rows: Range<usize>, out: &mut kernels::Matrix) {
        assert!(rows.start <= rows.end && rows.end <= matrix.rows, "rows of a matrix");
        out.resize(rows.len(), matrix.cols);
        let address = matrix.address + (rows.start * matrix.cols * size_of::<f32>()) as u64;
        // SAFETY: the rows are within the matrix, and `out` has their shape.
        self.run(|backend| unsafe { backend.read(address, out.as_mut_slice()) });
    }

    /// Lets the backend do something, unless the device has failed.
    pub(crate) fn run(&mut self, act: impl FnOnce(&Backend) -> Result<(), CudaError>) {
        if self.failure.is_none() {
            self.failure = act(&self.backend).err();
        }
    }

    /// A matrix with memory for `capacity` numbers; an empty one if the device fails.
    fn allocate(&mut self, capacity: usize) -> Matrix {
        let mut result = self.backend.allocate(capacity);
        if matches!(result, Err(CudaError::OutOfMemory { .. })) {
            self.pool = Pool::default(); // free matrices may have other sizes
            result = self.backend.allocate(capacity);
        }
        let (address, capacity) = match result {
            Ok(address) => (address, capacity),
            Err(error) => {
                self.failure.get_or_insert(error);
                (0, 0)
            }
        };
        Matrix { rows: 0, cols: 0, capacity, address, backend: Arc::clone(&self.backend), rounded: Mutex::default() }
    }

    /// The addresses of a matrix and of its copy in bf16, for a kernel that writes both; null if products are of `f32`.
    pub(crate) fn write_rounded(&mut self, x: &mut Matrix) -> (*mut f32, *mut u16) {
        let (address, n) = (x.write(), x.len());
        if self.precision == TrainingPrecision::F32 {
            return (address, null_mut());
        }
        let rounded = x.rounded.get_mut().unwrap_or_else(PoisonError::into_inner);
        let copy = rounded.copy.get_or_insert_with(|| Box::new(self.take(1, n.div_ceil(2))));
        rounded.is_current = true;
        (address, copy.write().cast())
    }

    /// The address of a matrix in bf16. It is rounded once, until [`Matrix::write`].
    pub(crate) fn in_bf16(&mut self, x: &Matrix) -> *const f32 {
        let mut rounded = x.rounded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = rounded.is_current && rounded.copy.is_some();
        let mut copy = rounded.copy.take().unwrap_or_else(|| Box::new(self.take(1, x.len().div_ceil(2))));
        if !is_current {
            let n = x.len();
            // SAFETY: both have room for n numbers, of four and of two bytes.
            self.run(|b| unsafe {
                b.round_to_bf16(Grid::each(n.div_ceil(2)), x.read(), copy.write().cast(), n as u64)
            });
        }
        let address = copy.read();
        *rounded = Rounded { copy: Some(copy), is_current: true };
        address
    }

    /// Ids or other whole numbers on the device, as a row; the caller gives it back.
    pub(crate) fn table(&mut self, numbers: &[u32]) -> Matrix {
        let table = self.take(1, numbers.len());
        // SAFETY: the table has room for as many numbers, of four bytes each.
        self.run(|backend| unsafe { backend.write(table.address, numbers) });
        table
    }
}

impl Device for Cuda {}

impl Storage for Cuda {
    type Matrix = Matrix;
    type Parameter = Matrix;

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self) -> Result<(), Failure> {
        self.check().map_err(|error| Failure(error.to_string()))
    }

    fn parameter(&mut self, value: kernels::Matrix) -> Matrix {
        self.upload(&value)
    }

    fn value_mut(parameter: &mut Matrix) -> &mut Matrix {
        parameter
    }

    fn value(parameter: &Matrix) -> &Matrix {
        parameter
    }

    fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        assert!(rows <= LONGEST && cols <= LONGEST, "{rows} × {cols} is too large for a matrix");
        let mut matrix = self.pool.take(rows * cols).unwrap_or_else(|capacity| self.allocate(capacity));
        (matrix.rows, matrix.cols) = (rows, cols);
        matrix
    }

    fn give(&mut self, mut matrix: Matrix) {
        let rounded = std::mem::take(matrix.rounded.get_mut().unwrap_or_else(PoisonError::into_inner));
        rounded.copy.into_iter().for_each(|copy| self.pool.give(*copy));
        self.pool.give(matrix);
    }

    fn write(&mut self, numbers: &kernels::Matrix, matrix: &mut Matrix) {
        assert_eq!((numbers.rows(), numbers.cols()), (matrix.rows, matrix.cols), "shape of a matrix");
        let address = matrix.write() as u64;
        // SAFETY: both have the same shape.
        self.run(|backend| unsafe { backend.write(address, numbers.as_slice()) });
    }

    fn download(&mut self, matrix: &Matrix) -> kernels::Matrix {
        let mut copy = kernels::Matrix::zeros(matrix.rows, matrix.cols);
        // SAFETY: the copy has the same shape.
        self.run(|backend| unsafe { backend.read(matrix.address, copy.as_mut_slice()) });
        copy
    }

    fn clear_all(&mut self, matrices: &mut [Matrix]) {
        self.clear_pieces(matrices);
    }

    fn clear(&mut self, matrix: &mut Matrix) {
        let (address, n) = (matrix.write() as u64, matrix.len());
        // SAFETY: a matrix holds the numbers of its shape.
        self.run(|backend| unsafe { backend.clear(address, n) });
    }
}

impl Matrix {
    /// Number of numbers.
    pub(crate) fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// The address of its numbers on the device.
    pub(crate) fn read(&self) -> *const f32 {
        self.address as *const f32
    }

    /// The address of its numbers, to be written at once: a copy in bf16 is out of date from now on.
    pub(crate) fn write(&mut self) -> *mut f32 {
        self.rounded.get_mut().unwrap_or_else(PoisonError::into_inner).is_current = false;
        self.address as *mut f32
    }

    /// The addresses of its numbers and of its copy in bf16, if it has one, for a kernel that writes both.
    pub(crate) fn rewrite(&mut self) -> (*mut f32, *mut u16) {
        let rounded = self.rounded.get_mut().unwrap_or_else(PoisonError::into_inner);
        rounded.is_current = true;
        let copy = rounded.copy.as_mut().map_or(null_mut(), |copy| copy.write().cast());
        (self.address as *mut f32, copy)
    }

    /// The address of the whole numbers of a [`table`](Cuda::table).
    pub(crate) fn ids(&self) -> *const u32 {
        self.address as *const u32
    }
}

impl Shape for Matrix {
    fn rows(&self) -> usize {
        self.rows
    }

    fn cols(&self) -> usize {
        self.cols
    }
}

impl PoolItem for Matrix {
    fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the address is from `allocate`, and its only owner is dropped.
            unsafe {
                self.backend.free(self.address);
            }
        }
    }
}

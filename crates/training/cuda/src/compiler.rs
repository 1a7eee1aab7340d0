//! The kernels, compiled for a device by NVRTC.

#![allow(unsafe_code)] // calls into C

use crate::CudaError;
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};

/// All kernels.
const SOURCE: &str = concat!(
    include_str!("kernels/common.cu"),
    include_str!("kernels/elementwise.cu"),
    include_str!("kernels/rows.cu"),
    include_str!("kernels/normalisation.cu"),
    include_str!("kernels/attention.cu"),
    include_str!("kernels/additive_attention.cu"),
    include_str!("kernels/cells.cu"),
    include_str!("kernels/training.cu"),
    include_str!("kernels/tensor_cores.cu"),
    include_str!("kernels/maps.cu"),
    include_str!("kernels/decoding.cu"),
    include_str!("kernels/recurrent.cu"),
);

/// Checks that NVRTC can be loaded.
///
/// # Errors
/// [`CudaError::NoLibrary`].
pub fn check_library() -> Result<(), CudaError> {
    // SAFETY: this loads NVIDIA's library, whose initialisation has no preconditions.
    if unsafe { sys::is_culib_present() } {
        Ok(())
    } else {
        Err(CudaError::NoLibrary { file: "libnvrtc.so", install: "NVRTC of CUDA 12 or 13" })
    }
}

/// The kernels, compiled for an architecture such as `sm_90`. [`check_library`] must have succeeded.
///
/// # Errors
/// [`CudaError::Compilation`] with NVRTC's log.
pub fn compile(architecture: &str) -> Result<Vec<u8>, CudaError> {
    let failed = |error| CudaError::Compilation(format!("{error:?}"));
    let source = CString::new(SOURCE).map_err(|error| CudaError::Compilation(error.to_string()))?;
    let program = Program(result::create_program(&source, Some(c"kernels.cu")).map_err(failed)?);
    let options = [format!("--gpu-architecture={architecture}")];
    // SAFETY: the program is valid until `program` is dropped, at the end of this function; the buffer has the size
    // that NVRTC asks for.
    unsafe {
        if let Err(error) = result::compile_program(program.0, &options) {
            let log = result::get_program_log(program.0).map_err(failed)?;
            let log = CStr::from_ptr(log.as_ptr()).to_string_lossy();
            return Err(CudaError::Compilation(format!("{error:?}, {log}")));
        }
        let mut size = 0;
        sys::nvrtcGetCUBINSize(program.0, &raw mut size).result().map_err(failed)?;
        let mut code = vec![0_u8; size];
        sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast()).result().map_err(failed)?;
        Ok(code)
    }
}

struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `create_program`, destroyed once.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

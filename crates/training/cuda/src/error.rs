//! The failures of a device.

/// Why a CUDA device can not be used, or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    /// A library is not on this machine.
    #[error("{file} can not be loaded: a CUDA device needs {install}; the device `cpu` needs neither")]
    NoLibrary {
        /// The library's file.
        file: &'static str,
        /// The package to install.
        install: &'static str,
    },
    /// There is no such device.
    #[error("there is no device `cuda:{index}`: this machine has {count}, counted from cuda:0")]
    NoDevice {
        /// The requested device.
        index: usize,
        /// The number of devices.
        count: usize,
    },
    /// The device's memory is full.
    #[error(
        "the GPU has no room for another {megabytes} MB ({free} MB of {total} MB are free): smaller batches \
         (`training.batch.size` of a recipe, `batch_tokens` of a translation) or a smaller network need less"
    )]
    OutOfMemory {
        /// The requested memory.
        megabytes: usize,
        /// The memory that is free.
        free: usize,
        /// The memory of the device.
        total: usize,
    },
    /// The kernels can not be compiled for the device.
    #[error("NVRTC can not compile the kernels for this GPU: {0}")]
    Compilation(String),
    /// A call failed.
    #[error("the GPU can not {action}: {problem}")]
    Call {
        /// The action.
        action: &'static str,
        /// The words of the library.
        problem: String,
    },
}

impl CudaError {
    /// A failed action, with the words of the library.
    #[cfg(feature = "driver")]
    pub(crate) fn call<E: std::fmt::Debug>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Call { action, problem: format!("{error:?}") }
    }
}

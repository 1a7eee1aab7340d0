//! What can go wrong with a device.

/// Why a CUDA device can not be used, or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    /// A library is not on this machine.
    #[error("{file} can not be loaded: a CUDA device needs {install}; `--device cpu` needs neither")]
    NoLibrary {
        /// The library's file.
        file: &'static str,
        /// What to install.
        install: &'static str,
    },
    /// There is no such device.
    #[error("there is no device `cuda:{index}`: this machine has {count}, counted from cuda:0")]
    NoDevice {
        /// The one that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The device's memory is full.
    #[error(
        "the GPU has no room for another {megabytes} MB ({free} MB of {total} MB are free): smaller batches \
         (`training.batch.size` of the recipe) or a smaller network need less"
    )]
    OutOfMemory {
        /// What was asked for.
        megabytes: usize,
        /// What is free.
        free: usize,
        /// What the device has.
        total: usize,
    },
    /// The kernels can not be compiled for the device.
    #[error("NVRTC can not compile the kernels for this GPU: {0}")]
    Compilation(String),
    /// A call failed.
    #[error("the GPU can not {action}: {problem}")]
    Call {
        /// What was to be done.
        action: &'static str,
        /// What the library says.
        problem: String,
    },
}

impl CudaError {
    /// What failed, and with which words.
    pub(crate) fn call<E: std::fmt::Debug>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Call { action, problem: format!("{error:?}") }
    }
}

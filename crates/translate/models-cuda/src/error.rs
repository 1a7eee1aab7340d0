//! Why a model can not be on a device.

use metaphrase_cuda::CudaError;
use metaphrase_models::ModelError;

/// Why a model can not translate on a CUDA device.
#[derive(Debug, thiserror::Error)]
pub enum CudaModelError {
    /// The network has a part that has no kernels.
    #[error("a CUDA device can not run {part} yet, which this model has: translate with it on the device `cpu`")]
    Unsupported {
        /// The part.
        part: &'static str,
    },
    /// The model is damaged.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The device has failed.
    #[error(transparent)]
    Device(#[from] CudaError),
}

//! The failure of a device.

use metaphrase_cuda::CudaError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The last failure of a device, whichever search met it.
#[derive(Default)]
pub(crate) struct Failure(Mutex<Option<CudaError>>);

impl Failure {
    pub(crate) fn last(&self) -> MutexGuard<'_, Option<CudaError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a failure, and returns whether there was none.
    pub(crate) fn keep(&self, result: Result<(), CudaError>) -> bool {
        match result {
            Ok(()) => true,
            Err(error) => {
                *self.last() = Some(error);
                false
            }
        }
    }

    /// Forgets a failure from which the device recovers.
    pub(crate) fn forget(&self) {
        *self.last() = None;
    }
}

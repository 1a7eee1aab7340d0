//! The time of the units of work on a device.

use metaphrase_base::{Unit, is_measuring};
use metaphrase_cuda::Cuda;

/// Does a part of the work as this unit. A thread that measures waits for the device before and after it; others do
/// not.
pub(crate) fn timed<R>(cuda: &mut Cuda, unit: Unit, work: impl FnOnce(&mut Cuda) -> R) -> R {
    if !is_measuring() {
        return work(cuda);
    }
    cuda.synchronise();
    let timer = unit.timed();
    let result = work(cuda);
    cuda.synchronise();
    drop(timer);
    result
}

//! A mapped file that was truncated while it was in use: the process ends with a sentence instead of a bare signal.
#![cfg_attr(unix, allow(unsafe_code))]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// The mappings of this process. No code touches mapped bytes while it holds the lock.
static MAPPINGS: Mutex<Vec<Mapping>> = Mutex::new(Vec::new());

struct Mapping {
    addresses: Range<usize>,
    path: PathBuf,
}

fn mappings() -> MutexGuard<'static, Vec<Mapping>> {
    MAPPINGS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Remembers which file is mapped at these addresses.
pub(super) fn remember(bytes: &[u8], path: &Path) {
    let addresses = bytes.as_ptr_range();
    let addresses = addresses.start.addr()..addresses.end.addr();
    mappings().push(Mapping { addresses, path: path.to_owned() });
}

/// Forgets the mapping, before it ends.
pub(super) fn forget(bytes: &[u8]) {
    let start = bytes.as_ptr().addr();
    let mut mappings = mappings();
    if let Some(place) = mappings.iter().position(|mapping| mapping.addresses.start == start) {
        mappings.swap_remove(place);
    }
}

/// From now on `report` is called with the name of the file when bytes of a [`MappedFile`](super::MappedFile) are read
/// which the file no longer has. Without this call the operating system ends the process (SIGBUS). For the start of a
/// program; a second call changes nothing. Where there are no such signals, nothing happens.
pub fn report_truncated_files(report: fn(&Path) -> !) {
    #[cfg(unix)]
    signal::install(report);
    #[cfg(not(unix))]
    let _ = report;
}

#[cfg(unix)]
mod signal {
    use super::mappings;
    use libc::{SA_SIGINFO, SIGBUS, c_int, c_void, raise, sigaction, siginfo_t};
    use std::path::Path;
    use std::sync::OnceLock;

    static REPORT: OnceLock<fn(&Path) -> !> = OnceLock::new();
    /// The previous action of the signal.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    pub(super) fn install(report: fn(&Path) -> !) {
        if REPORT.set(report).is_err() {
            return;
        }
        // SAFETY: all bytes of the structures are plain numbers, for which zero is a value; `handle` has the signature
        // that SA_SIGINFO asks for. It has no need of a stack of its own: a stack that is full is another signal.
        unsafe {
            let (mut action, mut before): (sigaction, sigaction) = (std::mem::zeroed(), std::mem::zeroed());
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = SA_SIGINFO;
            if sigaction(SIGBUS, &action, &mut before) == 0 {
                let _ = BEFORE.set(before);
            }
        }
    }

    /// Reports, if a mapped byte could not be read. Such a signal interrupts the instruction that reads the byte, so
    /// this thread is neither in the allocator nor holds a lock, and the report may use both. For any other cause the
    /// signal does what it did before.
    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid structure, and the address is part of it for this signal.
        let (by_an_instruction, address) = unsafe { ((*info).si_code > 0, (*info).si_addr().addr()) };
        if by_an_instruction && let Some(report) = REPORT.get() {
            let path = mappings().iter().find(|m| m.addresses.contains(&address)).map(|m| m.path.clone());
            if let Some(path) = path {
                report(&path);
            }
        }
        // SAFETY: `before` is what `sigaction` itself gave; an instruction that failed fails again after the return.
        unsafe {
            let before = BEFORE.get().copied().unwrap_or_else(|| std::mem::zeroed());
            sigaction(SIGBUS, &before, std::ptr::null_mut());
            if !by_an_instruction {
                raise(signal);
            }
        }
    }
}

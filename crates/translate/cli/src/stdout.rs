//! Finds out whether the program was started with a closed standard output, as by `>&-`.

use anyhow::{Result, ensure};

/// Refuses to write to standard output if it was closed when the program started. The standard library replaces a
/// closed standard output by `/dev/null`: no write would fail, and the result would be lost.
pub fn check() -> Result<()> {
    #[cfg(target_os = "linux")]
    let is_closed = closed::STDOUT.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(target_os = "linux"))]
    let is_closed = false;
    ensure!(!is_closed, "cannot write standard output: it is closed; name a file with -o, or /dev/null");
    Ok(())
}

#[cfg(target_os = "linux")]
mod closed {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static STDOUT: AtomicBool = AtomicBool::new(false);

    /// Runs before the standard library starts.
    #[ctor::ctor(unsafe)]
    fn look() {
        STDOUT.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }
}

//! Signals that end the program: it removes unfinished files first, and a file that grows beyond a limit is an error.

/// Makes a write fail that would exceed the limit of `ulimit -f`, with an error that names the file. By default the
/// system ends the program with SIGXFSZ.
pub fn large_files_are_errors() {
    // Nothing reads the flag. If no handler can be set, the signal ends the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// On SIGTERM, SIGHUP and SIGINT, removes unfinished files and folders before the signal ends the program. A signal
/// that the program was started to ignore, as by `nohup`, stays ignored.
pub fn clean_up() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;

        let ends: Vec<i32> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal)).collect();
        // If no handler can be set, the next run removes the files.
        let Ok(mut signals) = Signals::new(ends) else { return };
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                metaphrase_base::remove_unfinished();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
    }
}

/// Whether the program was started to ignore a signal. Only Linux reports this.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

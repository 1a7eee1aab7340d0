//! The memory of this process, as Linux reports it; `None` elsewhere.

/// A line of `/proc/self/status` in MB of 10⁶ bytes.
fn status(name: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// The largest resident memory since [`forget_peak`], or since the process began where that is not possible.
pub fn peak() -> Option<f64> {
    status("VmHWM")
}

/// Begins to look for a new peak.
pub fn forget_peak() {
    // 5: "reset the peak resident set size to the current one" (proc_pid_clear_refs(5)).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

//! The machine, and the time and memory that a process uses.

use metaphrase::{Choice, Precision};
use metaphrase_kernels::{instruction_set, peak};
use serde::Serialize;
use std::collections::BTreeMap;

/// The machine and its limits.
#[derive(Serialize)]
pub(super) struct Machine {
    /// The version of this program.
    program: &'static str,
    /// The name of the processor, if the system reports it.
    processor: Option<String>,
    /// Processors that this program may use.
    processors: usize,
    instruction_set: String,
    /// Operations per second of one thread, in 10⁹, by precision.
    peak_gops: BTreeMap<&'static str, f64>,
}

impl Machine {
    /// Reads the facts of the machine and measures its limits for about 0.2 seconds.
    pub(super) fn measure() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let peaks = Precision::ALL.iter().map(|named| (named.name, peak(named.value) / 1e9));
        Self {
            program: env!("CARGO_PKG_VERSION"),
            processor: name.map(|(_, name)| name.trim().to_owned()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            instruction_set: instruction_set().to_string(),
            peak_gops: peaks.collect(),
        }
    }

    /// The rate of `operations` in `seconds`, as a share of the peak of this precision.
    pub(super) fn share(&self, precision: Precision, operations: u64, seconds: f64) -> f64 {
        let peak = self.peak_gops.get(precision.name()).copied().unwrap_or(f64::INFINITY);
        operations as f64 / seconds.max(1e-9) / 1e9 / peak
    }

    /// The line above the table.
    pub(super) fn line(&self) -> String {
        let processor = self.processor.as_deref().unwrap_or("processor");
        let peaks: Vec<_> = self.peak_gops.iter().map(|(name, peak)| format!("{name} {peak:.0}")).collect();
        format!("{processor}, {}; peak of a thread, GOP/s: {}", self.instruction_set, peaks.join(", "))
    }
}

/// Seconds of processor time that all threads of this process have used; `None` if the system does not report them.
pub(super) fn cpu_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
    }
    #[cfg(not(unix))]
    None
}

/// The largest resident memory of this process so far, in MB; `None` if the system does not report it.
pub(super) fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

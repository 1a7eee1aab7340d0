//! The machine, and what a process uses of it.

use metaphrase_kernels::{Precision, instruction_set, peak};
use serde::Serialize;

/// The machine and its limits.
#[derive(Serialize)]
pub(super) struct Machine {
    /// The version of this program.
    program: &'static str,
    /// The name of the processor, where the system tells it.
    processor: Option<String>,
    /// Processors that this program may use.
    processors: usize,
    instruction_set: String,
    /// Operations per second of one thread, in 10⁹, by kind of number.
    peak_gops: Peaks,
}

/// Operations per second, in 10⁹.
#[derive(Serialize)]
struct Peaks {
    f32: f64,
    bf16: f64,
    int8: f64,
}

impl Machine {
    /// Looks at the machine, and measures its limits for about 0.2 seconds.
    pub(super) fn measure() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        Self {
            program: env!("CARGO_PKG_VERSION"),
            processor: name.map(|(_, name)| name.trim().to_owned()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            instruction_set: instruction_set().to_string(),
            peak_gops: Peaks {
                f32: peak(Precision::F32) / 1e9,
                bf16: peak(Precision::Bf16) / 1e9,
                int8: peak(Precision::Int8) / 1e9,
            },
        }
    }

    /// The share of the peak of this kind of number.
    pub(super) fn share(&self, precision: &str, operations: u64, seconds: f64) -> f64 {
        let peak = match precision {
            "bf16" => self.peak_gops.bf16,
            "int8" => self.peak_gops.int8,
            _ => self.peak_gops.f32,
        };
        operations as f64 / seconds.max(1e-9) / 1e9 / peak
    }

    /// The line above the table.
    pub(super) fn line(&self) -> String {
        let Peaks { f32, bf16, int8 } = self.peak_gops;
        let processor = self.processor.as_deref().unwrap_or("processor");
        format!(
            "{processor}, {}; peak of a thread, GOP/s: f32 {f32:.0}, bf16 {bf16:.0}, int8 {int8:.0}",
            self.instruction_set
        )
    }
}

/// Seconds of processor time that all threads of this process have used; `None` where the system does not tell.
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

/// The largest resident memory of this process so far, in MB; `None` where the system does not tell.
pub(super) fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

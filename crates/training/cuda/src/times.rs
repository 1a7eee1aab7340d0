//! The time of each kernel and other call, measured on request.

use crate::CudaError;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The calls of one name and their time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallTimes {
    /// The kernel's name; `product` for cuBLAS, `write` and `read` for copies, `clear`; `host` for the time between
    /// calls.
    pub name: &'static str,
    /// The number of calls.
    pub calls: u64,
    /// The time from each call to the end of its work on the device, added up.
    pub seconds: f64,
}

/// The time between calls.
const HOST: &str = "host";

/// Times of the calls of a backend; without a measurement nothing is recorded.
#[derive(Debug, Default)]
pub(crate) struct Times(OnceLock<Mutex<Record>>);

#[derive(Debug)]
struct Record {
    last: Instant,
    by_name: BTreeMap<&'static str, (u64, Duration)>,
}

impl Record {
    fn add(&mut self, name: &'static str, now: Instant) {
        let entry = self.by_name.entry(name).or_default();
        entry.0 += 1;
        entry.1 += now - self.last;
        self.last = now;
    }
}

impl Times {
    /// Begins to measure, or begins again at zero.
    pub(crate) fn start(&self) {
        let new = || Record { last: Instant::now(), by_name: BTreeMap::new() };
        *self.0.get_or_init(|| Mutex::new(new())).lock().unwrap_or_else(PoisonError::into_inner) = new();
    }

    /// Whether calls are measured.
    pub(crate) fn are_measured(&self) -> bool {
        self.0.get().is_some()
    }

    /// The result of a call that waits until its work is done.
    pub(crate) fn of(&self, name: &'static str, call: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
        let Some(record) = self.0.get() else { return call() };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        record.add(HOST, Instant::now());
        let result = call();
        record.add(name, Instant::now());
        result
    }

    /// All times so far, the longest first.
    pub(crate) fn all(&self) -> Vec<CallTimes> {
        let Some(record) = self.0.get() else { return Vec::new() };
        let record = record.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = record.by_name.iter().map(|(&name, &(calls, time))| (time, name, calls)).collect();
        all.sort_by_key(|&(time, ..)| Reverse(time));
        all.into_iter().map(|(time, name, calls)| CallTimes { name, calls, seconds: time.as_secs_f64() }).collect()
    }
}

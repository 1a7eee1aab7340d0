//! The progress bar, on a terminal.

use crate::messages::Terminal;
use indicatif::{HumanDuration, ProgressBar};
use std::time::{Duration, Instant};

/// Counts lines and words, and shows them on a terminal.
pub struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    lines: u64,
    words: u64,
}

impl Progress {
    /// Starts the clock. `size`: bytes of the input, if known; `background`: whether neither input nor output is a
    /// terminal. On a terminal a bar would mix with the text.
    pub fn start(terminal: &Terminal, size: Option<u64>, background: bool) -> Self {
        let (bar, template) = match size {
            Some(size) => (ProgressBar::new(size), "{percent:>3} % {wide_bar} {msg}"),
            None => (ProgressBar::new_spinner(), "{spinner} {elapsed} {msg}"),
        };
        let bar = if background { terminal.bar(bar, template) } else { None };
        bar.iter().for_each(|bar| bar.enable_steady_tick(Duration::from_millis(200)));
        Self { bar, begun: Instant::now(), lines: 0, words: 0 }
    }

    /// Counts a finished line of `bytes` bytes, whose result has `words` words.
    pub fn line(&mut self, bytes: u64, words: usize) {
        self.lines += 1;
        self.words += words as u64;
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
            let left = bar.length().and_then(|size| time_left(self.begun.elapsed(), bar.position(), size));
            let left = left.map_or_else(String::new, |left| format!(", {} left", HumanDuration(left)));
            bar.set_message(self.rates() + &left);
        }
    }

    fn rates(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-9);
        let lines = self.lines as f64 / seconds;
        let words = self.words as f64 / seconds;
        format!("{} lines, {lines:.1} lines/s, {words:.0} words/s", self.lines)
    }
}

/// The estimated time for the rest of `size` bytes, after `done` of them took `time`; `None` while that is too early.
///
/// Lines finish in bursts, the longest first, so the mean rate predicts better than the latest rate.
fn time_left(time: Duration, done: u64, size: u64) -> Option<Duration> {
    let known = done > 0 && (time > Duration::from_secs(2) || done > size / 10);
    known.then(|| time.mul_f64(size.saturating_sub(done) as f64 / done as f64))
}

impl Drop for Progress {
    /// Reports the speed.
    fn drop(&mut self) {
        drop(self.bar.take());
        tracing::info!("{} in {:.2} s", self.rates(), self.begun.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_mean_speed() {
        let seconds = Duration::from_secs;
        assert_eq!(time_left(seconds(1), 5, 100), None, "too early");
        assert_eq!(time_left(seconds(0), 0, 100), None);
        assert_eq!(time_left(seconds(3), 5, 100), Some(seconds(57)));
        assert_eq!(time_left(seconds(1), 50, 100), Some(seconds(1)));
        assert_eq!(time_left(seconds(9), 101, 100), Some(seconds(0)), "a file that grew");
    }
}

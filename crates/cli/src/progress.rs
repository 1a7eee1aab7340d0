//! The progress bar, on a terminal.

use crate::messages::Terminal;
use indicatif::ProgressBar;
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
    /// terminal, where a bar would be in the way.
    pub fn start(terminal: &Terminal, size: Option<u64>, background: bool) -> Self {
        let (bar, template) = match size {
            Some(size) => (ProgressBar::new(size), "{percent:>3} % {wide_bar} {msg}, {eta} left"),
            None => (ProgressBar::new_spinner(), "{spinner} {elapsed} {msg}"),
        };
        let bar = if background { terminal.bar(bar, template) } else { None };
        bar.iter().for_each(|bar| bar.enable_steady_tick(Duration::from_millis(200)));
        Self { bar, begun: Instant::now(), lines: 0, words: 0 }
    }

    /// A line of `bytes` bytes is done; its result has `words` words.
    pub fn line(&mut self, bytes: u64, words: usize) {
        self.lines += 1;
        self.words += words as u64;
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
            bar.set_message(self.rates());
        }
    }

    fn rates(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-9);
        let (lines, words) = (self.lines as f64 / seconds, self.words as f64 / seconds);
        format!("{} lines, {lines:.1} lines/s, {words:.0} words/s", self.lines)
    }
}

impl Drop for Progress {
    /// Tells the speed.
    fn drop(&mut self) {
        drop(self.bar.take());
        tracing::info!("{} in {:.2} s", self.rates(), self.begun.elapsed().as_secs_f64());
    }
}

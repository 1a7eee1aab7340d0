//! The log of a run: a line of JSON for every few updates and for each validation.

use crate::observer::{Progress, ValidationReport};
use metaphrase_base::NewFile;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the log in a run's directory.
pub const LOG: &str = "log.jsonl";

/// The number of updates per line.
const EVERY: u64 = 50;

/// Updates that end a line, too: they show a warm-up that is shorter than a few lines, and how the loss begins to fall.
const FIRST: [u64; 5] = [1, 2, 5, 10, 25];

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Entry {
    /// Means over some updates, up to one.
    Progress(Progress),
    /// A validation.
    Validation(ValidationReport),
}

impl Entry {
    /// The number of the update.
    #[must_use]
    pub const fn update(&self) -> u64 {
        match self {
            Self::Progress(progress) => progress.update,
            Self::Validation(validated) => validated.update,
        }
    }
}

/// Reads the log of a run. Incomplete lines, as after a crash, are skipped.
///
/// # Errors
/// If there is no log.
pub fn read(run: &Path) -> io::Result<Vec<Entry>> {
    let text = fs::read_to_string(run.join(LOG))?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The log of a run, to be written.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    /// Updates since the last line, added up.
    sum: Option<Progress>,
}

impl Log {
    /// The log of a run that goes on after this number of updates: later lines are removed.
    pub(crate) fn open(run: &Path, updates: u64) -> io::Result<Self> {
        let path = run.join(LOG);
        let kept = read(run).unwrap_or_default().into_iter().filter(|entry| entry.update() <= updates);
        let lines: Vec<String> = kept.map(|entry| line(&entry)).collect::<io::Result<_>>()?;
        NewFile::write(&path, lines.concat())?;
        let file = OpenOptions::new().append(true).open(&path)?;
        Ok(Self { path, file, sum: None })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An update is done.
    pub(crate) fn progress(&mut self, progress: &Progress) -> io::Result<()> {
        let words = progress.words as f64;
        let weigh = |p: f64| p * words;
        let sum = self.sum.get_or_insert(Progress { words: 0, loss: 0.0, log_z: (0.0, 0.0), ..*progress });
        *sum = Progress {
            words: sum.words + progress.words,
            loss: sum.loss + weigh(progress.loss),
            log_z: (sum.log_z.0 + weigh(progress.log_z.0), sum.log_z.1 + weigh(progress.log_z.1)),
            ..*progress
        };
        let ends = progress.update.is_multiple_of(EVERY) || FIRST.contains(&progress.update);
        if ends { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(sum) = self.sum.take() else { return Ok(()) };
        let mean = |total: f64| total / sum.words.max(1) as f64;
        let progress = Progress { loss: mean(sum.loss), log_z: (mean(sum.log_z.0), mean(sum.log_z.1)), ..sum };
        self.file.write_all(line(&Entry::Progress(progress))?.as_bytes())
    }

    /// A validation is done.
    pub(crate) fn validated(&mut self, validated: &ValidationReport) -> io::Result<()> {
        self.flush()?;
        self.file.write_all(line(&Entry::Validation(*validated))?.as_bytes())
    }
}

fn line(entry: &Entry) -> io::Result<String> {
    Ok(serde_json::to_string(entry)? + "\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn the_warm_up_is_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::open(folder.path(), 0).unwrap();
        let progress = |update: u64| Progress {
            update,
            of: 100,
            epoch: 0,
            loss: 9.0 - update as f64 / 100.0,
            gradient_norm: 1.0,
            // A warm-up over 20 updates.
            rate: update.min(20) as f32 / 20.0,
            words: 10,
            seconds: 0.0,
            log_z: (0.0, 0.0),
        };
        (1..=100).for_each(|update| log.progress(&progress(update)).unwrap());
        let entries = read(folder.path()).unwrap();
        let rate = |entry: &Entry| match entry {
            Entry::Progress(progress) => (progress.update, progress.rate),
            Entry::Validation(_) => unreachable!(),
        };
        let rates: Vec<_> = entries.iter().map(rate).collect();
        let expected = [(1, 0.05), (2, 0.1), (5, 0.25), (10, 0.5), (25, 1.0), (50, 1.0), (100, 1.0)];
        assert_eq!(rates, expected);
    }
}

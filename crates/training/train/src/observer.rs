//! The news of a run.

use serde::{Deserialize, Serialize};

/// Receives the news of a run.
pub trait Observer {
    /// A sentence about data that were read, or about a step that was done.
    fn message(&mut self, text: &str);
    /// An update is done.
    fn progress(&mut self, progress: &Progress);
    /// A validation is done.
    fn validated(&mut self, validation: &ValidationReport);
}

/// The updates since the last progress.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Progress {
    /// Updates so far.
    pub update: u64,
    /// The last update of the run; an estimate if time ends the run.
    pub of: u64,
    /// Complete epochs.
    pub epoch: u64,
    /// Loss per target word.
    pub loss: f64,
    /// Norm of the gradient.
    pub gradient_norm: f32,
    /// Learning rate.
    pub rate: f32,
    /// Target words since the last progress.
    pub words: usize,
    /// Seconds of training so far.
    pub seconds: f64,
    /// Mean of ln Z over the words, and its standard deviation.
    pub log_z: (f64, f64),
}

/// A validation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ValidationReport {
    /// Updates so far.
    pub update: u64,
    /// Cross-entropy per target word, in nats.
    pub cross_entropy: f64,
    /// BLEU of the translation.
    pub bleu: f64,
    /// Mean of ln Z over the words, and its standard deviation.
    pub log_z: (f64, f64),
    /// Whether it is the best so far.
    pub best: bool,
    /// Seconds of training so far.
    pub seconds: f64,
}

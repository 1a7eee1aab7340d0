//! The seam between models and devices that are not this CPU.
//!
//! A device encodes sentences, steps rows and keeps their logits. A step returns a summary of each row; whole rows come
//! from the device only if a question needs them. So [`Scores`](crate::Scores) answers all questions of search, on any
//! device.

use core::any::Any;
use core::fmt::Debug;
use core::ops::Range;
use metaphrase_base::{Row, SentId, Sentence, Step, StepRow};
use metaphrase_kernels::{Matrix, Summary};

/// The weights of a network on a device. They never change.
pub trait DeviceNetwork: Send + Sync {
    /// A state without sentences.
    fn new_state(&self) -> Box<dyn DeviceState>;

    /// Logits of no rows.
    fn new_logits(&self) -> Box<dyn DeviceLogits>;

    /// Why the device has failed, in a sentence. The scores of a device that has failed are NaN.
    fn failure(&self) -> Option<String>;
}

/// Everything that the search of one batch changes.
pub trait DeviceState: Send + Debug {
    /// As [`StepModel::encode`](metaphrase_base::StepModel::encode).
    fn encode(&mut self, sentences: &[Sentence<'_>]);

    /// As [`StepModel::release`](metaphrase_base::StepModel::release).
    fn release(&mut self, slot: SentId);

    /// Steps rows, and leaves the logits of these rows alone: of all target words, or of the words of their sentences'
    /// shortlists. The summary has the `most` greatest logits of each row.
    fn step(&mut self, step: Step, rows: &[StepRow], most: usize, logits: &mut dyn DeviceLogits);

    /// As [`StepModel::attention`](metaphrase_base::StepModel::attention).
    fn attention(&self, row: Row) -> &[f32];

    /// As [`StepModel::lacks_memory`](metaphrase_base::StepModel::lacks_memory).
    fn lacks_memory(&self) -> bool;
}

/// The logits of the rows of a call.
pub trait DeviceLogits: Any + Send + Debug {
    /// The summaries of the rows.
    fn summary(&self) -> &Summary;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// Copies the logits of neighbouring rows, `rows × the longest list of words`.
    fn read(&mut self, rows: Range<usize>, out: &mut Matrix);
}

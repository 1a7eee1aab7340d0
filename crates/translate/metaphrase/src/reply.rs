//! The receiver of the answer to a line.

use crate::{Error, Translation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the work for requests that were [submitted](crate::Translator::submit) with it. Clones stop the same work.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A new one; its work is not stopped.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the work: a request that waits is not begun, a search ends before its next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was stopped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The function that gets an answer; it is called once.
pub(crate) type AnswerFn = Box<dyn FnOnce(Result<Translation, Error>) + Send>;

/// A caller that waits for the translation of a line. A reply that is dropped before it is [finished](Self::finish)
/// reports that the work was cancelled or that its thread failed.
pub struct Reply {
    cancel: Cancel,
    answer: Option<AnswerFn>,
}

impl Reply {
    pub(crate) fn new(cancel: Cancel, answer: AnswerFn) -> Self {
        Self { cancel, answer: Some(answer) }
    }

    /// Whether the caller still waits. An engine need not finish other replies.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled()
    }

    /// The switch that stops the work for this reply.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Gives the caller the translation.
    pub fn finish(mut self, translation: Translation) {
        if let Some(answer) = self.answer.take() {
            answer(Ok(translation));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            answer(Err(if self.cancel.is_cancelled() { Error::Cancelled } else { Error::WorkerFailed }));
        }
    }
}

//! Where the answer of a line goes: to its place in a stream, or to a function.

use crate::{Error, Translation};
use metaphrase_base::pipeline::Ticket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the work for requests that were [submitted](crate::Translator::submit) with it. Clones stop the same work.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A new one, which has stopped nothing.
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

/// What is called with an answer, once.
pub(crate) type Answer = Box<dyn FnOnce(Result<Translation, Error>) + Send>;

/// A function that waits for its answer. It is called in any case: when the call is dropped, with the reason.
pub(crate) struct Call {
    cancel: Cancel,
    answer: Option<Answer>,
}

impl Call {
    pub(crate) fn new(cancel: Cancel, answer: Answer) -> Self {
        Self { cancel, answer: Some(answer) }
    }

    /// Drops the function without calling it.
    pub(crate) fn forget(mut self) {
        self.answer = None;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            answer(Err(if self.cancel.is_cancelled() { Error::Cancelled } else { Error::WorkerFailed }));
        }
    }
}

/// Where the answer of a line goes.
pub(crate) enum Reply {
    /// To its place in a stream.
    Ticket(Ticket<Translation>),
    /// To a function.
    Call(Call),
}

impl Reply {
    /// The number of the line in its stream; 0 without a stream.
    pub(crate) fn number(&self) -> usize {
        match self {
            Self::Ticket(ticket) => ticket.number(),
            Self::Call(_) => 0,
        }
    }

    /// Whether somebody waits for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        match self {
            Self::Ticket(ticket) => ticket.is_wanted(),
            Self::Call(call) => !call.cancel.is_cancelled(),
        }
    }

    /// Whether this weight fits into the stream at once.
    pub(crate) fn fits(&self, weight: usize) -> bool {
        match self {
            Self::Ticket(ticket) => ticket.fits(weight),
            Self::Call(_) => true,
        }
    }

    /// Waits until this weight fits into the stream.
    pub(crate) fn weigh(&mut self, weight: usize) {
        if let Self::Ticket(ticket) = self {
            ticket.weigh(weight);
        }
    }

    /// Gives the answer.
    pub(crate) fn finish(self, translation: Translation) {
        match self {
            Self::Ticket(ticket) => ticket.finish(translation),
            Self::Call(mut call) => {
                if let Some(answer) = call.answer.take() {
                    answer(Ok(translation));
                }
            }
        }
    }
}

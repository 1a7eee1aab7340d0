//! The rows of a call.

use metaphrase_base::StepRow;

/// The rows that a call of the model computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRows<'a> {
    pub(super) rows: &'a [StepRow],
    /// The number of the first one in its step.
    pub(super) first: usize,
}

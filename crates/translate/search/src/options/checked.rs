//! Options that were checked.

use super::Options;
use std::sync::Arc;

/// Options that a model can work with; shared by the tasks of a call.
#[derive(Debug, Clone)]
pub struct CheckedOptions(pub(crate) Arc<Options>);

impl CheckedOptions {
    /// T: the most words of a translation, the end of sentence included, for a source of `source_len` words (with its
    /// end of sentence) and a prefix of `prefix_len`.
    #[must_use]
    pub fn limit(&self, source_len: usize, prefix_len: usize) -> usize {
        crate::length::limit(self, source_len, prefix_len)
    }
}

impl core::ops::Deref for CheckedOptions {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.0
    }
}

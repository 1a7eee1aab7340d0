//! Words as numbers, within one sentence and its references.

use std::collections::HashMap;

use crate::pytext;

/// Gives equal words equal numbers, from 0.
#[derive(Default)]
pub(crate) struct Numbering<'a>(HashMap<&'a str, u32>);

impl<'a> Numbering<'a> {
    /// The number of a word.
    pub(crate) fn number(&mut self, word: &'a str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(word).or_insert(next)
    }

    /// The numbers of the words that white space separates.
    pub(crate) fn numbers(&mut self, line: &'a str) -> Vec<u32> {
        pytext::words(line).map(|word| self.number(word)).collect()
    }
}

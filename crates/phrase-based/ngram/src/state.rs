//! The memory of the words before.

use crate::MAX_ORDER;
use core::hash::{Hash, Hasher};

/// The history of a word as far as it matters: the numbers of the longest n-gram at its end that any longer one of the
/// model extends, and of the shorter ones at its end. Histories that all words see alike are equal.
///
/// Numbers mean something only to the model that they are from.
#[derive(Debug, Clone, Copy, Default)]
pub struct State {
    /// `numbers[k]` is that of the last k + 1 words; nothing from `length` on.
    pub(crate) numbers: [u32; MAX_ORDER - 1],
    /// Their log10 back-off weights: a word that is not found after a history needs them at once.
    pub(crate) backoffs: [f32; MAX_ORDER - 1],
    /// How many words matter.
    pub(crate) length: u32,
}

impl State {
    /// How many of the last words matter.
    #[inline]
    #[must_use]
    pub fn length(&self) -> usize {
        self.length as usize
    }

    /// The numbers of the last word, the last two, …
    #[inline]
    pub(crate) fn histories(&self) -> &[u32] {
        &self.numbers[..self.length()]
    }
}

// The longest n-gram implies the shorter ones.

impl PartialEq for State {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.length, self.histories().last()) == (other.length, other.histories().last())
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.length, self.histories().last()).hash(hasher);
    }
}

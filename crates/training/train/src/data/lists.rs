//! Many short lists in one buffer.

use metaphrase_base::WordId;
use std::ops::Range;

/// Lists one after the other in one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Where each list ends.
    ends: Vec<usize>,
}

/// Sentences of word ids. Each ends with the end of sentence.
pub type Sentences = Lists<WordId>;

/// The links of sentence pairs.
pub(super) type Links = Lists<(u32, u32)>;

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Adds a list.
    pub fn push(&mut self, items: &[T]) {
        self.items.extend_from_slice(items);
        self.ends.push(self.items.len());
    }

    /// Adds lists.
    pub(super) fn append(&mut self, other: &Self) {
        let start = self.items.len();
        self.items.extend_from_slice(&other.items);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    /// Gives back storage that is not used.
    pub(super) fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The items of all lists, list after list.
    #[must_use]
    pub fn all(&self) -> &[T] {
        &self.items
    }

    /// Where in [`all`](Self::all) list `i` lies.
    ///
    /// # Panics
    /// If there is no such list.
    #[must_use]
    pub fn range(&self, i: usize) -> Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        start..self.ends[i]
    }

    /// List `i`.
    ///
    /// # Panics
    /// If there is no such list.
    #[must_use]
    pub fn get(&self, i: usize) -> &[T] {
        &self.items[self.range(i)]
    }
}

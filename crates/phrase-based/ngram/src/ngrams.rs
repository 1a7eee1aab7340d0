//! N-grams of one order as lists.

/// All n-grams of one order, with their probabilities and weights. An n-gram that stands here only because a longer one
/// needs it has NaN as its probability until the model is built.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NGrams {
    /// Number of words of each.
    pub(crate) order: usize,
    /// The words of all, one n-gram after the other, oldest word first.
    pub(crate) words: Vec<u32>,
    /// log10 probabilities.
    pub(crate) log10: Vec<f32>,
    /// log10 back-off weights.
    pub(crate) backoff: Vec<f32>,
}

impl NGrams {
    pub(crate) fn new(order: usize) -> Self {
        Self { order, words: Vec::new(), log10: Vec::new(), backoff: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.log10.len()
    }

    pub(crate) fn push(&mut self, words: &[u32], log10: f32, backoff: f32) {
        debug_assert_eq!(words.len(), self.order);
        self.words.extend_from_slice(words);
        self.log10.push(log10);
        self.backoff.push(backoff);
    }

    /// The words of each n-gram.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.words.chunks_exact(self.order)
    }

    pub(crate) fn get(&self, i: usize) -> &[u32] {
        &self.words[i * self.order..(i + 1) * self.order]
    }
}

//! Errors of n-best lists and options.

/// Why no weights can be learnt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Vectors of different lengths.
    #[error(
        "sentence {sentence} has a translation with {found} {what}, expected {expected}; all need the same model and metric"
    )]
    Width {
        /// Counted from 0.
        sentence: usize,
        /// `feature values` or `statistics`.
        what: &'static str,
        /// How many the lists were made for.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A sentence that the lists were not made for.
    #[error("there is no sentence {sentence}, the lists are of {sentences} sentences, counted from 0")]
    Sentence {
        /// Counted from 0.
        sentence: usize,
        /// How many there are.
        sentences: usize,
    },
    /// A value that is not a number, or infinite.
    #[error("{what} {number} of a translation of sentence {sentence} is not finite")]
    NotFinite {
        /// `feature value` or `statistic`.
        what: &'static str,
        /// Its number in the vector, counted from 0.
        number: usize,
        /// Counted from 0.
        sentence: usize,
    },
    /// Nothing to learn from.
    #[error("there is no translation to learn weights from")]
    Empty,
    /// Another number of weights than features.
    #[error("there are {features} features and {weights} weights, expected one weight for each")]
    Weights {
        /// Features of the lists.
        features: usize,
        /// Weights given.
        weights: usize,
    },
}

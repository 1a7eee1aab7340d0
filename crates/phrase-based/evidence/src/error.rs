//! Evidence that can not be used.

/// Why evidence about a sentence can not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvidenceError {
    /// A lattice without a path of a finite score, or an empty n-best list.
    #[error("the evidence has no translation with a finite score")]
    NoTranslation,
    /// A score that is not a number, or infinite.
    #[error("translation {number} of the evidence has the score {score}; expected a finite number")]
    Score {
        /// Counted from 1 within the list.
        number: usize,
        /// The score.
        score: f64,
    },
    /// A graph that takes too much memory or time.
    #[error("the lattice of {edges} arcs is too large to count its n-grams; prune it more")]
    TooLarge {
        /// Its arcs.
        edges: usize,
    },
    /// Posteriors where translations are needed.
    #[error("posteriors do not have the translations themselves; rescoring takes lattices or n-best lists")]
    NoPaths,
    /// Translations in a script without spaces.
    #[error("the evidence is a lattice of text without spaces, which has no written words; give n-best lists")]
    NoSpaces,
    /// Not a line of posteriors.
    #[error("line {line} of the posteriors: expected word numbers, a colon and a probability, found `{found}`")]
    Line {
        /// Counted from 1 within the sentence.
        line: usize,
        /// The line.
        found: String,
    },
    /// A number that is not a probability.
    #[error("line {line} of the posteriors: the posterior is {found}; expected a number from 0 to 1")]
    Probability {
        /// Counted from 1 within the sentence.
        line: usize,
        /// The number.
        found: f64,
    },
    /// A word that the vocabulary lacks.
    #[error("line {line} of the posteriors: word {word} is outside the vocabulary of {words} words")]
    Word {
        /// Counted from 1 within the sentence.
        line: usize,
        /// The number of the word.
        word: u64,
        /// The size of the vocabulary.
        words: usize,
    },
    /// An n-gram that is too long.
    #[error("line {line} of the posteriors: an n-gram of {order} words; expected {} at most", crate::MAX_ORDER)]
    Order {
        /// Counted from 1 within the sentence.
        line: usize,
        /// Its units.
        order: usize,
    },
    /// An n-gram that is there twice.
    #[error("line {line} of the posteriors: the n-gram is there for the second time")]
    Twice {
        /// Counted from 1 within the sentence.
        line: usize,
    },
}

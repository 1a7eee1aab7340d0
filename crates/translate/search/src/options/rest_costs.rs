//! When the search of a sentence with terms uses rest costs.

use metaphrase_base::{Choice, Named};

/// When the words that a hypothesis still needs for its terms count at their rest cost, an estimate that a free search
/// finds first. Then a bank of the beam is for hypotheses that have met the same number of terms, not of words: a beam
/// needs one place for each term instead of one for each word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestCosts {
    /// Where the beam has no more places than the terms have words.
    #[default]
    Narrow,
    /// At any beam size.
    Always,
    /// Never: the search of Post and Vilar 2018.
    Never,
}

impl Choice for RestCosts {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Narrow, "narrow", "where the beam has no more places than the terms have words"),
        Named::new(Self::Always, "always", "at any beam size"),
        Named::new(Self::Never, "never", "the search of Post and Vilar 2018"),
    ];
}

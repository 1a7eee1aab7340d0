//! Options of the search.

use crate::error::Error;
use metaphrase_base::{Choice, Named};

/// When an expansion is given up before its language model score is known (Wuebker et al. 2012, §2.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// Only when it could not survive even if all its words were certain.
    #[default]
    None,
    /// When it can not survive with the score of its first word after the history: no additional search errors.
    FirstWord,
    /// When it would not survive with the score of the phrase alone: fewest look-ups, some additional search errors.
    PhraseOnly,
}

impl Choice for LookAhead {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::None, "none", "Nothing"),
        Named::new(
            Self::FirstWord,
            "first-word",
            "Its first word after the history: the same translations, fewer look-ups",
        ),
        Named::new(Self::PhraseOnly, "phrase-only", "The phrase alone: fewest look-ups, some other translations"),
    ];
}

/// The use of the language model's estimate of a phrase, `q_LME`, before the search (Wuebker et al. 2012, §2.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Presort {
    /// Translation options are chosen and sorted without it.
    None,
    /// They are chosen and sorted with it. A list is left where no option can survive even if all its words were
    /// certain.
    #[default]
    Exact,
    /// They are chosen and sorted with it, and a list is left where no option would survive with its estimate: far
    /// fewer look-ups, some additional search errors.
    Full,
}

impl Choice for Presort {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::None, "none", "Not used"),
        Named::new(Self::Exact, "exact", "Options are chosen and sorted by it"),
        Named::new(
            Self::Full,
            "full",
            "The same, and the rest of a list is left out by it: far fewer look-ups, some other translations",
        ),
    ];
}

/// The translation of a word that the table does not translate by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownWords {
    /// The word is its own translation.
    #[default]
    Copy,
    /// The word has no translation, unless it has digits.
    Drop,
    /// The word is its own translation, and is printed with [`mark`](Self::mark) before it.
    Mark,
}

impl Choice for UnknownWords {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Copy, "copy", "They are passed through"),
        Named::new(Self::Drop, "drop", "They are left out, unless there are digits in them"),
        Named::new(Self::Mark, "mark", "They are passed through with `UNK` before them"),
    ];
}

impl UnknownWords {
    /// The text before an unknown word in a printed translation.
    #[must_use]
    pub fn mark(self) -> &'static str {
        if self == Self::Mark { "UNK" } else { "" }
    }
}

/// Sizes of the search, and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// `N_c`: coverages kept per number of translated source words.
    pub coverages: usize,
    /// `N_l`: hypotheses kept per coverage.
    pub hypotheses: usize,
    /// `N_o`: translation options per source phrase; `None`: all.
    pub options: Option<usize>,
    /// See [`Presort`].
    pub presort: Presort,
    /// See [`LookAhead`].
    pub look_ahead: LookAhead,
    /// How many source words a jump may pass; `None`: any number.
    pub distortion_limit: Option<usize>,
    /// See [`UnknownWords`].
    pub unknown_words: UnknownWords,
    /// Whether recombined hypotheses are kept, for n-best lists and lattices.
    pub keep_recombined: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            coverages: 8,
            hypotheses: 8,
            options: Some(100),
            presort: Presort::default(),
            look_ahead: LookAhead::FirstWord,
            distortion_limit: Some(6),
            unknown_words: UnknownWords::Copy,
            keep_recombined: false,
        }
    }
}

impl SearchOptions {
    /// Whether an expansion is compared with the others by `q_LME`, before its language model score is known.
    pub(crate) fn estimates(&self) -> bool {
        self.presort == Presort::Full || self.look_ahead == LookAhead::PhraseOnly
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let sizes = [self.coverages, self.hypotheses, self.options.unwrap_or(1)];
        if sizes.contains(&0) {
            let sentence = "a search keeps at least 1 coverage, 1 hypothesis and 1 translation option";
            return Err(Error::Options(sentence.into()));
        }
        Ok(())
    }
}

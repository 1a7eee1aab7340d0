//! What a translator is asked and what it answers.

use crate::{Attention, Counts, Met, Terms};

/// One line to translate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The text; without line breaks.
    pub source: String,
    /// Text that every translation of the line starts with; may be empty.
    pub prefix: String,
    /// What translations must and must not contain.
    pub terms: Terms,
    /// The translation to score. With it nothing is searched for.
    pub target: Option<String>,
}

impl Request {
    /// Translate `source`.
    #[must_use]
    pub fn translate(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// Score `target` as a translation of `source`.
    #[must_use]
    pub fn score(source: impl Into<String>, target: impl Into<String>) -> Self {
        Self { source: source.into(), target: Some(target.into()), ..Self::default() }
    }
}

/// What became of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Translation {
    /// Best first; empty only if the model gives no word a probability.
    pub hypotheses: Vec<Hypothesis>,
    /// Numbers of the required terms that the hypotheses lack; otherwise each has all.
    pub missing: Vec<usize>,
    /// How much work the search was.
    pub counts: Counts,
    /// Source pieces, without the end of sentence.
    pub source_pieces: Vec<String>,
    /// What the reader of the translation should know, such as a source cut short; each one sentence.
    pub notes: Vec<String>,
}

impl Translation {
    /// The translation of a line without words, in which no term can appear.
    pub(crate) fn of_nothing(terms: &Terms) -> Self {
        let missing: Vec<usize> = (0..terms.required.len()).collect();
        let notes = if missing.is_empty() { vec![] } else { vec!["constraints are given for an empty line".into()] };
        let nothing = Hypothesis { complete: true, ..Hypothesis::default() };
        Self { hypotheses: vec![nothing], missing, notes, ..Self::default() }
    }

    /// Text of the best hypothesis; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.hypotheses.first().map_or("", |best| &best.text)
    }
}

/// One translation of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hypothesis {
    /// The text.
    pub text: String,
    /// Target pieces, without the end of sentence.
    pub pieces: Vec<String>,
    /// What orders the list: the normalised score.
    pub score: f32,
    /// Sum of log-probabilities, end of sentence included.
    pub log_prob: f32,
    /// Log-probability of each piece, and of the end of sentence if the hypothesis is complete.
    pub piece_log_probs: Vec<f32>,
    /// Whether it ended by itself and was not cut off at the length limit.
    pub complete: bool,
    /// Where the required terms are that it has.
    pub met: Vec<Met>,
    /// What each piece looked at, if that was asked for.
    pub attention: Option<Attention>,
}

//! What a search is told, in one struct.

use crate::Sampling;
use metaphrase_base::{StepModel, WordId};
use std::sync::Arc;

/// How a sentence's search ends; see the two in [`Options::stop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// A finished hypothesis takes its place out of the beam for good; the sentence ends when the beam is
    /// empty. What Marian does.
    #[default]
    Shrink,
    /// The beam is filled up again from the open hypotheses (Iglesias 2018, Algorithm 1, line 16), until the
    /// length limit, or until no open hypothesis can still enter the n-best list.
    Fill,
}

/// The most hypotheses per step and sentence.
const MAX_BEAM: usize = 10_000;

/// Options of a search. The default is Marian's behaviour with beam 6 and scores normalised by length.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Hypotheses kept per step and sentence, B. From 1 to 10,000.
    pub beam_size: usize,
    /// Number of hypotheses in an outcome, at most.
    pub n_best: usize,
    /// Exponent α of the length normalisation `(log P - word_penalty · length) / length^α`; the length counts
    /// the end of sentence. 0: none.
    pub normalize: f32,
    /// Taken from the score for each word, before normalisation.
    pub word_penalty: f32,
    /// The longest hypothesis T of a sentence: this factor times its source length, both with the end of sentence.
    pub max_length_factor: f32,
    /// How a sentence ends.
    pub stop: Stop,
    /// Words that no hypothesis may contain, such as the unknown word. Probabilities are not renormalised.
    pub excluded: Vec<WordId>,
    /// Draw hypotheses instead of searching for the best: `n_best` of them for each sentence.
    pub sampling: Option<Sampling>,
    /// Whether outcomes carry the attention over the source.
    pub attention: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            beam_size: 6,
            n_best: 1,
            normalize: 1.0,
            word_penalty: 0.0,
            max_length_factor: 3.0,
            stop: Stop::Shrink,
            excluded: Vec::new(),
            sampling: None,
            attention: false,
        }
    }
}

/// An option that search can not work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionsError {
    /// A beam or an n-best list of nothing.
    #[error("{option} is 0; it must be at least 1")]
    Zero {
        /// The option's name.
        option: &'static str,
    },
    /// A beam that no memory holds.
    #[error("a beam of {beam_size} is asked for; the widest is {MAX_BEAM}")]
    BeamTooWide {
        /// What was given.
        beam_size: usize,
    },
    /// Not a usable number.
    #[error("{option} is {value}; it must be {expected}")]
    Range {
        /// The option's name.
        option: &'static str,
        /// What was given.
        value: f32,
        /// What would do.
        expected: &'static str,
    },
    /// More hypotheses asked for than the beam can hold.
    #[error("{n_best} best hypotheses asked of a beam of {beam_size}; use a beam of at least {n_best}")]
    NBestOverBeam {
        /// Hypotheses asked for.
        n_best: usize,
        /// The beam.
        beam_size: usize,
    },
    /// The end of sentence can not be excluded.
    #[error("the end-of-sentence word is among the excluded words; no hypothesis could end")]
    EndExcluded,
    /// Attention of a model without attention.
    #[error("alignments were asked of a model that has no attention to show")]
    NoAttention,
}

impl Options {
    /// Refuses what can not work, at all or with this model.
    ///
    /// # Errors
    /// One sentence about the first option that can not work.
    pub fn check<M: StepModel>(self, model: &M) -> Result<CheckedOptions, OptionsError> {
        for (option, value) in [("beam size", self.beam_size), ("n-best size", self.n_best)] {
            if value == 0 {
                return Err(OptionsError::Zero { option });
            }
        }
        // Each place of the beam takes a row of scores, one for each word of the vocabulary.
        if self.beam_size.max(self.n_best) > MAX_BEAM {
            return Err(OptionsError::BeamTooWide { beam_size: self.beam_size.max(self.n_best) });
        }
        let range = |option, value, expected, ok| {
            if ok { Ok(()) } else { Err(OptionsError::Range { option, value, expected }) }
        };
        let (normalize, factor) = (self.normalize, self.max_length_factor);
        let not_negative = normalize >= 0.0 && normalize.is_finite();
        range("length normalisation", normalize, "a number from 0 up", not_negative)?;
        range("word penalty", self.word_penalty, "a finite number", self.word_penalty.is_finite())?;
        range("maximum length factor", factor, "a positive number", factor > 0.0 && factor.is_finite())?;
        if let Some(sampling) = &self.sampling {
            sampling.check()?;
        } else if self.n_best > self.beam_size {
            return Err(OptionsError::NBestOverBeam { n_best: self.n_best, beam_size: self.beam_size });
        }
        if self.excluded.contains(&model.end_of_sentence()) {
            return Err(OptionsError::EndExcluded);
        }
        if self.attention && !model.has_attention() {
            return Err(OptionsError::NoAttention);
        }
        Ok(CheckedOptions(Arc::new(self)))
    }
}

/// Options that a model can work with; shared by the tasks of a call.
#[derive(Debug, Clone)]
pub struct CheckedOptions(Arc<Options>);

impl core::ops::Deref for CheckedOptions {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.0
    }
}

//! The options of a search.

use crate::Sampling;
use crate::characters::ByteWords;
use crate::trellis::MAX_MERGE_WORDS;
use metaphrase_base::{Choice, Named, StepModel, WordId};
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
    /// The beam is filled up again, as with `Fill`, and the sentence ends when as many hypotheses have finished as the beam is
    /// wide, as in CTranslate2: hypotheses that the length limit cuts off have finished, and no hypothesis is empty. Sentences
    /// with terms, and other strategies than [`Strategy::Beam`], end as with `Fill`.
    Collect,
}

impl Choice for Stop {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Shrink, "shrink", "a finished hypothesis leaves its place in the beam empty, as in Marian"),
        Named::new(Self::Fill, "fill", "the beam is filled up again until no open hypothesis can win"),
        Named::new(
            Self::Collect,
            "collect",
            "the beam is filled up again until it has finished as a whole, as in CTranslate2",
        ),
    ];
}

/// The continuations that a step looks at, and the way it chooses among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// All continuations of all open hypotheses; constraints by dynamic beam allocation (Post and Vilar 2018).
    #[default]
    Beam,
    /// As `Beam`, but for a sentence with C words of constraints the beam is C + 1 times as wide: each bank has `beam_size`
    /// places of its own (Hokamp and Liu 2017, as Post and Vilar 2018, §5, simulate it).
    Grid,
    /// Cube pruning (Zhang et al. 2018, §3.4.1, "NCP"): open hypotheses that end with the same words share the scores
    /// of the best of them; the chosen ones get their own scores and states in a second step.
    Cube,
    /// Accelerated cube pruning (§3.4.2, "ACP"): they share the score and the state for good.
    AcceleratedCube,
}

impl Choice for Strategy {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Beam, "beam", "all continuations; constraints by dynamic beam allocation"),
        Named::new(Self::Grid, "grid", "a whole beam for each number of constraints met").or(&["gbs"]),
        Named::new(Self::Cube, "cube", "hypotheses with the same last words share scores until one is chosen")
            .or(&["ncp"]),
        Named::new(Self::AcceleratedCube, "fast-cube", "hypotheses with the same last words share scores and state")
            .or(&["acp"]),
    ];
}

impl Strategy {
    /// Whether hypotheses with the same last word share a row of a step.
    #[must_use]
    pub fn merges(self) -> bool {
        matches!(self, Self::Cube | Self::AcceleratedCube)
    }
}

/// The most hypotheses per step and sentence.
const MAX_BEAM: usize = 10_000;

/// Options of a search. The default is Marian's behaviour with beam 6 and scores normalised by length.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How continuations are looked at and kept.
    pub strategy: Strategy,
    /// Cube pruning lets hypotheses share a row if this number of their last words is the same. The paper has 1, which
    /// merges most; 2 costs less quality. From 1 to 4.
    pub merge_words: usize,
    /// Hypotheses kept per step and sentence, B. From 1 to 10,000.
    pub beam_size: usize,
    /// B of sentences with terms that must appear; `None`: the same B.
    pub beam_size_constrained: Option<usize>,
    /// Number of hypotheses in an outcome, at most.
    pub n_best: usize,
    /// Exponent α of the length normalisation `(log P - word_penalty · length) / length^α`; the length counts
    /// the end of sentence. 0: none.
    pub normalize: f32,
    /// α of sentences with terms that must appear; `None`: α / (1 + n²) for terms of n written words. Normalisation by
    /// length rewards words that are put behind a finished translation only to meet a constraint, the more words the more.
    pub normalize_constrained: Option<f32>,
    /// Subtracted from the score for each word, before normalisation.
    pub word_penalty: f32,
    /// The longest hypothesis T of a sentence: this factor times its source length, both with the end of sentence.
    pub max_length_factor: f32,
    /// The most words of a hypothesis, the end of sentence included, whatever the factor says; a given prefix fits in any case.
    pub max_target_length: usize,
    /// How a sentence ends.
    pub stop: Stop,
    /// Whether hypotheses that end take no place in the beam: a step keeps `beam_size` open hypotheses and, beside them, the ends
    /// that are better than the worst of them (Iglesias et al. 2018, §3, remark 4). It goes with [`Stop::Fill`]. On sentences with
    /// terms that must appear ends take places, as these are divided among the terms.
    pub ends_beside: bool,
    /// Relative beam width: a hypothesis is dropped if it is less probable than the best one of the step times this width
    /// (Iglesias 2018, §4.3: 0.01). With constraints, the best one that has met as many. From 0, which drops nothing, to 1.
    pub beam_width: f32,
    /// Hypotheses whose log-probability is this much below that of the best finished one are dropped (Post and Vilar
    /// 2018, §4). `None`: 20 for sentences with constraints, otherwise nothing is dropped. With constraints and
    /// rest costs a finite threshold also drops hypotheses that can not win any more, unless the words that they still need
    /// become cheaper than they have been so far.
    pub prune_threshold: Option<f32>,
    /// Whether the words that a hypothesis still needs for its terms count at their rest cost: an estimate by which hopeless
    /// hypotheses are dropped, and by which narrow beams are ranked. `false`: as in Post and Vilar 2018.
    pub rest_costs: bool,
    /// A sentence ends when its n-best list is full and the log-probability of the best open hypothesis is this much
    /// below that of the best finished one (Devlin 2017, §3: δ = 3). Infinite: never.
    pub stop_margin: f32,
    /// No sequence of this many words stands twice in a hypothesis, except where the given prefix or a term that must appear brings
    /// it again; 0: any may. A search that may not repeat itself can not be caught in a loop.
    pub no_repeat_ngram_size: usize,
    /// Words that no hypothesis may contain, such as the unknown word. Probabilities are not renormalised.
    pub excluded: Vec<WordId>,
    /// The words that stand for single bytes. A hypothesis says whole characters of them, as far as the model gives it any choice; where there
    /// are none, words may follow each other in any order.
    pub bytes: ByteWords,
    /// Draw hypotheses instead of searching for the best: `n_best` of them for each sentence.
    pub sampling: Option<Sampling>,
    /// Whether outcomes carry the attention over the source.
    pub attention: bool,
    /// Whether outcomes carry all hypotheses that the search kept at some step: [`Outcome::explored`](crate::Outcome::explored).
    pub explored: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::Beam,
            merge_words: 2,
            beam_size: 6,
            beam_size_constrained: None,
            n_best: 1,
            normalize: 1.0,
            normalize_constrained: None,
            word_penalty: 0.0,
            max_length_factor: 3.0,
            max_target_length: usize::MAX,
            stop: Stop::Shrink,
            ends_beside: false,
            beam_width: 0.0,
            prune_threshold: None,
            rest_costs: true,
            stop_margin: f32::INFINITY,
            no_repeat_ngram_size: 0,
            excluded: Vec::new(),
            bytes: ByteWords::default(),
            sampling: None,
            attention: false,
            explored: false,
        }
    }
}

/// An option that search can not work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionsError {
    /// An option that must be at least 1 is 0.
    #[error("{option} is 0; it must be at least 1")]
    Zero {
        /// The option's name.
        option: &'static str,
    },
    /// The beam is too wide for memory.
    #[error("a beam of {beam_size} is asked for; the widest is {MAX_BEAM}")]
    BeamTooWide {
        /// The given value.
        beam_size: usize,
    },
    /// More last words than cube pruning looks at.
    #[error("cube pruning is to look at {words} last words; it looks at {MAX_MERGE_WORDS} at most")]
    MergeWords {
        /// The given value.
        words: usize,
    },
    /// A number out of range.
    #[error("{option} is {value}; it must be {expected}")]
    Range {
        /// The option's name.
        option: &'static str,
        /// The given value.
        value: f32,
        /// The values that are allowed.
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
    /// With `Shrink` each end takes a place for good.
    #[error("ends of sentence are kept beside the beam only where the beam is filled up again; add --stop fill")]
    EndsBeside,
    /// Draws are made one by one: no beam can be pruned or divided.
    #[error("sampling goes with neither {with}; use --strategy beam without it, or do not sample")]
    Sampling {
        /// The option that does not go with sampling.
        with: &'static str,
    },
    /// Attention of a model without attention.
    #[error("alignments were asked of a model that has no attention to show")]
    NoAttention,
}

impl Options {
    /// Refuses options that can not work, at all or with this model.
    ///
    /// # Errors
    /// One sentence about the first option that can not work.
    pub fn check<M: StepModel>(self, model: &M) -> Result<CheckedOptions, OptionsError> {
        let constrained = ("beam size with constraints", self.beam_size_constrained.unwrap_or(self.beam_size));
        let merged = ("number of last words that cube pruning looks at", self.merge_words);
        let longest = ("maximum target length", self.max_target_length);
        let beam = ("beam size", self.beam_size);
        for (option, value) in [beam, constrained, ("n-best size", self.n_best), merged, longest] {
            if value == 0 {
                return Err(OptionsError::Zero { option });
            }
        }
        if self.merge_words > MAX_MERGE_WORDS {
            return Err(OptionsError::MergeWords { words: self.merge_words });
        }
        // Each place of the beam takes a row of scores, one for each word of the vocabulary.
        let widest = self.beam_size.max(constrained.1).max(self.n_best);
        if widest > MAX_BEAM {
            return Err(OptionsError::BeamTooWide { beam_size: widest });
        }
        let range = |option, value, expected, ok| {
            if ok { Ok(()) } else { Err(OptionsError::Range { option, value, expected }) }
        };
        let (normalize, factor) = (self.normalize, self.max_length_factor);
        let not_negative = normalize >= 0.0 && normalize.is_finite();
        range("length normalisation", normalize, "a number from 0 up", not_negative)?;
        let alpha = self.normalize_constrained.unwrap_or(0.0);
        let not_negative = alpha >= 0.0 && alpha.is_finite();
        range("length normalisation with constraints", alpha, "a number from 0 up", not_negative)?;
        // Times the length of a hypothesis it is finite.
        let penalty = (-1e6..=1e6).contains(&self.word_penalty);
        range("word penalty", self.word_penalty, "a number from -1000000 to 1000000", penalty)?;
        range("maximum length factor", factor, "a positive number", factor > 0.0 && factor.is_finite())?;
        range("relative beam width", self.beam_width, "from 0 to 1", (0.0..=1.0).contains(&self.beam_width))?;
        let threshold = self.prune_threshold.unwrap_or(0.0);
        range("pruning threshold", threshold, "a number from 0 up", threshold >= 0.0)?;
        range("stopping margin", self.stop_margin, "a number from 0 up", self.stop_margin >= 0.0)?;
        if let Some(sampling) = &self.sampling {
            sampling.check()?;
            if self.strategy != Strategy::Beam {
                return Err(OptionsError::Sampling { with: "grid beam search nor cube pruning" });
            }
        } else if self.n_best > self.beam_size.min(constrained.1) {
            let beam_size = self.beam_size.min(constrained.1);
            return Err(OptionsError::NBestOverBeam { n_best: self.n_best, beam_size });
        }
        if self.ends_beside && self.stop != Stop::Fill {
            return Err(OptionsError::EndsBeside);
        }
        if self.excluded.contains(&model.facts().end_of_sentence) {
            return Err(OptionsError::EndExcluded);
        }
        if self.attention && !model.facts().attention {
            return Err(OptionsError::NoAttention);
        }
        Ok(CheckedOptions(Arc::new(self)))
    }
}

/// Options that a model can work with; shared by the tasks of a call.
#[derive(Debug, Clone)]
pub struct CheckedOptions(pub(crate) Arc<Options>);

impl CheckedOptions {
    /// T: the most words of a translation, the end of sentence included, for a source of `source_len` words (with its
    /// end of sentence) and a prefix of `prefix_len`.
    #[must_use]
    pub fn limit(&self, source_len: usize, prefix_len: usize) -> usize {
        crate::length::limit(self, source_len, prefix_len)
    }
}

impl core::ops::Deref for CheckedOptions {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.0
    }
}

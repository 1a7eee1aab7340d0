//! The input and the output of a search.

use crate::{CheckedOptions, Constraints};
use metaphrase_base::{SentenceScorer, Shortlist, WordId};
use std::sync::Arc;

/// One sentence to search for.
#[derive(Debug, Clone)]
pub struct Task<T> {
    /// The caller's tag, which the outcome returns.
    pub tag: T,
    /// Source words, end of sentence included. Not empty.
    pub source: Vec<WordId>,
    /// Words that every hypothesis starts with. They may end with the end of sentence: then the task is to score a
    /// given translation.
    pub prefix: Vec<WordId>,
    /// The number of words at the start of the prefix that name the language of the translation: they carry no score,
    /// and hypotheses come without them.
    pub language_words: usize,
    /// Words and phrases that translations must, or must not, contain.
    pub constraints: Option<Constraints>,
    /// The words that may translate the sentence; `None`: all words. The words of the prefix, of the constraints and of
    /// the scorer, and the end of sentence, may do so in any case.
    pub shortlist: Option<Shortlist>,
    /// Adds to the scores of the words, if the model is an [`Informed`](crate::Informed) one.
    pub scorer: Option<Arc<dyn SentenceScorer>>,
    /// How to search.
    pub options: CheckedOptions,
    /// The seed of the draws of this sentence, when sampling.
    pub seed: u64,
}

impl<T> Task<T> {
    /// Translate `source` freely.
    #[must_use]
    pub fn new(tag: T, source: Vec<WordId>, options: &CheckedOptions) -> Self {
        let (prefix, constraints, shortlist, scorer) = (Vec::new(), None, None, None);
        let language_words = 0;
        Self { tag, source, prefix, language_words, constraints, shortlist, scorer, options: options.clone(), seed: 0 }
    }

    /// The tag, and the task without it.
    pub(crate) fn into_parts(self) -> (T, Task<()>) {
        let Self { tag, source, prefix, language_words, constraints, shortlist, scorer, options, seed } = self;
        (tag, Task { tag: (), source, prefix, language_words, constraints, shortlist, scorer, options, seed })
    }

    /// Adds to the shortlist the words that the task itself needs.
    pub(crate) fn complete_shortlist(&mut self, end: WordId) {
        if let Some(shortlist) = &mut self.shortlist {
            let constraint_words = self.constraints.iter().flat_map(Constraints::all_words);
            let scorer_words = self.scorer.iter().flat_map(|scorer| scorer.words());
            let needed = self.prefix.iter().chain(constraint_words).chain(scorer_words).copied();
            *shortlist = shortlist.with(needed.chain([end]));
        }
    }
}

/// A translation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Target words without the end of sentence.
    pub words: Vec<WordId>,
    /// Whether it ended with the end of sentence; otherwise the length limit cut it off.
    pub complete: bool,
    /// The normalised score, which orders the list.
    pub score: f32,
    /// Sum of the log-probabilities of its words, end of sentence included.
    pub log_prob: f32,
    /// Log-probability of each word, and of the end of sentence if it is complete.
    pub word_log_probs: Vec<f32>,
    /// Attention when each of these words was chosen, `word_log_probs.len() × source length`, row-major. Empty unless
    /// the options request it.
    pub attention: Vec<f32>,
}

impl Hypothesis {
    /// The hypothesis without its first words; `source_len` is the width of its attention.
    pub(crate) fn without_first(mut self, words: usize, source_len: usize) -> Self {
        if words > 0 {
            self.words.drain(..words.min(self.words.len()));
            self.word_log_probs.drain(..words.min(self.word_log_probs.len()));
            self.attention.drain(..(words * source_len).min(self.attention.len()));
        }
        self
    }
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<T> {
    /// The tag of the task.
    pub tag: T,
    /// Length of the source, the end of sentence included: the width of [`Hypothesis::attention`].
    pub source_len: usize,
    /// Best first, never more than `n_best`; empty only if the model gives no word a probability, or if its device has
    /// no room for the sentence. Either all hypotheses meet all constraints or, where the length limit came first, none
    /// does: then the list has those that lack least.
    pub hypotheses: Vec<Hypothesis>,
    /// All hypotheses that the search kept at some step, each after its parent. Empty unless the options request them.
    pub explored: Vec<Explored>,
    /// The work of the search.
    pub counts: Counts,
}

/// A hypothesis that a search kept at some step: the beginning of translations, or a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explored {
    /// The place of the hypothesis that it continues by one word; `None`: it has this word alone.
    pub parent: Option<usize>,
    /// Its last word; the end of sentence is a word.
    pub word: WordId,
    /// Sum of the log-probabilities of its words.
    pub log_prob: f32,
    /// Whether it is a translation: it ended, or the length limit cut it off and it is a result.
    pub ended: bool,
    /// Whether it is the first of the outcome's list.
    pub best: bool,
}

/// The work of a search. Counts of several sentences can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Steps in time.
    pub steps: usize,
    /// Open hypotheses that steps continued (N_w of Zhang et al. 2018, eq. 15).
    pub hypotheses: usize,
    /// Groups of them that shared scores (N_c); the average merging rate is `hypotheses / groups`.
    pub groups: usize,
    /// Rows that the model computed: one per group, and one per hypothesis that cube pruning scores again.
    pub rows: usize,
}

impl core::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.hypotheses += other.hypotheses;
        self.groups += other.groups;
        self.rows += other.rows;
    }
}

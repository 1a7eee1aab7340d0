//! Translation options, scored for a search: all that an expansion needs, in one place.

use crate::index::{Index, finish, mix};
use crate::model::PhraseModel;
use crate::options::{LookAhead, SearchOptions};
use crate::table::PairId;
use crate::translation::Target;
use metaphrase_base::WordId;
use std::f32::consts::LN_10;
use std::ops::Range;

/// A translation option of a source phrase. Scores are weighted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Of the phrase itself and of its orientation to the previous one: monotone, swap, discontinuous.
    pub(crate) score: [f32; 3],
    /// `q_LME`: of the language model, the words taken as a sentence without its ends.
    pub(crate) estimate: f32,
    /// No option from this one to the end of the list has a better `score` (with phrase-only look-ahead: score and
    /// estimate).
    pub(crate) bound: f32,
    /// Number of its forward reordering weights: equal weights have equal numbers.
    pub(crate) forward: u32,
    /// The first word, for the language model.
    pub(crate) first: WordId,
    /// Where its words are: in the model's `lm_targets`, or in those of the sentence.
    pub(crate) words: u32,
    /// How many.
    pub(crate) len: u32,
    /// What it is.
    pub(crate) target: Target,
}

impl Candidate {
    /// Where its words are.
    pub(crate) fn word_range(&self) -> Range<usize> {
        self.words as usize..(self.words + self.len) as usize
    }

    /// What options are sorted by.
    fn rank(&self, presort: bool) -> f32 {
        let phrase = self.score[0].max(self.score[1]).max(self.score[2]);
        if presort { phrase + self.estimate } else { phrase }
    }
}

/// The options of a source phrase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The best score of one, estimate included.
    pub(crate) best: f32,
}

impl Choice {
    pub(crate) const NONE: Self = Self { start: 0, end: 0, best: f32::NEG_INFINITY };

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The options of all source phrases of a table, sorted and cut to the best `N_o` of each.
#[derive(Debug)]
pub(crate) struct Candidates {
    list: Vec<Candidate>,
    /// By node of the trie of source phrases.
    choices: Vec<Choice>,
    /// Weighted forward reordering scores; the first are zeros.
    forward: Vec<[f32; 3]>,
}

impl Candidates {
    /// Scores the options of a model.
    pub(crate) fn new(model: &PhraseModel, options: &SearchOptions) -> Self {
        let table = model.table();
        let (mut list, mut forwards) = (Vec::new(), Forwards::default());
        let mut choices = Vec::with_capacity(table.node_count());
        for pairs in table.nodes().map(|node| table.pairs_of(node)) {
            let start = list.len();
            list.extend(pairs.map(|pair| of_pair(model, PairId(pair as u32), &mut forwards)));
            let best = sort(&mut list[start..], options);
            list.truncate(start + options.options.unwrap_or(usize::MAX).min(list.len() - start));
            set_bounds(&mut list[start..], options);
            // At most as many as there are pairs, which a u32 counts.
            choices.push(Choice { start: start as u32, end: list.len() as u32, best });
        }
        Self { list, choices, forward: forwards.weights }
    }

    /// The options of a source phrase.
    pub(crate) fn choice(&self, node: crate::table::SourceNode) -> Choice {
        self.choices[node.index()]
    }

    /// All options.
    pub(crate) fn list(&self) -> &[Candidate] {
        &self.list
    }

    /// Forward reordering weights by number and orientation.
    pub(crate) fn forward(&self) -> &[[f32; 3]] {
        &self.forward
    }
}

/// An option that the table does not have: a word passed through or dropped, or one that came with the sentence.
/// `phrase` is its score without the penalty of its words, which begin at `start`.
pub(crate) fn own(model: &PhraseModel, target: Target, phrase: f32, start: usize, words: &[WordId]) -> Candidate {
    let weights = &model.weights;
    let score = phrase + weights.phrase_penalty - weights.word_penalty * words.len() as f32;
    let language_model = model.language_model();
    let (mut log10, mut state) = (0.0, language_model.null());
    for &word in words {
        let (word, next) = language_model.score(&state, word);
        (log10, state) = (log10 + word, next);
    }
    Candidate {
        score: [score; 3],
        estimate: estimate(model, log10),
        bound: 0.0,
        forward: 0,
        // Nobody asks for that of an option without words.
        first: words.first().copied().unwrap_or_default(),
        words: start as u32,
        len: words.len() as u32,
        target,
    }
}

/// Sorts the options from `start` on; they become those of a span.
pub(crate) fn choice(list: &mut [Candidate], start: usize, options: &SearchOptions) -> Choice {
    let best = sort(&mut list[start..], options);
    set_bounds(&mut list[start..], options);
    Choice { start: start as u32, end: list.len() as u32, best }
}

fn of_pair(model: &PhraseModel, pair: PairId, forwards: &mut Forwards) -> Candidate {
    let (weights, table) = (&model.weights, model.table());
    let words = table.target_range(pair.index());
    let translation = table.scores(pair).iter().zip(&weights.translation).map(|(score, weight)| score * weight);
    let phrase = translation.sum::<f32>() + weights.phrase_penalty - weights.word_penalty * words.len() as f32;
    let reordering: Vec<f32> =
        table.reordering(pair).iter().zip(weights.reordering).map(|(score, weight)| score * weight).collect();
    Candidate {
        score: [0, 1, 2].map(|orientation| phrase + reordering[orientation]),
        estimate: estimate(model, model.lm_suffixes()[words.start]),
        bound: 0.0,
        forward: forwards.number([3, 4, 5].map(|orientation| reordering[orientation])),
        first: model.lm_targets()[words.start],
        // Both fit: the table keeps them as u32.
        words: words.start as u32,
        len: words.len() as u32,
        target: Target::Pair(pair),
    }
}

/// `q_LME`, weighted: of the words of a phrase, taken as a sentence without its ends.
fn estimate(model: &PhraseModel, log10: f32) -> f32 {
    log10 * LN_10 * model.weights.language_model
}

/// Sorts options, the best first, and gives the best rest cost.
fn sort(list: &mut [Candidate], options: &SearchOptions) -> f32 {
    // Stable: equal ones stay in the order of the table.
    list.sort_by(|a, b| b.rank(options.presort).total_cmp(&a.rank(options.presort)));
    list.iter().map(|candidate| candidate.rank(true)).fold(f32::NEG_INFINITY, f32::max)
}

fn set_bounds(list: &mut [Candidate], options: &SearchOptions) {
    let with_estimate = options.look_ahead == LookAhead::PhraseOnly;
    let mut bound = f32::NEG_INFINITY;
    for candidate in list.iter_mut().rev() {
        bound = bound.max(candidate.rank(with_estimate));
        candidate.bound = bound;
    }
}

/// Numbers forward reordering weights, so that hypotheses with equal ones recombine.
struct Forwards {
    weights: Vec<[f32; 3]>,
    index: Index,
}

impl Default for Forwards {
    fn default() -> Self {
        let mut forwards = Self { weights: Vec::new(), index: Index::default() };
        forwards.number([0.0; 3]);
        forwards
    }
}

impl Forwards {
    fn number(&mut self, weights: [f32; 3]) -> u32 {
        let hash = finish(weights.iter().fold(0, |hash, weight| mix(hash, u64::from((weight + 0.0).to_bits()))));
        if let Some(number) = self.index.find(hash, |number| self.weights[number as usize] == weights) {
            return number;
        }
        let number = self.weights.len() as u32;
        self.weights.push(weights);
        self.index.insert(hash, number);
        number
    }
}

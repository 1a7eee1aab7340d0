//! Translation options, scored for a search: all that an expansion needs, in one place.

use crate::index::{Index, finish, mix};
use crate::model::PhraseModel;
use crate::options::{Presort, SearchOptions};
use crate::table::{PairId, SourceNode};
use crate::translation::Target;
use metaphrase_base::WordId;
use metaphrase_ngram::State;
use std::f32::consts::LN_10;
use std::ops::Range;

/// A translation option of a source phrase. Scores are weighted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// The score of the phrase and of its orientation to the previous one: monotone, swap, discontinuous.
    pub(crate) score: [f32; 3],
    /// `q_LME`: the language model's score of the words as a sentence without its ends.
    pub(crate) estimate: f32,
    /// No option from this one to the end of the list has a better `score` (with full pre-sorting, and with phrase-only
    /// look-ahead: score and estimate).
    pub(crate) bound: f32,
    /// Number of its forward reordering weights: equal weights have equal numbers.
    pub(crate) forward: u32,
    /// The first word, for the language model.
    pub(crate) first: WordId,
    /// Where its words are in [`Candidates`].
    words: u32,
    /// The number of its words.
    pub(crate) len: u32,
    /// Where the state after its words is in [`Candidates`].
    state: u32,
    /// The target phrase.
    pub(crate) target: Target,
}

impl Candidate {
    /// The number by which options are sorted.
    fn rank(&self, presort: bool) -> f32 {
        rank(self.score, self.estimate, presort)
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

/// Scored options, and the words that they point to.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    list: Vec<Candidate>,
    /// The words of their phrases, for the language model.
    words: Vec<WordId>,
    /// For each of the words: log10 probability of it and the words after it in its phrase, given the words before it
    /// in its phrase.
    suffixes: Vec<f32>,
    /// The language model state after each phrase alone.
    states: Vec<State>,
    forwards: Forwards,
    pairs: Pairs,
}

impl Candidates {
    /// Forgets all, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.words.clear();
        self.suffixes.clear();
        self.states.clear();
        self.forwards.clear();
    }

    /// Adds the options of the table for a source phrase, sorted and cut to the best `N_o`.
    pub(crate) fn add_pairs(&mut self, model: &PhraseModel, node: SourceNode, options: &SearchOptions) -> Choice {
        let (start, mut pairs) = (self.list.len(), std::mem::take(&mut self.pairs));
        pairs.score(model, node);
        let best = pairs.sort(options.presort != Presort::None);
        for &(_, number) in pairs.order.iter().take(options.options.unwrap_or(usize::MAX)) {
            let ScoredPair { pair, score, forward, words, state, .. } = &pairs.list[number as usize];
            self.words.extend_from_slice(&pairs.words[words.clone()]);
            self.suffixes.extend_from_slice(&pairs.suffixes[words.clone()]);
            let forward = self.forwards.number(*forward);
            self.push(model, Target::Pair(*pair), *score, forward, words.len(), *state);
        }
        self.pairs = pairs;
        self.end(start, best, options)
    }

    /// Adds an option that the table does not have: a word passed through or dropped, or one that came with the
    /// sentence.
    pub(crate) fn add_own(&mut self, model: &PhraseModel, target: Target, score: f32, words: &[&str]) {
        let start = self.words.len();
        self.words.extend(model.lm_ids(words));
        let state = score_words(model, &self.words[start..], &mut self.suffixes);
        let score = score + penalties(model, words.len());
        self.push(model, target, [score; 3], 0, words.len(), state);
    }

    /// Adds an option whose `len` words and their suffixes are there already; `score` is by orientation.
    fn push(&mut self, model: &PhraseModel, target: Target, score: [f32; 3], forward: u32, len: usize, state: State) {
        let start = self.words.len() - len;
        let log10 = self.suffixes.get(start).copied().unwrap_or_default();
        self.list.push(Candidate {
            score,
            estimate: estimate(model, log10),
            bound: 0.0,
            forward,
            // Nobody asks for that of an option without words.
            first: self.words.get(start).copied().unwrap_or_default(),
            words: u32::try_from(start).expect("2^32 words of options are more than memory holds"),
            len: len as u32,
            state: self.states.len() as u32,
            target,
        });
        self.states.push(state);
    }

    /// Sorts the options from `start` on, and keeps the best `N_o`; they become those of a span.
    pub(crate) fn choose(&mut self, start: usize, options: &SearchOptions) -> Choice {
        let presort = options.presort != Presort::None;
        // Stable: equal ones stay in their order.
        self.list[start..].sort_by(|a, b| b.rank(presort).total_cmp(&a.rank(presort)));
        let best = self.list[start..].iter().map(|candidate| candidate.rank(true)).fold(f32::NEG_INFINITY, f32::max);
        self.list.truncate(start + options.options.unwrap_or(usize::MAX).min(self.list.len() - start));
        self.end(start, best, options)
    }

    /// Ends the list of a source phrase.
    fn end(&mut self, start: usize, best: f32, options: &SearchOptions) -> Choice {
        set_bounds(&mut self.list[start..], options);
        Choice { start: start as u32, end: self.list.len() as u32, best }
    }

    /// All options.
    pub(crate) fn list(&self) -> &[Candidate] {
        &self.list
    }

    /// Forward reordering weights by number and orientation.
    pub(crate) fn forward(&self) -> &[[f32; 3]] {
        &self.forwards.weights
    }

    /// The words of an option.
    pub(crate) fn words(&self, candidate: &Candidate) -> &[WordId] {
        &self.words[candidate.words as usize..][..candidate.len as usize]
    }

    /// log10 probability of an option's words from number `first` on, after those before it in the phrase.
    pub(crate) fn suffix(&self, candidate: &Candidate, first: usize) -> f32 {
        self.suffixes[candidate.words as usize + first]
    }

    /// The language model state after an option's words alone.
    pub(crate) fn state(&self, candidate: &Candidate) -> &State {
        &self.states[candidate.state as usize]
    }
}

/// The options of all source phrases of a table.
#[derive(Debug)]
pub(crate) struct TableOptions {
    pub(crate) candidates: Candidates,
    /// By node of the trie of source phrases.
    choices: Vec<Choice>,
}

impl TableOptions {
    /// Scores the options of a model.
    pub(crate) fn new(model: &PhraseModel, options: &SearchOptions) -> Self {
        let mut candidates = Candidates::default();
        let choices = model.table().nodes().map(|node| candidates.add_pairs(model, node, options)).collect();
        Self { candidates, choices }
    }

    /// The options of a source phrase.
    pub(crate) fn choice(&self, node: SourceNode) -> Choice {
        self.choices[node.index()]
    }
}

/// The pairs of a source phrase, before the best are chosen. Its memory is used again.
#[derive(Debug, Default)]
struct Pairs {
    list: Vec<ScoredPair>,
    words: Vec<WordId>,
    suffixes: Vec<f32>,
    /// Ranks and places in the list, the best first.
    order: Vec<(f32, u32)>,
}

#[derive(Debug)]
struct ScoredPair {
    pair: PairId,
    /// As in [`Candidate`].
    score: [f32; 3],
    /// Its forward reordering weights.
    forward: [f32; 3],
    /// Where its words and their suffixes are in [`Pairs`].
    words: Range<usize>,
    estimate: f32,
    state: State,
}

impl Pairs {
    /// Scores the pairs of a source phrase. They are far apart in memory, with their words and n-grams: each loop asks
    /// for one thing of all pairs, so that the processor waits for many of them at once.
    fn score(&mut self, model: &PhraseModel, node: SourceNode) {
        let Self { list, words, suffixes, .. } = self;
        let table = model.table();
        list.clear();
        words.clear();
        suffixes.clear();
        list.extend(table.pairs_of(node).map(|pair| {
            let (pair, state) = (PairId(pair as u32), State::default());
            ScoredPair {
                pair,
                score: [0.0; 3],
                forward: [0.0; 3],
                words: table.target_range(pair),
                estimate: 0.0,
                state,
            }
        }));
        for ScoredPair { words: range, .. } in &mut *list {
            let start = words.len();
            words.extend(table.target_words(range.clone()).map(|word| model.lm_id(word)));
            *range = start..words.len();
        }
        for ScoredPair { pair, score, forward, words, .. } in &mut *list {
            let weights = &model.weights;
            let phrase =
                table.scores(*pair).zip(&weights.translation).map(|(score, weight)| score * weight).sum::<f32>();
            let mut reordering = table.reordering(*pair);
            reordering.iter_mut().zip(weights.reordering).for_each(|(score, weight)| *score *= weight);
            let [bm, bs, bd, fm, fs, fd] = reordering;
            let penalties = penalties(model, words.len());
            (*score, *forward) = ([bm, bs, bd].map(|backward| phrase + backward + penalties), [fm, fs, fd]);
        }
        for ScoredPair { words: range, estimate: log, state, .. } in &mut *list {
            *state = score_words(model, &words[range.clone()], suffixes);
            *log = estimate(model, suffixes.get(range.start).copied().unwrap_or_default());
        }
    }

    /// Sorts the pairs by rank, and gives the best score with its estimate.
    fn sort(&mut self, presort: bool) -> f32 {
        let Self { list, order, .. } = self;
        let mut best = f32::NEG_INFINITY;
        order.clear();
        order.extend((0..).zip(&*list).map(|(number, ScoredPair { score, estimate, .. })| {
            best = best.max(rank(*score, *estimate, true));
            (rank(*score, *estimate, presort), number)
        }));
        // Stable: equal ones stay in the order of the table.
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        best
    }
}

/// Appends the suffixes of a phrase's words, and gives the language model state after the phrase alone.
fn score_words(model: &PhraseModel, words: &[WordId], suffixes: &mut Vec<f32>) -> State {
    let start = suffixes.len();
    let mut state = model.language_model().null();
    for &word in words {
        let (log10, next) = model.language_model().score(&state, word);
        suffixes.push(log10);
        state = next;
    }
    for i in (start + 1..suffixes.len()).rev() {
        suffixes[i - 1] += suffixes[i];
    }
    state
}

/// Phrase and word penalty of a phrase of `words` words.
fn penalties(model: &PhraseModel, words: usize) -> f32 {
    model.weights.phrase_penalty - model.weights.word_penalty * words as f32
}

/// The best score of an option, with its estimate where options are sorted by it.
fn rank([monotone, swap, discontinuous]: [f32; 3], estimate: f32, presort: bool) -> f32 {
    let phrase = monotone.max(swap).max(discontinuous);
    if presort { phrase + estimate } else { phrase }
}

/// `q_LME`, weighted: of the words of a phrase, taken as a sentence without its ends.
fn estimate(model: &PhraseModel, log10: f32) -> f32 {
    log10 * LN_10 * model.weights.language_model
}

fn set_bounds(list: &mut [Candidate], options: &SearchOptions) {
    let mut bound = f32::NEG_INFINITY;
    for candidate in list.iter_mut().rev() {
        bound = bound.max(candidate.rank(options.estimates()));
        candidate.bound = bound;
    }
}

/// Numbers forward reordering weights, so that hypotheses with equal ones recombine. Zeros have number 0.
#[derive(Debug)]
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
    fn clear(&mut self) {
        self.weights.clear();
        self.index.clear();
        self.number([0.0; 3]);
    }

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

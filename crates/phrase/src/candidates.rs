//! Translation options, scored for a search: all that an expansion needs, in one place.

use crate::index::{Index, finish, mix};
use crate::model::PhraseModel;
use crate::options::{LookAhead, Presort, SearchOptions};
use crate::table::{PairId, SourceNode};
use crate::translation::Target;
use metaphrase_base::WordId;
use metaphrase_ngram::State;
use std::f32::consts::LN_10;
use std::ops::Range;

/// A translation option of a source phrase. Scores are weighted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Of the phrase itself and of its orientation to the previous one: monotone, swap, discontinuous.
    pub(crate) score: [f32; 3],
    /// `q_LME`: of the language model, the words taken as a sentence without its ends.
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

/// Scored options, and the words that they point to.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    list: Vec<Candidate>,
    /// The words of their phrases, for the language model.
    words: Vec<WordId>,
    /// Beside the words: log10 probability of a word and those behind it in its phrase, after those before it in its phrase.
    suffixes: Vec<f32>,
    /// The language model state after each phrase alone.
    states: Vec<State>,
    forwards: Forwards,
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
        let start = self.list.len();
        for pair in model.table().pairs_of(node) {
            self.add_pair(model, PairId(pair as u32));
        }
        self.choose(start, options)
    }

    fn add_pair(&mut self, model: &PhraseModel, pair: PairId) {
        let (weights, table) = (&model.weights, model.table());
        let phrase = table.scores(pair).zip(&weights.translation).map(|(score, weight)| score * weight).sum::<f32>();
        let mut reordering = table.reordering(pair);
        reordering.iter_mut().zip(weights.reordering).for_each(|(score, weight)| *score *= weight);
        let [bm, bs, bd, fm, fs, fd] = reordering;
        let scores = [bm, bs, bd].map(|backward| phrase + backward);
        let forward = self.forwards.number([fm, fs, fd]);
        self.add(model, Target::Pair(pair), scores, forward, table.target(pair).map(|word| model.lm_id(word)));
    }

    /// Adds an option that the table does not have: a word passed through or dropped, or one that came with the sentence.
    pub(crate) fn add_own(&mut self, model: &PhraseModel, target: Target, score: f32, words: &[&str]) {
        self.add(model, target, [score; 3], 0, model.lm_ids(words));
    }

    /// `scores` are those by orientation, without the penalties of the words and the phrase.
    fn add(
        &mut self,
        model: &PhraseModel,
        target: Target,
        scores: [f32; 3],
        forward: u32,
        words: impl Iterator<Item = WordId>,
    ) {
        let start = self.words.len();
        self.words.extend(words);
        let words = &self.words[start..];
        let mut state = model.language_model().null();
        for &word in words {
            let (log10, next) = model.language_model().score(&state, word);
            self.suffixes.push(log10);
            state = next;
        }
        for i in (start + 1..self.words.len()).rev() {
            self.suffixes[i - 1] += self.suffixes[i];
        }
        let penalties = model.weights.phrase_penalty - model.weights.word_penalty * words.len() as f32;
        let log10 = self.suffixes.get(start).copied().unwrap_or_default();
        self.list.push(Candidate {
            score: scores.map(|score| score + penalties),
            estimate: estimate(model, log10),
            bound: 0.0,
            forward,
            // Nobody asks for that of an option without words.
            first: words.first().copied().unwrap_or_default(),
            // All fit: a table keeps the numbers of its pairs and words as u32.
            words: start as u32,
            len: words.len() as u32,
            state: self.states.len() as u32,
            target,
        });
        self.states.push(state);
    }

    /// Sorts the options from `start` on, and keeps the best `N_o`; they become those of a span.
    pub(crate) fn choose(&mut self, start: usize, options: &SearchOptions) -> Choice {
        let best = sort(&mut self.list[start..], options);
        self.list.truncate(start + options.options.unwrap_or(usize::MAX).min(self.list.len() - start));
        set_bounds(&mut self.list[start..], options);
        Choice { start: start as u32, end: self.list.len() as u32, best }
    }

    /// Adds options that were chosen elsewhere.
    pub(crate) fn adopt(&mut self, from: &Self, choice: Choice) -> Choice {
        let start = self.list.len() as u32;
        for candidate in &from.list[choice.range()] {
            let (words, state) = (self.words.len() as u32, self.states.len() as u32);
            let phrase = candidate.words as usize..(candidate.words + candidate.len) as usize;
            self.words.extend_from_slice(&from.words[phrase.clone()]);
            self.suffixes.extend_from_slice(&from.suffixes[phrase]);
            self.states.push(*from.state(candidate));
            let forward = self.forwards.number(from.forwards.weights[candidate.forward as usize]);
            self.list.push(Candidate { words, state, forward, ..*candidate });
        }
        Choice { start, end: self.list.len() as u32, ..choice }
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
pub(crate) struct Prepared {
    pub(crate) candidates: Candidates,
    /// By node of the trie of source phrases.
    choices: Vec<Choice>,
}

impl Prepared {
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

/// `q_LME`, weighted: of the words of a phrase, taken as a sentence without its ends.
fn estimate(model: &PhraseModel, log10: f32) -> f32 {
    log10 * LN_10 * model.weights.language_model
}

/// Sorts options, the best first, and gives the best rest cost.
fn sort(list: &mut [Candidate], options: &SearchOptions) -> f32 {
    // Stable: equal ones stay in the order of the table.
    let presort = options.presort != Presort::None;
    list.sort_by(|a, b| b.rank(presort).total_cmp(&a.rank(presort)));
    list.iter().map(|candidate| candidate.rank(true)).fold(f32::NEG_INFINITY, f32::max)
}

fn set_bounds(list: &mut [Candidate], options: &SearchOptions) {
    // The order and the place where a list is left are by the same number.
    let with_estimate = options.look_ahead == LookAhead::PhraseOnly || options.presort == Presort::Full;
    let mut bound = f32::NEG_INFINITY;
    for candidate in list.iter_mut().rev() {
        bound = bound.max(candidate.rank(with_estimate));
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

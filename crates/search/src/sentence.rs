//! The search of one sentence: its open and its finished hypotheses, and the selection of one step.

mod choose;
mod demand;
mod ending;
mod repeats;
mod scout;

use crate::candidates::{BeamPlace, Best, Continuation};
use crate::characters::Character;
use crate::constraints::{Automaton, StateId};
use crate::finished::{FinishedList, LostEnd};
use crate::guide;
use crate::length::Ranking;
use crate::sampling::{self, Sampler};
use crate::trellis::{self, HypId, LastWords, Trellis};
use crate::{Constraints, Counts, Options, Stop, Strategy, Task, length};
use metaphrase_base::{ModelFacts, Parent, Row, StepScores, WordId};
use rand_chacha::ChaCha8Rng;
use repeats::Repeats;
use std::collections::HashMap;
use std::sync::Arc;

/// A hypothesis that the next step continues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    /// `None` before the first word.
    hyp: Option<HypId>,
    /// The row that it extends in the model's last step, and by which word; `None` before the first word.
    parent: Option<Parent>,
    /// The number of the draw, when sampling.
    draw: usize,
    /// Which constraints it has met.
    pub(crate) state: StateId,
    /// The character that it has said a part of.
    character: Character,
    /// The row of the next step that scores it, counted within the sentence.
    row: usize,
}

/// A continuation that the selection keeps.
#[derive(Debug, Clone, Copy)]
struct Choice {
    /// The place of the open hypothesis that it continues.
    place: usize,
    word: WordId,
    score: f32,
    /// The row that scored it. Its state is continued.
    row: Row,
    state: StateId,
}

/// Buffers of one step's selection, shared by all sentences of a searcher.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    places: Vec<BeamPlace>,
    characters: Vec<Character>,
    continuations: Vec<Continuation>,
    best: Best,
    guide: guide::Buffers,
    open: Vec<Open>,
    repeats: Repeats,
    sampler: Sampler,
    rows_by_words: HashMap<LastWords, usize>,
}

/// State of one sentence's search, which [`start`](Self::start) begins. Reused from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct SentenceSearch {
    options: Arc<Options>,
    source_len: usize,
    prefix: Vec<WordId>,
    ranking: Ranking,
    /// T: the length at which the search ends.
    limit: usize,
    /// Words of the open hypotheses.
    length: usize,
    /// B of this sentence.
    beam_size: usize,
    /// Places in the beam.
    width: usize,
    /// Best first.
    open: Vec<Open>,
    /// The places of the open hypotheses that have a row in the next step.
    leaders: Vec<usize>,
    /// The continuations that the last selection keeps, best first.
    choices: Vec<Choice>,
    /// The places of the continued hypotheses that get rows of their own in a second step.
    rescored: Vec<usize>,
    constraints: Option<Automaton>,
    /// Whether the search looks for the places of the terms with a free greedy search, before the beam is searched.
    scouting: bool,
    /// Whether groups of words may stand three times in a row, as they do in the source.
    may_repeat: bool,
    /// Whether the search goes on until the beam has finished as a whole: [`Stop::Collect`].
    collects: bool,
    /// Whether the sentence has a scorer of its own, which may raise scores.
    informed: bool,
    counts: Counts,
    trellis: Trellis,
    finished: FinishedList,
    draws: Vec<ChaCha8Rng>,
}

impl SentenceSearch {
    /// Begins a sentence: lines 2, 3 and 6 of Algorithm 1.
    pub(crate) fn start<T>(&mut self, task: &Task<T>) {
        let options = &task.options;
        self.options = Arc::clone(&options.0);
        self.source_len = task.source.len();
        self.prefix.clone_from(&task.prefix);
        let written_words = task.constraints.as_ref().map_or(0, Constraints::written_words);
        self.ranking = Ranking::new(options, written_words);
        self.limit = length::limit(options, task.source.len(), task.prefix.len());
        self.constraints = task.constraints.clone().map(Automaton::new);
        self.beam_size = options.beam_size_constrained.filter(|_| written_words > 0).unwrap_or(options.beam_size);
        self.counts = Counts::default();
        self.may_repeat = written_words == 0 || trellis::repeats(&task.source);
        self.informed = task.scorer.is_some();
        self.scouting = self.is_narrow();
        let plain = options.strategy == Strategy::Beam && options.sampling.is_none() && written_words == 0;
        self.collects = options.stop == Stop::Collect && plain;
        self.draws.clear();
        if options.sampling.is_some() {
            self.draws.extend((0..options.n_best).map(|draw| sampling::generator(task.seed, draw)));
        }
        self.begin();
    }

    /// The hypothesis without words.
    fn begin(&mut self) {
        let words = self.constraints.as_ref().map_or(0, |automaton| automaton.needed(StateId::START));
        self.width = match self.options.strategy {
            _ if self.scouting => 1,
            Strategy::Grid => self.beam_size * (words + 1),
            // Where half of the continuations end, the other half fills the beam.
            _ if self.collects => 2 * self.beam_size,
            _ => self.beam_size,
        };
        self.length = 0;
        self.trellis.clear();
        self.finished.start(self.options.n_best);
        self.open.clear();
        let copies = self.copies();
        let (state, character) = (StateId::START, Character::WHOLE);
        let start = Open { hyp: None, parent: None, draw: 0, state, character, row: 0 };
        self.open.extend((0..copies).map(|draw| Open { draw, row: draw, ..start }));
        self.leaders.clear();
        self.leaders.extend(0..copies);
    }

    /// Before the search branches there is one hypothesis. The number of rows that stand for it: one per draw.
    fn copies(&self) -> usize {
        if self.length < self.prefix.len() { 1 } else { self.draws.len().max(1) }
    }

    pub(crate) fn source_len(&self) -> usize {
        self.source_len
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// What the search of this sentence must know about the model.
    pub(crate) fn facts(&self, facts: ModelFacts) -> ModelFacts {
        ModelFacts { log_probs: facts.log_probs && !self.informed, ..facts }
    }

    /// The rows that the next step must compute.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.leaders.iter().map(|&place| self.open[place].parent)
    }

    /// Chooses what continues the open hypotheses: lines 11 to 14 of Algorithm 1. The sentence's rows of the step
    /// start at `first_row`, in the order of [`rows`](Self::rows).
    pub(crate) fn select(
        &mut self,
        facts: ModelFacts,
        first_row: usize,
        scores: &mut impl StepScores,
        buffers: &mut Selection,
    ) {
        self.counts +=
            Counts { steps: 1, hypotheses: self.open.len(), groups: self.leaders.len(), rows: self.leaders.len() };
        let so_far = |open: &Open| open.hyp.map_or(0.0, |hyp| self.trellis.log_prob(hyp));
        let place = |open: &Open| BeamPlace { so_far: so_far(open), row: Row::new(first_row + open.row) };
        buffers.places.clear();
        buffers.places.extend(self.open.iter().map(place));
        self.choose(facts, scores, buffers);
        if self.options.stop != Stop::Shrink
            && !self.collects
            && self.length >= self.prefix.len()
            && self.draws.is_empty()
            && !self.scouting
        {
            self.keep_lost_ends(facts.end_of_sentence, scores, buffers);
        }
        self.rescored.clear();
        if self.options.strategy == Strategy::Cube {
            self.rescored.extend(self.choices.iter().map(|choice| choice.place));
            self.rescored.sort_unstable();
            self.rescored.dedup();
            let (open, leaders) = (&self.open, &self.leaders);
            self.rescored.retain(|&place| leaders[open[place].row] != place);
        }
    }

    /// The rows that a second step must compute: chosen hypotheses that shared the row of another one.
    pub(crate) fn rows_to_rescore(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.rescored.iter().map(|&place| self.open[place].parent)
    }

    /// Takes the scores of the second step, whose rows for this sentence start at `first_row`: "once an item is
    /// selected, the exact hidden state will be used to calculate its exact NLL" (Zhang et al. 2018, §3.4.1).
    pub(crate) fn rescore(&mut self, first_row: usize, scores: &mut impl StepScores) {
        self.counts.rows += self.rescored.len();
        for choice in &mut self.choices {
            if let Ok(number) = self.rescored.binary_search(&choice.place) {
                choice.row = Row::new(first_row + number);
                let so_far = self.open[choice.place].hyp.map_or(0.0, |hyp| self.trellis.log_prob(hyp));
                choice.score = scores.score(choice.row, choice.word) + so_far;
            }
        }
        self.choices.retain(|choice| choice.score > f32::NEG_INFINITY);
        self.choices.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Continues the hypotheses that were chosen by one word: lines 15 and 16 of Algorithm 1. `attention` gives a
    /// row's attention. Returns whether the sentence is done.
    pub(crate) fn advance<'a>(
        &mut self,
        facts: ModelFacts,
        attention: impl Fn(Row) -> &'a [f32],
        buffers: &mut Selection,
    ) -> bool {
        self.length += 1;
        let end = facts.end_of_sentence;
        buffers.open.clear();
        for number in 0..self.choices.len() {
            let choice = self.choices[number];
            let from = self.open[choice.place];
            let hyp = self.trellis.add(from.hyp, choice.word, choice.score, attention(choice.row));
            if choice.word == end {
                self.finished.first_ended |= number == 0;
                self.finish(hyp);
                self.finished.best_log_prob = self.finished.best_log_prob.max(choice.score);
            } else {
                let parent = Parent { row: choice.row, word: choice.word };
                let draw = if self.draws.is_empty() { number } else { from.draw };
                let character = self.options.bytes.after(from.character, choice.word);
                let open =
                    Open { hyp: Some(hyp), parent: Some(parent), draw, state: choice.state, character, row: number };
                buffers.open.push(open);
            }
        }
        if self.options.stop == Stop::Shrink && self.draws.is_empty() && self.length > self.prefix.len() {
            let ended = self.choices.iter().filter(|choice| choice.word == end).count();
            self.width -= ended.min(self.width);
        }
        core::mem::swap(&mut self.open, &mut buffers.open);
        if self.length <= self.prefix.len()
            && let [only] = self.open[..]
        {
            self.open.extend((1..self.copies()).map(|draw| Open { draw, ..only }));
        }
        self.assign_rows(&mut buffers.rows_by_words);
        if self.scouting { self.end_scouting(facts) } else { self.is_done(facts) }
    }

    /// Gives each open hypothesis a row, or those that end with the same words the row of the best of them (the
    /// sub-cubes of Zhang et al. 2018, §3.4.1, where it is one word).
    fn assign_rows(&mut self, rows_by_words: &mut HashMap<LastWords, usize>) {
        self.leaders.clear();
        rows_by_words.clear();
        let merges = self.options.strategy.merges();
        for (place, open) in self.open.iter_mut().enumerate() {
            let own = self.leaders.len();
            open.row = match open.hyp {
                Some(hyp) if merges => {
                    let words = self.trellis.last_words(hyp, self.options.merge_words);
                    *rows_by_words.entry(words).or_insert(own)
                }
                _ => own,
            };
            if open.row == own {
                self.leaders.push(place);
            }
        }
    }

    /// Remark 5 of Algorithm 1: the best of the end-of-sentence candidates that TOPB did not take.
    fn keep_lost_ends(&mut self, end: WordId, scores: &mut impl StepScores, buffers: &Selection) {
        for (place, (open, at)) in self.open.iter().zip(&buffers.places).enumerate() {
            let taken = self.choices.iter().any(|choice| choice.place == place && choice.word == end);
            let banned = open.character != Character::WHOLE || buffers.repeats.bans(place, end);
            if taken || banned || self.constraints.as_ref().is_some_and(|automaton| !automaton.may_end(open.state)) {
                continue;
            }
            let log_prob = scores.score(at.row, end) + at.so_far;
            let score = self.ranking.score(log_prob, self.length + 1);
            if log_prob > f32::NEG_INFINITY {
                self.finished.lose(LostEnd { parent: open.hyp, log_prob, score });
            }
        }
    }

    /// Adds a hypothesis of the current length to F.
    fn finish(&mut self, hyp: HypId) {
        self.finished.add(hyp, self.ranking.score(self.trellis.log_prob(hyp), self.length));
    }
}

//! The search of one sentence: its open and its finished hypotheses, and the selection of one step.

mod beam;
mod choose;
mod demand;
mod ending;
mod scout;

use crate::candidates::{BeamPlace, CandidateBuffers, Continuation};
use crate::characters::Character;
use crate::constraints::{Automaton, StateId};
use crate::guide::GuideBuffers;
use crate::plan::{Ending, SentencePlan};
use crate::sampling::{self, Sampler};
use crate::{Counts, Task};
use beam::Choice;
use metaphrase_base::{ModelFacts, Parent, Row, StepScores, WordId};
use rand_chacha::ChaCha8Rng;
use scout::Scout;

pub(crate) use beam::{Beam, BeamBuffers, OpenHypothesis};
pub(crate) use choose::BeamQuestion;

/// Buffers of one step's selection, shared by all sentences of a searcher.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) places: Vec<BeamPlace>,
    /// By place: the unfinished character. Empty if no word stands for a byte.
    characters: Vec<Character>,
    /// By place: the constraints that the hypothesis has met.
    states: Vec<StateId>,
    excluded: Vec<WordId>,
    continuations: Vec<Continuation>,
    candidates: CandidateBuffers,
    guide: GuideBuffers,
    sampler: Sampler,
    beam: BeamBuffers,
}

/// The selection of one sentence: the scores of the step, and buffers.
pub(crate) struct StepContext<'a, S> {
    pub(crate) facts: ModelFacts,
    /// The first of the sentence's rows of the step.
    pub(crate) first_row: usize,
    pub(crate) scores: &'a mut S,
    pub(crate) buffers: &'a mut Selection,
}

impl<S: StepScores> StepContext<'_, S> {
    /// Fills the buffers for the open hypotheses of `beam`.
    fn begin(&mut self, plan: &SentencePlan, beam: &Beam) {
        let Selection { places, characters, continuations, .. } = &mut *self.buffers;
        places.clear();
        places.extend(beam.places(self.first_row));
        characters.clear();
        if !plan.options.bytes.is_empty() {
            characters.extend(beam.open.iter().map(|open| open.character));
        }
        continuations.clear();
    }

    /// Makes a given word the only continuation; without a score of its own the hypothesis keeps its score.
    pub(crate) fn give(&mut self, word: WordId, has_score: bool) {
        let only = self.buffers.places[0];
        let score = if has_score { self.scores.score(only.row, word) + only.so_far } else { only.so_far };
        self.buffers.continuations.push(Continuation { place: 0, word, score });
    }
}

/// State of one sentence's search, which [`start`](Self::start) begins. Reused from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct SentenceSearch {
    plan: SentencePlan,
    constraints: Option<Automaton>,
    /// The search before that of a narrow beam, until it ends.
    scout: Option<Box<Scout>>,
    beam: Beam,
    /// Places in the beam.
    width: usize,
    /// The places of the continued hypotheses that get rows of their own in a second step.
    rescored: Vec<usize>,
    counts: Counts,
    draws: Vec<ChaCha8Rng>,
}

impl SentenceSearch {
    /// Begins a sentence: lines 2, 3 and 6 of Algorithm 1.
    pub(crate) fn start<T>(&mut self, task: &Task<T>) {
        self.plan.begin(task);
        self.constraints = task.constraints.clone().map(Automaton::new);
        self.counts = Counts::default();
        self.width = self.plan.width;
        self.rescored.clear();
        self.draws.clear();
        self.draws.extend((0..self.plan.draws()).map(|draw| sampling::generator(task.seed, draw)));
        let constraints = task.constraints.clone().filter(|_| self.plan.has_rest_costs);
        self.scout = constraints.map(|constraints| Box::new(Scout::new(&self.plan, constraints)));
        if self.scout.is_none() {
            self.beam.begin(&self.plan);
        }
    }

    pub(crate) fn source_len(&self) -> usize {
        self.plan.source_len
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The hypotheses that the next step continues.
    fn open_beam(&self) -> &Beam {
        self.scout.as_ref().map_or(&self.beam, |scout| scout.beam())
    }

    /// The rows that the next step must compute.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.open_beam().rows()
    }

    /// Chooses the continuations of the open hypotheses: lines 11 to 14 of Algorithm 1. The sentence's rows of the step
    /// are in the order of [`rows`](Self::rows).
    pub(crate) fn select(&mut self, mut step: StepContext<'_, impl StepScores>) {
        step.facts = self.plan.facts(step.facts);
        self.counts += self.open_beam().counts();
        step.begin(&self.plan, self.open_beam());
        if let Some(scout) = &mut self.scout {
            return scout.select(&self.plan, &mut step);
        }
        self.choose(&mut step);
        if matches!(self.plan.ending, Ending::Fill { .. }) && self.beam.length >= self.plan.prefix.len() {
            self.keep_lost_ends(&mut step);
        }
        self.beam.places_to_rescore(&self.plan, &mut self.rescored);
    }

    /// The rows that a second step must compute: chosen hypotheses that shared the row of another one.
    pub(crate) fn rows_to_rescore(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.rescored.iter().map(|&place| self.beam.parent(place))
    }

    /// Takes the scores of the second step, whose rows for this sentence start at `first_row`: "once an item is
    /// selected, the exact hidden state will be used to calculate its exact NLL" (Zhang et al. 2018, §3.4.1).
    pub(crate) fn rescore(&mut self, first_row: usize, scores: &mut impl StepScores) {
        if self.scout.is_some() {
            return;
        }
        self.counts.rows += self.rescored.len();
        let Self { beam, rescored, .. } = self;
        for at in 0..beam.choices.len() {
            let Choice { place, word, .. } = beam.choices[at];
            if let Ok(number) = rescored.binary_search(&place) {
                let row = Row::new(first_row + number);
                let score = scores.score(row, word) + beam.so_far(&beam.open[place]);
                beam.choices[at] = Choice { row, score, ..beam.choices[at] };
            }
        }
        beam.choices.retain(|choice| choice.score > f32::NEG_INFINITY);
        beam.choices.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Continues the hypotheses that were chosen by one word: lines 15 and 16 of Algorithm 1. `attention` gives a
    /// row's attention. Returns whether the sentence is done.
    pub(crate) fn advance<'a>(
        &mut self,
        facts: ModelFacts,
        attention: impl Fn(Row) -> &'a [f32],
        buffers: &mut Selection,
    ) -> bool {
        let end = facts.end_of_sentence;
        if let Some(mut scout) = self.scout.take() {
            if scout.advance(&self.plan, end, attention, &mut buffers.beam) {
                return self.follow(*scout, end);
            }
            self.scout = Some(scout);
            return false;
        }
        self.beam.advance(&self.plan, end, attention, &mut buffers.beam);
        if matches!(self.plan.ending, Ending::Shrink | Ending::Wait) && self.beam.length > self.plan.prefix.len() {
            let ended = self.beam.choices.iter().filter(|choice| choice.word == end).count();
            self.width -= ended.min(self.width);
        }
        self.is_done(self.plan.facts(facts))
    }

    /// Continues after the scout: begins the search of the beam with the rest costs of the terms, unless the free
    /// translation is the one that a beam of one would find. Returns whether the sentence is done.
    fn follow(&mut self, scout: Scout, end: WordId) -> bool {
        if self.plan.beam_size == 1 && scout.is_what_the_beam_would_find(&self.plan, end) {
            self.beam = scout.into_beam();
            return true;
        }
        if let Some(automaton) = &mut self.constraints {
            automaton.rest_costs = scout.into_rest_costs();
        }
        self.beam.begin(&self.plan);
        false
    }
}

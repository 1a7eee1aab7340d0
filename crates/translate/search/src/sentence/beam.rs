//! The hypotheses of a search: the open ones, the finished ones, and the words of all.

use super::StepContext;
use crate::bans::Repeats;
use crate::candidates::{BeamPlace, Continuation};
use crate::characters::Character;
use crate::constraints::{Automaton, StateId};
use crate::finished::FinishedList;
use crate::plan::SentencePlan;
use crate::trellis::{HypId, LastWords, Trellis};
use crate::{Counts, Hypothesis, Strategy};
use metaphrase_base::{Parent, Row, WordId};
use std::collections::HashMap;

/// A hypothesis that the next step continues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenHypothesis {
    /// `None` before the first word.
    pub(super) hyp: Option<HypId>,
    /// The row that it extends in the model's last step, and by which word; `None` before the first word.
    parent: Option<Parent>,
    /// The number of the draw, when sampling.
    pub(super) draw: usize,
    /// The constraints that it has met.
    pub(crate) state: StateId,
    /// Its unfinished character.
    pub(super) character: Character,
    /// The row of the next step that scores it, counted within the sentence.
    row: usize,
}

/// A continuation that the selection keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// The place of the open hypothesis that it continues.
    pub(super) place: usize,
    pub(super) word: WordId,
    pub(super) score: f32,
    /// The row that scored it. Its state is continued.
    pub(super) row: Row,
    pub(super) state: StateId,
}

/// The hypotheses of a sentence. [`begin`](Self::begin) begins one; the memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Beam {
    /// The number of words of each open hypothesis.
    pub(crate) length: usize,
    /// The open hypotheses, best first; at most one per place of the beam.
    pub(crate) open: Vec<OpenHypothesis>,
    /// The places of the open hypotheses that have a row in the next step.
    pub(super) leaders: Vec<usize>,
    /// The continuations that the last selection keeps, best first.
    pub(super) choices: Vec<Choice>,
    /// The words that would repeat words of the open hypotheses.
    pub(super) repeats: Repeats,
    pub(super) trellis: Trellis,
    pub(crate) finished: FinishedList,
}

impl Beam {
    /// Begins with the hypothesis without words.
    pub(crate) fn begin(&mut self, plan: &SentencePlan) {
        self.length = 0;
        self.trellis.clear();
        self.finished.start(plan.options.n_best);
        let start = OpenHypothesis {
            hyp: None,
            parent: None,
            draw: 0,
            state: StateId::START,
            character: Character::WHOLE,
            row: 0,
        };
        let copies = plan.copies(0);
        self.open.clear();
        self.open.extend((0..copies).map(|draw| OpenHypothesis { draw, row: draw, ..start }));
        self.leaders.clear();
        self.leaders.extend(0..copies);
        self.find_repeats(plan);
    }

    /// The rows that the next step must compute.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = Option<Parent>> {
        self.leaders.iter().map(|&place| self.parent(place))
    }

    /// The hypothesis that the open hypothesis at `place` extends.
    pub(super) fn parent(&self, place: usize) -> Option<Parent> {
        self.open[place].parent
    }

    /// Whether the open hypothesis at `place` has the row of another one.
    pub(super) fn shares_row(&self, place: usize) -> bool {
        self.leaders[self.open[place].row] != place
    }

    /// The work of the next step.
    pub(super) fn counts(&self) -> Counts {
        Counts { steps: 1, hypotheses: self.open.len(), groups: self.leaders.len(), rows: self.leaders.len() }
    }

    /// The log-probability of an open hypothesis.
    pub(super) fn so_far(&self, open: &OpenHypothesis) -> f32 {
        open.hyp.map_or(0.0, |hyp| self.trellis.log_prob(hyp))
    }

    /// The log-probabilities of the open hypotheses, once they have words.
    pub(super) fn log_probs(&self) -> impl Iterator<Item = f32> {
        self.open.iter().filter_map(|open| open.hyp).map(|hyp| self.trellis.log_prob(hyp))
    }

    /// The places of the open hypotheses, whose rows start at `first_row`.
    pub(super) fn places(&self, first_row: usize) -> impl Iterator<Item = BeamPlace> {
        let place =
            move |open: &OpenHypothesis| BeamPlace { so_far: self.so_far(open), row: Row::new(first_row + open.row) };
        self.open.iter().map(place)
    }

    /// Keeps the continuations of the step as choices.
    pub(crate) fn choose<S>(
        &mut self,
        plan: &SentencePlan,
        step: &StepContext<'_, S>,
        mut constraints: Option<&mut Automaton>,
    ) {
        let is_given = self.length < plan.prefix.len();
        self.choices.clear();
        for &Continuation { place, word, score } in &step.buffers.continuations {
            let mut state = self.open[place].state;
            if let Some(automaton) = &mut constraints
                && word != step.facts.end_of_sentence
            {
                state = if is_given { automaton.after_given(state, word) } else { automaton.after(state, word) };
            }
            self.choices.push(Choice { place, word, score, row: step.buffers.places[place].row, state });
        }
    }

    /// Continues the hypotheses that were chosen by one word: lines 15 and 16 of Algorithm 1. `attention` gives a
    /// row's attention.
    pub(crate) fn advance<'a>(
        &mut self,
        plan: &SentencePlan,
        end: WordId,
        attention: impl Fn(Row) -> &'a [f32],
        buffers: &mut BeamBuffers,
    ) {
        self.length += 1;
        buffers.open.clear();
        for number in 0..self.choices.len() {
            let Choice { place, word, score, row, state } = self.choices[number];
            let from = self.open[place];
            let hyp = self.trellis.add(from.hyp, word, score, attention(row));
            if word == end {
                self.finished.first_ended |= number == 0;
                self.finish(plan, hyp);
                self.finished.best_log_prob = self.finished.best_log_prob.max(score);
            } else {
                let character = plan.options.bytes.after(from.character, word);
                let parent = Some(Parent { row, word });
                buffers.open.push(OpenHypothesis {
                    hyp: Some(hyp),
                    parent,
                    draw: from.draw,
                    state,
                    character,
                    row: number,
                });
            }
        }
        core::mem::swap(&mut self.open, &mut buffers.open);
        if self.length <= plan.prefix.len()
            && let [only] = self.open[..]
        {
            self.open.extend((1..plan.copies(self.length)).map(|draw| OpenHypothesis { draw, ..only }));
        }
        self.assign_rows(plan, &mut buffers.rows_by_words);
        self.find_repeats(plan);
    }

    /// Gives each open hypothesis a row, or those that end with the same words the row of the best of them (the
    /// sub-cubes of Zhang et al. 2018, §3.4.1, where it is one word).
    fn assign_rows(&mut self, plan: &SentencePlan, rows_by_words: &mut HashMap<LastWords, usize>) {
        self.leaders.clear();
        rows_by_words.clear();
        let merge_words = plan.options.strategy.merge_words();
        for (place, open) in self.open.iter_mut().enumerate() {
            let own = self.leaders.len();
            open.row = match (open.hyp, merge_words) {
                (Some(hyp), Some(merge_words)) => {
                    let words = self.trellis.last_words(hyp, merge_words);
                    *rows_by_words.entry(words).or_insert(own)
                }
                _ => own,
            };
            if open.row == own {
                self.leaders.push(place);
            }
        }
    }

    /// Finds the words that would repeat words of the open hypotheses.
    fn find_repeats(&mut self, plan: &SentencePlan) {
        let Repeats { loops, twice, words } = &mut self.repeats;
        loops.clear();
        twice.clear();
        let count = plan.options.no_repeat_ngram_size;
        for (place, open) in self.open.iter().enumerate() {
            let Some(hyp) = open.hyp else { continue };
            if count > 0 {
                self.trellis.second_times(hyp, count, words, |word| twice.push((place, word)));
            }
            if plan.forbids_loops {
                self.trellis.third_times(hyp, |word| loops.push((place, word)));
            }
        }
        twice.sort_unstable();
        twice.dedup();
    }

    /// Adds a hypothesis of the current length to F.
    pub(super) fn finish(&mut self, plan: &SentencePlan, hyp: HypId) {
        self.finished.add(hyp, plan.ranking.score(self.trellis.log_prob(hyp), self.length));
    }

    /// Whether all chosen continuations have met all constraints.
    pub(crate) fn has_met(&self, automaton: &Automaton) -> bool {
        self.choices.iter().all(|choice| automaton.may_end(choice.state))
    }

    /// The best finished hypotheses.
    pub(crate) fn hypotheses(&self, plan: &SentencePlan, end: WordId) -> impl Iterator<Item = Hypothesis> {
        let trace = move |(hyp, score)| {
            let hypothesis = self.trellis.trace_back(hyp, end, score, plan.source_len);
            hypothesis.without_first(plan.language_words, plan.source_len)
        };
        self.finished.iter().map(trace)
    }

    /// Whether the length limit is reached, or no hypothesis is open.
    pub(crate) fn is_at_its_end(&self, plan: &SentencePlan) -> bool {
        self.open.is_empty() || self.length >= plan.limit
    }

    /// The places whose chosen continuations were scored by the row of another hypothesis: those that cube pruning
    /// scores again.
    pub(super) fn places_to_rescore(&self, plan: &SentencePlan, out: &mut Vec<usize>) {
        out.clear();
        if matches!(plan.options.strategy, Strategy::Cube { .. }) {
            out.extend(self.choices.iter().map(|choice| choice.place));
            out.sort_unstable();
            out.dedup();
            out.retain(|&place| self.shares_row(place));
        }
    }
}

/// Buffers of a step.
#[derive(Debug, Default)]
pub(crate) struct BeamBuffers {
    open: Vec<OpenHypothesis>,
    rows_by_words: HashMap<LastWords, usize>,
}

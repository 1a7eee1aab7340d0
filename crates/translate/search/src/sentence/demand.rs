//! The questions that a selection will have about the scores of the next step.

use super::beam::Choice;
use super::{Beam, SentenceSearch};
use crate::Strategy;
use crate::characters::Character;
use crate::plan::{Ending, SentencePlan};
use metaphrase_base::StepDemand;

impl Beam {
    /// Whether the next selection looks for the best continuations: no word is given, and none is drawn.
    pub(crate) fn looks_for_best(&self, plan: &SentencePlan) -> bool {
        plan.given(self.length).is_none() && plan.ending != Ending::Draws
    }

    /// The questions of a selection without constraints.
    pub(crate) fn demand(&self, plan: &SentencePlan, width: usize) -> StepDemand {
        if plan.given(self.length).is_some() {
            return StepDemand { words: 1, ..StepDemand::default() };
        }
        if plan.ending == Ending::Draws {
            return StepDemand { whole_rows: true, ..StepDemand::default() };
        }
        let ends = if plan.ending == (Ending::Fill { ends_beside: true }) { self.open.len() } else { 0 };
        let rows = self.leaders.len();
        let merges = plan.options.strategy.merge_words().is_some();
        StepDemand {
            best: width + ends + self.repeats.twice.len(),
            rows_alone: if merges || rows == 1 { rows } else { 0 },
            excluded: plan.options.excluded.len(),
            words: self.bytes_inside_characters(plan),
            whole_rows: false,
            more_rows: matches!(plan.options.strategy, Strategy::Cube { .. }) && rows < self.open.len(),
        }
    }

    /// The number of bytes that may be scored one by one, because few words may follow inside a character.
    fn bytes_inside_characters(&self, plan: &SentencePlan) -> usize {
        let inside = self.open.iter().filter(|open| open.character != Character::WHOLE).count();
        inside * plan.options.bytes.len()
    }
}

impl SentenceSearch {
    /// The questions about the sentence's rows of the next step.
    pub(crate) fn demand(&self) -> StepDemand {
        if let Some(scout) = &self.scout {
            return scout.demand(&self.plan);
        }
        let mut demand = self.beam.demand(&self.plan, self.width);
        if !self.beam.looks_for_best(&self.plan) {
            return demand;
        }
        let open = &self.beam.open;
        if let Some(automaton) = &self.constraints {
            // One question about the hypotheses together, one about each, and one about each that meets a term.
            demand.words *= 3;
            // The words that make progress, and the ends of sentence where nothing else fits before the length limit.
            demand.words += open.iter().map(|open| automaton.next(open.state).len() + 1).sum::<usize>();
            let unready = open.iter().filter(|open| !automaton.may_end(open.state)).count();
            if unready < open.len() {
                demand.best += unready;
            }
            // Where no hypothesis may end, the end of sentence is excluded.
            demand.excluded += 1;
            demand.best += self.beam.repeats.loops.len();
        }
        if matches!(self.plan.ending, Ending::Fill { .. }) {
            demand.words += open.len();
        }
        demand
    }

    /// The questions about the rows of the second step: one about each chosen continuation.
    pub(crate) fn second_demand(&self) -> StepDemand {
        let is_rescored = |choice: &&Choice| self.rescored.binary_search(&choice.place).is_ok();
        StepDemand { words: self.beam.choices.iter().filter(is_rescored).count(), ..StepDemand::default() }
    }
}

//! What the selection will ask about the scores of the next step.

use super::SentenceSearch;
use crate::characters::Character;
use crate::constraints::{Automaton, StateId};
use crate::{Stop, Strategy};
use metaphrase_base::StepDemand;

impl SentenceSearch {
    /// The questions about the sentence's rows of the next step.
    pub(crate) fn demand(&self) -> StepDemand {
        if self.length < self.prefix.len() {
            return StepDemand { words: 1, ..StepDemand::default() };
        }
        if self.options.sampling.is_some() {
            return StepDemand { whole_rows: true, ..StepDemand::default() };
        }
        let ends_beside = if self.options.stop.ends_beside() { self.open.len() } else { 0 };
        let rows = self.leaders.len();
        let merges = self.options.strategy.merges();
        StepDemand {
            best: self.width + ends_beside,
            rows_alone: if merges || rows == 1 { rows } else { 0 },
            // Where no hypothesis may end, the end of sentence is excluded.
            excluded: self.options.excluded.len() + usize::from(self.constraints.is_some()),
            words: self.constraint_words() + self.lost_ends() + self.bytes(),
            whole_rows: false,
            more_rows: self.options.strategy == Strategy::Cube && rows < self.open.len(),
        }
    }

    /// The questions about the rows of the second step: one about each chosen continuation.
    pub(crate) fn second_demand(&self) -> StepDemand {
        StepDemand { words: self.choices.len(), ..StepDemand::default() }
    }

    /// The number of words that come nearer to meeting the constraints, and of ends where no other continuation comes in time.
    fn constraint_words(&self) -> usize {
        let next = |automaton: &Automaton, state| automaton.next(state).len();
        match &self.constraints {
            None => 0,
            Some(automaton) if self.scouting => 2 * next(automaton, StateId::START),
            Some(automaton) => self.open.iter().map(|open| next(automaton, open.state) + 1).sum(),
        }
    }

    fn lost_ends(&self) -> usize {
        if self.options.stop == Stop::Shrink || self.collects || self.scouting { 0 } else { self.open.len() }
    }

    /// The number of bytes that may be asked for one by one, inside characters: with constraints of all hypotheses together, of each
    /// one, and of each one that meets a term.
    fn bytes(&self) -> usize {
        let inside = self.open.iter().filter(|open| open.character != Character::WHOLE).count();
        let times = if self.constraints.is_some() { 3 } else { 1 };
        times * inside * self.options.bytes.words().count()
    }
}

//! What continues the open hypotheses of a sentence: lines 11 to 14 of Algorithm 1.

use super::repeats::Repeats;
use super::{Choice, Selection, SentenceSearch};
use crate::candidates::Continuation;
use crate::guide::{Guide, Step};
use crate::pruning::Pruning;
use crate::sampling::Sampling;
use metaphrase_base::{ModelFacts, StepScores};

impl SentenceSearch {
    /// Chooses the continuations: TOPB, the forced word of a prefix, or a draw for each row.
    pub(super) fn choose(&mut self, facts: ModelFacts, scores: &mut impl StepScores, buffers: &mut Selection) {
        self.find_repeats(facts.end_of_sentence, &mut buffers.repeats);
        buffers.continuations.clear();
        let given = self.length < self.prefix.len();
        if let Some(&word) = self.prefix.get(self.length) {
            let only = buffers.places[0];
            let score = scores.score(only.row, word) + only.so_far;
            buffers.continuations.push(Continuation { place: 0, word, score });
        } else if let Some(sampling) = self.options.sampling {
            self.draw(sampling, facts, scores, buffers);
        } else {
            self.find_best(facts, scores, buffers);
            if !self.scouting {
                self.pruning(facts).prune(&mut buffers.continuations);
            }
            if self.collects {
                self.keep_full_beam(facts.end_of_sentence, &mut buffers.continuations);
            }
        }
        self.choices.clear();
        for &Continuation { place, word, score } in &buffers.continuations {
            let state = self.open[place].state;
            let state = match &mut self.constraints {
                Some(automaton) if word != facts.end_of_sentence && given => automaton.after_given(state, word),
                Some(automaton) if word != facts.end_of_sentence => automaton.after(state, word),
                _ => state,
            };
            self.choices.push(Choice { place, word, score, row: buffers.places[place].row, state });
        }
    }

    /// How many words may follow behind the next one.
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.length + 1)
    }

    /// Draws a word for each row.
    fn draw(&mut self, sampling: Sampling, facts: ModelFacts, scores: &mut impl StepScores, buffers: &mut Selection) {
        let Selection { places, continuations, sampler, repeats: Repeats { twice, .. }, .. } = buffers;
        let (options, room) = (&*self.options, self.room());
        for (place, (open, at)) in self.open.iter().zip(&*places).enumerate() {
            scores.row(at.row, sampler.row(facts.target_words));
            let repeats = twice.iter().filter(|(of, _)| *of == place).map(|&(_, word)| word);
            let broken = options.bytes.breaking(open.character, facts.target_words, room);
            let banned = options.excluded.iter().copied().chain(repeats).chain(broken);
            if let Some((word, log_prob)) = sampler.draw(sampling, banned, &mut self.draws[open.draw]) {
                continuations.push(Continuation { place, word, score: log_prob + at.so_far });
            }
        }
    }

    /// Finds the best continuations, with constraints those that each bank keeps.
    fn find_best(&mut self, facts: ModelFacts, scores: &mut impl StepScores, buffers: &mut Selection) {
        let (narrow, room) = (self.is_narrow(), self.room());
        let Selection { places, characters, continuations, best, guide: guide_buffers, repeats, .. } = buffers;
        let Repeats { loops, twice: repeats, .. } = &*repeats;
        let options = &*self.options;
        characters.clear();
        if !options.bytes.is_empty() {
            characters.extend(self.open.iter().map(|open| open.character));
        }
        let first_row = places[0].row.index();
        let rows = first_row..first_row + self.leaders.len();
        let (end, width) = (facts.end_of_sentence, self.width);
        // Where a shortlist has no byte that may follow, a character is broken rather than the sentence.
        for characters in [&characters[..], &[]] {
            let step = Step { places, rows: rows.clone(), width, options, repeats, characters, room, end };
            match &mut self.constraints {
                None => step.find(best, scores, continuations),
                Some(automaton) if self.scouting => {
                    automaton.look_ahead(|word| scores.score(places[0].row, word));
                    step.find(best, scores, continuations);
                }
                Some(automaton) => {
                    let states = self.open.iter().map(|open| open.state);
                    let left = self.limit - self.length;
                    let mut guide = Guide { automaton, left, narrow, loops };
                    guide.find(&step, states, scores, best, guide_buffers, continuations);
                }
            }
            if !continuations.is_empty() || characters.is_empty() {
                return;
            }
        }
    }

    /// The search as pruning sees it.
    fn pruning(&mut self, facts: ModelFacts) -> Pruning<'_> {
        Pruning {
            options: &self.options,
            facts,
            states: &self.open,
            constraints: self.constraints.as_mut(),
            best_finished: self.finished.best_log_prob,
            to_beat: self.finished.to_beat(),
            ranking: self.ranking,
            length: self.length + 1,
            limit: self.limit,
        }
    }
}

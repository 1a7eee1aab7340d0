//! Dynamic beam allocation: selects continuations so that constraints are met (Post and Vilar 2018, §3).

use crate::Strategy;
use crate::bans::{self, BanFacts, Bans, Progress};
use crate::candidates::{CandidateSpace, Continuation};
use crate::constraints::{Banks, StateId};
use crate::plan::{Ending, SentencePlan};
use metaphrase_base::StepScores;

/// While this number of words fits in addition to the needed ones, no word of a term may stand in a loop.
const ROOM: usize = 4;

/// Buffers of a step's selection.
#[derive(Debug, Default)]
pub(crate) struct GuideBuffers {
    /// Continuations, each with the number of words that are still needed after it.
    needed: Vec<(Continuation, usize)>,
    /// Continuations, each after the sum of its score and its rest cost, and the number of terms that it has met.
    ranked: Vec<(f32, usize, Continuation)>,
    banks: Banks,
    /// The places that are left to each set of needed words.
    left: Vec<usize>,
}

/// A step of a sentence with constraints.
pub(crate) struct Guide<'a, S> {
    pub(crate) plan: &'a SentencePlan,
    pub(crate) space: CandidateSpace<'a, S>,
    pub(crate) facts: BanFacts<'a>,
    pub(crate) progress: Progress<'a>,
    /// Places in the beam.
    pub(crate) width: usize,
    /// The number of words that may still follow, the next one and the end of sentence included.
    pub(crate) left: usize,
    pub(crate) buffers: &'a mut GuideBuffers,
}

impl<S: StepScores> Guide<'_, S> {
    /// Algorithm 2: the continuations that are kept, best first.
    pub(crate) fn find(&mut self, out: &mut Vec<Continuation>) {
        let mut bans = self.progress.bans(bans::CONSTRAINED, self.facts);
        self.space.best(self.width, &mut bans, out);
        let Progress { automaton, states } = &self.progress;
        if states.iter().all(|&state| automaton.is_done(state)) {
            return;
        }
        // Takes as many continuations of each hypothesis as a bank has places. The paper takes only the best one; then
        // banks that have good hypotheses of their own lose their places to neighbours.
        let share = match self.plan.options.strategy {
            Strategy::States => self.plan.options.beam_size,
            _ => self.width.div_ceil(automaton.needed(StateId::START) + 1),
        };
        let mut bans = self.progress.bans(bans::CONSTRAINED, self.facts);
        self.space.best_of_each(share, &mut bans, out);
        self.add_progress(out);
        if self.plan.has_rest_costs {
            self.add_ends(out);
        }
        out.sort_unstable_by(Continuation::by_score);
        out.dedup_by_key(|continuation| (continuation.place, continuation.word));
        self.drop_late(out);
        match self.plan.options.strategy {
            _ if self.plan.has_rest_costs => self.rank(out),
            Strategy::States => self.keep_states(out),
            _ => self.allocate(out),
        }
    }

    /// The state after a continuation; the end of sentence changes none.
    fn state_after(&mut self, continuation: &Continuation) -> StateId {
        let state = self.progress.states[continuation.place];
        if continuation.word == self.facts.end {
            return state;
        }
        self.progress.automaton.after(state, continuation.word)
    }

    /// Keeps the best continuations where the words that are still needed are counted at their rest cost: the best of
    /// each bank of terms, or the best of all if there is no place for each bank.
    fn rank(&mut self, out: &mut Vec<Continuation>) {
        self.buffers.ranked.clear();
        for number in 0..self.buffers.needed.len() {
            let (continuation, _) = self.buffers.needed[number];
            let after = self.state_after(&continuation);
            let ends = continuation.word == self.facts.end;
            let rest = if ends { 0.0 } else { self.progress.automaton.rest(after) };
            let met = self.progress.automaton.met_terms(after);
            self.buffers.ranked.push((continuation.score + rest, met, continuation));
        }
        let GuideBuffers { ranked, banks, .. } = &mut *self.buffers;
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| Continuation::by_score(&a.2, &b.2)));
        let terms = self.progress.automaton.terms();
        if self.width > terms {
            banks.count(terms + 1, ranked.iter().map(|(_, met, _)| *met));
            banks.divide(self.width);
            ranked.retain(|(_, met, _)| banks.take(*met));
        }
        out.clear();
        out.extend(ranked.iter().take(self.width).map(|(_, _, continuation)| *continuation));
        out.sort_unstable_by(Continuation::by_score);
    }

    /// Adds the continuations that come nearer to meeting the constraints.
    fn add_progress(&mut self, out: &mut Vec<Continuation>) {
        for place in 0..self.space.places.len() {
            let at = self.space.places[place];
            let state = self.progress.states[place];
            let is_patient = self.left > self.progress.automaton.needed(state) + ROOM;
            let list = if is_patient { bans::PATIENT_TERMS } else { bans::TERMS };
            for number in 0..self.progress.automaton.next(state).len() {
                let word = self.progress.automaton.next(state)[number];
                let log_prob = self.space.scores.score(at.row, word);
                self.progress.automaton.rest_costs.saw(word, log_prob);
                let score = log_prob + at.so_far;
                if score > f32::NEG_INFINITY && !self.progress.bans(list, self.facts).ban(place, word) {
                    out.push(Continuation { place, word, score });
                }
            }
        }
    }

    /// Where a term is met if its last written word ends: adds the best continuation that begins a new one.
    fn add_ends(&mut self, out: &mut Vec<Continuation>) {
        for place in 0..self.space.places.len() {
            let Some(last) = self.progress.automaton.whole(self.progress.states[place]) else { continue };
            let found = out.len();
            let mut bans = self.progress.bans(bans::NEW_WORDS, self.facts);
            self.space.best_of(place, 1, &mut bans, out);
            for continuation in &out[found..] {
                let log_prob = continuation.score - self.space.places[place].so_far;
                self.progress.automaton.rest_costs.saw_after(last, log_prob);
            }
        }
    }

    /// Fills `buffers.needed` with the `continuations` that leave room for the needed words and the end of sentence
    /// before the length limit. If none does, takes the ends of sentence; if no hypothesis may end, keeps all.
    fn drop_late(&mut self, continuations: &[Continuation]) {
        self.buffers.needed.clear();
        for continuation in continuations {
            let after = self.state_after(continuation);
            let needed = self.progress.automaton.needed(after);
            self.buffers.needed.push((*continuation, needed));
        }
        let left = self.left - 1;
        let facts = self.facts;
        // An unfinished character must be finished first.
        let bytes = |to: &Continuation| facts.bytes.after(facts.character(to.place), to.word).missing();
        let in_time = |(to, needed): &(Continuation, usize)| *needed == 0 || needed + bytes(to) < left;
        if !self.buffers.needed.iter().any(in_time) {
            for place in 0..self.space.places.len() {
                if self.progress.bans(bans::ENDS, facts).ban(place, facts.end) {
                    continue;
                }
                let score = self.space.score(place, facts.end);
                if score > f32::NEG_INFINITY {
                    self.buffers.needed.push((Continuation { place, word: facts.end, score }, 0));
                }
            }
        }
        let needed = &mut self.buffers.needed;
        if needed.iter().any(in_time) {
            needed.retain(in_time);
        }
    }

    /// Keeps the best continuations of each set of met words. Finished hypotheses keep their places.
    fn keep_states(&mut self, out: &mut Vec<Continuation>) {
        let each = self.plan.options.beam_size;
        let ended = self.plan.width - self.width;
        self.buffers.left.clear();
        out.clear();
        for number in 0..self.buffers.needed.len() {
            let (continuation, needed) = self.buffers.needed[number];
            let after = self.state_after(&continuation);
            let left = &mut self.buffers.left;
            let bank = self.progress.automaton.bank(after);
            if bank >= left.len() {
                left.resize(bank + 1, each);
            }
            let kept = if needed == 0 { ended } else { 0 };
            if left[bank] > kept && out.len() < self.width {
                left[bank] -= 1;
                out.push(continuation);
            }
        }
    }

    /// Divides the beam among the banks and keeps the best continuations of each.
    fn allocate(&mut self, out: &mut Vec<Continuation>) {
        let GuideBuffers { needed, banks, .. } = &mut *self.buffers;
        let all = self.progress.automaton.needed(StateId::START);
        let bank = |needed: usize| all.saturating_sub(needed);
        banks.count(all + 1, needed.iter().map(|(_, needed)| bank(*needed)));
        match self.plan.options.strategy {
            Strategy::Grid => banks.divide_evenly(self.plan.options.beam_size, self.width),
            _ => banks.divide(self.width),
        }
        out.clear();
        out.extend(
            needed.iter().filter(|(_, needed)| banks.take(bank(*needed))).map(|(continuation, _)| *continuation),
        );
    }
}

/// The best continuations where there are no constraints.
pub(crate) fn find_unconstrained<S: StepScores>(
    space: &mut CandidateSpace<'_, S>,
    facts: BanFacts<'_>,
    width: usize,
    ending: Ending,
    out: &mut Vec<Continuation>,
) {
    let mut bans = Bans { list: bans::UNCONSTRAINED, facts, progress: None };
    if ending != (Ending::Fill { ends_beside: true }) {
        return space.best(width, &mut bans, out);
    }
    // Each hypothesis ends once at most.
    space.best(width + space.places.len(), &mut bans, out);
    let mut left = width;
    out.retain(|continuation| {
        let open = continuation.word != facts.end;
        let kept = left > 0;
        left -= usize::from(open && kept);
        kept
    });
}

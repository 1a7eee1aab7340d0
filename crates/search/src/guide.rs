//! Dynamic beam allocation: selects continuations so that constraints are met (Post and Vilar 2018, §3).

use crate::candidates::{Bans, BeamPlace, Best, Choices, Continuation};
use crate::characters::{ByteWords, Character};
use crate::constraints::{Automaton, Banks, StateId};
use crate::{Options, Strategy};
use metaphrase_base::{StepScores, WordId};
use std::ops::Range;

/// One step of a sentence.
pub(crate) struct Step<'a> {
    /// The open hypotheses.
    pub(crate) places: &'a [BeamPlace],
    /// The sentence's rows.
    pub(crate) rows: Range<usize>,
    /// Places in the beam.
    pub(crate) width: usize,
    pub(crate) options: &'a Options,
    /// By place, in order: words that would repeat a sequence that may stand once.
    pub(crate) repeats: &'a [(usize, WordId)],
    /// By place: the character that it has said a part of. None where characters may be broken.
    pub(crate) characters: &'a [Character],
    /// How many words may follow behind the next one.
    pub(crate) room: usize,
    /// The word that ends a sentence.
    pub(crate) end: WordId,
}

/// Bans the words that would repeat a sequence that may stand once, and those that would break a character off.
#[derive(Clone, Copy)]
struct Always<'a> {
    repeats: &'a [(usize, WordId)],
    characters: &'a [Character],
    bytes: &'a ByteWords,
    room: usize,
}

impl Always<'_> {
    fn breaks(&self, place: usize, word: WordId) -> bool {
        self.characters.get(place).is_some_and(|&character| self.bytes.breaks(character, word, self.room))
    }
}

impl Bans for Always<'_> {
    fn likely(&self, place: usize) -> usize {
        self.repeats.iter().filter(|(of, _)| *of == place).count()
    }

    fn ban(&mut self, place: usize, word: WordId) -> bool {
        self.repeats.binary_search(&(place, word)).is_ok() || self.breaks(place, word)
    }
}

impl Step<'_> {
    fn always(&self) -> Always<'_> {
        let Self { repeats, characters, room, .. } = *self;
        Always { repeats, characters, bytes: &self.options.bytes, room }
    }

    fn choices(&self) -> Choices<'_> {
        Choices {
            places: self.places,
            rows: self.rows.clone(),
            excluded: &self.options.excluded,
            characters: self.characters,
            bytes: &self.options.bytes,
        }
    }

    /// The best continuations where there are no constraints.
    pub(crate) fn find(&self, best: &mut Best, scores: &mut impl StepScores, out: &mut Vec<Continuation>) {
        if !self.options.stop.ends_beside() {
            return best.find(&self.choices(), &mut self.always(), self.width, scores, out);
        }
        // Each hypothesis ends once at most.
        best.find(&self.choices(), &mut self.always(), self.width + self.places.len(), scores, out);
        let mut left = self.width;
        out.retain(|continuation| {
            let open = continuation.word != self.end;
            let kept = left > 0;
            left -= usize::from(open && kept);
            kept
        });
    }
}

/// Bans the end of sentence before all constraints are met (§3.3), the last word of a phrase to avoid, and what is always banned.
struct Unready<'a> {
    automaton: &'a mut Automaton,
    states: &'a [StateId],
    /// Words that would be said the third time in a row.
    loops: &'a [(usize, WordId)],
    always: Always<'a>,
    /// The place from which places are counted.
    first: usize,
    end: WordId,
    /// Whether the end of sentence is left out already.
    no_end: bool,
}

impl Bans for Unready<'_> {
    fn likely(&self, place: usize) -> usize {
        let place = self.first + place;
        let loops = self.loops.iter().filter(|(of, _)| *of == place).count();
        let ends = !self.no_end && !self.automaton.may_end(self.states[place]);
        usize::from(ends) + loops + self.always.likely(place)
    }

    fn ban(&mut self, place: usize, word: WordId) -> bool {
        let place = self.first + place;
        let state = self.states[place];
        if word == self.end {
            return !self.automaton.may_end(state) || self.always.ban(place, word);
        }
        self.loops.contains(&(place, word)) || self.always.ban(place, word) || self.automaton.bans(state, word)
    }
}

/// Bans the words that continue a written word, too.
struct NewWord<'a>(Unready<'a>);

impl Bans for NewWord<'_> {
    fn likely(&self, place: usize) -> usize {
        self.0.likely(place)
    }

    fn ban(&mut self, place: usize, word: WordId) -> bool {
        self.0.automaton.continues(word) || self.0.ban(place, word)
    }
}

/// While this number of words fits beside those that are needed, no word of a term is said in a loop.
const ROOM: usize = 4;

/// Work space.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    states: Vec<StateId>,
    excluded: Vec<WordId>,
    /// Words still needed after each continuation.
    needed: Vec<(Continuation, usize)>,
    banks: Banks,
}

/// The constraints of a sentence.
pub(crate) struct Guide<'a> {
    pub(crate) automaton: &'a mut Automaton,
    /// How many words may still follow, the next one and the end of sentence included.
    pub(crate) left: usize,
    /// Whether the beam is too narrow for banks.
    pub(crate) narrow: bool,
    /// By place: words that would be said the third time in a row.
    pub(crate) loops: &'a [(usize, WordId)],
}

impl Guide<'_> {
    /// Algorithm 2: the continuations that are kept, given the `states` of the hypotheses; best first.
    pub(crate) fn find(
        &mut self,
        step: &Step<'_>,
        states: impl Iterator<Item = StateId>,
        scores: &mut impl StepScores,
        best: &mut Best,
        buffers: &mut Buffers,
        out: &mut Vec<Continuation>,
    ) {
        buffers.states.clear();
        buffers.states.extend(states);
        let of = &buffers.states[..];
        let always = step.always();
        // Where no hypothesis may end, as is so most of the time, no place in the lists is spent on it.
        let no_end = !of.iter().any(|&state| self.automaton.may_end(state));
        buffers.excluded.clear();
        buffers.excluded.extend(step.options.excluded.iter().copied().chain(no_end.then_some(step.end)));
        let choices = Choices { excluded: &buffers.excluded, ..step.choices() };
        let (states, end) = (of, step.end);
        let mut bans = Unready { automaton: self.automaton, states, loops: self.loops, always, first: 0, end, no_end };
        best.find(&choices, &mut bans, step.width, scores, out);
        if of.iter().all(|&state| bans.automaton.is_done(state)) {
            return;
        }
        // As many continuations of each hypothesis as a bank has places. The paper takes the best one alone; then banks that
        // have good hypotheses of their own lose their places to neighbours.
        let share = step.width.div_ceil(bans.automaton.needed(StateId::START) + 1);
        best.find_each(&choices, &mut bans, share, scores, out);
        self.add_progress(step, of, scores, out);
        if self.narrow {
            self.add_ends(step, of, scores, best, out);
        }
        out.sort_unstable_by(Continuation::by_score);
        out.dedup_by_key(|continuation| (continuation.place, continuation.word));
        self.drop_late(step, buffers, scores, out);
        if self.narrow { self.rank(step, buffers, out) } else { self.allocate(step, buffers, out) }
    }

    /// Keeps the best continuations where the words that are still needed are counted at their rest cost.
    fn rank(&mut self, step: &Step<'_>, buffers: &mut Buffers, out: &mut Vec<Continuation>) {
        let Buffers { states: of, needed, .. } = buffers;
        let mut ranked: Vec<(f32, Continuation)> = Vec::with_capacity(needed.len());
        for &(continuation, _) in &*needed {
            let Continuation { place, word, score } = continuation;
            let rest = if word == step.end {
                0.0
            } else {
                let after = self.automaton.after(of[place], word);
                self.automaton.rest(after)
            };
            ranked.push((score + rest, continuation));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| Continuation::by_score(&a.1, &b.1)));
        out.clear();
        out.extend(ranked.into_iter().take(step.width).map(|(_, continuation)| continuation));
        out.sort_unstable_by(Continuation::by_score);
    }

    /// Adds the continuations that come nearer to meeting the constraints.
    fn add_progress(
        &mut self,
        step: &Step<'_>,
        of: &[StateId],
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        for (place, (&state, at)) in of.iter().zip(step.places).enumerate() {
            for word in 0..self.automaton.next(state).len() {
                let word = self.automaton.next(state)[word];
                let log_prob = scores.score(at.row, word);
                self.automaton.saw(word, log_prob);
                let score = log_prob + at.so_far;
                let needed = self.automaton.needed(state);
                let loops = self.left > needed + ROOM && self.loops.contains(&(place, word));
                let banned = self.automaton.bans(state, word) || step.always().breaks(place, word);
                let allowed = !loops && !step.options.excluded.contains(&word) && !banned;
                if score > f32::NEG_INFINITY && allowed {
                    out.push(Continuation { place, word, score });
                }
            }
        }
    }

    /// Where a term is met if its last written word ends: adds the best continuation that begins a new one.
    fn add_ends(
        &mut self,
        step: &Step<'_>,
        of: &[StateId],
        scores: &mut impl StepScores,
        best: &mut Best,
        out: &mut Vec<Continuation>,
    ) {
        for (place, at) in step.places.iter().enumerate() {
            let Some(last) = self.automaton.whole(of[place]) else { continue };
            let (found, always) = (out.len(), step.always());
            let (automaton, states, end) = (&mut *self.automaton, of, step.end);
            let unready = Unready { automaton, states, loops: &[], always, first: place, end, no_end: false };
            let characters = step.characters.get(place..=place).unwrap_or_default();
            let choices = Choices { places: &step.places[place..=place], characters, ..step.choices() };
            best.find_each(&choices, &mut NewWord(unready), 1, scores, out);
            for continuation in &mut out[found..] {
                continuation.place = place;
                self.automaton.saw_after(last, continuation.score - at.so_far);
            }
        }
    }

    /// Fills `buffers.needed` with the `continuations` after which the words that are needed and the end of sentence still
    /// fit, if there are any: else the limit would come first.
    fn drop_late(
        &mut self,
        step: &Step<'_>,
        buffers: &mut Buffers,
        scores: &mut impl StepScores,
        continuations: &[Continuation],
    ) {
        let Buffers { states: of, needed, .. } = buffers;
        needed.clear();
        needed.extend(continuations.iter().map(|&continuation| {
            let state = of[continuation.place];
            let ends = continuation.word == step.end;
            let state = if ends { state } else { self.automaton.after(state, continuation.word) };
            (continuation, self.automaton.needed(state))
        }));
        let left = self.left - 1;
        // A character that has begun has to be said to its end first.
        let bytes = |to: &Continuation| {
            let character = step.characters.get(to.place).copied().unwrap_or(Character::WHOLE);
            step.options.bytes.after(character, to.word).missing()
        };
        let in_time = |(to, needed): &(Continuation, usize)| *needed == 0 || needed + bytes(to) < left;
        if !needed.iter().any(in_time) {
            let may_end = |place: usize, state| self.automaton.may_end(state) && !step.always().ban(place, step.end);
            let ready = of.iter().zip(step.places).enumerate().filter(|&(place, (&state, _))| may_end(place, state));
            let ends = ready.map(|(place, (_, at))| Continuation {
                place,
                word: step.end,
                score: scores.score(at.row, step.end) + at.so_far,
            });
            needed.extend(ends.filter(|end| end.score > f32::NEG_INFINITY).map(|end| (end, 0)));
        }
        if needed.iter().any(in_time) {
            needed.retain(in_time);
        }
    }

    /// Divides the beam among the banks and keeps the best continuations of each.
    fn allocate(&self, step: &Step<'_>, buffers: &mut Buffers, out: &mut Vec<Continuation>) {
        let Buffers { needed, banks, .. } = buffers;
        let all = self.automaton.needed(StateId::START);
        let bank = |needed: usize| all.saturating_sub(needed);
        banks.count(all + 1, needed.iter().map(|(_, needed)| bank(*needed)));
        match step.options.strategy {
            Strategy::Grid => banks.divide_evenly(step.options.beam_size, step.width),
            _ => banks.divide(step.width),
        }
        out.clear();
        out.extend(
            needed.iter().filter(|(_, needed)| banks.take(bank(*needed))).map(|(continuation, _)| *continuation),
        );
    }
}

//! The best continuations of a sentence's open hypotheses. Each hypothesis is scored by a row of its own, or by one
//! that it shares.

mod cube;

use crate::bans::{BanFacts, Bans};
use crate::characters::ByteWords;
use cube::Cube;
use metaphrase_base::{Candidate, Row, StepScores, WordId, by_score_desc};
use std::cmp::Ordering;
use std::ops::Range;

/// A place in the beam: an open hypothesis as a step sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BeamPlace {
    /// Log-probability so far.
    pub(crate) so_far: f32,
    /// The row that scores its continuations.
    pub(crate) row: Row,
}

/// A continuation: the hypothesis at `place` followed by `word`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Continuation {
    pub(crate) place: usize,
    pub(crate) word: WordId,
    /// Log-probability of the whole hypothesis.
    pub(crate) score: f32,
}

impl Continuation {
    /// Best first; among equal ones the earlier hypothesis, then the smaller word.
    pub(crate) fn by_score(a: &Self, b: &Self) -> Ordering {
        b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)).then(a.word.cmp(&b.word))
    }
}

/// The words after some rows of a sentence.
struct Question<'a> {
    rows: Range<usize>,
    /// By row: the log-probability so far, which is added to the row's scores.
    so_far: &'a [f32],
    excluded: &'a [WordId],
    /// The number of candidates that are wanted.
    k: usize,
}

impl Question<'_> {
    /// Requests the best candidates and takes those that are not banned, `k` at most. Returns whether there are `k` of
    /// them, or all that there are.
    fn ask(
        &self,
        requested: usize,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(&Candidate) -> bool,
        out: &mut Vec<Candidate>,
    ) -> bool {
        scores.top(self.rows.clone(), self.so_far, requested, self.excluded, out);
        let all = out.len() < requested;
        out.retain(|candidate| !ban(candidate));
        let enough = all || out.len() >= self.k;
        out.truncate(self.k);
        enough
    }

    /// As [`ask`](Self::ask), and requests more until there are enough.
    fn insist(
        &self,
        mut requested: usize,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(&Candidate) -> bool,
        out: &mut Vec<Candidate>,
    ) {
        while !self.ask(requested, scores, &mut ban, out) {
            requested *= 4;
        }
    }
}

/// The words after one row.
struct RowQuestion<'a> {
    open: BeamPlace,
    /// The number of candidates that are wanted, and the number that is requested first.
    k: usize,
    requested: usize,
    /// Whether the row is inside a character: then, if the request leaves too few candidates, all bytes are scored.
    is_inside: bool,
    facts: BanFacts<'a>,
}

impl RowQuestion<'_> {
    /// The `k` best candidates that are not banned.
    fn ask(&self, scores: &mut impl StepScores, mut ban: impl FnMut(WordId) -> bool, out: &mut Vec<Candidate>) {
        let BeamPlace { row, so_far } = self.open;
        let rows = row.index()..row.index() + 1;
        let question = Question { rows, so_far: &[so_far], excluded: self.facts.excluded, k: self.k };
        if question.ask(self.requested, scores, |candidate| ban(candidate.word), out) {
            return;
        }
        if !self.is_inside {
            return question.insist(4 * self.requested, scores, |candidate| ban(candidate.word), out);
        }
        out.clear();
        add_bytes(self.open, self.facts.bytes, scores, ban, out);
        out.sort_by(by_score_desc);
        out.truncate(self.k);
    }
}

/// Adds the bytes that are not banned after the hypothesis `open`.
fn add_bytes(
    open: BeamPlace,
    bytes: &ByteWords,
    scores: &mut impl StepScores,
    mut ban: impl FnMut(WordId) -> bool,
    out: &mut Vec<Candidate>,
) {
    let BeamPlace { row, so_far } = open;
    let allowed = bytes.words().filter(|word| !ban(*word));
    let scored = allowed.map(|word| Candidate { row, word, score: scores.score(row, word) + so_far });
    out.extend(scored.filter(|candidate| candidate.score > f32::MIN));
}

/// Buffers of the questions of a step.
#[derive(Debug, Default)]
pub(crate) struct CandidateBuffers {
    so_far: Vec<f32>,
    candidates: Vec<Candidate>,
    cube: Cube,
}

/// The continuations of a sentence's open hypotheses, among which search looks for the best.
pub(crate) struct CandidateSpace<'a, S> {
    /// The open hypotheses.
    pub(crate) places: &'a [BeamPlace],
    /// The sentence's rows of the step, in the order of `places`.
    pub(crate) rows: Range<usize>,
    pub(crate) scores: &'a mut S,
    pub(crate) buffers: &'a mut CandidateBuffers,
}

impl<S: StepScores> CandidateSpace<'_, S> {
    /// The `k` best continuations where each hypothesis has a row of its own (`TOPB` of Algorithm 1), or, if rows are
    /// shared, those that the cubes of [`Cube`] hold.
    pub(crate) fn best(&mut self, k: usize, bans: &mut Bans<'_>, out: &mut Vec<Continuation>) {
        out.clear();
        if self.rows.len() < self.places.len() {
            return self.best_of_cubes(k, bans, out);
        }
        let Self { places, rows, scores, buffers } = self;
        let CandidateBuffers { so_far, candidates, .. } = &mut **buffers;
        let facts = bans.facts;
        so_far.clear();
        so_far.extend(places.iter().map(|place| place.so_far));
        let place = |candidate: &Candidate| candidate.row.index() - rows.start;
        let likely: usize = (0..places.len()).map(|place| bans.likely(place)).sum();
        let question = Question { rows: rows.clone(), so_far, excluded: facts.excluded, k };
        let mut ban = |candidate: &Candidate| bans.ban(place(candidate), candidate.word);
        if !question.ask(k + likely, *scores, &mut ban, candidates) {
            for (place, so_far) in so_far.iter_mut().enumerate() {
                if facts.is_inside_character(place) {
                    // Where the sum is -infinity, nothing follows.
                    *so_far = f32::NEG_INFINITY;
                }
            }
            let question = Question { rows: rows.clone(), so_far, excluded: facts.excluded, k };
            question.insist(4 * (k + likely), *scores, ban, candidates);
            let others = candidates.len();
            for place in (0..places.len()).filter(|&place| facts.is_inside_character(place)) {
                add_bytes(places[place], facts.bytes, *scores, |word| bans.ban(place, word), candidates);
            }
            // Ties among the others stay in the order of the scores' answer.
            if candidates.len() > others {
                candidates.sort_by(by_score_desc);
                candidates.truncate(k);
            }
        }
        let found = candidates.iter().map(|c| Continuation { place: place(c), word: c.word, score: c.score });
        out.extend(found);
    }

    /// Adds the `k` best continuations of each hypothesis.
    pub(crate) fn best_of_each(&mut self, k: usize, bans: &mut Bans<'_>, out: &mut Vec<Continuation>) {
        for place in 0..self.places.len() {
            self.best_of(place, k, bans, out);
        }
    }

    /// Adds the `k` best continuations of the hypothesis at `place`.
    pub(crate) fn best_of(&mut self, place: usize, k: usize, bans: &mut Bans<'_>, out: &mut Vec<Continuation>) {
        let candidates = &mut self.buffers.candidates;
        let question = RowQuestion {
            open: self.places[place],
            k,
            requested: k + bans.likely(place),
            is_inside: bans.facts.is_inside_character(place),
            facts: bans.facts,
        };
        question.ask(self.scores, |word| bans.ban(place, word), candidates);
        out.extend(candidates.iter().map(|c| Continuation { place, word: c.word, score: c.score }));
    }

    /// The score of the hypothesis at `place` followed by `word`.
    pub(crate) fn score(&mut self, place: usize, word: WordId) -> f32 {
        let BeamPlace { row, so_far } = self.places[place];
        self.scores.score(row, word) + so_far
    }
}

#[cfg(test)]
mod tests;

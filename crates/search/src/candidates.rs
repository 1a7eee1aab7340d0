//! The best continuations of a sentence's open hypotheses. Each hypothesis is scored by a row of its own, or by one that
//! it shares.

use crate::characters::{ByteWords, Character};
use metaphrase_base::{Candidate, Row, StepScores, WordId, by_score_desc};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
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

/// The words that may not follow a hypothesis.
pub(crate) trait Bans {
    /// The number of words that are likely to be banned after the hypothesis at `place`: so many more are asked for at once.
    fn likely(&self, place: usize) -> usize;

    /// Whether `word` may not follow the hypothesis at `place`.
    fn ban(&mut self, place: usize, word: WordId) -> bool;
}

/// The words after some rows of a sentence.
struct Question<'a> {
    rows: Range<usize>,
    /// Added to the scores of each row.
    so_far: &'a [f32],
    excluded: &'a [WordId],
    /// How many candidates are wanted.
    k: usize,
}

impl Question<'_> {
    /// Takes those that are not banned of the best `asked` candidates, `k` at most. Returns whether there are `k` of them, or all that
    /// there are.
    fn ask(
        &self,
        asked: usize,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(&Candidate) -> bool,
        out: &mut Vec<Candidate>,
    ) -> bool {
        scores.top(self.rows.clone(), self.so_far, asked, self.excluded, out);
        let all = out.len() < asked;
        out.retain(|candidate| !ban(candidate));
        let enough = all || out.len() >= self.k;
        out.truncate(self.k);
        enough
    }

    /// As [`ask`](Self::ask), and asks for more until there are enough.
    fn insist(
        &self,
        mut asked: usize,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(&Candidate) -> bool,
        out: &mut Vec<Candidate>,
    ) {
        while !self.ask(asked, scores, &mut ban, out) {
            asked *= 4;
        }
    }
}

/// The continuations among which the best are looked for.
pub(crate) struct Choices<'a> {
    /// The open hypotheses.
    pub(crate) places: &'a [BeamPlace],
    /// The sentence's rows of the step, in the order of `places`.
    pub(crate) rows: Range<usize>,
    /// Words that follow no hypothesis.
    pub(crate) excluded: &'a [WordId],
    /// By place: the character that it has said a part of. None where characters may be broken.
    pub(crate) characters: &'a [Character],
    /// The words that stand for bytes.
    pub(crate) bytes: &'a ByteWords,
}

impl Choices<'_> {
    /// Whether the hypothesis at `place` has said a part of a character: of thousands of words 64 at most may follow, so one does not
    /// look for these among the best.
    fn is_inside_character(&self, place: usize) -> bool {
        self.characters.get(place).is_some_and(|&character| character != Character::WHOLE)
    }

    /// The `k` best candidates after one row. `asked` are asked for at first; `inside` a character the bytes are looked at, if need be.
    fn of_row(
        &self,
        open: BeamPlace,
        (k, asked): (usize, usize),
        inside: bool,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(WordId) -> bool,
        out: &mut Vec<Candidate>,
    ) {
        let BeamPlace { row, so_far } = open;
        let rows = row.index()..row.index() + 1;
        let question = Question { rows, so_far: &[so_far], excluded: self.excluded, k };
        if question.ask(asked, scores, |candidate| ban(candidate.word), out) {
            return;
        }
        if !inside {
            return question.insist(4 * asked, scores, |candidate| ban(candidate.word), out);
        }
        out.clear();
        self.add_bytes(row, so_far, scores, ban, out);
        out.sort_by(by_score_desc);
        out.truncate(k);
    }

    /// Adds the bytes that are not banned after `row`, whose hypothesis has this log-probability `so_far`.
    fn add_bytes(
        &self,
        row: Row,
        so_far: f32,
        scores: &mut impl StepScores,
        mut ban: impl FnMut(WordId) -> bool,
        out: &mut Vec<Candidate>,
    ) {
        let allowed = self.bytes.words().filter(|word| !self.excluded.contains(word) && !ban(*word));
        let scored = allowed.map(|word| Candidate { row, word, score: scores.score(row, word) + so_far });
        out.extend(scored.filter(|candidate| candidate.score > f32::MIN));
    }
}

/// Finds the best continuations; keeps its work space.
#[derive(Debug, Default)]
pub(crate) struct Best {
    so_far: Vec<f32>,
    candidates: Vec<Candidate>,
    cube: Cube,
}

impl Best {
    /// The `k` best continuations where each hypothesis has a row of its own (`TOPB` of Algorithm 1), or, if rows are
    /// shared, those that the cubes of [`Cube`] hold.
    pub(crate) fn find(
        &mut self,
        choices: &Choices<'_>,
        bans: &mut impl Bans,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        let &Choices { places, ref rows, excluded, .. } = choices;
        out.clear();
        if rows.len() < places.len() {
            return self.cube.find(choices, bans, k, scores, out);
        }
        let Self { so_far, candidates, .. } = self;
        so_far.clear();
        so_far.extend(places.iter().map(|place| place.so_far));
        let place = |candidate: &Candidate| candidate.row.index() - rows.start;
        let likely: usize = (0..places.len()).map(|place| bans.likely(place)).sum();
        let question = Question { rows: rows.clone(), so_far, excluded, k };
        let mut ban = |candidate: &Candidate| bans.ban(place(candidate), candidate.word);
        if !question.ask(k + likely, scores, &mut ban, candidates) {
            let inside = |&place: &usize| choices.is_inside_character(place);
            // Where nothing is so far, nothing follows.
            (0..places.len()).filter(inside).for_each(|place| so_far[place] = f32::NEG_INFINITY);
            let question = Question { rows: rows.clone(), so_far, excluded, k };
            question.insist(4 * (k + likely), scores, ban, candidates);
            let others = candidates.len();
            for place in (0..places.len()).filter(inside) {
                let BeamPlace { row, so_far } = places[place];
                choices.add_bytes(row, so_far, scores, |word| bans.ban(place, word), candidates);
            }
            // Ties among the others stay in the order of the answer.
            if candidates.len() > others {
                candidates.sort_by(by_score_desc);
                candidates.truncate(k);
            }
        }
        let found = candidates.iter().map(|c| Continuation { place: place(c), word: c.word, score: c.score });
        out.extend(found);
    }

    /// The `k` best continuations of each hypothesis.
    pub(crate) fn find_each(
        &mut self,
        choices: &Choices<'_>,
        bans: &mut impl Bans,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        for (place, &open) in choices.places.iter().enumerate() {
            let asked = k + bans.likely(place);
            let inside = choices.is_inside_character(place);
            choices.of_row(open, (k, asked), inside, scores, |word| bans.ban(place, word), &mut self.candidates);
            out.extend(self.candidates.iter().map(|c| Continuation { place, word: c.word, score: c.score }));
        }
    }
}

/// The cubes of Zhang et al. 2018, §3.4: for each row the hypotheses that share it, best first, against the words that
/// follow it, best first. A cell is the sum of both; the best cells are popped from a heap, and each pushes its
/// neighbours.
#[derive(Debug, Default)]
struct Cube {
    /// Hypotheses by row; the hypotheses of a row best first.
    members: Vec<usize>,
    /// The best words of each row, row after row.
    words: Vec<Candidate>,
    slices: Vec<Slice>,
    heap: BinaryHeap<Cell>,
    candidates: Vec<Candidate>,
}

/// One row's part of the cube.
#[derive(Debug, Clone)]
struct Slice {
    members: Range<usize>,
    words: Range<usize>,
}

#[derive(Debug)]
struct Cell {
    slice: usize,
    /// Which member, and which word, of the slice.
    member: usize,
    word: usize,
    continuation: Continuation,
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        Continuation::by_score(&other.continuation, &self.continuation)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl Cube {
    fn find(
        &mut self,
        choices: &Choices<'_>,
        bans: &mut impl Bans,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        let &Choices { places, ref rows, .. } = choices;
        self.arrange(places);
        self.words.clear();
        for (slice, row) in rows.clone().enumerate() {
            let first = self.words.len();
            // A word is needed if one of the hypotheses that share the row may be followed by it.
            let members = &self.members[self.slices[slice].members.clone()];
            let k = k + members.iter().map(|&place| bans.likely(place)).max().unwrap_or(0);
            let inside = members.iter().all(|&place| choices.is_inside_character(place));
            let open = BeamPlace { so_far: 0.0, row: Row::new(row) };
            let ban = |word| members.iter().all(|&place| bans.ban(place, word));
            choices.of_row(open, (k, k), inside, scores, ban, &mut self.candidates);
            self.words.extend_from_slice(&self.candidates);
            self.slices[slice].words = first..self.words.len();
        }
        self.heap.clear();
        (0..self.slices.len()).for_each(|slice| self.push(places, slice, 0, 0));
        while out.len() < k
            && let Some(cell) = self.heap.pop()
        {
            let Cell { slice, member, word, continuation } = cell;
            if !bans.ban(continuation.place, continuation.word) {
                out.push(continuation);
            }
            // Each cell is reached in one way only: down the first column, then to the right.
            self.push(places, slice, member, word + 1);
            if word == 0 {
                self.push(places, slice, member + 1, word);
            }
        }
    }

    /// Groups hypotheses by their rows.
    fn arrange(&mut self, places: &[BeamPlace]) {
        self.members.clear();
        self.members.extend(0..places.len());
        let best_first = |&a: &usize, &b: &usize| places[b].so_far.total_cmp(&places[a].so_far).then(a.cmp(&b));
        self.members.sort_unstable_by(|a, b| places[*a].row.cmp(&places[*b].row).then_with(|| best_first(a, b)));
        self.slices.clear();
        let mut first = 0;
        for members in self.members.chunk_by(|&a, &b| places[a].row == places[b].row) {
            self.slices.push(Slice { members: first..first + members.len(), words: 0..0 });
            first += members.len();
        }
    }

    /// Pushes a cell, if it exists.
    fn push(&mut self, places: &[BeamPlace], slice: usize, member: usize, word: usize) {
        let Slice { members, words } = &self.slices[slice];
        if member < members.len() && word < words.len() {
            let place = self.members[members.start + member];
            let Candidate { word: id, score, .. } = self.words[words.start + word];
            let continuation = Continuation { place, word: id, score: score + places[place].so_far };
            self.heap.push(Cell { slice, member, word, continuation });
        }
    }
}

#[cfg(test)]
mod tests;

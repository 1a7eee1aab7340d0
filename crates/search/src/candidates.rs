//! The best continuations of a sentence's open hypotheses. Each hypothesis is scored by a row of its own, or by one that
//! it shares.

use metaphrase_base::{Candidate, Row, StepScores, WordId};
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
    /// The number of words that may not follow the hypothesis at `place`, at most: so many more must be asked for.
    fn count(&self, place: usize) -> usize;

    /// Whether `word` may not follow the hypothesis at `place`.
    fn ban(&self, place: usize, word: WordId) -> bool;
}

/// The continuations among which the best are looked for.
pub(crate) struct Choices<'a, B> {
    /// The open hypotheses.
    pub(crate) places: &'a [BeamPlace],
    /// The sentence's rows of the step, in the order of `places`.
    pub(crate) rows: Range<usize>,
    /// Words that follow no hypothesis.
    pub(crate) excluded: &'a [WordId],
    pub(crate) bans: &'a B,
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
        choices: &Choices<'_, impl Bans>,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        let &Choices { places, ref rows, excluded, bans } = choices;
        out.clear();
        if rows.len() < places.len() {
            return self.cube.find(choices, k, scores, out);
        }
        self.so_far.clear();
        self.so_far.extend(places.iter().map(|place| place.so_far));
        let banned: usize = (0..places.len()).map(|place| bans.count(place)).sum();
        scores.top(rows.clone(), &self.so_far, k + banned, excluded, &mut self.candidates);
        let continuations = self.candidates.iter().map(|c| (c.row.index() - rows.start, c.word, c.score));
        let allowed = continuations.filter(|&(place, word, _)| banned == 0 || !bans.ban(place, word));
        out.extend(allowed.take(k).map(|(place, word, score)| Continuation { place, word, score }));
    }

    /// The `k` best continuations of each hypothesis.
    pub(crate) fn find_each(
        &mut self,
        choices: &Choices<'_, impl Bans>,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        let &Choices { places, excluded, bans, .. } = choices;
        for (place, open) in places.iter().enumerate() {
            let row = open.row.index();
            scores.top(row..row + 1, &[open.so_far], k + bans.count(place), excluded, &mut self.candidates);
            let allowed = self.candidates.iter().filter(|c| !bans.ban(place, c.word)).take(k);
            out.extend(allowed.map(|c| Continuation { place, word: c.word, score: c.score }));
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
        choices: &Choices<'_, impl Bans>,
        k: usize,
        scores: &mut impl StepScores,
        out: &mut Vec<Continuation>,
    ) {
        let &Choices { places, ref rows, excluded, bans } = choices;
        self.arrange(places);
        self.words.clear();
        for (slice, row) in rows.clone().enumerate() {
            let first = self.words.len();
            let banned = self.members[self.slices[slice].members.clone()].iter().map(|&place| bans.count(place)).max();
            scores.top(row..row + 1, &[0.0], k + banned.unwrap_or(0), excluded, &mut self.candidates);
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

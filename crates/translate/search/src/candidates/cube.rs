//! Cube pruning: hypotheses that share a row.

use super::{BeamPlace, CandidateBuffers, CandidateSpace, Continuation, RowQuestion};
use crate::bans::Bans;
use metaphrase_base::{Candidate, Row, StepScores};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The cubes of Zhang et al. 2018, §3.4: for each row the hypotheses that share it, best first, against the words that
/// follow it, best first. A cell is the sum of both; the best cells are popped from a heap, and each pushes its
/// neighbours.
#[derive(Debug, Default)]
pub(super) struct Cube {
    /// Places of hypotheses, row after row; within a row the best first.
    members: Vec<usize>,
    /// The best words, row after row.
    words: Vec<Candidate>,
    slices: Vec<Slice>,
    heap: BinaryHeap<Cell>,
}

/// One row's part of the cube.
#[derive(Debug, Clone)]
struct Slice {
    members: Range<usize>,
    words: Range<usize>,
}

/// A slice, and the places of a member and of a word in it.
#[derive(Debug, Clone, Copy)]
struct CellPlace {
    slice: usize,
    member: usize,
    word: usize,
}

#[derive(Debug)]
struct Cell {
    at: CellPlace,
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

impl<S: StepScores> CandidateSpace<'_, S> {
    /// The `k` best continuations that the cubes hold.
    pub(super) fn best_of_cubes(&mut self, k: usize, bans: &mut Bans<'_>, out: &mut Vec<Continuation>) {
        let Self { places, rows, scores, buffers } = self;
        let CandidateBuffers { cube, candidates, .. } = &mut **buffers;
        cube.arrange(places);
        cube.words.clear();
        for (slice, row) in rows.clone().enumerate() {
            let first = cube.words.len();
            // A word is needed if one of the hypotheses that share the row may be followed by it.
            let members = &cube.members[cube.slices[slice].members.clone()];
            let k = k + members.iter().map(|&place| bans.likely(place)).max().unwrap_or(0);
            let question = RowQuestion {
                open: BeamPlace { so_far: 0.0, row: Row::new(row) },
                k,
                requested: k,
                is_inside: members.iter().all(|&place| bans.facts.is_inside_character(place)),
                facts: bans.facts,
            };
            question.ask(*scores, |word| members.iter().all(|&place| bans.ban(place, word)), candidates);
            cube.words.extend_from_slice(candidates);
            cube.slices[slice].words = first..cube.words.len();
        }
        cube.heap.clear();
        for slice in 0..cube.slices.len() {
            cube.push(places, CellPlace { slice, member: 0, word: 0 });
        }
        while out.len() < k
            && let Some(Cell { at, continuation }) = cube.heap.pop()
        {
            if !bans.ban(continuation.place, continuation.word) {
                out.push(continuation);
            }
            // Each cell is reached in one way only: down the first column, then to the right.
            cube.push(places, CellPlace { word: at.word + 1, ..at });
            if at.word == 0 {
                cube.push(places, CellPlace { member: at.member + 1, ..at });
            }
        }
    }
}

impl Cube {
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
    fn push(&mut self, places: &[BeamPlace], at: CellPlace) {
        let Slice { members, words } = &self.slices[at.slice];
        if at.member < members.len() && at.word < words.len() {
            let place = self.members[members.start + at.member];
            let Candidate { word, score, .. } = self.words[words.start + at.word];
            let continuation = Continuation { place, word, score: score + places[place].so_far };
            self.heap.push(Cell { at, continuation });
        }
    }
}

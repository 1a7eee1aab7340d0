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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bans::{BanFacts, Repeats};
    use crate::characters::{ByteWords, Character};
    use metaphrase_base::{WordId, WordScores, by_score_desc};

    /// The words after each row, best first, with their scores.
    struct Listed([[(u32, f32); 3]; 2]);

    impl StepScores for Listed {
        fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, _: &[WordId], out: &mut Vec<Candidate>) {
            let words = |(row, so_far): (usize, &f32)| {
                let so_far = *so_far;
                let candidate =
                    move |(word, score)| Candidate { row: Row::new(row), word: WordId(word), score: score + so_far };
                self.0[row].map(candidate)
            };
            out.clear();
            out.extend(rows.zip(so_far).flat_map(words));
            out.sort_by(by_score_desc);
            out.truncate(k);
        }

        fn score(&mut self, _: Row, _: WordId) -> f32 {
            unreachable!("cells are sums")
        }

        fn row(&mut self, _: Row, _: &mut [f32]) {
            unreachable!("nobody samples here")
        }

        fn add(&mut self, _: Row, _: WordScores<'_>) {
            unreachable!("nothing is added here")
        }
    }

    /// Figure 2 of the paper, which has negative log-likelihoods: two sub-cubes, of one hypothesis and of three.
    fn popped(k: usize) -> Vec<(usize, u32, f32)> {
        let mut scores = Listed([[(674, -0.1), (8357, -2.5), (574, -4.5)], [(8, -0.8), (880, -1.2), (29, -3.3)]]);
        let places = [(-6.1, 0), (-6.5, 1), (-7.0, 1), (-7.3, 1)];
        let places = places.map(|(so_far, row)| BeamPlace { so_far, row: Row::new(row) });
        let bytes = ByteWords::new(std::iter::empty());
        let facts = BanFacts {
            excluded: &[],
            repeats: &Repeats::default(),
            characters: &[Character::WHOLE; 4],
            bytes: &bytes,
            room: 9,
            end: WordId(0),
            is_short: false,
        };
        let mut bans = Bans { list: &[], facts, progress: None };
        let (mut buffers, mut out) = (CandidateBuffers::default(), Vec::new());
        let mut space = CandidateSpace { places: &places, rows: 0..2, scores: &mut scores, buffers: &mut buffers };
        space.best(k, &mut bans, &mut out);
        out.iter().map(|found| (found.place, found.word.0, found.score)).collect()
    }

    #[test]
    fn the_cells_of_the_papers_example_are_popped_in_its_order() {
        // (b) to (e) of the figure, and the two cells that are popped after them.
        let expected = [(0, 674, -6.2), (1, 8, -7.3), (1, 880, -7.7), (2, 8, -7.8), (3, 8, -8.1), (2, 880, -8.2)];
        for k in [4, 6] {
            let found = popped(k);
            assert_eq!(found.len(), k);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!((found.0, found.1), (expected.0, expected.1));
                assert!((found.2 - expected.2).abs() < 1e-5, "{found:?}, not {expected:?}");
            }
        }
    }
}

//! All segmentations of a word: their sum and the best of them.

use super::super::double_array::DoubleArray;
use super::super::utf8::char_len;
use super::TrainError as Error;

/// Below this all open sums are multiplied by its inverse: those of long words would leave f64.
const SMALL: f64 = 1e-100;

/// Pieces with their log-probabilities. Each character of the text is a piece.
pub(super) struct Model {
    pub(super) pieces: Vec<Piece>,
    /// `exp` of the scores.
    probabilities: Vec<f64>,
    index: DoubleArray,
}

/// A piece and its log-probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) text: Box<str>,
    pub(super) score: f64,
}

impl Piece {
    /// Whether it is one character, which a model always keeps.
    pub(super) fn is_character(&self) -> bool {
        self.text.as_bytes().first().is_some_and(|&first| char_len(first) == self.text.len())
    }
}

impl Model {
    pub(super) fn new(pieces: Vec<Piece>) -> Result<Self, Error> {
        let mut keys: Vec<(&[u8], u32)> =
            pieces.iter().enumerate().map(|(id, piece)| (piece.text.as_bytes(), id as u32)).collect();
        keys.sort_unstable();
        let index = DoubleArray::build(&keys).ok_or(Error::Format("the index of pieces"))?;
        Ok(Self { probabilities: pieces.iter().map(|piece| piece.score.exp()).collect(), index, pieces })
    }
}

/// A piece in a word: it goes from byte `start` to byte `end`.
#[derive(Debug, Clone, Copy)]
struct Edge {
    start: u32,
    end: u32,
    piece: u32,
}

/// Work space for one word at a time.
#[derive(Default)]
pub(super) struct Lattice {
    /// By start, the shortest first.
    edges: Vec<Edge>,
    /// Probability of all ways to here, and from here to the end; by byte.
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// How often sums were scaled up, from the start of the word to here.
    scaled: Vec<u32>,
    /// Score and last edge of the best way to here.
    best: Vec<(f64, u32)>,
}

impl Lattice {
    /// Finds the pieces in `word`.
    fn fill(&mut self, model: &Model, word: &str) {
        let bytes = word.as_bytes();
        self.edges.clear();
        let mut start = 0;
        while start < bytes.len() {
            let mut cursor = model.index.root();
            for (end, &byte) in bytes.iter().enumerate().skip(start) {
                if !cursor.step(byte) {
                    break;
                }
                if let Some(piece) = cursor.value() {
                    self.edges.push(Edge { start: start as u32, end: end as u32 + 1, piece });
                }
            }
            start += char_len(bytes[start]);
        }
    }

    /// Adds to `expected`, by piece, how often each piece is expected in `count` copies of `word` (forward-backward
    /// algorithm) and returns the log-probability of one.
    pub(super) fn expect(&mut self, model: &Model, word: &str, count: u64, expected: &mut [f64]) -> f64 {
        self.fill(model, word);
        let length = word.len();
        self.sum_forward(model, length);
        self.backward.clear();
        self.backward.resize(length + 1, 0.0);
        self.backward[length] = 1.0;
        let total = self.forward[length];
        let share = count as f64 / total;
        // Where an edge starts, all edges that follow it have been seen.
        for &Edge { start, end, piece } in self.edges.iter().rev() {
            let (start, end) = (start as usize, end as usize);
            let mut rest = model.probabilities[piece as usize] * self.backward[end];
            for _ in self.scaled[start]..self.scaled[end] {
                rest /= SMALL;
            }
            // Only where the way here is so improbable that it counts for nothing.
            rest = rest.min(1e300);
            self.backward[start] += rest;
            expected[piece as usize] += share * self.forward[start] * rest;
        }
        total.ln() + f64::from(self.scaled[length]) * SMALL.ln()
    }

    fn sum_forward(&mut self, model: &Model, length: usize) {
        self.forward.clear();
        self.forward.resize(length + 1, 0.0);
        self.forward[0] = 1.0;
        self.scaled.clear();
        let (mut times, mut frontier) = (0, 0);
        for &Edge { start, end, piece } in &self.edges {
            let (start, end) = (start as usize, end as usize);
            if start >= self.scaled.len() {
                let open = &mut self.forward[start..=frontier.max(start)];
                // Where a long piece lies across, this place alone may be improbable.
                let scale = open.iter().all(|&sum| sum < SMALL);
                if scale {
                    open.iter_mut().for_each(|sum| *sum /= SMALL);
                }
                self.scaled.resize(start, times);
                times += u32::from(scale);
                self.scaled.push(times);
            }
            self.forward[end] += self.forward[start] * model.probabilities[piece as usize];
            frontier = frontier.max(end);
        }
        self.scaled.resize(length + 1, times);
    }

    /// The best segmentation of `word`, as pieces from left to right, and its score; of the ways that are left if
    /// piece `without` is none. `None` if there are none.
    pub(super) fn best(&mut self, model: &Model, word: &str, without: Option<u32>) -> Option<(Vec<u32>, f64)> {
        const NONE: u32 = u32::MAX;
        self.fill(model, word);
        self.best.clear();
        self.best.resize(word.len() + 1, (f64::NEG_INFINITY, NONE));
        self.best[0] = (0.0, NONE);
        for (i, edge) in (0u32..).zip(&self.edges) {
            let score = self.best[edge.start as usize].0 + model.pieces[edge.piece as usize].score;
            let place = &mut self.best[edge.end as usize];
            if score > place.0 && without != Some(edge.piece) {
                *place = (score, i);
            }
        }
        let (score, mut last) = self.best[word.len()];
        let mut pieces = Vec::new();
        while let Some(edge) = self.edges.get(last as usize) {
            pieces.push(edge.piece);
            last = self.best[edge.start as usize].1;
        }
        pieces.reverse();
        score.is_finite().then_some((pieces, score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(pieces: &[(&str, f64)]) -> Model {
        let piece = |&(text, probability): &(&str, f64)| Piece { text: text.into(), score: probability.ln() };
        Model::new(pieces.iter().map(piece).collect()).unwrap()
    }

    #[test]
    fn expectations_are_those_of_all_segmentations() {
        let model = model(&[("a", 0.2), ("b", 0.1), ("ab", 0.3), ("ba", 0.05), ("aba", 0.01)]);
        // a+b+a 0.004, ab+a 0.06, a+ba 0.01, aba 0.01: 0.084.
        let mut expected = [0.0; 5];
        let log_probability = Lattice::default().expect(&model, "aba", 2, &mut expected);
        assert!((log_probability - 0.084f64.ln()).abs() < 1e-12);
        let hand = [2.0 * 0.004 + 0.06 + 0.01, 0.004, 0.06, 0.01, 0.01].map(|share| 2.0 * share / 0.084);
        for (found, hand) in expected.iter().zip(hand) {
            assert!((found - hand).abs() < 1e-12, "{expected:?}, expected {hand:?}");
        }
    }

    #[test]
    fn long_words_stay_in_range() {
        let model = model(&[("a", 1e-6), ("aa", 1e-11), ("b", 1e-9), (&"ab".repeat(20), 1e-20)]);
        for word in ["a".repeat(10_000), "ab".repeat(5_000)] {
            let mut expected = [0.0; 4];
            let log_probability = Lattice::default().expect(&model, &word, 1, &mut expected);
            assert!(log_probability.is_finite() && log_probability < -1e4, "{log_probability}");
            // However the word is cut, its characters are those of its pieces.
            let characters = expected[0] + 2.0 * expected[1] + expected[2] + 40.0 * expected[3];
            assert!((characters - 10_000.0).abs() < 1e-6, "{expected:?}");
        }
    }

    #[test]
    fn the_best_segmentation_can_do_without_a_piece() {
        let model = model(&[("a", 0.2), ("b", 0.1), ("ab", 0.3), ("ba", 0.05)]);
        let mut lattice = Lattice::default();
        let (pieces, score) = lattice.best(&model, "aba", None).unwrap();
        assert_eq!(pieces, [2, 0]);
        assert!((score - 0.06f64.ln()).abs() < 1e-12);
        assert_eq!(lattice.best(&model, "aba", Some(2)).unwrap().0, [0, 3]);
        assert_eq!(lattice.best(&model, "a", Some(0)), None);
    }
}

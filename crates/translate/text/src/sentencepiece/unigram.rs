//! Segmentation with a unigram language model of pieces: the most probable sequence (Kudo 2018, "Subword
//! Regularization", section 3.2), found in one pass from left to right.
//!
//! Arithmetic (f32) and ties follow the C++ library, so that equal scores fall the same way: of two paths to one
//! place the first found wins, and it is the one whose last piece starts first.

use super::double_array::DoubleArray;
use super::file::Kind;
use super::pieces::Pieces;
use super::utf8::char_len;
use super::{Segment, UNKNOWN};

/// An unknown character costs this much more than the least probable piece.
const UNKNOWN_PENALTY: f32 = 10.0;
/// Beyond this the score of the path so far is taken off all open paths: f32 would lose the differences.
const RESET_THRESHOLD: f32 = 100_000.0;

/// The best path that ends at a byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    score: f32,
    /// Length of its last piece; 0 while no path ends here.
    length: u32,
    id: u32,
}

const NONE: Best = Best { score: 0.0, length: 0, id: UNKNOWN };

/// Scores of a unigram model.
#[derive(Debug, Clone)]
pub(super) struct Unigram {
    unknown_score: f32,
}

impl Unigram {
    pub(super) fn new(pieces: &Pieces) -> Self {
        let scores = pieces.iter().filter(|(_, kind)| *kind == Kind::Normal).map(|(score, _)| score);
        Self { unknown_score: scores.fold(f32::MAX, f32::min) - UNKNOWN_PENALTY }
    }

    /// Appends the segments of `text` to `segments`; `best` is work space.
    pub(super) fn segment(
        &self,
        pieces: &Pieces,
        index: &DoubleArray,
        text: &[u8],
        best: &mut Vec<Best>,
        segments: &mut Vec<Segment>,
    ) {
        best.clear();
        best.resize(text.len() + 1, NONE);
        let mut start = 0;
        let mut frontier = 0;
        while start < text.len() {
            let mut so_far = best[start].score;
            if so_far.abs() > RESET_THRESHOLD {
                for place in &mut best[start..=frontier] {
                    place.score -= so_far;
                }
                so_far = 0.0;
            }
            let char_end = (start + char_len(text[start])).min(text.len());
            let mut char_is_piece = false;
            let mut cursor = index.root();
            for (end, &byte) in text.iter().enumerate().skip(start) {
                if !cursor.step(byte) {
                    break;
                }
                let Some(id) = cursor.value() else { continue };
                let end = end + 1;
                let score = match pieces.score_and_kind(id) {
                    (_, Kind::Unused) => continue,
                    (_, Kind::UserDefined) => user_defined_score(end - start),
                    (score, _) => score,
                };
                offer(&mut best[end], start, end, so_far + score, id);
                frontier = frontier.max(end);
                char_is_piece |= end == char_end;
            }
            if !char_is_piece {
                offer(&mut best[char_end], start, char_end, so_far + self.unknown_score, UNKNOWN);
                frontier = frontier.max(char_end);
            }
            start = char_end;
        }
        trace_back(best, segments);
    }
}

/// Longer symbols win, and any of them against its parts.
fn user_defined_score(length: usize) -> f32 {
    (0.1 * (length as f64 - 1.0)) as f32
}

#[inline]
fn offer(place: &mut Best, start: usize, end: usize, score: f32, id: u32) {
    if place.length == 0 || score > place.score {
        *place = Best { score, length: (end - start) as u32, id };
    }
}

fn trace_back(best: &[Best], segments: &mut Vec<Segment>) {
    let first = segments.len();
    let mut end = best.len() - 1;
    while end > 0 {
        let Best { length, id, .. } = best[end];
        segments.push(Segment { end, id });
        // Every place that a path starts from has a path that ends there, of at least one byte.
        end -= (length as usize).max(1);
    }
    segments[first..].reverse();
}

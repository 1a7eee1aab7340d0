//! Segmentation by byte pair encoding (Sennrich et al. 2016): of all neighbours that make a piece, those with the
//! best score are joined first, the leftmost first among equals.

use super::double_array::DoubleArray;
use super::file::Kind;
use super::normalizer::SPACE_MARK;
use super::pieces::Pieces;
use super::utf8::char_len;
use super::{Segment, UNKNOWN};
use foldhash::{HashMap, HashMapExt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How deep unused pieces may be made of unused pieces (as the C++ library has it).
const MAX_DEPTH: usize = 100;

/// How a BPE model may cut its text before it looks for pairs.
#[derive(Debug, Clone)]
pub(super) struct Bpe {
    /// Words can be segmented one by one: no piece goes on across the start of a word, and no unused piece makes
    /// one place depend on others.
    by_word: bool,
    has_unused: bool,
    /// The pairs that are joined, in place of all that make a piece.
    merges: Option<Merges>,
}

/// Pairs of pieces and the order in which they are joined.
#[derive(Debug, Clone, Default)]
pub(super) struct Merges(HashMap<(u32, u32), i32>);

impl Merges {
    /// No pairs, with room for many.
    pub(super) fn with_room(pairs: usize) -> Self {
        Self(HashMap::with_capacity(pairs))
    }

    /// Left piece, right piece and rank of all pairs, by rank.
    pub(super) fn by_rank(&self) -> Vec<[u32; 3]> {
        let mut pairs: Vec<_> = self.0.iter().map(|(&(left, right), &rank)| [rank as u32, left, right]).collect();
        pairs.sort_unstable();
        pairs.into_iter().map(|[rank, left, right]| [left, right, rank]).collect()
    }

    /// A pair that is joined before those of greater ranks. Of equal pairs the last one counts.
    pub(super) fn add(&mut self, left: u32, right: u32, rank: i32) {
        self.0.insert((left, right), rank);
    }
}

/// Work space.
#[derive(Debug, Clone, Default)]
pub(super) struct BpeScratch {
    symbols: Vec<Symbol>,
    agenda: BinaryHeap<Merge>,
    /// Where an unused piece was joined last: the length of its left part.
    splits: HashMap<u32, usize>,
}

/// A run of bytes that is one piece, or one character yet. It ends where the next one starts.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    start: usize,
    /// 0 when it was joined to the one on its left.
    length: usize,
    previous: Option<usize>,
    next: Option<usize>,
    /// Where its bytes lead in the index, if they start a piece.
    node: Option<u32>,
    /// A user-defined symbol, which is never joined.
    frozen: bool,
}

/// An entry of the agenda: symbol `left` and the one after it make a piece of `length` bytes. The order of the
/// fields is the order of the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Merge {
    /// The score, as an integer in the same order.
    rank: i32,
    left: Reverse<usize>,
    /// Out of date if the symbols have changed, that is if their lengths have.
    length: usize,
    node: u32,
}

impl Bpe {
    pub(super) fn new(pieces: &Pieces, merges: Option<Merges>) -> Self {
        // Gaps among the ids are no pieces.
        let has_unused = merges.is_none() && pieces.iter().any(|(_, kind)| kind == Kind::Unused);
        let crosses =
            |text: &str| text.match_indices(SPACE_MARK).any(|(at, _)| at > 0 && !text[..at].ends_with(SPACE_MARK));
        let by_word =
            !has_unused && !pieces.iter().enumerate().any(|(id, (_, kind))| kind.is_text() && crosses(pieces.text(id)));
        Self { by_word, has_unused, merges }
    }

    /// The pairs that are joined, if not all that make a piece are.
    pub(super) fn merges(&self) -> Option<&Merges> {
        self.merges.as_ref()
    }

    /// Appends the segments of `text` to `segments`.
    pub(super) fn segment(
        &self,
        pieces: &Pieces,
        index: &DoubleArray,
        user_defined: Option<&DoubleArray>,
        text: &[u8],
        scratch: &mut BpeScratch,
        segments: &mut Vec<Segment>,
    ) {
        let mut start = 0;
        while start < text.len() {
            let end = if self.by_word { word_end(text, start) } else { text.len() };
            let mut run = Run { bpe: self, pieces, index, text: &text[..end], scratch };
            run.split(start, user_defined);
            run.join();
            run.emit(segments);
            start = end;
        }
    }
}

/// Where the word that starts at `start` ends: before the next mark that follows something else.
pub(super) fn word_end(text: &[u8], start: usize) -> usize {
    let mark = SPACE_MARK.as_bytes();
    let mut end = start;
    while text[end..].starts_with(mark) {
        end += mark.len();
    }
    while end < text.len() && !(text[end] == mark[0] && text[end..].starts_with(mark)) {
        end += 1;
    }
    end
}

/// The segmentation of one run of text.
struct Run<'a> {
    bpe: &'a Bpe,
    pieces: &'a Pieces,
    index: &'a DoubleArray,
    text: &'a [u8],
    scratch: &'a mut BpeScratch,
}

impl Run<'_> {
    /// Makes symbols of the characters and user-defined symbols from `start` on.
    fn split(&mut self, mut start: usize, user_defined: Option<&DoubleArray>) {
        let symbols = &mut self.scratch.symbols;
        symbols.clear();
        while start < self.text.len() {
            let rest = &self.text[start..];
            let fixed = user_defined.and_then(|symbols| symbols.longest_prefix(rest));
            let length = fixed.map_or_else(|| char_len(rest[0]).min(rest.len()), |(length, _)| length);
            let mut cursor = self.index.root();
            let node = cursor.walk(&rest[..length]).then(|| cursor.position());
            let i = symbols.len();
            symbols.push(Symbol {
                start,
                length,
                previous: i.checked_sub(1),
                next: Some(i + 1),
                node,
                frozen: fixed.is_some(),
            });
            start += length;
        }
        if let Some(last) = symbols.last_mut() {
            last.next = None;
        }
    }

    fn join(&mut self) {
        self.scratch.agenda.clear();
        self.scratch.splits.clear();
        for left in 0..self.scratch.symbols.len() {
            self.propose(left);
        }
        while let Some(Merge { left: Reverse(left), length, node, .. }) = self.scratch.agenda.pop() {
            let symbols = &mut self.scratch.symbols;
            let Some(right) = symbols[left].next else {
                continue;
            };
            if symbols[left].length == 0 || symbols[left].length + symbols[right].length != length {
                continue;
            }
            let next = symbols[right].next;
            symbols[right].length = 0;
            if let Some(next) = next {
                symbols[next].previous = Some(left);
            }
            symbols[left].length = length;
            symbols[left].next = next;
            symbols[left].node = Some(node);
            if let Some(previous) = symbols[left].previous {
                self.propose(previous);
            }
            self.propose(left);
        }
    }

    /// Puts symbol `left` and the one after it on the agenda if they make a piece.
    fn propose(&mut self, left: usize) {
        let symbols = &self.scratch.symbols;
        let (a, Some(b)) = (symbols[left], symbols[left].next.map(|next| symbols[next])) else {
            return;
        };
        let Some(node) = a.node.filter(|_| !a.frozen && !b.frozen) else {
            return;
        };
        let mut cursor = self.index.at(node);
        if !cursor.walk(&self.text[b.start..b.start + b.length]) {
            return;
        }
        let Some(id) = cursor.value() else { return };
        let (score, kind) = self.pieces.score_and_kind(id);
        let rank = match &self.bpe.merges {
            None => rank(score),
            Some(merges) => {
                let right = self.index.get(&self.text[b.start..b.start + b.length]);
                let pair = self.index.at(node).value().zip(right);
                let Some(rank) = pair.and_then(|pair| merges.0.get(&pair)) else { return };
                -rank
            }
        };
        self.scratch.agenda.push(Merge {
            rank,
            left: Reverse(left),
            length: a.length + b.length,
            node: cursor.position(),
        });
        if kind == Kind::Unused {
            self.scratch.splits.insert(id, a.length);
        }
    }

    fn emit(&self, segments: &mut Vec<Segment>) {
        let mut place = (!self.scratch.symbols.is_empty()).then_some(0);
        while let Some(i) = place {
            let symbol = self.scratch.symbols[i];
            let end = symbol.start + symbol.length;
            if self.bpe.has_unused {
                self.take_apart(symbol.start, end, 0, segments);
            } else {
                let id = symbol.node.and_then(|node| self.index.at(node).value()).unwrap_or(UNKNOWN);
                segments.push(Segment { end, id });
            }
            place = symbol.next;
        }
    }

    /// Emits a symbol; an unused piece as the parts it was joined from.
    fn take_apart(&self, start: usize, end: usize, depth: usize, segments: &mut Vec<Segment>) {
        let id = self.index.get(&self.text[start..end]).unwrap_or(UNKNOWN);
        let unused = id != UNKNOWN && self.pieces.score_and_kind(id).1 == Kind::Unused;
        if !unused || depth > MAX_DEPTH {
            segments.push(Segment { end, id });
            return;
        }
        match self.scratch.splits.get(&id) {
            Some(&length) => {
                self.take_apart(start, start + length, depth + 1, segments);
                self.take_apart(start + length, end, depth + 1, segments);
            }
            None => segments.push(Segment { end, id: UNKNOWN }),
        }
    }
}

/// An integer in the order of the scores, as [`f32::total_cmp`] has it.
fn rank(score: f32) -> i32 {
    let bits = score.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

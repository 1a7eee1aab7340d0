//! Where the parts of a table are in its bytes. `docs/formats/phrase-table.md` has them byte by byte.

use crate::table::REORDERING_SCORES;
use crate::table::bytes::{u32_at, u64_at};
use std::ops::Range;

pub(super) const MAGIC: &[u8; 16] = b"metaphrase table";
pub(super) const VERSION: u32 = 1;
pub(super) const AT_VERSION: usize = 16;
pub(super) const AT_LENGTH: usize = 24;
pub(super) const AT_CHECKSUM: usize = 32;
/// The checksum covers the bytes from here on.
pub(super) const AT_CHECKED: usize = 40;
const AT_SCORES: usize = 40;
const AT_REORDERING: usize = 44;
const AT_LONGEST: usize = 48;
const AT_COUNTS: usize = 56;
const COUNTS: usize = 12;
pub(super) const HEADER: usize = AT_COUNTS + 8 * COUNTS;

/// Longest source phrase: the memory of a search grows with it.
pub(crate) const LONGEST_SOURCE: usize = 100;
/// More scores than any table has.
const MOST_SCORES: usize = 1000;

/// Numbers of things in a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) source_words: usize,
    pub(super) source_bytes: usize,
    pub(super) source_slots: usize,
    pub(super) target_words: usize,
    pub(super) target_bytes: usize,
    pub(super) nodes: usize,
    pub(super) node_slots: usize,
    pub(super) phrases: usize,
    pub(super) phrase_words: usize,
    pub(super) alignments: usize,
    pub(super) points: usize,
    pub(super) pairs: usize,
}

impl Counts {
    /// All counts, in the order of the file.
    fn all(&mut self) -> [&mut usize; COUNTS] {
        [
            &mut self.source_words,
            &mut self.source_bytes,
            &mut self.source_slots,
            &mut self.target_words,
            &mut self.target_bytes,
            &mut self.nodes,
            &mut self.node_slots,
            &mut self.phrases,
            &mut self.phrase_words,
            &mut self.alignments,
            &mut self.points,
            &mut self.pairs,
        ]
    }
}

/// The header of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Scores of a pair in the phrase table.
    pub(super) scores: usize,
    /// Whether it has reordering scores, too.
    pub(super) reordering: bool,
    pub(super) longest_source: usize,
    pub(super) counts: Counts,
}

impl Header {
    /// Columns of numbers: the scores, then the reordering scores.
    pub(super) fn columns(&self) -> usize {
        self.scores + if self.reordering { REORDERING_SCORES } else { 0 }
    }

    /// The bytes of the header, without length and checksum.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        let mut set = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        set(0, MAGIC);
        set(AT_VERSION, &VERSION.to_le_bytes());
        set(AT_SCORES, &(self.scores as u32).to_le_bytes());
        set(AT_REORDERING, &u32::from(self.reordering).to_le_bytes());
        set(AT_LONGEST, &(self.longest_source as u32).to_le_bytes());
        let mut counts = self.counts;
        for (k, count) in counts.all().into_iter().enumerate() {
            set(AT_COUNTS + 8 * k, &(*count as u64).to_le_bytes());
        }
        bytes
    }

    /// Reads the header, from bytes of at least its length; `None` for bytes that are not a header.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut counts = Counts::default();
        for (k, count) in counts.all().into_iter().enumerate() {
            *count = u32::try_from(u64_at(bytes, AT_COUNTS + 8 * k)).ok()? as usize;
        }
        let header = Self {
            scores: u32_at(bytes, AT_SCORES) as usize,
            reordering: u32_at(bytes, AT_REORDERING) == 1,
            longest_source: u32_at(bytes, AT_LONGEST) as usize,
            counts,
        };
        let c = &header.counts;
        let slots_are_powers = [c.source_slots, c.node_slots].iter().all(|slots| slots.is_power_of_two());
        let believable = header.scores <= MOST_SCORES && header.longest_source <= LONGEST_SOURCE && c.nodes > 0;
        (slots_are_powers && believable).then_some(header)
    }
}

/// Where a part begins. Counts are below 2^32, so that sums of their products with small numbers fit.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub(super) source_offsets: usize,
    pub(super) source_text: usize,
    pub(super) source_slots: usize,
    pub(super) target_offsets: usize,
    pub(super) target_text: usize,
    pub(super) nodes: usize,
    pub(super) node_slots: usize,
    pub(super) phrase_offsets: usize,
    pub(super) phrase_words: usize,
    pub(super) alignment_offsets: usize,
    pub(super) points: usize,
    /// For each column of numbers where its values begin, and how many there are.
    pub(super) books: Vec<(usize, usize)>,
    pub(super) pairs: usize,
    /// Where in a pair the numbers of its phrase and its alignment are, and the code of each column.
    pub(super) fields: Vec<Range<usize>>,
    /// Bytes of a pair.
    pub(super) pair: usize,
    pub(super) end: usize,
}

impl Layout {
    /// `book_sizes` are the numbers of values of the columns.
    pub(super) fn new(header: &Header, book_sizes: &[usize]) -> Self {
        let c = &header.counts;
        let mut at = HEADER + 4 * book_sizes.len();
        let mut place = |bytes: usize| {
            at += bytes;
            at - bytes
        };
        let mut layout = Self {
            source_offsets: place(4 * (c.source_words + 1)),
            source_text: place(c.source_bytes),
            source_slots: place(4 * c.source_slots),
            target_offsets: place(4 * (c.target_words + 1)),
            target_text: place(c.target_bytes),
            nodes: place(NODE * (c.nodes + 1)),
            node_slots: place(4 * c.node_slots),
            phrase_offsets: place(4 * (c.phrases + 1)),
            phrase_words: place(4 * c.phrase_words),
            alignment_offsets: place(4 * (c.alignments + 1)),
            points: place(2 * c.points),
            books: book_sizes.iter().map(|&size| (place(4 * size), size)).collect(),
            ..Self::default()
        };
        let counts = [c.phrases, c.alignments].into_iter().chain(book_sizes.iter().copied());
        for width in counts.map(width_of) {
            layout.fields.push(layout.pair..layout.pair + width);
            layout.pair += width;
        }
        layout.pairs = at;
        layout.end = at + layout.pair * c.pairs;
        layout
    }
}

/// Bytes of a node: its parent, its word, its first pair.
pub(super) const NODE: usize = 12;

/// Bytes that the numbers below `count` take.
fn width_of(count: usize) -> usize {
    let bits = usize::BITS - count.saturating_sub(1).leading_zeros();
    bits.div_ceil(8) as usize
}

//! The k best values of many rows.

use crate::changes::Changes;
use crate::isa::{Kernel, Simd, dispatch};

/// A value that [`TopK`] has kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The value, as [`TopK::offer`] computes it.
    pub value: f32,
    /// The tag of its row.
    pub tag: u32,
    /// Its column in the row.
    pub column: u32,
}

/// Finds the k best values of many rows.
///
/// Among equal values the rows' order, the columns and the heap decide: exactly as `std::partial_sort` of GNU's C++
/// library does over the rows one after the other. Marian uses `std::partial_sort`. Path scores around -100 have steps
/// of 1e-5, so equal scores do occur, and then its translations are ours. The result depends on the offered rows alone.
///
/// ```
/// use metaphrase_kernels::TopK;
/// let mut top = TopK::new();
/// top.start(2, &[3]);
/// top.offer(&[1.0, 5.0, 2.0, 9.0], 0.0, 0.0, 0);
/// top.offer(&[4.0, f32::NAN, 3.0], 0.0, 0.0, 1);
/// let best: Vec<_> = top.finish().iter().map(|b| (b.value, b.tag, b.column)).collect();
/// assert_eq!(best, [(5.0, 0, 1), (4.0, 1, 0)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TopK {
    k: usize,
    excluded: Vec<u32>,
    /// A heap of at most k values, the worst on top; sorted by [`finish`](Self::finish).
    heap: Vec<Best>,
}

impl TopK {
    /// Keeps nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins anew: keeps the `k` best values, except those of `excluded` columns (few: each candidate is compared with
    /// all of them).
    pub fn start(&mut self, k: usize, excluded: &[u32]) {
        self.k = k;
        self.excluded.clear();
        self.excluded.extend_from_slice(excluded);
        self.heap.clear();
        self.heap.reserve(k);
    }

    /// Offers the candidates `(row[c] - minus) + plus`, in this order of operations, for each column c. NaN and -∞ are
    /// never kept.
    pub fn offer(&mut self, row: &[f32], minus: f32, plus: f32, tag: u32) {
        self.offer_changed(row, Changes::default(), minus, plus, tag);
    }

    /// Offers a row as [`offer`](Self::offer) would if the `changes` had been made in it before.
    pub fn offer_changed(&mut self, row: &[f32], changes: Changes<'_>, minus: f32, plus: f32, tag: u32) {
        if self.k > 0 {
            dispatch(Offer { top: self, row, changes, minus, plus, tag });
        }
    }

    /// The values that were kept, best first: fewer than k if fewer values are above -∞.
    pub fn finish(&mut self) -> &[Best] {
        if self.heap.len() < self.k {
            make_heap(&mut self.heap);
        }
        for last in (1..self.heap.len()).rev() {
            let value = self.heap[last];
            self.heap[last] = self.heap[0];
            sift(&mut self.heap[..last], 0, value);
        }
        let worthless = self.heap.iter().position(|best| best.value == WORTHLESS);
        self.heap.truncate(worthless.unwrap_or(self.heap.len()));
        &self.heap
    }

    /// The value that a candidate must exceed to be kept.
    fn threshold(&self) -> f32 {
        if self.heap.len() < self.k { f32::NEG_INFINITY } else { self.heap[0].value }
    }

    /// Keeps a candidate if it is better than the worst.
    fn consider(&mut self, mut candidate: Best) {
        let worth = candidate.value > WORTHLESS && !self.excluded.contains(&candidate.column);
        if self.heap.len() < self.k {
            if !worth {
                candidate.value = WORTHLESS;
            }
            self.heap.push(candidate);
            if self.heap.len() == self.k {
                make_heap(&mut self.heap);
            }
        } else if worth && candidate.value > self.heap[0].value {
            sift(&mut self.heap, 0, candidate);
        }
    }
}

/// The value of a candidate that holds a place only until there are k others.
const WORTHLESS: f32 = f32::MIN;

/// Brings values into the order of a heap.
fn make_heap(heap: &mut [Best]) {
    for parent in (0..heap.len() / 2).rev() {
        let value = heap[parent];
        sift(heap, parent, value);
    }
}

/// Replaces the value at `top` of the heap by `value`: the hole moves down to a leaf, always to the worse child, to the
/// second one of equals; then the value moves up from there.
fn sift(heap: &mut [Best], top: usize, value: Best) {
    let mut hole = top;
    while 2 * hole + 1 < heap.len() {
        let mut child = 2 * hole + 2;
        if child == heap.len() || heap[child].value > heap[child - 1].value {
            child -= 1;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    while hole > top && heap[(hole - 1) / 2].value > value.value {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

struct Offer<'a> {
    top: &'a mut TopK,
    row: &'a [f32],
    changes: Changes<'a>,
    minus: f32,
    plus: f32,
    tag: u32,
}

impl Kernel for Offer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        // Most rows have no changes: their loop does not ask.
        if self.changes.is_empty() {
            self.scan::<S, false>(s);
        } else {
            self.scan::<S, true>(s);
        }
    }
}

impl Offer<'_> {
    #[inline(always)]
    fn scan<S: Simd, const CHANGED: bool>(self, s: S) {
        let Self { top, row, mut changes, minus, plus, tag } = self;
        let (minus, plus) = (s.splat(minus), s.splat(plus));
        let mut threshold = s.splat(top.threshold());
        let (chunks, rest) = row.as_chunks();
        for (i, chunk) in chunks.iter().enumerate() {
            let mut values = s.load(chunk);
            if CHANGED {
                values = changes.apply(s, values, i * 16);
            }
            let values = s.add(s.sub(values, minus), plus);
            let worthy = s.at_least(values, threshold);
            if worthy != 0 {
                consider_lanes(s, top, values, worthy, tag, i * 16);
                threshold = s.splat(top.threshold());
            }
        }
        if !rest.is_empty() {
            let mut values = s.load_partial(rest, f32::NAN);
            if CHANGED {
                values = changes.apply(s, values, chunks.len() * 16);
            }
            let values = s.add(s.sub(values, minus), plus);
            let worthy = s.at_least(values, threshold);
            consider_lanes(s, top, values, worthy, tag, chunks.len() * 16);
        }
    }
}

/// Considers the lanes whose bit is set in `worthy`, the first of which is column `start`.
#[inline(always)]
fn consider_lanes<S: Simd>(s: S, top: &mut TopK, values: S::F, worthy: u16, tag: u32, start: usize) {
    let mut lanes = [0.0; 16];
    s.store(values, &mut lanes);
    let mut worthy = worthy;
    while worthy != 0 {
        let lane = worthy.trailing_zeros() as usize;
        worthy &= worthy - 1;
        top.consider(Best { value: lanes[lane], tag, column: (start + lane) as u32 });
    }
}

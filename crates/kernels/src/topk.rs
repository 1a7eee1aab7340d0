//! The k best values of many rows.

use std::cmp::Ordering;

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

impl Best {
    /// Less is better: the larger value (by `total_cmp`), then the smaller tag, then the smaller column.
    fn order(&self, other: &Self) -> Ordering {
        let by_value = other.value.total_cmp(&self.value);
        by_value.then(self.tag.cmp(&other.tag)).then(self.column.cmp(&other.column))
    }
}

/// Finds the k best values of many rows. They do not depend on the order in which rows are offered.
///
/// ```
/// use metaphrase_kernels::TopK;
/// let mut top = TopK::new();
/// top.start(2, &[3]);
/// top.offer(&[1.0, 5.0, 2.0, 9.0], 0.0, 0.0, 0);
/// top.offer(&[4.0, f32::NAN, 5.0], 0.0, 0.0, 1);
/// let best: Vec<_> = top.finish().iter().map(|b| (b.value, b.tag, b.column)).collect();
/// assert_eq!(best, [(5.0, 0, 1), (5.0, 1, 2)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TopK {
    k: usize,
    excluded: Vec<u32>,
    /// Sorted, the best first, at most k.
    best: Vec<Best>,
}

impl TopK {
    /// Keeps nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins anew: the `k` best are to be kept, of columns that are not `excluded` (few; each candidate is compared
    /// with all).
    pub fn start(&mut self, k: usize, excluded: &[u32]) {
        self.k = k;
        self.excluded.clear();
        self.excluded.extend_from_slice(excluded);
        self.best.clear();
        self.best.reserve(k);
    }

    /// Offers the candidates `(row[c] - minus) + plus`, in this order of operations, for each column c. NaN and -∞ are
    /// never kept.
    pub fn offer(&mut self, row: &[f32], minus: f32, plus: f32, tag: u32) {
        if self.k > 0 {
            dispatch(Offer { top: self, row, minus, plus, tag });
        }
    }

    /// What was kept, the best first: fewer than k where fewer values were worth it.
    pub fn finish(&mut self) -> &[Best] {
        &self.best
    }

    /// What a value must at least be to have a chance.
    fn threshold(&self) -> f32 {
        if self.best.len() < self.k { f32::MIN } else { self.best[self.k - 1].value }
    }

    /// Takes a candidate into the list if it belongs there.
    fn consider(&mut self, candidate: Best) {
        if self.excluded.contains(&candidate.column) {
            return;
        }
        let place = self.best.partition_point(|kept| kept.order(&candidate).is_lt());
        if place < self.k {
            self.best.truncate(self.k - 1);
            self.best.insert(place, candidate);
        }
    }
}

struct Offer<'a> {
    top: &'a mut TopK,
    row: &'a [f32],
    minus: f32,
    plus: f32,
    tag: u32,
}

impl Kernel for Offer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { top, row, minus, plus, tag } = self;
        let (minus, plus) = (s.splat(minus), s.splat(plus));
        let mut threshold = s.splat(top.threshold());
        let (chunks, rest) = row.as_chunks();
        for (i, chunk) in chunks.iter().enumerate() {
            let values = s.add(s.sub(s.load(chunk), minus), plus);
            let worthy = s.at_least(values, threshold);
            if worthy != 0 {
                consider_lanes(s, top, values, worthy, tag, i * 16);
                threshold = s.splat(top.threshold());
            }
        }
        if !rest.is_empty() {
            let values = s.add(s.sub(s.load_partial(rest, f32::NAN), minus), plus);
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

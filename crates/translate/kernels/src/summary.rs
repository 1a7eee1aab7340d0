//! What beam search asks of the logits of many rows, computed together with them by blocks of columns: the logits of
//! all words are never written to memory (Devlin 2017, §4.4 has the same aim with fewer words).

use std::ops::Range;

use crate::isa::{Kernel, Simd, dispatch};
use crate::log_sum::{BLOCK, LogSum};
use crate::matrix::Matrix;
use crate::number::{Bf16, F32, Int8, Int16, Number, Precision};
use crate::operand::Operand;
use crate::packed::PackedMatrix;
use crate::panels::Panels;
use crate::product::{columns, row_blocks};

/// A number of a row, and its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The number.
    pub value: f32,
    /// Which column.
    pub column: u32,
}

/// For each row of a product `ln Σ eˣ` and its greatest numbers, in storage that is used again.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    most: usize,
    sums: Vec<LogSum>,
    normalisers: Vec<f32>,
    /// `rows × most`, of which each row has the first few.
    best: Vec<Column>,
    found: Vec<usize>,
    /// The block of columns at hand.
    block: Matrix,
}

impl Summary {
    /// Makes this the summary of `x·w + bias` with the `most` greatest numbers of each row. The numbers are those of
    /// [`crate::product`], to the bit.
    ///
    /// # Panics
    /// If `x` does not fit `w`, or if `bias` has not a number for each output.
    pub fn set_to_product(&mut self, x: Operand<'_>, w: &PackedMatrix, bias: Option<&[f32]>, most: usize) {
        assert_eq!((x.inputs(), x.precision()), (w.inputs(), w.precision()), "columns of x, and their numbers");
        assert!(bias.is_none_or(|bias| bias.len() == w.outputs()), "length of the bias");
        self.most = most;
        self.sums.clear();
        self.sums.resize(x.rows(), LogSum::EMPTY);
        self.best.resize(x.rows() * most, Column { value: 0.0, column: 0 });
        self.found.clear();
        self.found.resize(x.rows(), 0);
        match w.precision() {
            Precision::F32 => self.fill::<F32>(x, w.panels(), bias),
            Precision::Bf16 => self.fill::<Bf16>(x, w.panels(), bias),
            Precision::Int16 => self.fill::<Int16>(x, w.panels(), bias),
            Precision::Int8 => self.fill::<Int8>(x, w.panels(), bias),
        }
        self.normalisers.resize(x.rows(), 0.0);
        dispatch(Finish { sums: &self.sums, out: &mut self.normalisers });
    }

    /// Makes this a summary of no rows, each with the `most` greatest numbers. Another device has them:
    /// [`push`](Self::push) takes its answers.
    pub fn clear(&mut self, most: usize) {
        self.most = most;
        self.sums.clear();
        self.normalisers.clear();
        self.best.clear();
        self.found.clear();
    }

    /// Appends a row: its `ln Σ eˣ`, and its greatest numbers in their order, without -∞ and NaN.
    ///
    /// # Panics
    /// If there are more than `most` numbers.
    pub fn push(&mut self, normaliser: f32, best: impl Iterator<Item = Column>) {
        let start = self.best.len();
        self.best.extend(best);
        self.found.push(self.best.len() - start);
        assert!(self.best.len() - start <= self.most, "numbers of a row");
        self.best.resize(start + self.most, Column { value: 0.0, column: 0 });
        self.normalisers.push(normaliser);
    }

    fn fill<N: Number>(&mut self, x: Operand<'_>, w: &Panels, bias: Option<&[f32]>) {
        for rows in row_blocks::<N>(x.rows(), w) {
            let part = x.part(rows.clone());
            for first in (0..w.outputs()).step_by(BLOCK) {
                let width = BLOCK.min(w.outputs() - first);
                let panels = first / 16..(first + width).div_ceil(16);
                columns::<N>(part, w, panels, bias, &mut self.block);
                dispatch(Take { summary: self, rows: rows.clone(), first, width });
            }
        }
    }

    /// `ln Σ eˣ` of a row: the bits of [`crate::log_sum_exp`] of its numbers.
    #[must_use]
    pub fn normaliser(&self, row: usize) -> f32 {
        self.normalisers[row]
    }

    /// The greatest numbers of a row, in descending order, at equal numbers the first column first: no other number of
    /// the row is greater than one of these. There are fewer than [`most`](Self::most) if fewer numbers are above -∞.
    /// NaN is not among them.
    #[must_use]
    pub fn best(&self, row: usize) -> &[Column] {
        &self.best[row * self.most..][..self.found[row]]
    }

    /// The greatest number of columns that is kept of a row.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

/// Takes a block of columns into the summary of its rows.
struct Take<'a> {
    summary: &'a mut Summary,
    rows: Range<usize>,
    first: usize,
    width: usize,
}

impl Kernel for Take<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { summary: Summary { most, sums, best, found, block, .. }, rows, first, width } = self;
        for (row, row_block) in rows.zip(block.as_slice().chunks_exact(BLOCK)) {
            let numbers = &row_block[..width];
            let greatest = sums[row].add(s, numbers);
            let best = &mut best[row * *most..][..*most];
            let mut list = List { best, found: &mut found[row] };
            list.take(s, numbers, first, greatest);
        }
    }
}

/// The greatest numbers of a row so far.
struct List<'a> {
    best: &'a mut [Column],
    found: &'a mut usize,
}

impl List<'_> {
    /// Numbers that are not greater are not kept.
    fn threshold(&self) -> f32 {
        match self.best.last() {
            Some(last) if *self.found == self.best.len() => last.value,
            Some(_) => f32::NEG_INFINITY,
            None => f32::INFINITY,
        }
    }

    /// Takes numbers of columns from `first` on; `greatest` has the greatest of each lane.
    #[inline(always)]
    fn take<S: Simd>(&mut self, s: S, numbers: &[f32], first: usize, greatest: S::F) {
        let mut threshold = self.threshold();
        if threshold == f32::NEG_INFINITY {
            // The first block: nearly all its numbers are less.
            threshold = self.rank(s, greatest);
        }
        let mut least = s.splat(threshold);
        if s.at_least(greatest, least) == 0 {
            return;
        }
        let (chunks, rest) = numbers.as_chunks();
        for (i, chunk) in chunks.iter().enumerate() {
            let worthy = s.at_least(s.load(chunk), least);
            if worthy != 0 {
                self.insert(chunk, worthy, first + i * 16);
                least = s.splat(threshold.max(self.threshold()));
            }
        }
        if !rest.is_empty() {
            let worthy = s.at_least(s.load_partial(rest, f32::NAN), least);
            self.insert(rest, worthy, first + chunks.len() * 16);
        }
    }

    /// As many lanes as the list has places have a number that is not less than this one; -∞ if the list has more
    /// places.
    #[inline(always)]
    fn rank<S: Simd>(&self, s: S, greatest: S::F) -> f32 {
        let mut lanes = [0.0; 16];
        s.store(greatest, &mut lanes);
        let mut rank = f32::NEG_INFINITY;
        for lane in lanes {
            // All lanes are compared with each, without the branches of a sort.
            let not_less = s.at_least(greatest, s.splat(lane)).count_ones();
            rank = if not_less as usize >= self.best.len() { lane.max(rank) } else { rank };
        }
        rank
    }

    /// Inserts the numbers whose bit is set in `worthy` as far as they are above the threshold.
    fn insert(&mut self, numbers: &[f32], mut worthy: u16, first: usize) {
        while worthy != 0 {
            let lane = worthy.trailing_zeros() as usize;
            worthy &= worthy - 1;
            let value = numbers[lane];
            if value > self.threshold() {
                *self.found = (*self.found + 1).min(self.best.len());
                let mut place = *self.found - 1;
                while place > 0 && self.best[place - 1].value < value {
                    self.best[place] = self.best[place - 1];
                    place -= 1;
                }
                self.best[place] = Column { value, column: (first + lane) as u32 };
            }
        }
    }
}

/// The normalisers of rows whose blocks are summed.
struct Finish<'a> {
    sums: &'a [LogSum],
    out: &'a mut [f32],
}

impl Kernel for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (out, sum) in self.out.iter_mut().zip(self.sums) {
            *out = sum.ln(s);
        }
    }
}

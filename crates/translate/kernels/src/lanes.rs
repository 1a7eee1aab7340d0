//! Rows of numbers brought into lanes: as they lie, transposed, and as panels.

use std::marker::PhantomData;
use std::ops::Range;

use crate::aligned::Lanes;
use crate::isa::{Kernel, Simd};
use crate::matrix::Matrix;
use crate::number::Float;
use crate::panels::{Panels, WeightOrder};

/// Rows of `cols` numbers each, to be read as lanes.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, N> {
    /// Row after row.
    values: &'a [f32],
    rows: usize,
    cols: usize,
    number: PhantomData<N>,
}

impl<'a, N: Float> Rows<'a, N> {
    /// # Panics
    /// If there are not `rows · cols` values.
    pub(crate) fn new(values: &'a [f32], rows: usize, cols: usize) -> Self {
        assert_eq!(Some(values.len()), rows.checked_mul(cols), "values of {rows} rows of {cols}");
        Self { values, rows, cols, number: PhantomData }
    }

    /// Lanes of a row.
    pub(crate) fn lanes(&self) -> usize {
        self.cols.div_ceil(N::PER_LANE)
    }

    /// Lanes of a column.
    pub(crate) fn column_lanes(&self) -> usize {
        self.rows.div_ceil(N::PER_LANE)
    }

    /// The rows as lanes, `rows × lanes`; written to `storage` where they do not lie so already.
    pub(crate) fn in_lanes(self, storage: &'a mut Matrix) -> &'a [f32] {
        if N::PER_LANE == 1 {
            return self.values;
        }
        storage.resize(self.rows, self.lanes());
        self.write_lanes(storage.as_mut_slice());
        storage.as_slice()
    }

    /// `out` (`rows × lanes`) ← the rows.
    pub(crate) fn write_lanes(self, out: &mut [f32]) {
        assert_eq!(out.len(), self.rows * self.lanes(), "lanes of the rows");
        N::dispatch(WriteLanes(self, out));
    }

    /// `out` (`columns.len() × column_lanes`) ← some columns.
    pub(crate) fn write_columns(self, columns: Range<usize>, out: &mut [f32]) {
        assert!(columns.end <= self.cols, "columns to {} of {}", columns.end, self.cols);
        assert_eq!(out.len(), columns.len() * self.column_lanes(), "lanes of the columns");
        N::dispatch(WriteColumns(self, columns, out));
    }

    /// `lines` ← panels of sixteen columns, each a line for the numbers of `PER_LANE` rows.
    pub(crate) fn write_panels(self, lines: &mut [Lanes]) {
        assert_eq!(lines.len(), self.cols.div_ceil(16) * self.column_lanes(), "lines of the panels");
        N::dispatch(WritePanels(self, lines));
    }

    /// `lines` ← panels of sixteen rows, each a line for `PER_LANE` columns.
    pub(crate) fn write_transposed_panels(self, lines: &mut [Lanes]) {
        assert_eq!(lines.len(), self.rows.div_ceil(16) * self.lanes(), "lines of the panels");
        N::dispatch(WriteTransposedPanels(self, lines));
    }

    /// The rest of a row from a column on; empty for rows after the last one.
    #[inline(always)]
    fn rest(&self, row: usize, col: usize) -> &'a [f32] {
        if row < self.rows { &self.values[row * self.cols..][col..self.cols] } else { &[] }
    }

    /// Sixteen lanes of a row, from lane `lane` on.
    #[inline(always)]
    fn along<S: Simd>(&self, s: S, row: usize, lane: usize) -> S::F {
        N::along(s, self.rest(row, lane * N::PER_LANE))
    }

    /// Lane `lane` of each of sixteen columns, from `col` on.
    #[inline(always)]
    fn across<S: Simd>(&self, s: S, lane: usize, col: usize) -> S::F {
        let row = lane * N::PER_LANE;
        N::across(s, self.rest(row, col), if N::PER_LANE > 1 { self.rest(row + 1, col) } else { &[] })
    }
}

/// Packs the weights of a linear map into the present storage of `panels`.
///
/// # Panics
/// If there are not `inputs · outputs` weights.
pub(crate) fn pack<N: Float>(panels: &mut Panels, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) {
    assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
    let lines = panels.resize(inputs.div_ceil(N::PER_LANE), outputs); // all will be written
    match order {
        WeightOrder::InputsByOutputs => Rows::<N>::new(weights, inputs, outputs).write_panels(lines),
        WeightOrder::OutputsByInputs => Rows::<N>::new(weights, outputs, inputs).write_transposed_panels(lines),
    }
}

struct WriteLanes<'a, N>(Rows<'a, N>, &'a mut [f32]);

impl<N: Float> Kernel for WriteLanes<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self(x, out) = self;
        let lanes = x.lanes();
        for row in 0..x.rows {
            for lane in (0..lanes).step_by(16) {
                store(s, x.along(s, row, lane), &mut out[row * lanes..][lane..lanes]);
            }
        }
    }
}

struct WriteColumns<'a, N>(Rows<'a, N>, Range<usize>, &'a mut [f32]);

impl<N: Float> Kernel for WriteColumns<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self(x, columns, out) = self;
        let lanes = x.column_lanes();
        for lane in (0..lanes).step_by(16) {
            for first in (0..columns.len()).step_by(16) {
                let mut square = [s.splat(0.0); 16];
                for (i, vector) in square.iter_mut().enumerate() {
                    *vector = x.across(s, lane + i, columns.start + first);
                }
                let square = s.transpose(square);
                for (&vector, row) in square.iter().zip(first..columns.len()) {
                    store(s, vector, &mut out[row * lanes..][lane..lanes]);
                }
            }
        }
    }
}

struct WritePanels<'a, N>(Rows<'a, N>, &'a mut [Lanes]);

impl<N: Float> Kernel for WritePanels<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self(x, lines) = self;
        let length = x.column_lanes();
        // Some lines of each panel at a time: neither reading nor writing jumps from page to page with each line.
        for first in (0..length).step_by(16) {
            for col in (0..x.cols).step_by(16) {
                let panel = &mut lines[col / 16 * length..][..length];
                for (line, i) in panel[first..].iter_mut().zip(first..first + 16) {
                    s.store(x.across(s, i, col), &mut line.0);
                }
            }
        }
    }
}

struct WriteTransposedPanels<'a, N>(Rows<'a, N>, &'a mut [Lanes]);

impl<N: Float> Kernel for WriteTransposedPanels<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self(x, lines) = self;
        let length = x.lanes();
        for row in (0..x.rows).step_by(16) {
            let panel = &mut lines[row / 16 * length..][..length];
            for first in (0..length).step_by(16) {
                let mut square = [s.splat(0.0); 16];
                for (i, vector) in square.iter_mut().enumerate() {
                    *vector = x.along(s, row + i, first);
                }
                let square = s.transpose(square);
                for (line, &vector) in panel[first..].iter_mut().zip(&square) {
                    s.store(vector, &mut line.0);
                }
            }
        }
    }
}

/// Stores the first `to.len()` lanes, at most sixteen.
#[inline(always)]
fn store<S: Simd>(s: S, v: S::F, to: &mut [f32]) {
    match to.first_chunk_mut() {
        Some(chunk) => s.store(v, chunk),
        None => s.store_partial(v, to),
    }
}

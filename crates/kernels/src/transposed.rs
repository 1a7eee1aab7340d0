//! Products of a transposed matrix: the gradients of weights.

use crate::lanes::Rows;
use crate::matrix::Matrix;
use crate::number::{F32, Float};
use crate::packed::{Panels, WeightOrder};
use crate::product::add_lanes;

/// Work space of products, to be used again and again.
#[derive(Clone, Default)]
pub struct ProductStorage {
    /// Rows of the left factor, as lanes.
    pub(crate) rows: Matrix,
    /// The right factor.
    panels: Panels,
}

impl std::fmt::Debug for ProductStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProductStorage({} bytes)", self.rows.capacity() * 4 + self.panels.bytes())
    }
}

/// Lanes of the columns of x and y that are multiplied at a time.
const BLOCK: usize = 256;

/// Columns of x that are transposed at a time: with [`BLOCK`] lanes each, a quarter of the second-level cache.
const COLUMNS: usize = 240;

/// out ← out + xᵀ·y, for x `n × a`, y `n × b`, out `a × b`: for each block of rows, an element is one chain of
/// multiply-adds over them in order.
///
/// # Panics
/// If the shapes do not fit.
pub fn transposed_product_add(x: &Matrix, y: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
    transposed_product_add_of::<F32>(x, y, out, storage);
}

/// [`transposed_product_add`] for one kind of number.
pub(crate) fn transposed_product_add_of<N: Float>(
    x: &Matrix,
    y: &Matrix,
    out: &mut Matrix,
    storage: &mut ProductStorage,
) {
    let (n, a, b) = (x.rows(), x.cols(), y.cols());
    assert_eq!(y.rows(), n, "rows of x and y");
    assert_eq!((out.rows(), out.cols()), (a, b), "shape of the sum");
    let ProductStorage { rows, panels } = storage;
    let block = BLOCK * N::PER_LANE;
    for start in (0..n).step_by(block) {
        let end = n.min(start + block);
        panels.fill::<N>(&y.as_slice()[start * b..end * b], end - start, b, WeightOrder::InputsByOutputs);
        let x = Rows::<N>::new(&x.as_slice()[start * a..end * a], end - start, a);
        for first in (0..a).step_by(COLUMNS) {
            let columns = first..a.min(first + COLUMNS);
            rows.resize(columns.len(), x.column_lanes());
            x.write_columns(columns.clone(), rows.as_mut_slice());
            let out = &mut out.as_mut_slice()[columns.start * b..columns.end * b];
            add_lanes::<N>(rows.as_slice(), columns.len(), panels, out);
        }
    }
}

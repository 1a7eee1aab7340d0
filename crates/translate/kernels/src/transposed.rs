//! Products of a transposed matrix: the gradients of weights.

use crate::lanes::{Rows, pack};
use crate::matrix::Matrix;
use crate::number::{Bf16, F32, Float, Precision};
use crate::operand::ProductStorage;
use crate::panels::WeightOrder;
use crate::product::add_lanes;

/// Lanes of the columns of x and y that are multiplied at a time.
const BLOCK: usize = 256;

/// Columns of x that are transposed at a time: with [`BLOCK`] lanes each, a quarter of the second-level cache.
const COLUMNS: usize = 240;

/// out ← out + xᵀ·y of x and y rounded to this precision, for x `n × a`, y `n × b`, out `a × b`: for each block of
/// rows, an element is one chain of multiply-adds over them in order.
///
/// # Panics
/// If the shapes do not fit, or if the precision is one of integers.
pub fn transposed_product_add(
    precision: Precision,
    x: &Matrix,
    y: &Matrix,
    out: &mut Matrix,
    storage: &mut ProductStorage,
) {
    match precision {
        Precision::F32 => add_of::<F32>(x, y, out, storage),
        Precision::Bf16 => add_of::<Bf16>(x, y, out, storage),
        Precision::Int16 | Precision::Int8 => panic!("products of integers are not added"),
    }
}

/// [`transposed_product_add`] for one kind of number.
fn add_of<N: Float>(x: &Matrix, y: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
    let (n, a, b) = (x.rows(), x.cols(), y.cols());
    assert_eq!(y.rows(), n, "rows of x and y");
    assert_eq!((out.rows(), out.cols()), (a, b), "shape of the sum");
    let ProductStorage { rows, panels, tiles, .. } = storage;
    let tiles = tiles.filter(|_| N::TILED);
    let block = BLOCK * N::PER_LANE;
    for start in (0..n).step_by(block) {
        let end = n.min(start + block);
        pack::<N>(panels, &y.as_slice()[start * b..end * b], end - start, b, WeightOrder::InputsByOutputs);
        let x = Rows::<N>::new(&x.as_slice()[start * a..end * a], end - start, a);
        for first in (0..a).step_by(COLUMNS) {
            let columns = first..a.min(first + COLUMNS);
            rows.resize(columns.len(), x.column_lanes());
            x.write_columns(columns.clone(), rows.as_mut_slice());
            let out = &mut out.as_mut_slice()[columns.start * b..columns.end * b];
            add_lanes::<N>(tiles, rows.as_slice(), columns.len(), panels, out);
        }
    }
}

//! The product of a matrix of rows with packed weights.
//!
//! It is computed in tiles. Each sum is one chain of multiply-adds over the inputs in order, for every height and width
//! of the tile. So the shape of a tile may depend on the number of rows, and the result does not. The same code serves
//! f32, pairs of bf16 and integers, see [`Number`].

mod tile;
mod tiled;

use std::ops::Range;

use crate::epilogue::{Activation, Epilogue};
use crate::lanes::Rows;
use crate::log_sum::BLOCK;
use crate::matrix::Matrix;
use crate::number::{Bf16, F32, Float, Int8, Int16, Number, Precision, Sparse};
use crate::operand::{Operand, ProductStorage, tiles_of_integers};
use crate::packed::PackedMatrix;
use crate::panels::Panels;
use crate::team;
use crate::tiles::{Kind, Tiles};
use crate::values::Values;
use crate::zeros::NonZeroRows;
use tile::Product;
use tiled::{Addend, TiledProduct};

/// out ← activation(x·w + bias + add), for rows in the numbers of the weights. `out` is resized to
/// `x.rows() × w.outputs()`.
///
/// # Panics
/// If `x` is of another precision than `w` or does not have `w.inputs()` numbers in a row, or if `bias` or `add` does
/// not have the shape of the result.
pub fn product<'a>(x: impl Into<Operand<'a>>, w: &PackedMatrix, epilogue: Epilogue<'_>, out: &mut Matrix) {
    product_of_any(x.into(), w, epilogue, out); // which is not generic, so that it is compiled once
}

fn product_of_any(x: Operand<'_>, w: &PackedMatrix, epilogue: Epilogue<'_>, out: &mut Matrix) {
    assert_eq!((x.inputs(), x.precision()), (w.inputs(), w.precision()), "columns of x, and their numbers");
    if let Some(tiles) = tiles_of_integers(x.rows(), w.inputs()).filter(|_| w.precision() == Precision::Int8) {
        return tiled_product(tiles, x, w, epilogue, out);
    }
    epilogue.check(x.rows(), w.outputs());
    out.resize(x.rows(), w.outputs());
    match w.precision() {
        Precision::F32 if x.kept.is_some() => product_of::<Sparse<F32>>(x, w.panels(), epilogue, out),
        Precision::F32 => product_of::<F32>(x, w.panels(), epilogue, out),
        Precision::Bf16 if x.kept.is_some() => product_of::<Sparse<Bf16>>(x, w.panels(), epilogue, out),
        Precision::Bf16 => product_of::<Bf16>(x, w.panels(), epilogue, out),
        Precision::Int16 => product_of::<Int16>(x, w.panels(), epilogue, out),
        Precision::Int8 if x.kept.is_some() => product_of::<Sparse<Int8>>(x, w.panels(), epilogue, out),
        Precision::Int8 => product_of::<Int8>(x, w.panels(), epilogue, out),
    }
}

/// out ← out + x·w of f32.
///
/// # Panics
/// If `w` is not of f32, if `x` does not have `w.inputs()` columns, or if `out` is not `x.rows() × w.outputs()`.
pub fn product_add(x: &Matrix, w: &PackedMatrix, out: &mut Matrix) {
    assert_eq!(w.precision(), Precision::F32, "weights");
    // No storage is needed for f32, and an empty one allocates none.
    rounded_product_add(x, w, out, &mut ProductStorage::default());
}

/// [`product`] of rows that are rounded to the numbers of the weights here, a part that the caches hold at a time.
///
/// # Panics
/// As [`product`].
pub fn rounded_product(
    x: &Matrix,
    w: &PackedMatrix,
    epilogue: Epilogue<'_>,
    out: &mut Matrix,
    storage: &mut ProductStorage,
) {
    match (w.precision(), storage.tiles.filter(|_| TiledProduct::serves(x.rows(), w.inputs()))) {
        (precision @ (Precision::Bf16 | Precision::Int8), Some(tiles)) => {
            tiled_product(tiles, storage.operand(x, precision), w, epilogue, out);
        }
        (Precision::Bf16, _) => {
            assert_eq!(x.cols(), w.inputs(), "columns of x");
            epilogue.check(x.rows(), w.outputs());
            out.resize(x.rows(), w.outputs());
            for rows in row_blocks::<Bf16>(x.rows(), w.panels()) {
                let lanes = part::<Bf16>(x, &rows).in_lanes(&mut storage.rows);
                match storage.zeros.find(lanes, rows.len(), false) {
                    Some(kept) => finish_block::<Sparse<Bf16>>(lanes, &[], kept, rows, w.panels(), epilogue, out),
                    None => finish_block::<Bf16>(lanes, &[], NonZeroRows::default(), rows, w.panels(), epilogue, out),
                }
            }
        }
        (precision, _) => product(storage.operand(x, precision), w, epilogue, out),
    }
}

/// [`product`] with tiles.
fn tiled_product(tiles: Tiles, x: Operand<'_>, w: &PackedMatrix, epilogue: Epilogue<'_>, out: &mut Matrix) {
    assert_eq!(x.inputs(), w.inputs(), "columns of x");
    epilogue.check(x.rows(), w.outputs());
    out.resize(x.rows(), w.outputs());
    let kind = if x.precision() == Precision::Int8 { Kind::Int8 } else { Kind::Bf16 };
    let Epilogue { bias, add, activation } = epilogue;
    let addend = add.map_or(Addend::None, |add| Addend::Values(add.as_slice()));
    let (w, scales) = (w.panels(), x.scales);
    let (panels, stride) = (0..w.count(), w.outputs());
    let tiled = TiledProduct { tiles, kind, x: x.lanes, scales, w, panels, stride, bias, activation, addend };
    tiled.run(x.rows(), out.as_mut_slice());
    if !matches!(activation, Activation::Relu | Activation::ClippedRelu) {
        activation.apply(out.as_mut_slice());
    }
}

/// out ← out + x·w, for rows that are rounded as by [`rounded_product`].
///
/// # Panics
/// If the weights are integers, if `x` does not have `w.inputs()` columns, or if `out` is not `x.rows() × w.outputs()`.
pub fn rounded_product_add(x: &Matrix, w: &PackedMatrix, out: &mut Matrix, storage: &mut ProductStorage) {
    assert_eq!(x.cols(), w.inputs(), "columns of x");
    assert_eq!((out.rows(), out.cols()), (x.rows(), w.outputs()), "shape of the sum");
    match w.precision() {
        Precision::F32 => product_add_of::<F32>(x, w.panels(), out, storage),
        Precision::Bf16 => product_add_of::<Bf16>(x, w.panels(), out, storage),
        Precision::Int16 | Precision::Int8 => panic!("products of integers are not added"),
    }
}

/// [`product`] for one kind of number.
fn product_of<N: Number>(x: Operand<'_>, w: &Panels, epilogue: Epilogue<'_>, out: &mut Matrix) {
    for rows in row_blocks::<N>(x.rows(), w) {
        let lanes = &x.lanes[rows.start * w.length()..rows.end * w.length()];
        let scales = x.scales.get(rows.clone()).unwrap_or_default();
        let kept = x.kept.map(|kept| kept.starting_at(rows.start)).unwrap_or_default();
        finish_block::<N>(lanes, scales, kept, rows, w, epilogue, out);
    }
}

/// Rows `rows` of a product, whose lanes and factors are given.
fn finish_block<N: Number>(
    x: &[f32],
    scales: &[f32],
    kept: NonZeroRows<'_>,
    rows: Range<usize>,
    w: &Panels,
    epilogue: Epilogue<'_>,
    out: &mut Matrix,
) {
    let places = rows.start * w.outputs()..rows.end * w.outputs();
    let add = epilogue.add.map(|add| &add.as_slice()[places.clone()]);
    let out = &mut out.as_mut_slice()[places];
    let (rows, bias, activation) = (rows.len(), epilogue.bias, epilogue.activation);
    let values = Values::new(out);
    // One thread reads the weights once for six rows or so.
    let bytes = w.bytes() * rows.div_ceil(6);
    team::divide(w.count(), bytes, |panels| {
        let all = Product::<N>::new(x, scales, rows, w, values);
        N::dispatch(Product { kept, panels, bias, add, activation, ..all });
    });
    // A pass of its own: rather the result again from the second-level cache than four functions in each tile's code.
    if !matches!(activation, Activation::Relu | Activation::ClippedRelu) {
        activation.apply(out);
    }
}

/// Some columns of x·w + bias, `x.rows() × BLOCK` of which those of `panels` are computed; there are no more than the
/// block has.
pub(crate) fn columns<N: Number>(
    x: Operand<'_>,
    w: &Panels,
    panels: Range<usize>,
    bias: Option<&[f32]>,
    out: &mut Matrix,
) {
    out.resize(x.rows(), BLOCK);
    if let Some(tiles) = tiles_of_integers(x.rows(), w.length()).filter(|_| x.precision() == Precision::Int8) {
        let (kind, scales, activation) = (Kind::Int8, x.scales, Activation::None);
        return TiledProduct {
            tiles,
            kind,
            x: x.lanes,
            scales,
            w,
            panels,
            stride: BLOCK,
            bias,
            activation,
            addend: Addend::None,
        }
        .run(x.rows(), out.as_mut_slice());
    }
    let all = Product::<N>::new(x.lanes, x.scales, x.rows(), w, Values::new(out.as_mut_slice()));
    N::dispatch(Product { origin: panels.start, panels, bias, stride: BLOCK, ..all });
}

/// One number of x·w + bias, with the bits of [`product`]: that of the only row of `x` and of output `output`. It takes
/// the time of sixteen outputs.
///
/// # Panics
/// If `x` is not one row that fits `w`, if there is no such output, or if `bias` has not a number for each output.
pub fn product_of_one(x: Operand<'_>, w: &PackedMatrix, bias: Option<&[f32]>, output: usize) -> f32 {
    assert_eq!((x.rows(), x.inputs(), x.precision()), (1, w.inputs(), w.precision()), "a row, and its numbers");
    assert!(output < w.outputs(), "output {output} of {}", w.outputs());
    assert!(bias.is_none_or(|bias| bias.len() == w.outputs()), "length of the bias");
    match w.precision() {
        Precision::F32 => one::<F32>(x, w.panels(), bias, output),
        Precision::Bf16 => one::<Bf16>(x, w.panels(), bias, output),
        Precision::Int16 => one::<Int16>(x, w.panels(), bias, output),
        Precision::Int8 => one::<Int8>(x, w.panels(), bias, output),
    }
}

fn one<N: Number>(x: Operand<'_>, w: &Panels, bias: Option<&[f32]>, output: usize) -> f32 {
    let (mut out, panel) = ([0.0; 16], output / 16);
    let all = Product::<N>::new(x.lanes, x.scales, 1, w, Values::new(&mut out));
    N::dispatch(Product { origin: panel, panels: panel..panel + 1, bias, stride: 16, ..all });
    out[output % 16]
}

/// [`rounded_product_add`] for one kind of number; `storage` is for the rows of x as lanes.
fn product_add_of<N: Float>(x: &Matrix, w: &Panels, out: &mut Matrix, storage: &mut ProductStorage) {
    let tiles = storage.tiles.filter(|_| N::TILED);
    for rows in row_blocks::<N>(x.rows(), w) {
        let out = &mut out.as_mut_slice()[rows.start * w.outputs()..rows.end * w.outputs()];
        add_lanes::<N>(tiles, part::<N>(x, &rows).in_lanes(&mut storage.rows), rows.len(), w, out);
    }
}

/// out ← out + x·w, for rows of x as lanes; with tiles if there are some and enough rows.
pub(crate) fn add_lanes<N: Number>(tiles: Option<Tiles>, x: &[f32], rows: usize, w: &Panels, out: &mut [f32]) {
    if let Some(tiles) = tiles.filter(|_| TiledProduct::serves(rows, w.length())) {
        let (kind, activation, panels, stride) = (Kind::Bf16, Activation::None, 0..w.count(), w.outputs());
        let (scales, bias, addend) = (&[][..], None, Addend::Result);
        return TiledProduct { tiles, kind, x, scales, w, panels, stride, bias, activation, addend }.run(rows, out);
    }
    let all = Product::<N>::new(x, &[], rows, w, Values::new(out));
    N::dispatch(Product { accumulate: true, ..all });
}

/// Parts of `rows` rows, in whole tiles, of almost equal size: a small part would read all weights for a few rows.
pub(crate) fn row_blocks<N: Number>(rows: usize, w: &Panels) -> impl Iterator<Item = Range<usize>> {
    let most = (N::BLOCK / w.length().max(1)).max(24) / 12 * 12;
    let block = rows.div_ceil(rows.div_ceil(most).max(1)).next_multiple_of(12);
    (0..rows).step_by(block.max(1)).map(move |start| start..rows.min(start + block))
}

fn part<'a, N: Float>(x: &'a Matrix, rows: &Range<usize>) -> Rows<'a, N> {
    Rows::new(&x.as_slice()[rows.start * x.cols()..rows.end * x.cols()], rows.len(), x.cols())
}

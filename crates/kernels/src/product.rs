//! The product of a matrix of rows with packed weights.
//!
//! A tile is R rows × P panels of sixteen outputs, all its accumulators in registers. Each is one chain of multiply-adds
//! over the inputs in order, whatever R and P are; so tiles can be chosen by the number of rows without a trace in the
//! result.

use std::ops::Range;

use crate::aligned::Lanes;
use crate::elementwise::{Gelu, Relu, Sigmoid, Swish, Tanh, map};
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use crate::packed::PackedMatrix;

/// What is done to each value at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// See [`crate::relu_in_place`].
    Relu,
    /// See [`crate::swish_in_place`].
    Swish,
    /// See [`crate::gelu_in_place`].
    Gelu,
    /// See [`crate::tanh_in_place`].
    Tanh,
    /// See [`crate::sigmoid_in_place`].
    Sigmoid,
}

/// What is done to the values of a product before they are stored: activation(x·w + bias + add). By default nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// One value for each output.
    pub bias: Option<&'a [f32]>,
    /// A matrix of the result's shape.
    pub add: Option<&'a Matrix>,
    /// The function applied last.
    pub activation: Activation,
}

/// out ← activation(x·w + bias + add). `out` is resized to `x.rows() × w.outputs()`.
///
/// # Panics
/// If x has not `w.inputs()` columns, or `bias` or `add` not the result's shape.
pub fn product(x: &Matrix, w: &PackedMatrix, epilogue: Epilogue<'_>, out: &mut Matrix) {
    assert_eq!(x.cols(), w.inputs(), "columns of x");
    if let Some(bias) = epilogue.bias {
        assert_eq!(bias.len(), w.outputs(), "length of the bias");
    }
    if let Some(add) = epilogue.add {
        assert_eq!(
            (add.rows(), add.cols()),
            (x.rows(), w.outputs()),
            "shape of what is added"
        );
    }
    out.resize(x.rows(), w.outputs());
    dispatch(Product {
        x,
        w,
        epilogue,
        out,
    });
}

struct Product<'a> {
    x: &'a Matrix,
    w: &'a PackedMatrix,
    epilogue: Epilogue<'a>,
    out: &'a mut Matrix,
}

/// Most rows of a tile.
const TILE_ROWS: usize = 6;

impl Kernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let rows = self.x.rows();
        if rows == 0 {
            return;
        }
        // Tiles of almost equal height: of seven rows, four and three run faster than six and one.
        let tiles = rows.div_ceil(TILE_ROWS);
        let height = rows.div_ceil(tiles);
        let widest = S::TILE_PANELS[height - 1];
        let panels = self.w.panels();
        let mut panel = 0;
        while panel < panels {
            let left = widest.min(panels - panel);
            panel += match left {
                8.. => self.column::<S, 8>(s, panel, tiles),
                4.. => self.column::<S, 4>(s, panel, tiles),
                2.. => self.column::<S, 2>(s, panel, tiles),
                _ => self.column::<S, 1>(s, panel, tiles),
            };
        }
    }
}

impl Product<'_> {
    /// All rows of the `P` panels from `first`; returns `P`.
    #[inline(always)]
    fn column<S: Simd, const P: usize>(&mut self, s: S, first: usize, tiles: usize) -> usize {
        let panels = std::array::from_fn(|p| self.w.panel(first + p));
        let rows = self.x.rows();
        for tile in 0..tiles {
            let range = rows * tile / tiles..rows * (tile + 1) / tiles;
            match range.len() {
                1 => self.tile::<S, 1, P>(s, range.start, first, panels),
                2 => self.tile::<S, 2, P>(s, range.start, first, panels),
                3 => self.tile::<S, 3, P>(s, range.start, first, panels),
                4 => self.tile::<S, 4, P>(s, range.start, first, panels),
                5 => self.tile::<S, 5, P>(s, range.start, first, panels),
                6 => self.tile::<S, 6, P>(s, range.start, first, panels),
                rows => unreachable!("a tile of {rows} rows"),
            }
            let columns = first * 16..self.w.outputs().min((first + P) * 16);
            self.activate(s, range, columns);
        }
        P
    }

    #[inline(always)]
    fn tile<S: Simd, const R: usize, const P: usize>(
        &mut self,
        s: S,
        row: usize,
        first: usize,
        panels: [&[Lanes]; P],
    ) {
        let x = std::array::from_fn(|r| self.x.row(row + r));
        let sums = multiply::<S, R, P>(s, x, panels);
        for (r, sums) in sums.iter().enumerate() {
            for (p, &sum) in sums.iter().enumerate() {
                let start = (first + p) * 16;
                let columns = start..self.w.outputs().min(start + 16);
                let mut sum = sum;
                if let Some(bias) = self.epilogue.bias {
                    sum = s.add(sum, s.load_partial(&bias[columns.clone()], 0.0));
                }
                if let Some(add) = self.epilogue.add {
                    sum = s.add(sum, s.load_partial(&add.row(row + r)[columns.clone()], 0.0));
                }
                s.store_partial(sum, &mut self.out.row_mut(row + r)[columns]);
            }
        }
    }

    /// Applies the activation to a part of the result while it is in the nearest cache.
    #[inline(always)]
    fn activate<S: Simd>(&mut self, s: S, rows: Range<usize>, columns: Range<usize>) {
        if self.epilogue.activation == Activation::None {
            return;
        }
        for row in rows {
            let part = &mut self.out.row_mut(row)[columns.clone()];
            match self.epilogue.activation {
                Activation::None => {}
                Activation::Relu => map(s, Relu, part),
                Activation::Swish => map(s, Swish, part),
                Activation::Gelu => map(s, Gelu, part),
                Activation::Tanh => map(s, Tanh, part),
                Activation::Sigmoid => map(s, Sigmoid, part),
            }
        }
    }
}

/// The sums of one tile.
#[inline(always)]
fn multiply<S: Simd, const R: usize, const P: usize>(
    s: S,
    x: [&[f32]; R],
    panels: [&[Lanes]; P],
) -> [[S::F; P]; R] {
    let mut sums = [[s.splat(0.0); P]; R];
    let inputs = panels[0].len();
    let x = x.map(|row| &row[..inputs]);
    let panels = panels.map(|panel| &panel[..inputs]);
    for k in 0..inputs {
        let mut weights = [s.splat(0.0); P];
        for p in 0..P {
            weights[p] = s.load(&panels[p][k].0);
        }
        for r in 0..R {
            let value = s.splat(x[r][k]);
            for p in 0..P {
                sums[r][p] = s.mul_add(value, weights[p], sums[r][p]);
            }
        }
    }
    sums
}

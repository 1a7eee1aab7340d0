//! The rows that products read, in the numbers of the weights.

use crate::lanes::Rows;
use crate::matrix::Matrix;
use crate::number::{Bf16, Int8, Int16, Precision};
use crate::panels::Panels;
use crate::quantise::quantise_rows;
use crate::tiles::Tiles;
use crate::zeros::{NonZeroRows, Zeros};
use crate::{isa, team};
use std::ops::Range;

/// The fewest rows of integers whose products the tiles make faster: 1.4 times with seven rows of 384 × 384, where six
/// are as fast without them, and 2.4 times with 32.
const FEWEST: usize = 7;

/// The tiles for a product of integers, if this thread uses them, unless there are too few rows or its team divides the
/// products.
pub(crate) fn tiles_of_integers(rows: usize, lanes: usize) -> Option<Tiles> {
    isa::tiles().filter(|_| rows >= FEWEST && lanes > 0 && !team::in_team())
}

/// Rows as the numbers that weights of one [`Precision`] are multiplied by: rounded once, for all products that read
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    precision: Precision,
    rows: usize,
    inputs: usize,
    /// `rows × lanes of a row`.
    pub(crate) lanes: &'a [f32],
    /// Factors of the rows of integers, none of floats.
    pub(crate) scales: &'a [f32],
    /// The rows without the lanes that are zero, if those are many.
    pub(crate) kept: Option<NonZeroRows<'a>>,
}

impl<'a> Operand<'a> {
    /// Some of the rows.
    ///
    /// # Panics
    /// If there are no such rows.
    #[must_use]
    pub fn part(&self, rows: Range<usize>) -> Operand<'a> {
        let lanes = self.lanes.len().checked_div(self.rows).unwrap_or(0);
        let scales = if self.scales.is_empty() { &[] } else { &self.scales[rows.clone()] };
        Operand {
            rows: rows.len(),
            lanes: &self.lanes[rows.start * lanes..rows.end * lanes],
            scales,
            kept: None,
            ..*self
        }
    }
}

impl Operand<'_> {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers in a row.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The numbers that the rows are.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }
}

/// Rows of f32 are read as they lie.
impl<'a> From<&'a Matrix> for Operand<'a> {
    fn from(x: &'a Matrix) -> Self {
        Self {
            precision: Precision::F32,
            rows: x.rows(),
            inputs: x.cols(),
            lanes: x.as_slice(),
            scales: &[],
            kept: None,
        }
    }
}

/// Work space of products, to be used again and again.
#[derive(Clone, Default)]
pub struct ProductStorage {
    /// Rows of the left factor, as lanes.
    pub(crate) rows: Matrix,
    /// The factors of rows of integers.
    scales: Vec<f32>,
    pub(crate) zeros: Zeros,
    /// The right factor of products by a transposed matrix.
    pub(crate) panels: Panels,
    pub(crate) tiles: Option<Tiles>,
}

impl ProductStorage {
    /// Storage for products of rows that are rounded ([`rounded_product`](crate::rounded_product),
    /// [`rounded_product_add`](crate::rounded_product_add), [`transposed_product_add`](crate::transposed_product_add))
    /// with the tiles of AMX, where the CPU has them: several times as fast from 16 rows on. Sums of bf16 then end with
    /// other bits than those of other instruction sets; a row still stands alone among 16 rows or more. Integers keep
    /// their bits.
    #[must_use]
    pub fn with_tiles() -> Self {
        Self { tiles: Tiles::detect(), ..Self::default() }
    }

    /// The rows of `x` as weights of this precision read them: as they lie, or rounded into the present storage,
    /// without an allocation once the storage has been as large before. To integers a row is rounded by a factor of its
    /// own: its greatest magnitude / 127 for 8 bits. A row with NaN or infinity gets a factor of NaN, and so do its
    /// products.
    pub fn operand<'a>(&'a mut self, x: &'a Matrix, precision: Precision) -> Operand<'a> {
        match precision {
            Precision::F32 => return Operand { kept: self.zeros.find(x.as_slice(), x.rows(), false), ..x.into() },
            Precision::Bf16 => _ = Rows::<Bf16>::new(x.as_slice(), x.rows(), x.cols()).in_lanes(&mut self.rows),
            Precision::Int16 => quantise_rows::<Int16, _>(x, &mut self.rows, &mut self.scales),
            Precision::Int8 => quantise_rows::<Int8, _>(x, &mut self.rows, &mut self.scales),
        }
        let scales = if precision.is_integer() { &self.scales[..] } else { &[] };
        let (rows, lanes) = (x.rows(), self.rows.as_slice());
        let kept = match precision {
            // They multiply zeros faster than lists are made.
            _ if self.tiles.is_some() => None,
            Precision::Int8 if tiles_of_integers(rows, x.cols()).is_some() => None,
            Precision::Int16 => None, // which is there to be compared with the paper, and each kind of number adds code
            _ => self.zeros.find(lanes, rows, precision == Precision::Int8),
        };
        Operand { precision, rows, inputs: x.cols(), lanes, scales, kept }
    }
}

impl std::fmt::Debug for ProductStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProductStorage({} bytes)", self.rows.capacity() * 4 + self.panels.bytes())
    }
}

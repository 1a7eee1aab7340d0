//! Products whose sums the tiles of AMX make.

use crate::elementwise::{ClippedRelu, Relu};
use crate::epilogue::Activation;
use crate::isa::{Kernel, Simd, dispatch};
use crate::panels::Panels;
use crate::tiles::{Kind, SIDE, Sums, Tiles};

use super::tile::apply;

/// A product of rows with all panels of `w`.
pub(super) struct TiledProduct<'a> {
    pub(super) tiles: Tiles,
    pub(super) kind: Kind,
    /// `rows × w.length()`.
    pub(super) x: &'a [f32],
    /// Factors of the rows of integers, none of floats.
    pub(super) scales: &'a [f32],
    pub(super) w: &'a Panels,
    pub(super) bias: Option<&'a [f32]>,
    pub(super) activation: Activation,
    /// Whether the product is added to the values of `out`.
    pub(super) accumulate: bool,
}

/// Rows that are multiplied by all panels before the next ones are read: they stay in the second-level cache.
const LANES: usize = 128 * 1024;

impl TiledProduct<'_> {
    /// Whether there are enough rows, and anything to multiply.
    pub(super) fn serves(rows: usize, lanes: usize) -> bool {
        rows >= SIDE && lanes > 0
    }

    /// The product of `rows` rows, which [`serves`](Self::serves).
    pub(super) fn run(&self, rows: usize, out: &mut [f32]) {
        let (length, outputs) = (self.w.length(), self.w.outputs());
        assert_eq!((self.x.len(), out.len()), (rows * length, rows * outputs), "lanes of x, and the result");
        let most = (LANES / length).max(SIDE) / SIDE * SIDE;
        let mut sums = Sums::ZERO;
        self.tiles.configured(|| {
            for start in (0..rows).step_by(most) {
                let end = rows.min(start + most);
                for panel in (0..self.w.count()).step_by(2) {
                    let panels = self.w.panels(panel..self.w.count().min(panel + 2));
                    for row in (start..end).step_by(SIDE) {
                        // The last block has rows of the one before in it, which are not finished again.
                        let first = row.min(rows - SIDE);
                        self.begin(panel, &mut sums);
                        let x = &self.x[first * length..][..SIDE * length];
                        self.tiles.multiply(self.kind, x, length, panels, &mut sums);
                        dispatch(Finish { of: self, sums: &sums, done: row - first, first: row, panel, out });
                    }
                }
            }
        });
    }

    /// Where the sums of two panels begin.
    fn begin(&self, panel: usize, sums: &mut Sums) {
        *sums = Sums::ZERO;
        for panel in (panel..self.w.count().min(panel + 2)).filter(|_| self.kind == Kind::Int8) {
            let half = panel % 2 * 16;
            sums.0.iter_mut().for_each(|row| row[half..half + 16].copy_from_slice(&self.w.end(panel).start.0));
        }
    }
}

/// The sums of a block, finished and stored.
struct Finish<'a, 'b> {
    of: &'a TiledProduct<'b>,
    sums: &'a Sums,
    /// Rows of the sums that are stored already.
    done: usize,
    /// Where the next row is in the result.
    first: usize,
    panel: usize,
    out: &'a mut [f32],
}

impl Kernel for Finish<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (of, outputs) = (self.of, self.of.w.outputs());
        for panel in self.panel..of.w.count().min(self.panel + 2) {
            let half = (panel - self.panel) * 16;
            let width = 16.min(outputs - panel * 16);
            let bias = of.bias.map(|bias| load(s, &bias[panel * 16..][..width]));
            for r in 0..SIDE - self.done {
                let row = &self.sums.0[self.done + r][half..half + 16];
                let mut sum = load(s, row);
                if of.kind == Kind::Int8 {
                    let scale = s.mul(s.splat(of.scales[self.first + r]), s.load(&of.w.end(panel).scale.0));
                    sum = s.mul(s.to_floats(sum), scale);
                }
                if let Some(bias) = bias {
                    sum = s.add(sum, bias);
                }
                let out = &mut self.out[(self.first + r) * outputs + panel * 16..][..width];
                if of.accumulate {
                    sum = s.add(sum, load(s, out));
                }
                let mut sum = [[sum]];
                match of.activation {
                    Activation::Relu => apply(s, Relu, &mut sum),
                    Activation::ClippedRelu => apply(s, ClippedRelu, &mut sum),
                    _ => {}
                }
                match out.first_chunk_mut() {
                    Some(out) => s.store(sum[0][0], out),
                    None => s.store_partial(sum[0][0], out),
                }
            }
        }
    }
}

#[inline(always)]
fn load<S: Simd>(s: S, values: &[f32]) -> S::F {
    match values.first_chunk() {
        Some(chunk) => s.load(chunk),
        None => s.load_partial(values, 0.0),
    }
}

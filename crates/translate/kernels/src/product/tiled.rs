//! Products whose sums the tiles of AMX make.

use crate::elementwise::{ClippedRelu, Relu};
use crate::epilogue::Activation;
use crate::isa::{Kernel, Simd, dispatch};
use crate::panels::Panels;
use crate::tiles::{Kind, SIDE, Sums, TILE_ROWS, Tiles};

use super::tile::apply;
use std::mem::swap;
use std::ops::Range;

/// A product of rows with some panels of `w`.
pub(super) struct TiledProduct<'a> {
    pub(super) tiles: Tiles,
    pub(super) kind: Kind,
    /// `rows × w.length()`.
    pub(super) x: &'a [f32],
    /// Factors of the rows of integers, none of floats.
    pub(super) scales: &'a [f32],
    pub(super) w: &'a Panels,
    pub(super) panels: Range<usize>,
    /// Columns of a row of the result; the first one is that of the first panel.
    pub(super) stride: usize,
    pub(super) bias: Option<&'a [f32]>,
    pub(super) activation: Activation,
    pub(super) addend: Addend<'a>,
}

/// What is added to a product.
#[derive(Clone, Copy)]
pub(super) enum Addend<'a> {
    None,
    /// The values of the result before it.
    Result,
    /// Values in the shape of the result.
    Values(&'a [f32]),
}

/// Rows that are multiplied by all panels before the next ones are read: they stay in the second-level cache.
const LANES: usize = 128 * 1024;

impl TiledProduct<'_> {
    /// Whether there are enough rows of any kind, and anything to multiply.
    pub(super) fn serves(rows: usize, lanes: usize) -> bool {
        rows >= TILE_ROWS && lanes > 0
    }

    /// The product of `rows` rows, of which there is one at least, as there is a lane.
    pub(super) fn run(&self, rows: usize, out: &mut [f32]) {
        let length = self.w.length();
        assert_eq!((self.x.len(), out.len()), (rows * length, rows * self.stride), "lanes of x, and the result");
        let (height, most) = (rows.min(SIDE), (LANES / length).max(SIDE) / SIDE * SIDE);
        let (mut starts, mut both) = (Sums::ZERO, [Sums::ZERO; 2]);
        let [mut sums, mut next] = both.each_mut();
        // The block before: it is finished while the tiles multiply the next one.
        let mut multiplied = None;
        self.tiles.configured(height, |blocks| {
            for start in (0..rows).step_by(most) {
                let end = rows.min(start + most);
                for panel in self.panels.clone().step_by(2) {
                    let panels = self.w.panels(panel..self.panels.end.min(panel + 2));
                    self.begin(panel, height, &mut starts);
                    for row in (start..end).step_by(SIDE) {
                        // The last block has rows of the one before in it, which are not finished again.
                        let first = row.min(rows - height);
                        let x = &self.x[first * length..][..height * length];
                        blocks.multiply(self.kind, x, length, panels, &starts, next);
                        if let Some(block) = multiplied.replace(Block { panel, height, first, done: row - first }) {
                            dispatch(Finish { of: self, block, sums, out });
                        }
                        swap(&mut sums, &mut next);
                    }
                }
            }
        });
        if let Some(block) = multiplied {
            dispatch(Finish { of: self, block, sums, out });
        }
    }

    /// Where the sums of two panels begin, for `rows` rows.
    fn begin(&self, panel: usize, rows: usize, sums: &mut Sums) {
        let mut start = [0.0; SIDE];
        if self.kind == Kind::Int8 {
            let ends = self.w.ends(panel..self.panels.end.min(panel + 2));
            start.as_chunks_mut().0.iter_mut().zip(ends).for_each(|(start, end)| *start = end.start.0);
        }
        sums.fill(rows, &start);
    }
}

/// The place of some sums in a product.
struct Block {
    /// The first of two panels.
    panel: usize,
    /// The number of rows.
    height: usize,
    /// The row of the product that is the first one here.
    first: usize,
    /// How many of the rows are stored already.
    done: usize,
}

/// A block, finished and stored.
struct Finish<'a, 'b> {
    of: &'a TiledProduct<'b>,
    block: Block,
    sums: &'a Sums,
    out: &'a mut [f32],
}

impl Kernel for Finish<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (of, Block { panel: pair, height, first, done }) = (self.of, self.block);
        for panel in pair..of.panels.end.min(pair + 2) {
            let half = (panel - pair) * 16;
            let width = 16.min(of.w.outputs() - panel * 16);
            let bias = of.bias.map(|bias| load(s, &bias[panel * 16..][..width]));
            for r in done..height {
                let mut sum = load(s, &self.sums.of(r, height)[half..half + 16]);
                if of.kind == Kind::Int8 {
                    let scale = s.mul(s.splat(of.scales[first + r]), s.load(&of.w.end(panel).scale.0));
                    sum = s.mul(s.to_floats(sum), scale);
                }
                if let Some(bias) = bias {
                    sum = s.add(sum, bias);
                }
                let place = (first + r) * of.stride + (panel - of.panels.start) * 16;
                let out = &mut self.out[place..][..width];
                match of.addend {
                    Addend::None => {}
                    Addend::Result => sum = s.add(sum, load(s, out)),
                    Addend::Values(values) => sum = s.add(sum, load(s, &values[place..][..width])),
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

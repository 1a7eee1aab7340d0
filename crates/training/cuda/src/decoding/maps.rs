//! Linear maps: `kernels/maps.cu`.

#![allow(unsafe_code)] // launches kernels

use super::NO_ID;
use crate::arguments::MapArguments;
use crate::launch::Grid;
use crate::operations::{is_shaped, optional};
use crate::{Cuda, Matrix};
use core::ops::Range;
use metaphrase_device::{Activation, Shape, Storage};
use metaphrase_kernels as kernels;

/// The numbers that weights are stored as. Products and sums are `f32` in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightNumbers {
    /// 32-bit floats.
    #[default]
    F32,
    /// The upper half of a 32-bit float, rounded to the nearest one.
    Bf16,
}

/// A linear map `f(x · Wᵀ + b)` on a device, or a table of words.
pub struct DeviceMap {
    /// `outputs × inputs`.
    w: Matrix,
    numbers: WeightNumbers,
    bias: Option<Matrix>,
    inputs: usize,
    outputs: usize,
    activation: Activation,
}

/// Neighbouring rows, and the outputs that they need: column j of each of these rows is output `outputs[j]`.
#[derive(Debug, Clone)]
pub struct ListedRows<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// The outputs.
    pub outputs: &'a [u32],
}

/// What a block computes.
struct TileShape {
    rows: usize,
    cols: usize,
    threads: u32,
}

/// The tiles of the kernels `map_small`, `map_medium` and `map_large`; `map_lists` has the first one.
const TILES: [TileShape; 3] = [
    TileShape { rows: 16, cols: 16, threads: 64 },
    TileShape { rows: 64, cols: 32, threads: 256 },
    TileShape { rows: 128, cols: 64, threads: 256 },
];

impl TileShape {
    /// The number of blocks for a product of this size.
    const fn blocks(&self, rows: usize, outputs: usize) -> usize {
        rows.div_ceil(self.rows) * outputs.div_ceil(self.cols)
    }
}

/// Larger tiles read weights less often. They pay where rows fill more than half of them, and where there are blocks
/// for most of the multiprocessors, of which large devices have 100 to 150.
const ENOUGH_BLOCKS: usize = 100;

impl DeviceMap {
    /// The number of inputs.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs, or of words.
    #[must_use]
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    fn arguments(&self) -> MapArguments {
        MapArguments {
            w: self.w.read(),
            bias: optional(self.bias.as_ref()),
            inputs: self.inputs as u32,
            outputs: self.outputs as u32,
            is_bf16: (self.numbers == WeightNumbers::Bf16).into(),
            function: self.activation as u32,
        }
    }
}

/// The index in [`TILES`] of the best tile for a product of this size. All tiles give the same bits.
fn tile(rows: usize, outputs: usize) -> usize {
    let pays = |tile: &TileShape| 2 * rows > tile.rows && tile.blocks(rows, outputs) >= ENOUGH_BLOCKS;
    TILES.iter().rposition(pays).unwrap_or(0)
}

/// The upper half of a number, rounded to the nearest one, ties to even.
fn bf16(x: f32) -> u32 {
    let bits = x.to_bits();
    bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16
}

impl Cuda {
    /// Brings a map to the device: `w` is `outputs × inputs`.
    ///
    /// # Panics
    /// If the bias has not a number for each output.
    pub fn device_map(
        &mut self,
        w: &kernels::Matrix,
        bias: Option<&[f32]>,
        activation: Activation,
        numbers: WeightNumbers,
    ) -> DeviceMap {
        let (outputs, inputs) = (w.rows(), w.cols());
        let stored = match numbers {
            WeightNumbers::F32 => self.upload(w),
            WeightNumbers::Bf16 => {
                let pair = |pair: &[f32]| bf16(pair[0]) | pair.get(1).map_or(0, |&second| bf16(second) << 16);
                let pairs: Vec<u32> = w.as_slice().chunks(2).map(pair).collect();
                self.table(&pairs)
            }
        };
        let bias = bias.map(|bias| {
            assert_eq!(bias.len(), outputs, "length of a bias");
            self.upload(&kernels::Matrix::from_vec(1, outputs, bias.to_vec()))
        });
        DeviceMap { w: stored, numbers, bias, inputs, outputs, activation }
    }

    /// y ← f(x · Wᵀ + b) + `add`, `rows × outputs`.
    pub fn map(&mut self, map: &DeviceMap, x: &Matrix, add: Option<&Matrix>, y: &mut Matrix) {
        assert_eq!(x.rows(), y.rows(), "rows of a map");
        self.map_by_tile(tile(x.rows(), map.outputs), map, x, add, y);
    }

    /// y ← f(x · Wᵀ + b) for as many of the first rows of x as y has.
    pub fn map_first_rows(&mut self, map: &DeviceMap, x: &Matrix, y: &mut Matrix) {
        self.map_by_tile(tile(y.rows(), map.outputs), map, x, None, y);
    }

    fn map_by_tile(&mut self, tile: usize, map: &DeviceMap, x: &Matrix, add: Option<&Matrix>, y: &mut Matrix) {
        let rows = y.rows();
        assert!(rows <= x.rows() && x.cols() == map.inputs, "rows and inputs of a map");
        is_shaped(y, rows, map.outputs);
        is_shaped(add.unwrap_or(y), rows, map.outputs);
        let grid = Grid::threads(TILES[tile].blocks(rows, map.outputs), TILES[tile].threads);
        self.multiply_adds += (rows * map.inputs * map.outputs) as u64;
        let (arguments, x, add, y, rows) = (map.arguments(), x.read(), optional(add), y.write(), rows as u32);
        // SAFETY: x has the map's inputs, y and `add` its outputs, and a block stops at the last row and output.
        self.run(|b| unsafe {
            match tile {
                0 => b.map_small(grid, arguments, x, rows, add, y),
                1 => b.map_medium(grid, arguments, x, rows, add, y),
                _ => b.map_large(grid, arguments, x, rows, add, y),
            }
        });
    }

    /// The listed outputs of all rows of x; y is `rows × the longest list`, and the columns after those of a shorter
    /// list are unspecified.
    pub fn map_lists(&mut self, map: &DeviceMap, x: &Matrix, lists: &[ListedRows<'_>], y: &mut Matrix) {
        is_shaped(x, y.rows(), map.inputs);
        let TileShape { rows: side, threads, .. } = TILES[0];
        let (mut tiles, mut outputs): (Vec<u32>, Vec<u32>) = Default::default();
        for list in lists {
            assert!(list.rows.end <= x.rows() && list.outputs.len() <= y.cols(), "rows and columns of a list");
            assert!(list.outputs.iter().all(|&output| (output as usize) < map.outputs), "an output of a map");
            for row in list.rows.clone().step_by(side) {
                for first in (0..list.outputs.len()).step_by(side) {
                    let rows = side.min(list.rows.end - row);
                    let tile = [row, rows, outputs.len(), first, list.outputs.len()];
                    tiles.extend(tile.map(|number| number as u32));
                }
            }
            outputs.extend_from_slice(list.outputs);
            self.multiply_adds += (list.rows.len() * map.inputs * list.outputs.len()) as u64;
        }
        let grid = Grid::threads(tiles.len() / 5, threads);
        let [tiles, outputs] = [tiles, outputs].map(|numbers| self.table(&numbers));
        let (arguments, cols) = (map.arguments(), y.cols() as u32);
        // SAFETY: tiles are rows of x and y, and columns of lists, which name outputs of the map.
        self.run(|b| unsafe { b.map_lists(grid, arguments, x.read(), tiles.ids(), outputs.ids(), y.write(), cols) });
        [tiles, outputs].into_iter().for_each(|table| self.give(table));
    }

    /// Row i of y ← factor · row `words[i]` of the table + row `positions[i]` of `vectors`; [`NO_ID`] is no word.
    pub fn embed(
        &mut self,
        table: &DeviceMap,
        words: &[u32],
        factor: f32,
        positions: Option<(&Matrix, &[u32])>,
        y: &mut Matrix,
    ) {
        is_shaped(y, words.len(), table.inputs);
        assert!(words.iter().all(|&word| word == NO_ID || (word as usize) < table.outputs), "a word of a table");
        let (vectors, positions) = positions.unzip();
        if let (Some(vectors), Some(positions)) = (vectors, positions) {
            is_shaped(vectors, vectors.rows(), y.cols());
            assert_eq!(positions.len(), words.len(), "a position per word");
            assert!(positions.iter().all(|&position| (position as usize) < vectors.rows()), "a vector per position");
        }
        let (words, places) = (self.table(words), self.table(positions.unwrap_or_default()));
        let (n, cols, is_bf16) = (y.len(), y.cols() as u32, (table.numbers == WeightNumbers::Bf16).into());
        // SAFETY: all words are in the table and all positions among the vectors, one per row of y.
        self.run(|b| unsafe {
            let (w, vectors, ids, places) = (table.w.read(), optional(vectors), words.ids(), places.ids());
            b.embed(Grid::each(n), w, is_bf16, ids, factor, vectors, places, y.write(), cols, n as u64)
        });
        [words, places].into_iter().for_each(|table| self.give(table));
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use metaphrase_kernels::Matrix as HostMatrix;

    fn numbers(rows: usize, cols: usize, seed: usize) -> HostMatrix {
        let number = |i: usize| (((i + 1) * (2 * seed + 7)) as f32).sin();
        HostMatrix::from_vec(rows, cols, (0..rows * cols).map(number).collect())
    }

    #[test]
    fn all_tiles_and_all_numbers_of_rows_give_the_same_bits() {
        let mut cuda = Cuda::for_tests(false);
        let (w, x, add) = (numbers(70, 83, 1), numbers(75, 83, 2), numbers(75, 70, 3));
        for kind in [WeightNumbers::F32, WeightNumbers::Bf16] {
            let bias: Vec<f32> = (0..70).map(|i| i as f32 / 70.0).collect();
            let map = cuda.device_map(&w, Some(&bias), Activation::Relu, kind);
            let (input, added) = (cuda.upload(&x), cuda.upload(&add));
            let by_tile = [0, 1, 2].map(|tile| {
                let mut y = cuda.take(75, 70);
                cuda.map_by_tile(tile, &map, &input, Some(&added), &mut y);
                cuda.download(&y)
            });
            assert!(by_tile[0] == by_tile[1] && by_tile[0] == by_tile[2], "{kind:?}");
            for row in [0, 13, 74] {
                let mut y = cuda.take(1, 70);
                let one = |m: &HostMatrix| HostMatrix::from_vec(1, m.cols(), m.row(row).to_vec());
                let (input, added) = (cuda.upload(&one(&x)), cuda.upload(&one(&add)));
                cuda.map(&map, &input, Some(&added), &mut y);
                assert_eq!(cuda.download(&y).row(0), by_tile[0].row(row));
            }
            for (row, output) in [(0, 0), (74, 69), (30, 16)] {
                let weight = |&w: &f32| if kind == WeightNumbers::F32 { w } else { f32::from_bits(bf16(w) << 16) };
                let dot: f32 = x.row(row).iter().zip(w.row(output)).map(|(x, w)| x * weight(w)).sum();
                let expected = (dot + bias[output]).max(0.0) + add.row(row)[output];
                assert!((by_tile[0].row(row)[output] - expected).abs() < 1e-4, "{row}, {output}");
            }
        }
        cuda.check().expect("no failure");
    }

    #[test]
    fn tiles_grow_with_the_product() {
        assert_eq!(tile(1, 8000), 0);
        assert_eq!(tile(512, 8000), 2);
        assert_eq!(tile(128, 1536), 0);
        assert_eq!(tile(512, 1536), 1);
    }

    #[test]
    fn lists_are_some_of_the_outputs() {
        let mut cuda = Cuda::for_tests(false);
        let map = cuda.device_map(&numbers(40, 20, 1), None, Activation::None, WeightNumbers::F32);
        let x = cuda.upload(&numbers(21, 20, 2));
        let (mut all, mut some) = (cuda.take(21, 40), cuda.take(21, 18));
        cuda.map(&map, &x, None, &mut all);
        let (first, second): (Vec<u32>, Vec<u32>) = ((2..20).collect(), vec![39, 0, 7]);
        let lists = [(0..20, &first), (20..21, &second)].map(|(rows, outputs)| ListedRows { rows, outputs });
        cuda.map_lists(&map, &x, &lists, &mut some);
        let (all, some) = (cuda.download(&all), cuda.download(&some));
        for list in lists {
            for row in list.rows {
                let expected = list.outputs.iter().map(|&output| all.row(row)[output as usize]);
                assert!(some.row(row).iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()), "row {row}");
            }
        }
    }
}

//! Updates of parameters: `kernels/training.cu`.

#![allow(unsafe_code)] // launches kernels

use super::same;
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Adadelta, Adam, Change, Elementwise, Rule, Shape, Storage, UpdateMatrices, Updates};
use std::ptr::null_mut;

/// The most numbers of a piece of a matrix, on which a block works.
const PIECE: usize = 8192;

/// The two halves of an address or a count.
const fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Where the pieces of a matrix begin, and the number of their numbers.
fn pieces(len: usize) -> impl ExactSizeIterator<Item = (usize, usize)> {
    (0..len).step_by(PIECE).map(move |start| (start, PIECE.min(len - start)))
}

/// Address and count of each piece of a matrix.
fn places(address: *const f32, len: usize) -> impl Iterator<Item = u32> {
    let place = move |(start, count)| [address.wrapping_add(start) as u64, count as u64];
    pieces(len).flat_map(place).flat_map(halves)
}

impl Cuda {
    /// The sum of the squares of each matrix.
    fn squares(&mut self, matrices: &[&Matrix]) -> Vec<f64> {
        let table: Vec<u32> = matrices.iter().flat_map(|matrix| places(matrix.read(), matrix.len())).collect();
        let count = table.len() / 4;
        let table = self.table(&table);
        let mut sums = self.take(1, count);
        // SAFETY: the table has the address and the count of the numbers of each piece; each block has its own sum.
        self.run(|b| unsafe { b.squares(Grid::blocks(count), table.ids(), sums.write()) });
        let all = self.download(&sums);
        [table, sums].into_iter().for_each(|matrix| self.give(matrix));
        let mut next = all.as_slice().iter().map(|&sum| f64::from(sum));
        matrices.iter().map(|matrix| next.by_ref().take(pieces(matrix.len()).len()).sum()).collect()
    }

    /// Sets all numbers of matrices to zero.
    pub(crate) fn clear_pieces(&mut self, matrices: &mut [Matrix]) {
        let table = matrices.iter_mut().flat_map(|matrix| places(matrix.write(), matrix.len())).collect::<Vec<u32>>();
        let count = table.len() / 4;
        let table = self.table(&table);
        // SAFETY: the table has the address and the count of the numbers of each piece.
        self.run(|b| unsafe { b.clear_pieces(Grid::blocks(count), table.ids()) });
        self.give(table);
    }
}

/// The matrices of a parameter in an update.
struct Trained<'a> {
    parameter: &'a mut Matrix,
    gradient: &'a Matrix,
    /// The first and the second of [`UpdateMatrices`].
    means: Option<[&'a mut Matrix; 2]>,
    smoothed: Option<&'a mut Matrix>,
    change: Change,
}

impl Trained<'_> {
    /// Adds `struct Piece` of the kernels for each piece of the parameter.
    fn list(self, table: &mut Vec<u32>) {
        let Self { parameter, gradient, means, smoothed, change } = self;
        let Change { rule, rate, clip, clip_weights, kept } = change;
        let len = same([parameter, gradient]);
        let cut = if parameter.rows() == 1 { 0.0 } else { clip_weights };
        let [first, second] = means.filter(|_| rule != Rule::Sgd).map_or([null_mut(); 2], |[first, second]| {
            same([parameter, first, second]);
            [first.write(), second.write()]
        });
        assert!(rule == Rule::Sgd || !first.is_null() || len == 0, "this rule needs two means per parameter");
        let smoothed = smoothed.map_or(null_mut(), |smoothed| {
            same([parameter, smoothed]);
            smoothed.write()
        });
        let (number, numbers) = match rule {
            Rule::Sgd => (0, [0.0; 6]),
            Rule::Adam(Adam { beta, correction, epsilon, weight_decay }) => {
                (1, [beta[0], beta[1], correction[0], correction[1], epsilon, weight_decay])
            }
            Rule::Adadelta(Adadelta { rho, epsilon }) => (2, [rho, epsilon, 0.0, 0.0, 0.0, 0.0]),
        };
        let (parameter, rounded) = parameter.rewrite();
        for (start, count) in pieces(len) {
            let at = |address: *mut f32| if address.is_null() { 0 } else { address.wrapping_add(start) as u64 };
            let rounded = if rounded.is_null() { 0 } else { rounded.wrapping_add(start) as u64 };
            let addresses =
                [at(parameter), at(gradient.read().cast_mut()), at(first), at(second), at(smoothed), rounded];
            table.extend(addresses.into_iter().flat_map(halves).chain([count as u32, number]));
            table.extend([rate, clip, cut, kept].into_iter().chain(numbers).map(f32::to_bits));
        }
    }
}

/// Four-byte numbers of `struct Piece` of the kernels.
const PIECE_NUMBERS: usize = 24;

impl Updates for Cuda {
    fn sum(shards: &mut [Self], mut gradients: Vec<&mut [Matrix]>) -> f32 {
        let Some((sum, others)) = gradients.split_first_mut() else { return 0.0 };
        let cuda = &mut shards[0];
        for other in others {
            sum.iter_mut().zip(&**other).for_each(|(sum, other)| cuda.add(sum, other));
        }
        cuda.squares(&sum.iter().collect::<Vec<_>>()).iter().sum::<f64>().sqrt() as f32
    }

    fn norms(shards: &mut [Self], matrices: &[&Matrix]) -> Vec<f32> {
        let squares = shards[0].squares(matrices);
        squares.into_iter().map(|sum| sum.sqrt() as f32).collect()
    }

    fn update(shards: &mut [Self], changes: &[Change], trained: UpdateMatrices<'_, Self>) {
        let UpdateMatrices { parameters, gradients, first, second, smoothed } = trained;
        let cuda = &mut shards[0];
        let mut means = first.iter_mut().zip(second);
        let mut smoothed = smoothed.iter_mut();
        let mut table = Vec::new();
        for ((parameter, gradient), &change) in parameters.iter_mut().zip(gradients).zip(changes) {
            let means = means.next().map(|(first, second)| [first, second]);
            Trained { parameter, gradient, means, smoothed: smoothed.next(), change }.list(&mut table);
        }
        let grid = Grid::blocks(table.len() / PIECE_NUMBERS);
        let table = cuda.table(&table);
        // SAFETY: the table has the addresses of each piece, whose matrices have one shape.
        cuda.run(|b| unsafe { b.update(grid, table.ids()) });
        cuda.give(table);
    }

    fn renew(_: &mut [Self], _: &mut [Matrix]) {}
}

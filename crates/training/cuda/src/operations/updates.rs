//! Updates of parameters: `kernels/training.cu`.

#![allow(unsafe_code)] // launches kernels

use super::same;
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Change, Elementwise, Rule, Shape, Storage, UpdateMatrices, Updates};

/// Numbers of a piece of a matrix, whose squares a block sums up.
const PIECE: usize = 8192;

/// The two halves of numbers of 64 bits.
fn halves<const N: usize>(numbers: [u64; N]) -> impl Iterator<Item = u32> {
    numbers.into_iter().flat_map(|number| [number as u32, (number >> 32) as u32])
}

impl Cuda {
    /// The sum of the squares of each matrix.
    fn squares(&mut self, matrices: &[&Matrix]) -> Vec<f64> {
        let starts = |matrix: &&Matrix| (0..matrix.len()).step_by(PIECE);
        let mut table = Vec::new();
        for matrix in matrices {
            for start in starts(matrix) {
                let count = PIECE.min(matrix.len() - start);
                table.extend(halves([matrix.read().wrapping_add(start) as u64, count as u64]));
            }
        }
        let pieces = table.len() / 4;
        let table = self.table(&table);
        let mut sums = self.take(1, pieces);
        // SAFETY: the table has the address and the count of the numbers of each piece; each block has a sum of its own.
        self.run(|b| unsafe { b.squares(Grid::blocks(pieces), table.ids(), sums.write()) });
        let all = self.download(&sums);
        [table, sums].into_iter().for_each(|matrix| self.give(matrix));
        let mut next = all.as_slice().iter().map(|&sum| f64::from(sum));
        matrices.iter().map(|matrix| next.by_ref().take(starts(matrix).len()).sum()).collect()
    }

    /// Lets a parameter follow its gradient; `means` are the first and the second of [`UpdateMatrices`], if the rule
    /// has any.
    fn follow(&mut self, p: &mut Matrix, g: &Matrix, means: Option<[&mut Matrix; 2]>, change: Change) {
        let Change { rule, rate, clip, .. } = change;
        let (count, all) = (same([p, g]), Grid::each(p.len()));
        let means = means.filter(|_| rule != Rule::Sgd).map(|[first, second]| {
            same([p, first, second]);
            [first.write(), second.write()]
        });
        let (p, g, n) = (p.write(), g.read(), count as u64);
        match (rule, means) {
            (Rule::Sgd, _) => {
                // SAFETY: both have n numbers.
                self.run(|b| unsafe { b.sgd(all, p, g, n, rate, clip) });
            }
            (Rule::Adam(adam), Some([m, v])) => {
                // SAFETY: all have n numbers.
                self.run(|b| unsafe { b.adam(all, p, g, m, v, n, rate, clip, adam) });
            }
            (Rule::Adadelta(adadelta), Some([steps, squares])) => {
                // SAFETY: all have n numbers.
                self.run(|b| unsafe { b.adadelta(all, p, g, steps, squares, n, rate, clip, adadelta) });
            }
            (Rule::Adam(_) | Rule::Adadelta(_), None) => panic!("this rule needs two means per parameter"),
        }
    }

    /// Cuts numbers to ±limit. A number that is not finite stays visible.
    fn cut(&mut self, matrix: &mut Matrix, limit: f32) {
        let n = matrix.len();
        // SAFETY: the matrix has n numbers.
        self.run(|b| unsafe { b.cut(Grid::each(n), matrix.write(), n as u64, limit) });
    }
}

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
        for ((parameter, gradient), &change) in parameters.iter_mut().zip(gradients).zip(changes) {
            let means = means.next().map(|(first, second)| [first, second]);
            cuda.follow(parameter, gradient, means, change);
            if change.clip_weights > 0.0 && parameter.rows() != 1 {
                cuda.cut(parameter, change.clip_weights);
            }
            if let Some(smoothed) = smoothed.next() {
                cuda.weighted_sum(smoothed, parameter, [change.kept, 1.0 - change.kept]);
            }
        }
    }

    fn renew(_: &mut [Self], _: &mut [Matrix]) {}
}

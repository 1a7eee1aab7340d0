//! What updates do to parameters: `kernels/training.cu`. The rules are those of `metaphrase-train`'s optimizer.

#![allow(unsafe_code)] // launches kernels

use super::same;
use crate::backend::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::Storage;

/// Numbers of an update by Adam.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)] // as the kernel's
pub struct Adam {
    /// Decay of the mean of gradients, and of that of their squares.
    pub beta: [f32; 2],
    /// 1/(1 - βᵗ) of both, for update t.
    pub correction: [f32; 2],
    /// ε
    pub epsilon: f32,
    /// The share of weights that η takes from them.
    pub weight_decay: f32,
}

/// Numbers of an update by AdaDelta.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)] // as the kernel's
pub struct Adadelta {
    /// Decay of the means of squares.
    pub rho: f32,
    /// ε
    pub epsilon: f32,
}

/// The most blocks that sum up the squares of a matrix, and numbers for which there is one.
const SQUARE_BLOCKS: usize = 64;
const SQUARES_OF_BLOCK: usize = 4096;

/// Updates. `rate` is η, `clip` what gradients are multiplied with before.
impl Cuda {
    /// The root of the sum of the squares of all numbers.
    pub fn norm(&mut self, matrices: &[Matrix]) -> f32 {
        let mut sums = self.zeros(matrices.len(), SQUARE_BLOCKS);
        for (i, matrix) in matrices.iter().enumerate() {
            let n = matrix.len();
            let own = sums.write().wrapping_add(i * SQUARE_BLOCKS);
            let grid = Grid::blocks(n.div_ceil(SQUARES_OF_BLOCK).min(SQUARE_BLOCKS));
            // SAFETY: the matrix has n numbers, and each block a sum of its own.
            self.run(|b| unsafe { b.squares(grid, matrix.read(), n as u64, own) });
        }
        let all = self.download(&sums);
        self.give(sums);
        all.as_slice().iter().map(|&sum| f64::from(sum)).sum::<f64>().sqrt() as f32
    }

    /// θ ← θ - η · g.
    pub fn sgd(&mut self, parameter: &mut Matrix, gradient: &Matrix, rate: f32, clip: f32) {
        let n = same([parameter, gradient]);
        // SAFETY: both have n numbers.
        self.run(|b| unsafe { b.sgd(Grid::each(n), parameter.write(), gradient.read(), n as u64, rate, clip) });
    }

    /// Kingma and Ba 2015; `moments` are the means of gradients and of their squares.
    pub fn adam(
        &mut self,
        parameter: &mut Matrix,
        gradient: &Matrix,
        moments: [&mut Matrix; 2],
        rate: f32,
        clip: f32,
        numbers: Adam,
    ) {
        let n = same([parameter, gradient, moments[0], moments[1]]);
        let (p, g, [m, v]) = (parameter.write(), gradient.read(), moments.map(Matrix::write));
        // SAFETY: all have n numbers.
        self.run(|b| unsafe { b.adam(Grid::each(n), p, g, m, v, n as u64, rate, clip, numbers) });
    }

    /// Zeiler 2012; `means` are those of squared steps and of squared gradients.
    pub fn adadelta(
        &mut self,
        parameter: &mut Matrix,
        gradient: &Matrix,
        means: [&mut Matrix; 2],
        rate: f32,
        clip: f32,
        numbers: Adadelta,
    ) {
        let n = same([parameter, gradient, means[0], means[1]]);
        let (p, g, [steps, squares]) = (parameter.write(), gradient.read(), means.map(Matrix::write));
        // SAFETY: all have n numbers.
        self.run(|b| unsafe { b.adadelta(Grid::each(n), p, g, steps, squares, n as u64, rate, clip, numbers) });
    }

    /// Cuts numbers to ±limit; what is no number stays so.
    pub fn cut(&mut self, matrix: &mut Matrix, limit: f32) {
        let n = matrix.len();
        // SAFETY: the matrix has n numbers.
        self.run(|b| unsafe { b.cut(Grid::each(n), matrix.write(), n as u64, limit) });
    }

    /// smoothed ← kept · smoothed + (1 - kept) · parameter.
    pub fn smooth(&mut self, smoothed: &mut Matrix, parameter: &Matrix, kept: f32) {
        let n = same([smoothed, parameter]);
        // SAFETY: both have n numbers.
        self.run(|b| unsafe { b.smooth(Grid::each(n), smoothed.write(), parameter.read(), n as u64, kept) });
    }
}

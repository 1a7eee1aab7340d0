//! Normalisation of rows: `kernels/normalisation.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, optional, same, shape};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Normal, Normalisation, Shape, Storage};

impl Normalisation for Cuda {
    fn normalise(&mut self, x: &Matrix, scale: &Matrix, bias: Option<&Matrix>, normal: Normal, y: &mut Matrix) {
        let (rows, cols) = shape(y);
        is_shaped(x, rows, cols);
        is_shaped(scale, 1, cols);
        is_shaped(bias.unwrap_or(scale), 1, cols);
        let Normal { epsilon, centred } = normal;
        let (y, rounded) = self.write_rounded(y);
        // SAFETY: there is a block per row of x and y; scale and bias, if any, have a number per column.
        self.run(|b| unsafe {
            let (grid, bias) = (Grid::rows(rows, cols), optional(bias));
            b.normalise(grid, x.read(), scale.read(), bias, epsilon, centred.into(), y, cols as u32, rounded)
        });
    }

    fn normalise_backward(
        &mut self,
        [x, scale, grad]: [&Matrix; 3],
        normal: Normal,
        sum: &mut Matrix,
        fresh: bool,
        scale_sum: &mut Matrix,
    ) {
        same([x, grad, sum]);
        is_shaped(scale, 1, x.cols());
        let mut normalised = self.take(x.rows(), x.cols());
        let (grid, cols) = (Grid::rows(x.rows(), x.cols()), x.cols() as u32);
        let Normal { epsilon, centred } = normal;
        // SAFETY: there is a block per row of the four; the scale has a number per column.
        self.run(|b| unsafe {
            let [x, scale, grad] = [x, scale, grad].map(Matrix::read);
            let (sum, normalised, centred, fresh) = (sum.write(), normalised.write(), centred.into(), fresh.into());
            b.normalise_backward(grid, x, scale, grad, epsilon, centred, cols, sum, fresh, normalised)
        });
        self.column_sums(grad, Some(&normalised), scale_sum);
        self.give(normalised);
    }
}

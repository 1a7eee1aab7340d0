//! Where numbers live.

use crate::pool::Pool;
use crate::products::{Parameter, Precision};
use metaphrase_kernels::{Matrix, ProductStorage};

/// How large a matrix is.
pub trait Shape {
    /// Rows.
    fn rows(&self) -> usize;
    /// Columns.
    fn cols(&self) -> usize;
}

/// Matrices of a device. They are taken and given back, so that nothing is allocated when it is warm.
pub trait Storage {
    /// A matrix of `f32`.
    type Matrix: Shape;
    /// A parameter, as products read it.
    type Parameter;

    /// The numbers of a parameter.
    fn value(parameter: &Self::Parameter) -> &Self::Matrix;

    /// A matrix of this shape with unspecified numbers.
    fn take(&mut self, rows: usize, cols: usize) -> Self::Matrix;

    /// Takes a matrix back.
    fn give(&mut self, matrix: Self::Matrix);

    /// A matrix of the CPU on the device, to be given back.
    fn upload(&mut self, matrix: &Matrix) -> Self::Matrix;

    /// The numbers of a matrix of the device.
    fn download(&mut self, matrix: &Self::Matrix) -> Matrix;

    /// Zeros.
    fn clear(&mut self, matrix: &mut Self::Matrix);

    /// A matrix of zeros.
    fn zeros(&mut self, rows: usize, cols: usize) -> Self::Matrix {
        let mut matrix = self.take(rows, cols);
        self.clear(&mut matrix);
        matrix
    }
}

/// A thread of the CPU: free matrices, and storage for products.
#[derive(Debug, Default)]
pub struct Host {
    pub(crate) precision: Precision,
    pub(crate) pool: Pool<Matrix>,
    pub(crate) products: ProductStorage,
}

impl Host {
    /// One with products in this precision.
    #[must_use]
    pub fn new(precision: Precision) -> Self {
        Self { precision, ..Self::default() }
    }

    /// Numbers that its free matrices can hold.
    #[must_use]
    pub fn pooled(&self) -> usize {
        self.pool.capacity()
    }
}

impl Shape for Matrix {
    fn rows(&self) -> usize {
        Self::rows(self)
    }

    fn cols(&self) -> usize {
        Self::cols(self)
    }
}

impl Storage for Host {
    type Matrix = Matrix;
    type Parameter = Parameter;

    fn value(parameter: &Parameter) -> &Matrix {
        parameter.value()
    }

    fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        let mut matrix = self.pool.take(rows * cols).unwrap_or_else(|capacity| Matrix::zeros(1, capacity));
        matrix.resize(rows, cols);
        matrix
    }

    fn give(&mut self, matrix: Matrix) {
        self.pool.give(matrix);
    }

    fn upload(&mut self, matrix: &Matrix) -> Matrix {
        let mut copy = self.take(matrix.rows(), matrix.cols());
        copy.as_mut_slice().copy_from_slice(matrix.as_slice());
        copy
    }

    fn download(&mut self, matrix: &Matrix) -> Matrix {
        matrix.clone()
    }

    fn clear(&mut self, matrix: &mut Matrix) {
        matrix.as_mut_slice().fill(0.0);
    }
}

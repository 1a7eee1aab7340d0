//! Matrices in the memory of a device.

use crate::parameter::{Parameter, TrainingPrecision};
use crate::pool::Pool;
use metaphrase_kernels::{Matrix, ProductStorage};

/// The size of a matrix.
pub trait Shape {
    /// Rows.
    fn rows(&self) -> usize;
    /// Columns.
    fn cols(&self) -> usize;
}

/// Why a device has failed, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Matrices of a device. They are taken and given back, so that a warm device allocates nothing.
pub trait Storage: Send {
    /// A matrix of `f32`.
    type Matrix: Shape + Send + Sync;
    /// A parameter, as products read it.
    type Parameter: Send + Sync;

    /// The name of a device that is not this CPU.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Whether all operations have succeeded so far. An operation after a failure does nothing; a failure of the last
    /// operations may show after the next [`download`](Self::download) only.
    ///
    /// # Errors
    /// The first failure.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// A parameter of this value.
    fn parameter(&mut self, value: Matrix) -> Self::Parameter;

    /// The numbers of a parameter.
    fn value(parameter: &Self::Parameter) -> &Self::Matrix;

    /// The numbers of a parameter, to be changed; [`Updates::renew`](crate::Updates::renew) has to follow.
    fn value_mut(parameter: &mut Self::Parameter) -> &mut Self::Matrix;

    /// A matrix of this shape with unspecified numbers.
    fn take(&mut self, rows: usize, cols: usize) -> Self::Matrix;

    /// Takes a matrix back.
    fn give(&mut self, matrix: Self::Matrix);

    /// Sets the numbers of a matrix to those of a matrix of the CPU, which has the same shape.
    fn write(&mut self, numbers: &Matrix, matrix: &mut Self::Matrix);

    /// A matrix of the CPU on the device, to be given back.
    fn upload(&mut self, numbers: &Matrix) -> Self::Matrix {
        let mut matrix = self.take(numbers.rows(), numbers.cols());
        self.write(numbers, &mut matrix);
        matrix
    }

    /// The numbers of a matrix of the device.
    fn download(&mut self, matrix: &Self::Matrix) -> Matrix;

    /// Sets all numbers to zero.
    fn clear(&mut self, matrix: &mut Self::Matrix);

    /// Sets all numbers of several matrices to zero.
    fn clear_all(&mut self, matrices: &mut [Self::Matrix]) {
        matrices.iter_mut().for_each(|matrix| self.clear(matrix));
    }

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
    pub(crate) precision: TrainingPrecision,
    pub(crate) pool: Pool<Matrix>,
    pub(crate) products: ProductStorage,
}

impl Host {
    /// A device per thread of the CPU. Products in bf16 and int8 use the tiles of AMX where the CPU has them.
    #[must_use]
    pub fn threads(threads: usize) -> Vec<Self> {
        let device = |_| Self { products: ProductStorage::with_tiles(), ..Self::default() };
        (0..threads.max(1)).map(device).collect()
    }

    /// The count of numbers that fit into its free matrices.
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

    fn parameter(&mut self, value: Matrix) -> Parameter {
        Parameter::new(value)
    }

    fn value(parameter: &Parameter) -> &Matrix {
        parameter.value()
    }

    fn value_mut(parameter: &mut Parameter) -> &mut Matrix {
        parameter.value_mut()
    }

    fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        let mut matrix = self.pool.take(rows * cols).unwrap_or_else(|capacity| Matrix::zeros(1, capacity));
        matrix.resize(rows, cols);
        matrix
    }

    fn give(&mut self, matrix: Matrix) {
        self.pool.give(matrix);
    }

    fn write(&mut self, numbers: &Matrix, matrix: &mut Matrix) {
        matrix.as_mut_slice().copy_from_slice(numbers.as_slice());
    }

    fn download(&mut self, matrix: &Matrix) -> Matrix {
        matrix.clone()
    }

    fn clear(&mut self, matrix: &mut Matrix) {
        matrix.as_mut_slice().fill(0.0);
    }
}

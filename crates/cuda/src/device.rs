//! A device and its memory.

#![allow(unsafe_code)] // hands memory to the backend

use crate::CudaError;
use crate::backend::Backend;
use crate::driver::Driver;
use metaphrase_device::{Device, Pool, Pooled, Precision, Shape, Storage};
use metaphrase_kernels as kernels;
use std::rc::Rc;

/// A CUDA device that computes.
pub struct Cuda {
    backend: Rc<Backend>,
    name: String,
    pub(crate) precision: Precision,
    pool: Pool<Matrix>,
    /// The first failure: nothing is done after it.
    failure: Option<CudaError>,
}

/// A matrix in a device's memory, row-major.
pub struct Matrix {
    rows: usize,
    cols: usize,
    /// Numbers that the memory holds: none of a device that has failed.
    capacity: usize,
    address: u64,
    backend: Rc<Backend>,
}

/// No side of a matrix is longer: cuBLAS counts with `int`.
const LONGEST: usize = i32::MAX as usize;

impl Cuda {
    /// Opens device number `index` and compiles the kernels for it, which takes seconds.
    ///
    /// # Errors
    /// If a library is missing, or there is no such device.
    pub fn open(index: usize) -> Result<Self, CudaError> {
        let driver = Driver::open(index)?;
        let name = driver.name();
        Ok(Self::new(Backend::Driver(driver), name))
    }

    /// A device that is none: the kernels run on the CPU. With `reversed` the threads of a block take turns from the last
    /// to the first, which changes nothing unless a barrier is missing.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub fn emulated(reversed: bool) -> Self {
        let emulator = crate::emulator::Emulator::new(reversed, usize::MAX);
        Self::new(Backend::Emulator(emulator), "the emulator".to_owned())
    }

    /// The same with memory for so many numbers.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub fn emulated_with_memory(numbers: usize) -> Self {
        let emulator = crate::emulator::Emulator::new(false, numbers);
        Self::new(Backend::Emulator(emulator), "a small emulator".to_owned())
    }

    fn new(backend: Backend, name: String) -> Self {
        let precision = Precision::default();
        Self { backend: Rc::new(backend), name, precision, pool: Pool::default(), failure: None }
    }

    /// Sets the precision of products.
    pub const fn set_precision(&mut self, precision: Precision) {
        self.precision = precision;
    }

    /// What the device calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Numbers that its free matrices can hold.
    #[must_use]
    pub fn pooled(&self) -> usize {
        self.pool.capacity()
    }

    /// Whether all went well so far. What was launched may still fail: it is certain after [`Storage::download`].
    ///
    /// # Errors
    /// The first failure.
    pub fn check(&self) -> Result<(), CudaError> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Lets the backend do something, unless the device has failed.
    pub(crate) fn run(&mut self, act: impl FnOnce(&Backend) -> Result<(), CudaError>) {
        if self.failure.is_none() {
            self.failure = act(&self.backend).err();
        }
    }

    /// A matrix for so many numbers; an empty one if the device fails.
    fn allocate(&mut self, capacity: usize) -> Matrix {
        let mut result = self.backend.allocate(capacity);
        if matches!(result, Err(CudaError::OutOfMemory { .. })) {
            self.pool = Pool::default(); // what is free may be of other sizes
            result = self.backend.allocate(capacity);
        }
        let (address, capacity) = match result {
            Ok(address) => (address, capacity),
            Err(error) => {
                self.failure.get_or_insert(error);
                (0, 0)
            }
        };
        Matrix { rows: 0, cols: 0, capacity, address, backend: Rc::clone(&self.backend) }
    }

    /// Ids or other whole numbers on the device, as a row; to be given back.
    pub(crate) fn table(&mut self, numbers: &[u32]) -> Matrix {
        let table = self.take(1, numbers.len());
        // SAFETY: the table has room for as many numbers, of four bytes each.
        self.run(|backend| unsafe { backend.write(table.address, numbers) });
        table
    }
}

impl Device for Cuda {}

impl Storage for Cuda {
    type Matrix = Matrix;
    type Parameter = Matrix;

    fn value(parameter: &Matrix) -> &Matrix {
        parameter
    }

    fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        assert!(rows <= LONGEST && cols <= LONGEST, "{rows} × {cols} is too large for a matrix");
        let mut matrix = self.pool.take(rows * cols).unwrap_or_else(|capacity| self.allocate(capacity));
        (matrix.rows, matrix.cols) = (rows, cols);
        matrix
    }

    fn give(&mut self, matrix: Matrix) {
        self.pool.give(matrix);
    }

    fn upload(&mut self, matrix: &kernels::Matrix) -> Matrix {
        let copy = self.take(matrix.rows(), matrix.cols());
        // SAFETY: the copy has the same shape.
        self.run(|backend| unsafe { backend.write(copy.address, matrix.as_slice()) });
        copy
    }

    fn download(&mut self, matrix: &Matrix) -> kernels::Matrix {
        let mut copy = kernels::Matrix::zeros(matrix.rows, matrix.cols);
        // SAFETY: the copy has the same shape.
        self.run(|backend| unsafe { backend.read(matrix.address, copy.as_mut_slice()) });
        copy
    }

    fn clear(&mut self, matrix: &mut Matrix) {
        // SAFETY: a matrix holds the numbers of its shape.
        self.run(|backend| unsafe { backend.clear(matrix.address, matrix.len()) });
    }
}

impl Matrix {
    /// Number of numbers.
    pub(crate) fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Where they are, on the device.
    pub(crate) fn read(&self) -> *const f32 {
        self.address as *const f32
    }

    /// Where they are, to be written.
    pub(crate) fn write(&mut self) -> *mut f32 {
        self.address as *mut f32
    }

    /// The same as whole numbers, for a [`table`](Cuda::table).
    pub(crate) fn ids(&self) -> *const u32 {
        self.address as *const u32
    }
}

impl Shape for Matrix {
    fn rows(&self) -> usize {
        self.rows
    }

    fn cols(&self) -> usize {
        self.cols
    }
}

impl Pooled for Matrix {
    fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the address is from `allocate`, and with its only owner it is gone.
            unsafe {
                self.backend.free(self.address);
            }
        }
    }
}

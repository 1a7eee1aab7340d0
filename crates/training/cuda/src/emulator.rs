//! The emulator of a device, for tests: a C compiler compiles the kernels (`emulator.c`), which run on the CPU.

#![allow(unsafe_code)] // calls into C

use crate::CudaError;
use crate::launch::{Gemm, Grid, Number};
use crate::times::Times;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory, and the order in which threads run.
pub(crate) struct Emulator {
    reversed: bool,
    /// The numbers that fit into the memory.
    capacity: usize,
    /// By address; each with [`GUARD`]s around it.
    memory: Mutex<HashMap<u64, Vec<f32>>>,
    pub(crate) times: Times,
}

/// Numbers that stand around all memory, to see a kernel that writes beyond the end.
const GUARD: usize = 32;
const GUARD_BITS: u32 = 0x7fa5_a5a5;

type Thread = unsafe extern "C" fn(*const c_void);

unsafe extern "C" {
    fn emulated_launch(blocks: u32, threads: u32, thread: Thread, arguments: *const c_void, reversed: c_int) -> c_int;
}

impl Emulator {
    pub(crate) fn new(reversed: bool, capacity: usize) -> Self {
        Self { reversed, capacity, memory: Mutex::default(), times: Times::default() }
    }

    fn memory(&self) -> MutexGuard<'_, HashMap<u64, Vec<f32>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// New memory is full of NaN, so that a result shows where it is read.
    pub(crate) fn allocate(&self, numbers: usize) -> Result<u64, CudaError> {
        let used: usize = self.memory().values().map(|memory| memory.len() - 2 * GUARD).sum();
        if used + numbers > self.capacity {
            let [megabytes, free, total] =
                [numbers, self.capacity - used, self.capacity].map(|numbers| (4 * numbers).div_ceil(1 << 20));
            return Err(CudaError::OutOfMemory { megabytes, free, total });
        }
        let mut memory = vec![f32::NAN; numbers + 2 * GUARD];
        let (front, rest) = memory.split_at_mut(GUARD);
        front.fill(f32::from_bits(GUARD_BITS));
        rest[numbers..].fill(f32::from_bits(GUARD_BITS));
        let address = rest.as_ptr() as u64;
        self.memory().insert(address, memory);
        Ok(address)
    }

    /// # Safety
    /// As [`Backend::free`](crate::backend::Backend::free).
    pub(crate) unsafe fn free(&self, address: u64) {
        let freed = self.memory().remove(&address);
        if let Some(memory) = freed {
            let guards = memory[..GUARD].iter().chain(&memory[memory.len() - GUARD..]);
            assert!(guards.map(|g| g.to_bits()).all(|bits| bits == GUARD_BITS), "a kernel wrote beyond a matrix");
        }
    }

    /// # Safety
    /// As [`Backend::clear`](crate::backend::Backend::clear).
    pub(crate) unsafe fn clear(&self, address: u64, numbers: usize) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts_mut(address as *mut f32, numbers) }.fill(0.0);
        Ok(())
    }

    /// # Safety
    /// As [`Backend::write`](crate::backend::Backend::write).
    pub(crate) unsafe fn write<T: Number>(&self, address: u64, numbers: &[T]) -> Result<(), CudaError> {
        // SAFETY: the caller's; numbers have four bytes.
        unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), address as *mut T, numbers.len()) };
        Ok(())
    }

    /// # Safety
    /// As [`Backend::read`](crate::backend::Backend::read).
    pub(crate) unsafe fn read(&self, address: u64, numbers: &mut [f32]) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        numbers.copy_from_slice(unsafe { std::slice::from_raw_parts(address as *const f32, numbers.len()) });
        Ok(())
    }

    /// # Safety
    /// `thread` runs a kernel with `arguments`, which are right for it.
    pub(crate) unsafe fn launch(
        &self,
        name: &'static str,
        grid: Grid,
        thread: Thread,
        arguments: *const c_void,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's; kernels neither unwind nor keep anything.
        match unsafe { emulated_launch(grid.blocks, grid.threads, thread, arguments, c_int::from(self.reversed)) } {
            0 => Ok(()),
            1 => Err(CudaError::Call { action: name, problem: "threads ended while others wait".to_owned() }),
            _ => Err(CudaError::Call { action: name, problem: "no memory for threads".to_owned() }),
        }
    }

    /// # Safety
    /// As [`Backend::gemm`](crate::backend::Backend::gemm).
    pub(crate) unsafe fn gemm(&self, gemm: Gemm) -> Result<(), CudaError> {
        let Gemm { transposed, m, n, k, lda, ldb, ldc, beta, .. } = gemm;
        // SAFETY: the caller's: there is such an element.
        let element = |matrix: *const f32, i: usize| unsafe {
            if gemm.bf16 { f32::from_bits(u32::from(*matrix.cast::<u16>().add(i)) << 16) } else { *matrix.add(i) }
        };
        for j in 0..n {
            for i in 0..m {
                let mut sum = 0.0_f32;
                for l in 0..k {
                    let at_a = if transposed[0] { i * lda + l } else { l * lda + i };
                    let at_b = if transposed[1] { l * ldb + j } else { j * ldb + l };
                    sum += element(gemm.a, at_a) * element(gemm.b, at_b);
                }
                // SAFETY: the caller's: an element of C. β = 0 does not read it, as in cuBLAS.
                unsafe {
                    let c = gemm.c.add(j * ldc + i);
                    *c = if beta == 0.0 { sum } else { sum + beta * *c };
                }
            }
        }
        Ok(())
    }
}

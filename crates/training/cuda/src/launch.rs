//! The arguments of a launch: the threads of a kernel, the shapes of a product.

/// The threads that run a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) blocks: u32,
    /// Per block: a power of two, at most [`BLOCK`].
    pub(crate) threads: u32,
}

/// `BLOCK` of kernels/common.cu.
const BLOCK: u32 = 256;

/// Threads of a team of kernels/decoding.cu, and the most teams of a block.
pub(crate) const LANES: u32 = 32;
pub(crate) const TEAMS: usize = 8;

impl Grid {
    /// A thread per number; where there are many numbers, several numbers per thread.
    pub(crate) fn each(n: usize) -> Self {
        Self { blocks: n.div_ceil(BLOCK as usize).min(1 << 16) as u32, threads: BLOCK }
    }

    /// A block per row, with as many threads as a row of `cols` numbers can use.
    pub(crate) fn rows(rows: usize, cols: usize) -> Self {
        Self { blocks: rows as u32, threads: (cols.min(BLOCK as usize) as u32).next_power_of_two().max(32) }
    }

    /// A team of [`LANES`] threads for each row.
    pub(crate) fn teams(rows: usize) -> Self {
        Self { blocks: rows.div_ceil(TEAMS) as u32, threads: LANES * TEAMS as u32 }
    }

    /// This number of blocks, each with this number of threads.
    pub(crate) const fn threads(blocks: usize, threads: u32) -> Self {
        Self { blocks: blocks as u32, threads }
    }

    /// This number of blocks, each with all threads.
    pub(crate) const fn blocks(blocks: usize) -> Self {
        Self { blocks: blocks as u32, threads: BLOCK }
    }
}

/// C ← op(A) · op(B) + β · C in cuBLAS' way: matrices lie column by column, a column of A begins `lda` numbers after
/// the one before; op(A) is `m × k`, op(B) `k × n`, op being the transposition or nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gemm {
    pub(crate) transposed: [bool; 2],
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: *const f32,
    pub(crate) lda: usize,
    pub(crate) b: *const f32,
    pub(crate) ldb: usize,
    pub(crate) beta: f32,
    pub(crate) c: *mut f32,
    pub(crate) ldc: usize,
    /// Whether the numbers of A and B are bf16, of two bytes each. Sums and C are `f32` in any case.
    pub(crate) bf16: bool,
}

/// A number of a matrix or a table: four bytes.
pub(crate) trait Number: Copy {}

impl Number for f32 {}
impl Number for u32 {}

//! The numbers that products multiply, in the lanes of f32: f32, pairs of bf16 or of integers of 16 bits, or four of 8
//! bits. In all cases sixteen lanes are a line; sums are f32, those of integers i32.

use crate::isa::{Kernel, Simd, dispatch, dispatch_bf16, dispatch_int8};
use crate::panels::Panels;
use metaphrase_base::{Choice, Named};
use std::marker::PhantomData;

/// The numbers that products multiply: in a model those of its maps, its output layer and its embeddings. All other
/// numbers are f32, sums of integers i32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// The upper halves of 32-bit floats: 8 bits of precision, the same range; twice the products per cycle where the
    /// CPU has AVX512-BF16. Neighbours along the inputs form pairs, since one instruction adds the two products of a
    /// pair, the second first. Where a CPU lacks the instruction, the same sums are computed in f32. Both give the same
    /// bits, except that the instruction takes subnormal numbers for zero.
    Bf16,
    /// Integers of 16 bits, with a factor for each row and each output, of as many bits as the sums leave room for
    /// (Devlin 2017, §4.1).
    Int16,
    /// Integers of 8 bits, with a factor for each row and each output.
    Int8,
}

impl Choice for Precision {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::F32, "f32", "32-bit floats"),
        Named::new(Self::Bf16, "bf16", "16-bit floats, half the memory; fast on AMD's CPUs with AVX512-BF16"),
        Named::new(Self::Int16, "int16", "16-bit integers, half the memory; scores nearest to those of f32"),
        Named::new(Self::Int8, "int8", "8-bit integers, a quarter of the memory; two to three times as fast"),
    ];
}

impl Precision {
    /// Whether the numbers are integers, whose sums end with factors.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::Int16 | Self::Int8)
    }
}

/// How the numbers of lanes are multiplied.
pub(crate) trait Number: Copy {
    /// Lanes of rows that are multiplied by all panels before the next rows are read.
    const BLOCK: usize;
    /// Whether sums are integers, which end with a factor for each row and each output.
    const INTEGER: bool = false;
    /// Whether rows are read without the lanes that are zero.
    const SPARSE: bool = false;

    /// `sum` plus the products of the numbers in each lane.
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F;

    /// [`mul_add`](Self::mul_add) of a lane that is [`NonZeroRows`](crate::zeros::NonZeroRows).
    #[inline(always)]
    fn mul_add_kept<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        Self::mul_add(s, x, w, sum)
    }

    /// Where the sums of a panel begin.
    #[inline(always)]
    fn start<S: Simd>(s: S, _w: &Panels, _panel: usize) -> S::F {
        s.splat(0.0)
    }

    /// Runs `kernel` with the instruction set of this thread.
    fn dispatch<K: Kernel>(kernel: K) -> K::Output;
}

/// Numbers that floats are rounded to one by one.
pub(crate) trait Float: Number {
    /// Numbers in a lane, neighbours along the inputs of a product.
    const PER_LANE: usize;
    /// Whether the tiles of AMX multiply such lanes.
    const TILED: bool;

    /// Lane j: the numbers from `j · PER_LANE` on. Lanes after the end are zero.
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F;

    /// Lane j: number j of each of `PER_LANE` rows; `second` is empty if it is after the end. Lanes after the end are
    /// zero.
    fn across<S: Simd>(s: S, first: &[f32], second: &[f32]) -> S::F;
}

/// One number in a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32;

/// Two numbers in a lane, each the upper half of an f32. Such a lane is only moved, never computed with as an f32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bf16;

/// Four integers of 8 bits in a lane: those of rows from 0 to 255 for -128 to 127, those of weights with a sign. Sums
/// begin at what the 128 that rows have too much adds, and end with a factor for each row and each output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int8;

/// Numbers in rows of which only some lanes are [`NonZeroRows`](crate::zeros::NonZeroRows).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sparse<N>(PhantomData<N>);

/// Two integers of 16 bits in a lane. Sums end with a factor for each row and each output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int16;

/// A share of the second-level cache.
const L2_LANES: usize = 128 * 1024;

impl Number for F32 {
    const BLOCK: usize = L2_LANES;

    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.mul_add(x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch(kernel)
    }
}

impl Float for F32 {
    const PER_LANE: usize = 1;
    const TILED: bool = false;

    #[inline(always)]
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F {
        load(s, row)
    }
    #[inline(always)]
    fn across<S: Simd>(s: S, first: &[f32], _second: &[f32]) -> S::F {
        load(s, first)
    }
}

impl Number for Bf16 {
    const BLOCK: usize = L2_LANES;

    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.dot_pairs(x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch_bf16(kernel)
    }
}

impl Float for Bf16 {
    const PER_LANE: usize = 2;
    const TILED: bool = true;

    #[inline(always)]
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F {
        s.round_neighbours(load(s, row), load(s, row.get(16..).unwrap_or_default()))
    }
    #[inline(always)]
    fn across<S: Simd>(s: S, first: &[f32], second: &[f32]) -> S::F {
        s.round_pairs(load(s, first), load(s, second))
    }
}

impl Number for Int16 {
    const BLOCK: usize = L1_LANES;
    const INTEGER: bool = true;

    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.dot_words(x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch_int8(kernel)
    }
}

/// A share of the first-level cache.
const L1_LANES: usize = 6 * 1024;

impl Number for Int8 {
    const BLOCK: usize = L1_LANES;
    const INTEGER: bool = true;

    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.dot_quads(x, w, sum)
    }
    #[inline(always)]
    fn mul_add_kept<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.dot_naturals(x, w, sum)
    }
    #[inline(always)]
    fn start<S: Simd>(s: S, w: &Panels, panel: usize) -> S::F {
        s.quads_start(s.load(&w.end(panel).start.0))
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch_int8(kernel)
    }
}

impl<N: Number> Number for Sparse<N> {
    const BLOCK: usize = N::BLOCK;
    const INTEGER: bool = N::INTEGER;
    const SPARSE: bool = true;

    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        N::mul_add_kept(s, x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        N::dispatch(kernel)
    }
}

/// The first sixteen values, with zeros after the end.
#[inline(always)]
fn load<S: Simd>(s: S, values: &[f32]) -> S::F {
    match values.first_chunk() {
        Some(chunk) => s.load(chunk),
        None => s.load_partial(values, 0.0),
    }
}

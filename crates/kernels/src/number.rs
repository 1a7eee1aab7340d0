//! The numbers that products multiply: f32, or pairs of bf16 in the lanes of f32. In both cases sixteen lanes are a line,
//! and sums are f32.

use crate::isa::{Kernel, Simd, dispatch, dispatch_bf16};
use crate::lanes::Rows;
use crate::matrix::Matrix;

/// How numbers lie in lanes.
pub(crate) trait Number: Copy {
    /// Numbers in a lane, neighbours along the inputs of a product.
    const PER_LANE: usize;

    /// Lane j: the numbers from `j · PER_LANE` on. Lanes behind the end are zero.
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F;

    /// Lane j: number j of each of `PER_LANE` rows; `second` is empty if it is behind the end. Lanes behind the end are
    /// zero.
    fn across<S: Simd>(s: S, first: &[f32], second: &[f32]) -> S::F;

    /// `sum` plus the products of the numbers in each lane.
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F;

    /// Runs `kernel` with the instruction set of this thread.
    fn dispatch<K: Kernel>(kernel: K) -> K::Output;

    /// The rows as lanes, `rows × x.lanes()`; written to `storage` where they do not lie so already.
    fn rows<'a>(x: Rows<'a, Self>, storage: &'a mut Matrix) -> &'a [f32];
}

/// One number in a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32;

/// Two numbers in a lane, each the upper half of an f32. Such a lane is only moved, never computed with as an f32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bf16;

impl Number for F32 {
    const PER_LANE: usize = 1;

    #[inline(always)]
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F {
        load(s, row)
    }
    #[inline(always)]
    fn across<S: Simd>(s: S, first: &[f32], _second: &[f32]) -> S::F {
        load(s, first)
    }
    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.mul_add(x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch(kernel)
    }
    fn rows<'a>(x: Rows<'a, Self>, _storage: &'a mut Matrix) -> &'a [f32] {
        x.values()
    }
}

impl Number for Bf16 {
    const PER_LANE: usize = 2;

    #[inline(always)]
    fn along<S: Simd>(s: S, row: &[f32]) -> S::F {
        s.round_neighbours(load(s, row), load(s, row.get(16..).unwrap_or_default()))
    }
    #[inline(always)]
    fn across<S: Simd>(s: S, first: &[f32], second: &[f32]) -> S::F {
        s.round_pairs(load(s, first), load(s, second))
    }
    #[inline(always)]
    fn mul_add<S: Simd>(s: S, x: S::F, w: S::F, sum: S::F) -> S::F {
        s.dot_pairs(x, w, sum)
    }
    #[inline(always)]
    fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        dispatch_bf16(kernel)
    }
    fn rows<'a>(x: Rows<'a, Self>, storage: &'a mut Matrix) -> &'a [f32] {
        storage.resize(x.rows(), x.lanes());
        x.write_lanes(storage.as_mut_slice());
        storage.as_slice()
    }
}

/// The first sixteen values, with zeros behind the end.
#[inline(always)]
fn load<S: Simd>(s: S, values: &[f32]) -> S::F {
    match values.first_chunk() {
        Some(chunk) => s.load(chunk),
        None => s.load_partial(values, 0.0),
    }
}

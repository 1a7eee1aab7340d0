//! Sixteen lanes as an array, for every CPU.

use super::Simd;

/// No special instructions; needs no check.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[inline(always)]
fn lanes(f: impl Fn(usize) -> f32) -> [f32; 16] {
    std::array::from_fn(f)
}

/// Folds lane i with lane i+8, then i+4, i+2 and i+1.
#[inline(always)]
fn tree(mut v: [f32; 16], f: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            v[i] = f(v[i], v[i + half]);
        }
    }
    v[0]
}

/// The bits of the nearest bf16, ties to even, in the upper half. The lower half is unspecified. NaN stays NaN.
#[inline(always)]
fn round_bf16(x: f32) -> u32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    if x.is_nan() { bits | 0x0040_0000 } else { rounded }
}

/// Two numbers as bf16, the first in the lower half.
#[inline(always)]
fn pair(first: f32, second: f32) -> f32 {
    f32::from_bits(round_bf16(first) >> 16 | round_bf16(second) & 0xffff_0000)
}

/// The two numbers of a pair.
#[inline(always)]
fn numbers(pair: f32) -> (f32, f32) {
    (f32::from_bits(pair.to_bits() << 16), f32::from_bits(pair.to_bits() & 0xffff_0000))
}

impl Simd for Portable {
    type F = [f32; 16];
    type M = [bool; 16];

    // Four registers of the 16 of SSE2 for each sum; 3 × 1 runs slower.
    const TILE_PANELS: &[usize] = &[2, 1];

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; 16]
    }
    #[inline(always)]
    fn load(self, from: &[f32; 16]) -> Self::F {
        *from
    }
    #[inline(always)]
    fn store(self, v: Self::F, to: &mut [f32; 16]) {
        *to = v;
    }

    lanewise! {
        add(self, a, b) => lanes(|i| a[i] + b[i]);
        sub(self, a, b) => lanes(|i| a[i] - b[i]);
        mul(self, a, b) => lanes(|i| a[i] * b[i]);
        div(self, a, b) => lanes(|i| a[i] / b[i]);
        mul_add(self, a, b, c) => lanes(|i| a[i] * b[i] + c[i]);
        max(self, a, b) => lanes(|i| if a[i] > b[i] { a[i] } else { b[i] });
        min(self, a, b) => lanes(|i| if a[i] < b[i] { a[i] } else { b[i] });
        abs(self, a) => lanes(|i| a[i].abs());
        copy_sign(self, a, b) => lanes(|i| a[i].copysign(b[i]));
    }
    #[inline(always)]
    fn exp2_whole(self, n: Self::F) -> Self::F {
        // Adding 1.5·2²³ leaves n in the lowest bits of the mantissa.
        lanes(|i| f32::from_bits((n[i] + 12_582_912.0).to_bits().wrapping_add(127) << 23))
    }

    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::M {
        std::array::from_fn(|i| a[i] < b[i])
    }
    #[inline(always)]
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn at_least(self, a: Self::F, b: Self::F) -> u16 {
        (0..16).fold(0, |bits, i| bits | (u16::from(a[i] >= b[i]) << i))
    }

    #[inline(always)]
    fn sum(self, v: Self::F) -> f32 {
        tree(v, |a, b| a + b)
    }
    #[inline(always)]
    fn sums(self, v: &[Self::F; 16]) -> Self::F {
        lanes(|j| self.sum(v[j]))
    }
    #[inline(always)]
    fn max_lane(self, v: Self::F) -> f32 {
        tree(v, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn prefetch(self, _address: *const f32) {}

    #[inline(always)]
    fn transpose(self, v: [Self::F; 16]) -> [Self::F; 16] {
        std::array::from_fn(|i| lanes(|j| v[j][i]))
    }

    #[inline(always)]
    fn round_pairs(self, first: Self::F, second: Self::F) -> Self::F {
        lanes(|i| pair(first[i], second[i]))
    }
    #[inline(always)]
    fn round_neighbours(self, low: Self::F, high: Self::F) -> Self::F {
        lanes(|i| {
            let (v, i) = if i < 8 { (low, 2 * i) } else { (high, 2 * i - 16) };
            pair(v[i], v[i + 1])
        })
    }
    #[inline(always)]
    fn dot_pairs(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        lanes(|i| {
            let ((a0, a1), (b0, b1)) = (numbers(a[i]), numbers(b[i]));
            (sum[i] + a1 * b1) + a0 * b0 // no rounding of the products, which have 16 bits
        })
    }
}

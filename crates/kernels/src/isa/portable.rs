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
    fn load_partial(self, from: &[f32], fill: f32) -> Self::F {
        let mut v = [fill; 16];
        v[..from.len()].copy_from_slice(from);
        v
    }
    #[inline(always)]
    fn store(self, v: Self::F, to: &mut [f32; 16]) {
        *to = v;
    }
    #[inline(always)]
    fn store_partial(self, v: Self::F, to: &mut [f32]) {
        to.copy_from_slice(&v[..to.len()]);
    }

    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] / b[i])
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        lanes(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        lanes(|i| a[i].abs())
    }
    #[inline(always)]
    fn copy_sign(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i].copysign(b[i]))
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
}

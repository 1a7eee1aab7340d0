//! Sixteen lanes as an array, for every CPU.

use super::{Kernel, SHIFT, Simd};

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

/// `a · b + c`, rounded once.
///
/// Where the target has no such instruction: in f64 the product is exact, the sum is rounded to odd, and so its
/// rounding to f32 is that of the exact value (Boldo and Melquiond 2008). A call of the C library would take several
/// times as long.
#[inline(always)]
fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if FUSED {
        return a.mul_add(b, c);
    }
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // The error of the sum (Knuth's TwoSum), which only a finite sum has.
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    // Towards zero, and then the last bit set: of the two neighbours of the exact value the odd one.
    let away = (sum.to_bits() ^ error.to_bits()) >> 63;
    let odd = sum.to_bits().wrapping_sub(away) | 1;
    f64::from_bits(if sum.is_finite() && error != 0.0 { odd } else { sum.to_bits() }) as f32
}

/// Whether the target has the instruction.
const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// [`mul_add`] of sixteen lanes. A sum that f64 has rounded is rounded to the same f32 as the exact value, unless it
/// lies half way between two of them, or below the normal numbers, where halves have other bits. Such sums are rare,
/// and a test for them costs half the time of [`mul_add`].
#[inline(always)]
fn mul_add_lanes(a: &[f32; 16], b: &[f32; 16], c: &[f32; 16]) -> [f32; 16] {
    if FUSED {
        return lanes(|i| mul_add(a[i], b[i], c[i]));
    }
    let sums: [f64; 16] = std::array::from_fn(|i| f64::from(a[i]) * f64::from(b[i]) + f64::from(c[i]));
    let rounded = sums.map(|sum| sum as f32);
    // All ones where a lane is doubtful: so the compiler compares four lanes at a time.
    let doubtful: [i32; 16] = std::array::from_fn(|i| {
        let (dropped, magnitude) = (sums[i].to_bits() as u32 & 0x1fff_ffff, rounded[i].to_bits() as i32 & i32::MAX);
        let small = -i32::from(magnitude <= 0x0080_0000) & -i32::from(magnitude != 0);
        -i32::from(dropped == 0x1000_0000) | small
    });
    if doubtful.iter().fold(0, |any, lane| any | lane) == 0 { rounded } else { one_by_one(a, b, c) }
}

#[cold]
#[inline(never)]
fn one_by_one(a: &[f32; 16], b: &[f32; 16], c: &[f32; 16]) -> [f32; 16] {
    lanes(|i| mul_add(a[i], b[i], c[i]))
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
    const ATTENTION_PAIRS: usize = 2;

    #[inline(never)]
    fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

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
        mul_add(self, a, b, c) => mul_add_lanes(&a, &b, &c);
        max(self, a, b) => lanes(|i| if a[i] > b[i] { a[i] } else { b[i] });
        min(self, a, b) => lanes(|i| if a[i] < b[i] { a[i] } else { b[i] });
        abs(self, a) => lanes(|i| a[i].abs());
        xor(self, a, b) => lanes(|i| f32::from_bits(a[i].to_bits() ^ b[i].to_bits()));
        or(self, a, b) => lanes(|i| f32::from_bits(a[i].to_bits() | b[i].to_bits()));
        copy_sign(self, a, b) => lanes(|i| a[i].copysign(b[i]));
    }
    #[inline(always)]
    fn exp2_whole(self, n: Self::F) -> Self::F {
        lanes(|i| f32::from_bits((n[i] + SHIFT).to_bits().wrapping_add(127) << 23))
    }

    #[inline(always)]
    fn add_exponent(self, a: Self::F, shifted: Self::F) -> Self::F {
        lanes(|i| f32::from_bits(a[i].to_bits().wrapping_add(shifted[i].to_bits() << 23)))
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
    fn any_bit(self, a: Self::F) -> u16 {
        (0..16).fold(0, |bits, i| bits | (u16::from(a[i].to_bits() != 0) << i))
    }

    #[inline(always)]
    fn sum(self, v: Self::F) -> f32 {
        tree(v, |a, b| a + b)
    }
    #[inline(always)]
    fn fold<const D: usize>(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if i & D == 0 { a[i] + a[i ^ D] } else { b[i] + b[i ^ D] })
    }
    #[inline(always)]
    fn swap<const D: usize>(self, v: Self::F) -> Self::F {
        lanes(|i| v[i ^ D])
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
    fn numbers(self, pairs: Self::F) -> (Self::F, Self::F) {
        (lanes(|i| numbers(pairs[i]).0), lanes(|i| numbers(pairs[i]).1))
    }
    #[inline(always)]
    fn dot_pairs(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        lanes(|i| {
            let ((a0, a1), (b0, b1)) = (numbers(a[i]), numbers(b[i]));
            (sum[i] + a1 * b1) + a0 * b0 // faster than fused
        })
    }

    #[inline(always)]
    fn dot_quads(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        lanes(|i| {
            let (a, b) = (a[i].to_bits().to_le_bytes(), b[i].to_bits().to_le_bytes());
            let product = |j: usize| i32::from(a[j]) * i32::from(b[j] as i8);
            let products = (product(0) + product(1)) + (product(2) + product(3));
            f32::from_bits((sum[i].to_bits() as i32).wrapping_add(products) as u32)
        })
    }
    #[inline(always)]
    fn to_floats(self, integers: Self::F) -> Self::F {
        lanes(|i| integers[i].to_bits() as i32 as f32)
    }
    #[inline(always)]
    fn round_bytes(self, v: Self::F) -> [u8; 16] {
        // Adding 1.5·2²³ leaves the whole number in the lowest bits of the mantissa, rounded to even.
        std::array::from_fn(|i| (v[i] + SHIFT).to_bits().wrapping_add(128) as u8)
    }
}

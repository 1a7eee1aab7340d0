//! exp, tanh and similar functions on sixteen lanes: range reduction and a polynomial, alike on all instruction sets.
//!
//! The polynomials are minimax fits (iteratively re-weighted least squares on Chebyshev nodes); the errors stated at
//! [`crate::exp_in_place`] and its neighbours are measured by the tests there, over the whole range.

// Coefficients are written as fitted, with the digits that make a float unique.
#![allow(clippy::excessive_precision)]

use crate::isa::{SHIFT, Simd};

/// `coefficients[0] + coefficients[1]·x + …`, by Horner's rule.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, x: S::F, coefficients: [f32; N]) -> S::F {
    let mut sum = s.splat(coefficients[N - 1]);
    for &c in coefficients[..N - 1].iter().rev() {
        sum = s.mul_add(sum, x, s.splat(c));
    }
    sum
}

/// eˣ = 2ⁿ·eʳ, n = round(x/ln 2), |r| ≤ ln 2 / 2. NaN stays NaN.
#[inline(always)]
pub(crate) fn exp<S: Simd>(s: S, x: S::F) -> S::F {
    // Beyond these bounds the result is 0 or ∞ anyway; NaN, the second operand, passes.
    let x = s.min(s.splat(89.0), s.max(s.splat(-105.0), x));
    let (e, n) = exp_parts(s, x);
    s.scale_exp2_far(e, n)
}

/// The bits of [`exp`] from -87 to 0, and 0 below: for softmax relative to the maximum. A third faster on AVX2.
/// NaN stays NaN.
#[inline(always)]
pub(crate) fn exp_below<S: Simd>(s: S, x: S::F) -> S::F {
    let (e, n) = exp_parts(s, x);
    s.select(s.less(x, s.splat(-87.0)), s.splat(0.0), s.scale_exp2(e, n))
}

/// eˣ of a sum's term, for x ≤ 87: 2ⁿ·2ᶠ, n = round(x/ln 2), |f| ≤ ½, in fewer steps than [`exp`]. It is exactly 1 at
/// 0, and at most 1.7·10⁻⁷ of the result off near 0, elsewhere |x|·3·10⁻⁸ more. Below -87 it is that of -87, 1.6·10⁻³⁸,
/// which does not change a sum of at least 1. NaN stays NaN.
#[inline(always)]
pub(crate) fn exp_term<S: Simd>(s: S, x: S::F) -> S::F {
    let (log2_e, shift) = (s.splat(std::f32::consts::LOG2_E), s.splat(SHIFT));
    let x = s.max(s.splat(-87.0), x);
    let shifted = s.mul_add(x, log2_e, shift); // as `Simd::round`, with the product in the same step
    let f = s.mul_add(x, log2_e, s.sub(shift, shifted));
    const P: [f32; 6] = [1.0, std::f32::consts::LN_2, 0.240_222_83, 0.055_505_585, 0.009_669_691, 0.001_330_060_7];
    s.add_exponent(polynomial(s, f, P), shifted)
}

/// eʳ and n.
#[inline(always)]
fn exp_parts<S: Simd>(s: S, x: S::F) -> (S::F, S::F) {
    let n = s.round(s.mul(x, s.splat(std::f32::consts::LOG2_E)));
    // ln 2 in two parts; n times the first is exact.
    let r = s.mul_add(n, s.splat(-0.693_359_375), x);
    let r = s.mul_add(n, s.splat(2.121_944_4e-4), r);
    const P: [f32; 5] = [0.499_999_94, 0.166_665_2, 0.041_668_393, 0.008_368_781, 0.001_381_446_7];
    let tail = s.mul(s.mul(r, r), polynomial(s, r, P));
    (s.add(s.add(tail, r), s.splat(1.0)), n)
}

/// An odd polynomial near zero, 1 - 2/(e²ˣ+1) elsewhere.
#[inline(always)]
pub(crate) fn tanh<S: Simd>(s: S, x: S::F) -> S::F {
    let magnitude = s.abs(x);
    let e = exp(s, s.add(magnitude, magnitude));
    let far = s.sub(s.splat(1.0), s.div(s.splat(2.0), s.add(e, s.splat(1.0))));
    let square = s.mul(x, x);
    const P: [f32; 5] = [-0.333_332_83, 0.133_314_91, -0.053_743_497, 0.020_650_586, -0.005_717_044_7];
    let near = s.mul_add(s.mul(square, x), polynomial(s, square, P), x);
    s.copy_sign(s.select(s.less(magnitude, s.splat(0.625)), near, far), x) // also of -0
}

/// 1/(1+e⁻ˣ), and for negative x the equal eˣ/(1+eˣ), so that nothing overflows.
#[inline(always)]
pub(crate) fn sigmoid<S: Simd>(s: S, x: S::F) -> S::F {
    let e = exp(s, s.sub(s.splat(0.0), s.abs(x)));
    let one = s.splat(1.0);
    s.div(s.select(s.less(x, s.splat(0.0)), e, one), s.add(one, e))
}

/// x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), which is x · σ of twice the argument.
#[inline(always)]
pub(crate) fn gelu_tanh<S: Simd>(s: S, x: S::F) -> S::F {
    const TWICE: f32 = 1.595_769_1; // 2 √(2/π)
    let cube = s.mul(s.mul(x, x), s.mul(x, s.splat(0.044_715)));
    s.mul(x, sigmoid(s, s.mul(s.splat(TWICE), s.add(x, cube))))
}

/// x·Φ(x), Φ the standard normal distribution function.
///
/// For u = |x|, Φ(-u) = e^(-u²/2)·P(t), t = 1/(1+0.3u), P a polynomial: no difference of near-equal numbers anywhere,
/// unlike `1 + erf` for negative x.
#[inline(always)]
pub(crate) fn gelu<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let u = s.abs(x);
    let half = s.mul(u, s.splat(0.5));
    let h = s.mul(u, half);
    // What rounding lost of u²/2 matters, as it is multiplied by e^h: e^-(h+low) = e^-h·(1 - low). Infinite u: low is
    // NaN, hence the bound, beyond which the result is 0 or x.
    let low = s.mul_add(u, half, s.sub(s.splat(0.0), h));
    let e = exp(s, s.sub(s.splat(0.0), h));
    let e = s.sub(e, s.mul(e, low));
    let t = s.div(one, s.mul_add(u, s.splat(0.3), one));
    const P: [f32; 11] = [
        0.0,
        0.119_686_69,
        0.119_571_812,
        0.110_235_47,
        0.078_389_44,
        0.096_157_44,
        -0.079_424_635,
        0.191_785_93,
        -0.228_214_65,
        0.112_436_064,
        -0.020_623_552,
    ];
    let tail = s.mul(e, polynomial(s, t, P)); // Φ(-u)
    let near = s.mul(x, s.select(s.less(x, s.splat(0.0)), tail, s.sub(one, tail)));
    // Beyond 14.5, max(x, 0) to the last bit that a float has (NaN is on neither side).
    let far = s.max(x, s.splat(0.0));
    s.select(s.less(s.splat(14.5), u), far, near)
}

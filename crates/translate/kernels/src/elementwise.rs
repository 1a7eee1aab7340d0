//! Functions applied to each element of a slice.
//!
//! The bits of an element's result do not depend on where in the slice it lies.

use crate::functions;
use crate::isa::{Kernel, Simd, dispatch};
use crate::tables::{self, Functions};

/// A function of one value, on sixteen lanes.
pub(crate) trait Unary: Copy {
    fn apply<S: Simd>(self, s: S, x: S::F) -> S::F;
}

/// Replaces each element of `x` by `f` of it.
#[inline(always)]
pub(crate) fn map<S: Simd, U: Unary>(s: S, f: U, x: &mut [f32]) {
    let (chunks, rest) = x.as_chunks_mut();
    for chunk in chunks {
        s.store(f.apply(s, s.load(chunk)), chunk);
    }
    if !rest.is_empty() {
        s.store_partial(f.apply(s, s.load_partial(rest, 0.0)), rest);
    }
}

/// A function of two values, on sixteen lanes.
trait Binary: Copy {
    fn apply<S: Simd>(self, s: S, y: S::F, x: S::F) -> S::F;
}

/// Replaces each element of `y` by `f` of it and its neighbour in `x`.
#[inline(always)]
fn zip<S: Simd, B: Binary>(s: S, f: B, y: &mut [f32], x: &[f32]) {
    assert_eq!(y.len(), x.len(), "lengths");
    let ((ys, y_rest), (xs, x_rest)) = (y.as_chunks_mut(), x.as_chunks());
    for (y, x) in ys.iter_mut().zip(xs) {
        s.store(f.apply(s, s.load(y), s.load(x)), y);
    }
    if !y_rest.is_empty() {
        let v = f.apply(s, s.load_partial(y_rest, 0.0), s.load_partial(x_rest, 0.0));
        s.store_partial(v, y_rest);
    }
}

struct Map<'a, U>(U, &'a mut [f32]);

impl<U: Unary> Kernel for Map<'_, U> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        map(s, self.0, self.1);
    }
}

struct Zip<'a, B>(B, &'a mut [f32], &'a [f32]);

impl<B: Binary> Kernel for Zip<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        zip(s, self.0, self.1, self.2);
    }
}

/// A unit struct that is a [`Unary`] or [`Binary`] function.
macro_rules! function {
    ($trait:ident $name:ident, |$s:ident, $($x:ident),+| $body:expr) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl $trait for $name {
            #[inline(always)]
            fn apply<S: Simd>(self, $s: S, $($x: S::F),+) -> S::F {
                $body
            }
        }
    };
}

function!(Unary Exp, |s, x| functions::exp(s, x));
function!(Unary Tanh, |s, x| functions::tanh(s, x));
function!(Unary Sigmoid, |s, x| functions::sigmoid(s, x));
function!(Unary Swish, |s, x| s.mul(x, functions::sigmoid(s, x)));
function!(Unary Gelu, |s, x| functions::gelu(s, x));
function!(Unary GeluTanh, |s, x| functions::gelu_tanh(s, x));
function!(Unary Relu, |s, x| s.max(s.splat(0.0), x)); // in this order NaN stays NaN
function!(Unary ClippedRelu, |s, x| s.min(s.splat(RELU_LIMIT), s.max(s.splat(0.0), x)));
function!(Binary Add, |s, y, x| s.add(y, x));
function!(Binary Mul, |s, y, x| s.mul(y, x));

/// x ← eˣ. At most 1 ulp from the exact value (an ulp being 2⁻¹⁴⁹ where it is subnormal); e^-∞ = 0, e^∞ = ∞, NaN stays
/// NaN.
pub fn exp_in_place(x: &mut [f32]) {
    dispatch(Map(Exp, x));
}

/// x ← tanh x. At most 2 ulp off; tanh ±∞ = ±1, -0 and subnormals are kept, NaN stays NaN.
pub fn tanh_in_place(x: &mut [f32]) {
    match tables::functions() {
        Functions::Polynomials => dispatch(Map(Tanh, x)),
        Functions::Table => tables::tanh_by_table(x),
        Functions::Library => x.iter_mut().for_each(|x| *x = x.tanh()),
    }
}

/// x ← 1/(1+e⁻ˣ). At most 3 ulp off; NaN stays NaN.
pub fn sigmoid_in_place(x: &mut [f32]) {
    match tables::functions() {
        Functions::Polynomials => dispatch(Map(Sigmoid, x)),
        Functions::Table => tables::sigmoid_by_table(x),
        Functions::Library => x.iter_mut().for_each(|x| *x = 1.0 / (1.0 + (-*x).exp())),
    }
}

/// x ← max(x, 0). NaN stays NaN.
pub fn relu_in_place(x: &mut [f32]) {
    dispatch(Map(Relu, x));
}

/// The greatest value of [`clipped_relu_in_place`].
pub const RELU_LIMIT: f32 = 10.0;

/// x ← min(max(x, 0), 10): 16-bit integers hold such values with high precision (Devlin 2017, §4.1). NaN stays NaN.
pub fn clipped_relu_in_place(x: &mut [f32]) {
    dispatch(Map(ClippedRelu, x));
}

/// x ← x/(1+e⁻ˣ) (SiLU; Marian's `swish`). At most 4 ulp, or 2e-43, off; -∞ gives NaN (-∞·0), NaN stays NaN.
pub fn swish_in_place(x: &mut [f32]) {
    dispatch(Map(Swish, x));
}

/// x ← x·Φ(x), Φ the standard normal distribution function: the exact form x/2·(1 + erf(x/√2)), as Marian's `gelu`, not
/// the tanh or x·sigmoid(1.702x) approximation. At most 8 ulp, or 2e-43, off; -∞ gives 0, NaN stays NaN.
pub fn gelu_in_place(x: &mut [f32]) {
    dispatch(Map(Gelu, x));
}

/// x ← x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), the approximation of [`gelu_in_place`] that T5 has (`gelu_new`).
/// At most 3e-7 off, relative to numbers beyond ±1; NaN stays NaN.
pub fn gelu_tanh_in_place(x: &mut [f32]) {
    dispatch(Map(GeluTanh, x));
}

#[derive(Clone, Copy)]
struct Axpy(f32);

impl Binary for Axpy {
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, y: S::F, x: S::F) -> S::F {
        s.mul_add(s.splat(self.0), x, y)
    }
}

/// x · the number
#[derive(Clone, Copy)]
pub(crate) struct Scale(pub(crate) f32);

impl Unary for Scale {
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, x: S::F) -> S::F {
        s.mul(x, s.splat(self.0))
    }
}

/// y ← y + x.
///
/// # Panics
/// If the lengths differ, as all functions of two slices here.
pub fn add_assign(y: &mut [f32], x: &[f32]) {
    dispatch(Zip(Add, y, x));
}

/// y ← alpha·x + y.
///
/// # Panics
/// If the lengths differ.
pub fn axpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    dispatch(Zip(Axpy(alpha), y, x));
}

/// y ← alpha·y.
pub fn scale(alpha: f32, y: &mut [f32]) {
    dispatch(Map(Scale(alpha), y));
}

/// y ← y·x, element by element.
///
/// # Panics
/// If the lengths differ.
pub fn mul_assign(y: &mut [f32], x: &[f32]) {
    dispatch(Zip(Mul, y, x));
}

/// out ← (1 - gate)·a + gate·b, element by element.
///
/// # Panics
/// If the lengths differ.
pub fn lerp(gate: &[f32], a: &[f32], b: &[f32], out: &mut [f32]) {
    dispatch(Lerp { gate, a, b, out });
}

struct Lerp<'a> {
    gate: &'a [f32],
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f32],
}

impl Kernel for Lerp<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let n = self.out.len();
        assert!([self.gate.len(), self.a.len(), self.b.len()] == [n; 3], "lengths");
        let (out, out_rest) = self.out.as_chunks_mut();
        let (gate, gate_rest) = self.gate.as_chunks();
        let (a, a_rest) = self.a.as_chunks();
        let (b, b_rest) = self.b.as_chunks();
        for (((out, gate), a), b) in out.iter_mut().zip(gate).zip(a).zip(b) {
            s.store(mix(s, s.load(gate), s.load(a), s.load(b)), out);
        }
        if !out_rest.is_empty() {
            let part = |v| s.load_partial(v, 0.0);
            s.store_partial(mix(s, part(gate_rest), part(a_rest), part(b_rest)), out_rest);
        }
    }
}

#[inline(always)]
fn mix<S: Simd>(s: S, gate: S::F, a: S::F, b: S::F) -> S::F {
    s.mul_add(gate, b, s.mul(s.sub(s.splat(1.0), gate), a))
}

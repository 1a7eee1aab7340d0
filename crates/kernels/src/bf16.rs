//! Products of numbers rounded to bf16, with sums in f32: twice the products per cycle where the CPU has AVX512-BF16.
//!
//! bf16 is the upper half of an f32: 8 bits of precision, the same range. Numbers go in pairs of neighbours along the
//! inputs, since one instruction adds the two products of a pair. Training uses this; translation does not, as the bits
//! of a CPU with and one without these instructions differ.

mod tiles;

use crate::matrix::Matrix;
use crate::packed::Layout;
use crate::product::Epilogue;
use crate::{Activation, vectorised};

/// Whether the CPU has instructions for it; otherwise these products are slow.
#[must_use]
pub fn has_bf16_products() -> bool {
    tiles::available()
}

/// Two numbers as bf16, the first in the lower half.
#[inline(always)]
fn pair(first: f32, second: f32) -> u32 {
    round(first) >> 16 | round(second) & 0xffff_0000
}

/// The bits of the nearest bf16, to even where two are, in the upper half. NaN stays NaN.
#[inline(always)]
fn round(x: f32) -> u32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    if x.is_nan() { bits | 0x0040_0000 } else { rounded }
}

/// Sixteen pairs, one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Pairs([u32; 16]);

/// The weights of a linear map in bf16, in panels of sixteen outputs, each panel a cache line per pair of inputs.
#[derive(Clone, Default)]
pub struct PackedBf16 {
    lines: Vec<Pairs>,
    inputs: usize,
    outputs: usize,
    /// Storage.
    pairs: Vec<u32>,
}

impl PackedBf16 {
    /// Packs weights into the storage that is there.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, layout: Layout) {
        assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
        let pairs = inputs.div_ceil(2);
        if (self.inputs, self.outputs) != (inputs, outputs) {
            (self.inputs, self.outputs) = (inputs, outputs);
            self.lines.clear();
            self.lines.resize(outputs.div_ceil(16) * pairs, Pairs([0; 16]));
        }
        if weights.is_empty() {
            return;
        }
        match layout {
            Layout::InputsByOutputs => {
                let zeros = vec![0.0; outputs];
                for (k, two) in weights.chunks(2 * outputs).enumerate() {
                    let (first, second) = two.split_at(outputs);
                    let second = if second.is_empty() { &zeros } else { second };
                    let parts = first.chunks(16).zip(second.chunks(16));
                    let lines = self.lines[k..].iter_mut().step_by(pairs);
                    vectorised(|| {
                        for ((first, second), line) in parts.zip(lines) {
                            for ((line, &first), &second) in line.0.iter_mut().zip(first).zip(second) {
                                *line = pair(first, second);
                            }
                        }
                    });
                }
            }
            Layout::OutputsByInputs => {
                let mut rows = std::mem::take(&mut self.pairs);
                for (panel, weights) in weights.chunks(16 * inputs).enumerate() {
                    rows.resize(weights.len() / inputs * pairs, 0);
                    vectorised(|| to_pairs(weights, inputs, &mut rows));
                    let lines = &mut self.lines[panel * pairs..][..pairs];
                    for (output, row) in rows.chunks_exact(pairs).enumerate() {
                        lines.iter_mut().zip(row).for_each(|(line, &pair)| line.0[output] = pair);
                    }
                }
                self.pairs = rows;
            }
        }
    }

    /// Number of values that come in.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of values that go out.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

impl std::fmt::Debug for PackedBf16 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedBf16({} × {})", self.inputs, self.outputs)
    }
}

/// Rows of `cols` numbers to rows of pairs of neighbours; an odd last number goes with zero.
#[inline(always)]
fn to_pairs(values: &[f32], cols: usize, out: &mut [u32]) {
    for (row, out) in values.chunks_exact(cols).zip(out.chunks_exact_mut(cols.div_ceil(2))) {
        let (twos, rest) = row.as_chunks::<2>();
        out.iter_mut().zip(twos).for_each(|(out, two)| *out = pair(two[0], two[1]));
        if let (Some(&last), Some(out)) = (rest.first(), out.last_mut()) {
            *out = pair(last, 0.0);
        }
    }
}

/// Storage of products in bf16.
#[derive(Clone, Debug, Default)]
pub struct Bf16Work {
    /// Rows of pairs of what is multiplied from the left.
    left: Vec<u32>,
    packed: PackedBf16,
    /// Pairs before they are transposed.
    pairs: Vec<u32>,
}

/// out ← activation(x·w + bias + add), x and w rounded to bf16. `out` is resized to `x.rows() × w.outputs()`.
///
/// # Panics
/// If x has not `w.inputs()` columns, or `bias` or `add` not the result's shape.
pub fn product_bf16(x: &Matrix, w: &PackedBf16, epilogue: Epilogue<'_>, out: &mut Matrix, work: &mut Bf16Work) {
    out.resize(x.rows(), w.outputs);
    match (epilogue.add, epilogue.bias) {
        (Some(add), _) => out.as_mut_slice().copy_from_slice(add.as_slice()),
        (None, Some(bias)) => (0..x.rows()).for_each(|r| out.row_mut(r).copy_from_slice(bias)),
        (None, None) => out.as_mut_slice().fill(0.0),
    }
    if let (Some(_), Some(bias)) = (epilogue.add, epilogue.bias) {
        (0..x.rows()).for_each(|r| crate::add_assign(out.row_mut(r), bias));
    }
    product_add_bf16(x, w, out, work);
    let values = out.as_mut_slice();
    match epilogue.activation {
        Activation::None => {}
        Activation::Relu => crate::relu_in_place(values),
        Activation::Swish => crate::swish_in_place(values),
        Activation::Gelu => crate::gelu_in_place(values),
        Activation::Tanh => crate::tanh_in_place(values),
        Activation::Sigmoid => crate::sigmoid_in_place(values),
    }
}

/// out ← out + x·w, x and w rounded to bf16.
///
/// # Panics
/// If x has not `w.inputs()` columns, or `out` is not `x.rows() × w.outputs()`.
pub fn product_add_bf16(x: &Matrix, w: &PackedBf16, out: &mut Matrix, work: &mut Bf16Work) {
    assert_eq!(x.cols(), w.inputs, "columns of x");
    assert_eq!((out.rows(), out.cols()), (x.rows(), w.outputs), "shape of the sum");
    if x.as_slice().is_empty() {
        return;
    }
    work.left.resize(x.rows() * x.cols().div_ceil(2), 0);
    vectorised(|| to_pairs(x.as_slice(), x.cols(), &mut work.left));
    tiles::product_add(&work.left, &w.lines, w.inputs.div_ceil(2), out);
}

/// Rows that are multiplied at a time.
const BLOCK: usize = 512;

/// out ← out + xᵀ·y, for x `n × a`, y `n × b`, out `a × b`, x and y rounded to bf16.
///
/// # Panics
/// If the shapes do not fit.
pub fn transposed_product_add_bf16(x: &Matrix, y: &Matrix, out: &mut Matrix, work: &mut Bf16Work) {
    assert_eq!(x.rows(), y.rows(), "rows of x and y");
    let (a, b) = (x.cols(), y.cols());
    assert_eq!((out.rows(), out.cols()), (a, b), "shape of the sum");
    if a == 0 || b == 0 {
        return;
    }
    for start in (0..x.rows()).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(x.rows());
        let pairs = rows.len().div_ceil(2);
        work.packed.repack(&y.as_slice()[rows.start * b..rows.end * b], rows.len(), b, Layout::InputsByOutputs);
        // Pairs of neighbouring rows, pairs × a; then a × pairs.
        work.pairs.resize(pairs * a, 0);
        let zeros = vec![0.0; a];
        for (two, out) in x.as_slice()[rows.start * a..rows.end * a].chunks(2 * a).zip(work.pairs.chunks_exact_mut(a)) {
            let (first, second) = two.split_at(a);
            let second = if second.is_empty() { &zeros } else { second };
            let all = out.iter_mut().zip(first).zip(second);
            vectorised(|| all.for_each(|((out, &first), &second)| *out = pair(first, second)));
        }
        work.left.resize(a * pairs, 0);
        crate::gradients::transpose(&work.pairs, a, pairs, &mut work.left);
        tiles::product_add(&work.left, &work.packed.lines, pairs, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_instruction_set;

    fn matrix(rows: usize, cols: usize, seed: f32) -> Matrix {
        let value = |i: usize| (i as f32 * 0.37 + seed).sin();
        Matrix::from_vec(rows, cols, (0..rows * cols).map(value).collect())
    }

    fn bf16(x: f32) -> f64 {
        f64::from(f32::from_bits(round(x) & 0xffff_0000))
    }

    /// Σ of products of rounded numbers, in f64.
    fn expected(n: usize, left: impl Fn(usize) -> f32, right: impl Fn(usize) -> f32) -> f32 {
        (0..n).map(|k| bf16(left(k)) * bf16(right(k))).sum::<f64>() as f32
    }

    #[test]
    fn rounding_is_to_the_nearest_even() {
        let rounded = |x: f32| f32::from_bits(round(x) & 0xffff_0000);
        assert_eq!(rounded(1.0), 1.0);
        assert_eq!(rounded(1.0 + 1.0 / 256.0), 1.0, "half way, to even");
        assert_eq!(rounded(1.0 + 3.0 / 256.0), 1.0 + 4.0 / 256.0, "half way, to even");
        assert_eq!(rounded(-1.006), -1.0078125);
        assert_eq!(rounded(f32::INFINITY), f32::INFINITY);
        assert!(f32::from_bits(round(f32::NAN)).is_nan());
    }

    #[test]
    fn products_are_sums_of_rounded_products() {
        let check = || {
            let mut work = Bf16Work::default();
            let mut packed = PackedBf16::default();
            for (rows, inputs, outputs) in [(1, 1, 1), (7, 33, 65), (13, 2100, 17), (6, 16, 64), (0, 4, 4), (5, 7, 130)]
            {
                let (x, w) = (matrix(rows, inputs, 0.1), matrix(inputs, outputs, 0.2));
                let (mut out, start) = (matrix(rows, outputs, 0.3), matrix(rows, outputs, 0.3));
                packed.repack(w.as_slice(), inputs, outputs, Layout::InputsByOutputs);
                product_add_bf16(&x, &packed, &mut out, &mut work);
                let transposed: Vec<f32> =
                    (0..outputs).flat_map(|o| (0..inputs).map(move |i| (i, o))).map(|(i, o)| w.row(i)[o]).collect();
                packed.repack(&transposed, inputs, outputs, Layout::OutputsByInputs);
                let mut other = matrix(rows, outputs, 0.3);
                product_add_bf16(&x, &packed, &mut other, &mut work);
                assert_eq!(out, other, "both layouts");
                for r in 0..rows {
                    for o in 0..outputs {
                        let sum = start.row(r)[o] + expected(inputs, |k| x.row(r)[k], |k| w.row(k)[o]);
                        assert!(
                            (out.row(r)[o] - sum).abs() < 1e-4,
                            "{rows} {inputs} {outputs}: {} {sum}",
                            out.row(r)[o]
                        );
                    }
                }
            }
            for (n, a, b) in [(1, 3, 5), (1030, 19, 33), (6, 70, 16)] {
                let (x, y) = (matrix(n, a, 0.4), matrix(n, b, 0.5));
                let mut out = Matrix::zeros(a, b);
                transposed_product_add_bf16(&x, &y, &mut out, &mut work);
                for i in 0..a {
                    for j in 0..b {
                        let sum = expected(n, |k| x.row(k)[i], |k| y.row(k)[j]);
                        assert!((out.row(i)[j] - sum).abs() < 1e-4, "{n} {a} {b}: {} {sum}", out.row(i)[j]);
                    }
                }
            }
        };
        check();
        with_instruction_set(crate::InstructionSet::Portable, check);
    }
}

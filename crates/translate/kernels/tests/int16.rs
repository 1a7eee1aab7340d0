//! Products of integers of 16 bits equal plain sums of integers, to the bit on every instruction set, and are nearer to
//! those of f32 than the fixed point of Devlin 2017.

use crate::common::{Random, bits, on_each_set};
use metaphrase_kernels::{Activation, Epilogue, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, product};

/// rows, inputs, outputs.
const SHAPES: [(usize, usize, usize); 10] = [
    (1, 1, 1),
    (1, 96, 33),
    (3, 7, 130),
    (5, 33, 100),
    (6, 256, 256),
    (13, 64, 15),
    (64, 40, 130),
    (70, 2048, 20),
    (2, 0, 20),
    (0, 8, 20),
];

/// √(2³¹ / inputs), at most 2¹⁵ - 1.
fn greatest(inputs: usize) -> f32 {
    (i32::MAX as usize / inputs.max(1)).isqrt().min(32_767) as f32
}

fn most<'a>(values: impl Iterator<Item = &'a f32>) -> f32 {
    values.fold(1e-30_f32, |most, v| most.max(v.abs()))
}

fn product_of(x: &Matrix, w: &PackedMatrix, epilogue: Epilogue<'_>) -> Matrix {
    let (mut storage, mut out) = (ProductStorage::default(), Matrix::from_vec(1, 3, vec![f32::NAN; 3]));
    product(storage.operand(x, Precision::Int16), w, epilogue, &mut out);
    out
}

#[test]
fn equals_sums_of_integers() {
    for (rows, inputs, outputs) in SHAPES {
        let mut random = Random::new(1);
        let (x, weights) = (random.matrix(rows, inputs), random.values(inputs * outputs));
        let (bias, add) = (random.values(outputs), random.matrix(rows, outputs));
        let greatest = greatest(inputs);
        let mut expected = Vec::new();
        for r in 0..rows {
            let row_most = most(x.row(r).iter());
            for o in 0..outputs {
                let scale = most(weights.iter().skip(o).step_by(outputs)) / greatest;
                let terms = x.row(r).iter().enumerate().map(|(k, v)| {
                    let input = (v * (greatest / row_most)).round_ties_even() as i64;
                    input * (weights[k * outputs + o] / scale).round_ties_even() as i64
                });
                let sum: i64 = terms.sum();
                assert!(i32::try_from(sum).is_ok());
                expected.push((sum as f32 * (row_most / greatest * scale) + bias[o] + add.row(r)[o]).max(0.0));
            }
        }
        let mut transposed = vec![0.0; weights.len()];
        (0..inputs * outputs).for_each(|i| transposed[i % outputs * inputs + i / outputs] = weights[i]);
        for (weights, order) in [(&weights, WeightOrder::InputsByOutputs), (&transposed, WeightOrder::OutputsByInputs)]
        {
            let packed = PackedMatrix::pack(Precision::Int16, weights, inputs, outputs, order);
            on_each_set(|set| {
                let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation: Activation::Relu };
                let found = product_of(&x, &packed, epilogue);
                assert!(bits(found.as_slice()) == bits(&expected), "{set}: {rows} rows, {inputs} × {outputs}");
            });
        }
    }
}

#[test]
fn greatest_sums_do_not_wrap() {
    for inputs in [1, 2, 256, 65_536] {
        for (value, weight) in [(1.0, 1.0), (1.0, -1.0), (-3.0, 2.0)] {
            let x = Matrix::from_vec(1, inputs, vec![value; inputs]);
            let packed =
                PackedMatrix::pack(Precision::Int16, &vec![weight; inputs], inputs, 1, WeightOrder::InputsByOutputs);
            let expected = value * weight * inputs as f32;
            on_each_set(|set| {
                let found = product_of(&x, &packed, Epilogue::default()).as_slice()[0];
                assert!((found - expected).abs() <= expected.abs() * 1e-6, "{set}: {found} for {expected}");
            });
        }
    }
}

/// Devlin 2017, §4.1: weights clipped to ±1, activations to ±10, in 16 bits. The paper does not name the step: with a
/// step of 2⁻¹⁰ for both, the sums of 200 products that are all at the limits fit into 32 bits.
fn fixed_point(values: &[f32], limit: f32) -> Vec<f32> {
    values.iter().map(|v| (v.clamp(-limit, limit) * 1024.0).round_ties_even() / 1024.0).collect()
}

#[test]
fn factors_are_nearer_than_a_fixed_point() {
    // Weights as layers begin with (Glorot), and rows as a layer norm gives them.
    for (inputs, outputs) in [(256, 1024), (512, 512), (1024, 256)] {
        let mut random = Random::new(2);
        let limit = (6.0 / (inputs + outputs) as f32).sqrt();
        let weights: Vec<f32> = random.values(inputs * outputs).into_iter().map(|w| w * limit).collect();
        let x: Vec<f32> = random.values(8 * inputs).into_iter().map(|v| v * 3.0_f32.sqrt()).collect();
        let pack = |precision, weights: &[f32]| {
            PackedMatrix::pack(precision, weights, inputs, outputs, WeightOrder::InputsByOutputs)
        };
        let in_f32 = |x: &[f32], weights: &[f32]| {
            let mut out = Matrix::new();
            let x = Matrix::from_vec(8, inputs, x.to_vec());
            product(&x, &pack(Precision::F32, weights), Epilogue::default(), &mut out);
            out
        };
        let exact = in_f32(&x, &weights);
        let error = |found: &Matrix| -> f64 {
            let pairs = found.as_slice().iter().zip(exact.as_slice());
            pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
        };
        let fixed = error(&in_f32(&fixed_point(&x, 10.0), &fixed_point(&weights, 1.0)));
        let x = Matrix::from_vec(8, inputs, x);
        let factors = error(&product_of(&x, &pack(Precision::Int16, &weights), Epilogue::default()));
        assert!(factors * 4.0 < fixed, "{inputs} × {outputs}: {factors} with factors, {fixed} with a fixed point");
    }
}

#[test]
fn numbers_that_are_not_finite_show() {
    let mut random = Random::new(6);
    let packed = PackedMatrix::pack(Precision::Int16, &random.values(40 * 20), 40, 20, WeightOrder::InputsByOutputs);
    let mut x = random.matrix(2, 40);
    x.row_mut(1)[17] = f32::INFINITY;
    on_each_set(|set| {
        let out = product_of(&x, &packed, Epilogue::default());
        assert!(out.row(0).iter().all(|v| v.is_finite()) && out.row(1).iter().all(|v| v.is_nan()), "{set}");
    });
}

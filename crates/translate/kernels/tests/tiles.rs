//! Products with the tiles of AMX equal those without them: integers to the bit, bf16 to rounding.

use crate::common::{Random, bits};
use metaphrase_kernels::{
    Activation, Epilogue, InstructionSet, Matrix, PackedMatrix, Precision, ProductStorage, Summary, WeightOrder,
    rounded_product, rounded_product_add, transposed_product_add, with_instruction_set,
};

/// rows, inputs, outputs: too few rows, whole blocks and the rest of one, lanes and panels that are not full.
const SHAPES: [(usize, usize, usize); 16] = [
    (2, 64, 32),
    (3, 100, 40),
    (9, 384, 50),
    (15, 64, 32),
    (16, 64, 32),
    (17, 100, 40),
    (25, 384, 70),
    (31, 64, 32),
    (32, 64, 32),
    (33, 32, 16),
    (70, 100, 50),
    (64, 7, 130),
    (95, 384, 8),
    (40, 2050, 33),
    (700, 384, 48),
    (32, 0, 20),
];

fn storages() -> [ProductStorage; 2] {
    [ProductStorage::default(), ProductStorage::with_tiles()]
}

/// Whether two sums of `terms` products of numbers from -1 to 1 differ by no more than their rounding.
fn assert_close(found: &Matrix, expected: &Matrix, terms: usize, what: &str) {
    let bound = 1e-6 * (terms as f32).sqrt().max(1.0) * 4.0;
    for (i, (f, e)) in found.as_slice().iter().zip(expected.as_slice()).enumerate() {
        assert!((f - e).abs() <= bound, "{what}: number {i} is {f}, without tiles {e}");
    }
}

#[test]
fn of_integers_to_the_bit() {
    let mut random = Random::new(1);
    for (rows, inputs, outputs) in SHAPES {
        let (x, weights) = (random.matrix(rows, inputs), random.values(inputs * outputs));
        let w = PackedMatrix::pack(Precision::Int8, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        let (bias, add) = (random.values(outputs), random.matrix(rows, outputs));
        let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation: Activation::Relu };
        let of = |storage: &mut ProductStorage| {
            let mut out = Matrix::new();
            rounded_product(&x, &w, epilogue, &mut out, storage);
            let mut summary = Summary::default();
            summary.set_to_product(storage.operand(&x, Precision::Int8), &w, Some(&bias), 3);
            let normalisers = (0..rows).map(|row| summary.normaliser(row).to_bits()).collect::<Vec<_>>();
            (bits(out.as_slice()), normalisers)
        };
        let expected = with_instruction_set(InstructionSet::Portable, || of(&mut ProductStorage::default()));
        for mut storage in storages() {
            assert!(of(&mut storage) == expected, "{rows} × {inputs} × {outputs}");
        }
    }
}

#[test]
fn of_bf16_to_rounding() {
    let mut random = Random::new(2);
    for (rows, inputs, outputs) in SHAPES {
        let what = format!("{rows} × {inputs} × {outputs}");
        let (x, weights) = (random.matrix(rows, inputs), random.values(inputs * outputs));
        let w = PackedMatrix::pack(Precision::Bf16, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        let (start, y, bias) = (random.matrix(rows, outputs), random.matrix(rows, outputs), random.values(outputs));
        let [expected, found] = storages().map(|mut storage| {
            let (mut product, mut sum, mut transposed) = (Matrix::new(), start.clone(), Matrix::zeros(inputs, outputs));
            let epilogue = Epilogue { bias: Some(&bias), add: Some(&y), activation: Activation::Tanh };
            rounded_product(&x, &w, epilogue, &mut product, &mut storage);
            rounded_product_add(&x, &w, &mut sum, &mut storage);
            transposed_product_add(Precision::Bf16, &x, &y, &mut transposed, &mut storage);
            [product, sum, transposed]
        });
        for ((found, expected), terms) in found.iter().zip(&expected).zip([inputs, inputs, rows]) {
            assert_close(found, expected, terms, &what);
        }
    }
}

#[test]
fn of_f32_to_the_bit() {
    let mut random = Random::new(3);
    let (x, y) = (random.matrix(64, 40), random.matrix(64, 48));
    let [expected, found] = storages().map(|mut storage| {
        let mut out = Matrix::zeros(40, 48);
        transposed_product_add(Precision::F32, &x, &y, &mut out, &mut storage);
        out
    });
    assert_eq!(bits(found.as_slice()), bits(expected.as_slice()));
}

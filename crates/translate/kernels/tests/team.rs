//! Products that threads divide have the bits of one thread.

use metaphrase_kernels::{
    Activation, Epilogue, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, product, with_team,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{Random, on_each_set};

const PRECISIONS: [Precision; 4] = [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8];

/// A product with all parts of an epilogue.
fn computed(x: &Matrix, weights: &PackedMatrix, bias: &[f32], add: &Matrix, activation: Activation) -> Vec<u32> {
    let (mut out, mut storage) = (Matrix::new(), ProductStorage::default());
    let rows = storage.operand(x, weights.precision());
    product(rows, weights, Epilogue { bias: Some(bias), add: Some(add), activation }, &mut out);
    out.as_slice().iter().map(|value| value.to_bits()).collect()
}

#[test]
fn no_bit_depends_on_the_number_of_threads() {
    // The last panel is whole, has 5 outputs, or is the only one.
    for (inputs, outputs) in [(512, 1040), (300, 2005), (40_000, 7)] {
        let mut random = Random::new(1);
        let numbers = random.values(inputs * outputs);
        let bias = random.values(outputs);
        for precision in PRECISIONS {
            let weights = PackedMatrix::pack(precision, &numbers, inputs, outputs, WeightOrder::InputsByOutputs);
            for rows in [1, 7, 31] {
                let (x, add) = (random.matrix(rows, inputs), random.matrix(rows, outputs));
                for activation in [Activation::None, Activation::Relu, Activation::Swish] {
                    let compute = || computed(&x, &weights, &bias, &add, activation);
                    let alone = compute();
                    for threads in [1, 2, 3, 16] {
                        assert!(
                            with_team(threads, compute) == alone,
                            "{inputs} × {outputs}, {precision:?}, {rows} rows"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_threads_take_the_instruction_set_and_wake_again() {
    let mut random = Random::new(2);
    let (numbers, bias) = (random.values(512 * 1040), random.values(1040));
    let (x, add) = (random.matrix(2, 512), random.matrix(2, 1040));
    on_each_set(|set| {
        let weights = PackedMatrix::pack(Precision::Int8, &numbers, 512, 1040, WeightOrder::InputsByOutputs);
        let compute = || computed(&x, &weights, &bias, &add, Activation::None);
        let alone = compute();
        with_team(2, || {
            for milliseconds in [0, 0, 5, 0] {
                sleep(Duration::from_millis(milliseconds));
                assert!(compute() == alone, "{set}");
            }
        });
    });
}

#[test]
fn a_panic_ends_the_team() {
    assert!(catch_unwind(AssertUnwindSafe(|| with_team(3, || panic!("a test")))).is_err());
    assert_eq!(with_team(3, || with_team(2, || 1) + 1), 2);
}

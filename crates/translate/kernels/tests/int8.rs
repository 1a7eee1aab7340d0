//! Products of integers of 8 bits equal plain sums of integers, to the bit on every instruction set.

use crate::common::{Random, bits, on_each_set};
use metaphrase_kernels::{
    Activation, Epilogue, Matrix, PackedMatrix, Precision, ProductStorage, SharedBytes, WeightOrder, int8_of_panels,
    product,
};
use std::sync::Arc;

/// rows, inputs, outputs: every height of a tile, panels and lanes that are not full, no inputs.
const SHAPES: [(usize, usize, usize); 14] = [
    (1, 1, 1),
    (1, 96, 33),
    (2, 64, 64),
    (3, 7, 130),
    (4, 102, 17),
    (5, 33, 100),
    (6, 256, 256),
    (7, 97, 33),
    (9, 5, 80),
    (13, 64, 15),
    (64, 40, 130),
    (70, 2048, 20),
    (2, 0, 20),
    (0, 8, 20),
];

/// The integers of a row, and its factor.
fn quantised(row: &[f32]) -> (Vec<i64>, f32) {
    let most = row.iter().fold(0.0_f32, |most, v| most.max(v.abs())).max(1e-30);
    (row.iter().map(|v| (v * (127.0 / most)).round_ties_even() as i64).collect(), most / 127.0)
}

fn random_weights(random: &mut Random, count: usize) -> Vec<i8> {
    (0..count).map(|_| (random.below(256) as i32 - 128) as i8).collect()
}

fn product_of(x: &Matrix, w: &PackedMatrix, epilogue: Epilogue<'_>) -> Matrix {
    let (mut storage, mut out) = (ProductStorage::default(), Matrix::from_vec(1, 3, vec![f32::NAN; 3]));
    let rows = storage.operand(x, Precision::Int8);
    assert_eq!((rows.rows(), rows.inputs(), rows.precision()), (x.rows(), x.cols(), Precision::Int8));
    product(rows, w, epilogue, &mut out);
    out
}

#[test]
fn equals_sums_of_integers() {
    for (rows, inputs, outputs) in SHAPES {
        let mut random = Random::new(1);
        let x = random.matrix(rows, inputs);
        let (weights, scales) = (random_weights(&mut random, inputs * outputs), random.values(outputs));
        let (bias, add) = (random.values(outputs), random.matrix(rows, outputs));
        let mut expected = Vec::new();
        for r in 0..rows {
            let (integers, factor) = quantised(x.row(r));
            for o in 0..outputs {
                let terms = integers.iter().enumerate();
                let sum: i64 = terms.map(|(k, q)| q * i64::from(weights[k * outputs + o])).sum();
                expected.push((sum as f32 * (factor * scales[o]) + bias[o] + add.row(r)[o]).max(0.0));
            }
        }
        let packed = PackedMatrix::pack_int8(&weights, &scales, inputs, WeightOrder::InputsByOutputs);
        assert_eq!((packed.inputs(), packed.outputs()), (inputs, outputs));
        on_each_set(|set| {
            let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation: Activation::Relu };
            let found = product_of(&x, &packed, epilogue);
            assert_eq!((found.rows(), found.cols()), (rows, outputs));
            assert!(bits(found.as_slice()) == bits(&expected), "{set}: {rows} rows, {inputs} × {outputs}");
        });
    }
}

/// Panels that are packed already: those of both orders of weights, on a cache line and off it.
#[test]
fn packed_panels_are_the_same_map() {
    for (rows, inputs, outputs) in SHAPES {
        let mut random = Random::new(2);
        let x = random.matrix(rows, inputs);
        let (weights, scales) = (random_weights(&mut random, inputs * outputs), random.values(outputs));
        let packed = PackedMatrix::pack_int8(&weights, &scales, inputs, WeightOrder::OutputsByInputs);
        let turned: Vec<i8> = (0..inputs * outputs).map(|i| weights[i % outputs * inputs + i / outputs]).collect();
        let other = PackedMatrix::pack_int8(&turned, &scales, inputs, WeightOrder::InputsByOutputs);
        assert!(packed.int8_panels() == other.int8_panels(), "{inputs} × {outputs}");
        let (panels, sums) = packed.int8_panels();
        assert_eq!(int8_of_panels(&panels, inputs, outputs), weights);
        let expected = product_of(&x, &packed, Epilogue::default());
        // One of sixteen places of four bytes begins on a cache line; an odd one never does.
        for start in (0..64).step_by(4).chain([1]) {
            let bytes = [vec![0; start], panels.clone()].concat();
            let shared = SharedBytes { range: start..bytes.len(), owner: Arc::new(bytes) };
            let read = PackedMatrix::from_int8_panels(shared, &scales, &sums, inputs);
            let found = product_of(&x, &read, Epilogue::default());
            assert_eq!(bits(found.as_slice()), bits(expected.as_slice()), "{start}: {inputs} × {outputs}");
            let (mut one, mut two) = (vec![0.0; inputs], vec![1.0; inputs]);
            packed.read_column(outputs - 1, &mut one);
            read.read_column(outputs - 1, &mut two);
            assert_eq!(one, two);
        }
    }
}

/// 16-bit sums of two products would saturate; 32-bit sums hold those of the most inputs.
#[test]
fn greatest_numbers_do_not_saturate() {
    for inputs in [4, 65_536] {
        for (value, weight) in [(1.0, 127), (1.0, -128), (-1.0, 127), (-1.0, -128)] {
            let x = Matrix::from_vec(1, inputs, vec![value; inputs]);
            let packed = PackedMatrix::pack_int8(&vec![weight; inputs], &[1.0], inputs, WeightOrder::InputsByOutputs);
            let expected = (127 * inputs as i64 * i64::from(weight)) as f32 * (1.0 / 127.0) * value;
            on_each_set(|set| {
                assert_eq!(
                    product_of(&x, &packed, Epilogue::default()).as_slice(),
                    [expected],
                    "{set}: {inputs}, {weight}"
                );
            });
        }
    }
}

#[test]
fn both_orders_pack_alike() {
    let weights = Random::new(2).values(5 * 37);
    let mut transposed = vec![0.0; 5 * 37];
    for i in 0..5 {
        for o in 0..37 {
            transposed[o * 5 + i] = weights[i * 37 + o];
        }
    }
    let x = Random::new(3).matrix(2, 5);
    let rows = PackedMatrix::pack(Precision::Int8, &weights, 5, 37, WeightOrder::InputsByOutputs);
    let columns = PackedMatrix::pack(Precision::Int8, &transposed, 5, 37, WeightOrder::OutputsByInputs);
    assert_eq!(product_of(&x, &rows, Epilogue::default()), product_of(&x, &columns, Epilogue::default()));
    assert_eq!(rows.bytes(), 3 * (2 * 64 + 2 * 64), "three panels of two lines, with beginning and end of their sums");
}

/// The rounding of each factor errs by half a step at most: of 127 steps to the greatest of its row or column.
#[test]
fn rounded_weights_are_near() {
    for (rows, inputs, outputs) in SHAPES {
        let mut random = Random::new(4);
        let (x, weights) = (random.matrix(rows, inputs), random.values(inputs * outputs));
        let packed = PackedMatrix::pack(Precision::Int8, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        let found = product_of(&x, &packed, Epilogue::default());
        for r in 0..rows {
            for o in 0..outputs {
                let products = x.row(r).iter().enumerate().map(|(k, v)| f64::from(v * weights[k * outputs + o]));
                let (exact, found) = (products.sum::<f64>(), f64::from(found.row(r)[o]));
                let bound = inputs as f64 * (2.0 * 0.5 / 127.0 + 0.25 / (127.0 * 127.0)) + 1e-5;
                assert!((found - exact).abs() <= bound, "{found} for {exact}, {inputs} inputs");
            }
        }
    }
}

#[test]
fn a_row_stands_alone() {
    on_each_set(|set| {
        let mut random = Random::new(5);
        for (inputs, outputs) in [(96, 33), (64, 128), (257, 200), (8, 1)] {
            let x = random.matrix(70, inputs);
            let weights = random.values(inputs * outputs);
            let packed = PackedMatrix::pack(Precision::Int8, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
            let all = product_of(&x, &packed, Epilogue::default());
            for _ in 0..30 {
                let picked: Vec<usize> = (0..1 + random.below(12)).map(|_| random.below(70)).collect();
                let some: Vec<f32> = picked.iter().flat_map(|&r| x.row(r)).copied().collect();
                let out = product_of(&Matrix::from_vec(picked.len(), inputs, some), &packed, Epilogue::default());
                for (i, &r) in picked.iter().enumerate() {
                    assert_eq!(bits(out.row(i)), bits(all.row(r)), "{set}, {inputs} × {outputs}");
                }
            }
        }
    });
}

/// A negative number anywhere, and the greatest numbers.
#[test]
fn only_natural_numbers_are_kept() {
    let weights = [vec![-128; 128], vec![127; 128]].concat();
    let packed = PackedMatrix::pack_int8(&weights, &[1.0; 2], 128, WeightOrder::OutputsByInputs);
    let mut x = Matrix::from_vec(6, 128, vec![0.0; 6 * 128]);
    for r in 0..6 {
        x.row_mut(r)[..64].fill(127.0);
    }
    on_each_set(|set| {
        let out = product_of(&x, &packed, Epilogue::default());
        assert!(out.as_slice().chunks(2).all(|row| row == [-64.0 * 127.0 * 128.0, 64.0 * 127.0 * 127.0]), "{set}");
        for r in 0..6 {
            let mut x = x.clone();
            x.row_mut(r)[127] = -1.0;
            let mut storage = ProductStorage::default();
            assert!(format!("{:?}", storage.operand(&x, Precision::Int8)).contains("kept: None"), "{set}: row {r}");
            assert_eq!(product_of(&x, &packed, Epilogue::default()).row(r)[1], (64.0 * 127.0 - 1.0) * 127.0, "{set}");
        }
    });
}

#[test]
fn numbers_that_are_not_finite_show() {
    let mut random = Random::new(6);
    let weights = random.values(40 * 20);
    let packed = PackedMatrix::pack(Precision::Int8, &weights, 40, 20, WeightOrder::InputsByOutputs);
    let clean = random.matrix(3, 40);
    on_each_set(|set| {
        let expected = product_of(&clean, &packed, Epilogue::default());
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in [0, 17, 39] {
                let mut x = clean.clone();
                x.row_mut(1)[place] = bad;
                let out = product_of(&x, &packed, Epilogue::default());
                assert!(out.row(1).iter().all(|v| v.is_nan()), "{set}: {bad} at {place}");
                assert_eq!((out.row(0), out.row(2)), (expected.row(0), expected.row(2)), "{set}");
            }
        }
        let zeros = product_of(&Matrix::from_vec(1, 40, vec![0.0; 40]), &packed, Epilogue::default());
        assert!(zeros.as_slice().iter().all(|&v| v == 0.0), "{set}");
    });
}

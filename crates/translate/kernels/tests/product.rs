//! Products equal the naive ones, on every instruction set, for every shape.

use crate::common::{Random, bits, on_each_set, same_on_each_set};
use metaphrase_kernels::{
    Activation, Epilogue, InstructionSet, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, add_assign,
    clipped_relu_in_place, gelu_in_place, product, relu_in_place, rounded_product, sigmoid_in_place, swish_in_place,
    tanh_in_place,
};

/// rows, inputs, outputs: every height of a tile and of its remainders, panels that are not full, no inputs.
const SHAPES: [(usize, usize, usize); 16] = [
    (1, 1, 1),
    (1, 96, 33),
    (2, 64, 64),
    (3, 7, 130),
    (4, 100, 17),
    (5, 33, 100),
    (6, 256, 256),
    (7, 96, 33),
    (8, 31, 48),
    (9, 5, 80),
    (11, 512, 16),
    (13, 64, 15),
    (24, 17, 200),
    (64, 40, 130),
    (2, 0, 20),
    (0, 8, 20),
];

fn reference(x: &Matrix, weights: &[f32], outputs: usize) -> Vec<f64> {
    let mut out = Vec::new();
    for r in 0..x.rows() {
        for o in 0..outputs {
            let terms = x.row(r).iter().enumerate();
            out.push(terms.map(|(k, &v)| f64::from(v) * f64::from(weights[k * outputs + o])).sum());
        }
    }
    out
}

/// A chain of n multiply-adds of values below 1 errs by less than n roundings of a sum below n.
fn bound(inputs: usize) -> f64 {
    let n = inputs as f64;
    n * n * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE)
}

#[test]
fn equals_the_naive_product() {
    on_each_set(|set| {
        for (rows, inputs, outputs) in SHAPES {
            let mut random = Random::new(1);
            let x = random.matrix(rows, inputs);
            let weights = random.values(inputs * outputs);
            let packed = PackedMatrix::pack(Precision::F32, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
            let mut out = Matrix::from_vec(1, 3, vec![f32::NAN; 3]);
            product(&x, &packed, Epilogue::default(), &mut out);
            assert_eq!((out.rows(), out.cols()), (rows, outputs));
            for (found, exact) in out.as_slice().iter().zip(reference(&x, &weights, outputs)) {
                let error = (f64::from(*found) - exact).abs();
                assert!(error <= bound(inputs), "{set}: {found} for {exact}");
            }
        }
    });
}

#[test]
fn both_layouts_pack_alike() {
    let weights = Random::new(2).values(5 * 37);
    let mut transposed = vec![0.0; 5 * 37];
    for i in 0..5 {
        for o in 0..37 {
            transposed[o * 5 + i] = weights[i * 37 + o];
        }
    }
    let x = Random::new(3).matrix(2, 5);
    let (mut a, mut b) = (Matrix::new(), Matrix::new());
    let rows = PackedMatrix::pack(Precision::F32, &weights, 5, 37, WeightOrder::InputsByOutputs);
    let columns = PackedMatrix::pack(Precision::F32, &transposed, 5, 37, WeightOrder::OutputsByInputs);
    product(&x, &rows, Epilogue::default(), &mut a);
    product(&x, &columns, Epilogue::default(), &mut b);
    assert_eq!(a, b);
    assert_eq!((rows.inputs(), rows.outputs(), rows.bytes()), (5, 37, 3 * 16 * 5 * 4));
}

#[test]
fn a_row_stands_alone() {
    on_each_set(|set| {
        let mut random = Random::new(4);
        for (inputs, outputs) in [(96, 33), (64, 128), (257, 200), (8, 1)] {
            let x = random.matrix(70, inputs);
            let weights = random.values(inputs * outputs);
            let bias = random.values(outputs);
            let packed = PackedMatrix::pack(Precision::F32, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
            let epilogue = Epilogue { bias: Some(&bias), activation: Activation::Gelu, add: None };
            let mut all = Matrix::new();
            product(&x, &packed, epilogue, &mut all);
            for _ in 0..30 {
                let picked: Vec<usize> = (0..1 + random.below(12)).map(|_| random.below(70)).collect();
                let some: Vec<f32> = picked.iter().flat_map(|&r| x.row(r)).copied().collect();
                let mut out = Matrix::new();
                product(&Matrix::from_vec(picked.len(), inputs, some), &packed, epilogue, &mut out);
                for (i, &r) in picked.iter().enumerate() {
                    assert_eq!(bits(out.row(i)), bits(all.row(r)), "{set}, {inputs} × {outputs}");
                }
            }
        }
    });
}

#[test]
fn all_sets_agree_to_the_bit() {
    for (rows, inputs, outputs) in SHAPES {
        let mut random = Random::new(5);
        let x = random.matrix(rows, inputs);
        let weights = random.values(inputs * outputs);
        let packed = PackedMatrix::pack(Precision::F32, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        same_on_each_set(format!("{rows} rows, {inputs} × {outputs}"), || {
            let mut out = Matrix::new();
            let epilogue = Epilogue { activation: Activation::Swish, ..Epilogue::default() };
            product(&x, &packed, epilogue, &mut out);
            out.as_slice().to_vec()
        });
    }
}

#[test]
fn the_epilogue_adds_and_activates_in_order() {
    on_each_set(|set| {
        let mut random = Random::new(6);
        let (rows, inputs, outputs) = (7, 20, 41);
        let x = random.matrix(rows, inputs);
        let weights = random.values(inputs * outputs);
        let (bias, add) = (random.values(outputs), random.matrix(rows, outputs));
        let packed = PackedMatrix::pack(Precision::F32, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        let mut plain = Matrix::new();
        product(&x, &packed, Epilogue::default(), &mut plain);
        for r in 0..rows {
            add_assign(plain.row_mut(r), &bias);
            add_assign(plain.row_mut(r), add.row(r));
        }
        type Function = fn(&mut [f32]);
        let activations: [(Activation, Function); 7] = [
            (Activation::None, |_| {}),
            (Activation::Relu, relu_in_place),
            (Activation::ClippedRelu, clipped_relu_in_place),
            (Activation::Swish, swish_in_place),
            (Activation::Gelu, gelu_in_place),
            (Activation::Tanh, tanh_in_place),
            (Activation::Sigmoid, sigmoid_in_place),
        ];
        for (activation, function) in activations {
            let mut out = Matrix::new();
            let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation };
            product(&x, &packed, epilogue, &mut out);
            let mut expected = plain.clone();
            function(expected.as_mut_slice());
            assert_eq!(bits(out.as_slice()), bits(expected.as_slice()), "{set}, {activation:?}");
        }
    });
}

const PRECISIONS: [Precision; 4] = [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8];

#[test]
fn a_selection_of_columns_gives_their_values() {
    for precision in PRECISIONS {
        let mut random = Random::new(7);
        let x = random.matrix(3, 30);
        let weights = random.values(30 * 100);
        let packed = PackedMatrix::pack(precision, &weights, 30, 100, WeightOrder::InputsByOutputs);
        let (mut all, mut out, mut selected) = (Matrix::new(), Matrix::new(), PackedMatrix::default());
        let mut storage = ProductStorage::default();
        let x = storage.operand(&x, precision);
        product(x, &packed, Epilogue::default(), &mut all);
        let mut gathered = Vec::new();
        for count in [40, 17, 1, 0] {
            let columns: Vec<u32> = (0..count).map(|_| random.below(100) as u32).collect();
            let places: Vec<_> = columns.iter().map(|&column| Some((0, column as usize))).collect();
            let plain = PackedMatrix::gather(&[&packed], &places);
            packed.select_from(&packed.by_output(), &columns, &mut selected, &mut gathered);
            for (fast, selected) in [(false, &plain), (true, &selected)] {
                assert_eq!((selected.inputs(), selected.outputs()), (30, columns.len()));
                product(x, selected, Epilogue::default(), &mut out);
                for r in 0..3 {
                    let expected: Vec<f32> = columns.iter().map(|&c| all.row(r)[c as usize]).collect();
                    assert_eq!(bits(out.row(r)), bits(&expected), "{precision:?}, fast: {fast}");
                }
            }
        }
    }
}

/// Rows as they are after a ReLU, of which products read only what is not zero: in all heights of groups and several
/// blocks of rows. The same rows after a row without zeros are read in full.
#[test]
fn zeros_are_left_out() {
    let (inputs, outputs) = (1024, 100);
    let mut random = Random::new(22);
    let weights = random.values(inputs * outputs);
    let bias = random.values(outputs);
    for precision in PRECISIONS {
        let packed = PackedMatrix::pack(precision, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        for (one_in, rows) in
            [1, 2, 20, 40, 5000].into_iter().flat_map(|one_in| [1, 2, 3, 4, 5, 13, 300].map(|r| (one_in, r)))
        {
            let number = |random: &mut Random| match random.below(one_in) {
                0 => random.values(1)[0].abs(),
                1 if random.below(500) == 0 => -0.0,
                _ => 0.0,
            };
            let numbers: Vec<f32> = (0..rows * inputs).map(|_| number(&mut random)).collect();
            let x = Matrix::from_vec(rows, inputs, numbers.clone());
            let second = Matrix::from_vec(rows + 1, inputs, [vec![-1.0; inputs], numbers].concat());
            let of = |x: &Matrix| {
                let (mut storage, mut out, mut in_parts) = (ProductStorage::default(), Matrix::new(), Matrix::new());
                let epilogue = Epilogue { bias: Some(&bias), ..Epilogue::default() };
                let rows = storage.operand(x, precision);
                let kept = format!("{rows:?}").contains("kept: Some");
                product(rows, &packed, epilogue, &mut out);
                rounded_product(x, &packed, epilogue, &mut in_parts, &mut storage);
                assert!(bits(in_parts.as_slice()) == bits(out.as_slice()), "{precision:?} in parts");
                (kept, bits(out.as_slice()))
            };
            on_each_set(|set| {
                let (sparse, all) = (of(&x), of(&second));
                let what = format!("{set}, {precision:?}: {rows} rows, one number in {one_in}");
                assert!(sparse.1 == all.1[outputs..], "{what}");
                let expected = (one_in >= 20 && precision != Precision::Int16, false);
                // Tiles of AMX multiply the zeros, too.
                let is_tiled = set == InstructionSet::Avx512Amx && precision == Precision::Int8 && rows >= 7;
                assert!((sparse.0, all.0) == expected || one_in == 2 || (is_tiled && !sparse.0), "{what}");
            });
        }
    }
}

/// Rows of bf16 that are rounded in parts and those that are rounded at once have the same products.
#[test]
fn rows_are_rounded_in_parts_or_at_once() {
    for precision in PRECISIONS {
        let mut random = Random::new(8);
        let (x, weights) = (random.matrix(1100, 270), random.values(270 * 40));
        let packed = PackedMatrix::pack(precision, &weights, 270, 40, WeightOrder::InputsByOutputs);
        let (mut in_parts, mut at_once, mut storage) = (Matrix::new(), Matrix::new(), ProductStorage::default());
        rounded_product(&x, &packed, Epilogue::default(), &mut in_parts, &mut storage);
        product(storage.operand(&x, precision), &packed, Epilogue::default(), &mut at_once);
        assert_eq!(bits(in_parts.as_slice()), bits(at_once.as_slice()), "{precision:?}");
    }
}

/// A column is what a product with an input of 1 gives: to the bit in floats, within half a step in integers.
#[test]
fn columns_are_read_as_floats() {
    let (inputs, outputs) = (31, 37);
    let weights = Random::new(9).values(inputs * outputs);
    for precision in PRECISIONS {
        let packed = PackedMatrix::pack(precision, &weights, inputs, outputs, WeightOrder::OutputsByInputs);
        for output in 0..outputs {
            let expected = &weights[output * inputs..][..inputs];
            let mut column = vec![f32::NAN; inputs];
            packed.read_column(output, &mut column);
            let most = expected.iter().fold(0.0_f32, |most, w| most.max(w.abs()));
            for (found, expected) in column.into_iter().zip(expected) {
                let step = match precision {
                    Precision::F32 => 0.0,
                    Precision::Bf16 => expected.abs() / 256.0,
                    // 31 inputs: integers to 8,323.
                    Precision::Int16 => most / 16646.0 * 1.000_1,
                    Precision::Int8 => most / 254.0 * 1.000_01,
                };
                assert!((found - expected).abs() <= step, "{precision:?}: {found} for {expected}");
            }
        }
    }
}

/// Each output of a gathered map has the bits that it has in its own map.
#[test]
fn gathered_outputs_are_those_of_their_maps() {
    for precision in PRECISIONS {
        let mut random = Random::new(21);
        let maps = [20, 33].map(|outputs| {
            let weights = random.values(50 * outputs);
            PackedMatrix::pack(precision, &weights, 50, outputs, WeightOrder::InputsByOutputs)
        });
        let x = random.matrix(7, 50);
        let outputs: Vec<_> =
            (0..33).map(|i| Some((1, 32 - i))).chain([None]).chain((0..20).map(|i| Some((0, i)))).collect();
        let gathered = PackedMatrix::gather(&[&maps[0], &maps[1]], &outputs);
        let mut storage = ProductStorage::default();
        let mut apply = |map: &PackedMatrix| {
            let mut out = Matrix::new();
            product(storage.operand(&x, precision), map, Epilogue::default(), &mut out);
            out
        };
        let (own, found) = ([apply(&maps[0]), apply(&maps[1])], apply(&gathered));
        for row in 0..7 {
            let expected = outputs.iter().map(|of| of.map_or(0.0, |(map, output)| own[map].row(row)[output]));
            assert_eq!(bits(found.row(row)), bits(&expected.collect::<Vec<_>>()), "{precision:?}");
        }
    }
}

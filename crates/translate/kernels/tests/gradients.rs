//! The products of training, in f32 and bf16, equal the naive ones on every instruction set, for every shape; those in
//! bf16 to the bit on all sets.

use crate::common::{Random, bits, on_each_set};
use metaphrase_kernels::{
    Activation, Epilogue, InstructionSet, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, add_assign,
    gelu_in_place, product, product_add, rounded_product, rounded_product_add, transposed_product_add, vectorised,
    with_instruction_set,
};

/// rows, inputs, outputs: full and partial tiles, panels, squares of 16 × 16 and 32 × 16, more rows than a block.
const SHAPES: [(usize, usize, usize); 14] = [
    (1, 1, 1),
    (7, 33, 65),
    (13, 2100, 17),
    (6, 16, 64),
    (5, 7, 130),
    (4, 31, 15),
    (9, 32, 16),
    (300, 1040, 20),
    (1030, 19, 33),
    (700, 2, 3),
    (0, 4, 5),
    (3, 0, 5),
    (3, 4, 0),
    (0, 0, 0),
];

fn transpose(x: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(x.cols(), x.rows());
    for r in 0..x.rows() {
        for c in 0..x.cols() {
            out.row_mut(c)[r] = x.row(r)[c];
        }
    }
    out
}

/// `start + x·w` in f64.
fn naive(x: &Matrix, w: &Matrix, start: &Matrix) -> Vec<f64> {
    let mut out = Vec::new();
    for r in 0..x.rows() {
        for o in 0..w.cols() {
            let terms = x.row(r).iter().enumerate().map(|(k, &v)| f64::from(v) * f64::from(w.row(k)[o]));
            out.push(f64::from(start.row(r)[o]) + terms.sum::<f64>());
        }
    }
    out
}

/// Rounded to bf16 by way of f64: 8 bits of precision, to even.
fn rounded(x: &Matrix) -> Matrix {
    let round = |&x: &f32| {
        let unit = 2_f64.powi((x.to_bits() >> 23 & 0xff) as i32 - 127 - 7);
        ((f64::from(x) / unit).round_ties_even() * unit) as f32
    };
    Matrix::from_vec(x.rows(), x.cols(), x.as_slice().iter().map(round).collect())
}

/// As the products' tests: a chain of n multiply-adds of values below 1.
fn assert_close(found: &Matrix, exact: &[f64], n: usize, what: &str) {
    let n = n as f64 + 1.0;
    assert_eq!(found.as_slice().len(), exact.len(), "{what}");
    for (&found, exact) in found.as_slice().iter().zip(exact) {
        assert!((f64::from(found) - exact).abs() <= n * n * f64::from(f32::EPSILON), "{what}: {found} for {exact}");
    }
}

#[test]
fn products_that_add() {
    on_each_set(|set| {
        // Stored again and again, so that what is left of a larger shape would show.
        let (mut packed, mut packed_bf16) = (PackedMatrix::default(), PackedMatrix::empty(Precision::Bf16));
        let mut storage = ProductStorage::default();
        for (rows, inputs, outputs) in SHAPES {
            let what = format!("{set}: {rows} × {inputs} × {outputs}");
            let mut random = Random::new(1);
            let (x, w, start) =
                (random.matrix(rows, inputs), random.matrix(inputs, outputs), random.matrix(rows, outputs));
            let transposed = transpose(&w);
            let mut results = Vec::new();
            for (w, layout) in [(&w, WeightOrder::InputsByOutputs), (&transposed, WeightOrder::OutputsByInputs)] {
                packed.repack(w.as_slice(), inputs, outputs, layout);
                packed_bf16.repack(w.as_slice(), inputs, outputs, layout);
                assert_eq!((packed_bf16.inputs(), packed_bf16.outputs()), (inputs, outputs));
                let (mut out, mut out_bf16) = (start.clone(), start.clone());
                product_add(&x, &packed, &mut out);
                rounded_product_add(&x, &packed_bf16, &mut out_bf16, &mut storage);
                results.push((bits(out.as_slice()), bits(out_bf16.as_slice())));
                assert_close(&out, &naive(&x, &w_of(w, layout), &start), inputs, &what);
                let exact = naive(&rounded(&x), &rounded(&w_of(w, layout)), &start);
                assert_close(&out_bf16, &exact, inputs, &format!("bf16, {what}"));
            }
            assert_eq!(results[0], results[1], "{what}: both layouts pack alike");
        }
    });
}

fn w_of(w: &Matrix, layout: WeightOrder) -> Matrix {
    if layout == WeightOrder::InputsByOutputs { w.clone() } else { transpose(w) }
}

#[test]
fn products_of_a_transpose() {
    on_each_set(|set| {
        let mut storage = ProductStorage::default();
        for (n, a, b) in SHAPES {
            let what = format!("{set}: {n} × {a} × {b}");
            let mut random = Random::new(2);
            let (x, y, start) = (random.matrix(n, a), random.matrix(n, b), random.matrix(a, b));
            let mut out = start.clone();
            transposed_product_add(Precision::F32, &x, &y, &mut out, &mut storage);
            assert_close(&out, &naive(&transpose(&x), &y, &start), n, &what);
            let mut out = start.clone();
            transposed_product_add(Precision::Bf16, &x, &y, &mut out, &mut storage);
            assert_close(&out, &naive(&transpose(&rounded(&x)), &rounded(&y), &start), n, &format!("bf16, {what}"));
        }
    });
}

#[test]
fn bf16_gives_the_same_bits_on_all_sets() {
    for (rows, inputs, outputs) in SHAPES {
        let mut results = Vec::new();
        on_each_set(|set| {
            let mut random = Random::new(3);
            let (x, w) = (random.matrix(rows, inputs), random.matrix(inputs, outputs));
            let (bias, add) = (random.values(outputs), random.matrix(rows, outputs));
            let (mut packed, mut storage) = (PackedMatrix::empty(Precision::Bf16), ProductStorage::default());
            packed.repack(w.as_slice(), inputs, outputs, WeightOrder::InputsByOutputs);
            let (mut out, mut gradient) = (Matrix::new(), Matrix::zeros(inputs, outputs));
            let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation: Activation::Relu };
            rounded_product(&x, &packed, epilogue, &mut out, &mut storage);
            transposed_product_add(Precision::Bf16, &x, &out, &mut gradient, &mut storage);
            results.push((set, bits(out.as_slice()), bits(gradient.as_slice())));
        });
        for (set, out, gradient) in &results {
            assert!(*out == results[0].1 && *gradient == results[0].2, "{set}: {rows} × {inputs} × {outputs}");
        }
    }
}

#[test]
fn the_epilogue_of_bf16_adds_and_activates_in_order() {
    on_each_set(|set| {
        let mut random = Random::new(4);
        let (x, w) = (random.matrix(7, 20), random.matrix(20, 41));
        let (bias, add) = (random.values(41), random.matrix(7, 41));
        let (mut packed, mut storage) = (PackedMatrix::empty(Precision::Bf16), ProductStorage::default());
        packed.repack(w.as_slice(), 20, 41, WeightOrder::InputsByOutputs);
        let (mut expected, mut out) = (Matrix::new(), Matrix::new());
        rounded_product(&x, &packed, Epilogue::default(), &mut expected, &mut storage);
        for r in 0..7 {
            add_assign(expected.row_mut(r), &bias);
            add_assign(expected.row_mut(r), add.row(r));
        }
        gelu_in_place(expected.as_mut_slice());
        let epilogue = Epilogue { bias: Some(&bias), add: Some(&add), activation: Activation::Gelu };
        rounded_product(&x, &packed, epilogue, &mut out, &mut storage);
        assert_eq!(bits(out.as_slice()), bits(expected.as_slice()), "{set}");
    });
}

/// With one input that is 1, a product is the rounded weight.
#[test]
fn rounding_is_to_the_nearest_even() {
    let cases = [
        (1.0, 1.0),
        (1.0 + 1.0 / 256.0, 1.0),               // half way, to even
        (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0), // half way, to even
        (-1.006, -1.0078125),
        (f32::MAX, f32::INFINITY),
        (f32::NEG_INFINITY, f32::NEG_INFINITY),
        (-0.0, 0.0), // the sum begins with 0
        (f32::NAN, f32::NAN),
        (f32::from_bits(0x7f80_0001), f32::NAN), // whose upper half alone would be infinite
    ];
    on_each_set(|set| {
        for (value, expected) in cases {
            let (mut packed, mut storage, mut out) =
                (PackedMatrix::empty(Precision::Bf16), ProductStorage::default(), Matrix::new());
            for layout in [WeightOrder::InputsByOutputs, WeightOrder::OutputsByInputs] {
                packed.repack(&[value], 1, 1, layout);
                rounded_product(
                    &Matrix::from_vec(1, 1, vec![1.0]),
                    &packed,
                    Epilogue::default(),
                    &mut out,
                    &mut storage,
                );
                assert_eq!(bits(out.as_slice()), bits(&[expected]), "{set}: {value} from {layout:?}");
                packed.repack(&[1.0], 1, 1, layout);
                let x = Matrix::from_vec(1, 1, vec![value]);
                rounded_product(&x, &packed, Epilogue::default(), &mut out, &mut storage);
                assert_eq!(bits(out.as_slice()), bits(&[expected]), "{set}: {value} as input");
            }
        }
    });
}

#[test]
fn rows_of_a_large_matrix_stand_alone() {
    on_each_set(|set| {
        let mut random = Random::new(5);
        let (rows, inputs, outputs) = (1100, 270, 40);
        let (x, w, bias) = (random.matrix(rows, inputs), random.matrix(inputs, outputs), random.values(outputs));
        let packed = PackedMatrix::pack(Precision::F32, w.as_slice(), inputs, outputs, WeightOrder::InputsByOutputs);
        let epilogue = Epilogue { bias: Some(&bias), activation: Activation::Tanh, add: None };
        let (mut all, mut one) = (Matrix::new(), Matrix::new());
        product(&x, &packed, epilogue, &mut all);
        for row in (0..rows).step_by(17).chain([rows - 1]) {
            product(&Matrix::from_vec(1, inputs, x.row(row).to_vec()), &packed, epilogue, &mut one);
            assert_eq!(bits(one.row(0)), bits(all.row(row)), "{set}, row {row}");
        }
    });
}

#[test]
#[should_panic(expected = "shape of the sum")]
fn the_sum_must_have_the_products_shape() {
    let packed = PackedMatrix::pack(Precision::F32, &[1.0; 6], 2, 3, WeightOrder::InputsByOutputs);
    product_add(&Matrix::zeros(4, 2), &packed, &mut Matrix::zeros(4, 2));
}

#[test]
fn vectorised_loops_keep_their_bits() {
    let values = Random::new(6).values(1001);
    let body = |values: &[f32]| values.iter().map(|v| (v * 3.0 + 0.1) * v - 7.0 / (v + 2.0)).collect::<Vec<f32>>();
    let plain = bits(&body(&values));
    for set in InstructionSet::available() {
        let found = with_instruction_set(set, || vectorised(|| body(&values)));
        assert_eq!(bits(&found), plain, "{set}");
    }
}

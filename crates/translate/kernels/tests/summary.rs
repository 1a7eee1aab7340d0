//! The summary of a product agrees with the whole product for each row, to the bit, on every instruction set.

use crate::common::{Random, bits, on_each_set, same_on_each_set};
use metaphrase_kernels::{
    Epilogue, Matrix, PackedMatrix, Precision, ProductStorage, Summary, WeightOrder, log_sum_exp, product,
    product_of_one,
};

const PRECISIONS: [Precision; 4] = [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8];

/// rows, inputs, outputs: parts of a panel and of a block of columns, one block, many; more rows than a tile and than a
/// part.
const SHAPES: [(usize, usize, usize); 8] =
    [(0, 8, 20), (1, 8, 1), (3, 16, 17), (5, 33, 256), (2, 7, 257), (7, 64, 300), (13, 20, 1030), (310, 130, 530)];

fn map(random: &mut Random, precision: Precision, inputs: usize, outputs: usize) -> PackedMatrix {
    PackedMatrix::pack(precision, &random.values(inputs * outputs), inputs, outputs, WeightOrder::InputsByOutputs)
}

/// Sorts a whole row: greater numbers first, then earlier columns.
fn greatest(row: &[f32], most: usize) -> Vec<(u32, u32)> {
    let mut all: Vec<(f32, u32)> = row.iter().copied().zip(0..).filter(|(x, _)| *x > f32::NEG_INFINITY).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(most);
    all.into_iter().map(|(value, column)| (value.to_bits(), column)).collect()
}

#[track_caller]
fn check(x: &Matrix, w: &PackedMatrix, bias: Option<&[f32]>, most: usize, what: &str) {
    let (mut storage, mut summary, mut out) = (ProductStorage::default(), Summary::default(), Matrix::new());
    let rows = storage.operand(x, w.precision());
    product(rows, w, Epilogue { bias, ..Epilogue::default() }, &mut out);
    summary.set_to_product(rows, w, bias, most);
    assert_eq!(summary.most(), most);
    for row in 0..x.rows() {
        for output in (row % 5..w.outputs()).step_by(19) {
            let one = product_of_one(rows.part(row..row + 1), w, bias, output);
            assert_eq!(one.to_bits(), out.row(row)[output].to_bits(), "{what}, row {row}, output {output}");
        }
        let (normaliser, exact) = (summary.normaliser(row), log_sum_exp(out.row(row)));
        assert_eq!(normaliser.to_bits(), exact.to_bits(), "{what}, row {row}: {normaliser} for {exact}");
        let best: Vec<_> = summary.best(row).iter().map(|best| (best.value.to_bits(), best.column)).collect();
        assert_eq!(best, greatest(out.row(row), most), "{what}, row {row}");
    }
}

#[test]
fn equals_the_whole_product() {
    on_each_set(|set| {
        for (rows, inputs, outputs) in SHAPES {
            for precision in PRECISIONS {
                let mut random = Random::new((rows + outputs) as u64);
                let (x, w) = (random.matrix(rows, inputs), map(&mut random, precision, inputs, outputs));
                let bias = random.values(outputs);
                for most in [0, 1, 6, outputs + 3] {
                    let what = format!("{set}, {precision:?}, {rows} × {inputs} × {outputs}, {most} columns");
                    check(&x, &w, Some(&bias), most, &what);
                    check(&x, &w, None, most, &what);
                }
            }
        }
    });
}

#[test]
fn equal_infinite_and_undefined_numbers() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    on_each_set(|set| {
        let mut random = Random::new(5);
        let x = Matrix::from_vec(1, 1, vec![0.0]);
        let w = PackedMatrix::pack(Precision::F32, &[1.0; 600], 1, 600, WeightOrder::InputsByOutputs);
        for values in [&[1.0, 2.0][..], &[1.0, -inf], &[-inf], &[0.5, nan, 3.0], &[nan], &[1.0, inf], &[inf, nan, -inf]]
        {
            for round in 0..5 {
                let bias: Vec<f32> = (0..600).map(|_| values[random.below(values.len())]).collect();
                check(&x, &w, Some(&bias), 7, &format!("{set}, {values:?}, round {round}"));
            }
        }
    });
}

#[test]
fn a_row_has_the_same_summary_alone() {
    let mut random = Random::new(9);
    for precision in PRECISIONS {
        let (x, w) = (random.matrix(29, 48), map(&mut random, precision, 48, 700));
        same_on_each_set(format!("{precision:?}"), || {
            let (mut storage, mut summary) = (ProductStorage::default(), Summary::default());
            summary.set_to_product(storage.operand(&x, precision), &w, None, 5);
            let numbers = |summary: &Summary, row| {
                let best = summary.best(row).iter().map(|best| best.value);
                best.chain([summary.normaliser(row)]).collect::<Vec<f32>>()
            };
            let together: Vec<_> = (0..29).map(|row| numbers(&summary, row)).collect();
            for (row, together) in together.iter().enumerate() {
                let alone = Matrix::from_vec(1, 48, x.row(row).to_vec());
                summary.set_to_product(storage.operand(&alone, precision), &w, None, 5);
                assert_eq!(bits(together), bits(&numbers(&summary, 0)), "{precision:?}, row {row}");
            }
            together.concat()
        });
    }
}

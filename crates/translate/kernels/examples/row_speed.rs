//! How fast functions of rows are: `cargo run --release -p metaphrase-kernels --example row_speed [avx512|…]`.
//!
//! One line for each function and instruction set: the time of a call, and per element (of the matrix that is read, for
//! the products by heads).

use std::hint::black_box;
use std::time::Instant;

use metaphrase_kernels::{
    AttentionWeights, Epilogue, Functions, Heads, InstructionSet, KeysValues, Matrix, PackedMatrix, Precision,
    ProductStorage, Rows, StoredAs, Summary, TopK, WeightOrder, attend, dot, exp_in_place, gelu_in_place, heads_dot,
    heads_weighted_sum, layer_norm, log_sum_exp, max, product, sigmoid_in_place, softmax_in_place, tanh_dot,
    tanh_in_place, with_functions, with_instruction_set,
};

fn main() {
    let only = std::env::args().nth(1);
    println!("| set | function | elements | ns | ns/element |\n|---|---|---|---|---|");
    for set in InstructionSet::available() {
        if only.as_ref().is_some_and(|name| *name != set.to_string()) {
            continue;
        }
        with_instruction_set(set, || {
            element_wise(set);
            rows(set);
            heads(set);
            output_layer(set);
        });
    }
}

fn element_wise(set: InstructionSet) {
    let functions: [(&str, Function); 4] =
        [("exp", exp_in_place), ("tanh", tanh_in_place), ("sigmoid", sigmoid_in_place), ("gelu", gelu_in_place)];
    type Function = fn(&mut [f32]);
    for other in [Functions::Table, Functions::Library] {
        let (from, mut x) = (values(1024), values(1024));
        report(set, &format!("tanh by {other:?}"), 1024, || {
            x.copy_from_slice(&from);
            with_functions(other, || tanh_in_place(black_box(&mut x)));
        });
    }
    for (name, function) in functions {
        // Refilled each time: applied again and again, values would run to where the function is flat.
        let from = values(1024);
        let mut x = from.clone();
        report(set, name, 1024, || {
            x.copy_from_slice(&from);
            function(black_box(&mut x));
        });
    }
}

fn rows(set: InstructionSet) {
    let (a, b, v) = (values(512), values(512), values(512));
    report(set, "dot", 16, || _ = black_box(dot(black_box(&a[..16]), &b[..16])));
    report(set, "dot", 512, || _ = black_box(dot(black_box(&a), &b)));
    report(set, "tanh_dot", 512, || _ = black_box(tanh_dot(black_box(&a), &b, &v)));
    let mut x = a.clone();
    report(set, "layer_norm", 512, || layer_norm(black_box(&mut x), &b, Some(&v), 1e-6));
    let mut x = values(50);
    report(set, "softmax", 50, || softmax_in_place(black_box(&mut x)));
    let row = values(32000);
    report(set, "max", 32000, || _ = black_box(max(black_box(&row))));
    report(set, "log_sum_exp", 32000, || _ = black_box(log_sum_exp(black_box(&row))));
    let mut top = TopK::new();
    report(set, "TopK, 12 of 6 rows", 6 * 32000, || {
        top.start(12, &[0]);
        for tag in 0..6 {
            top.offer(black_box(&row), 1.0, -(tag as f32), tag);
        }
        black_box(top.finish());
    });
}

fn heads(set: InstructionSet) {
    for (heads, size, n) in [(8, 32, 5), (8, 32, 30), (8, 64, 30), (8, 64, 200)] {
        let matrix = Matrix::from_vec(n, heads * size, values(n * heads * size));
        let (query, weights) = (values(heads * size), values(heads * n));
        let (mut dots, mut sum) = (vec![0.0; heads * n], vec![0.0; heads * size]);
        let name = |function: &str| format!("{function}, {n} rows of {heads} × {size}");
        report(set, &name("heads_dot"), n * heads * size, || {
            heads_dot(black_box(&query), &matrix, Rows::Range(0..n), heads, 0.1, &mut dots);
        });
        report(set, &name("heads_weighted_sum"), n * heads * size, || {
            heads_weighted_sum(black_box(&weights), &matrix, Rows::Range(0..n), heads, &mut sum);
        });
        let softmax = format!("softmax of {heads} × {n}");
        report(set, &softmax, heads * n, || dots.chunks_exact_mut(n).for_each(|row| softmax_in_place(black_box(row))));
        for stored in [StoredAs::F32, StoredAs::Bf16] {
            let mut words = KeysValues::new(Heads::new(heads, size), stored);
            words.resize(n);
            (0..n).for_each(|i| words.set(i, matrix.row(i), matrix.row(i)));
            let mut weights = AttentionWeights::default();
            let attend_stored = format!("attend in {stored:?}");
            report(set, &name(&attend_stored), 2 * n * heads * size, || {
                attend(black_box(&query), &words, &Rows::Range(0..n), None, &mut weights, &mut sum);
            });
        }
    }
}

/// The output layer for 96 hypotheses and what a beam of 4 asks of it: all logits first, or block by block.
fn output_layer(set: InstructionSet) {
    let (rows, inputs, outputs) = (96, 256, 8000);
    let (x, bias) = (Matrix::from_vec(rows, inputs, values(rows * inputs)), values(outputs));
    let weights = values(inputs * outputs);
    let (mut storage, mut out) = (ProductStorage::default(), Matrix::new());
    let (mut top, mut summary) = (TopK::new(), Summary::default());
    for precision in [Precision::F32, Precision::Int8] {
        let w = PackedMatrix::pack(precision, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
        let x = storage.operand(&x, precision);
        let name = |what: &str| format!("output layer, {precision:?}, {what}");
        report(set, &name("all logits"), rows * outputs, || {
            product(x, &w, Epilogue { bias: Some(&bias), ..Epilogue::default() }, &mut out);
            for sentence in 0..rows / 4 {
                top.start(4, &[1]);
                for row in 4 * sentence..4 * sentence + 4 {
                    top.offer(out.row(row), log_sum_exp(out.row(row)), 0.0, row as u32);
                }
                black_box(top.finish());
            }
        });
        report(set, &name("summary"), rows * outputs, || {
            summary.set_to_product(x, &w, Some(&bias), 6);
            black_box(summary.best(0));
        });
    }
}

/// Values from -3 to 3 without an order.
fn values(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 24) as f32 * 6.0 - 3.0).collect()
}

/// Prints the fastest of many short rounds.
fn report(set: InstructionSet, name: &str, elements: usize, mut call: impl FnMut()) {
    let mut round = |times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(times)
    };
    let times = (3e5 / round(3)).clamp(1.0, 1e5) as u32;
    let best = (0..100).map(|_| round(times)).fold(f64::INFINITY, f64::min);
    println!("| {set} | {name} | {elements} | {best:.0} | {:.3} |", best / elements as f64);
}

//! How fast products are: `cargo run --release -p metaphrase-kernels --example gemm_speed [portable|avx2|avx512|…]`.
//!
//! One line for each shape and instruction set: of f32, GFLOP/s and GB/s of weights read; of integers of 8 bits, GOP/s
//! of the product alone and together with the rounding of the rows. Weights are as warm as the caches allow: the same
//! product again and again, the best of some rounds.

use std::hint::black_box;
use std::time::Instant;

use metaphrase_kernels::{
    Epilogue, InstructionSet, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, product,
    with_instruction_set,
};

/// inputs × outputs.
const MAPS: [(usize, usize); 9] =
    [(256, 256), (256, 1024), (1024, 256), (256, 8000), (512, 512), (512, 2048), (512, 8000), (512, 32000), (96, 33)];
const ROWS: [usize; 9] = [1, 2, 3, 4, 6, 7, 24, 64, 512];

fn main() {
    let only = std::env::args().nth(1);
    println!("| set | inputs × outputs | rows | µs | GFLOP/s | GB/s | int8 GOP/s | with rounding |");
    println!("|---|---|---|---|---|---|---|---|");
    for set in InstructionSet::available() {
        if only.as_ref().is_some_and(|name| *name != set.to_string()) {
            continue;
        }
        for (inputs, outputs) in MAPS {
            let weights: Vec<f32> = (0..inputs * outputs).map(|i| (i % 97) as f32 - 48.0).collect();
            let packed = PackedMatrix::pack(Precision::F32, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
            let packed_int8 =
                PackedMatrix::pack(Precision::Int8, &weights, inputs, outputs, WeightOrder::InputsByOutputs);
            for rows in ROWS {
                let x: Vec<f32> = (0..rows * inputs).map(|i| (i % 89) as f32 - 44.0).collect();
                let x = Matrix::from_vec(rows, inputs, x);
                let (mut out, mut storage) = (Matrix::new(), ProductStorage::default());
                let rate = |seconds: f64| 2.0 * (rows * inputs * outputs) as f64 / seconds / 1e9;
                with_instruction_set(set, || {
                    let seconds = seconds_of(|| product(black_box(&x), &packed, Epilogue::default(), &mut out));
                    let quantised = storage.operand(&x, Precision::Int8);
                    let integers =
                        seconds_of(|| product(black_box(quantised), &packed_int8, Epilogue::default(), &mut out));
                    let rounded = seconds_of(|| {
                        let quantised = storage.operand(black_box(&x), Precision::Int8);
                        product(quantised, &packed_int8, Epilogue::default(), &mut out);
                    });
                    let gbytes = packed.bytes() as f64 / seconds / 1e9;
                    println!(
                        "| {set} | {inputs} × {outputs} | {rows} | {:.1} | {:.0} | {gbytes:.0} | {:.0} | {:.0} |",
                        seconds * 1e6,
                        rate(seconds),
                        rate(integers),
                        rate(rounded)
                    );
                });
            }
        }
    }
}

/// The fastest of many rounds, divided by the products in it; rounds are shorter than a scheduler's slice, so that on a
/// shared machine some are undisturbed.
fn seconds_of(mut call: impl FnMut()) -> f64 {
    let mut round = |times: usize| {
        let start = Instant::now();
        for _ in 0..times {
            call();
        }
        start.elapsed().as_secs_f64() / times as f64
    };
    let once = round(2).max(1e-7);
    let times = (3e-4 / once).clamp(1.0, 1e5) as usize;
    (0..100).map(|_| round(times)).fold(f64::INFINITY, f64::min)
}

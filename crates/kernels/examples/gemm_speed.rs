//! How fast products are: `cargo run --release -p metaphrase-kernels --example gemm_speed [portable|avx2|avx512]`.
//!
//! One line for each shape and instruction set: GFLOP/s, and GB/s of weights read. Weights are as warm as the caches
//! allow: the same product again and again, the best of some rounds.

use std::hint::black_box;
use std::time::Instant;

use metaphrase_kernels::{Epilogue, InstructionSet, Matrix, PackedMatrix, WeightOrder, product, with_instruction_set};

/// inputs × outputs.
const MAPS: [(usize, usize); 7] =
    [(256, 256), (256, 1024), (1024, 256), (256, 8000), (512, 2048), (512, 32000), (96, 33)];
const ROWS: [usize; 8] = [1, 2, 3, 4, 6, 7, 24, 64];

fn main() {
    let only = std::env::args().nth(1);
    println!("| set | inputs × outputs | rows | µs | GFLOP/s | GB/s |\n|---|---|---|---|---|---|");
    for set in InstructionSet::available() {
        if only.as_ref().is_some_and(|name| *name != set.to_string()) {
            continue;
        }
        for (inputs, outputs) in MAPS {
            let weights: Vec<f32> = (0..inputs * outputs).map(|i| (i % 97) as f32 - 48.0).collect();
            let packed = PackedMatrix::pack(&weights, inputs, outputs, WeightOrder::InputsByOutputs);
            for rows in ROWS {
                let x: Vec<f32> = (0..rows * inputs).map(|i| (i % 89) as f32 - 44.0).collect();
                let x = Matrix::from_vec(rows, inputs, x);
                let seconds = with_instruction_set(set, || seconds_of_product(&x, &packed));
                let gflops = 2.0 * (rows * inputs * outputs) as f64 / seconds / 1e9;
                let gbytes = packed.bytes() as f64 / seconds / 1e9;
                let micros = seconds * 1e6;
                println!("| {set} | {inputs} × {outputs} | {rows} | {micros:.1} | {gflops:.0} | {gbytes:.0} |");
            }
        }
    }
}

/// The fastest of many rounds, divided by the products in it; rounds are shorter than a scheduler's slice, so that on a
/// shared machine some are undisturbed.
fn seconds_of_product(x: &Matrix, packed: &PackedMatrix) -> f64 {
    let mut out = Matrix::new();
    let mut round = |times: usize| {
        let start = Instant::now();
        for _ in 0..times {
            product(black_box(x), packed, Epilogue::default(), &mut out);
        }
        black_box(&out);
        start.elapsed().as_secs_f64() / times as f64
    };
    let once = round(2).max(1e-7);
    let times = (3e-4 / once).clamp(1.0, 1e5) as usize;
    (0..300).map(|_| round(times)).fold(f64::INFINITY, f64::min)
}

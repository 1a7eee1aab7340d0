//! How fast the products of training are, in f32 and bf16:
//! `cargo run --release -p metaphrase-kernels --example gradient_speed`.
//!
//! One line for each shape, GFLOP/s of three products, where x is `n × a`, w `a × b` and y `n × b`:
//! x·w of what is packed already, y·wᵀ with the packing of w, and xᵀ·y with all that it takes. In brackets the time of
//! packing w as it lies and transposed, in GB/s of w read.

use std::hint::black_box;
use std::time::Instant;

use metaphrase_kernels::{
    Epilogue, Matrix, PackedMatrix, Precision, ProductStorage, WeightOrder, product, product_add, rounded_product,
    rounded_product_add, transposed_product_add,
};

/// n, a, b: layers of 256 to 1024, feed-forward layers, gates of a recurrent step, output layers.
const SHAPES: [(usize, usize, usize); 9] = [
    (1000, 256, 256),
    (4000, 256, 1024),
    (1000, 1024, 256),
    (500, 512, 512),
    (64, 512, 1536),
    (4000, 512, 1024),
    (512, 256, 8000),
    (2000, 256, 8000),
    (300, 8000, 256),
];

fn main() {
    println!("| n, a, b | x·w | y·wᵀ | xᵀ·y | pack w | wᵀ | bf16: x·w | y·wᵀ | xᵀ·y | pack w | wᵀ |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (n, a, b) in SHAPES {
        let flops = 2.0 * (n * a * b) as f64 / 1e9;
        let bytes = 4.0 * (a * b) as f64 / 1e9;
        let cells: Vec<String> = f32_seconds(n, a, b)
            .into_iter()
            .chain(bf16_seconds(n, a, b))
            .enumerate()
            .map(|(i, seconds)| format!("{:.0}", if i % 5 < 3 { flops } else { bytes } / seconds))
            .collect();
        println!("| {n}, {a}, {b} | {} |", cells.join(" | "));
    }
}

fn f32_seconds(n: usize, a: usize, b: usize) -> [f64; 5] {
    let (x, w, y) = (matrix(n, a), matrix(a, b), matrix(n, b));
    let (mut out, mut back, mut gradient) = (Matrix::new(), Matrix::zeros(n, a), Matrix::zeros(a, b));
    let mut packed = PackedMatrix::pack(Precision::F32, w.as_slice(), a, b, WeightOrder::InputsByOutputs);
    let mut transposed = PackedMatrix::default();
    let mut work = ProductStorage::default();
    [
        seconds(|| product(black_box(&x), &packed, Epilogue::default(), &mut out)),
        seconds(|| {
            transposed.repack(black_box(w.as_slice()), b, a, WeightOrder::OutputsByInputs);
            product_add(&y, &transposed, &mut back);
        }),
        seconds(|| transposed_product_add(Precision::F32, black_box(&x), &y, &mut gradient, &mut work)),
        seconds(|| packed.repack(black_box(w.as_slice()), a, b, WeightOrder::InputsByOutputs)),
        seconds(|| transposed.repack(black_box(w.as_slice()), b, a, WeightOrder::OutputsByInputs)),
    ]
}

fn bf16_seconds(n: usize, a: usize, b: usize) -> [f64; 5] {
    let (x, w, y) = (matrix(n, a), matrix(a, b), matrix(n, b));
    let (mut out, mut back, mut gradient) = (Matrix::new(), Matrix::zeros(n, a), Matrix::zeros(a, b));
    let (mut packed, mut transposed, mut work) =
        (PackedMatrix::empty(Precision::Bf16), PackedMatrix::empty(Precision::Bf16), ProductStorage::default());
    packed.repack(w.as_slice(), a, b, WeightOrder::InputsByOutputs);
    [
        seconds(|| rounded_product(black_box(&x), &packed, Epilogue::default(), &mut out, &mut work)),
        seconds(|| {
            transposed.repack(black_box(w.as_slice()), b, a, WeightOrder::OutputsByInputs);
            rounded_product_add(&y, &transposed, &mut back, &mut work);
        }),
        seconds(|| transposed_product_add(Precision::Bf16, black_box(&x), &y, &mut gradient, &mut work)),
        seconds(|| packed.repack(black_box(w.as_slice()), a, b, WeightOrder::InputsByOutputs)),
        seconds(|| transposed.repack(black_box(w.as_slice()), b, a, WeightOrder::OutputsByInputs)),
    ]
}

/// Values from -1 to 1 without an order.
fn matrix(rows: usize, cols: usize) -> Matrix {
    let value = |i: u32| (i.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    Matrix::from_vec(rows, cols, (0..(rows * cols) as u32).map(value).collect())
}

/// The fastest of many calls: on a shared machine some are undisturbed.
fn seconds(mut call: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    let first = once();
    let times = (0.4 / first).clamp(3.0, 1000.0) as usize;
    (0..times).map(|_| once()).fold(f64::INFINITY, f64::min)
}

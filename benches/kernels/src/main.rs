//! Products of matrices beside those of `rten-gemm`, `gemm` and oneDNN, as shares of the peak of this CPU (Devlin 2017,
//! figure 1):
//!
//! ```sh
//! cd benches/kernels && RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1 cargo run --release -- [--figure] [--onednn libdnnl.so.3] [FILE.json]
//! ```
//!
//! With `--figure` the shapes are those of the paper's figure: layers of 512 and 1,024 by some numbers of rows.
//! One thread; `M × K` rows by `K × N` weights, which are packed before where a library can pack them (oneDNN's and
//! `gemm`'s functions can not). `whole` is a product with the rounding of its rows before it, and
//! with bias and ReLU behind it. The same product again and again, the fastest of many short rounds: each
//! library in turn, three times. The Python package `onednn-cpu-gomp` contains `libdnnl.so.3`.

mod peers;

use metaphrase_kernels::{
    Activation, Epilogue, Matrix, Operand, PackedMatrix, Precision, ProductStorage, WeightOrder, instruction_set, peak,
    product, read_bandwidth,
};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// M, K, N: a row and the rows of a beam by layers of 512, the output layer, a batch, and layers of 256.
const SHAPES: [(usize, usize, usize); 11] = [
    (1, 512, 512),
    (6, 512, 2048),
    (6, 512, 512),
    (24, 512, 8000),
    (64, 512, 2048),
    (512, 512, 512),
    (1, 256, 256),
    (6, 256, 256),
    (6, 256, 1024),
    (24, 256, 8000),
    (64, 256, 1024),
];

/// The rows and the layers of the figure.
const FIGURE: ([usize; 8], [usize; 2]) = ([1, 2, 3, 4, 6, 8, 12, 16], [512, 1024]);

/// The numbers: their names and their sizes in bytes.
const KINDS: [(Precision, &str, usize); 4] = [
    (Precision::F32, "f32", 4),
    (Precision::Bf16, "bf16", 2),
    (Precision::Int16, "int16", 2),
    (Precision::Int8, "int8", 1),
];

/// A product that can be measured: its name, the numbers that it multiplies, and a call of it.
pub struct Contender<'a> {
    name: String,
    number: Precision,
    call: Box<dyn FnMut() + 'a>,
}

/// The rows and weights of a shape.
pub struct Given {
    m: usize,
    k: usize,
    n: usize,
    x: Vec<f32>,
    w: Vec<f32>,
    x_bytes: Vec<u8>,
    w_bytes: Vec<i8>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut onednn, mut file, mut shapes) = (None, None, SHAPES.to_vec());
    while let Some(argument) = arguments.next() {
        if argument == "--figure" {
            let (rows, layers) = FIGURE;
            shapes = layers.into_iter().flat_map(|size| rows.map(|m| (m, size, size))).collect();
        } else if argument == "--onednn" {
            onednn = Some(arguments.next().expect("--onednn has a file"));
        } else {
            file = Some(argument);
        }
    }
    let onednn = onednn.map(|path| peers::OneDnn::open(&path));
    let peaks = KINDS.map(|(number, _, _)| peak(number) / 1e9);
    let named: Vec<_> = KINDS.iter().zip(peaks).map(|((_, name, _), peak)| format!("{name} {peak:.0}")).collect();
    println!("{}; peak GOP/s: {}\n", instruction_set(), named.join(", "));
    println!("| M, K, N | product | GOP/s | of peak | GB/s of weights | of what is read |\n|---|---|---|---|---|---|");
    let rows: Vec<Value> = shapes.into_iter().flat_map(|shape| measure(shape, onednn.as_ref(), peaks)).collect();
    let report = json!({
        "instruction_set": instruction_set().to_string(),
        "peak_gops": KINDS.iter().zip(peaks).map(|((_, name, _), peak)| json!({ *name: peak })).collect::<Vec<_>>(),
        "rows": rows,
    });
    if let Some(file) = file {
        std::fs::write(&file, serde_json::to_string_pretty(&report).expect("JSON") + "\n")
            .expect("cannot write the JSON");
    }
}

/// Measures all products of a shape, and prints a line for each.
fn measure((m, k, n): (usize, usize, usize), onednn: Option<&peers::OneDnn>, peaks: [f64; 4]) -> Vec<Value> {
    let value = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 50.0;
    let given = Given {
        m,
        k,
        n,
        x: (0..m * k).map(value).collect(),
        w: (0..k * n).map(value).collect(),
        x_bytes: (0..m * k).map(|i| (i * 37 % 251) as u8).collect(),
        w_bytes: (0..k * n).map(|i| (i * 37 % 251) as u8 as i8).collect(),
    };
    let mut contenders = ours(&given);
    contenders.extend(peers::all(&given, onednn));
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..3 {
        for (contender, best) in contenders.iter_mut().zip(&mut best) {
            *best = best.min(seconds_of(&mut contender.call));
        }
    }
    let row = |contender: &Contender<'_>, seconds: f64| {
        let gops = 2.0 * (m * k * n) as f64 / seconds / 1e9;
        let kind = KINDS.iter().position(|(number, _, _)| *number == contender.number).expect("a kind");
        let (peak, bytes) = (peaks[kind], KINDS[kind].2 * k * n);
        let read = bytes as f64 / seconds / 1e9;
        let of_read = read / (read_bandwidth(bytes) / 1e9);
        let share = gops / peak;
        println!(
            "| {m}, {k}, {n} | {} | {gops:.0} | {:.0} % | {read:.0} | {:.0} % |",
            contender.name,
            share * 100.0,
            of_read * 100.0
        );
        json!({
            "m": m, "k": k, "n": n, "product": contender.name, "seconds": seconds, "gops": gops, "share_of_peak": share,
            "weights_gb_per_second": read, "share_of_read_bandwidth": of_read,
        })
    };
    contenders.iter().zip(best).map(|(contender, seconds)| row(contender, seconds)).collect()
}

fn ours(given: &Given) -> Vec<Contender<'_>> {
    KINDS.into_iter().flat_map(|(number, name, _)| ours_of(given, number, name)).collect()
}

/// The product of rows that are rounded already, and, where rows are rounded, the whole.
fn ours_of<'a>(given: &'a Given, number: Precision, name: &str) -> Vec<Contender<'a>> {
    let &Given { m, k, n, .. } = given;
    let x = Matrix::from_vec(m, k, given.x.clone());
    let pack = || PackedMatrix::pack(number, &given.w, k, n, WeightOrder::InputsByOutputs);
    let (weights, mut out) = (pack(), Matrix::new());
    // It lives as long as the program: a row is rounded once and read by many products.
    let (storage, rows) = (Box::leak(Box::<ProductStorage>::default()), Box::leak(Box::new(x.clone())));
    let operand: Operand<'static> = storage.operand(rows, number);
    let alone = move || product(black_box(operand), &weights, Epilogue::default(), &mut out);
    let (weights, mut out, bias, mut storage) = (pack(), Matrix::new(), vec![0.5; n], ProductStorage::default());
    let whole = move || {
        let epilogue = Epilogue { bias: Some(&bias), activation: Activation::Relu, ..Epilogue::default() };
        product(storage.operand(black_box(&x), number), &weights, epilogue, &mut out);
    };
    vec![
        Contender { name: format!("metaphrase {name}"), number, call: Box::new(alone) },
        Contender { name: format!("metaphrase {name}, whole"), number, call: Box::new(whole) },
    ]
}

/// The fastest of many rounds, divided by the products in it; rounds are shorter than a scheduler's slice, so that on a
/// shared machine some are undisturbed.
fn seconds_of(call: &mut dyn FnMut()) -> f64 {
    let mut round = |times: usize| {
        let start = Instant::now();
        for _ in 0..times {
            call();
        }
        start.elapsed().as_secs_f64() / times as f64
    };
    let once = round(2).max(1e-7);
    let times = (3e-4 / once).clamp(1.0, 1e5) as usize;
    (0..60).map(|_| round(times)).fold(f64::INFINITY, f64::min)
}

//! All operations on the emulator, or on a GPU ([`Cuda::for_tests`]), against the CPU: odd shapes, empty spans, rows
//! longer than a block.

use metaphrase_cuda::Cuda;
use metaphrase_device::*;
use metaphrase_kernels::Matrix;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Numbers between -1 and 1 that depend on the seed.
fn numbers(seed: u64, rows: usize, cols: usize) -> Matrix {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    Matrix::from_vec(rows, cols, (0..rows * cols).map(|_| next()).collect())
}

fn random<D: Device>(device: &mut D, seed: u64, (rows, cols): (usize, usize)) -> D::Matrix {
    device.upload(&numbers(seed, rows, cols))
}

fn fresh<D: Device>(device: &mut D, (rows, cols): (usize, usize)) -> D::Matrix {
    device.take(rows, cols)
}

fn spans(ranges: &[Range<usize>]) -> Spans {
    ranges.into()
}

fn assert_near(name: &str, got: &[Matrix], expected: &[Matrix]) {
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!((got.rows(), got.cols()), (expected.rows(), expected.cols()));
        for (at, (&g, &e)) in got.as_slice().iter().zip(expected.as_slice()).enumerate() {
            assert!((g - e).abs() <= 2e-5 * (1.0 + e.abs()), "{name}, result {i}[{at}]: {g}, on the CPU {e}");
        }
    }
}

/// Runs a body, which returns downloaded matrices, on the CPU and on the device, there with threads in both orders:
/// both orders have to give the same bits.
macro_rules! check {
    ($name:expr, |$device:ident| $body:expr) => {{
        let mut host = Host::default();
        let expected: Vec<Matrix> = {
            let $device = &mut host;
            $body
        };
        let emulated = [false, true].map(|reversed| {
            let mut cuda = Cuda::for_tests(reversed);
            let results: Vec<Matrix> = {
                let $device = &mut cuda;
                $body
            };
            cuda.check().expect("no failure");
            results
        });
        assert_near($name, &emulated[0], &expected);
        assert!(emulated[0] == emulated[1], "{}: the order of threads shows", $name);
    }};
}

/// One number, one row, a few rows, rows longer than a block has threads.
const SHAPES: [(usize, usize); 5] = [(0, 3), (1, 1), (1, 40), (9, 33), (11, 300)];

#[test]
fn elementwise() {
    check!("the sum of many rows", |d| {
        let (x, mut sum) = (random(d, 1, (700, 35)), random(d, 2, (1, 35)));
        d.add_all_rows(&x, &mut sum);
        vec![d.download(&sum)]
    });
    for shape in SHAPES {
        check!("unary", |d| {
            let x = random(d, 1, shape);
            let mut results = Vec::new();
            use Activation::{ClippedRelu, Gelu, Relu, Sigmoid, Swish, Tanh};
            let factor = d.upload(&Matrix::from_vec(shape.0, shape.1, vec![20.0; shape.0 * shape.1]));
            for f in [Activation::None, Relu, Tanh, Sigmoid, Swish, Gelu, ClippedRelu] {
                let (mut y, mut grad) = (random(d, 1, shape), random(d, 2, shape));
                if f == ClippedRelu {
                    d.mul(&mut y, &factor);
                }
                d.activate(f, &mut y);
                d.derive(f, &x, &y, &mut grad);
                results.extend([d.download(&y), d.download(&grad)]);
            }
            let mut copied = fresh(d, shape);
            d.copy(&x, &mut copied);
            results.push(d.download(&copied));
            results
        });
        check!("binary", |d| {
            let [a, b, c] = [1, 2, 3].map(|seed| random(d, seed, shape));
            let [mut sum, mut product, mut rest, mut difference] = [4, 5, 6, 7].map(|seed| random(d, seed, shape));
            let [mut new, mut mixed] = [(); 2].map(|()| fresh(d, shape));
            let mut weighted = random(d, 8, shape);
            d.weighted_sum(&mut weighted, &a, [0.25, -3.0]);
            let mut of_both = fresh(d, shape);
            d.sum_of(&a, &b, &mut of_both);
            d.add(&mut sum, &a);
            d.mul(&mut sum, &b);
            d.add_product(&a, &b, &mut product, false);
            d.add_product(&a, &b, &mut new, true);
            d.add_rest(&a, &b, &mut rest);
            d.add_difference(&a, &b, &c, &mut difference);
            d.mix(&a, &b, &c, &mut mixed);
            [&of_both, &sum, &product, &new, &rest, &difference, &mixed, &weighted].map(|m| d.download(m)).to_vec()
        });
        check!("rows", |d| {
            let (a, row) = (random(d, 1, shape), random(d, 3, (1, shape.1)));
            let (mut sum, mut y) = (random(d, 4, (1, shape.1)), random(d, 6, shape));
            let mut repeated = fresh(d, shape);
            d.add_row(&mut y, &row);
            d.add_all_rows(&a, &mut sum);
            d.repeat(&row, &mut repeated);
            [&y, &sum, &repeated].map(|m| d.download(m)).to_vec()
        });
        check!("dropout", |d| {
            let mask = Mask { key: 0x1234_5678, threshold: 1 << 30, scale: 4.0 / 3.0 };
            let (x, mut sum) = (random(d, 1, shape), random(d, 2, shape));
            let [mut y, mut with_sum, mut factors, mut rows] = [(); 4].map(|()| fresh(d, shape));
            d.drop(mask, &x, &mut y);
            d.sum_with_dropped(mask, &x, &sum, &mut with_sum);
            d.add_dropped(mask, &x, &mut sum);
            d.mask(mask, &mut factors);
            d.row_mask(mask, &mut rows);
            [&y, &with_sum, &sum, &factors, &rows].map(|m| d.download(m)).to_vec()
        });
    }
}

#[test]
fn moved_rows() {
    for cols in [1, 5, 300] {
        check!("lookup and gather", |d| {
            let table = random(d, 1, (6, cols));
            let ids = [Some(4), None, Some(0), Some(4), Some(4), Some(5)];
            let [mut looked_up, mut gathered] = [(); 2].map(|()| fresh(d, (6, cols)));
            d.lookup(&table, &ids, 1.7, &mut looked_up);
            let rows = [5, 5, 0, 2, 5, 1];
            d.gather(&table, &rows, &mut gathered);
            let [mut sum, mut other] = [2, 3].map(|seed| random(d, seed, (6, cols)));
            d.add_looked_up(&looked_up, &ids, 1.7, &mut sum);
            d.add_gathered(&gathered, &rows, &mut other);
            d.add_looked_up(&looked_up, &[None; 6], 1.0, &mut other);
            [&looked_up, &gathered, &sum, &other].map(|m| d.download(m)).to_vec()
        });
        check!("a row that is chosen many times", |d| {
            let grad = random(d, 1, (300, cols));
            let ids: Vec<_> = (0..300).map(|i| if i % 3 == 0 { Some(i as u32 % 7) } else { Some(2) }).collect();
            let mut sum = random(d, 2, (7, cols));
            d.add_looked_up(&grad, &ids, 0.7, &mut sum);
            vec![d.download(&sum)]
        });
        check!("means", |d| {
            let x = random(d, 1, (7, cols));
            let spans = spans(&[0..3, 3..3, 3..4, 5..7, 2..6]);
            let mut y = fresh(d, (5, cols));
            d.means(&x, &spans, &mut y);
            let mut sum = random(d, 2, (7, cols));
            d.add_to_means(&y, &spans, &mut sum);
            vec![d.download(&y), d.download(&sum)]
        });
        check!("scans", |d| {
            let spans = spans(&[0..3, 3..3, 3..4, 4..9]);
            let [f, x, grad] = [1, 2, 3].map(|seed| random(d, seed, (9, cols)));
            let [mut y, mut by_f, mut means] = [(); 3].map(|()| fresh(d, (9, cols)));
            let [mut sum, mut by_means] = [4, 5].map(|seed| random(d, seed, (9, cols)));
            d.leaky_sum(&f, &x, &spans, &mut y);
            d.leaky_sum_backward([&f, &x, &y], &spans, &grad, &mut by_f, &mut sum);
            d.running_mean(&x, &spans, &mut means);
            d.running_mean_backward(&spans, &grad, &mut by_means);
            [&y, &by_f, &sum, &means, &by_means].map(|m| d.download(m)).to_vec()
        });
    }
    check!("blocks", |d| {
        let (x, mut y) = (random(d, 1, (7, 9)), random(d, 2, (5, 4)));
        d.copy_block(&x, &mut y, Block { rows: 2, cols: 3, from: (4, 6), to: (1, 0) });
        d.add_block(&x, &mut y, Block { rows: 5, cols: 1, from: (2, 0), to: (0, 3) });
        d.add_block(&x, &mut y, Block { rows: 0, cols: 4, from: (7, 0), to: (5, 0) });
        vec![d.download(&y)]
    });
}

#[test]
fn normalisation() {
    for shape in [(1, 1), (1, 40), (9, 33), (5, 300)] {
        for centred in [false, true] {
            check!("normalisation", |d| {
                let normal = Normal { epsilon: 1e-3, centred };
                let (x, grad) = (random(d, 1, shape), random(d, 2, shape));
                let (scale, bias) = (random(d, 3, (1, shape.1)), random(d, 4, (1, shape.1)));
                let mut with_bias = fresh(d, shape);
                d.normalise(&x, &scale, centred.then_some(&bias), normal, &mut with_bias);
                let (mut sum, mut scale_sum) = (random(d, 5, shape), random(d, 6, (1, shape.1)));
                d.normalise_backward([&x, &scale, &grad], normal, &mut sum, false, &mut scale_sum);
                let mut new = fresh(d, shape);
                d.normalise_backward([&x, &scale, &grad], normal, &mut new, true, &mut scale_sum);
                [&with_bias, &sum, &new, &scale_sum].map(|m| d.download(m)).to_vec()
            });
        }
    }
}

#[test]
fn attention() {
    let mask = Mask { key: 77, threshold: 1 << 30, scale: 4.0 / 3.0 };
    for (heads, dim, width) in [(1, 3, 5), (2, 4, 4), (3, 70, 2)] {
        for (causal, mask, guided) in [(false, None, false), (true, Some(mask), false), (false, Some(mask), true)] {
            check!("attention", |d| {
                // The second sentence has no keys, the fourth no queries; the last has one of each.
                let queries = [0..4, 4..4, 4..6, 6..6, 6..7];
                let keys = if causal { [0..4, 4..4, 4..6, 6..9, 9..10] } else { [0..2, 2..2, 2..6, 6..9, 9..10] };
                let settings = HeadsAttention {
                    heads,
                    queries: spans(&queries),
                    keys: spans(&keys),
                    causal,
                    scale: None,
                    dropout: 0.25,
                };
                let [q, k, v, grad] = [(7, dim), (10, dim), (10, width), (7, width)]
                    .map(|(rows, cols)| random(d, (rows * cols) as u64, (rows, heads * cols)));
                let mut weights = fresh(d, (1, settings.weights()));
                let mut y = fresh(d, (7, heads * width));
                let inputs = || AttentionInputs { inputs: [&q, &k, &v], settings: &settings, mask };
                d.attend(inputs(), &mut weights, &mut y);
                let guide = random(d, 9, (1, settings.weights()));
                let mut by_inputs = [&q, &k, &v].map(|m| d.zeros(m.rows(), m.cols()));
                d.attend_backward(inputs(), &weights, guided.then_some(&guide), &grad, &mut by_inputs);
                let [by_q, by_k, by_v] = &by_inputs;
                [&weights, &y, by_q, by_k, by_v].map(|m| d.download(m)).to_vec()
            });
        }
    }
}

/// Sentences that are longer than a tile of the kernels.
#[test]
fn attention_of_long_sentences() {
    for causal in [false, true] {
        check!("attention", |d| {
            let queries = spans(&[0..70, 70..71, 71..104]);
            let keys = if causal { queries.clone() } else { spans(&[0..33, 33..100, 100..104]) };
            let settings = HeadsAttention { heads: 2, queries, keys, causal, scale: Some(0.7), dropout: 0.25 };
            let mask = Some(Mask { key: 77, threshold: 1 << 30, scale: 4.0 / 3.0 });
            let [q, k, v, grad] = [1, 2, 3, 4].map(|seed| random(d, seed, (104, 6)));
            let inputs = || AttentionInputs { inputs: [&q, &k, &v], settings: &settings, mask };
            let (mut weights, mut y) = (fresh(d, (1, settings.weights())), fresh(d, (104, 6)));
            d.attend(inputs(), &mut weights, &mut y);
            let mut by_inputs = [(); 3].map(|()| d.zeros(104, 6));
            d.attend_backward(inputs(), &weights, None, &grad, &mut by_inputs);
            let [by_q, by_k, by_v] = &by_inputs;
            [&weights, &y, by_q, by_k, by_v].map(|m| d.download(m)).to_vec()
        });
    }
}

#[test]
fn additive_attention() {
    for (n, m, guided) in [(1, 1, false), (7, 5, true), (300, 290, false)] {
        check!("additive attention", |d| {
            // Spans overlap, one is empty, and words 8 and 9 belong to none.
            let spans = spans(&[0..3, 0..3, 3..3, 2..8, 7..8]);
            let [queries, keys, values, v, grad] = [(5, n), (10, n), (10, m), (n, 1), (5, m)]
                .map(|(rows, cols)| random(d, (rows + cols) as u64, (rows, cols)));
            let inputs = AdditiveInputs { queries: &queries, keys: &keys, values: &values, v: &v, spans: &spans };
            let [mut weights, mut energies] = [(); 2].map(|()| fresh(d, (1, 13)));
            let mut y = fresh(d, (5, m));
            d.additive(inputs, &mut weights, &mut y);
            let guide = random(d, 9, (1, 13));
            d.additive_energies(inputs, &weights, guided.then_some(&guide), &grad, &mut energies);
            let [mut values_sum, mut keys_sum, mut v_sum, mut queries_sum] =
                [(10, m), (10, n), (n, 1), (5, n)].map(|shape| random(d, 3, shape));
            d.add_to_additive_values(&spans, &weights, &grad, &mut values_sum);
            d.add_to_additive_keys(inputs, &energies, &mut keys_sum, &mut v_sum, &mut queries_sum);
            let results = [&weights, &y, &energies, &values_sum, &keys_sum, &v_sum, &queries_sum];
            results.map(|m| d.download(m)).to_vec()
        });
    }
}

#[test]
fn cells() {
    for (rows, dim) in [(0, 3), (1, 1), (5, 7), (3, 100)] {
        check!("gru", |d| {
            let shape = (rows, dim);
            let [a_gates, a_candidate] = [2, 1].map(|n| random(d, n, (rows + 3, n as usize * dim)));
            let [u_gates, u_candidate] = [2, 1].map(|n| random(d, n + 5, (rows, n as usize * dim)));
            let (previous, grad) = (random(d, 8, shape), random(d, 9, shape));
            let mut gates = fresh(d, (rows, 3 * dim));
            let mut y = fresh(d, shape);
            let (input, state) = ([&a_gates, &a_candidate], [&u_gates, &u_candidate]);
            d.gru(GruForward { input, from: 2, state, previous: &previous }, &mut gates, &mut y);
            let [mut by_gates, mut by_candidate, mut by_state] = [2, 1, 1].map(|n| fresh(d, (rows, n * dim)));
            let inputs = GruBackward { gates: &gates, candidate: &u_candidate, previous: &previous };
            d.gru_backward(inputs, &grad, &mut by_gates, &mut by_candidate, &mut by_state);
            let mut sum = random(d, 10, shape);
            d.add_kept(&grad, &gates, &mut sum);
            [&gates, &y, &by_gates, &by_candidate, &by_state, &sum].map(|m| d.download(m)).to_vec()
        });
        check!("lstm", |d| {
            let shape = (rows, dim);
            let (a, u) = (random(d, 1, (rows + 2, 4 * dim)), random(d, 2, (rows, 4 * dim)));
            let (before, grad) = (random(d, 3, shape), random(d, 4, shape));
            let [mut memory, mut y, mut by_before, mut by_memory] = [(); 4].map(|()| fresh(d, shape));
            let [mut by_sums, mut by_output] = [(); 2].map(|()| fresh(d, (rows, 4 * dim)));
            let inputs = |memory| Lstm { a: &a, from: 1, u: &u, memory };
            d.lstm_memory(inputs(&before), &mut memory);
            d.lstm_memory_backward(inputs(&before), &grad, &mut by_sums, &mut by_before);
            d.lstm_output(inputs(&memory), &mut y);
            d.lstm_output_backward(inputs(&memory), &y, &grad, &mut by_output, &mut by_memory);
            [&memory, &y, &by_sums, &by_before, &by_output, &by_memory].map(|m| d.download(m)).to_vec()
        });
    }
}

fn add_loss<D: Device>(_: &D, loss: f64, losses: &mut D::Unread) {
    D::add_loss(loss, losses);
}

#[test]
fn losses() {
    for (cols, smoothing, derive) in [(5, 0.0, true), (300, 0.1, true), (33, 0.1, false)] {
        check!("losses", |d| {
            let mut logits = random(d, 1, (4, cols));
            let loss = WordLoss { smoothing, self_normalisation: 0.3, weight: 0.25 };
            // Two launches, and a loss that belongs to no word.
            let mut unread = Default::default();
            d.losses(&mut logits, &[0, 4, 2, 2], loss, derive, &mut unread);
            let (mut others, plain) = (random(d, 2, (1, 7)), WordLoss { smoothing: 0.0, ..loss });
            d.losses(&mut others, &[6], plain, derive, &mut unread);
            add_loss(d, 0.5, &mut unread);
            let WordLosses { loss, log_probs, log_z } = d.read_losses(unread);
            let word_losses = [log_probs, log_z].concat();
            vec![d.download(&logits), Matrix::from_vec(1, 10, word_losses), Matrix::from_vec(1, 1, vec![loss as f32])]
        });
    }
}

/// The derivatives that a product in bf16 reads.
#[test]
fn products_of_derivatives() {
    check!("losses", |d| {
        d.set_precision(TrainingPrecision::Bf16);
        let (mut logits, x, mut sum) = (random(d, 1, (3, 301)), random(d, 2, (3, 4)), random(d, 3, (301, 4)));
        let loss = WordLoss { smoothing: 0.1, self_normalisation: 0.0, weight: 1.0 };
        let mut unread = Default::default();
        d.losses(&mut logits, &[300, 4, 2], loss, true, &mut unread);
        d.transposed_product_add(&logits, &x, &mut sum);
        d.read_losses(unread);
        vec![d.download(&sum)]
    });
}

/// Operations that write their results in both precisions.
#[test]
fn products_of_results() {
    check!("results", |d| {
        d.set_precision(TrainingPrecision::Bf16);
        let shape = (5, 33);
        let [x, scale, other] = [(1, shape), (2, (1, 33)), (3, (5, 2))].map(|(seed, shape)| random(d, seed, shape));
        let mask = Mask { key: 0x1234_5678, threshold: 1 << 30, scale: 4.0 / 3.0 };
        let [mut dropped, mut normalised] = [(); 2].map(|()| fresh(d, shape));
        let [mut relu, mut added, mut grad] = [4, 5, 6].map(|seed| random(d, seed, shape));
        d.drop(mask, &x, &mut dropped);
        d.add_dropped(mask, &x, &mut added);
        d.normalise(&x, &scale, None, Normal { epsilon: 1e-3, centred: true }, &mut normalised);
        d.activate(Activation::Relu, &mut relu);
        d.derive(Activation::Relu, &x, &relu, &mut grad);
        let results = [&dropped, &added, &normalised, &relu, &grad];
        results
            .map(|result| {
                let mut sum = d.zeros(33, 2);
                d.transposed_product_add(result, &other, &mut sum);
                d.download(&sum)
            })
            .to_vec()
    });
}

/// On both devices: x · W with bias and function, and the ways back, for maps both ways round.
#[test]
fn products() {
    for precision in [TrainingPrecision::F32, TrainingPrecision::Bf16] {
        for (rows, inputs, outputs) in [(1, 1, 1), (5, 7, 3), (33, 20, 41)] {
            for transposed in [false, true] {
                let shape = if transposed { (outputs, inputs) } else { (inputs, outputs) };
                let w = numbers(1, shape.0, shape.1);
                let mut host = Host::default();
                host.set_precision(precision);
                let expected = products_on(&mut host, &Parameter::new(w.clone()), transposed, (rows, inputs, outputs));
                let mut cuda = Cuda::for_tests(false);
                cuda.set_precision(precision);
                let parameter = cuda.upload(&w);
                let got = products_on(&mut cuda, &parameter, transposed, (rows, inputs, outputs));
                assert_near("products", &got, &expected);
                cuda.check().expect("no failure");
            }
        }
    }
}

fn products_on<D: Device>(
    d: &mut D,
    parameter: &D::Parameter,
    transposed: bool,
    (rows, inputs, outputs): (usize, usize, usize),
) -> Vec<Matrix> {
    let (x, grad, bias) = (random(d, 2, (rows, inputs)), random(d, 3, (rows, outputs)), random(d, 4, (1, outputs)));
    let [mut y, mut plain] = [(); 2].map(|()| fresh(d, (rows, outputs)));
    let map = || Weight { parameter, transposed };
    d.linear(&x, map(), Some(&bias), Activation::Tanh, &mut y);
    d.linear(&x, map(), None, Activation::None, &mut plain);
    let (mut new, mut sum) = (fresh(d, (rows, inputs)), random(d, 5, (rows, inputs)));
    let back = || Weight { parameter, transposed: !transposed };
    d.product_add(&grad, back(), &mut new, true);
    d.product_add(&grad, back(), &mut sum, false);
    let mut gradient = random(d, 6, (inputs, outputs));
    d.transposed_product_add(&x, &grad, &mut gradient);
    [&y, &plain, &new, &sum, &gradient].map(|m| d.download(m)).to_vec()
}

/// A factor is rounded once: after it has changed, products see its new numbers.
#[test]
fn products_see_changed_factors() {
    check!("products", |d| {
        d.set_precision(TrainingPrecision::Bf16);
        let (mut x, mut y) = (random(d, 1, (5, 7)), random(d, 2, (5, 3)));
        let mut products = Vec::new();
        for change in [1.0, 3.0, -2.0] {
            let copy = random(d, 3, (5, 7));
            d.weighted_sum(&mut x, &copy, [change, 0.5]);
            d.write(&numbers(change as u64, 5, 3), &mut y);
            let mut sum = d.zeros(7, 3);
            (0..2).for_each(|_| d.transposed_product_add(&x, &y, &mut sum));
            d.clear(&mut y);
            d.transposed_product_add(&x, &y, &mut sum);
            products.push(d.download(&sum));
        }
        products
    });
}

/// The numbers of parameters, means and smoothed parameters after three updates, and the norms of the gradients.
fn updates_on<D: Device>(d: &mut D, change: Change, wanted: [bool; 3]) -> Vec<Matrix> {
    let shapes = [(3, 700), (1, 40), (0, 3), (90, 100)];
    let all = |d: &mut D, seed: u64| shapes.map(|shape| random(d, seed, shape)).into_iter().collect::<Vec<_>>();
    let mut parameters: Vec<_> = shapes.map(|(rows, cols)| d.parameter(numbers(1, rows, cols))).into_iter().collect();
    // A number that is not finite stays one.
    let mut broken = numbers(1, 3, 700);
    broken.as_mut_slice()[5] = f32::NAN;
    d.write(&broken, D::value_mut(&mut parameters[0]));
    let mut state = wanted.map(|wanted| if wanted { all(d, 2) } else { Vec::new() });
    for matrix in state.iter_mut().take(2).flatten() {
        d.clear(matrix); // means begin at zero
    }
    let shards = std::slice::from_mut(d);
    let mut results = Vec::new();
    for seed in 3..6 {
        let mut gradients = [all(&mut shards[0], seed), all(&mut shards[0], seed + 10)];
        let norm = D::sum(shards, gradients.iter_mut().map(|all| &mut all[..]).collect());
        results.push(Matrix::from_vec(1, 1, vec![norm]));
        let [first, second, smoothed] = &mut state;
        let trained = UpdateMatrices { parameters: &mut parameters, gradients: &gradients[0], first, second, smoothed };
        D::update(shards, &[change; 4], trained);
    }
    let values = parameters.iter().map(D::value).chain(state.iter().flatten());
    results.extend(values.map(|matrix| shards[0].download(matrix)));
    for value in results.iter_mut().flat_map(Matrix::as_mut_slice).filter(|value| value.is_nan()) {
        *value = 77.0; // which no result is
    }
    results
}

#[test]
fn updates() {
    let adam = Adam { beta: [0.9, 0.98], correction: [10.0, 50.0], epsilon: 1e-9, weight_decay: 0.1 };
    let adadelta = Adadelta { rho: 0.95, epsilon: 1e-6 };
    for (rule, means) in [(Rule::Sgd, false), (Rule::Adam(adam), true), (Rule::Adadelta(adadelta), true)] {
        for (clip_weights, smoothed) in [(0.0, false), (0.25, true)] {
            let change = Change { rule, rate: 0.1, clip: 0.5, clip_weights, kept: 0.75 };
            check!("updates", |d| updates_on(d, change, [means, means, smoothed]));
        }
    }
}

/// Products read a parameter's new numbers, and long matrices are cleared to their ends.
#[test]
fn products_see_updates() {
    check!("products", |d| {
        d.set_precision(TrainingPrecision::Bf16);
        let mut parameters = [d.parameter(numbers(1, 90, 101)), d.parameter(numbers(2, 1, 5))];
        let mut gradients = [random(d, 3, (90, 101)), random(d, 4, (1, 5))];
        let x = random(d, 5, (2, 90));
        let mut products = Vec::new();
        for rate in [0.1, 0.2] {
            let mut y = fresh(d, (2, 101));
            d.linear(&x, Weight { parameter: &parameters[0], transposed: false }, None, Activation::None, &mut y);
            products.push(d.download(&y));
            let change = Change { rule: Rule::Sgd, rate, clip: 1.0, clip_weights: 0.0, kept: 0.0 };
            let (first, second, smoothed) = (&mut [][..], &mut [][..], &mut [][..]);
            let (parameters, gradients) = (&mut parameters[..], &gradients[..]);
            let trained = UpdateMatrices { parameters, gradients, first, second, smoothed };
            Updates::update(std::slice::from_mut(d), &[change; 2], trained);
        }
        d.clear_all(&mut gradients);
        products.extend(gradients.iter().map(|gradient| d.download(gradient)));
        products
    });
}

#[test]
fn the_norm_is_that_of_all_matrices() {
    check!("norm", |d| {
        let mut all =
            [&[1.0, 2.0][..], &[2.0], &[0.0; 999]].map(|n| d.upload(&Matrix::from_vec(1, n.len(), n.to_vec())));
        let norm = Updates::sum(std::slice::from_mut(d), vec![&mut all]);
        assert_eq!(norm, 3.0);
        let each = Updates::norms(std::slice::from_mut(d), &all.each_ref());
        assert_eq!(each, [5.0_f32.sqrt(), 2.0, 0.0]);
        vec![Matrix::from_vec(1, 1, vec![norm]), Matrix::from_vec(1, 3, each)]
    });
}

#[test]
fn times_are_those_of_the_calls() {
    let mut cuda = Cuda::for_tests(false);
    let (mut y, row) = (random(&mut cuda, 1, (9, 33)), random(&mut cuda, 2, (1, 33)));
    assert_eq!(cuda.times(), []);
    cuda.measure_times();
    (0..3).for_each(|_| cuda.add_row(&mut y, &row));
    cuda.download(&y);
    let calls = |cuda: &Cuda| cuda.times().iter().map(|times| (times.name, times.calls)).collect::<BTreeMap<_, _>>();
    assert_eq!(calls(&cuda), [("activate", 3), ("host", 4), ("read", 1)].into());
    assert!(cuda.times().is_sorted_by(|a, b| a.seconds >= b.seconds));
    cuda.measure_times();
    assert_eq!(cuda.times(), []);
}

#[test]
fn memory_is_used_again() {
    let mut cuda = Cuda::for_tests(false);
    let ids: Rc<[u32]> = Rc::new([1, 0]);
    let mut free = Vec::new();
    for _ in 0..3 {
        let (x, mut y) = (random(&mut cuda, 1, (2, 4)), fresh(&mut cuda, (2, 4)));
        cuda.gather(&x, &ids, &mut y);
        cuda.give(x);
        cuda.give(y);
        free.push(cuda.pooled());
    }
    assert_eq!(free, [free[0]; 3]);
}

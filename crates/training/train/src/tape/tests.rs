//! All derivatives against differences.

use super::*;
use crate::parameters::{Init, ParameterId};
use std::rc::Rc;

/// The tested function: of the parameters `a` and `b` (5 × 4 each), `w` (4 × 4), `v` (1 × 4).
type Body = fn(&mut Tape<'_>, TestParameters) -> Var;

#[derive(Clone, Copy)]
struct TestParameters {
    a: ParameterId,
    b: ParameterId,
    w: ParameterId,
    v: ParameterId,
}

fn parameters() -> (Parameters, TestParameters) {
    let mut parameters = Parameters::new(5);
    let mut declare = |name, rows, cols| parameters.declare(name, rows, cols, Init::Uniform(1.0));
    let named =
        TestParameters { a: declare("a", 5, 4), b: declare("b", 5, 4), w: declare("w", 4, 4), v: declare("v", 1, 4) };
    (parameters, named)
}

/// A parameter as a value: its rows in order.
fn all(tape: &mut Tape<'_>, id: ParameterId) -> Var {
    tape.lookup(id, &[0, 1, 2, 3, 4].map(Some), 1.0)
}

fn spans(ranges: &[Range<usize>]) -> Spans {
    ranges.into()
}

use std::ops::Range;

/// Σ y_i · (i + 1)/10 of the result, and its derivatives.
fn run(parameters: &Parameters, named: TestParameters, body: Body, gradients: Option<&mut Gradients>) -> f64 {
    let mut host = Host::default();
    let mut tape = Tape::new(parameters, gradients, Some(9), &mut host);
    let y = body(&mut tape, named);
    let value = tape.value(y);
    let weights: Vec<f32> = (0..value.as_slice().len()).map(|i| (i + 1) as f32 / 10.0).collect();
    let loss = value.as_slice().iter().zip(&weights).map(|(y, w)| f64::from(y * w)).sum();
    let seed = Matrix::from_vec(value.rows(), value.cols(), weights);
    tape.seed(y, seed);
    tape.backward();
    loss
}

fn check(name: &str, body: Body) {
    let (mut parameters, named) = parameters();
    let mut gradients = Gradients::new(&parameters);
    run(&parameters, named, body, Some(&mut gradients));
    let mut largest = 0.0_f64;
    for p in 0..parameters.len() {
        for i in 0..gradients.matrices()[p].as_slice().len() {
            let mut shifted = |by: f32| {
                let value = parameters.iter().nth(p).unwrap().1.as_slice()[i];
                parameters.values_mut().nth(p).unwrap().as_mut_slice()[i] = value + by;
                parameters.renew(&mut Host::threads(1));
                let loss = run(&parameters, named, body, None);
                parameters.values_mut().nth(p).unwrap().as_mut_slice()[i] = value;
                loss
            };
            const STEP: f32 = 2e-3;
            let difference = (shifted(STEP) - shifted(-STEP)) / f64::from(2.0 * STEP);
            let derivative = f64::from(gradients.matrices()[p].as_slice()[i]);
            largest = largest.max(derivative.abs());
            let error = (difference - derivative).abs();
            assert!(error < 0.01 * (1.0 + derivative.abs()), "{name}, {p}[{i}]: {derivative}, difference {difference}");
        }
    }
    assert!(largest > 0.01, "{name}: no derivative at all");
}

#[test]
fn derivatives_are_differences() {
    check("linear", |tape, n| {
        let x = all(tape, n.a);
        let tanh = tape.linear(x, n.w, Some(n.v), Activation::Tanh);
        let sigmoid = tape.linear(x, n.w, None, Activation::Sigmoid);
        tape.add(tanh, sigmoid)
    });
    check("relu", |tape, n| {
        let x = all(tape, n.a);
        tape.linear(x, n.w, Some(n.v), Activation::Relu)
    });
    check("add, mul", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let sum = tape.add(a, b);
        tape.mul(sum, a)
    });
    check("add_row", |tape, n| {
        let a = all(tape, n.a);
        tape.add_row(a, n.v)
    });
    check("activate", |tape, n| {
        let a = all(tape, n.a);
        let tanh = tape.activate(a, Activation::Tanh);
        tape.activate(tanh, Activation::Sigmoid)
    });
    check("swish", |tape, n| {
        let a = all(tape, n.a);
        tape.activate(a, Activation::Swish)
    });
    check("gelu", |tape, n| {
        let a = all(tape, n.a);
        tape.activate(a, Activation::Gelu)
    });
    check("mix", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let gate = tape.activate(b, Activation::Sigmoid);
        tape.mix(gate, a, b)
    });
    check("gather, slice, columns", |tape, n| {
        let a = all(tape, n.a);
        let gathered = tape.gather(a, Rc::new([4, 0, 4, 2]));
        let sliced = tape.slice(gathered, 1..3);
        tape.columns(sliced, 1..4)
    });
    check("stack, join, repeat", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let v = tape.repeat(n.v, 5);
        let stacked = tape.stack(&[a, b, v]);
        let other = tape.stack(&[v, a, a]);
        tape.join(&[stacked, other])
    });
    check("layer_norm", |tape, n| {
        let a = all(tape, n.a);
        tape.layer_norm(a, n.v, Some(n.v), 1e-3)
    });
    check("rms_norm", |tape, n| {
        let a = all(tape, n.a);
        tape.rms_norm(a, n.v, 1e-3)
    });
    check("dropout", |tape, n| {
        let a = all(tape, n.a);
        tape.dropout(a, 0.4)
    });
    check("dropout with a skip connection", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        tape.add_dropped(a, b, 0.4)
    });
    for causal in [false, true] {
        check("attention", if causal { attend::<true> } else { attend::<false> });
    }
    check("additive attention", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let keys = tape.linear(b, n.w, None, Activation::None);
        let spans = Rc::new([0..2, 0..2, 2..5, 0..2, 2..5]);
        tape.additive_attention(AdditiveAttention { queries: a, keys, values: b, v: n.v, spans })
    });
    check("gru", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let previous = tape.columns(b, 0..2);
        let previous = tape.slice(previous, 1..4);
        let [gates, candidate, state] = [0..4, 1..3, 2..4].map(|columns| tape.columns(a, columns));
        let [u_gates, u_candidate] = [b, state].map(|x| tape.slice(x, 2..5));
        let inputs = GruInputs { input: [gates, candidate], from: 2, state: [u_gates, u_candidate], previous };
        let once = tape.gru(inputs);
        tape.gru(GruInputs { previous: once, from: 0, ..inputs })
    });
    check("lstm", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let memory = tape.columns(a, 1..2);
        let [u, memory] = [b, memory].map(|x| tape.slice(x, 2..5));
        let (output, memory) = tape.lstm(a, 1, u, memory);
        let (second, memory) = tape.lstm(a, 2, u, memory);
        tape.join(&[output, second, memory])
    });
    check("means", |tape, n| {
        let a = all(tape, n.a);
        tape.means(a, &spans(&[0..3, 3..5]))
    });
    check("leaky_sum", |tape, n| {
        let (a, b) = (all(tape, n.a), all(tape, n.b));
        let forget = tape.activate(b, Activation::Sigmoid);
        tape.leaky_sum(forget, a, &spans(&[0..3, 3..5]))
    });
    check("running_mean", |tape, n| {
        let a = all(tape, n.a);
        tape.running_mean(a, &spans(&[0..3, 3..5]))
    });
}

fn attend<const CAUSAL: bool>(tape: &mut Tape<'_>, n: TestParameters) -> Var {
    let (q, k) = (all(tape, n.a), all(tape, n.b));
    let v = tape.linear(k, n.w, None, Activation::None);
    let spans = spans(&[0..3, 3..5]);
    let dropout = if CAUSAL { 0.0 } else { 0.3 };
    let settings =
        HeadsAttention { heads: 2, queries: spans.clone(), keys: spans, causal: CAUSAL, scale: None, dropout };
    tape.attention(q, k, v, &settings)
}

/// The loss computes its derivatives itself, and so has its own check.
#[test]
fn derivatives_of_the_loss_are_differences() {
    let (mut parameters, named) = parameters();
    let mut host = Host::default();
    let layer = OutputLoss {
        table: named.b,
        bias: None,
        loss: WordLoss { smoothing: 0.1, self_normalisation: 0.5, weight: 0.7 },
    };
    let mut run = |parameters: &Parameters, gradients: Option<&mut Gradients>| {
        let mut tape = Tape::new(parameters, gradients, None, &mut host);
        let x = all(&mut tape, named.a);
        let losses = tape.output_loss(x, &[1, 0, 4, 4, 2], &layer);
        tape.backward();
        losses.loss * 0.7
    };
    let mut gradients = Gradients::new(&parameters);
    run(&parameters, Some(&mut gradients));
    for p in [named.a.index(), named.b.index()] {
        for i in 0..20 {
            let mut shifted = |by: f32| {
                let value = parameters.iter().nth(p).unwrap().1.as_slice()[i];
                parameters.values_mut().nth(p).unwrap().as_mut_slice()[i] = value + by;
                parameters.renew(&mut Host::threads(1));
                let loss = run(&parameters, None);
                parameters.values_mut().nth(p).unwrap().as_mut_slice()[i] = value;
                loss
            };
            let difference = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
            let derivative = f64::from(gradients.matrices()[p].as_slice()[i]);
            assert!((difference - derivative).abs() < 5e-3, "{p}[{i}]: {derivative}, difference {difference}");
        }
    }
}

#[test]
fn a_loss_without_smoothing_is_the_negative_log_probability() {
    let (parameters, named) = parameters();
    let mut host = Host::default();
    let mut tape = Tape::new(&parameters, None, None, &mut host);
    let x = all(&mut tape, named.a);
    let layer = OutputLoss {
        table: named.b,
        bias: None,
        loss: WordLoss { smoothing: 0.0, self_normalisation: 0.0, weight: 1.0 },
    };
    let losses = tape.output_loss(x, &[1, 0, 4, 4, 2], &layer);
    let sum: f64 = losses.log_probs.iter().map(|&p| f64::from(p)).sum();
    assert!((losses.loss + sum).abs() < 1e-6);
}

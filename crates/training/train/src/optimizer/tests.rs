#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::parameters::{Init, ParameterId};

const ADAM: Method = Method::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-9, weight_decay: 0.0 };
const MUON: Method = Method::Muon { momentum: 0.95, steps: 5, adam_share: 0.2 };
const ADADELTA: Method = Method::Adadelta { rho: 0.95, epsilon: 1e-6 };

fn settings(method: Method, rate: f32) -> OptimizerSettings {
    let schedule = Schedule { rate, ..Schedule::default() };
    OptimizerSettings { method, schedule, clip_norm: 0.0, ..OptimizerSettings::default() }
}

/// One number, 0.5 at first, after these gradients.
fn one_number(settings: OptimizerSettings, gradients: &[f32]) -> (f32, Optimizer) {
    let mut parameters = Parameters::new(0);
    let id = parameters.declare("p", 1, 1, Init::Constant(0.5));
    let mut shards = Host::threads(2);
    let mut optimizer = Optimizer::new(settings, &parameters, &mut shards[0]);
    for &gradient in gradients {
        let mut all = [Gradients::new(&parameters)];
        all[0].matrices_mut()[0].as_mut_slice()[0] = gradient;
        let norm = Optimizer::sum(&mut shards, &mut all);
        optimizer.update(&mut shards, &mut parameters, &mut all[0], norm);
    }
    (parameters.value(id).as_slice()[0], optimizer)
}

/// Two matrices, one of more than a chunk, with the loss Σ cᵢ/2 · (pᵢ - tᵢ)².
struct Quadratic {
    parameters: Parameters,
    optimizer: Optimizer,
    ids: [ParameterId; 2],
}

impl Quadratic {
    fn new(settings: OptimizerSettings) -> Self {
        let mut parameters = Parameters::new(1);
        let ids = [("small", 3), ("large", 40)].map(|(name, rows)| parameters.declare(name, rows, 2000, Init::Glorot));
        let optimizer = Optimizer::new(settings, &parameters, &mut Host::default());
        Self { parameters, optimizer, ids }
    }

    /// c and t of the number at `i`.
    fn bowl(i: usize) -> (f32, f32) {
        (1.0 + (i % 5) as f32, (i % 7) as f32 / 7.0 - 0.5)
    }

    fn update(&mut self, threads: usize) -> Step {
        let mut gradients = [Gradients::new(&self.parameters)];
        for id in self.ids {
            let values = self.parameters.value(id).as_slice();
            let all = gradients[0].get_mut(id).as_mut_slice();
            for (i, (gradient, p)) in all.iter_mut().zip(values).enumerate() {
                let (c, t) = Self::bowl(i);
                *gradient = c * (p - t);
            }
        }
        let mut shards = Host::threads(threads);
        let norm = Optimizer::sum(&mut shards, &mut gradients);
        self.optimizer.update(&mut shards, &mut self.parameters, &mut gradients[0], norm)
    }

    /// The greatest |pᵢ - tᵢ|.
    fn distance(&self) -> f32 {
        let all = self.ids.iter().flat_map(|&id| self.parameters.value(id).as_slice().iter().enumerate());
        all.map(|(i, p)| (p - Self::bowl(i).1).abs()).fold(0.0, f32::max)
    }

    fn bits(&mut self) -> Vec<u32> {
        let state = self.optimizer.state_mut().into_iter().flat_map(|(_, matrices)| &*matrices);
        let values = self.parameters.iter().map(|(_, value)| value);
        values.chain(state).flat_map(|matrix| matrix.as_slice().iter().map(|v| v.to_bits())).collect()
    }
}

#[test]
fn each_method_finds_the_least() {
    let falling = |method, rate, to| OptimizerSettings {
        schedule: Schedule { rate, warmup: 10, decay: Decay::Linear { to } },
        ..settings(method, rate)
    };
    let all = [
        (settings(Method::Sgd, 0.3), 50),
        (falling(ADAM, 0.05, 200), 200),
        (falling(ADADELTA, 1.0, 600), 600),
        (falling(MUON, 0.05, 400), 400),
    ];
    for (settings, updates) in all {
        let mut quadratic = Quadratic::new(settings);
        assert!(quadratic.distance() > 0.4);
        (0..updates).for_each(|_| {
            quadratic.update(1);
        });
        assert!(quadratic.distance() < 1e-3, "{settings:?}: {}", quadratic.distance());
    }
}

#[test]
fn restored_state_gives_the_same_bits() {
    for method in [Method::Sgd, ADAM, ADADELTA, MUON] {
        let settings = OptimizerSettings {
            schedule: Schedule { rate: 0.01, warmup: 8, decay: Decay::InverseSquareRoot { from: 8 } },
            clip_norm: 1.0,
            clip_weights: 0.4,
            smoothing: 0.01,
            ..settings(method, 0.01)
        };
        let mut whole = Quadratic::new(settings);
        (0..5).for_each(|_| {
            whole.update(2);
        });
        let mut resumed = Quadratic::new(settings);
        for id in whole.ids {
            resumed.parameters.set(id, whole.parameters.value(id)).unwrap();
        }
        resumed.optimizer.resume(whole.optimizer.updates());
        let state = resumed.optimizer.state_mut();
        for ((name, saved), (wanted, state)) in whole.optimizer.state_mut().into_iter().zip(state) {
            assert_eq!((name, saved.len()), (wanted, state.len()));
            state.clone_from_slice(saved);
        }
        for _ in 0..5 {
            assert_eq!(whole.update(2), resumed.update(1));
        }
        assert_eq!(whole.bits(), resumed.bits());
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    let settings = OptimizerSettings { smoothing: 0.01, clip_norm: 0.5, ..settings(ADAM, 0.01) };
    let run = |threads| {
        let mut quadratic = Quadratic::new(settings);
        let steps: Vec<Step> = (0..3).map(|_| quadratic.update(threads)).collect();
        (steps, quadratic.bits())
    };
    let expected = run(1);
    for threads in [2, 3, 7] {
        assert!(run(threads) == expected);
    }
}

#[test]
fn sums_of_gradients_do_not_hang_on_threads() {
    let mut parameters = Parameters::new(0);
    parameters.declare("p", 500, 500, Init::Glorot);
    let gradients = |seed: u64| {
        let mut other = Parameters::new(seed);
        other.declare("p", 500, 500, Init::Glorot);
        let mut gradients = Gradients::new(&other);
        gradients.matrices_mut()[0].as_mut_slice().copy_from_slice(other.iter().next().unwrap().1.as_slice());
        gradients
    };
    let (mut one, mut three) = ([gradients(1), gradients(2)], [gradients(1), gradients(2)]);
    let sum = |gradients: &mut [Gradients], threads| Optimizer::sum(&mut Host::threads(threads), gradients).to_bits();
    assert_eq!(sum(&mut one, 1), sum(&mut three, 3));
    assert_eq!(one[0].matrices(), three[0].matrices());
}

#[test]
fn the_norm_is_that_of_all_matrices() {
    let mut parameters = Parameters::new(0);
    let ids = ["a", "b"].map(|name| parameters.declare(name, 1, 2, Init::Constant(0.0)));
    let mut gradients = [Gradients::new(&parameters), Gradients::new(&parameters)];
    gradients[0].get_mut(ids[0]).as_mut_slice().copy_from_slice(&[1.0, 2.0]);
    gradients[1].get_mut(ids[0]).as_mut_slice().copy_from_slice(&[1.0, 0.0]);
    gradients[1].get_mut(ids[1]).as_mut_slice().copy_from_slice(&[0.0, 1.0]);
    // (2, 2) and (0, 1)
    assert_eq!(Optimizer::sum(&mut Host::threads(2), &mut gradients), 3.0);
}

#[test]
fn norms_and_weights_are_cut() {
    let sgd = OptimizerSettings { clip_norm: 1.0, ..settings(Method::Sgd, 0.1) };
    assert_eq!(one_number(sgd, &[2.0]).0, 0.4, "a gradient of norm 2, scaled to 1");
    assert_eq!(one_number(sgd, &[0.5]).0, 0.45, "one that is short enough");
    let mut parameters = Parameters::new(0);
    let ids = [("bias", 1), ("w", 2)].map(|(name, rows)| parameters.declare(name, rows, 1, Init::Constant(0.5)));
    let cut = OptimizerSettings { clip_weights: 0.25, ..settings(Method::Sgd, 0.1) };
    let mut gradients = Gradients::new(&parameters);
    let mut shards = Host::threads(1);
    Optimizer::new(cut, &parameters, &mut shards[0]).update(&mut shards, &mut parameters, &mut gradients, 0.0);
    let [bias, w] = ids.map(|id| parameters.value(id).as_slice().to_vec());
    assert_eq!((bias, w), (vec![0.5], vec![0.25; 2]), "of weights and biases only weights");
}

#[test]
fn smoothed_parameters_follow() {
    let smoothed = |gradients: &[f32]| {
        let settings = OptimizerSettings { smoothing: 0.5, ..settings(Method::Sgd, 0.1) };
        let (value, mut optimizer) = one_number(settings, gradients);
        (value, optimizer.smoothed_mut().map(|all| all[0].as_slice()[0]))
    };
    assert_eq!(smoothed(&[]).1, None);
    // Kept: min(0.5, 1/10) of 0.5, then min(0.5, 2/11).
    let (value, first) = smoothed(&[1.0]);
    assert!((value - 0.4).abs() < 1e-6 && (first.unwrap() - (0.05 + 0.9 * 0.4)).abs() < 1e-6);
    let (value, second) = smoothed(&[1.0, 1.0]);
    assert!((value - 0.3).abs() < 1e-6 && (second.unwrap() - (2.0 / 11.0 * 0.41 + 9.0 / 11.0 * 0.3)).abs() < 1e-6);
}

#[test]
fn recipes_may_leave_out_what_is_usual() {
    let read = |text: &str| metaphrase_settings::from_toml::<OptimizerSettings>(text);
    assert_eq!(read("").unwrap(), OptimizerSettings::default());
    assert_eq!(read("method = { adam = {} }").unwrap(), OptimizerSettings::default());
    assert_eq!(read("method = { adadelta = {} }").unwrap().method, ADADELTA);
    let decaying = Method::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-9, weight_decay: 0.01 };
    assert_eq!(read("method = { adam = { weight-decay = 0.01 } }").unwrap().method, decaying);
    assert_eq!(read("method = { muon = {} }").unwrap().method, MUON);
    let faster = Method::Muon { momentum: 0.9, steps: 3, adam_share: 0.5 };
    assert_eq!(read("method = { muon = { momentum = 0.9, steps = 3, adam-share = 0.5 } }").unwrap().method, faster);
    let text = "method = \"sgd\"\nclip-norm = 1.0\nschedule = { warmup = 9, decay = { linear = { to = 99 } } }";
    let schedule = Schedule { warmup: 9, decay: Decay::Linear { to: 99 }, ..Schedule::default() };
    let expected = OptimizerSettings { method: Method::Sgd, clip_norm: 1.0, schedule, ..OptimizerSettings::default() };
    assert_eq!(read(text).unwrap(), expected);
    let error = read("method = { muon = { nesterov = true } }").unwrap_err().to_string();
    assert!(error.contains("unknown field `nesterov`, expected one of `momentum`, `steps`, `adam-share`"), "{error}");
    for bad in ["method = { adam = { rho = 0.9 } }", "clip_norm = 1.0", "schedule = { decay = \"linear\" }"] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn settings_that_can_not_work_are_refused() {
    let check = |text: &str| {
        metaphrase_settings::from_toml::<OptimizerSettings>(text).unwrap().check().map_err(|e| e.to_string())
    };
    assert_eq!(check(""), Ok(()));
    assert_eq!(check("clip-weights = 1.0\nsmoothing = 1e-4"), Ok(()));
    assert_eq!(check("clip-norm = -1.0").unwrap_err(), "optimizer: `clip-norm` is -1, expected a number from 0 on");
    let expected = "optimizer: `method.adam.beta2` is 1, expected a number from 0 on and below 1";
    assert_eq!(check("method = { adam = { beta2 = 1.0 } }").unwrap_err(), expected);
    let expected = "optimizer: `schedule.decay.cosine.to` is 4, expected more than 9, the updates of `warmup`";
    assert_eq!(check("schedule = { warmup = 9, decay = { cosine = { to = 4 } } }").unwrap_err(), expected);
    let expected = "optimizer: `method.muon.steps` is 0, expected a number from 1 to 20";
    assert_eq!(check("method = { muon = { steps = 0 } }").unwrap_err(), expected);
    let expected = "optimizer: `method.muon.momentum` is 1, expected a number from 0 on and below 1";
    assert_eq!(check("method = { muon = { momentum = 1.0 } }").unwrap_err(), expected);
    for bad in [
        "method = { muon = { steps = 21 } }",
        "method = { muon = { adam-share = 0.0 } }",
        "clip-weights = nan",
        "clip-norm = inf",
        "smoothing = 1.0",
        "schedule = { rate = 0.0 }",
        "schedule = { rate = nan }",
        "schedule = { decay = { inverse-square-root = { from = 0 } } }",
        "method = { adam = { epsilon = 0.0 } }",
        "method = { adam = { weight-decay = -0.1 } }",
        "method = { adadelta = { rho = 1.5 } }",
        "method = { adadelta = { epsilon = 0.0 } }",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

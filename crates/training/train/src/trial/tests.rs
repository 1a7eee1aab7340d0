//! The emulator of a GPU, or a GPU ([`Cuda::for_tests`]), against the CPU.

use super::*;
use crate::checkpoint;
use crate::networks::tests::architectures::{config, devlin, recurrent, recurrent_networks, transformer, transformers};
use crate::networks::tests::{batch, random_pairs, randomise};
use crate::networks::{Dropout, LossSettings};
use crate::optimizer::Method;
use crate::{Trainer, TrainingPrecision};
use metaphrase_cuda::Cuda;
use metaphrase_device::Storage;
use metaphrase_models::{Architecture, Config};

const MUON: Method = Method::Muon { momentum: 0.95, steps: 5, adam_share: 0.2 };

/// Everything that can be dropped or added to the loss.
fn all_settings() -> TrainerSettings {
    let dropout = Dropout {
        layer: 0.1,
        attention: 0.2,
        feed_forward: 0.1,
        source_words: 0.2,
        target_words: 0.2,
        recurrent: 0.2,
        output: 0.1,
    };
    let loss = LossSettings { label_smoothing: 0.1, self_normalisation: 0.2, guided_alignment: 0.3 };
    TrainerSettings { dropout, loss, ..TrainerSettings::plain() }
}

/// A small batch with links.
fn linked() -> Batch {
    Batch { alignments: vec![vec![(1, 0), (2, 1)], vec![(0, 3)], vec![], vec![(2, 0)]], ..batch() }
}

/// A network with random parameters.
fn random_network(config: &Config) -> (Network, Parameters) {
    let mut parameters = Parameters::new(3);
    let network = Network::declare(config, &mut parameters).expect("a network");
    randomise(&mut parameters);
    (network, parameters)
}

fn assert_same_gradients(name: &str, config: &Config, settings: TrainerSettings) {
    let (network, parameters) = random_network(config);
    let task = Task { network: &network, parameters: &parameters, settings };
    let allowed = if settings.precision == TrainingPrecision::Bf16 { 5e-2 } else { 1e-4 };
    match compare_gradients(&mut Cuda::for_tests(false), task, &linked(), allowed) {
        Ok(seen) => println!("{name}: the largest difference of a gradient is {seen:e} of its tensor's largest number"),
        Err(error) => panic!("{name}: {error}"),
    }
}

#[test]
fn all_architectures_have_the_same_gradients() {
    let attention_first =
        devlin().into_iter().map(|(name, form)| (name.to_owned(), config(Architecture::Recurrent(form))));
    for (name, config) in transformers().into_iter().chain(recurrent_networks()).chain(attention_first) {
        assert_same_gradients(&name, &config, all_settings());
    }
    let bf16 = TrainerSettings { precision: TrainingPrecision::Bf16, ..TrainerSettings::plain() };
    assert_same_gradients("in bf16", &amun(), bf16);
}

fn learning(method: Method, rate: f32) -> TrainerSettings {
    let optimizer = OptimizerSettings {
        method,
        schedule: Schedule { rate, warmup: 10, ..Schedule::default() },
        clip_norm: 1.0,
        clip_weights: 1.0,
        smoothing: 0.01,
    };
    TrainerSettings { optimizer, ..TrainerSettings::plain() }
}

fn amun() -> Config {
    config(Architecture::Recurrent(recurrent()))
}

/// A trainer on the device, with the parameters that [`Trainer::new`] draws from the same seed.
fn on_device(config: &Config, settings: TrainerSettings, reversed: bool) -> Trainer<Cuda> {
    let mut parameters = Parameters::new(1);
    let network = Network::declare(config, &mut parameters).expect("a network");
    Trainer::on(vec![Cuda::for_tests(reversed)], network, &parameters, settings, 1)
}

/// All numbers that a checkpoint keeps.
fn numbers<D: Device>(trainer: &mut Trainer<D>) -> Vec<f32> {
    let (device, tensors) = trainer.checkpoint();
    tensors.iter().flat_map(|(_, matrix)| device.download(matrix).as_slice().to_vec()).collect()
}

#[test]
fn updates_follow_the_cpu() {
    let adadelta = Method::Adadelta { rho: 0.95, epsilon: 1e-6 };
    for (method, rate) in [(Method::Sgd, 0.5), (Method::default(), 3e-3), (adadelta, 1.0), (MUON, 1e-2)] {
        let settings = learning(method, rate);
        let mut on_cpu = Trainer::new(&amun(), settings, 1, 1).expect("a network");
        let mut on_device = on_device(&amun(), settings, false);
        for _ in 0..5 {
            let (expected, got) = (on_cpu.update(&batch()), on_device.update(&batch()));
            let (expected, got) = (expected.expect("an update"), got.expect("an update"));
            assert!((expected.losses.loss - got.losses.loss).abs() < 1e-3, "{method:?}");
            assert!((expected.step.gradient_norm - got.step.gradient_norm).abs() < 1e-3, "{method:?}");
            assert_eq!(expected.step.rate, got.step.rate);
        }
        let (expected, got) = (numbers(&mut on_cpu), numbers(&mut on_device));
        assert_eq!(expected.len(), got.len());
        let far = expected.iter().zip(&got).filter(|(a, b)| (*a - *b).abs() > 1e-3).count();
        // Adam may take the other direction where a gradient is 0 but for rounding.
        assert!(far * 1000 <= expected.len(), "{method:?}: {far} of {} numbers", expected.len());
    }
}

#[test]
fn sentences_are_learned_by_heart_and_resumed_to_the_same_bits() {
    let pairs = random_pairs(4);
    let words = pairs.target.all().len() as f64;
    let networks = [config(Architecture::Transformer(transformer())), amun()];
    for (config, method) in networks.iter().flat_map(|config| [(config, Method::default()), (config, MUON)]) {
        let settings = learning(method, 2e-2);
        let mut trainer = on_device(config, settings, false);
        let update = |trainer: &mut Trainer<Cuda>| trainer.update(&pairs).expect("an update").losses.loss / words;
        let run = tempfile::tempdir().expect("a directory");
        (0..20).for_each(|_| _ = update(&mut trainer));
        let state = checkpoint::State { updates: 20, ..checkpoint::State::default() };
        checkpoint::write(run.path(), &mut trainer, &state).expect("a checkpoint");
        let mut resumed = on_device(config, settings, true);
        let path = checkpoint::newest(run.path()).expect("a checkpoint");
        checkpoint::read(&path, &mut resumed).expect("the checkpoint");
        for _ in 0..10 {
            assert_eq!(update(&mut trainer).to_bits(), update(&mut resumed).to_bits());
        }
        assert!(numbers(&mut trainer) == numbers(&mut resumed));
        let loss = (0..200).map(|_| update(&mut trainer)).find(|&loss| loss < 0.05);
        assert!(loss.is_some(), "{} per word", update(&mut trainer));
    }
}

/// Evaluation reads the parameters where they are: those of the last update, or the smoothed ones if they are
/// exchanged.
#[test]
fn evaluation_is_of_the_last_update() {
    let settings = learning(Method::default(), 2e-2);
    let (mut on_cpu, mut on_device) =
        (Trainer::new(&amun(), settings, 1, 2).expect("a network"), on_device(&amun(), settings, false));
    let mut all = Vec::new();
    for updates in [0, 5, 5] {
        for _ in 0..updates {
            on_cpu.update(&batch()).expect("an update");
            on_device.update(&batch()).expect("an update");
        }
        for _ in 0..2 {
            let (expected, got) =
                (on_cpu.evaluate(&batch()).expect("losses"), on_device.evaluate(&batch()).expect("losses"));
            assert!((expected.loss - got.loss).abs() < 1e-2 * expected.loss, "{} {}", expected.loss, got.loss);
            all.push(got.loss);
            on_cpu.swap_smoothed();
            on_device.swap_smoothed();
        }
    }
    assert!(all[0] == all[1] && all[2] < all[0] && all[3] != all[2] && all[4] < all[2], "{all:?}");
}

/// Memory does not grow from batch to batch, including the memory of uploads from the CPU.
#[test]
fn batches_leave_no_memory_behind() {
    let attention_first = devlin().swap_remove(2).1;
    let recurrent = [recurrent(), attention_first].map(Architecture::Recurrent);
    for architecture in [Architecture::Transformer(transformer())].into_iter().chain(recurrent) {
        let settings = TrainerSettings { optimizer: learning(MUON, 0.1).optimizer, ..all_settings() };
        let mut trainer = on_device(&config(architecture), settings, false);
        let mut free = Vec::new();
        for _ in 0..8 {
            trainer.update(&linked()).expect("an update");
            free.push(trainer.device().pooled());
        }
        assert_eq!(free[2..], [free[2]; 6], "{free:?}");
    }
}

#[test]
fn a_loss_that_is_no_number_names_the_tensor() {
    let mut trainer = on_device(&amun(), TrainerSettings::plain(), false);
    let (device, mut tensors) = trainer.checkpoint();
    let (_, tensor) = tensors.iter_mut().find(|(name, _)| name == "parameter:decoder_cell1_U").expect("a tensor");
    let mut broken = device.download(tensor);
    broken.as_mut_slice()[3] = f32::NAN;
    device.write(&broken, tensor);
    let error = trainer.update(&batch()).expect_err("no number");
    assert!(error.to_string().starts_with("update 1: tensor `decoder_cell1_U` is not finite"), "{error}");
}

#[test]
fn a_device_that_computes_something_else_is_refused() {
    let mut cuda = Cuda::for_tests(false);
    let of = cuda.name().expect("a name").to_owned();
    let (network, parameters) = random_network(&amun());
    let seen = trial(&mut cuda, &network, &parameters, TrainerSettings::plain()).expect("the same");
    assert!(seen < 1e-4, "{seen}");
    for method in [Method::Sgd, Method::default(), Method::Adadelta { rho: 0.95, epsilon: 1e-6 }, MUON] {
        let right = visible(learning(method, 0.1).optimizer);
        let expected = updates(&mut Host::default(), right).expect("updates");
        let mut try_with = |settings| {
            let got = updates(&mut cuda, settings).expect("updates");
            compare(&cuda, [&got, &expected, &expected], UPDATES_DIFFER, 0.0)
        };
        try_with(right).expect("the same");
        let wrong = [
            OptimizerSettings { schedule: Schedule { rate: 0.11, ..right.schedule }, ..right },
            OptimizerSettings { clip_norm: 110.0, ..right },
            OptimizerSettings { clip_weights: 1.1, ..right },
            OptimizerSettings { smoothing: 0.95, ..right },
        ];
        for wrong in wrong {
            let error = try_with(wrong).expect_err("another").to_string();
            assert!(error.contains("does not compute what the CPU does: an update ("), "{error}");
        }
    }
    // A tensor that the device has read wrongly.
    let task = Task { network: &network, parameters: &parameters, settings: TrainerSettings::plain() };
    let expected = gradients(&mut Host::default(), task, &linked()).expect("gradients");
    let (_, mut other) = random_network(&amun());
    let id = other.find("decoder_ff_logit_l2_Wt").expect("a tensor");
    let scaled = other.value(id).as_slice().iter().map(|v| 1.01 * v).collect();
    let scaled = Matrix::from_vec(other.value(id).rows(), other.value(id).cols(), scaled);
    other.set(id, &scaled).expect("its shape");
    let got = gradients(&mut cuda, Task { parameters: &other, ..task }, &linked()).expect("gradients");
    let error = compare(&cuda, [&got, &expected, &expected], 1e-3, 0.0).expect_err("another");
    assert!(error.to_string().starts_with(&format!("{of} does not compute what the CPU does: the ")), "{error}");
}

//! The emulated device against the CPU.

use super::*;
use crate::checkpoint;
use crate::networks::architectures::{config, devlin, recurrent, recurrent_networks, transformer, transformers};
use crate::networks::tests::{batch, random_pairs, randomise};
use crate::networks::{Dropout, LossSettings};
use crate::optimizer::{OptimizerSettings, Schedule};
use crate::{Precision, Trainer, TrainerSettings};
use metaphrase_models::{Architecture, Config};

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
    TrainerSettings { dropout, loss, ..TrainerSettings::default() }
}

/// A small batch with links.
fn linked() -> Batch {
    Batch { alignments: vec![vec![(1, 0), (2, 1)], vec![(0, 3)], vec![], vec![(2, 0)]], ..batch() }
}

fn assert_same_gradients(name: &str, config: &Config, settings: &TrainerSettings) {
    let mut parameters = Parameters::new(3);
    let network = Network::declare(config, &mut parameters).expect("a network");
    randomise(&mut parameters);
    let optimizer = Optimizer::new(settings.optimizer, &parameters);
    let mut on_cuda = OnCuda::new(Cuda::emulated(false), &parameters, &optimizer).expect("a device");
    let allowed = if settings.precision == Precision::Bf16 { 5e-2 } else { 1e-4 };
    if let Err(error) = on_cuda.compare((&network, settings), &parameters, &linked(), allowed) {
        panic!("{name}: {error}");
    }
}

#[test]
fn all_architectures_have_the_same_gradients() {
    let attention_first =
        devlin().into_iter().map(|(name, form)| (name.to_owned(), config(Architecture::Recurrent(form))));
    for (name, config) in transformers().into_iter().chain(recurrent_networks()).chain(attention_first) {
        assert_same_gradients(&name, &config, &all_settings());
    }
    let bf16 = TrainerSettings { precision: Precision::Bf16, ..TrainerSettings::default() };
    assert_same_gradients("in bf16", &amun(), &bf16);
}

fn learning(method: Method, rate: f32) -> TrainerSettings {
    let optimizer = OptimizerSettings {
        method,
        schedule: Schedule { rate, warmup: 10, ..Schedule::default() },
        clip_norm: 1.0,
        clip_weights: 1.0,
        smoothing: 0.01,
    };
    TrainerSettings { optimizer, ..TrainerSettings::default() }
}

fn amun() -> Config {
    config(Architecture::Recurrent(recurrent()))
}

/// All numbers of a trainer, after they have been fetched.
fn numbers(trainer: &mut Trainer) -> Vec<f32> {
    trainer.fetch().expect("no failure");
    let state = trainer.optimizer().state().flat_map(|(_, matrices)| matrices);
    let values = trainer.parameters().iter().map(|(_, value)| value);
    values.chain(state).flat_map(|matrix| matrix.as_slice()).copied().collect()
}

#[test]
fn updates_follow_the_cpu() {
    let adadelta = Method::Adadelta { rho: 0.95, epsilon: 1e-6 };
    for (method, rate) in [(Method::Sgd, 0.5), (Method::default(), 3e-3), (adadelta, 1.0)] {
        let mut trainers = [(); 2].map(|()| Trainer::new(&amun(), learning(method, rate), 1, 1).expect("a network"));
        trainers[1].move_to(Cuda::emulated(false)).expect("a device");
        for _ in 0..5 {
            let [expected, got] = trainers.each_mut().map(|trainer| trainer.update(&batch()).expect("an update"));
            assert!((expected.losses.loss - got.losses.loss).abs() < 1e-3, "{method:?}");
            assert!((expected.step.gradient_norm - got.step.gradient_norm).abs() < 1e-3, "{method:?}");
            assert_eq!(expected.step.rate, got.step.rate);
        }
        let [expected, got] = trainers.each_mut().map(numbers);
        let far = expected.iter().zip(&got).filter(|(a, b)| (*a - *b).abs() > 1e-3).count();
        // Adam may take the other direction where a gradient is 0 but for rounding.
        assert!(far * 1000 <= expected.len(), "{method:?}: {far} of {} numbers", expected.len());
    }
}

#[test]
fn sentences_are_learned_by_heart_and_resumed_to_the_same_bits() {
    let pairs = random_pairs(4);
    let words = pairs.target.words().len() as f64;
    for config in [config(Architecture::Transformer(transformer())), amun()] {
        let new = || Trainer::new(&config, learning(Method::default(), 2e-2), 1, 1).expect("a network");
        let mut trainer = new();
        trainer.move_to(Cuda::emulated(false)).expect("a device");
        let update = |trainer: &mut Trainer| trainer.update(&pairs).expect("an update").losses.loss / words;
        let run = tempfile::tempdir().expect("a directory");
        (0..20).for_each(|_| _ = update(&mut trainer));
        trainer.fetch().expect("no failure");
        let state = checkpoint::State { updates: 20, ..checkpoint::State::default() };
        checkpoint::write(run.path(), &trainer, &state).expect("a checkpoint");
        let mut resumed = new();
        let path = checkpoint::newest(run.path()).expect("a checkpoint");
        checkpoint::read(&path, &mut resumed).expect("the checkpoint");
        resumed.move_to(Cuda::emulated(true)).expect("a device");
        for _ in 0..10 {
            assert_eq!(update(&mut trainer).to_bits(), update(&mut resumed).to_bits());
        }
        assert!(numbers(&mut trainer) == numbers(&mut resumed));
        let loss = (0..200).map(|_| update(&mut trainer)).find(|&loss| loss < 0.05);
        assert!(loss.is_some(), "{} per word", update(&mut trainer));
    }
}

/// What is read back is no parameter of before, and evaluation sees it.
#[test]
fn evaluation_is_of_what_was_fetched() {
    let mut trainer = Trainer::new(&amun(), learning(Method::default(), 2e-2), 1, 2).expect("a network");
    trainer.move_to(Cuda::emulated(false)).expect("a device");
    let before = trainer.evaluate(&batch()).loss;
    let losses: Vec<f64> = (0..10).map(|_| trainer.update(&batch()).expect("an update").losses.loss).collect();
    assert_eq!(trainer.evaluate(&batch()).loss, before, "nothing was fetched");
    trainer.fetch().expect("no failure");
    assert!(trainer.evaluate(&batch()).loss < losses[9]);
}

/// Memory does not grow from batch to batch, also not by what comes from the CPU.
#[test]
fn batches_leave_no_memory_behind() {
    let attention_first = devlin().swap_remove(2).1;
    let recurrent = [recurrent(), attention_first].map(Architecture::Recurrent);
    for architecture in [Architecture::Transformer(transformer())].into_iter().chain(recurrent) {
        let mut trainer = Trainer::new(&config(architecture), all_settings(), 1, 1).expect("a network");
        trainer.move_to(Cuda::emulated(false)).expect("a device");
        let mut free = Vec::new();
        for _ in 0..8 {
            trainer.update(&linked()).expect("an update");
            free.push(trainer.on_cuda().expect("a device").cuda.pooled());
        }
        assert_eq!(free[2..], [free[2]; 6], "{free:?}");
    }
}

#[test]
fn a_loss_that_is_no_number_names_the_tensor() {
    let mut trainer = Trainer::new(&amun(), TrainerSettings::default(), 1, 1).expect("a network");
    let id = trainer.parameters().find("decoder_cell1_U").expect("a tensor");
    trainer.move_to(Cuda::emulated(false)).expect("a device");
    let on_cuda = trainer.on_cuda().expect("a device");
    let shape = { on_cuda.cuda.download(on_cuda.trained.parameters.value(id)) };
    let mut broken = shape.clone();
    broken.as_mut_slice()[3] = f32::NAN;
    on_cuda.trained.parameters.matrices_mut()[id.index()] = on_cuda.cuda.upload(&broken);
    let error = trainer.update(&batch()).expect_err("no number");
    assert!(error.to_string().starts_with("update 1: tensor `decoder_cell1_U` is not finite"), "{error}");
}

#[test]
fn a_device_that_computes_something_else_is_refused() {
    let mut parameters = Parameters::new(3);
    let network = Network::declare(&amun(), &mut parameters).expect("a network");
    let settings = TrainerSettings::default();
    let optimizer = Optimizer::new(settings.optimizer, &parameters);
    let mut on_cuda = OnCuda::new(Cuda::emulated(false), &parameters, &optimizer).expect("a device");
    let task = (&network, &settings);
    let seen = on_cuda.try_out(task, &parameters).expect("the same");
    assert!(seen < 1e-4, "{seen}");
    for method in [Method::Sgd, Method::default(), Method::Adadelta { rho: 0.95, epsilon: 1e-6 }] {
        let right = trial::visible(learning(method, 0.1).optimizer);
        on_cuda.compare_updates([right; 2]).expect("the same");
        let wrong = [
            OptimizerSettings { schedule: Schedule { rate: 0.11, ..right.schedule }, ..right },
            OptimizerSettings { clip_norm: 110.0, ..right },
            OptimizerSettings { clip_weights: 1.1, ..right },
            OptimizerSettings { smoothing: 0.95, ..right },
        ];
        for wrong in wrong {
            let error = on_cuda.compare_updates([right, wrong]).expect_err("another").to_string();
            assert!(error.contains("does not compute what the CPU does: an update ("), "{error}");
        }
    }
    let id = parameters.find("decoder_ff_logit_l2_Wt").expect("a tensor");
    on_cuda.cuda.scale(1.01, &mut on_cuda.trained.parameters.matrices_mut()[id.index()]);
    let error = on_cuda.try_out(task, &parameters).expect_err("another");
    assert!(error.to_string().starts_with("the emulator does not compute what the CPU does: the "), "{error}");
}

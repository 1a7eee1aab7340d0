#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::networks::tests::architectures::{config, transformer};
use crate::networks::tests::random_pairs;
use metaphrase_models::Architecture;

fn trainer(settings: TrainerSettings) -> Trainer {
    Trainer::new(&config(Architecture::Transformer(transformer())), settings, 1, 2).unwrap()
}

/// The parameters after an update by these batches, the loss, and the norm of the gradient.
fn after(settings: TrainerSettings, batches: &[Batch]) -> (Vec<f32>, f64, f32) {
    let mut trainer = trainer(settings);
    let update = trainer.update_by(batches).unwrap();
    let all = trainer.download().unwrap().into_iter();
    let numbers = all.flat_map(|(_, matrix)| matrix.as_slice().to_vec()).collect();
    (numbers, update.losses.loss, update.step.gradient_norm)
}

#[test]
fn small_batches_add_up_to_a_large_one() {
    let large = random_pairs(7);
    let small = large.split(3);
    assert!(small.len() == 3 && small.iter().any(|batch| batch.target.len() != small[0].target.len()));
    let settings = TrainerSettings {
        optimizer: OptimizerSettings { method: crate::optimizer::Method::Sgd, ..TrainerSettings::plain().optimizer },
        ..TrainerSettings::plain()
    };
    let (expected, got) = (after(settings, &[large]), after(settings, &small));
    assert!((expected.1 - got.1).abs() < 1e-3 && (expected.2 - got.2).abs() < 1e-4, "{} {}", expected.1, got.1);
    let difference = expected.0.iter().zip(&got.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(difference < 1e-6, "{difference}");
    let first = after(settings, &small[..1]);
    assert!((expected.2 - first.2).abs() > 1e-3, "one batch alone is something else");
}

#[test]
fn batches_of_an_update_drop_different_numbers() {
    let dropout = Dropout { layer: 0.5, ..Dropout::NONE };
    let settings = TrainerSettings { dropout, ..TrainerSettings::plain() };
    let losses = |batches: &[Batch]| trainer(settings).update_by(batches).unwrap().losses.log_probs;
    let one = random_pairs(3);
    let twice = losses(&[one.clone(), one]);
    let (first, second) = twice.split_at(twice.len() / 2);
    assert_ne!(first, second);
}

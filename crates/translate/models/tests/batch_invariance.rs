//! What a sentence gets does not depend on what else is in the batch, to the bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, marian_options, search, word_scores, word_scores_in};
use metaphrase_base::{SentId, StepModel, WordId};
use metaphrase_models::config::Positions;
use metaphrase_models::parts::{Init, Network, Supply};
use metaphrase_models::{Architecture, Model, Weights, load};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Supplies tensors of numbers that look random.
#[derive(Default)]
struct Random(BTreeMap<String, [usize; 2]>);

impl Supply for Random {
    type Tensor = ();
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], _: Init) -> Result<(), Infallible> {
        self.0.insert(name.to_owned(), shape);
        Ok(())
    }
}

/// The model of a fixture's size with relative positions.
fn relative() -> Model {
    let (mut config, _) = load(&fixtures("transformer").join("post-relu-tied-all.npz")).unwrap();
    let Architecture::Transformer(network) = &mut config.architecture else { panic!("a Transformer") };
    network.positions = Positions::Relative { distance: 3 };
    let mut random = Random::default();
    let Ok(_) = Network::build(&config, &mut random);
    let tensors = random.0.into_iter().enumerate().map(|(i, (name, [rows, cols]))| {
        let number = |j: usize| ((i * 31 + j * 17) as f32).sin() / (rows as f32).sqrt();
        (name, vec![rows, cols], (0..rows * cols).map(number).collect())
    });
    let weights = Weights::from_tensors("random", tensors).unwrap();
    Model::new(config, &weights).unwrap()
}

/// One model for each way of looking at the translation so far, before and after normalisation.
fn models() -> impl Iterator<Item = (&'static str, Model)> {
    let names = ["post-relu-tied-all", "pre-gelu-tied-src", "ssru-pre-projection", "aan-gate"];
    let fixture = |name| (name, Model::load(&fixtures("transformer").join(format!("{name}.npz"))).unwrap());
    names.into_iter().map(fixture).chain([("relative positions", relative())])
}

/// Sentences of 1 to 21 words, end of sentence included.
fn sentences() -> Vec<Vec<WordId>> {
    let word = |i: usize, j: usize| WordId(2 + ((7 * i + 5 * j + i * j) % 30) as u32);
    (0..24).map(|i| (0..(5 * i) % 21).map(|j| word(i, j)).chain([WordId(0)]).collect()).collect()
}

#[test]
fn searches_are_the_same_alone_and_in_any_batch() {
    for (name, model) in models() {
        let options = metaphrase_search::Options { attention: true, ..marian_options(&model, 5, 1.0) };
        let alone = search(&model, &options, 1, &sentences());
        for batch_tokens in [10, 37, 1000] {
            assert_eq!(search(&model, &options, batch_tokens, &sentences()), alone, "{name}, batch {batch_tokens}");
        }
    }
}

#[test]
fn scores_are_the_same_in_a_state_that_was_used_before() {
    for (name, model) in models() {
        let (mut state, mut scores) = (model.new_state(), model.new_scores());
        let sentences = sentences();
        for (i, pair) in sentences.windows(2).enumerate() {
            let [source, target] = pair else { unreachable!("windows of two") };
            let slot = SentId::new(i % 3);
            let again = word_scores_in(&model, slot, (source, target), &mut state, &mut scores);
            assert_eq!(again, word_scores(&model, source, target), "{name}, sentence {i}");
        }
    }
}

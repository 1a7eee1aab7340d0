//! What a sentence gets does not depend on what else is in the batch, to the bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{fixtures, marian_options, search, word_scores, word_scores_in};
use metaphrase_base::{SentId, StepModel, WordId};
use metaphrase_models::Model;

/// One model for each way of looking at the translation so far, before and after normalisation.
fn models() -> impl Iterator<Item = (&'static str, Model)> {
    let names = ["post-relu-tied-all", "pre-gelu-tied-src", "ssru-pre-projection", "aan-gate"];
    names.into_iter().map(|name| (name, Model::load(&fixtures("transformer").join(format!("{name}.npz"))).unwrap()))
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

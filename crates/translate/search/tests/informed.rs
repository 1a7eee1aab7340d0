//! Sentences with scorers of their own: search finds the same as with one model that gives the summed scores, whatever
//! the strategy, the constraints and the batch.

use crate::common::{Sentence, one_of, search, sentence, words};
use metaphrase_base::{ScoreBuffer, SentenceScorer, WordId, WordScore, WordScores};
use metaphrase_search::{Constraints, Informed, Options, Stop, Strategy};
use metaphrase_testkit::{FakeModel, exhaustive};
use std::sync::Arc;

const WORDS: u32 = 6;

/// Likes some words after others: the state is the word before, or 99.
#[derive(Debug)]
struct Taste(u32);

impl Taste {
    fn score(&self, before: u32, word: u32) -> f32 {
        match (self.0 + before * 7 + word * 5) % 4 {
            0 => 0.75,
            1 => -0.5,
            _ => -0.125,
        }
    }
}

impl SentenceScorer for Taste {
    fn start(&self) -> u32 {
        99
    }

    fn after(&self, _: u32, word: WordId) -> u32 {
        word.0
    }

    fn scores<'a>(&'a self, state: u32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        buffer.listed.clear();
        let scores = (0..WORDS).map(|word| WordScore { word: WordId(word), score: self.score(state, word) });
        buffer.listed.extend(scores.filter(|listed| listed.score != -0.125));
        WordScores::Sparse { base: -0.125, listed: &buffer.listed }
    }
}

/// The summed scores of the model and the taste; sentences whose first word is even have no taste.
fn summed(seed: u64) -> FakeModel {
    let random = FakeModel::random(seed, WORDS as usize, 3.0);
    FakeModel::new(WORDS as usize, move |source, so_far| {
        let before = so_far.last().map_or(99, |word| word.0);
        let log_probs = random.log_probs(source, so_far).into_iter().zip(0..);
        let taste = (source[0].0 % 2 == 1).then(|| Taste(source[0].0));
        log_probs
            .map(|(log_prob, word)| log_prob + taste.as_ref().map_or(0.0, |taste| taste.score(before, word)))
            .collect()
    })
}

fn informed(seed: u64) -> Informed<FakeModel> {
    Informed::new(Arc::new(FakeModel::random(seed, WORDS as usize, 3.0)))
}

fn with_taste(sentence: Sentence) -> Sentence {
    let first = sentence.source[0].0;
    let scorer = (first % 2 == 1).then(|| Arc::new(Taste(first)) as Arc<dyn SentenceScorer>);
    Sentence { scorer, ..sentence }
}

#[test]
fn what_a_sentence_adds_is_added() {
    let constraints = Constraints::new(&[vec![words(&[4, 5])], vec![words(&[3])]], None, None).expect("constraints");
    for seed in 0..5 {
        for strategy in [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
            for constraints in [None, Some(constraints.clone())] {
                let given = Sentence { constraints, ..sentence(&[1, 2, 3]) };
                let normalize_constrained = Some(1.0);
                let options = Options { strategy, n_best: 3, normalize_constrained, ..Options::default() };
                let expected = one_of(&summed(seed), &options, &given);
                assert_eq!(one_of(&informed(seed), &options, &with_taste(given)), expected, "{strategy:?}");
            }
        }
    }
}

/// Iglesias et al. 2018, Algorithm 1 with lines 9 and 10: a wide beam finds the best of all candidates, each scored in
/// full.
#[test]
fn a_wide_beam_finds_the_best_of_all_candidates() {
    for seed in 0..6 {
        let rank = |log_prob: f32, length: usize| log_prob / length as f32;
        let oracle = exhaustive(&summed(seed), &words(&[1]), 3, rank);
        let stop = Stop::FILL;
        let options = Options { beam_size: 400, n_best: 20, max_length_factor: 3.0, stop, ..Options::default() };
        let found = one_of(&informed(seed), &options, &with_taste(sentence(&[1])));
        let texts: Vec<_> = found.hypotheses.iter().map(|found| (&found.words, found.score)).collect();
        let expected: Vec<_> = oracle.iter().take(20).map(|found| (&found.words, found.score)).collect();
        assert_eq!(texts, expected, "seed {seed}");
    }
}

#[test]
fn sentences_with_and_without_scorers_share_batches() {
    let sentences: Vec<Sentence> =
        (0..12).map(|id| with_taste(Sentence { id, ..sentence(&[id as u32 % 5, 2, 3, 4, 5][..2 + id % 3]) })).collect();
    for strategy in [Strategy::Beam, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        for stop in [Stop::FILL, Stop::Shrink] {
            let options = Options { strategy, stop, n_best: 4, ..Options::default() };
            let alone = search(&informed(3), &options, 1, &sentences);
            assert_eq!(search(&informed(3), &options, 100, &sentences), alone);
            assert_eq!(search(&informed(3), &options, 9, &sentences), alone);
            let plain: Vec<Sentence> = sentences
                .iter()
                .filter(|s| s.source[0].0 % 2 == 0)
                .map(|s| Sentence { scorer: None, ..s.clone() })
                .collect();
            let model = FakeModel::random(3, WORDS as usize, 3.0);
            for found in search(&model, &options, 1, &plain) {
                assert_eq!(found, alone[found.tag], "a sentence without a scorer is searched as ever");
            }
        }
    }
}

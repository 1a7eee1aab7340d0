//! `Stop::Collect` against CTranslate2's rule, written down plainly.

use crate::common::{Sentence, one, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{Options, Stop};
use metaphrase_testkit::FakeModel;

const END: u32 = 0;
const WORDS: usize = 9;

/// Words, and the score that orders the list.
type Found = Vec<(Vec<WordId>, f32)>;

/// CTranslate2's beam search (4.8): the first B of the best 2B continuations are examined; those that end are results,
/// and the next others take their places; B results end the search, or without normalisation a continuation that ends
/// ahead of all others. At the last step the first B are results.
fn plain(log_probs: impl Fn(&[u32]) -> Vec<f32>, beam: usize, n_best: usize, alpha: f32, limit: usize) -> Found {
    let mut open: Vec<(Vec<u32>, f32)> = vec![(Vec::new(), 0.0)];
    let mut results: Vec<(Vec<u32>, f32)> = Vec::new();
    let mut first_ended = false;
    for step in 0..limit {
        let mut all: Vec<(Vec<u32>, f32)> = Vec::new();
        for (so_far, score) in &open {
            for (word, log_prob) in log_probs(so_far).into_iter().enumerate() {
                if step > 0 || word as u32 != END {
                    all.push(([&so_far[..], &[word as u32]].concat(), log_prob + score));
                }
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(2 * beam);
        let ends = |hypothesis: &[u32]| hypothesis.last() == Some(&END);
        let last = step + 1 == limit;
        for (so_far, score) in &all[..beam.min(all.len())] {
            if ends(so_far) || last {
                let text = so_far.strip_suffix(&[END]).unwrap_or(so_far).to_vec();
                let length = so_far.len() as f32;
                results.push((text, score / length.powf(alpha)));
            }
        }
        first_ended |= ends(&all[0].0);
        if if alpha == 0.0 { first_ended && results.len() >= n_best } else { results.len() >= beam } {
            break;
        }
        open = all.into_iter().filter(|(so_far, _)| !ends(so_far)).take(beam).collect();
    }
    results.sort_by(|a, b| b.1.total_cmp(&a.1));
    results.truncate(n_best);
    results.into_iter().map(|(text, score)| (words(&text), score)).collect()
}

#[test]
fn the_beam_finishes_as_a_whole() {
    for seed in 0..40 {
        for (beam_size, normalize) in [(1, 1.0), (2, 1.0), (3, 0.2), (5, 0.6), (4, 0.0)] {
            for max_target_length in [2, 5, 12] {
                let n_best = 1 + seed % beam_size;
                let model = FakeModel::random(seed as u64, WORDS, 3.0);
                let source = sentence(&[3, seed as u32 % 7, 0]);
                let stop = Stop::Collect;
                let options = Options {
                    beam_size,
                    n_best,
                    normalize,
                    max_target_length,
                    max_length_factor: 1e6,
                    stop,
                    ..Options::default()
                };
                let outcome = one(&model, &options, &source);
                let found: Found = outcome.hypotheses.into_iter().map(|found| (found.words, found.score)).collect();
                let log_probs = |so_far: &[u32]| model.log_probs(&source.source, &words(so_far));
                let expected = plain(log_probs, beam_size, n_best, normalize, max_target_length);
                assert_eq!(found, expected, "seed {seed}, beam {beam_size}, limit {max_target_length}");
            }
        }
    }
}

#[test]
fn given_translations_may_be_empty_and_terms_end_as_with_fill() {
    let model = FakeModel::random(4, WORDS, 3.0);
    let collect = Options { stop: Stop::Collect, ..Options::default() };
    let scored = one(&model, &collect, &Sentence { prefix: words(&[END]), ..sentence(&[3, 0]) });
    assert!(scored.hypotheses[0].words.is_empty() && scored.hypotheses[0].complete);
    let constraints = metaphrase_search::Constraints::new(&[vec![words(&[5])]], None, None).unwrap();
    let with_term = Sentence { constraints: Some(constraints), ..sentence(&[3, 0]) };
    let fill = Options { stop: Stop::FILL, ..Options::default() };
    assert_eq!(one(&model, &collect, &with_term), one(&model, &fill, &with_term));
}

//! Sequences that may stand once: the best of all translations without repetitions, and with terms that repeat some.

use crate::common::{Sentence, one, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{Constraints, Options, SamplingPool, Stop, Strategy};
use metaphrase_testkit::{FakeModel, exhaustive};

/// The last words of the sequences of `count` words that stand in `words` a second time.
fn repeated(words: &[WordId], count: usize) -> Vec<WordId> {
    let sequences: Vec<_> = words.windows(count).collect();
    let again = sequences.iter().enumerate().filter(|(at, sequence)| sequences[..*at].contains(sequence));
    again.map(|(_, sequence)| sequence[count - 1]).collect()
}

/// 4 words, at most 5 of them: a beam of 400 loses nothing.
#[test]
fn the_best_without_repetitions_is_found() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 4, 3.0);
        for count in [1, 2, 3, usize::MAX] {
            let options = Options {
                beam_size: 400,
                n_best: 400,
                max_length_factor: 5.0,
                stop: Stop::FILL,
                no_repeat_ngram_size: count,
                ..Options::default()
            };
            let mut oracle = exhaustive(&model, &words(&[1]), 5, |log_prob, length| log_prob / length as f32);
            let all = oracle.len();
            oracle.retain(|expected| repeated(&expected.words, count).is_empty());
            assert_eq!(oracle.len() < all, count < usize::MAX, "{count}");
            let found = one(&model, &options, &sentence(&[1]));
            assert_eq!(found.hypotheses.len(), oracle.len(), "seed {seed}, {count}");
            for (hypothesis, expected) in found.hypotheses.iter().zip(&oracle) {
                assert_eq!((&hypothesis.words, hypothesis.log_prob), (&expected.words, expected.log_prob), "{seed}");
            }
        }
    }
}

/// In all strategies, in wide and narrow beams, after a prefix, and in draws.
#[test]
fn only_given_words_and_words_of_terms_come_again() {
    let terms = [vec![words(&[3, 4])], vec![words(&[4])], vec![words(&[4])], vec![words(&[5, 5, 5])]];
    let constraints = Constraints::new(&terms, None, None).expect("usable constraints");
    let mut by_terms = 0;
    for seed in 0..20 {
        let model = FakeModel::random(seed, 7, 4.0);
        let mut all = Vec::new();
        for strategy in [Strategy::Beam, Strategy::Grid, Strategy::States, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
            for (beam_size, stop) in [(3, Stop::Shrink), (20, Stop::FILL), (3, Stop::Wait), (20, Stop::Collect)] {
                all.push(Options { strategy, beam_size, n_best: beam_size, stop, ..Options::default() });
            }
        }
        all.push(Options { n_best: 20, sampling: Some(SamplingPool::Full.at(1.0)), ..Options::default() });
        for options in all {
            let options = Options { no_repeat_ngram_size: 2, ..options };
            let plain = Sentence { prefix: words(&[1, 2, 1, 2]), ..sentence(&[1, 2, 3, 4, 5]) };
            for hypothesis in one(&model, &options, &plain).hypotheses {
                assert_eq!(repeated(&hypothesis.words, 2), words(&[2]), "{options:?}");
            }
            if options.sampling.is_none() {
                let constraints = Some(constraints.clone());
                for hypothesis in one(&model, &options, &Sentence { constraints, ..plain }).hypotheses {
                    let repeated = repeated(&hypothesis.words[4..], 2);
                    assert!(repeated.iter().all(|word| [3, 4, 5].contains(&word.0)), "{hypothesis:?} {options:?}");
                    by_terms += repeated.len();
                }
            }
        }
    }
    assert!(by_terms > 0);
}

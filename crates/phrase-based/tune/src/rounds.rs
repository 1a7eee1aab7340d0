//! Translations with new weights are other translations: lists and weights in turns.

use crate::TunedWeights;
use crate::error::Error;
use crate::lists::NBestLists;
use crate::mert::{MertOptions, mert};
use crate::mira::{MiraOptions, mira};
use metaphrase_base::{Choice, Named};
use metaphrase_metrics::Bleu;

/// Weights that have changed by no more, relative to their absolute sum, stay.
const STILL: f64 = 1e-4;
/// BLEU by which a round of MIRA must rise above the rounds before it; less is chance.
const GAIN: f64 = 0.05;
/// Rounds of MIRA without such a gain after which tuning ends. MIRA's lists grow in every round, so that it has no
/// other end.
const PATIENCE: usize = 3;

/// How weights are found.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// See [`mert`].
    Mert(MertOptions),
    /// See [`mira`].
    Mira(MiraOptions),
}

/// The methods, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodName {
    /// [`Method::Mert`].
    Mert,
    /// [`Method::Mira`].
    Mira,
}

impl Choice for MethodName {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Mert, "mert", "Minimum error rate training: exact line searches from many starting points"),
        Named::new(Self::Mira, "mira", "Batch MIRA: large margins"),
    ];
}

/// The result of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Counted from 1.
    pub number: usize,
    /// The weights of the translations.
    pub weights: Vec<f64>,
    /// BLEU of the best translation of each sentence.
    pub score: f64,
    /// Translations in the lists after the round.
    pub translations: usize,
    /// The number of new translations.
    pub new: usize,
}

/// Tunes weights, at most `rounds` times (at least once): `translate` adds the best translations with the given weights
/// to the lists and returns BLEU of the very best ones, from which new weights are found for the next round. Ends when
/// no translation is new, when the weights stay as they are, or, with MIRA, when three rounds have not gained 0.05
/// BLEU. Returns the weights whose own translations had the highest BLEU: those that a last round has found but not
/// tried are not among them.
///
/// # Errors
/// The errors of `translate`, and [`Error`] for lists that can not be used.
pub fn optimize<E: From<Error>>(
    lists: &mut NBestLists,
    bleu: &Bleu,
    start: &[f64],
    method: &Method,
    rounds: usize,
    mut translate: impl FnMut(&[f64], &mut NBestLists) -> Result<f64, E>,
    mut show: impl FnMut(&Round),
) -> Result<TunedWeights, E> {
    let mut best: Option<TunedWeights> = None;
    let mut weights = start.to_vec();
    let mut gains = Gains::default();
    for number in 1..=rounds.max(1) {
        let before = lists.translations();
        let score = translate(&weights, lists)?;
        let translations = lists.translations();
        let round = Round { number, weights: weights.clone(), score, translations, new: translations - before };
        show(&round);
        if best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(TunedWeights { weights: weights.clone(), score });
        }
        let idle = matches!(method, Method::Mira(_)) && gains.idle(score) >= PATIENCE;
        if number >= rounds || round.new == 0 || idle {
            break;
        }
        let tuned = match method {
            Method::Mert(options) => mert(lists, bleu, &weights, &reseeded(options, number))?,
            Method::Mira(options) => mira(lists, bleu, &weights, options)?,
        };
        if still(&weights, &tuned.weights) {
            break;
        }
        weights = tuned.weights;
    }
    best.ok_or_else(|| Error::Empty.into())
}

/// How long ago the score rose.
#[derive(Debug, Default)]
struct Gains {
    /// The score that was above those before it by [`GAIN`].
    reached: Option<f64>,
    idle: usize,
}

impl Gains {
    /// Takes the score of a round. Returns the number of rounds without a gain, this one included.
    fn idle(&mut self, score: f64) -> usize {
        if self.reached.is_none_or(|reached| score >= reached + GAIN) {
            *self = Self { reached: Some(score), idle: 0 };
        } else {
            self.idle += 1;
        }
        self.idle
    }
}

/// Other starting points in each round.
fn reseeded(options: &MertOptions, round: usize) -> MertOptions {
    MertOptions { seed: options.seed.wrapping_add(round as u64 - 1), ..options.clone() }
}

fn still(before: &[f64], after: &[f64]) -> bool {
    let [before, after] = [before, after].map(|weights| {
        let sum: f64 = weights.iter().map(|weight| weight.abs()).sum();
        weights.iter().map(move |weight| if sum > 0.0 { weight / sum } else { 0.0 })
    });
    before.zip(after).all(|(before, after)| (before - after).abs() <= STILL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_metrics::{BleuOptions, Metric};

    const REFERENCE: &str = "a b c d e f g h";
    /// Two features of all translations of a sentence, and the translations, from good to bad. The first feature likes
    /// the bad ones.
    const SPACE: [([f32; 2], &str); 4] = [
        ([-4.0, -1.0], "a b c d e f g h"),
        ([-3.0, -2.0], "a b c d e f g x"),
        ([-2.0, -3.0], "a b c d e f x x"),
        ([-1.0, -4.0], "a b c d e x x x"),
    ];

    /// Adds the two translations with the highest scores; BLEU of the first.
    fn translate(bleu: &Bleu, weights: &[f64], lists: &mut NBestLists) -> Result<f64, Error> {
        let mut found: Vec<_> = SPACE.iter().collect();
        found.sort_by(|a, b| crate::lists::dot(weights, &b.0).total_cmp(&crate::lists::dot(weights, &a.0)));
        let statistics = found[..2].iter().map(|(_, translation)| {
            let mut statistics = vec![0.0; bleu.stats_len()];
            bleu.sentence_stats(translation, &[REFERENCE], &mut statistics);
            statistics
        });
        let statistics: Vec<_> = statistics.collect();
        for ((features, _), statistics) in found.iter().zip(&statistics) {
            lists.add(0, features, statistics)?;
        }
        Ok(bleu.value(&statistics[0], metaphrase_metrics::Arithmetic::Double))
    }

    fn run(method: &Method, rounds: usize) -> (TunedWeights, Vec<Round>) {
        let bleu = Bleu::new(BleuOptions::default()).unwrap();
        let mut lists = NBestLists::new(1, 2, bleu.stats_len());
        let mut shown = Vec::new();
        let translate = |weights: &[f64], lists: &mut NBestLists| translate(&bleu, weights, lists);
        let show = |round: &Round| shown.push(round.clone());
        let tuned = optimize(&mut lists, &bleu, &[1.0, 0.0], method, rounds, translate, show).unwrap();
        (tuned, shown)
    }

    #[test]
    fn rounds_lead_to_translations_that_were_not_in_the_first_list() {
        // One sentence makes 60 steps a round: they have to be long.
        let mira = MiraOptions { step: 0.1, ..MiraOptions::default() };
        for method in [Method::Mert(MertOptions::default()), Method::Mira(mira)] {
            let (tuned, rounds) = run(&method, 10);
            assert!((tuned.score - 100.0).abs() < 1e-9, "{method:?}: {tuned:?}");
            assert_eq!((rounds[0].new, rounds[0].translations), (2, 2));
            assert!(rounds[0].score < 65.0);
            assert_eq!(rounds.last().map(|round| round.translations), Some(4), "{method:?}");
            assert!(rounds.len() < 10, "{method:?}: ends when nothing changes any more");
            if matches!(method, Method::Mira(_)) {
                let best = rounds.iter().position(|round| round.score == tuned.score).unwrap();
                assert!(rounds.len() <= best + 1 + PATIENCE, "ends when nothing is gained any more: {rounds:?}");
            }
        }
    }

    #[test]
    fn rounds_without_a_gain_are_counted() {
        let mut gains = Gains::default();
        let scores = [20.0, 19.0, 20.04, 20.06, 20.1, 20.11, 25.0, 24.0];
        // 20.06 is above 20 by more than a gain; 20.11 above 20.06, but 20.1 is not.
        assert_eq!(scores.map(|score| gains.idle(score)), [0, 1, 2, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn weights_that_were_not_tried_are_not_returned() {
        let (tuned, rounds) = run(&Method::Mert(MertOptions::default()), 1);
        assert_eq!(rounds.len(), 1);
        assert_eq!(tuned, TunedWeights { weights: vec![1.0, 0.0], score: rounds[0].score });
    }
}

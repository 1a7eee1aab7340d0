//! Batch MIRA (Cherry and Foster 2012, "Batch Tuning Strategies for Statistical Machine Translation", section 2.4 and
//! algorithm 1).

use crate::TunedWeights;
use crate::error::Error;
use crate::lists::{NBestLists, add, dot};
use metaphrase_metrics::Bleu;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Where BLEU's statistics have the length of the reference.
const REFERENCE_LEN: usize = 1;
/// Where its matches begin, which the totals follow.
const MATCHES: usize = 2;

/// How fast to learn, and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct MiraOptions {
    /// The largest step, C in the paper.
    pub step: f64,
    /// Passes over the sentences, J in the paper; at least one.
    pub passes: usize,
    /// The factor of the background's statistics after each sentence, γ in the paper.
    pub decay: f64,
    /// The same seed gives the same weights.
    pub seed: u64,
}

impl Default for MiraOptions {
    fn default() -> Self {
        Self { step: 0.01, passes: 60, decay: 0.999, seed: 1 }
    }
}

/// Finds weights with which good translations score higher than bad ones, by a margin that is the difference of their
/// BLEU.
///
/// In each pass over the sentences, in random order, the *hope* translation `argmax (w·h + gain)` and the *fear*
/// translation `argmax (w·h - gain)` of a sentence are found, and the weights moved just so far that hope scores as
/// much higher than fear as its gain is higher, but not further than `step` allows. The gain is that of Chiang et al.
/// 2008: the BLEU that a translation gives to a background of recent hope translations, in reference words. The result
/// is the mean weights of all steps up to the end of that pass with the highest corpus score on the lists.
///
/// # Errors
/// Lists without translations, or another number of weights than of features.
pub fn mira(lists: &NBestLists, bleu: &Bleu, start: &[f64], options: &MiraOptions) -> Result<TunedWeights, Error> {
    lists.check(start)?;
    let mut learner = Learner {
        lists,
        weights: start.to_vec(),
        // The counts of one reference of one word, so that no precision is 0.
        background: vec![1.0; lists.statistics()],
    };
    let mut best: Option<TunedWeights> = None;
    let mut sums = vec![0.0; start.len()];
    let mut steps = 0.0;
    let mut order: Vec<usize> = (0..lists.sentences()).filter(|&sentence| lists.len_of(sentence) > 0).collect();
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    for _ in 0..options.passes.max(1) {
        order.shuffle(&mut random);
        for &sentence in &order {
            learner.learn(sentence, options);
            sums.iter_mut().zip(&learner.weights).for_each(|(sum, weight)| *sum += weight);
            steps += 1.0;
        }
        let weights: Vec<f64> = sums.iter().map(|sum| sum / steps).collect();
        let score = lists.score(bleu, &weights);
        // The first weights do not compete: weights that suit these lists may suit no others.
        if best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(TunedWeights { weights, score });
        }
    }
    best.ok_or(Error::Empty)
}

struct Learner<'a> {
    lists: &'a NBestLists,
    weights: Vec<f64>,
    /// Statistics of a text of some length, for sentences to be judged in.
    background: Vec<f64>,
}

impl Learner<'_> {
    /// A step for a sentence.
    fn learn(&mut self, sentence: usize, options: &MiraOptions) {
        let Some([hope, fear]) = self.hope_and_fear(sentence) else { return };
        let difference: Vec<f64> = {
            let features = |number| self.lists.features_of(sentence, number);
            features(hope.number)
                .iter()
                .zip(features(fear.number))
                .map(|(&h, &f)| f64::from(h) - f64::from(f))
                .collect()
        };
        let loss = (hope.gain - fear.gain) - (hope.score - fear.score);
        let length: f64 = difference.iter().map(|d| d * d).sum();
        if loss > 0.0 && length > 0.0 {
            let step = options.step.min(loss / length);
            self.weights.iter_mut().zip(&difference).for_each(|(weight, d)| *weight += step * d);
        }
        add(&mut self.background, self.lists.statistics_of(sentence, hope.number));
        self.background.iter_mut().for_each(|count| *count *= options.decay);
    }

    fn hope_and_fear(&self, sentence: usize) -> Option<[RatedTranslation; 2]> {
        let judged: Vec<RatedTranslation> =
            (0..self.lists.len_of(sentence)).map(|number| self.judge(sentence, number)).collect();
        let hope = self.lists.best(sentence, |number| judged[number].score + judged[number].gain)?;
        let fear = self.lists.best(sentence, |number| judged[number].score - judged[number].gain)?;
        Some([judged[hope], judged[fear]])
    }

    fn judge(&self, sentence: usize, number: usize) -> RatedTranslation {
        let statistics = self.lists.statistics_of(sentence, number);
        let score = dot(&self.weights, self.lists.features_of(sentence, number));
        RatedTranslation { number, score, gain: gain(&self.background, statistics) }
    }
}

/// BLEU of a translation together with the background, in words of the reference. No smoothing: the background's counts
/// are above 0.
fn gain(background: &[f64], statistics: &[f32]) -> f64 {
    let count = |at: usize| background[at] + f64::from(statistics[at]);
    let orders = (background.len() - MATCHES) / 2;
    // One logarithm for all orders: MIRA spends its time here.
    let precisions: f64 = (0..orders).map(|n| count(MATCHES + n) / count(MATCHES + orders + n)).product();
    let brevity = (1.0 - count(REFERENCE_LEN) / count(0)).min(0.0);
    (precisions.ln() / orders as f64 + brevity).exp() * count(REFERENCE_LEN)
}

/// A translation in the light of the weights and of BLEU.
#[derive(Debug, Clone, Copy)]
struct RatedTranslation {
    number: usize,
    score: f64,
    /// In words.
    gain: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_metrics::{BleuOptions, Metric};

    /// The more words are right the higher is the difference of the two features, by and large; the third is noise.
    fn lists(bleu: &Bleu) -> NBestLists {
        let words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let reference = words.join(" ");
        let mut lists = NBestLists::new(30, 3, bleu.stats_len());
        for sentence in 0..30 {
            for wrong in 0..6 {
                let mut translation = words;
                translation[10 - wrong..].fill("x");
                let mut statistics = vec![0.0; bleu.stats_len()];
                bleu.sentence_stats(&translation.join(" "), &[&reference], &mut statistics);
                let (noise, wrong) = (((sentence * 7 + wrong * 5) % 11) as f32, wrong as f32);
                lists.add(sentence, &[noise - wrong, noise + wrong, (noise * 3.0) % 7.0], &statistics).unwrap();
            }
        }
        lists
    }

    #[test]
    fn a_separable_problem_is_solved() {
        let bleu = Bleu::new(BleuOptions::default()).unwrap();
        let lists = lists(&bleu);
        let start = [-0.1, 0.1, 0.1];
        assert!(lists.score(&bleu, &start) < 60.0);
        let tuned = mira(&lists, &bleu, &start, &MiraOptions::default()).unwrap();
        assert!((tuned.score - 100.0).abs() < 1e-9, "{tuned:?}");
        assert!(tuned.weights[0] > 0.0 && tuned.weights[1] < 0.0);
    }

    #[test]
    fn the_seed_makes_the_result() {
        let bleu = Bleu::new(BleuOptions::default()).unwrap();
        let lists = lists(&bleu);
        // Too few and small steps to be done.
        let run = |seed| {
            let options = MiraOptions { seed, passes: 1, step: 1e-3, ..Default::default() };
            mira(&lists, &bleu, &[0.0, 0.1, 0.1], &options).unwrap()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).weights, run(2).weights);
    }
}

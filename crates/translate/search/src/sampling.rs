//! Drawing a word from the model's distribution.

use metaphrase_base::{OptionFault, UnknownName, WordId};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::str::FromStr;

/// How words are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The words that are drawn from.
    pub from: SamplingPool,
    /// Above 0; lower is sharper, and 1 is the model's own distribution.
    pub temperature: f32,
}

/// The part of the distribution that words are drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingPool {
    /// All words.
    Full,
    /// This number of most probable words, at least 1.
    TopK(usize),
    /// The smallest set of most probable words whose probabilities sum to at least this, above 0 and at most 1.
    Nucleus(f32),
}

/// Reads `full`, `topk:K` or `nucleus:P`; the temperature is 1.
impl FromStr for Sampling {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let pool = match text.split_once(':') {
            None if text == "full" => Some(SamplingPool::Full),
            Some(("topk", k)) => k.parse().ok().map(SamplingPool::TopK),
            Some(("nucleus", p)) => p.parse().ok().map(SamplingPool::Nucleus),
            _ => None,
        };
        pool.filter(|pool| pool.is_possible()).map(|pool| pool.at(1.0)).ok_or_else(|| UnknownName::expected(EXPECTED))
    }
}

const EXPECTED: &str = "full, topk:K with K from 1 up, or nucleus:P with P above 0 and at most 1";

impl SamplingPool {
    /// Draws from these words at a temperature.
    #[must_use]
    pub const fn at(self, temperature: f32) -> Sampling {
        Sampling { from: self, temperature }
    }

    fn is_possible(self) -> bool {
        match self {
            Self::Full => true,
            Self::TopK(k) => k > 0,
            Self::Nucleus(p) => p > 0.0 && p <= 1.0,
        }
    }
}

impl Sampling {
    /// Refuses a pool without words. The temperature is checked as an option of its own.
    pub(crate) fn check(&self) -> Result<(), OptionFault> {
        if self.from.is_possible() {
            return Ok(());
        }
        Err(OptionFault::Value { option: "sampling", found: self.from.to_string(), expected: EXPECTED.to_owned() })
    }
}

/// The text that `FromStr` reads again.
impl fmt::Display for SamplingPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("full"),
            Self::TopK(k) => write!(f, "topk:{k}"),
            Self::Nucleus(p) => write!(f, "nucleus:{p}"),
        }
    }
}

/// Draws words. Reuses its memory.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    /// The V log-probabilities of a row.
    row: Vec<f32>,
    /// At most V words with their unnormalised weights, by falling probability.
    words: Vec<(f32, WordId)>,
}

/// The random numbers of one drawn hypothesis. They depend on the sentence's seed and the draw, never on the batch.
pub(crate) fn generator(seed: u64, draw: usize) -> ChaCha8Rng {
    let mut key = [0u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(draw as u64).to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

impl Sampler {
    /// Room for the V log-probabilities of a row.
    pub(crate) fn row(&mut self, target_words: usize) -> &mut [f32] {
        self.row.resize(target_words, 0.0);
        &mut self.row
    }

    /// Draws from the row that was filled in last: the word and its log-probability. `None` if no word is possible.
    pub(crate) fn draw(
        &mut self,
        sampling: Sampling,
        banned: impl IntoIterator<Item = WordId>,
        rng: &mut impl Rng,
    ) -> Option<(WordId, f32)> {
        for word in banned {
            self.row[word.index()] = f32::NEG_INFINITY;
        }
        let Sampling { from, temperature } = sampling;
        let best = self.row.iter().copied().filter(|x| !x.is_nan()).fold(f32::NEG_INFINITY, f32::max);
        if best == f32::NEG_INFINITY {
            return None;
        }
        self.words.clear();
        let weighted = self.row.iter().enumerate().filter(|(_, x)| **x > f32::NEG_INFINITY);
        self.words.extend(weighted.map(|(word, x)| (((x - best) / temperature).exp(), WordId::new(word))));
        let by_weight = |a: &(f32, WordId), b: &(f32, WordId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        match from {
            SamplingPool::Full => {}
            SamplingPool::TopK(k) if k < self.words.len() => {
                self.words.select_nth_unstable_by(k - 1, by_weight);
                self.words.truncate(k);
            }
            SamplingPool::TopK(_) => {}
            SamplingPool::Nucleus(p) => {
                self.words.sort_unstable_by(by_weight);
                let wanted = p * self.words.iter().map(|w| w.0).sum::<f32>();
                let mut mass = 0.0;
                let kept = self.words.iter().take_while(|w| {
                    let wanted_more = mass < wanted;
                    mass += w.0;
                    wanted_more
                });
                let kept = kept.count().max(1);
                self.words.truncate(kept);
            }
        }
        // Summed in the order of the ids, which depends on the row alone: the same draw in any batch.
        self.words.sort_unstable_by_key(|w| w.1);
        let total: f32 = self.words.iter().map(|w| w.0).sum();
        let mut left = rng.random::<f32>() * total;
        let drawn = self.words.iter().find(|w| {
            left -= w.0;
            left < 0.0
        });
        let word = drawn.or(self.words.last())?.1;
        Some((word, self.row[word.index()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_is_read_or_explained() {
        for (text, pool) in [
            ("full", SamplingPool::Full),
            ("topk:10", SamplingPool::TopK(10)),
            ("nucleus:0.9", SamplingPool::Nucleus(0.9)),
        ] {
            assert_eq!((text.parse(), pool.to_string().as_str()), (Ok(pool.at(1.0)), text));
        }
        for wrong in ["", "topk", "topk:0", "topk:x", "nucleus:0", "nucleus:1.5", "nucleus:nan", "full:3"] {
            assert!(wrong.parse::<Sampling>().is_err(), "{wrong}");
        }
    }

    /// Probabilities 0.5, 0.3, 0.15, 0.05.
    fn draws(sampling: Sampling, excluded: &[WordId]) -> [usize; 4] {
        let mut sampler = Sampler::default();
        let mut rng = generator(7, 0);
        let mut counts = [0; 4];
        for _ in 0..10_000 {
            sampler.row(4).copy_from_slice(&[0.3f32.ln(), 0.5f32.ln(), 0.05f32.ln(), 0.15f32.ln()]);
            let (word, log_prob) = sampler.draw(sampling, excluded.iter().copied(), &mut rng).unwrap();
            assert!(log_prob > -4.0);
            counts[word.index()] += 1;
        }
        counts
    }

    #[test]
    fn draws_follow_the_distribution() {
        let counts = draws(SamplingPool::Full.at(1.0), &[]);
        for (count, expected) in counts.iter().zip([3000usize, 5000, 500, 1500]) {
            assert!(count.abs_diff(expected) < 200, "{counts:?}");
        }
    }

    #[test]
    fn only_the_best_words_are_drawn() {
        assert_eq!(draws(SamplingPool::TopK(2).at(1.0), &[])[2..], [0, 0]);
        assert_eq!(draws(SamplingPool::Nucleus(0.9).at(1.0), &[])[2], 0);
        assert!(draws(SamplingPool::Nucleus(0.9).at(1.0), &[])[3] > 0);
        assert_eq!(draws(SamplingPool::Full.at(1.0), &[WordId(1)])[1], 0);
        let sharp = draws(SamplingPool::Full.at(0.05), &[]);
        assert!(sharp[1] > 9_990, "{sharp:?}");
    }
}

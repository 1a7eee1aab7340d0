//! Scores of phrase pairs.

use super::ExtractOptions;
use super::count::PairCounts;
use super::lexicon::Lexicon;
use super::links::PhraseLinks;
use super::ranks::Ranks;
use super::smoothing::{CountCounts, Marginal, Smoother};
use metaphrase_base::WordId;

/// Computes scores.
pub(crate) struct Scorer<'a> {
    smoother: Smoother,
    min_probability: f64,
    lexicon: &'a Lexicon,
    ranks: &'a [Ranks; 2],
}

/// The four scores of Moses' phrase tables, probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scores {
    /// p(source phrase | target phrase)
    pub backward: f64,
    /// Its lexical weight.
    pub lexical_backward: f64,
    /// p(target phrase | source phrase)
    pub forward: f64,
    /// Its lexical weight.
    pub lexical_forward: f64,
}

impl<'a> Scorer<'a> {
    pub fn new(options: &ExtractOptions, counts: &CountCounts, lexicon: &'a Lexicon, ranks: &'a [Ranks; 2]) -> Self {
        let smoother = Smoother::new(options.smoothing, counts);
        Self { smoother, min_probability: options.min_probability, lexicon, ranks }
    }

    /// The scores of a phrase pair, unless it is too improbable. Phrases are ranks without separators.
    pub fn score(
        &self,
        source: &[u32],
        target: &[u32],
        pair: &PairCounts,
        source_marginal: Marginal,
    ) -> Option<Scores> {
        let forward = self.smoother.probability(pair.count, pair.target, source_marginal);
        if forward < self.min_probability {
            return None;
        }
        let words = |side: usize, phrase: &[u32]| -> Vec<_> {
            phrase.iter().filter_map(|&rank| self.ranks[side].word(rank)).collect()
        };
        let (source, target) = (words(0, source), words(1, target));
        Some(Scores {
            backward: self.smoother.probability(pair.count, source_marginal, pair.target),
            lexical_backward: self.lexical_backward(&source, &target, pair.links),
            forward,
            lexical_forward: self.lexical_forward(&source, &target, pair.links),
        })
    }

    /// For each target word the mean over its links of p(target word | source word); without links that given NULL
    /// (Koehn, Och and Marcu 2003, equation 8).
    fn lexical_forward(&self, source: &[WordId], target: &[WordId], links: PhraseLinks) -> f64 {
        let word = |(at, &target): (usize, &WordId)| {
            let linked = links.sources(at).map(|s| self.lexicon.forward(Some(source[s]), Some(target)));
            mean(linked).unwrap_or_else(|| self.lexicon.forward(None, Some(target)))
        };
        target.iter().enumerate().map(word).product()
    }

    fn lexical_backward(&self, source: &[WordId], target: &[WordId], links: PhraseLinks) -> f64 {
        let word = |(at, &source): (usize, &WordId)| {
            let linked = links.targets(at).map(|t| self.lexicon.backward(Some(source), Some(target[t])));
            mean(linked).unwrap_or_else(|| self.lexicon.backward(Some(source), None))
        };
        source.iter().enumerate().map(word).product()
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

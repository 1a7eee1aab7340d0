//! Word translation probabilities by relative frequency of links.

use crate::corpus::Corpus;
use crate::{Alignment, Pair};
use metaphrase_base::{SixDigits, WordId, Words};
use std::collections::HashMap;
use std::io::{self, Write};

/// A word, or the lack of one.
type Partner = Option<WordId>;

/// How often words are linked, and how often a word has no link.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    pairs: HashMap<(Partner, Partner), u32>,
    source: HashMap<Partner, u32>,
    target: HashMap<Partner, u32>,
}

/// A translation of a source word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Translation {
    /// The source word.
    pub source: WordId,
    /// The target word.
    pub target: WordId,
    /// Probability of the target word given the source word.
    pub probability: f64,
}

impl Lexicon {
    /// Counts the links of a corpus; alignments are inside their sentence pairs.
    pub fn count(corpus: &Corpus, alignments: &[Alignment]) -> Self {
        let mut lexicon = Self::default();
        for (at, alignment) in alignments.iter().enumerate() {
            lexicon.add(corpus.pair(at), alignment);
        }
        lexicon
    }

    fn add(&mut self, pair: Pair<'_>, alignment: &Alignment) {
        let (mut source, mut target) = (vec![false; pair.source.len()], vec![false; pair.target.len()]);
        for link in alignment.links() {
            let (s, t) = (link.source as usize, link.target as usize);
            (source[s], target[t]) = (true, true);
            self.add_link(Some(pair.source[s]), Some(pair.target[t]));
        }
        for (&word, linked) in pair.source.iter().zip(source) {
            if !linked {
                self.add_link(Some(word), None);
            }
        }
        for (&word, linked) in pair.target.iter().zip(target) {
            if !linked {
                self.add_link(None, Some(word));
            }
        }
    }

    fn add_link(&mut self, source: Partner, target: Partner) {
        for count in [
            self.pairs.entry((source, target)).or_default(),
            self.source.entry(source).or_default(),
            self.target.entry(target).or_default(),
        ] {
            *count = count.saturating_add(1);
        }
    }

    /// The lexicon of the other direction.
    pub fn inverted(&self) -> Self {
        let pairs = self.pairs.iter().map(|(&(source, target), &count)| ((target, source), count)).collect();
        Self { pairs, source: self.target.clone(), target: self.source.clone() }
    }

    /// p(target|source); `None` is NULL.
    pub fn forward(&self, source: Partner, target: Partner) -> f64 {
        self.ratio((source, target), self.source.get(&source))
    }

    /// p(source|target).
    pub fn backward(&self, source: Partner, target: Partner) -> f64 {
        self.ratio((source, target), self.target.get(&target))
    }

    fn ratio(&self, pair: (Partner, Partner), total: Option<&u32>) -> f64 {
        let count = self.pairs.get(&pair).copied().unwrap_or(0);
        total.map_or(0.0, |&total| f64::from(count) / f64::from(total))
    }

    /// The `best` most probable translations of each source word, or all: by source word, then from the most to the
    /// least probable, equal ones by target word.
    pub fn translations(&self, best: Option<usize>) -> Vec<Translation> {
        let translation = |(source, target): (Partner, Partner)| {
            Some(Translation { source: source?, target: target?, probability: self.forward(source, target) })
        };
        let mut all: Vec<Translation> = self.pairs.keys().copied().filter_map(translation).collect();
        all.sort_by(|a, b| {
            a.source.cmp(&b.source).then(b.probability.total_cmp(&a.probability)).then(a.target.cmp(&b.target))
        });
        if let Some(best) = best {
            let (mut word, mut rank) = (None, 0);
            all.retain(|translation| {
                rank = if word.replace(translation.source) == Some(translation.source) { rank + 1 } else { 0 };
                rank < best
            });
        }
        all
    }
}

/// Writes translations as Marian reads them for a shortlist (`lex.s2t`): `target source probability`.
pub(crate) fn write_translations(
    writer: &mut impl Write,
    translations: &[Translation],
    [source, target]: [&Words; 2],
) -> io::Result<()> {
    translations.iter().try_for_each(|Translation { source: s, target: t, probability }| {
        writeln!(writer, "{} {} {}", target.text(*t), source.text(*s), SixDigits(*probability))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_their_lack_are_counted() {
        let mut corpus = Corpus::default();
        corpus.push("das haus ja", "the house");
        corpus.push("das buch", "a book now");
        corpus.push("das", "the");
        let links: Vec<Alignment> = ["0-0 1-1", "0-0 1-1", "0-0"].iter().map(|line| line.parse().unwrap()).collect();
        let lexicon = Lexicon::count(&corpus, &links);
        let (das, the) = (corpus.source_words().id("das"), corpus.target_words().id("the"));
        assert_eq!(lexicon.forward(das, the), 2.0 / 3.0);
        assert_eq!(lexicon.backward(das, the), 1.0);
        assert_eq!(lexicon.forward(corpus.source_words().id("ja"), None), 1.0);
        assert_eq!(lexicon.forward(None, corpus.target_words().id("now")), 1.0);
        assert_eq!(lexicon.forward(das, None), 0.0);
        let write = |best| {
            let mut text = Vec::new();
            let words = [corpus.source_words(), corpus.target_words()];
            write_translations(&mut text, &lexicon.translations(best), words).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(write(None), "the das 0.666667\na das 0.333333\nhouse haus 1\nbook buch 1\n");
        assert_eq!(write(Some(1)), "the das 0.666667\nhouse haus 1\nbook buch 1\n");
    }
}

//! A metric: additive statistics of sentences, and a score from their sum.

use crate::{Arithmetic, Error, ReferenceCount, References, Score};
use metaphrase_base::{Choice, Named};

/// The metrics, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricName {
    /// [`Bleu`](crate::Bleu).
    Bleu,
    /// [`Chrf`](crate::Chrf) of characters.
    Chrf,
    /// [`Chrf`](crate::Chrf) of characters and words.
    ChrfPlusPlus,
    /// [`Ter`](crate::Ter).
    Ter,
}

impl Choice for MetricName {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Bleu, "bleu", "BLEU"),
        Named::new(Self::Chrf, "chrf", "chrF, of characters"),
        Named::new(Self::ChrfPlusPlus, "chrf++", "chrF++, of characters and words"),
        Named::new(Self::Ter, "ter", "TER, translation edit rate"),
    ];
}

/// A corpus-level metric.
///
/// A metric reduces each sentence to a row of numbers. The score of a text is computed from the sum of its rows; the
/// samples of a significance test are scored in the same way.
pub trait Metric {
    /// The name with which the score is printed, as `BLEU` or `chrF2++`.
    fn name(&self) -> String;

    /// The options that influence the score, in the order of the signature.
    fn settings(&self) -> Vec<Setting>;

    /// The number of statistics of a sentence.
    fn stats_len(&self) -> usize;

    /// Writes the statistics of one sentence, `stats_len()` of them; there is at least one reference.
    fn sentence_stats(&self, hypothesis: &str, references: &[&str], stats: &mut [f64]);

    /// The score of a text from the sums of its sentences' statistics, computed with the given arithmetic.
    fn value(&self, sums: &[f64], arithmetic: Arithmetic) -> f64;

    /// The text printed after the score, empty for most metrics.
    fn details(&self, _sums: &[f64]) -> String {
        String::new()
    }

    /// The arithmetic of the scores of samples, see [`Metric::value`].
    fn sample_arithmetic(&self) -> Arithmetic;

    /// Value and details.
    fn score(&self, sums: &[f64]) -> Score {
        Score {
            name: self.name(),
            value: self.value(sums, Arithmetic::Double),
            details: self.details(sums),
            interval: None,
        }
    }

    /// The statistics of every line.
    ///
    /// # Errors
    /// If hypotheses and references have different numbers of lines.
    fn corpus_stats<S: AsRef<str>>(&self, hypotheses: &[S], references: &References<'_>) -> Result<CorpusStats, Error>
    where
        Self: Sized,
    {
        CorpusStats::collect(self, hypotheses, references)
    }

    /// The score of a text.
    ///
    /// # Errors
    /// If hypotheses and references have different numbers of lines.
    fn corpus_score<S: AsRef<str>>(&self, hypotheses: &[S], references: &References<'_>) -> Result<Score, Error>
    where
        Self: Sized,
    {
        Ok(self.score(&self.corpus_stats(hypotheses, references)?.sums()))
    }

    /// The score of one sentence; with BLEU, set `effective_order` for that.
    ///
    /// # Errors
    /// If there is no reference.
    fn sentence_score(&self, hypothesis: &str, references: &[&str]) -> Result<Score, Error> {
        if references.is_empty() {
            return Err(Error::NoReferences);
        }
        let mut stats = vec![0.0; self.stats_len()];
        self.sentence_stats(hypothesis, references, &mut stats);
        Ok(self.score(&stats))
    }
}

/// One option in a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Name in the signature.
    pub key: &'static str,
    /// Name in the short signature.
    pub short_key: &'static str,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// An option with its two names.
    pub fn new(key: &'static str, short_key: &'static str, value: impl Into<String>) -> Self {
        Self { key, short_key, value: value.into() }
    }

    /// An option that is `yes` or `no`.
    pub fn yes_no(key: &'static str, short_key: &'static str, value: bool) -> Self {
        Self::new(key, short_key, if value { "yes" } else { "no" })
    }
}

/// The statistics of every line of a text: `lines × stats_len`.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusStats {
    values: Vec<f64>,
    width: usize,
    references: ReferenceCount,
}

impl CorpusStats {
    /// Reads the statistics of every line.
    ///
    /// # Errors
    /// If hypotheses and references have different numbers of lines.
    pub fn collect<S: AsRef<str>>(
        metric: &dyn Metric,
        hypotheses: &[S],
        references: &References<'_>,
    ) -> Result<Self, Error> {
        if hypotheses.len() != references.len() {
            return Err(Error::HypothesisLines { hypotheses: hypotheses.len(), references: references.len() });
        }
        let width = metric.stats_len();
        let mut values = vec![0.0; hypotheses.len() * width];
        for ((row, hypothesis), references) in values.chunks_exact_mut(width).zip(hypotheses).zip(references.iter()) {
            metric.sentence_stats(hypothesis.as_ref(), references, row);
        }
        Ok(Self { values, width, references: references.per_line() })
    }

    /// Number of lines, at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// The number of statistics of a line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of references of a line.
    pub fn references(&self) -> ReferenceCount {
        self.references
    }

    /// The statistics of each line in turn.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.width)
    }

    /// The sum over all lines, added up in their order.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for row in self.rows() {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        sums
    }
}

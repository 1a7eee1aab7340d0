//! How many pairs were kept and left out, and why, with examples.

use crate::filter::Reason;
use metaphrase_plot::{Chart, Series, svg};
use serde::Serialize;
use std::collections::BTreeMap;

/// Examples of each reason that a source's report has.
const SAMPLES: usize = 3;

/// Counts of a corpus: pairs read, left out and written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The sources in the recipe's order.
    pub sources: Vec<SourceReport>,
    /// Pairs of the development set.
    pub dev: usize,
    /// Noisy pairs that were added.
    pub noisy: usize,
    /// Pairs with terms in the source.
    pub with_terms: usize,
    /// Pairs of the training text, repeated and noisy ones and those with terms included.
    pub written: usize,
}

/// Counts of a source.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SourceReport {
    /// Its name.
    pub name: String,
    /// The recipe's words on its licence.
    pub licence: Option<String>,
    /// Pairs that were read.
    pub read: usize,
    /// Pairs that were left out, by reason.
    pub left_out: BTreeMap<Reason, usize>,
    /// Examples of pairs that were left out, by reason.
    pub samples: BTreeMap<Reason, Vec<Sample>>,
    /// Pairs set aside for the development set and for the source's test set.
    pub held_out: [usize; 2],
    /// Different pairs of the training text.
    pub kept: usize,
    /// Words of these, of source and target, at white space.
    pub words: [usize; 2],
    /// Pairs whose agreement is from 0 to 0.05, from 0.05 to 0.1, …; empty without an alignment.
    pub agreement: Vec<usize>,
    /// How often the training text has each on average.
    pub times: f64,
}

/// A pair that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// Its line, from 1.
    pub line: usize,
    /// Its source, shortened.
    pub source: String,
    /// Its target, shortened.
    pub target: String,
}

impl Report {
    /// The agreement of the words of each source's pairs, as SVG; `None` without an alignment.
    #[must_use]
    pub fn picture(&self) -> Option<String> {
        let share = |source: &SourceReport| {
            let all = source.agreement.iter().sum::<usize>().max(1) as f64;
            let points = (0..).zip(&source.agreement);
            points.map(|(at, &count)| (f64::from(at) / 20.0 + 0.025, 100.0 * count as f64 / all)).collect()
        };
        let sources = self.sources.iter().filter(|source| !source.agreement.is_empty());
        let series: Vec<_> =
            sources.map(|source| Series { name: source.name.clone(), points: share(source) }).collect();
        (!series.is_empty()).then(|| {
            let title = "Agreement of the words of a pair, by source".into();
            svg(&[Chart { title, x: "agreement", y: "% of the source's pairs", series, joined: true }])
        })
    }
}

impl SourceReport {
    pub(crate) fn leave_out(&mut self, reason: Reason, line: usize, [source, target]: [&str; 2]) {
        *self.left_out.entry(reason).or_default() += 1;
        let samples = self.samples.entry(reason).or_default();
        if samples.len() < SAMPLES {
            let [source, target] = [source, target].map(metaphrase_base::shown);
            samples.push(Sample { line: line + 1, source, target });
        }
    }
}

//! TER, the translation edit rate (Snover et al. 2006, "A Study of Translation Edit Rate with Targeted Human
//! Annotation").
//!
//! Edits are insertions, deletions, substitutions and shifts of word sequences, each at the cost of one. The best
//! sequence of shifts is hard to find, so every program has heuristics. The heuristics here are sacreBLEU's: Tercom's,
//! with other limits.

mod edit;
pub(crate) mod options;
mod shift;

pub use options::TerOptions;

use crate::metric::Setting;
use crate::tokenize::tercom;
use crate::words::Numbering;
use crate::{Arithmetic, Metric, pytext};

/// The TER metric: edits for each 100 words of the reference; lower is better.
///
/// Statistics of a sentence: edits to the reference that needs the fewest, and the mean length of the references.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ter {
    options: TerOptions,
}

impl Ter {
    /// TER with these options.
    pub fn new(options: TerOptions) -> Self {
        Self { options }
    }

    /// The options.
    pub fn options(&self) -> &TerOptions {
        &self.options
    }

    fn tokenize(&self, line: &str) -> String {
        tercom(pytext::trim_end(line), &self.options)
    }
}

impl Metric for Ter {
    fn name(&self) -> String {
        "TER".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("case", "c", if self.options.case_sensitive { "mixed" } else { "lc" }),
            Setting::new("tok", "t", "tercom"),
            Setting::yes_no("norm", "nr", self.options.normalized),
            Setting::yes_no("punct", "pn", !self.options.no_punct),
            Setting::yes_no("asian", "as", self.options.asian_support),
        ]
    }

    fn stats_len(&self) -> usize {
        2
    }

    fn sentence_stats(&self, hypothesis: &str, references: &[&str], stats: &mut [f64]) {
        let hypothesis = self.tokenize(hypothesis);
        let references: Vec<String> = references.iter().map(|line| self.tokenize(line)).collect();
        let mut words = Numbering::default();
        let hypothesis = words.numbers(&hypothesis);
        let (mut fewest, mut length) = (usize::MAX, 0);
        for reference in &references {
            let reference = words.numbers(reference);
            fewest = fewest.min(shift::edits(&hypothesis, &reference));
            length += reference.len();
        }
        stats[0] = fewest as f64;
        stats[1] = length as f64 / references.len() as f64;
    }

    /// 100 for words against an empty reference, however many.
    fn value(&self, sums: &[f64], arithmetic: Arithmetic) -> f64 {
        let (edits, length) = (sums[0], sums[1]);
        let rate = if length > 0.0 {
            arithmetic.round(edits / length)
        } else if edits > 0.0 {
            1.0
        } else {
            0.0
        };
        arithmetic.round(100.0 * rate)
    }

    fn sample_arithmetic(&self) -> Arithmetic {
        Arithmetic::Single
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(hypothesis: &str, references: &[&str]) -> [f64; 2] {
        let mut stats = [0.0; 2];
        Ter::default().sentence_stats(hypothesis, references, &mut stats);
        stats
    }

    #[test]
    fn fewest_edits_and_mean_length_of_several_references() {
        assert_eq!(stats("a b c", &["a b c d", "x", ""]), [1.0, 5.0 / 3.0]);
    }

    #[test]
    fn case_is_ignored_unless_asked_for() {
        assert_eq!(stats("Ein HAUS", &["ein Haus"]), [0.0, 2.0]);
        let cased = Ter::new(TerOptions { case_sensitive: true, ..TerOptions::default() });
        assert_eq!(cased.sentence_score("Ein HAUS", &["ein Haus"]).unwrap().value, 100.0);
    }

    #[test]
    fn empty_sides() {
        let score =
            |hypothesis: &str, reference: &str| Ter::default().sentence_score(hypothesis, &[reference]).unwrap().value;
        assert_eq!(score("", ""), 0.0);
        assert_eq!(score("a b c", ""), 100.0);
        assert_eq!(score("", "a b"), 100.0);
        assert_eq!(score("a b c d", "x y"), 200.0);
    }
}

//! BLEU (Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation").

use crate::metric::Setting;
use crate::ngrams::Ngrams;
use crate::words::Numbering;
use crate::{Arithmetic, Error, Metric, Tokenizer, pytext};
use std::sync::Arc;

/// The highest n-gram order that is accepted. The counts of higher orders are zero on any real text.
const MAX_ORDER: usize = 100;

/// The options of [`Bleu`]; the defaults are those of sacreBLEU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BleuOptions {
    /// How lines are split into words.
    pub tokenizer: Tokenizer,
    /// Whether case is ignored.
    pub lowercase: bool,
    /// The replacement of a precision of zero.
    pub smoothing: Smoothing,
    /// The highest n-gram order that is counted, N in the paper.
    pub max_order: usize,
    /// Whether orders that the hypothesis is too short for are left out of the mean; for the score of a sentence.
    pub effective_order: bool,
}

impl Default for BleuOptions {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::V13a,
            lowercase: false,
            smoothing: Smoothing::Exp,
            max_order: 4,
            effective_order: false,
        }
    }
}

/// The precision of an order without a match (Chen & Cherry 2014, "A Systematic Comparison of Smoothing Techniques for
/// Sentence-Level BLEU").
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Smoothing {
    /// The precision stays zero, and with it the score.
    None,
    /// The number of matches is this number instead of zero (method 1; 0.1 in the paper).
    Floor(f64),
    /// This number is added to matches and totals of all orders above 1 (method 2; 1 in the paper).
    AddK(f64),
    /// The first order without a match counts 1/2 match, the second 1/4, and so on (method 3; NIST's mteval).
    Exp,
}

impl Smoothing {
    /// The method of sacreBLEU's name (`none`, `floor`, `add-k`, `exp`), with this value or the method's default.
    ///
    /// # Errors
    /// If there is no method of this name. `none` and `exp` ignore the value, as sacreBLEU does.
    pub fn from_name(name: &str, value: Option<f64>) -> Result<Self, Error> {
        match name {
            "none" => Ok(Self::None),
            "floor" => Ok(Self::Floor(value.unwrap_or(0.1))),
            "add-k" => Ok(Self::AddK(value.unwrap_or(1.0))),
            "exp" => Ok(Self::Exp),
            _ => Err(Error::Option {
                option: "the smoothing method",
                found: format!("'{name}'"),
                allowed: "choose none, floor, add-k or exp",
            }),
        }
    }

    fn signature(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Floor(value) => format!("floor[{value:.2}]"),
            Self::AddK(value) => format!("add-k[{value:.2}]"),
            Self::Exp => "exp".to_owned(),
        }
    }
}

/// The BLEU metric.
///
/// Statistics of a sentence: length of the hypothesis, length of the reference closest to it, then matches for n = 1 to
/// N, then n-grams of the hypothesis for n = 1 to N.
#[derive(Clone)]
pub struct Bleu {
    options: BleuOptions,
    pieces: Option<Pieces>,
}

/// A tokeniser that the caller brings: its name in signatures, and the line with white space between its words.
#[derive(Clone)]
struct Pieces {
    name: &'static str,
    split: Arc<dyn Fn(&str) -> String + Send + Sync>,
}

/// The parts of a BLEU score.
#[derive(Debug, Clone, PartialEq)]
pub struct BleuParts {
    /// The score, 0 to 100.
    pub score: f64,
    /// Per cent of the hypothesis' n-grams that match, by order, after smoothing.
    pub precisions: Vec<f64>,
    /// The brevity penalty, 0 to 1.
    pub brevity_penalty: f64,
    /// Words of the hypothesis.
    pub hypothesis_len: u64,
    /// Words of the closest references.
    pub reference_len: u64,
}

impl BleuParts {
    /// Length of the hypothesis in relation to the reference, 0 where that is empty.
    pub fn ratio(&self) -> f64 {
        if self.reference_len == 0 { 0.0 } else { self.hypothesis_len as f64 / self.reference_len as f64 }
    }
}

impl Bleu {
    /// BLEU with these options.
    ///
    /// # Errors
    /// If the order is 0 or above 100, or the smoothing value negative or not finite.
    pub fn new(options: BleuOptions) -> Result<Self, Error> {
        if !(1..=MAX_ORDER).contains(&options.max_order) {
            let found = options.max_order.to_string();
            return Err(Error::Option { option: "BLEU's highest order", found, allowed: "it has to be 1 to 100" });
        }
        if let Smoothing::Floor(value) | Smoothing::AddK(value) = options.smoothing
            && !(value.is_finite() && value >= 0.0)
        {
            let (found, allowed) = (value.to_string(), "it has to be a finite number, zero or more");
            return Err(Error::Option { option: "the smoothing value", found, allowed });
        }
        Ok(Self { options, pieces: None })
    }

    /// Splits lines by `split` instead of the tokeniser of the options; `name` is its name in signatures.
    #[must_use]
    pub fn split_by(self, name: &'static str, split: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { pieces: Some(Pieces { name, split: Arc::new(split) }), ..self }
    }

    /// The options.
    pub fn options(&self) -> &BleuOptions {
        &self.options
    }

    /// The score and its parts, from summed statistics.
    pub fn parts(&self, sums: &[f64], arithmetic: Arithmetic) -> BleuParts {
        let order = self.options.max_order;
        let (hypothesis_len, reference_len) = (sums[0], sums[1]);
        let (matches, totals) = sums[2..].split_at(order);
        let brevity_penalty = brevity_penalty(hypothesis_len, reference_len);
        let (precisions, counted) = self.precisions(matches, totals, arithmetic);
        // `sum / counted` and not a product of roots: the order of operations decides the last bit.
        let score = if matches.iter().any(|&matches| matches > 0.0) {
            brevity_penalty * (precisions[..counted].iter().map(|&p| floored_ln(p)).sum::<f64>() / counted as f64).exp()
        } else {
            0.0
        };
        BleuParts {
            score,
            precisions,
            brevity_penalty,
            hypothesis_len: hypothesis_len as u64,
            reference_len: reference_len as u64,
        }
    }

    /// Smoothed precisions in per cent, and how many of them make up the score.
    fn precisions(&self, matches: &[f64], totals: &[f64], arithmetic: Arithmetic) -> (Vec<f64>, usize) {
        let round = |x| arithmetic.round(x);
        let mut precisions = vec![0.0; matches.len()];
        let mut counted = matches.len();
        if matches.iter().all(|&matches| matches == 0.0) {
            return (precisions, counted);
        }
        let mut halvings = 1.0;
        for (i, (&matches, &total)) in matches.iter().zip(totals).enumerate() {
            let added = match self.options.smoothing {
                Smoothing::AddK(k) if i > 0 => round(k),
                _ => 0.0,
            };
            let (matches, total) = (round(matches + added), round(total + added));
            if total == 0.0 {
                break;
            }
            if self.options.effective_order {
                counted = i + 1;
            }
            precisions[i] = match self.options.smoothing {
                _ if matches > 0.0 => round(round(100.0 * matches) / total),
                Smoothing::Exp => {
                    halvings *= 2.0;
                    round(100.0 / round(halvings * total))
                }
                Smoothing::Floor(value) => round(round(100.0 * value) / total),
                _ => 0.0,
            };
        }
        (precisions, counted)
    }

    /// The line with white space between its words.
    fn tokenize(&self, line: &str) -> String {
        let line = pytext::lowercased(line, self.options.lowercase);
        let line = pytext::trim_end(&line);
        match &self.pieces {
            Some(pieces) => (pieces.split)(line),
            None => self.options.tokenizer.tokenize(line),
        }
    }
}

impl Metric for Bleu {
    fn name(&self) -> String {
        "BLEU".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("case", "c", if self.options.lowercase { "lc" } else { "mixed" }),
            Setting::yes_no("eff", "e", self.options.effective_order),
            Setting::new(
                "tok",
                "tok",
                self.pieces.as_ref().map_or(self.options.tokenizer.name(), |pieces| pieces.name),
            ),
            Setting::new("smooth", "s", self.options.smoothing.signature()),
        ]
    }

    fn stats_len(&self) -> usize {
        2 + 2 * self.options.max_order
    }

    fn sentence_stats(&self, hypothesis: &str, references: &[&str], stats: &mut [f64]) {
        let order = self.options.max_order;
        let hypothesis = self.tokenize(hypothesis);
        let references: Vec<String> = references.iter().map(|line| self.tokenize(line)).collect();
        let mut words = Numbering::default();
        let hypothesis = Ngrams::new(words.numbers(&hypothesis), order);

        // Matches of each distinct n-gram, clipped by the reference that has it most often; `order × len`.
        let mut clipped = vec![0u32; order * hypothesis.len()];
        let mut reference_lens = Vec::with_capacity(references.len());
        for reference in &references {
            let reference = Ngrams::new(words.numbers(reference), order);
            reference_lens.push(reference.len());
            for n in 1..=order {
                let row = (n - 1) * hypothesis.len();
                hypothesis.shared(&reference, n, |place, own, others| {
                    let matches = &mut clipped[row + place];
                    *matches = (*matches).max(own.min(others) as u32);
                });
            }
        }

        let (lens, counts) = stats.split_at_mut(2);
        lens[0] = hypothesis.len() as f64;
        lens[1] = closest(hypothesis.len(), &reference_lens) as f64;
        let (matches, totals) = counts.split_at_mut(order);
        for n in 1..=order {
            let row = &clipped[(n - 1) * hypothesis.len()..n * hypothesis.len()];
            matches[n - 1] = row.iter().map(|&matches| f64::from(matches)).sum();
            totals[n - 1] = hypothesis.count(n) as f64;
        }
    }

    fn value(&self, sums: &[f64], arithmetic: Arithmetic) -> f64 {
        self.parts(sums, arithmetic).score
    }

    fn details(&self, sums: &[f64]) -> String {
        let parts = self.parts(sums, Arithmetic::Double);
        let precisions: Vec<String> = parts.precisions.iter().map(|p| format!("{p:.1}")).collect();
        format!(
            "{} (BP = {:.3} ratio = {:.3} hyp_len = {} ref_len = {})",
            precisions.join("/"),
            parts.brevity_penalty,
            parts.ratio(),
            parts.hypothesis_len,
            parts.reference_len
        )
    }

    /// The logarithms of the f32 precisions are taken, and the score computed, in f64.
    fn sample_arithmetic(&self) -> Arithmetic {
        Arithmetic::Double
    }
}

/// BP of the paper, section 2.2.2.
fn brevity_penalty(hypothesis_len: f64, reference_len: f64) -> f64 {
    if hypothesis_len >= reference_len {
        1.0
    } else if hypothesis_len > 0.0 {
        (1.0 - reference_len / hypothesis_len).exp()
    } else {
        0.0
    }
}

/// The natural logarithm, with sacreBLEU's stand-in for that of zero.
fn floored_ln(x: f64) -> f64 {
    if x == 0.0 { -9_999_999_999.0 } else { x.ln() }
}

/// The length that is closest to `len`, the shorter one of two that are equally close.
fn closest(len: usize, lens: &[usize]) -> usize {
    lens.iter().copied().min_by_key(|&other| (other.abs_diff(len), other)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bleu(smoothing: Smoothing) -> Bleu {
        Bleu::new(BleuOptions { smoothing, ..BleuOptions::default() }).unwrap()
    }

    fn stats(hypothesis: &str, references: &[&str]) -> Vec<f64> {
        let mut stats = vec![0.0; 10];
        bleu(Smoothing::Exp).sentence_stats(hypothesis, references, &mut stats);
        stats
    }

    #[test]
    fn matches_are_clipped_by_the_richest_reference() {
        // The paper's example 2, section 2.1.
        let references = ["The cat is on the mat .", "There is a cat on the mat ."];
        let expected = [7.0, 7.0, 1.0, 0.0, 0.0, 0.0, 7.0, 6.0, 5.0, 4.0];
        assert_eq!(stats("the the the the the the the", &references), expected);
        let twice = ["the the a b c d e", "x the y z u v w"];
        assert_eq!(stats("the the the the the the the", &twice)[2], 2.0);
    }

    #[test]
    fn the_closest_reference_counts_and_the_shorter_of_two() {
        assert_eq!(closest(5, &[7, 3, 9]), 3);
        assert_eq!(closest(5, &[9, 6, 3]), 6);
        assert_eq!(stats("a b c", &["a", "a b c d e", ""])[1], 1.0);
    }

    #[test]
    fn smoothing_replaces_matches_that_are_missing() {
        // 4 words, 2 of them right, no right pair.
        let sums = [4.0, 4.0, 2.0, 0.0, 0.0, 0.0, 4.0, 3.0, 2.0, 1.0];
        let precisions = |smoothing| bleu(smoothing).parts(&sums, Arithmetic::Double).precisions;
        assert_eq!(precisions(Smoothing::None), [50.0, 0.0, 0.0, 0.0]);
        assert_eq!(precisions(Smoothing::Floor(0.3)), [50.0, 30.0 / 3.0, 30.0 / 2.0, 30.0]);
        assert_eq!(precisions(Smoothing::AddK(1.0)), [50.0, 100.0 / 4.0, 100.0 / 3.0, 100.0 / 2.0]);
        assert_eq!(precisions(Smoothing::Exp), [50.0, 100.0 / 6.0, 100.0 / 8.0, 100.0 / 8.0]);
        assert_eq!(bleu(Smoothing::None).value(&sums, Arithmetic::Double), 0.0);
    }

    #[test]
    fn effective_order_leaves_out_what_a_short_sentence_can_not_have() {
        let options = BleuOptions { effective_order: true, ..BleuOptions::default() };
        let score = |options| Bleu::new(options).unwrap().sentence_score("a b", &["a b"]).unwrap().value;
        assert!((score(options) - 100.0).abs() < 1e-9);
        assert!(score(BleuOptions::default()) < 1e-9);
    }

    #[test]
    fn nothing_scores_nothing() {
        let score = bleu(Smoothing::Exp).sentence_score("", &["a b c"]).unwrap();
        assert_eq!(score.value, 0.0);
        assert_eq!(score.details, "0.0/0.0/0.0/0.0 (BP = 0.000 ratio = 0.000 hyp_len = 0 ref_len = 3)");
    }

    #[test]
    fn options_out_of_range_are_refused() {
        assert!(Bleu::new(BleuOptions { max_order: 0, ..BleuOptions::default() }).is_err());
        let smoothing = Smoothing::from_name("floor", Some(-0.1)).unwrap();
        assert!(Bleu::new(BleuOptions { smoothing, ..BleuOptions::default() }).is_err());
        assert_eq!(Smoothing::from_name("add-k", None), Ok(Smoothing::AddK(1.0)));
        assert!(Smoothing::from_name("laplace", None).is_err());
    }
}

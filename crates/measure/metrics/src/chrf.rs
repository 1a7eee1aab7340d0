//! chrF (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation") and chrF++ (Popović 2017, "chrF++:
//! words helping character n-grams").

use crate::metric::Setting;
use crate::ngrams::Ngrams;
use crate::words::Numbering;
use crate::{Arithmetic, Error, Metric, pytext};

/// The highest n-gram order that is accepted, and the highest beta.
const MAX_ORDER: usize = 100;

/// The options of [`Chrf`]; the defaults are those of sacreBLEU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChrfOptions {
    /// The highest order of character n-grams.
    pub char_order: usize,
    /// The highest order of word n-grams: 0 for chrF, 2 for chrF++.
    pub word_order: usize,
    /// The weight of recall, as a multiple of the weight of precision; 0 scores precision alone.
    pub beta: u32,
    /// Whether case is ignored.
    pub lowercase: bool,
    /// Whether white space belongs to the character n-grams.
    pub whitespace: bool,
    /// Whether the score is the mean of the orders' F-scores, as in the authors' script; an order that one side lacks
    /// counts almost zero. Otherwise the score is the F-score of the mean precision and the mean recall of the orders
    /// that both sides have.
    pub eps_smoothing: bool,
}

impl Default for ChrfOptions {
    fn default() -> Self {
        Self { char_order: 6, word_order: 0, beta: 2, lowercase: false, whitespace: false, eps_smoothing: false }
    }
}

/// The chrF metric.
///
/// Statistics of a sentence, for each order of characters and then of words: the number of n-grams of the hypothesis,
/// of n-grams of the reference, and of matches. Of several references the one with the highest score counts.
#[derive(Debug, Clone)]
pub struct Chrf {
    options: ChrfOptions,
}

impl Chrf {
    /// chrF with these options.
    ///
    /// # Errors
    /// If both orders are 0, or one of them or beta is above 100.
    pub fn new(options: ChrfOptions) -> Result<Self, Error> {
        let ChrfOptions { char_order, word_order, beta, .. } = options;
        if char_order.max(word_order) > MAX_ORDER || char_order.max(word_order) == 0 {
            return Err(Error::Option {
                option: "chrF's pair of character and word order",
                found: format!("{char_order} and {word_order}"),
                allowed: "one of them has to be 1 to 100 and the other at most 100",
            });
        }
        if beta as usize > MAX_ORDER {
            let found = beta.to_string();
            return Err(Error::Option { option: "chrF's beta", found, allowed: "it has to be 0 to 100" });
        }
        Ok(Self { options })
    }

    /// The options.
    pub fn options(&self) -> &ChrfOptions {
        &self.options
    }

    /// Number of orders, of characters and words together.
    fn orders(&self) -> usize {
        self.options.char_order + self.options.word_order
    }

    /// F_beta over all orders, 0 to 100.
    fn f_score(&self, stats: &[f64], arithmetic: Arithmetic) -> f64 {
        const EPS: f64 = 1e-16;
        let round = |x| arithmetic.round(x);
        let factor = f64::from(self.options.beta).powi(2);
        // None if both are 0; with a beta of 0 also if the recall is.
        let f = |p, r| {
            let sum = round(round(factor * p) + r);
            (sum > 0.0).then(|| round(round(round((1.0 + factor) * p) * r) / sum))
        };
        let (mut sum_f, mut sum_p, mut sum_r, mut counted) = (0.0, 0.0, 0.0, 0.0);
        for order in stats.chunks_exact(3) {
            let (hypothesis, reference, matches) = (order[0], order[1], order[2]);
            let p = if hypothesis > 0.0 { round(matches / hypothesis) } else { EPS };
            let r = if reference > 0.0 { round(matches / reference) } else { EPS };
            sum_f = round(sum_f + f(p, r).unwrap_or(EPS));
            if hypothesis > 0.0 && reference > 0.0 {
                (sum_p, sum_r, counted) = (round(sum_p + p), round(sum_r + r), counted + 1.0);
            }
        }
        if self.options.eps_smoothing {
            return round(round(100.0 * sum_f) / self.orders() as f64);
        }
        if counted == 0.0 {
            return 0.0;
        }
        round(100.0 * f(round(sum_p / counted), round(sum_r / counted)).unwrap_or(0.0))
    }

    /// The n-grams of characters and those of words.
    fn ngrams<'a>(&self, line: &'a str, words: &mut Numbering<'a>) -> [Ngrams; 2] {
        let chars = line.chars().filter(|&c| self.options.whitespace || !pytext::is_space(c)).map(u32::from).collect();
        let words = match self.options.word_order {
            0 => Vec::new(),
            _ => pytext::words(line).flat_map(split_punctuation).flatten().map(|word| words.number(word)).collect(),
        };
        [Ngrams::new(chars, self.options.char_order), Ngrams::new(words, self.options.word_order)]
    }

    /// Number of n-grams and of matches, order by order.
    fn count(&self, hypothesis: &[Ngrams; 2], reference: &[Ngrams; 2], stats: &mut [f64]) {
        let orders = [self.options.char_order, self.options.word_order];
        let mut rows = stats.chunks_exact_mut(3);
        for ((hypothesis, reference), order) in hypothesis.iter().zip(reference).zip(orders) {
            for (n, row) in (1..=order).zip(&mut rows) {
                let mut matches = 0;
                hypothesis.shared(reference, n, |_, own, others| matches += own.min(others));
                let expected = reference.count(n);
                // No fault of the hypothesis to have an order that the reference is too short for.
                row[0] = if expected == 0 { 0.0 } else { hypothesis.count(n) as f64 };
                row[1] = expected as f64;
                row[2] = matches as f64;
            }
        }
    }
}

impl Metric for Chrf {
    fn name(&self) -> String {
        format!("chrF{}{}", self.options.beta, "+".repeat(self.options.word_order))
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("case", "c", if self.options.lowercase { "lc" } else { "mixed" }),
            Setting::yes_no("eff", "e", !self.options.eps_smoothing),
            Setting::new("nc", "nc", self.options.char_order.to_string()),
            Setting::new("nw", "nw", self.options.word_order.to_string()),
            Setting::yes_no("space", "s", self.options.whitespace),
        ]
    }

    fn stats_len(&self) -> usize {
        3 * self.orders()
    }

    fn sentence_stats(&self, hypothesis: &str, references: &[&str], stats: &mut [f64]) {
        let case = |line| pytext::lowercased(line, self.options.lowercase);
        let hypothesis = case(hypothesis);
        let references: Vec<_> = references.iter().map(|line| case(line)).collect();
        let mut words = Numbering::default();
        let hypothesis = self.ngrams(&hypothesis, &mut words);
        let mut best = f64::NEG_INFINITY;
        let mut row = vec![0.0; stats.len()];
        for reference in &references {
            let reference = self.ngrams(reference, &mut words);
            self.count(&hypothesis, &reference, &mut row);
            let score = self.f_score(&row, Arithmetic::Double);
            if score > best {
                best = score;
                stats.copy_from_slice(&row);
            }
        }
    }

    fn value(&self, sums: &[f64], arithmetic: Arithmetic) -> f64 {
        self.f_score(sums, arithmetic)
    }

    fn sample_arithmetic(&self) -> Arithmetic {
        Arithmetic::Single
    }
}

/// A word, and the ASCII punctuation mark at its end or else at its beginning.
///
/// One mark and one side only, so `(hi)` is `(hi` and `)`: as in the authors' script.
fn split_punctuation(word: &str) -> [Option<&str>; 2] {
    let mut chars = word.chars();
    let (first, last) = (chars.next(), chars.next_back());
    match (first, last) {
        (Some(_), Some(last)) if last.is_ascii_punctuation() => {
            let (word, mark) = word.split_at(word.len() - 1);
            [Some(word), Some(mark)]
        }
        (Some(first), Some(_)) if first.is_ascii_punctuation() => {
            let (mark, word) = word.split_at(1);
            [Some(mark), Some(word)]
        }
        _ => [Some(word), None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chrf(options: ChrfOptions) -> Chrf {
        Chrf::new(options).unwrap()
    }

    #[test]
    fn one_mark_is_split_off_on_one_side() {
        assert_eq!(split_punctuation("(hi)"), [Some("(hi"), Some(")")]);
        assert_eq!(split_punctuation("(é"), [Some("("), Some("é")]);
        assert_eq!(split_punctuation("é."), [Some("é"), Some(".")]);
        assert_eq!(split_punctuation("."), [Some("."), None]);
        assert_eq!(split_punctuation("…"), [Some("…"), None]);
    }

    #[test]
    fn matches_are_counted_by_order() {
        let metric = chrf(ChrfOptions { char_order: 2, word_order: 1, ..ChrfOptions::default() });
        let mut stats = [0.0; 9];
        metric.sentence_stats("ab a", &["ab b"], &mut stats);
        // a b a / a b b; ab ba / ab bb; "ab" "a" / "ab" "b"
        assert_eq!(stats, [3.0, 3.0, 2.0, 2.0, 2.0, 1.0, 2.0, 2.0, 1.0]);
        // Mean precision and recall (2/3 + 1/2 + 1/2) / 3.
        assert!((metric.value(&stats, Arithmetic::Double) - 100.0 * 5.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn orders_that_one_side_lacks_do_not_count() {
        let score = |options, hypothesis: &str, reference: &str| {
            chrf(options).sentence_score(hypothesis, &[reference]).unwrap().value
        };
        assert_eq!(score(ChrfOptions::default(), "ab", "ab"), 100.0);
        let eps = ChrfOptions { eps_smoothing: true, ..ChrfOptions::default() };
        assert!((score(eps, "ab", "ab") - 200.0 / 6.0).abs() < 1e-9);
        assert_eq!(score(ChrfOptions::default(), "", "ab"), 0.0);
        assert_eq!(score(ChrfOptions::default(), "ab", ""), 0.0);
    }

    #[test]
    fn a_beta_of_zero_scores_precision() {
        let options = ChrfOptions { beta: 0, char_order: 1, ..ChrfOptions::default() };
        let score = |options, hypothesis: &str| chrf(options).sentence_score(hypothesis, &["abcd"]).unwrap().value;
        assert_eq!(score(options.clone(), "ab"), 100.0);
        assert_eq!(score(options.clone(), "xa"), 50.0);
        assert_eq!((score(options.clone(), "x"), score(options.clone(), "")), (0.0, 0.0));
        assert_eq!(score(ChrfOptions { eps_smoothing: true, ..options }, ""), 1e-14);
    }

    #[test]
    fn orders_are_checked() {
        let none = ChrfOptions { char_order: 0, ..ChrfOptions::default() };
        assert!(Chrf::new(none).is_err());
        assert!(Chrf::new(ChrfOptions { beta: 101, ..ChrfOptions::default() }).is_err());
        assert_eq!(chrf(ChrfOptions { word_order: 2, ..ChrfOptions::default() }).name(), "chrF2++");
    }
}

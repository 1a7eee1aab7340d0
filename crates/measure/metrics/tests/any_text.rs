//! What holds for any text, however odd.

use metaphrase_metrics::{Bleu, BleuOptions, Chrf, ChrfOptions, Metric, Ter, TerOptions, Tokenizer};
use proptest::prelude::*;

fn metrics() -> Vec<Box<dyn Metric>> {
    use Tokenizer::{Char, Intl, None, V13a, Zh};
    let mut metrics: Vec<Box<dyn Metric>> = Vec::new();
    for tokenizer in [V13a, Intl, Char, Zh, None] {
        let options = BleuOptions { tokenizer, effective_order: true, ..BleuOptions::default() };
        metrics.push(Box::new(Bleu::new(options).expect("order 4")));
    }
    for whitespace in [false, true] {
        let options = ChrfOptions { word_order: 2, whitespace, ..ChrfOptions::default() };
        metrics.push(Box::new(Chrf::new(options).expect("orders 6 and 2")));
    }
    for on in [false, true] {
        let options = TerOptions { normalized: on, no_punct: on, asian_support: on, case_sensitive: !on };
        metrics.push(Box::new(Ter::new(options)));
    }
    metrics
}

proptest! {
    #[test]
    fn scores_are_in_their_range(hypothesis in ".{0,60}", reference in ".{0,60}", second in "[ab .,&-]{0,40}") {
        for metric in metrics() {
            let score = metric.sentence_score(&hypothesis, &[&reference, &second]).expect("references");
            let highest = if metric.name() == "TER" { f64::INFINITY } else { 100.0 + 1e-9 };
            prop_assert!((0.0..=highest).contains(&score.value), "{score:?}");
        }
    }

    #[test]
    fn a_line_is_its_own_perfect_translation(line in "[a-zäß一二 .,&;'-]{0,60}") {
        for metric in metrics() {
            let score = metric.sentence_score(&line, &[&line]).expect("a reference").value;
            match metric.name().as_str() {
                "TER" => prop_assert_eq!(score, 0.0),
                // Nothing but spaces has no n-grams.
                _ => prop_assert!(score == 0.0 || (score - 100.0).abs() < 1e-9, "{} {score}", metric.name()),
            }
        }
    }
}

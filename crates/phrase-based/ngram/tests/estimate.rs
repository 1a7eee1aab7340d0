//! Estimated models are those of lmplz with any memory limit; bad texts and options are refused.

use metaphrase_ngram::{Discounts, EstimateOptions, EstimateReport, LmError, Model, arpa, estimate};
use std::path::Path;

/// The output of `lmplz -o 3 --prune 0 0 1 < text.en`, KenLM at commit 4cb443e (2025-03-30).
const GOLDEN: &str = include_str!("../../../../testdata/ngram/lmplz.arpa");
const TEXT: &str = include_str!("../../../../testdata/ngram/text.en");

fn run(text: &str, options: &EstimateOptions) -> Result<(String, EstimateReport), LmError> {
    let mut arpa = Vec::new();
    let report = estimate(&mut text.as_bytes(), Path::new("text.en"), options, &mut arpa, Path::new("lm.arpa"))?;
    Ok((String::from_utf8(arpa).expect("ARPA text"), report))
}

fn options(order: usize, prune: &[u64]) -> EstimateOptions {
    EstimateOptions { order, prune: prune.to_vec(), ..EstimateOptions::default() }
}

/// The same lines but for the last digits of numbers.
fn assert_same(arpa: &str, expected: &str) {
    assert_eq!(arpa.lines().count(), expected.lines().count());
    for (line, expected) in arpa.lines().zip(expected.lines()) {
        let (fields, expected_fields) = (line.split('\t'), expected.split('\t'));
        assert_eq!(fields.clone().count(), expected_fields.clone().count(), "{line} for {expected}");
        for (field, expected) in fields.zip(expected_fields) {
            match (field.parse::<f64>(), expected.parse::<f64>()) {
                (Ok(got), Ok(number)) => assert!((got - number).abs() < 1e-5, "{line} for {expected}"),
                _ => assert_eq!(field, expected),
            }
        }
    }
}

#[test]
fn as_lmplz() {
    let (arpa, report) = run(TEXT, &options(3, &[0, 0, 1])).expect("a model");
    assert_same(&arpa, GOLDEN);
    assert_eq!((report.sentences, report.words), (400, TEXT.split_whitespace().count() as u64));
}

/// Memory for a handful of records means hundreds of temporary files; threads cut differently.
#[test]
fn the_same_in_any_memory_and_on_any_number_of_threads() {
    for prune in [&[][..], &[0, 1, 2]] {
        let plenty = run(TEXT, &options(4, prune)).expect("a model").0;
        for (memory, threads) in [(40_000, 1), (200_000, 3), (1 << 20, 2)] {
            let options = EstimateOptions { memory, threads, ..options(4, prune) };
            assert_eq!(run(TEXT, &options).expect("a model").0, plenty, "{memory} bytes, {threads} threads");
        }
    }
}

/// After every history of the model the probabilities of all words but `<s>` sum to 1.
#[test]
fn probabilities_sum_to_one() {
    for (order, prune) in [(1, &[][..]), (2, &[]), (3, &[0, 0, 1]), (4, &[0, 1, 1, 2]), (6, &[])] {
        let text: String = TEXT.lines().take(150).flat_map(|line| [line, "\n"]).collect();
        let options = EstimateOptions { fallback: Some(Discounts([0.5, 1.0, 1.5])), ..options(order, prune) };
        let (arpa, _) = run(&text, &options).expect("a model");
        let model = arpa::read_from(arpa.as_bytes(), Path::new("lm.arpa")).expect("a sound model");
        for line in text.lines().take(10) {
            let mut state = model.begin();
            for word in line.split(' ') {
                assert_sums_to_one(&model, &state);
                state = model.score(&state, model.vocabulary().id(word)).1;
            }
        }
    }
}

fn assert_sums_to_one(model: &Model, state: &metaphrase_ngram::State) {
    let context = model.context(state);
    let words = (0..model.vocabulary().len()).filter(|&word| word != 1);
    let sum: f64 = words.map(|word| 10f64.powf(context.score(metaphrase_ngram::WordId::new(word)).into())).sum();
    assert!((sum - 1.0).abs() < 1e-4, "order {}, {state:?}: {sum}", model.order());
}

#[test]
fn white_space_and_empty_lines() {
    let spaced = TEXT.replace(' ', " \t  ").replace('\n', " \r\n");
    assert_eq!(run(&spaced, &options(3, &[])).expect("a model").0, run(TEXT, &options(3, &[])).expect("a model").0);
    let with_empty = run(&format!("\n{TEXT}\n"), &options(2, &[])).expect("a model").0;
    assert!(with_empty.contains("\t<s> </s>"), "an empty line is a sentence without words");
    let no_end = run(TEXT.trim_end(), &options(2, &[])).expect("a model").0;
    assert_eq!(no_end, run(TEXT, &options(2, &[])).expect("a model").0);
}

#[test]
fn what_is_refused() {
    let message = |text: &str, options: &EstimateOptions| run(text, options).expect_err("it is bad").to_string();
    let three = options(3, &[]);
    assert_eq!(message("", &three), "text.en: the text has no words to estimate a model from");
    assert!(message("a b\nc <s> d\n", &three).starts_with("text.en, line 2: the word <s> has a meaning of its own"));
    let skipping = EstimateOptions { skip_symbols: true, ..options(3, &[]) };
    let marked = TEXT.replace(' ', " <s> ");
    assert_eq!(run(&marked, &skipping).expect("a model").0, run(TEXT, &three).expect("a model").0);
    let expected =
        "text.en: the counts of 1-grams give no discounts, no n-gram has a count of 2: is the text small, artificial";
    assert!(message("a b\n", &three).starts_with(expected), "{}", message("a b\n", &three));
    assert_eq!(message(TEXT, &options(7, &[])), "text.en: models have an order from 1 to 6, not 7");
    assert!(message(TEXT, &options(2, &[1])).contains("words are never pruned"));
    assert!(message(TEXT, &options(3, &[0, 2, 1])).contains("pruning thresholds must not fall"));
    assert!(message(TEXT, &options(2, &[0, 0, 1])).contains("3 pruning thresholds for a model of order 2"));
    let nowhere = EstimateOptions { memory: 10_000, temporary: "/no/such/folder".into(), ..options(3, &[]) };
    assert!(message(TEXT, &nowhere).starts_with("/no/such/folder: cannot write a temporary file in: "));
}

/// A disk that fills up, as Linux shows it.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let (text, mut full) = (&mut TEXT.as_bytes(), full);
    let result = estimate(text, Path::new("text.en"), &options(3, &[]), &mut full, Path::new("/dev/full"));
    let message = result.expect_err("nothing can be written").to_string();
    assert!(message.starts_with("/dev/full: cannot write: No space left on device"), "{message}");
}

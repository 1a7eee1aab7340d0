//! Any hypotheses and references, with zero bytes between, under every metric.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::text::texts;
use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, Format, Metric, References, ReportOptions, Ter, TerOptions, Tokenizer,
    evaluate,
};

fuzz_target!(|input: &[u8]| {
    let [options, hypotheses, references, others] = texts(input);
    let mut bits = options.bytes().fold(0_u32, |bits, byte| bits << 5 ^ u32::from(byte));
    let mut bit = || {
        bits = bits.rotate_right(1);
        bits & 1 == 1
    };
    let tokenizers = [Tokenizer::V13a, Tokenizer::Intl, Tokenizer::Char, Tokenizer::Zh, Tokenizer::None];
    let mut metrics: Vec<Box<dyn Metric>> = Vec::new();
    for tokenizer in tokenizers {
        let options = BleuOptions { tokenizer, lowercase: bit(), effective_order: bit(), ..BleuOptions::default() };
        metrics.push(Box::new(Bleu::new(options).expect("order 4")));
    }
    for word_order in [0, 2] {
        let (lowercase, whitespace, eps_smoothing) = (bit(), bit(), bit());
        let options = ChrfOptions { word_order, lowercase, whitespace, eps_smoothing, ..ChrfOptions::default() };
        metrics.push(Box::new(Chrf::new(options).expect("orders 6 and 2")));
    }
    let options = TerOptions { normalized: bit(), no_punct: bit(), asian_support: bit(), case_sensitive: bit() };
    metrics.push(Box::new(Ter::new(options)));

    for metric in &metrics {
        let score = metric.sentence_score(&hypotheses, &[&references, &others]).expect("references");
        let highest = if metric.name() == "TER" { f64::INFINITY } else { 100.0 + 1e-9 };
        assert!((0.0..=highest).contains(&score.value), "{score:?}");
    }
    let [hypotheses, references, others] = [&hypotheses, &references, &others].map(|text| text.split('\n').take(8));
    let hypotheses: Vec<_> = hypotheses.collect();
    let count = hypotheses.len();
    // A reference for every line, whatever was given.
    let fill = |lines: Vec<&'_ str>| {
        lines.into_iter().map(str::to_owned).chain(std::iter::repeat("a b c".into())).take(count).collect()
    };
    let sets: [Vec<String>; 2] = [fill(references.collect()), fill(others.collect())];
    let references = References::new(&sets).expect("sets of one length");
    for format in [Format::Text, Format::Json] {
        let options = ReportOptions { format, confidence: Some(3), ..ReportOptions::default() };
        evaluate(&metrics, &hypotheses, &references, &options).expect("as many hypotheses as references");
    }
});

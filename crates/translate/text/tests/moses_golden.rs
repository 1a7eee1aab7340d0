//! The Moses tools give what sacremoses 0.2.0 gives, on lines that are hard for tokenisers.
//!
//! `testdata/text/make_golden.py` renews the expectations.

use std::path::PathBuf;

use metaphrase_text::moses::{
    MosesDetokenizer, MosesTokenizer, ProtectedPatterns, PunctuationNormalizer, TokenizerOptions,
};

fn lines(name: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split_terminator('\n').map(str::to_owned).collect()
}

#[track_caller]
fn check(input: &str, tool: &str, lang: &str, convert: impl Fn(&str) -> String) {
    let expected = lines(&format!("golden/hard.{lang}.{tool}"));
    let input = lines(input);
    assert_eq!(input.len(), expected.len());
    for (line, expected) in input.iter().zip(&expected) {
        assert_eq!(convert(line), *expected, "{tool} {lang} {line:?}");
    }
}

#[test]
fn tokenizer() {
    let default = TokenizerOptions::default;
    let variants = [
        ("tokenize", default()),
        ("tokenize-raw", TokenizerOptions { escape: false, ..default() }),
        ("tokenize-dashes", TokenizerOptions { aggressive_dashes: true, ..default() }),
        ("tokenize-basic", TokenizerOptions { protected: ProtectedPatterns::basic(), ..default() }),
        ("tokenize-web", TokenizerOptions { protected: ProtectedPatterns::web(), ..default() }),
    ];
    for lang in ["en", "de", "fr"] {
        for (tool, options) in &variants {
            let tokenizer = MosesTokenizer::with_options(lang, options.clone());
            check("hard.txt", tool, lang, |line| tokenizer.tokenize_line(line));
            check("hard.txt", tool, lang, |line| tokenizer.tokenize(line).join(" "));
        }
    }
}

#[test]
fn detokenizer() {
    for lang in ["en", "de", "fr"] {
        let detokenizer = MosesDetokenizer::new(lang);
        let input = format!("golden/hard.{lang}.tokenize");
        check(&input, "detokenize", lang, |line| detokenizer.detokenize_line(line));
    }
}

#[test]
fn normalizer() {
    for lang in ["en", "de", "fr"] {
        let normalizer = PunctuationNormalizer::new(lang);
        check("hard.txt", "normalize", lang, |line| normalizer.normalize(line));
    }
}

/// Quadratic time would be hours for such lines.
#[test]
fn long_lines_take_linear_time() {
    let start = std::time::Instant::now();
    let options = TokenizerOptions { protected: ProtectedPatterns::web(), ..Default::default() };
    let tokenizers = [MosesTokenizer::new("en"), MosesTokenizer::with_options("fr", options)];
    let normalizer = PunctuationNormalizer::new("de");
    for piece in [".", "'", ",", "a'", "a.", "DOT", " ", "\" ", "<a ", "a-", "1,", "@", "中"] {
        let line = piece.repeat(300_000);
        for tokenizer in &tokenizers {
            let tokens = tokenizer.tokenize(&line);
            MosesDetokenizer::new("en").detokenize(&tokens);
        }
        normalizer.normalize(&line);
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

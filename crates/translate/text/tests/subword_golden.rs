//! Truecasing and byte-pair encoding give what sacremoses 0.2.0 and subword-nmt 0.3.8 give.
//!
//! `testdata/text/make_golden.py` renews the expectations.

use std::path::PathBuf;

use metaphrase_text::bpe::{Bpe, BpeVocabulary};
use metaphrase_text::moses::{
    FirstWords, MosesTokenizer, Truecaser, TruecaserOptions, TruecaserTrainer, detruecase_line,
};

const LANGUAGES: [&str; 3] = ["en", "de", "fr"];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Compares what `convert` makes of each line of the input with a golden file.
#[track_caller]
fn check(lang: &str, input: &str, expected: &str, convert: impl Fn(&str) -> String) {
    let name = format!("golden/sample.{lang}.{expected}");
    let (input, expected) = (text(input), text(&name));
    assert_eq!(input.lines().count(), expected.lines().count(), "{name}");
    for (line, expected) in input.lines().zip(expected.lines()) {
        assert_eq!(convert(line), expected, "{name} {line:?}");
    }
}

#[test]
fn truecaser() {
    for lang in LANGUAGES {
        let tokenised = format!("golden/sample.{lang}.tokenize");
        let tokenizer = MosesTokenizer::new(lang);
        check(lang, &format!("sample.{lang}"), "tokenize", |line| tokenizer.tokenize_line(line));

        let model = format!("golden/sample.{lang}.truecase-model");
        let mut trainer = TruecaserTrainer::new(FirstWords::Skip);
        text(&tokenised).lines().for_each(|line| trainer.learn_line(line));
        let mut written = Vec::new();
        trainer.finish().write(&mut written).expect("memory");
        assert_eq!(String::from_utf8(written).expect("utf-8"), text(&model));

        let plain = Truecaser::open(path(&model)).expect("a model");
        check(lang, &tokenised, "truecase", |line| plain.truecase_line(line));
        let options = TruecaserOptions { keep_known: true, ..TruecaserOptions::default() };
        let known = plain.with_options(options);
        check(lang, &tokenised, "truecase-known", |line| known.truecase_line(line));
        let truecased = format!("golden/sample.{lang}.truecase");
        check(lang, &truecased, "detruecase", detruecase_line);
    }
}

#[test]
fn byte_pair_encoding() {
    for lang in LANGUAGES {
        let tokenised = format!("golden/sample.{lang}.tokenize");
        let plain = Bpe::open(path(&format!("golden/sample.{lang}.codes"))).expect("codes");
        check(lang, &tokenised, "bpe", |line| plain.segment_line(line));
        for line in text(&tokenised).lines() {
            assert_eq!(plain.join_line(&plain.segment_line(line)), line);
        }

        let vocabulary = path(&format!("golden/sample.{lang}.vocabulary"));
        let vocabulary = BpeVocabulary::open(vocabulary, 3).expect("a vocabulary");
        let filtered = plain.clone().with_vocabulary(vocabulary);
        check(lang, &tokenised, "bpe-vocabulary", |line| filtered.segment_line(line));

        let glossaries = plain.with_glossaries(&["Tom", r"\d+", "&apos;s?"]).expect("valid");
        check(lang, &tokenised, "bpe-glossaries", |line| glossaries.segment_line(line));
    }
}

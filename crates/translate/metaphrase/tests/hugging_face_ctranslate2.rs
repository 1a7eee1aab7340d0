//! Models of Hugging Face's as CTranslate2's converter writes them, in integers of 8 bits, with the files of their
//! tokenisers next to them: translations in f32, greedy and with a beam of four, are those of CTranslate2 4.8.5.
//! `benches/peers/hugging_face.py golden-ctranslate2` made the directories from `testdata/models/hub`, and asked it.

use crate::hugging_face::{folder as original, open, options};
use metaphrase::Request;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[derive(Deserialize)]
struct Golden {
    /// By line: the words of its translation.
    beam1: HashMap<String, Vec<String>>,
    beam4: HashMap<String, Vec<String>>,
    /// Natural logarithms of the probabilities of the greedy translations, of models that begin them with a language.
    log_probs: HashMap<String, f32>,
}

const TOKENIZERS: [&str; 3] = ["tokenizer.json", "tokenizer_config.json", "sentencepiece.bpe.model"];

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/hub-ctranslate2").join(name)
}

fn copy(from: &Path, to: &Path, names: &[&str]) {
    for name in names.iter().filter(|name| from.join(name).is_file()) {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

/// The directory as people have it: with the files of the tokeniser.
fn directory(name: &str) -> TempDir {
    let made = tempfile::tempdir().unwrap();
    copy(&stored(name), made.path(), &["model.bin", "config.json", "shared_vocabulary.json"]);
    copy(&original(name), made.path(), &TOKENIZERS);
    made
}

/// Compares a model, and the same in our own directory, with what CTranslate2 says.
fn check(name: &str, source: Option<&str>, target: Option<&str>) {
    let golden: Golden = serde_json::from_slice(&fs::read(stored(name).join("golden.json")).unwrap()).unwrap();
    let made = directory(name);
    let converted = made.path().join("own");
    metaphrase::convert(made.path(), &converted, metaphrase::StoredPrecision::F32).unwrap();
    for folder in [made.path(), &converted] {
        let translator = metaphrase::Translator::builder().model(folder).threads(1);
        let translator = translator.precision(metaphrase::Precision::F32).build().unwrap();
        for (beam_size, expected) in [(1, &golden.beam1), (4, &golden.beam4)] {
            assert!(!expected.is_empty());
            for (line, expected) in expected {
                let options = options(&translator, source, target, beam_size);
                let found = translator.run(&options, vec![Request::translate(line)]).unwrap().remove(0);
                let best = &found.hypotheses[0];
                if let Some(log_prob) = golden.log_probs.get(line).filter(|_| beam_size == 1) {
                    assert!(
                        (best.log_prob - log_prob).abs() < 1e-3,
                        "{name}: {line:?}: {} and {log_prob}",
                        best.log_prob
                    );
                }
                assert_eq!(&best.pieces, expected, "{name}: {line:?}, beam {beam_size}");
            }
        }
    }
}

#[test]
fn m2m100_equals_ctranslate2() {
    check("m2m100", Some("en"), Some("de"));
}

#[test]
fn mbart50_equals_ctranslate2() {
    check("mbart50", Some("en"), Some("de_DE"));
}

#[test]
fn t5_equals_ctranslate2() {
    check("t5", None, None);
}

#[test]
fn madlad_equals_ctranslate2() {
    check("madlad", None, Some("de"));
}

#[test]
fn languages_come_from_the_list_of_words() {
    let made = directory("m2m100");
    let translator = open(made.path());
    assert_eq!(translator.facts().target_languages.len(), 100);
    assert_eq!(translator.facts().source_languages, translator.facts().target_languages);
    let run = |source, target, request: Request| {
        let found = translator.run(&options(&translator, source, target, 1), vec![request]).unwrap().remove(0);
        found.hypotheses.first().map(|best| best.score.to_bits()).ok_or(found.error)
    };
    let line = || Request::translate("The house is old.");
    let german = run(Some("en"), Some("de"), line()).unwrap();
    assert_ne!(run(Some("en"), Some("fr"), line()).unwrap(), german);
    let own = Request { target_language: Some("de".into()), ..line() };
    assert_eq!(run(Some("en"), Some("fr"), own).unwrap(), german);
    assert!(translator.between("en", "fr").is_ok());
    // The settings of the tokeniser name the language of requests that name none, and another place for it.
    let settings = r#"{"tokenizer_class": "SMALL100Tokenizer", "tgt_lang": "de"}"#;
    fs::write(made.path().join("tokenizer_config.json"), settings).unwrap();
    let small = open(made.path());
    let found = small.run(&options(&small, None, None, 1), vec![line()]).unwrap().remove(0);
    assert!(!found.hypotheses.is_empty());
}

#[test]
fn what_divides_text_has_to_be_there_and_of_the_model() {
    let made = directory("madlad");
    let build = || metaphrase::Translator::builder().model(made.path()).build().map(drop);
    let list = made.path().join("shared_vocabulary.json");
    let changed = fs::read_to_string(&list).unwrap().replace("\"<2fr>\"", "\"<2xx>\"");
    fs::write(&list, changed).unwrap();
    let error = build().unwrap_err().to_string();
    assert!(error.contains("`<2xx>`") && error.contains("`<2fr>`") && error.contains("two models"), "{error}");
    fs::remove_file(made.path().join("tokenizer.json")).unwrap();
    let error = build().unwrap_err().to_string();
    assert!(error.contains("pieces of SentencePiece") && error.contains("tokenizer.json"), "{error}");
}

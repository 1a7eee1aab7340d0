//! Models of Hugging Face's with tokenisers of their own: the words of a line, and translations greedy and with a
//! beam of four, are those of `transformers`. `benches/peers/hugging_face.py` made the models, with random weights,
//! and asked it.

use metaphrase::{Error, Request, Stop, TranslateOptions, Translator};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Golden {
    lines: Vec<String>,
    /// The ids of each line, without those of languages and of the end.
    pieces: Vec<Vec<u32>>,
    /// By line: the ids of its translation.
    beam1: HashMap<String, Vec<u32>>,
    beam4: HashMap<String, Vec<u32>>,
}

/// The longest translation that transformers was asked for; the word of a language counts.
const LONGEST: usize = 12;

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/hub").join(name)
}

pub(crate) fn open(folder: &Path) -> Translator {
    Translator::builder().model(folder).threads(1).build().unwrap()
}

pub(crate) fn options(
    translator: &Translator,
    source: Option<&str>,
    target: Option<&str>,
    beam_size: usize,
) -> TranslateOptions {
    let mut options = translator.options();
    options.source_language = source.map(str::to_owned);
    options.target_language = target.map(str::to_owned);
    (options.allow_unk, options.allow_special) = (true, true);
    let search = &mut options.search;
    (search.beam_size, search.stop, search.normalize) = (beam_size, Stop::Collect, 1.0);
    (search.max_length_factor, search.max_target_length) = (1000.0, LONGEST);
    options
}

/// Compares a model, and the same in our own directory, with what transformers says.
fn check(name: &str, source: Option<&str>, target: Option<&str>, beams: &[usize]) {
    let golden: Golden = serde_json::from_slice(&std::fs::read(folder(name).join("golden.json")).unwrap()).unwrap();
    let own = tempfile::tempdir().unwrap();
    let converted = own.path().join("own");
    metaphrase::convert(folder(name), &converted, metaphrase::StoredPrecision::F32).unwrap();
    for translator in [open(&folder(name)), open(&converted)] {
        for (line, pieces) in golden.lines.iter().zip(&golden.pieces) {
            let mut words: Vec<u32> = translator.segment(line).iter().map(|word| word.0).collect();
            words.pop();
            assert_eq!(&words, pieces, "{name}: {line:?}");
        }
        let [_, vocabulary] = translator.vocabularies().unwrap();
        for &beam_size in beams {
            let expected = if beam_size == 1 { &golden.beam1 } else { &golden.beam4 };
            for (line, ids) in expected {
                let options = options(&translator, source, target, beam_size);
                let found = translator.run(&options, vec![Request::translate(line)]).unwrap().remove(0);
                let expected: Vec<&str> = ids.iter().map(|&id| vocabulary.word(metaphrase_base::WordId(id))).collect();
                assert_eq!(found.hypotheses[0].pieces, expected, "{name}: {line:?}, beam {beam_size}");
            }
        }
    }
}

#[test]
fn m2m100_equals_transformers() {
    check("m2m100", Some("en"), Some("de"), &[1, 4]);
}

#[test]
fn nllb_equals_transformers() {
    check("nllb", Some("eng_Latn"), Some("de"), &[1, 4]);
}

#[test]
fn small100_equals_transformers() {
    check("small100", None, Some("de"), &[1, 4]);
}

#[test]
fn mbart50_equals_transformers() {
    check("mbart50", Some("en"), Some("de_DE"), &[1, 4]);
}

#[test]
fn t5_equals_transformers() {
    // With a beam, transformers may end a translation before its first word, which then takes a place among the four.
    check("t5", None, None, &[1]);
}

#[test]
fn madlad_equals_transformers() {
    check("madlad", None, Some("de"), &[1, 4]);
}

#[test]
fn languages_are_chosen_for_a_model_or_a_line() {
    let translator = open(&folder("nllb"));
    assert_eq!(translator.facts().source_languages.len(), 8);
    assert_eq!(translator.facts().target_languages, translator.facts().source_languages);
    let texts = |options: &TranslateOptions, request: Request| {
        let found = translator.run(options, vec![request]).unwrap().remove(0);
        found.hypotheses.first().map(|best| best.score.to_bits()).ok_or(found.error)
    };
    let line = || Request::translate("The house is old.");
    let german = texts(&options(&translator, Some("en"), Some("de"), 1), line()).unwrap();
    let french = options(&translator, Some("en"), Some("fr"), 1);
    assert_ne!(texts(&french, line()).unwrap(), german);
    let own = Request { target_language: Some("deu_Latn".into()), ..line() };
    assert_eq!(texts(&french, own).unwrap(), german);
    let between = translator.between("en", "de").unwrap();
    let default = TranslateOptions { source_language: None, target_language: None, ..french.clone() };
    assert!(between.options().target_language.as_deref() == Some("de"));
    assert!(matches!(translator.run(&default, vec![line()]), Err(Error::LanguageNeeded { side: "target", .. })));
    let unknown = Request { source_language: Some("xx".into()), ..line() };
    let refused = texts(&french, unknown).unwrap_err().unwrap();
    assert!(refused.contains("`xx`") && refused.contains("zho_Hant"), "{refused}");
    assert!(matches!(translator.between("en", "tlh"), Err(Error::TargetLanguage { .. })));
    // Scores of given translations are those of the words after the language.
    let scored = translator.run(&options(&translator, Some("en"), Some("de"), 1), vec![Request::score("a b", "b c")]);
    let scored = scored.unwrap().remove(0).hypotheses.remove(0);
    assert_eq!(scored.piece_log_probs.len(), scored.pieces.len() + 1);
}

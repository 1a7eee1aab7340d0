//! A language model over target pieces, fused with the model that comes with the program: search maximises the sum of
//! both scores, whatever the strategy, the batch and the constraints.

use metaphrase::{Package, Precision, Request, Strategy, Terms, TranslateOptions, Translator, TranslatorBuilder};
use metaphrase_ngram::{Discounts, EstimateOptions, Model, estimate};
use std::path::{Path, PathBuf};

const WEIGHT: f32 = 0.3;

fn source() -> Vec<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    let mut lines = crate::common::lines(&examples);
    lines.truncate(12);
    lines
}

/// A trigram model of pieces that the program translated itself.
pub fn language_model(folder: &Path, translator: &Translator) -> PathBuf {
    let translations = translator.translate(&source()).expect("translations");
    let pieces = translations.iter().map(|translation| translation.hypotheses[0].pieces.join(" ") + "\n");
    let text: String = pieces.collect();
    let options =
        EstimateOptions { order: 3, fallback: Some(Discounts([0.5, 1.0, 1.5])), ..EstimateOptions::default() };
    let (path, mut arpa) = (folder.join("pieces.arpa"), Vec::new());
    estimate(&mut text.as_bytes(), Path::new("text"), &options, &mut arpa, &path).expect("a language model");
    std::fs::write(&path, arpa).expect("a file");
    path
}

fn builder() -> TranslatorBuilder {
    Translator::builder().model("en-de")
}

/// ln p of pieces and the end of sentence after `<s>`.
fn log_prob(model: &Model, pieces: &[String]) -> f32 {
    let words = pieces.iter().map(|piece| model.vocabulary().id(piece));
    model.sentence(words) as f32 * core::f32::consts::LN_10
}

#[test]
fn log_probabilities_are_sums() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = builder().build().expect("a model");
    let path = language_model(folder.path(), &alone);
    let fused = builder().language_model(&path, WEIGHT).build().expect("a language model");
    let model = Model::open(&path).expect("a language model");
    for (line, translation) in source().iter().zip(fused.translate(&source()).expect("translations")) {
        let found = &translation.hypotheses[0];
        let request = Request { target: Some(found.text.clone()), ..Request::translate(line) };
        let given = alone.run(&alone.options(), vec![request]).expect("scores").remove(0).hypotheses.remove(0);
        assert_eq!(given.pieces, found.pieces);
        let expected = given.log_prob + WEIGHT * log_prob(&model, &found.pieces);
        assert!((found.log_prob - expected).abs() < 1e-3, "{}: {} for {expected}", found.text, found.log_prob);
    }
    let nothing = builder().language_model(&path, 0.0).build().expect("a language model");
    assert_eq!(nothing.translate(&source()).expect("translations"), alone.translate(&source()).expect("translations"));
}

#[test]
fn the_same_in_any_batch_with_all_strategies_and_constraints() {
    for precision in [Precision::F32, Precision::Int8] {
        the_same_in_any_batch(precision);
    }
}

fn the_same_in_any_batch(precision: Precision) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = language_model(folder.path(), &builder().threads(1).batch_tokens(1).build().expect("a model"));
    let [alone, together] = [(1, 1), (2, 128)].map(|(threads, tokens)| {
        let builder = Translator::builder().package(Package::bundled().with_precision(precision));
        let builder = builder.language_model(&path, WEIGHT).threads(threads).batch_tokens(tokens);
        builder.build().expect("a language model")
    });
    let term = Terms::default().require(["Haus"]).avoid("ist");
    let requests = || -> Vec<Request> {
        let request = |(n, line): (usize, &String)| {
            let terms = if n % 2 == 0 { Terms::default() } else { term.clone() };
            Request { terms, ..Request::translate(line) }
        };
        source().iter().enumerate().map(request).collect()
    };
    for strategy in [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        let mut options = TranslateOptions { search: alone.options().search, ..TranslateOptions::default() };
        (options.search.strategy, options.search.beam_size) = (strategy, 4);
        let expected = alone.run(&options, requests()).expect("translations");
        assert_eq!(together.run(&options, requests()).expect("translations"), expected, "{strategy:?}");
        for translation in expected.iter().skip(1).step_by(2) {
            assert!(translation.missing.is_empty() && translation.text().contains("Haus"), "{}", translation.text());
        }
    }
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = folder.path().join("words.arpa");
    let arpa =
        "\\data\\\nngram 1=6\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-1\tGebäude\n-1\tHäuser\n-1\te\n\n\\end\\\n";
    std::fs::write(&words, arpa).expect("a file");
    let refused = |path: &Path, weight: f32| {
        let result = builder().threads(1).language_model(path, weight).build();
        result.err().expect("it can not work").to_string()
    };
    let message = refused(&words, 0.1);
    let expected = "words.arpa: only 1 of the language model's 3 words are target pieces of the translation model; \
                    estimate it on text from `metaphrase tokenize --vocabulary`";
    assert!(message.ends_with(expected), "{message}");
    assert!(refused(Path::new("no-such.arpa"), 0.1).starts_with("no-such.arpa: cannot read"));
    assert_eq!(refused(&words, -0.5), "the weight of a language model is -0.5; it has to be a number from 0 on");
    assert_eq!(refused(&words, f32::NAN), "the weight of a language model is NaN; it has to be a number from 0 on");
}

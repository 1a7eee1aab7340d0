//! A phrase-based model with the same interface as a neural one.

use metaphrase::{AlignmentKind, Error, PhraseOptions, Request, Translation, Translator, TranslatorBuilder};
use std::ops::ControlFlow;
use std::path::Path;

fn builder() -> TranslatorBuilder {
    Translator::builder().phrase_model(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/phrase/tiny"))
}

/// The score of `the house` in two phrases: ln 10 (-0.25 - 0.125 - 0.5).
const SCORE: f32 = -2.01476;

#[test]
fn lines_come_in_order_on_any_number_of_threads() {
    let lines = ["das Haus", "", "Haus das", "der Haus"].repeat(50);
    for threads in [1, 3] {
        let translator = builder().threads(threads).build().expect("a model");
        // The second call reuses the memory of the first.
        for _ in 0..2 {
            let found = translator.translate(&lines).expect("translations");
            let texts: Vec<&str> = found.iter().map(Translation::text).collect();
            assert_eq!(texts, ["the house", "", "the house", "der house"].repeat(50));
        }
    }
}

#[test]
fn translations_have_scores_alignments_and_alternatives() {
    let translator = builder().build().expect("a model");
    let mut options = translator.options();
    options.search.n_best = 5;
    let found = translator.run(&options, vec![Request::translate("Haus das")]).expect("translations").remove(0);
    let texts: Vec<&str> = found.hypotheses.iter().map(|hypothesis| &*hypothesis.text).collect();
    assert_eq!(texts.len(), 4, "house or home, before or after the: {texts:?}");
    assert_eq!(found.hypotheses[0].alignment(AlignmentKind::Hard), [(0, 1), (1, 0)]);
    assert!(found.hypotheses.iter().is_sorted_by(|a, b| a.score >= b.score));
    let best = translator.translate(&["das Haus"]).expect("translations").remove(0);
    assert!((best.hypotheses[0].score - SCORE).abs() < 1e-5, "{}", best.hypotheses[0].score);
    let monotone = PhraseOptions { distortion_limit: Some(0), ..PhraseOptions::default() };
    let translator = builder().phrase_options(monotone).build().expect("a model");
    assert_eq!(translator.translate(&["Haus das"]).expect("translations")[0].text(), "house the");
}

#[test]
fn requests_that_only_a_neural_model_can_answer_are_noted() {
    let translator = builder().build().expect("a model");
    let mut options = translator.options();
    options.max_source_length = 2;
    let requests = vec![
        Request::translate("das Haus").require(["home"]),
        Request::score("das Haus", "the house"),
        Request::translate("das Haus das"),
    ];
    let found = translator.run(&options, requests).expect("answers");
    assert_eq!((found[0].text(), &*found[0].missing), ("the house", &[0][..]));
    assert!(found[0].notes[0].contains("takes neither terms nor a prefix"));
    assert!(found[1].hypotheses.is_empty() && found[1].notes[0].contains("does not score"));
    assert_eq!(found[2].text(), "the house");
    assert!(found[2].notes[0].starts_with("the source has 3 words and is cut off after 2"));
}

#[test]
fn parts_and_options_of_neural_models_are_refused() {
    let refused = |builder: TranslatorBuilder| builder.build().err().expect("a refusal").to_string();
    assert!(refused(builder().model("en-de")).starts_with("a neural model was given to a phrase-based translator"));
    assert!(refused(builder().weights([1.0])).starts_with("a list of ensemble weights was given"));
    assert!(refused(Translator::builder().phrase_model("no-such")).starts_with("cannot read no-such"));
    let translator = builder().build().expect("a model");
    let mut options = translator.options();
    options.search.beam_size = 12;
    let error = translator.run(&options, vec![]).expect_err("no beam");
    assert!(matches!(error, Error::PhraseBased { .. }), "{error}");
}

#[test]
fn a_stream_ends_when_its_sink_breaks() {
    let translator = builder().threads(2).build().expect("a model");
    let mut sunk = 0;
    let chunks = std::iter::repeat_with(|| vec![Request::translate("das Haus")]);
    let sink = |_| {
        sunk += 1;
        if sunk == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    translator.stream(&translator.options(), chunks, sink).expect("a stopped stream is no error");
    assert_eq!(sunk, 3);
}

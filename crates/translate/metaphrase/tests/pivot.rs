//! Translations through a third language: here from English to German and back, because both models come with the
//! program.

use metaphrase::{Cancel, Case, Error, Glossary, Request, TextFormat, TextOptions, Translator};
use std::sync::Arc;
use std::sync::mpsc::channel;

fn leg(model: &str) -> Arc<Translator> {
    Arc::new(Translator::builder().model(model).threads(1).build().expect("a bundled model"))
}

fn there_and_back() -> Translator {
    Translator::pivot(leg("en-de"), leg("de-en"))
}

#[test]
fn a_pivot_is_one_leg_behind_the_other() {
    let (first, last) = (leg("en-de"), leg("de-en"));
    let lines = ["Good morning!", "", "Where is the station?", "The house is old."];
    let between = first.translate(&lines).expect("translations");
    let between: Vec<&str> = between.iter().map(metaphrase::Translation::text).collect();
    let expected = last.translate(&between).expect("translations");
    let pivot = Translator::pivot(Arc::clone(&first), last);
    let found = pivot.translate(&lines).expect("translations");
    for ((found, expected), line) in found.iter().zip(&expected).zip(lines) {
        assert_eq!((found.text(), &found.notes), (expected.text(), &expected.notes));
        assert_eq!(found.hypotheses[0].log_prob.to_bits(), expected.hypotheses[0].log_prob.to_bits());
        assert_eq!(found.source_pieces.is_empty(), line.is_empty());
    }
    assert_eq!(pivot.languages(), Some(&["en".to_owned(), "en".to_owned()]));
    assert_eq!(pivot.segment(lines[0]), first.segment(lines[0]));
}

#[test]
fn terms_hold_on_the_last_leg_and_placeholders_on_both() {
    let pivot = there_and_back().with_glossary(Glossary::parse("house\tcottage\n", Case::Ignore).expect("a glossary"));
    let translate = |input: &str| {
        let options = TextOptions { format: TextFormat::Html, ..TextOptions::default() };
        pivot.translate_text(&pivot.options(), &options, input).expect("a translation")
    };
    let found = translate("<p>The house of {name} is very old, see https://example.org/x.</p>");
    for kept in ["cottage", "{name}", "https://example.org/x"] {
        assert_eq!(found.text().matches(kept).count(), 1, "{kept} in {}", found.text());
    }
    let found = translate("<p>Where is the old <b>station</b>?</p>");
    let bold = found.text().split_once("<b>").and_then(|(_, rest)| rest.split_once("</b>")).map(|(bold, _)| bold);
    assert!(bold.is_some_and(|bold| bold.ends_with("station")), "by the alignments of both legs: {}", found.text());
}

#[test]
fn alignments_are_of_the_first_source() {
    let pivot = there_and_back();
    let options = pivot.with_alignment(&pivot.options());
    let found = pivot.run(&options, vec![Request::translate("The house is old.")]).expect("a translation").remove(0);
    let best = &found.hypotheses[0];
    let attention = best.attention.as_ref().expect("attention");
    assert_eq!(attention.source_len, found.source_pieces.len() + 1);
    assert_eq!(attention.weights.len(), attention.source_len * (best.pieces.len() + 1));
    for row in attention.weights.chunks_exact(attention.source_len) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
    }
}

#[test]
fn what_a_pivot_can_not_do_is_refused() {
    let pivot = there_and_back();
    let options = metaphrase::TranslateOptions { pieces: true, ..pivot.options() };
    assert!(matches!(pivot.run(&options, vec![Request::translate("a")]), Err(Error::Pivot { .. })));
    let scored =
        pivot.run(&pivot.options(), vec![Request::score("Good morning!", "Good morning!")]).expect("an answer");
    assert!(scored[0].error.as_ref().is_some_and(|error| error.contains("do not score")), "{scored:?}");
    let (sender, answers) = channel();
    let cancel = Cancel::new();
    cancel.cancel();
    let answer = move |answer| _ = sender.send(answer);
    pivot.submit(&pivot.options(), Request::translate("Good morning!"), &cancel, answer).expect("on its way");
    assert!(matches!(answers.recv(), Ok(Err(Error::Cancelled))));
    let mut long = pivot.options();
    long.max_source_length = 3;
    let cut =
        pivot.run(&long, vec![Request::translate("The house is old and the garden is large.")]).expect("an answer");
    assert!(cut[0].notes.iter().any(|note| note.starts_with("first leg: the source has ")), "{:?}", cut[0].notes);
}

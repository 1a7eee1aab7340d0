//! Translations in the form of our interface.

use crate::error::Failure;
use crate::pending::{PendingText, SentenceDone};
use crate::words::{Utf16, Words, links};
use metaphrase::{Hypothesis, Met, RequiredTerm};
use serde_json::{Map, Value, json};
use std::ops::Range;
use std::time::Instant;

/// What the answer shows.
#[derive(Clone, Copy)]
pub struct Details {
    /// Words, and which translates which.
    pub alignment: bool,
    /// Probabilities of words.
    pub scores: bool,
}

/// The answer for all texts.
///
/// # Errors
/// As [`PendingText::finish`].
pub fn answer_object(
    texts: &[PendingText],
    shown: Details,
    characters: usize,
    begun: Instant,
) -> Result<Value, Failure> {
    let translations = texts.iter().map(|text| text_object(text, shown)).collect::<Result<Vec<Value>, _>>()?;
    let milliseconds = (begun.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
    Ok(json!({"translations": translations, "characters": characters, "milliseconds": milliseconds}))
}

/// The object of a text.
fn text_object(text: &PendingText, shown: Details) -> Result<Value, Failure> {
    let finished = text.finish()?;
    let mut source_offsets = Utf16::new(text.input());
    let mut target_offsets = Utf16::new(finished.text());
    let (mut met, mut missing) = (0, 0);
    let mut sentences = Vec::with_capacity(text.sentences());
    for number in 0..text.sentences() {
        let Some(sentence) = text.sentence(number) else { continue };
        let mut object = sentence_object(&sentence, shown);
        for (_, place) in sentence.terms() {
            *if place.is_some() { &mut met } else { &mut missing } += 1;
        }
        if let Some(place) = finished.sentences.get(number) {
            add_place(&mut object["source"], &mut source_offsets, &place.source);
            add_place(&mut object["target"], &mut target_offsets, &place.target);
        }
        sentences.push(object);
    }
    let mut object = Map::new();
    object.insert("text".into(), json!(finished.text()));
    object.insert("source".into(), json!(text.source));
    if let Some(detected) = &text.detected {
        object.insert("detected".into(), json!(detected));
    }
    if let Some(through) = &text.through {
        object.insert("through".into(), json!(through));
    }
    object.insert("sentences".into(), json!(sentences));
    object.insert("alternatives".into(), json!(text.alternatives()?));
    object.insert("terms".into(), json!({"met": met, "missing": missing}));
    object.insert("repeated".into(), json!(text.repeated));
    let foreign = text.is_foreign.then(|| "the text is in none of the source languages, and stays as it is".to_owned());
    let notes: Vec<String> = finished.notes.into_iter().chain(foreign).collect();
    object.insert("notes".into(), json!(notes));
    Ok(Value::Object(object))
}

fn add_place(object: &mut Value, offsets: &mut Utf16<'_>, place: &Range<usize>) {
    object["start"] = json!(offsets.units_before(place.start));
    object["end"] = json!(offsets.units_before(place.end));
}

/// The object of a sentence, without its place in the text.
pub fn sentence_object(sentence: &SentenceDone<'_>, shown: Details) -> Value {
    let needs_words = shown.alignment || shown.scores;
    let source = Words::new(sentence.source, &sentence.translation.source_pieces);
    let best = sentence.translation.hypotheses.first().cloned().unwrap_or_default();
    let target = Words::new(&best.text, &best.pieces);
    let mut object = Map::new();
    object.insert("source".into(), json!({"text": sentence.source}));
    object.insert("target".into(), json!({"text": best.text}));
    object.insert("score".into(), json!(best.score));
    object.insert("probability".into(), json!(probability(&best)));
    if needs_words {
        object.insert("source_words".into(), json!(places(sentence.source, &source)));
        object.insert("target_words".into(), words(&best, &target, shown));
        object.insert("alignment".into(), json!(links(&source, &target, &best)));
    }
    let terms: Vec<Value> = sentence
        .terms()
        .into_iter()
        .map(|(term, met)| term_object(term, met, sentence.source, &best, &target))
        .collect();
    object.insert("terms".into(), json!(terms));
    let others = sentence.translation.hypotheses.iter().skip(1).map(|other| {
        let mut object = json!({"text": other.text, "score": other.score, "probability": probability(other)});
        if needs_words {
            let target = Words::new(&other.text, &other.pieces);
            object["target_words"] = words(other, &target, shown);
            object["alignment"] = json!(links(&source, &target, other));
        }
        object
    });
    object.insert("alternatives".into(), others.collect());
    object.insert("check".into(), json!({"numbers": missing_numbers(sentence)}));
    object.insert("notes".into(), json!(sentence.translation.notes));
    Value::Object(object)
}

/// The numbers of the source that the translation lacks.
fn missing_numbers(sentence: &SentenceDone<'_>) -> Vec<Value> {
    let mut offsets = Utf16::new(sentence.source);
    let missing = sentence.translation.missing_numbers.iter();
    missing
        .map(|missing| {
            let (start, end) = (offsets.units_before(missing.range.start), offsets.units_before(missing.range.end));
            json!({"start": start, "end": end, "text": missing.text})
        })
        .collect()
}

/// The geometric mean of the probabilities of the pieces.
fn probability(hypothesis: &Hypothesis) -> f32 {
    (hypothesis.log_prob / hypothesis.piece_log_probs.len().max(1) as f32).exp()
}

fn places(text: &str, words: &Words) -> Vec<Value> {
    let mut offsets = Utf16::new(text);
    words
        .places
        .iter()
        .map(|place| json!({"start": offsets.units_before(place.start), "end": offsets.units_before(place.end)}))
        .collect()
}

/// The words of a translation, with their probabilities.
fn words(hypothesis: &Hypothesis, words: &Words, shown: Details) -> Value {
    let mut places = places(&hypothesis.text, words);
    if shown.scores {
        let probabilities = words.probabilities(&hypothesis.piece_log_probs);
        places.iter_mut().zip(probabilities).for_each(|(place, probability)| place["probability"] = json!(probability));
    }
    places.into()
}

/// A term, and where its translation stands.
fn term_object(term: &RequiredTerm, met: Option<Met>, source: &str, best: &Hypothesis, target: &Words) -> Value {
    let range = |text: &str, place: Range<usize>| {
        let mut offsets = Utf16::new(text);
        json!({"start": offsets.units_before(place.start), "end": offsets.units_before(place.end)})
    };
    let place = met.and_then(|met| {
        let words = |piece: usize| target.by_piece.get(piece).copied().flatten();
        let mut inside = (met.first..met.first + met.pieces).filter_map(words);
        let first = inside.next()?;
        let last = inside.next_back().unwrap_or(first);
        Some(target.places[first].start..target.places[last].end)
    });
    json!({
        "source": term.source.clone().map(|place| range(source, place)),
        "text": term.source.clone().and_then(|place| source.get(place)),
        "targets": term.targets,
        "met": met.is_some(),
        "target": place.map(|place| range(&best.text, place)),
    })
}

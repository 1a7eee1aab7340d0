//! Between sentences of a document and translations of lines: requests, answers in bytes, messages.

use crate::{Error, Hypothesis, Request, RequiredTerm, Translation};
use metaphrase_document::{Answer, Link, Source};
use metaphrase_text::spans;
use std::ops::Range;

/// Links with less weight are left out.
const LEAST: f32 = 0.02;

/// The request of a sentence: its things to copy are required terms with their places.
pub(crate) fn request(source: Source<'_>) -> Request {
    let mut request = Request::translate(source.text.as_ref());
    for kept in source.kept {
        let targets = vec![source.text[kept.range.clone()].to_owned()];
        request.terms.required.push(RequiredTerm { source: Some(kept.range.clone()), ..RequiredTerm::new(targets) });
    }
    request
}

/// Messages about a sentence. Its translation lacked `inserted` of `kept` things to copy.
pub(crate) fn notes(number: usize, translation: &Translation, kept: usize, inserted: usize) -> Vec<String> {
    let numbered = |note: &String| format!("sentence {}: {note}", number + 1);
    let mut found: Vec<String> =
        translation.notes.iter().chain(&translation.missing_numbers_note()).map(numbered).collect();
    if inserted > 0 {
        found.push(numbered(&format!(
            "{inserted} of its {kept} things to copy were put in next to the words that they are next to in the source"
        )));
    }
    found
}

/// The hypotheses of this rank, from 0, of all sentences. There are `expected` sentences.
///
/// # Errors
/// [`Error::Answers`] if there are more or fewer translations than sentences.
pub(crate) fn answers<'a>(
    sources: impl Iterator<Item = Source<'a>>,
    expected: usize,
    translations: &[Translation],
    rank: usize,
) -> Result<Vec<Option<Answer>>, Error> {
    let found = translations.len();
    if expected != found {
        return Err(Error::Answers { expected, found });
    }
    Ok(sources.zip(translations).map(|(source, translation)| answer(&source, translation, rank)).collect())
}

/// The hypothesis of a rank, with its alignment to the sentence in bytes.
pub(crate) fn answer(source: &Source<'_>, translation: &Translation, rank: usize) -> Option<Answer> {
    answer_of(source, translation, rank, &|kept| kept)
}

/// As [`answer`]; `term`: the number of the required term of a thing to copy.
pub(crate) fn answer_of(
    source: &Source<'_>,
    translation: &Translation,
    rank: usize,
    term: &dyn Fn(usize) -> usize,
) -> Option<Answer> {
    if translation.error.is_some() {
        return None;
    }
    let hypothesis = translation.hypotheses.get(rank).or(translation.hypotheses.last())?;
    let target = spans(&hypothesis.pieces, &hypothesis.text);
    let links = if !source.aligned {
        Vec::new()
    } else {
        links(&spans(&translation.source_pieces, &source.text), &target, hypothesis)
    };
    Some(Answer { kept: kept(source, hypothesis, &target, term), text: hypothesis.text.clone(), links })
}

fn links(source: &[Range<usize>], target: &[Range<usize>], hypothesis: &Hypothesis) -> Vec<Link> {
    let link = |from: usize, to: usize, weight: f32| {
        let (source, target) = (source.get(from)?.clone(), target.get(to)?.clone());
        Some(Link { source, target, weight })
    };
    match &hypothesis.attention {
        None => hypothesis.links.iter().filter_map(|&(from, to)| link(from, to, 1.0)).collect(),
        Some(attention) => {
            let rows = attention.weights.chunks_exact(attention.source_len.max(1)).enumerate();
            let weights =
                rows.flat_map(|(to, row)| row.iter().enumerate().map(move |(from, &weight)| (from, to, weight)));
            weights.filter(|link| link.2 >= LEAST).filter_map(|(from, to, weight)| link(from, to, weight)).collect()
        }
    }
}

/// By thing to copy: where it stands in the text. What is written there exactly counts before what the vocabulary made
/// of it.
fn kept(
    source: &Source<'_>,
    hypothesis: &Hypothesis,
    target: &[Range<usize>],
    term: &dyn Fn(usize) -> usize,
) -> Vec<Option<Range<usize>>> {
    let mut found: Vec<Option<Range<usize>>> = Vec::with_capacity(source.kept.len());
    for (number, kept) in source.kept.iter().enumerate() {
        let shown = &source.text[kept.range.clone()];
        let met = hypothesis.met.iter().find(|met| met.term == term(number)).and_then(|met| {
            let spans = target.get(met.first..met.first + met.pieces)?;
            Some(spans.first()?.start..spans.last()?.end)
        });
        let near =
            met.as_ref().map_or(hypothesis.text.len() * kept.range.start / source.text.len().max(1), |met| met.start);
        let free = |place: &Range<usize>| {
            found.iter().flatten().all(|other| other.end <= place.start || place.end <= other.start)
        };
        let exact = hypothesis.text.match_indices(shown).map(|(at, _)| at..at + shown.len()).filter(free);
        let exact = exact.min_by_key(|place| place.start.abs_diff(near));
        found.push(exact.or_else(|| met.filter(|place| !place.is_empty() && free(place))));
    }
    found
}

//! Runs of Word in another language than the document, which stay as they are.

use super::{LocatedPiece, Names, Piece, written_run};
use crate::languages::is_phrase;
use crate::regions::Regions;
use std::ops::Range;

/// The most characters of a phrase that a translator reads.
const LONGEST_PHRASE: usize = 80;

/// The pieces of a paragraph with the phrases in other languages as things that stay. Single words do so only if the
/// paragraph has no others.
pub(super) fn apart<'t>(pieces: Vec<LocatedPiece<'t>>, regions: &Regions, names: &Names) -> Vec<LocatedPiece<'t>> {
    let is_foreign = |found: &LocatedPiece<'_>| regions.at(found.at.start + 1).is_some();
    let text = |found: &LocatedPiece<'t>| match &found.piece {
        Piece::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    if !pieces.iter().any(|found| text(found).is_some() && is_foreign(found)) {
        return pieces;
    }
    let has_others = pieces
        .iter()
        .any(|found| !is_foreign(found) && text(found).is_some_and(|text| text.contains(char::is_alphabetic)));
    let mut stays = vec![false; pieces.len()];
    for phrase in runs(&pieces, is_foreign) {
        let shown: String = pieces[phrase.clone()].iter().filter_map(text).collect();
        let is_apart = !has_others || is_phrase(&shown);
        stays[phrase].iter_mut().for_each(|stays| *stays = is_apart);
    }
    let staying = |(found, stays): (LocatedPiece<'t>, bool)| match found.piece {
        Piece::Text { form, text, origin } if stays => kept(form, &text, &origin, &found.at, names),
        piece => vec![LocatedPiece { piece, at: found.at }],
    };
    pieces.into_iter().zip(stays).flat_map(staying).collect()
}

/// The ranges of pieces from the first to the last text of a phrase in another language.
fn runs(pieces: &[LocatedPiece<'_>], is_foreign: impl Fn(&LocatedPiece<'_>) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for (number, found) in pieces.iter().enumerate() {
        let Piece::Text { text, .. } = &found.piece else { continue };
        match (is_foreign(found), runs.last_mut()) {
            (true, Some(last)) if goes_on => last.end = number + 1,
            (true, _) => runs.push(number..number + 1),
            // A blank between two phrases may have any language.
            (false, _) => goes_on &= text.trim().is_empty(),
        }
        goes_on |= is_foreign(found);
    }
    runs
}

/// The pieces of a run that stays: the blanks around its text are those of the sentence.
fn kept<'t>(
    form: &'t str,
    text: &str,
    origin: &Range<usize>,
    at: &Range<usize>,
    names: &Names,
) -> Vec<LocatedPiece<'t>> {
    let inner = text.trim();
    let start = text.len() - text.trim_start().len();
    let blank = |part: &str| {
        let piece = Piece::Text { form, text: part.to_owned(), origin: origin.clone() };
        (!part.is_empty()).then(|| LocatedPiece { piece, at: at.clone() })
    };
    let raw = written_run(form, inner, names);
    let phrase = match inner.chars().count() {
        0 => None,
        1..=LONGEST_PHRASE => Some(Piece::Field { raw, shown: inner.to_owned() }),
        _ => Some(Piece::Marker { raw, breaks: false, field: None }),
    };
    let phrase = phrase.map(|piece| LocatedPiece { piece, at: at.clone() });
    [blank(&text[..start]), phrase, blank(&text[start + inner.len()..])].into_iter().flatten().collect()
}

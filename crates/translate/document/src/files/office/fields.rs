//! Fields of Word: pieces of a paragraph that stay together.

use super::{Field, LocatedPiece, Piece};

/// The most characters of a field's text that a translator reads.
const LONGEST_FIELD: usize = 40;

/// The pieces with one marker for each field that begins and ends among them: its runs belong together. A field that is
/// a link is an element around the text that it shows.
pub(super) fn fields<'t>(text: &'t str, pieces: Vec<LocatedPiece<'t>>) -> Vec<LocatedPiece<'t>> {
    let mut found: Vec<LocatedPiece<'t>> = Vec::with_capacity(pieces.len());
    // By field that is open: the numbers of the pieces where it begins and where its shown text begins.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    for next in pieces {
        match (&next.piece, open.last_mut()) {
            (Piece::Marker { field: Some(Field::Begin), .. }, _) => open.push((found.len(), None)),
            (Piece::Marker { field: Some(Field::Separate), .. }, Some((_, shown))) => *shown = Some(found.len()),
            (Piece::Marker { field: Some(Field::End), .. }, Some(&mut (start, shown))) => {
                open.pop();
                if let Some(shown) = shown.filter(|&shown| is_link(text, &found[start..], shown - start, &next)) {
                    let (tags, end) = (found[start].at.start..found[shown].at.end, next.at.clone());
                    found.insert(shown + 1, LocatedPiece { piece: Piece::Open(&text[tags.clone()]), at: tags });
                    found.drain(start..=shown);
                    found.push(LocatedPiece { piece: Piece::Close(&text[end.clone()]), at: end });
                } else {
                    let at = found[start].at.start..next.at.end;
                    let texts = shown.map_or(&[][..], |shown| &found[shown..]).iter();
                    let shown: String = texts
                        .filter_map(|found| match &found.piece {
                            Piece::Text { text, .. } => Some(text.as_str()),
                            _ => None,
                        })
                        .collect();
                    found.truncate(start);
                    let raw = text[at.clone()].to_owned();
                    let piece = if shown.trim().is_empty() || shown.chars().count() > LONGEST_FIELD {
                        Piece::Marker { raw, breaks: false, field: None }
                    } else {
                        Piece::Field { raw, shown: shown.trim().to_owned() }
                    };
                    found.push(LocatedPiece { piece, at });
                }
                continue;
            }
            _ => {}
        }
        found.push(next);
    }
    found
}

/// Whether a field is a link whose text, after piece `shown`, has runs of its own.
fn is_link(text: &str, field: &[LocatedPiece<'_>], shown: usize, end: &LocatedPiece<'_>) -> bool {
    let (Some(first), Some(separate)) = (field.first(), field.get(shown)) else { return false };
    let inner = &field[shown + 1..];
    let code = text.get(first.at.start..separate.at.end).is_some_and(|code| code.contains("HYPERLINK"));
    let balanced = inner.iter().try_fold(0_usize, |depth, found| match found.piece {
        Piece::Open(_) => Some(depth + 1),
        Piece::Close(_) => depth.checked_sub(1),
        _ => Some(depth),
    });
    let before = field[..=shown].iter().all(|found| matches!(found.piece, Piece::Marker { .. }));
    let apart = inner.iter().all(|found| found.at.start >= separate.at.end && found.at.end <= end.at.start);
    code && before && apart && balanced == Some(0) && !inner.is_empty()
}

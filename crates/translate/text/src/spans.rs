//! The places of pieces in their text.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The most characters that are skipped to find a piece after pieces that do not show their text.
const AHEAD: usize = 64;

/// The bytes of each piece in its text, without white space. Either the pieces were made from the text or the text from
/// them. A piece that does not show its text, as an unknown word or a byte, has the bytes up to the next piece that
/// does.
#[must_use]
pub fn spans(pieces: &[String], text: &str) -> Vec<Range<usize>> {
    let letters: Vec<(char, Range<usize>)> = text
        .char_indices()
        .flat_map(|(at, c)| {
            plain(c.to_string().as_str()).map(move |plain| (plain, at..at + c.len_utf8())).collect::<Vec<_>>()
        })
        .collect();
    let end_of = |place: usize| letters.get(place).map_or(text.len(), |(_, range)| range.start);
    let mut spans: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    // The next letter, and the first piece whose text is not known yet.
    let (mut place, mut open) = (0, None);
    for (number, piece) in pieces.iter().enumerate() {
        let word: Vec<char> = plain(piece.trim_end_matches("@@")).filter(|&c| c != '\u{2581}').collect();
        let is_shown = !word.is_empty() && piece != "<unk>" && !(piece.len() == 6 && piece.starts_with("<0x"));
        let stands =
            |at: usize| letters[at.min(letters.len())..].iter().map(|(c, _)| c).take(word.len()).eq(word.iter());
        let reach = if open.is_some() { AHEAD } else { 0 };
        let found = is_shown.then(|| (place..=place + reach).find(|&at| stands(at))).flatten();
        match found {
            Some(at) => {
                let bytes = end_of(place)..end_of(at);
                spans[open.take().unwrap_or(number)..].iter_mut().for_each(|span| *span = bytes.clone());
                place = at + word.len();
                spans.push(letters[at].1.start..letters[place - 1].1.end);
            }
            // A mark of a new word alone is no text.
            None if word.is_empty() && open.is_none() => spans.push(end_of(place)..end_of(place)),
            None => {
                open = open.or(Some(number));
                spans.push(0..0);
            }
        }
    }
    if let Some(open) = open {
        let bytes = end_of(place)..text.len();
        spans[open..].iter_mut().for_each(|span| *span = bytes.clone());
    }
    spans
}

/// The pieces that have a byte of a place; empty if none has.
#[must_use]
pub fn pieces_in(spans: &[Range<usize>], place: &Range<usize>) -> Range<usize> {
    let shares = |span: &Range<usize>| span.start < place.end && place.start < span.end;
    let first = spans.iter().position(shares).unwrap_or(0);
    first..spans.iter().rposition(shares).map_or(first, |last| last + 1)
}

/// The pieces of the words at a place, with the piece before them that is only the mark of a new word.
#[must_use]
pub fn pieces_of_words(spans: &[Range<usize>], place: &Range<usize>) -> Range<usize> {
    let pieces = pieces_in(spans, place);
    let is_mark = |piece: usize| spans[piece].is_empty() && spans[piece].start == place.start;
    match pieces.start.checked_sub(1) {
        Some(before) if !pieces.is_empty() && is_mark(before) => before..pieces.end,
        _ => pieces,
    }
}

/// Letters in the compatibility form, in lower case and without white space: whatever a vocabulary makes of a text
/// keeps them.
fn plain(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(pieces: &[&str], text: &'t str) -> Vec<&'t str> {
        let pieces: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
        spans(&pieces, text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn pieces_are_found() {
        assert_eq!(found(&["▁The", "▁", "house", "s", "."], "The  houses."), ["The", "", "house", "s", "."]);
        assert_eq!(found(&["▁m2", "▁a"], " ｍ² a"), ["ｍ²", "a"]);
        assert_eq!(found(&["the@@", "re", "<unk>", "x"], "there 你好 x"), ["the", "re", "你好 ", "x"]);
        assert_eq!(found(&["▁", "<0xE4>", "<0xBD>", "<0xA0>", "▁b"], "你 b"), ["", "你 ", "你 ", "你 ", "b"]);
        let of_words = |place| pieces_of_words(&[0..3, 4..4, 4..7, 7..8], &place);
        assert_eq!([of_words(4..8), of_words(0..3), of_words(8..9)], [1..4, 0..1, 0..0]);
        assert_eq!(found(&["<unk>"], "你好"), ["你好"]);
        assert_eq!(found(&["a", "b"], ""), ["", ""]);
        assert_eq!(found(&["x", "y", "c"], "abc"), ["ab", "ab", "c"]);
    }
}

//! Words of a translation and of its source that the attention links.

use crate::Attention;
use crate::spans::spans;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The least attention of a piece to a word that it is linked with.
const LEAST: f32 = 0.2;

/// A translation and its source, as text and as pieces, with the attention between the pieces.
pub(crate) struct LinkedTexts<'a> {
    source: &'a str,
    target: &'a str,
    /// By source piece, the bytes in the source.
    source_spans: Vec<Range<usize>>,
    /// By target piece, the bytes in the translation.
    target_spans: Vec<Range<usize>>,
    attention: &'a Attention,
}

impl<'a> LinkedTexts<'a> {
    pub(crate) fn new(
        (source, source_pieces): (&'a str, &[String]),
        (target, target_pieces): (&'a str, &[String]),
        attention: &'a Attention,
    ) -> Self {
        let (source_spans, target_spans) = (spans(source_pieces, source), spans(target_pieces, target));
        Self { source, target, source_spans, target_spans, attention }
    }

    /// The written words of the translation that attend more to a place of the source than to any word outside it.
    /// Punctuation and the end of the source do not count: models that were not trained to align look there most of the
    /// time.
    pub(crate) fn words_for(&self, place: &Range<usize>) -> Vec<Range<usize>> {
        let mut others = self.source_words();
        others.retain(|word| word.end <= place.start || place.end <= word.start);
        let attends = |word: &Range<usize>| {
            let rows = pieces_in(&self.target_spans, word);
            let on_place = self.mass(rows.clone(), place);
            let is_more = others.iter().all(|other| self.mass(rows.clone(), other) < on_place);
            is_more && on_place > LEAST * rows.len() as f32
        };
        let mut words = written_words(self.target);
        words.retain(attends);
        words
    }

    /// The written words of the source that some pieces of the translation attend to most; `None` if they look
    /// elsewhere, as at the end of the sentence or at punctuation.
    pub(crate) fn place_of(&self, target_pieces: Range<usize>) -> Option<Range<usize>> {
        let words = self.source_words();
        let masses: Vec<f32> = words.iter().map(|word| self.mass(target_pieces.clone(), word)).collect();
        let best = (0..words.len()).max_by(|&a, &b| masses[a].total_cmp(&masses[b]))?;
        if masses[best] < LEAST * target_pieces.len() as f32 {
            return None;
        }
        // A term of several words may translate several words.
        let is_part = |word: usize| masses[word] > 0.5 * masses[best];
        let first = (0..best).rev().take_while(|&word| is_part(word)).last().unwrap_or(best);
        let last = (best + 1..words.len()).take_while(|&word| is_part(word)).last().unwrap_or(best);
        Some(words[first].start..words[last].end)
    }

    /// The words of the source that have letters or digits.
    fn source_words(&self) -> Vec<Range<usize>> {
        let mut words = written_words(self.source);
        words.retain(|word| self.source[word.clone()].contains(char::is_alphanumeric));
        words
    }

    /// The attention of some target pieces to a place of the source, summed.
    fn mass(&self, target_pieces: Range<usize>, place: &Range<usize>) -> f32 {
        let pieces = pieces_in(&self.source_spans, place);
        target_pieces.flat_map(|row| self.row(row).get(pieces.clone())).flatten().sum()
    }

    /// The attention of a target piece.
    fn row(&self, piece: usize) -> &[f32] {
        let at = piece * self.attention.source_len;
        self.attention.weights.get(at..at + self.attention.source_len).unwrap_or_default()
    }
}

/// The pieces that have a byte of a place.
fn pieces_in(spans: &[Range<usize>], place: &Range<usize>) -> Range<usize> {
    let shares = |span: &Range<usize>| span.start < place.end && place.start < span.end;
    let first = spans.iter().position(shares).unwrap_or(0);
    first..spans.iter().rposition(shares).map_or(first, |last| last + 1)
}

/// The words of a text: runs of letters and digits; every other character but blanks, and every character of a script
/// without spaces, is a word of its own.
pub(crate) fn written_words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let is_part = is_combining_mark(c) || (c.is_alphanumeric() && !metaphrase_text::without_spaces(c));
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if is_part && inside => word.end = end,
            _ if c.is_whitespace() => {}
            _ => words.push(at..end),
        }
        inside = is_part;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn words_and_places_are_linked() {
        let (source, target) = ("The old house.", "Das alte Haus.");
        let (source_pieces, target_pieces) =
            (strings(&["▁The", "▁old", "▁hou", "se", "."]), strings(&["▁Das", "▁alte", "▁Haus", "."]));
        let mut weights = vec![0.0; 5 * 6];
        for (row, column) in [(0, 0), (1, 1), (2, 2), (3, 4), (4, 5)] {
            weights[row * 6 + column] = 1.0;
        }
        let attention = Attention { source_len: 6, weights };
        let linked = LinkedTexts::new((source, &source_pieces), (target, &target_pieces), &attention);
        assert_eq!(linked.words_for(&(8..13)).first(), Some(&(9..13)));
        assert_eq!(linked.words_for(&(4..13)), [4..8, 9..13]);
        assert_eq!(linked.place_of(2..3), Some(8..13));
        assert_eq!(linked.place_of(3..4), None, "a full stop is no term");
        assert_eq!(linked.place_of(4..5), None);
    }

    #[test]
    fn words_are_those_that_are_written() {
        let words = |text: &str| written_words(text).into_iter().map(|word| text[word].to_owned()).collect::<Vec<_>>();
        assert_eq!(words("Das e\u{301}tui, 25 %!"), ["Das", "e\u{301}tui", ",", "25", "%", "!"]);
        assert_eq!(words("東京 a"), ["東", "京", "a"]);
    }
}

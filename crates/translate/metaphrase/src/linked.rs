//! Words of a translation and of its source that the attention links.

use crate::Attention;
use metaphrase_text::{pieces_in, spans, written_words};
use std::ops::Range;

/// The least attention of a piece to a word that it is linked with.
const LEAST: f32 = 0.2;

/// A translation and its source, as text and as pieces, with the attention between the pieces.
pub(crate) struct LinkedTexts<'a> {
    /// By source piece, the bytes in the source.
    source_spans: Vec<Range<usize>>,
    /// The words of the source that have letters or digits.
    source_words: Vec<Word>,
    target_words: Vec<Word>,
    /// target words × source words: the attention of the pieces of one to the pieces of the other, summed.
    masses: Vec<f32>,
    attention: &'a Attention,
}

/// A written word.
struct Word {
    bytes: Range<usize>,
    pieces: Range<usize>,
}

impl<'a> LinkedTexts<'a> {
    /// Pieces are those of the vocabularies, attention is that over the source pieces and the end of sentence.
    pub(crate) fn new(
        source: &str,
        source_pieces: &[String],
        target: &str,
        target_pieces: &[String],
        attention: &'a Attention,
    ) -> Self {
        let (source_spans, target_spans) = (spans(source_pieces, source), spans(target_pieces, target));
        let words = |text: &str, spans: &[Range<usize>]| -> Vec<Word> {
            let word = |bytes: Range<usize>| Word { pieces: pieces_in(spans, &bytes), bytes };
            written_words(text).into_iter().map(word).collect()
        };
        let mut source_words = words(source, &source_spans);
        source_words.retain(|word| source[word.bytes.clone()].contains(char::is_alphanumeric));
        let target_words = words(target, &target_spans);
        let mut masses = Vec::with_capacity(target_words.len() * source_words.len());
        for target in &target_words {
            masses.extend(source_words.iter().map(|source| mass(attention, &target.pieces, &source.pieces)));
        }
        Self { source_spans, source_words, target_words, masses, attention }
    }

    /// The written words of the translation that attend more to a place of the source than to any word outside it.
    /// Punctuation and the end of the source do not count: models that were not trained to align look there most of the
    /// time.
    pub(crate) fn words_for(&self, place: &Range<usize>) -> Vec<Range<usize>> {
        let pieces = pieces_in(&self.source_spans, place);
        let attends = |(word, masses): &(&Word, &[f32])| {
            let on_place = mass(self.attention, &word.pieces, &pieces);
            let is_other = |other: &Word| other.bytes.end <= place.start || place.end <= other.bytes.start;
            let mut others = self.source_words.iter().zip(*masses).filter(|(other, _)| is_other(other));
            others.all(|(_, &on_other)| on_other < on_place) && on_place > LEAST * word.pieces.len() as f32
        };
        let rows = self.masses.chunks_exact(self.source_words.len().max(1));
        self.target_words.iter().zip(rows).filter(attends).map(|(word, _)| word.bytes.clone()).collect()
    }

    /// The written words of the source that some pieces of the translation attend to most; `None` if they look
    /// elsewhere, as at the end of the sentence or at punctuation.
    pub(crate) fn place_of(&self, target_pieces: Range<usize>) -> Option<Range<usize>> {
        let words = &self.source_words;
        let masses: Vec<f32> = words.iter().map(|word| mass(self.attention, &target_pieces, &word.pieces)).collect();
        let best = (0..words.len()).max_by(|&a, &b| masses[a].total_cmp(&masses[b]))?;
        if masses[best] < LEAST * target_pieces.len() as f32 {
            return None;
        }
        // A term of several words may translate several words.
        let is_part = |word: usize| masses[word] > 0.5 * masses[best];
        let first = (0..best).rev().take_while(|&word| is_part(word)).last().unwrap_or(best);
        let last = (best + 1..words.len()).take_while(|&word| is_part(word)).last().unwrap_or(best);
        Some(words[first].bytes.start..words[last].bytes.end)
    }
}

/// The attention of some target pieces to some source pieces, summed.
fn mass(attention: &Attention, target_pieces: &Range<usize>, source_pieces: &Range<usize>) -> f32 {
    let row = |piece: usize| {
        let at = piece * attention.source_len;
        attention.weights.get(at..at + attention.source_len).unwrap_or_default()
    };
    target_pieces.clone().flat_map(|piece| row(piece).get(source_pieces.clone())).flatten().sum()
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
        let linked = LinkedTexts::new(source, &source_pieces, target, &target_pieces, &attention);
        assert_eq!(linked.words_for(&(8..13)).first(), Some(&(9..13)));
        assert_eq!(linked.words_for(&(4..13)), [4..8, 9..13]);
        assert_eq!(linked.place_of(2..3), Some(8..13));
        assert_eq!(linked.place_of(3..4), None, "a full stop is no term");
        assert_eq!(linked.place_of(4..5), None);
    }
}

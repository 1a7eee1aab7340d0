//! Words of a translation and of its source that the attention links.

use crate::Attention;
use metaphrase_text::{pieces_in, spans, written_words};
use std::ops::Range;

/// The least attention of a piece to a word that it is linked with.
const LEAST: f32 = 0.2;

/// More than this is most of a piece's attention.
const MOST: f32 = 0.5;

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

impl Word {
    /// Whether these bytes are in the word.
    fn has(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start <= bytes.start && bytes.end <= self.bytes.end
    }
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
    /// time. Nor does a word that is the best one for another word of the source, unless it is that of the place, too:
    /// "Tür" for "door", although it also attends to "kitchen" in "the door of the kitchen".
    pub(crate) fn words_for(&self, place: &Range<usize>) -> Vec<Range<usize>> {
        let on_place = self.on_place(place);
        let best_of_place = self.best(&on_place);
        let others = |word: usize| {
            let is_other = |other: &Word| other.bytes.end <= place.start || place.end <= other.bytes.start;
            let others = self.source_words.iter().enumerate().filter(move |(_, other)| is_other(other));
            others.map(move |(other, _)| (other, self.mass_of(word, other)))
        };
        let attends = |&word: &usize| {
            self.is_clear(word, on_place[word]) && others(word).all(|(_, on_other)| on_other < on_place[word])
        };
        let is_of_another = |&word: &usize| {
            let mut others = others(word);
            best_of_place != Some(word)
                && others.any(|(other, on_other)| {
                    let of_all = || (0..on_place.len()).map(|word| self.mass_of(word, other)).collect::<Vec<f32>>();
                    self.is_clear(word, on_other) && self.best(&of_all()) == Some(word)
                })
        };
        let words = (0..on_place.len()).filter(|word| attends(word) && !is_of_another(word));
        words.map(|word| self.target_words[word].bytes.clone()).collect()
    }

    /// The written word of the translation that attends most to a place of the source; `None` if none does clearly.
    pub(crate) fn best_word_for(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let on_place = self.on_place(place);
        let best = self.best(&on_place).filter(|&best| self.is_clear(best, on_place[best]))?;
        Some(self.target_words[best].bytes.clone())
    }

    /// Whether a written word of the translation attends more to a place of the source than any other, all its pieces
    /// together: the part of a compound has one of several pieces.
    pub(crate) fn attends_most(&self, bytes: &Range<usize>, place: &Range<usize>) -> bool {
        let on_place = self.on_place(place);
        let most = (0..on_place.len()).max_by(|&a, &b| on_place[a].total_cmp(&on_place[b]));
        most.is_some_and(|word| on_place[word] > LEAST && self.target_words[word].has(bytes))
    }

    /// Whether a piece of a written word of the translation attends most to a word of the source outside a place: the
    /// other part of a compound does.
    pub(crate) fn attends_elsewhere(&self, bytes: &Range<usize>, place: &Range<usize>) -> bool {
        let Some(word) = self.target_words.iter().position(|word| word.has(bytes)) else { return false };
        let is_outside = |source: &&Word| source.bytes.end <= place.start || place.end <= source.bytes.start;
        self.source_words.iter().filter(is_outside).any(|source| {
            let mut pieces = self.target_words[word].pieces.clone();
            pieces.any(|piece| mass(self.attention, &(piece..piece + 1), &source.pieces) > MOST)
        })
    }

    /// By target word, its attention to a place of the source.
    fn on_place(&self, place: &Range<usize>) -> Vec<f32> {
        let pieces = pieces_in(&self.source_spans, place);
        self.target_words.iter().map(|word| mass(self.attention, &word.pieces, &pieces)).collect()
    }

    /// The attention of a target word to a source word.
    fn mass_of(&self, target: usize, source: usize) -> f32 {
        self.masses[target * self.source_words.len() + source]
    }

    /// The target word with the greatest share of its attention, from the attention of each.
    fn best(&self, masses: &[f32]) -> Option<usize> {
        let share = |word: usize| masses[word] / self.target_words[word].pieces.len().max(1) as f32;
        (0..masses.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)))
    }

    /// Whether a target word with this attention to a place is linked with it.
    fn is_clear(&self, target: usize, on_place: f32) -> bool {
        on_place > LEAST * self.target_words[target].pieces.len() as f32
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
        assert_eq!(linked.best_word_for(&(9..13)), Some(9..13));
        assert_eq!(linked.place_of(2..3), Some(8..13));
        assert_eq!(linked.place_of(3..4), None, "a full stop is no term");
        assert_eq!(linked.place_of(4..5), None);
    }

    /// The attention of a word to the noun that follows is not that of the noun's own translation.
    #[test]
    fn a_word_of_another_is_not_linked() {
        let (source, target) = ("door of kitchen", "Tür der Küche");
        let (source_pieces, target_pieces) =
            (strings(&["▁door", "▁of", "▁kitchen"]), strings(&["▁Tür", "▁der", "▁Küche"]));
        let mut attention = Attention {
            source_len: 4,
            weights: vec![0.3, 0.0, 0.7, 0.0, 0.0, 0.7, 0.3, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        };
        let words = |attention: &Attention, place: Range<usize>| {
            LinkedTexts::new(source, &source_pieces, target, &target_pieces, attention).words_for(&place)
        };
        assert!(words(&attention, 8..15).iter().eq([&(9..15)]));
        // The only word of a place is that of the place, as a compound is.
        attention.weights[8..12].copy_from_slice(&[0.0, 0.0, 0.1, 0.9]);
        assert!(words(&attention, 8..15).iter().eq([&(0..4)]));
    }
}

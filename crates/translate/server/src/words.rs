//! The words of a sentence and of its translation, from the pieces of the model.

use metaphrase::{Hypothesis, spans};
use metaphrase_text::without_spaces;
use std::ops::Range;

/// A sentence or a translation as words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words {
    /// The bytes of each word.
    pub places: Vec<Range<usize>>,
    /// By piece: the word that it belongs to; `None` for a piece that writes nothing.
    pub by_piece: Vec<Option<usize>>,
}

impl Words {
    /// The words of `text`, which a model wrote or read as `pieces`. A word stands between blanks, a punctuation mark
    /// is a word of its own; of scripts that do not separate words, each piece is one.
    #[must_use]
    pub fn new(text: &str, pieces: &[String]) -> Self {
        let pieces = spans(pieces, text);
        let mut words: Vec<Range<usize>> = Vec::new();
        let mut kind = Kind::Blank;
        for (at, c) in text.char_indices() {
            let next = Kind::new(c);
            let end = at + c.len_utf8();
            let begins = next != kind
                || next == Kind::Mark
                || pieces.iter().any(|piece| next == Kind::Joined && piece.start == at);
            match words.last_mut() {
                _ if next == Kind::Blank => {}
                Some(word) if !begins => word.end = end,
                _ => words.push(at..end),
            }
            kind = next;
        }
        let word_of = |piece: &Range<usize>| {
            let word = words.partition_point(|word| word.end <= piece.start);
            (!piece.is_empty() && words.get(word).is_some_and(|word| word.start < piece.end)).then_some(word)
        };
        let by_piece = pieces.iter().map(word_of).collect();
        Self { places: words, by_piece }
    }

    /// By word: the product of the probabilities of its pieces.
    #[must_use]
    pub fn probabilities(&self, log_probs: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.places.len()];
        for (word, log_prob) in self.by_piece.iter().zip(log_probs) {
            if let Some(word) = word {
                sums[*word] += log_prob;
            }
        }
        sums.into_iter().map(f32::exp).collect()
    }
}

/// Pairs of words, source and target, that the attention of `hypothesis` links, in rising order.
#[must_use]
pub fn links(source: &Words, target: &Words, hypothesis: &Hypothesis) -> Vec<(usize, usize)> {
    let pairs = hypothesis.alignment(metaphrase::AlignmentKind::Hard);
    let word = |words: &Words, piece: usize| words.by_piece.get(piece).copied().flatten();
    let mut links: Vec<_> =
        pairs.into_iter().filter_map(|(from, to)| Some((word(source, from)?, word(target, to)?))).collect();
    links.sort_unstable();
    links.dedup();
    links
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Letter,
    /// A character of a script that does not separate words.
    Joined,
    Mark,
}

impl Kind {
    fn new(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Blank,
            _ if without_spaces(c) => Self::Joined,
            // A hyphen or an apostrophe does not end a word.
            '-' | '\'' | '’' | '_' => Self::Letter,
            _ if c.is_alphanumeric() => Self::Letter,
            _ if c.is_ascii_punctuation() || "«»„“”‚‘…–—¿¡".contains(c) => Self::Mark,
            _ => Self::Letter,
        }
    }
}

/// Byte offsets of a text as UTF-16 code units.
pub struct Utf16<'a> {
    text: &'a str,
    at: (usize, usize),
}

impl<'a> Utf16<'a> {
    /// The offsets of this text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, at: (0, 0) }
    }

    /// The number of code units before this byte. Cheap if offsets are asked for in rising order.
    pub fn units_before(&mut self, byte: usize) -> usize {
        let byte = self.text.floor_char_boundary(byte);
        if byte < self.at.0 {
            self.at = (0, 0);
        }
        let (known, units) = self.at;
        self.at = (byte, units + self.text[known..byte].encode_utf16().count());
        self.at.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    fn words<'a>(text: &'a str, written: &str) -> (Vec<&'a str>, Vec<Option<usize>>) {
        let words = Words::new(text, &pieces(written));
        (words.places.iter().map(|place| &text[place.clone()]).collect(), words.by_piece)
    }

    #[test]
    fn pieces_belong_to_written_words() {
        let (found, by_piece) = words("The old house, isn't it?", "▁The|▁old|▁ho|use|,|▁is|n't|▁it|?");
        assert_eq!(found, ["The", "old", "house", ",", "isn't", "it", "?"]);
        assert_eq!(by_piece, [0, 1, 2, 2, 3, 4, 4, 5, 6].map(Some));
        let (found, by_piece) = words("東京に 住む", "▁東京|に|▁|住む");
        assert_eq!(found, ["東京", "に", "住む"]);
        assert_eq!(by_piece, [Some(0), Some(1), None, Some(2)]);
    }

    #[test]
    fn texts_that_the_pieces_do_not_spell_have_words_too() {
        for (text, written) in [("", "▁a"), ("a", ""), ("ﬁne day", "▁fine|▁day"), ("x", "▁a|▁b|▁c"), ("ä😀", "▁ä|<|>")]
        {
            let found = Words::new(text, &pieces(written));
            assert!(found.by_piece.iter().flatten().all(|&word| word < found.places.len()), "{text}");
            found.places.iter().for_each(|place| assert!(text.get(place.clone()).is_some(), "{text}"));
        }
    }

    #[test]
    fn probabilities_are_products() {
        let found = Words::new("ab c", &pieces("▁a|b|▁c"));
        let log_probs = [0.5_f32.ln(), 0.5_f32.ln(), 0.9_f32.ln(), 0.3_f32.ln()];
        let expected = [0.25, 0.9];
        assert!(found.probabilities(&log_probs).iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6));
    }

    #[test]
    fn offsets_count_code_units() {
        let mut offsets = Utf16::new("ä😀b");
        assert_eq!([0, 2, 6, 7, 2].map(|byte| offsets.units_before(byte)), [0, 1, 3, 4, 1]);
    }
}

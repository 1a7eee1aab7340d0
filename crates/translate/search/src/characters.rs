//! Characters that are written byte by byte, for models whose vocabularies fall back to bytes: no hypothesis ends
//! inside one.

use metaphrase_base::WordId;
use std::ops::RangeInclusive;

/// The words of a vocabulary that stand for single bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteWords(Vec<(WordId, u8)>);

impl ByteWords {
    /// These words with their bytes.
    pub fn new(words: impl IntoIterator<Item = (WordId, u8)>) -> Self {
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable();
        Self(words)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The words.
    pub(crate) fn words(&self) -> impl Iterator<Item = WordId> {
        self.0.iter().map(|&(word, _)| word)
    }

    fn byte(&self, word: WordId) -> Option<u8> {
        self.0.binary_search_by_key(&word, |&(word, _)| word).ok().map(|at| self.0[at].1)
    }

    /// The character of a hypothesis after a word. A given prefix may break a character off: then a new one begins.
    pub(crate) fn after(&self, character: Character, word: WordId) -> Character {
        character.after(self.byte(word)).unwrap_or(Character::WHOLE)
    }

    /// Whether a word would break a character off, is a byte that begins no character, or begins a character that needs
    /// more than the `room` words that may follow.
    pub(crate) fn breaks(&self, character: Character, word: WordId, room: usize) -> bool {
        character.after(self.byte(word)).is_none_or(|after| after.missing() > room)
    }

    /// The words below `words` that would break a character.
    pub(crate) fn breaking(&self, character: Character, words: usize, room: usize) -> impl Iterator<Item = WordId> {
        let all = if character == Character::WHOLE { 0 } else { words };
        self.words().chain((0..all).map(WordId::new)).filter(move |&word| self.breaks(character, word, room))
    }
}

/// The progress of a character in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Character {
    /// The number of bytes that are still missing.
    missing: u8,
    /// The least and the greatest byte that may follow, if one is missing.
    next: [u8; 2],
}

impl Character {
    /// Nothing is missing.
    pub(crate) const WHOLE: Self = Self { missing: 0, next: [0, 0] };

    const fn begun(missing: u8, next: RangeInclusive<u8>) -> Self {
        Self { missing, next: [*next.start(), *next.end()] }
    }

    /// The number of bytes that are still missing.
    pub(crate) fn missing(self) -> usize {
        usize::from(self.missing)
    }

    /// The character after another byte, or after a word that stands for no byte. `None` where UTF-8 has no such
    /// sequence (RFC 3629, §4).
    fn after(self, byte: Option<u8>) -> Option<Self> {
        let Some(byte) = byte else { return (self.missing == 0).then_some(Self::WHOLE) };
        let [low, high] = self.next;
        Some(match (self.missing, byte) {
            (0, 0x00..=0x7F) => Self::WHOLE,
            (0, 0xC2..=0xDF) => Self::begun(1, 0x80..=0xBF),
            (0, 0xE0) => Self::begun(2, 0xA0..=0xBF),
            (0, 0xED) => Self::begun(2, 0x80..=0x9F),
            (0, 0xE1..=0xEF) => Self::begun(2, 0x80..=0xBF),
            (0, 0xF0) => Self::begun(3, 0x90..=0xBF),
            (0, 0xF1..=0xF3) => Self::begun(3, 0x80..=0xBF),
            (0, 0xF4) => Self::begun(3, 0x80..=0x8F),
            (1, _) if (low..=high).contains(&byte) => Self::WHOLE,
            (2.., _) if (low..=high).contains(&byte) => Self::begun(self.missing - 1, 0x80..=0xBF),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word `256 + b` stands for the byte `b`.
    fn bytes() -> ByteWords {
        ByteWords::new((0..=255).map(|byte| (WordId(256 + u32::from(byte)), byte)))
    }

    /// Whether all words may follow each other, and the character after them is whole.
    fn is_well_formed(text: &[u8]) -> bool {
        let (bytes, mut character) = (bytes(), Character::WHOLE);
        for &byte in text {
            let word = WordId(256 + u32::from(byte));
            if bytes.breaks(character, word, 3) {
                return false;
            }
            character = bytes.after(character, word);
        }
        character == Character::WHOLE && !bytes.breaks(character, WordId(7), 3)
    }

    #[test]
    fn what_may_be_said_is_utf_8() {
        for c in ['a', 'ä', '€', '\u{D7FF}', '\u{E000}', '\u{FFFF}', '😀', '\u{10FFFF}'] {
            let text = c.to_string();
            assert!(is_well_formed(text.as_bytes()), "{c:?}");
            assert!(text.len() == 1 || !is_well_formed(&text.as_bytes()[..text.len() - 1]), "{c:?}");
        }
        // All sequences of three bytes, and some of four.
        for first in 0..=255u8 {
            for second in 0..=255u8 {
                for third in [0x00, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF] {
                    for text in [&[first, second, third][..], &[first, second, third, 0x80]] {
                        assert_eq!(is_well_formed(text), str::from_utf8(text).is_ok(), "{text:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_that_break_a_character_are_listed() {
        let bytes = bytes();
        let breaking = |character, room| {
            let mut words: Vec<u32> = bytes.breaking(character, 600, room).map(|word| word.0).collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let broken: Vec<u32> = (0x80..=0xC1).chain(0xF5..=0xFF).map(|byte| 256 + byte).collect();
        assert_eq!(breaking(Character::WHOLE, 3), broken);
        let no_room: Vec<u32> = (0x80..=0xFF).map(|byte| 256 + byte).collect();
        assert_eq!(breaking(Character::WHOLE, 0), no_room);
        let inside = bytes.after(Character::WHOLE, WordId(256 + 0xC3));
        assert_eq!(breaking(inside, 0).len(), 600 - 64);
    }
}

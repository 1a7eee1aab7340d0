//! The seam between search and phrases that must not appear.

use crate::WordId;
use core::fmt::Debug;

/// Reads words and reports where they make a phrase that must not appear. Only the owner of the vocabulary knows which
/// sequences of words make the same text, so search asks word by word.
pub trait Avoided: Debug + Send + Sync {
    /// Reads `word` after a text that ends with `tail`: the tail that an earlier call returned, empty at the start.
    fn read(&self, tail: &[u8], word: WordId) -> ReadText;

    /// Whether a text of these words contains a phrase.
    fn in_words(&self, words: &[WordId]) -> bool {
        let mut text = ReadText::default();
        for &word in words {
            text = self.read(&text.tail, word);
            if text.said == Said::Phrase {
                return true;
            }
        }
        text.said == Said::Open
    }
}

/// A text that was read so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadText {
    /// The end of the text that counts for the words to come; empty at the start.
    pub tail: Vec<u8>,
    /// What the last words of the text make.
    pub said: Said,
}

/// What the end of a text makes of phrases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Said {
    /// No phrase was completed.
    #[default]
    Nothing,
    /// A phrase stands at the end of the text, unless the next character continues its last written word.
    Open,
    /// A phrase was completed.
    Phrase,
}

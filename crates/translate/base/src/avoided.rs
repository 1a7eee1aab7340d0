//! The seam between search and phrases that must not appear.

use crate::WordId;
use core::fmt::Debug;

/// Reads words and reports where they make a phrase that must not appear. Only the owner of the vocabulary knows which
/// sequences of words make the same text, so search asks word by word.
pub trait AvoidedPhrases: Debug + Send + Sync {
    /// Reads `word` after a text that ends with `tail`: the tail that an earlier call returned, empty at the start.
    fn read(&self, tail: &[u8], word: WordId) -> ReadText;

    /// Whether a text of these words contains a phrase.
    fn in_words(&self, words: &[WordId]) -> bool {
        let mut text = ReadText::default();
        for &word in words {
            text = self.read(&text.tail, word);
            if text.status == PhraseStatus::Phrase {
                return true;
            }
        }
        text.status == PhraseStatus::Open
    }
}

/// A text that was read so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadText {
    /// The end of the text that counts for the words to come; empty at the start.
    pub tail: Vec<u8>,
    /// Whether the last words of the text make a phrase.
    pub status: PhraseStatus,
}

/// Whether the end of a text is a phrase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PhraseStatus {
    /// No phrase was completed.
    #[default]
    Nothing,
    /// A phrase stands at the end of the text, unless the next character continues its last written word.
    Open,
    /// A phrase was completed.
    Phrase,
}

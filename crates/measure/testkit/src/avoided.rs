//! Phrases to avoid that are sequences of words, as if each word were written by itself.

use metaphrase_base::{AvoidedPhrases, PhraseStatus, ReadText, WordId};
use std::sync::Arc;

/// Sequences of words that must not appear.
#[derive(Debug)]
pub struct AvoidedWords {
    /// The words of each phrase, four bytes each.
    phrases: Vec<Vec<u8>>,
}

impl AvoidedWords {
    /// These phrases, as search takes them.
    #[expect(clippy::new_ret_no_self, reason = "search takes them in no other form")]
    pub fn new(phrases: &[Vec<WordId>]) -> Option<Arc<dyn AvoidedPhrases>> {
        let bytes = |phrase: &Vec<WordId>| phrase.iter().flat_map(|word| word.0.to_le_bytes()).collect();
        Some(Arc::new(Self { phrases: phrases.iter().map(bytes).collect() }))
    }
}

impl AvoidedPhrases for AvoidedWords {
    fn read(&self, tail: &[u8], word: WordId) -> ReadText {
        let text = [tail, &word.0.to_le_bytes()].concat();
        let status = if self.phrases.iter().any(|phrase| text.ends_with(phrase)) {
            PhraseStatus::Phrase
        } else {
            PhraseStatus::Nothing
        };
        let longest = self.phrases.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(4);
        let tail = text[text.len().saturating_sub(longest)..].into();
        ReadText { tail, status }
    }
}

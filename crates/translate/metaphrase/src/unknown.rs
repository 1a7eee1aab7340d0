//! Unknown words of translations, replaced by alignment (Devlin 2017, §2: unk replacement).

use crate::Attention;
use metaphrase_base::{WordId, shown};
use metaphrase_text::vocab::Vocabulary;
use std::collections::HashMap;
use std::sync::Arc;

/// Translations of source words that the model does not know. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dictionary(Arc<HashMap<String, String>>);

/// A line of a dictionary that can not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected a source word, a tab and its translation, found `{found}`")]
pub struct DictionaryError {
    /// The line, counted from 1.
    pub line: usize,
    /// Its start.
    pub found: String,
}

impl Dictionary {
    /// Reads a dictionary: each line has a source word, a tab and its translation. Empty lines and lines that begin
    /// with `#` are skipped; if a word stands twice, its first translation counts.
    ///
    /// # Errors
    /// [`DictionaryError`] for the first line that has another form.
    pub fn parse(text: &str) -> Result<Self, DictionaryError> {
        let mut words = HashMap::new();
        let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')) {
            let fields = line.split_once('\t').map(|(source, target)| (source.trim(), target.trim()));
            let Some((source, target)) = fields.filter(|(source, _)| !source.is_empty()) else {
                return Err(DictionaryError {
                    line: number + 1,
                    found: shown(&line.chars().take(40).collect::<String>()),
                });
            };
            words.entry(source.to_owned()).or_insert_with(|| target.to_owned());
        }
        Ok(Self(words.into()))
    }

    /// The translation of a source word; the word itself if the dictionary lacks it.
    fn translate(&self, word: &str) -> String {
        self.0.get(word).map_or(word, String::as_str).to_owned()
    }
}

/// The replacement of the unknown words in the translations of a line.
#[derive(Debug)]
pub(crate) struct Replacement {
    /// By source piece, the end of sentence excluded: its written word.
    pub(crate) written_words: Vec<String>,
    pub(crate) dictionary: Dictionary,
}

impl Replacement {
    /// The text of a translation. Neighbouring unknown words that come from one source word become one word.
    pub(crate) fn text(&self, words: &[WordId], attention: Option<&Attention>, target: &Vocabulary) -> String {
        let mut replaced: Vec<Option<String>> = Vec::new();
        let mut before = None;
        for (place, _) in words.iter().enumerate().filter(|(_, word)| target.is_unknown(**word)) {
            let source = attention.and_then(|attention| self.source_of(attention, place));
            let repeats = before.is_some() && before == place.checked_sub(1).zip(source);
            before = source.map(|source| (place, source));
            replaced
                .push(source.filter(|_| !repeats).map(|source| self.dictionary.translate(&self.written_words[source])));
        }
        target.decode_replacing(words, &replaced)
    }

    /// The source piece with the greatest attention of the target piece at `place`, the end of sentence excluded; the
    /// first of equal ones.
    fn source_of(&self, attention: &Attention, place: usize) -> Option<usize> {
        let weights = attention.weights.get(place * attention.source_len..)?;
        let count = self.written_words.len().min(attention.source_len.saturating_sub(1)).min(weights.len());
        (0..count).reduce(|best, source| if weights[source] > weights[best] { source } else { best })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use metaphrase_text::vocab::VocabularyFormat;

    #[test]
    fn attention_tells_the_source_word() {
        let target = Vocabulary::from_bytes(VocabularyFormat::List, b"</s>\n<unk>\nund\n").unwrap();
        let dictionary = Dictionary::parse("# names\n\nKoeln\tCologne\nKoeln\tother\n").unwrap();
        let written_words = ["Koeln", "und", "Ulm"].map(str::to_owned).into();
        let replacement = Replacement { written_words, dictionary };
        let weights = [[0.5, 0.2, 0.1, 0.2], [0.2, 0.5, 0.3, 0.0], [0.1, 0.1, 0.3, 0.5], [0.0, 0.0, 0.6, 0.4]].concat();
        let attention = Attention { source_len: 4, weights };
        let text = |ids: [u32; 4]| replacement.text(&ids.map(WordId), Some(&attention), &target);
        assert_eq!(text([1, 2, 1, 0]), "Cologne und Ulm", "the end of sentence is no word");
        assert_eq!(text([1, 2, 1, 1]), "Cologne und Ulm", "one word, once");
        assert_eq!(text([1, 1, 1, 2]), "Cologne und Ulm und");
        assert_eq!(replacement.text(&[1, 2].map(WordId), None, &target), "und", "nothing points anywhere");
    }

    #[test]
    fn other_lines_are_told() {
        let error = Dictionary::parse("a\tb\n\nno tab\n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: expected a source word, a tab and its translation, found `no tab`");
        assert!(Dictionary::parse("\tb\n").is_err());
    }
}

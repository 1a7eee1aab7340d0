//! Words that byte-pair encoding must leave whole.

use regex::Regex;

use super::error::BpeError;

/// One pattern, for whole words and for parts of words.
#[derive(Clone, Debug)]
pub(super) struct Glossary {
    whole: Regex,
    part: Regex,
}

impl Glossary {
    pub(super) fn new(pattern: &str) -> Result<Self, BpeError> {
        let compile = |regex: &str| {
            Regex::new(regex)
                .map_err(|source| BpeError::Glossary { pattern: pattern.to_owned(), source: Box::new(source) })
        };
        Ok(Self { part: compile(pattern)?, whole: compile(&format!("^(?:{pattern})$"))? })
    }

    pub(super) fn is_whole(&self, word: &str) -> bool {
        self.whole.is_match(word)
    }

    /// Cuts `word` before and after each match.
    pub(super) fn isolate<'a>(&self, word: &'a str, parts: &mut Vec<&'a str>) {
        if self.is_whole(word) {
            return parts.push(word);
        }
        let mut at = 0;
        for found in self.part.find_iter(word) {
            parts.extend([&word[at..found.start()], found.as_str()]);
            at = found.end();
        }
        parts.push(&word[at..]);
        parts.retain(|part| !part.is_empty());
    }
}

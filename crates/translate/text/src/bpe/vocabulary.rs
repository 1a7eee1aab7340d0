//! The sub-words that a model knows.

use std::collections::HashSet;
use std::path::Path;

use super::codes::{Codes, WORD_END};
use super::error::{BpeError, lines, read};

/// Sub-words, as they stand in text (with their separator), that are frequent enough. A merge whose
/// result is not among them is undone.
#[derive(Clone, Debug)]
pub struct BpeVocabulary(HashSet<String>);

impl BpeVocabulary {
    /// Reads a file of `subword-nmt get-vocab` (`sub-word frequency` per line) and keeps what
    /// occurs at least `threshold` times.
    ///
    /// # Errors
    /// If the file can not be read or has another format.
    pub fn open(path: impl AsRef<Path>, threshold: u64) -> Result<Self, BpeError> {
        let path = path.as_ref();
        Self::from_bytes(&read(path)?, &path.display().to_string(), threshold)
    }

    /// Reads such a file from memory; `file` is its name in messages.
    ///
    /// # Errors
    /// If the bytes have another format.
    pub fn from_bytes(bytes: &[u8], file: &str, threshold: u64) -> Result<Self, BpeError> {
        let mut subwords = HashSet::new();
        for (i, line) in lines(bytes, file).enumerate() {
            let line = line?.trim_matches([' ', '\r']);
            let entry = line.split_once(' ').and_then(|(word, count)| Some((word, count.parse::<u64>().ok()?)));
            let (word, count) = entry.ok_or_else(|| {
                let expected = "a sub-word, one space and its frequency as `subword-nmt get-vocab` writes them";
                BpeError::line(file, i + 1, format!("expected {expected}, got `{line}`"))
            })?;
            if count >= threshold {
                subwords.insert(word.to_owned());
            }
        }
        Ok(Self(subwords))
    }

    /// Whether there is no sub-word; such a vocabulary forbids nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Splits `piece` until all parts are in the vocabulary or can not be split.
    ///
    /// With codes of version 0.1, the original ends a word with an empty piece if this takes off
    /// the mark of the word's end; we leave that piece out.
    pub(super) fn undo<'a>(
        &self,
        codes: &'a Codes,
        piece: &'a str,
        last: bool,
        separator: &str,
        pieces: &mut Vec<&'a str>,
    ) {
        let mut key = String::new();
        let mut todo = vec![(piece, last)];
        while let Some((piece, last)) = todo.pop() {
            key.clear();
            key.push_str(piece);
            key.push_str(if last { "" } else { separator });
            if self.0.contains(&key) {
                pieces.push(piece);
                continue;
            }
            key.truncate(piece.len());
            key.push_str(if last { WORD_END } else { "" });
            let parts = codes.parts(&key).and_then(|(left, right)| match last {
                true => Some((left, right.strip_suffix(WORD_END)?)),
                false => Some((left, right)),
            });
            match parts {
                Some((left, "")) => todo.push((left, false)),
                Some((left, right)) => todo.extend([(right, last), (left, false)]),
                None => pieces.push(piece),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line() {
        for text in ["a 1\nb\n", "a 1\nb x\n", "a 1\n\n", "a 1\nb 1 2\n", "a 1\nb -1\n"] {
            let error = BpeVocabulary::from_bytes(text.as_bytes(), "vocab", 0).expect_err(text);
            assert!(error.to_string().starts_with("vocab, line 2: expected"), "{error}");
        }
        assert!(BpeVocabulary::from_bytes(b"", "vocab", 0).expect("valid").is_empty());
    }
}

//! Lines to sub-words and back.

use std::path::Path;

use super::codes::Codes;
use super::error::{BpeError, read};
use super::glossary::Glossary;
use super::merge::Merger;
use super::vocabulary::BpeVocabulary;

/// Splits words into sub-words by BPE codes, and joins them.
#[derive(Clone, Debug)]
pub struct Bpe {
    codes: Codes,
    separator: String,
    vocabulary: Option<BpeVocabulary>,
    glossaries: Vec<Glossary>,
}

impl Bpe {
    /// Reads codes as `subword-nmt learn-bpe` writes them, version 0.1 or 0.2.
    ///
    /// # Errors
    /// If the file can not be read or has another format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BpeError> {
        let path = path.as_ref();
        Self::from_bytes(&read(path)?, &path.display().to_string())
    }

    /// Reads codes from memory; `file` is their name in messages.
    ///
    /// # Errors
    /// If the bytes have another format.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, BpeError> {
        Ok(Self {
            codes: Codes::parse(bytes, file)?,
            separator: "@@".to_owned(),
            vocabulary: None,
            glossaries: Vec::new(),
        })
    }

    /// With another mark for a sub-word that is not the last of its word; the default is `@@`.
    #[must_use]
    pub fn with_separator(mut self, separator: &str) -> Self {
        separator.clone_into(&mut self.separator);
        self
    }

    /// With a vocabulary: a merge whose result the vocabulary lacks is undone.
    #[must_use]
    pub fn with_vocabulary(mut self, vocabulary: BpeVocabulary) -> Self {
        self.vocabulary = Some(vocabulary).filter(|vocabulary| !vocabulary.is_empty());
        self
    }

    /// With regular expressions whose matches stay whole and apart, in this order.
    ///
    /// # Errors
    /// If one of them is no regular expression.
    pub fn with_glossaries<S: AsRef<str>>(mut self, patterns: &[S]) -> Result<Self, BpeError> {
        self.glossaries = patterns.iter().map(|pattern| Glossary::new(pattern.as_ref())).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The line with each word in its sub-words. Words end at spaces, and only there; spaces at the
    /// ends of the line stay.
    pub fn segment_line(&self, line: &str) -> String {
        const ENDS: [char; 3] = ['\r', '\n', ' '];
        let body = line.trim_matches(ENDS);
        let before = line.len() - line.trim_start_matches(ENDS).len();
        let mut out = line[..before].to_owned();
        let mut merger = Merger::default();
        for word in body.split(' ').filter(|word| !word.is_empty()) {
            if out.len() > before {
                out.push(' ');
            }
            let pieces = self.pieces(word, &mut merger);
            for (i, piece) in pieces.iter().enumerate() {
                if i > 0 {
                    out.push_str(&self.separator);
                    out.push(' ');
                }
                out.push_str(piece);
            }
        }
        out.push_str(&line[before + body.len()..]);
        out
    }

    /// The sub-words of one word, without separators.
    pub fn segment_word<'a>(&'a self, word: &'a str) -> Vec<&'a str> {
        self.pieces(word, &mut Merger::default())
    }

    fn pieces<'a>(&'a self, word: &'a str, merger: &mut Merger) -> Vec<&'a str> {
        let mut parts = vec![word];
        for glossary in &self.glossaries {
            let mut finer = Vec::new();
            for part in parts {
                let mut cut = Vec::new();
                glossary.isolate(part, &mut cut);
                finer.extend(cut);
            }
            parts = finer;
        }
        let mut pieces = Vec::new();
        for part in parts {
            if part.chars().nth(1).is_none() || self.glossaries.iter().any(|g| g.is_whole(part)) {
                pieces.push(part);
            } else {
                self.split(part, merger, &mut pieces);
            }
        }
        pieces
    }

    fn split<'a>(&'a self, word: &'a str, merger: &mut Merger, pieces: &mut Vec<&'a str>) {
        let mut spans = Vec::new();
        merger.split(&self.codes, word, &mut spans);
        let merged = spans.into_iter().map(|span| (span.end == word.len(), &word[span]));
        match &self.vocabulary {
            None => pieces.extend(merged.map(|(_, piece)| piece)),
            Some(vocabulary) => {
                for (last, piece) in merged {
                    vocabulary.undo(&self.codes, piece, last, &self.separator, pieces);
                }
            }
        }
    }

    /// The line with each separator, and the space after it, taken out; also at the end of a line
    /// that was cut within a word.
    pub fn join_line(&self, line: &str) -> String {
        let mut joined = line.replace(&format!("{} ", self.separator), "");
        if joined.ends_with(&self.separator) {
            joined.truncate(joined.len() - self.separator.len());
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: &[u8] = b"#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\nlow er</w>\n";

    fn bpe() -> Bpe {
        Bpe::from_bytes(CODES, "codes").expect("valid")
    }

    #[test]
    fn spaces_at_the_ends_stay() {
        assert_eq!(bpe().segment_line("  lower  low \r\n"), "  lower low \r\n");
        assert_eq!(bpe().segment_line("   "), "   ");
        assert_eq!(bpe().segment_line(""), "");
        assert_eq!(bpe().segment_line("x\ty"), "x@@ \t@@ y");
    }

    #[test]
    fn merges_that_lead_out_of_the_vocabulary_are_undone() {
        let vocabulary = BpeVocabulary::from_bytes(b"low@@ 5\ner 5\nlower 1\nlo@@ 9\n", "vocab", 2);
        let bpe = bpe().with_vocabulary(vocabulary.expect("valid"));
        assert_eq!(bpe.segment_line("lower low"), "low@@ er lo@@ w");
    }

    #[test]
    fn glossaries_stay_whole() {
        let bpe = bpe().with_glossaries(&["USA", r"<\w+>"]).expect("valid");
        assert_eq!(bpe.segment_line("USA lowUSAlow <low>"), "USA low@@ USA@@ low <low>");
        assert!(Bpe::with_glossaries(bpe, &["("]).is_err());
    }

    #[test]
    fn separators_are_taken_out() {
        assert_eq!(bpe().join_line("a@@ b c@@ d@@"), "ab cd");
        assert_eq!(bpe().join_line("a@@ b@@ "), "ab");
        let other = bpe().with_separator("~");
        assert_eq!(other.segment_line("lot"), "lo~ t");
        assert_eq!(other.join_line("lo~ t"), "lot");
    }
}

//! The counts of pairs that were read of a corpus, and of pairs that were left out.

use std::fmt;
use std::path::PathBuf;

/// The counts of pairs that were read of a corpus, and of pairs that were left out. Repetitions are not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Sentence pairs of the files.
    pub pairs: usize,
    /// Pairs that were kept.
    pub kept: usize,
    /// Pairs left out because a side has no word.
    pub empty: usize,
    /// Pairs left out because a side has more words than the limit.
    pub too_long: usize,
    /// Pairs left out because a side is not valid UTF-8.
    pub invalid: usize,
    /// The first line that is not valid UTF-8: its file, and its number from 1.
    pub first_invalid: Option<(PathBuf, usize)>,
    /// Source words that were kept, ends of sentence counted.
    pub source_words: usize,
    /// Target words that were kept, ends of sentence counted.
    pub target_words: usize,
    /// Source words that the vocabulary does not know.
    pub unknown_source_words: usize,
    /// Target words that the vocabulary does not know.
    pub unknown_target_words: usize,
}

impl Report {
    /// Adds the counts of a later part.
    pub(super) fn add(&mut self, next: Self) {
        self.pairs += next.pairs;
        self.kept += next.kept;
        self.empty += next.empty;
        self.too_long += next.too_long;
        self.invalid += next.invalid;
        if self.first_invalid.is_none() {
            self.first_invalid = next.first_invalid;
        }
        self.source_words += next.source_words;
        self.target_words += next.target_words;
        self.unknown_source_words += next.unknown_source_words;
        self.unknown_target_words += next.unknown_target_words;
    }
}

/// One line, and a second one if something was left out.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let (source, target) = (self.source_words, self.target_words);
        write!(
            f,
            "{} of {} sentence pairs: {source} source and {target} target words, {:.2} % and {:.2} % unknown",
            self.kept,
            self.pairs,
            percent(self.unknown_source_words, source),
            percent(self.unknown_target_words, target),
        )?;
        if self.kept == self.pairs {
            return Ok(());
        }
        let (empty, too_long, invalid) = (self.empty, self.too_long, self.invalid);
        write!(f, "\nleft out: {empty} with an empty side, {too_long} too long, {invalid} not UTF-8")?;
        match &self.first_invalid {
            Some((path, line)) => write!(f, " (first: {}, line {line})", path.display()),
            None => Ok(()),
        }
    }
}

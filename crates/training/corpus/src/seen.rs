//! Pairs that were there before, and lines of test sets.

use crate::CorpusError;
use crate::read::Lines;
use metaphrase_base::checksum;
use std::collections::HashSet;
use std::path::Path;

/// Words that follow each other and are compared as one.
const RUN: usize = 5;

/// A text of letters and digits in small letters, and single spaces: texts that differ in case, punctuation or white
/// space alone are equal.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() {
            plain.extend(c.to_lowercase());
        } else if !plain.is_empty() && !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// The pairs so far, each by a checksum of 64 bits.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    known: HashSet<u64>,
}

impl Pairs {
    /// Whether the pair is new; then it is known from now on.
    pub(crate) fn insert(&mut self, [source, target]: [&str; 2]) -> bool {
        let text = format!("{}\n{}", plain(source), plain(target));
        self.known.insert(checksum([text.as_bytes()]))
    }
}

/// The lines of test sets.
#[derive(Debug, Default)]
pub(crate) struct TestSets {
    lines: HashSet<u64>,
    runs: HashSet<u64>,
}

impl TestSets {
    /// Reads the texts at `paths`.
    pub(crate) fn read<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<Self, CorpusError> {
        let mut sets = Self::default();
        for path in paths {
            let mut lines = Lines::open(path)?;
            while let Some(line) = lines.next()? {
                sets.add(&line.unwrap_or_default());
            }
        }
        Ok(sets)
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, line: &str) {
        let line = plain(line);
        if !line.is_empty() {
            runs(&line).for_each(|run| _ = self.runs.insert(run));
            self.lines.insert(checksum([line.as_bytes()]));
        }
    }

    /// Whether a text is one of the lines, or has most of its runs of five words from them.
    pub(crate) fn contain(&self, text: &str) -> bool {
        let text = plain(text);
        if self.lines.contains(&checksum([text.as_bytes()])) {
            return !text.is_empty();
        }
        let (mut known, mut all) = (0, 0);
        for run in runs(&text) {
            known += usize::from(self.runs.contains(&run));
            all += 1;
        }
        2 * known > all
    }
}

/// The runs of words of a plain text.
fn runs(plain: &str) -> impl Iterator<Item = u64> {
    let starts: Vec<usize> = plain.split(' ').map(|word| word.as_ptr() as usize - plain.as_ptr() as usize).collect();
    let words = starts.len();
    (0..words.saturating_sub(RUN - 1)).map(move |first| {
        let end = starts.get(first + RUN).map_or(plain.len(), |next| next - 1);
        checksum([&plain.as_bytes()[starts[first]..end]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_punctuation_and_white_space_do_not_matter() {
        assert_eq!(plain("  Ein  HAUS, (rot)! "), "ein haus rot");
        let mut pairs = Pairs::default();
        assert!(pairs.insert(["A house.", "Ein Haus."]));
        assert!(!pairs.insert(["a house", "ein  haus!"]));
        assert!(pairs.insert(["A house.", "Das Haus."]));
    }

    #[test]
    fn lines_of_test_sets_are_found_with_small_changes() {
        let mut sets = TestSets::default();
        sets.add("The quick brown fox jumps over the lazy dog today.");
        sets.add("Good morning!");
        sets.add("");
        assert!(sets.contain("the quick brown fox jumps over the lazy dog, today"));
        assert!(sets.contain("Yes, the quick brown fox jumps over the lazy dog."));
        assert!(!sets.contain("The quick brown fox jumps and then the lazy dog sleeps today."));
        assert!(
            sets.contain("good morning") && !sets.contain("Good evening!") && !sets.contain("") && !sets.contain("a")
        );
    }
}

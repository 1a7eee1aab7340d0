//! How often each form of a word was seen, and Moses' file of these counts.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::char_class::words;

/// A truecasing model that can not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TruecaseModelError {
    /// The file can not be opened or read.
    #[error("the truecasing model {} can not be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        #[source]
        source: io::Error,
    },
    /// A line does not consist of words with counts.
    #[error(
        "{file}, line {line}: expected pairs `word (count)`, the first with `/total`, and got {got}; \
         is this a model of Moses' truecaser?"
    )]
    Line {
        /// The name of the source.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The problem.
        got: String,
    },
}

/// A form of a word and its weight.
#[derive(Clone, Debug)]
struct Form {
    text: String,
    /// In tenths of an occurrence: sentence-initial words may count a tenth.
    tenths: u64,
}

/// The forms of all words in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseCounts {
    forms: Vec<Form>,
    index: HashMap<String, usize>,
}

impl CaseCounts {
    pub(super) fn add(&mut self, form: &str, tenths: u64) {
        let i = self.index_of(form);
        self.forms[i].tenths = self.forms[i].tenths.saturating_add(tenths);
    }

    fn index_of(&mut self, form: &str) -> usize {
        if let Some(&i) = self.index.get(form) {
            return i;
        }
        let i = self.forms.len();
        self.index.insert(form.to_owned(), i);
        self.forms.push(Form { text: form.to_owned(), tenths: 0 });
        i
    }

    pub(super) fn contains(&self, form: &str) -> bool {
        self.index.contains_key(form)
    }

    /// The forms of each word, the most frequent first and among equals the first seen; words in
    /// the order in which they were first seen.
    fn by_word(&self) -> Vec<Vec<&Form>> {
        let mut word_of = HashMap::new();
        let mut words: Vec<Vec<&Form>> = Vec::new();
        for form in &self.forms {
            let word = *word_of.entry(form.text.to_lowercase()).or_insert_with(|| {
                words.push(Vec::new());
                words.len() - 1
            });
            words[word].push(form);
        }
        for forms in &mut words {
            forms.sort_by_key(|form| std::cmp::Reverse(form.tenths));
        }
        words
    }

    /// The most frequent form of each word by its lower-cased form.
    pub(super) fn best(&self) -> HashMap<String, String> {
        let best = self.by_word().into_iter().map(|forms| &forms[0].text);
        best.map(|text| (text.to_lowercase(), text.clone())).collect()
    }

    pub(super) fn open(path: &Path) -> Result<Self, TruecaseModelError> {
        let bytes = std::fs::read(path).map_err(|source| TruecaseModelError::Io { path: path.to_owned(), source })?;
        Self::parse(&bytes, &path.display().to_string())
    }

    /// One word per line: `form (count/total) form (count) …`. A form that comes again has its last
    /// count.
    pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Self, TruecaseModelError> {
        let mut counts = Self::default();
        for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
            let error = |got: String| TruecaseModelError::Line { file: file.to_owned(), line: i + 1, got };
            let line = std::str::from_utf8(line).map_err(|e| error(format!("text that is no UTF-8 ({e})")))?;
            let mut fields = words(line);
            while let Some(form) = fields.next() {
                let count = fields.next().ok_or_else(|| error(format!("`{form}` without a count")))?;
                let tenths = parse_count(count).ok_or_else(|| error(format!("`{count}` as the count of `{form}`")))?;
                let i = counts.index_of(form);
                counts.forms[i].tenths = tenths;
            }
        }
        Ok(counts)
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for forms in self.by_word() {
            let total = forms.iter().fold(0, |sum: u64, form| sum.saturating_add(form.tenths));
            for (i, form) in forms.iter().enumerate() {
                let count = show_count(form.tenths);
                match i {
                    0 => write!(out, "{} ({count}/{})", form.text, show_count(total))?,
                    _ => write!(out, " {} ({count})", form.text)?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

fn show_count(tenths: u64) -> String {
    match tenths % 10 {
        0 => format!("{}", tenths / 10),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

/// Reads `(12/34)`, `(12)` or `(1.3)`.
fn parse_count(field: &str) -> Option<u64> {
    let count = field.split('/').next().unwrap_or_default();
    let count = count.trim_matches(['(', ')']);
    match count.parse::<u64>() {
        Ok(whole) => whole.checked_mul(10),
        // Beyond 2^53 a fraction means nothing.
        Err(_) => count
            .parse::<f64>()
            .ok()
            .filter(|count| (0.0..9e15).contains(count))
            .map(|count| (count * 10.0).round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_survives_writing_and_reading() {
        let text = "He (10/12) he (2)\nmay (3.1/4.1) May (1)\n";
        let counts = CaseCounts::parse(text.as_bytes(), "model").expect("valid");
        let mut written = Vec::new();
        counts.write(&mut written).expect("memory");
        assert_eq!(String::from_utf8(written).expect("utf-8"), text);
        assert_eq!(counts.best()["may"], "may");
        assert!(counts.contains("May"));
    }

    #[test]
    fn the_first_seen_wins_a_tie() {
        let mut counts = CaseCounts::default();
        for form in ["May", "may", "MAY", "may", "May"] {
            counts.add(form, 10);
        }
        assert_eq!(counts.best()["may"], "May");
    }

    #[test]
    fn errors_name_the_line() {
        for (text, named) in [
            ("a (1/1)\nb (1/1) c\n", "model, line 2: expected pairs `word (count)`"),
            ("a (x/1)\n", "`(x/1)` as the count of `a`"),
            ("a (-1/1)\n", "`(-1/1)`"),
            ("a (99999999999999999999/1)\n", "`(999"),
        ] {
            let error = CaseCounts::parse(text.as_bytes(), "model").expect_err(text);
            assert!(error.to_string().contains(named), "{error}");
        }
        assert!(CaseCounts::parse(b"\xff (1/1)", "model").is_err());
    }
}

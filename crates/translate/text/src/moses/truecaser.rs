//! The Moses truecaser: each word in its most frequent form.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use super::case_counts::{CaseCounts, TruecaseModelError};
use super::char_class::{self as class, is, words};
use super::markup::{has_tag, split_markup};

/// Gives words the form in which they are most frequent, so that only names keep their capital at
/// the start of a sentence, as Moses' `truecase.perl` and `sacremoses` do. Works on tokenised text.
#[derive(Clone, Debug)]
pub struct Truecaser {
    counts: CaseCounts,
    best: HashMap<String, String>,
    options: TruecaserOptions,
}

/// The options of the truecaser.
#[derive(Clone, Copy, Debug, Default)]
pub struct TruecaserOptions {
    /// Inside a sentence keep a form that was seen in training. Off by default, as in
    /// `sacremoses`; `truecase.perl` always does so.
    pub keep_known: bool,
    /// For text without case, from speech recognition: lower-case all words first.
    pub uncased_input: bool,
}

/// Whether the first word of a sentence counts, whose capital may be the sentence's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstWords {
    /// It does not.
    #[default]
    Skip,
    /// It does if it is in lower case, and a tenth if it is the second token of its line.
    Count,
}

/// Learns a [`Truecaser`] from tokenised text, line by line.
#[derive(Clone, Debug, Default)]
pub struct TruecaserTrainer {
    counts: CaseCounts,
    first_words: FirstWords,
}

/// Tokens after which a new sentence starts.
fn ends_sentence(token: &str) -> bool {
    matches!(token, "." | ":" | "?" | "!")
}

/// Tokens that may stand before the first word of a sentence.
fn delays_start(token: &str) -> bool {
    matches!(token, "(" | "[" | "\"" | "'" | "&apos;" | "&quot;" | "&#91;" | "&#93;")
}

impl TruecaserTrainer {
    /// A trainer without counts.
    pub fn new(first_words: FirstWords) -> Self {
        Self { counts: CaseCounts::default(), first_words }
    }

    /// Counts the words of a tokenised line.
    pub fn learn_line(&mut self, line: &str) {
        let mut first_word = true;
        for (i, token) in words(line).enumerate() {
            if has_tag(token) || delays_start(token) {
                continue;
            }
            if !first_word && ends_sentence(token) {
                first_word = true;
                continue;
            }
            if token.chars().any(|c| is(c, class::CASED)) {
                let tenths = match first_word {
                    false => 10,
                    true if self.first_words == FirstWords::Skip => 0,
                    true if token.starts_with(char::is_lowercase) => 10,
                    true if i == 1 => 1,
                    true => 0,
                };
                if tenths > 0 {
                    self.counts.add(token, tenths);
                }
            }
            first_word = false;
        }
    }

    /// The truecaser.
    pub fn finish(self) -> Truecaser {
        Truecaser::from_counts(self.counts)
    }
}

impl Truecaser {
    fn from_counts(counts: CaseCounts) -> Self {
        let best = counts.best();
        Self { counts, best, options: TruecaserOptions::default() }
    }

    /// Reads a model file in Moses' format (`word (count/total) Word (count)` per line).
    ///
    /// # Errors
    /// If the file can not be read or has another format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TruecaseModelError> {
        CaseCounts::open(path.as_ref()).map(Self::from_counts)
    }

    /// Reads a model from memory; `file` is its name in messages.
    ///
    /// # Errors
    /// If the bytes have another format.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, TruecaseModelError> {
        CaseCounts::parse(bytes, file).map(Self::from_counts)
    }

    /// The same model with other options.
    #[must_use]
    pub fn with_options(mut self, options: TruecaserOptions) -> Self {
        self.options = options;
        self
    }

    /// Writes the model in Moses' format.
    ///
    /// # Errors
    /// If `out` can not be written.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        self.counts.write(&mut out)
    }

    /// The line with each word in its best form and one space between tokens. XML tags stay as
    /// they are, and so does what follows a word after `|`.
    pub fn truecase_line(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut first_word = true;
        for token in split_markup(line) {
            if !out.is_empty() {
                out.push(' ');
            }
            let start = out.len();
            if has_tag(token) || token.starts_with('|') {
                out.push_str(token);
                continue;
            }
            let (word, factors) = token.split_at(token.find('|').unwrap_or(token.len()));
            self.push_word(word, first_word, &mut out);
            out.push_str(factors);
            let token = &out[start..];
            first_word = ends_sentence(token) || (first_word && delays_start(token));
        }
        out
    }

    fn push_word(&self, word: &str, first_word: bool, out: &mut String) {
        let lower = word.to_lowercase();
        let best = self.best.get(&lower);
        let TruecaserOptions { keep_known, uncased_input } = self.options;
        let known = keep_known && !uncased_input && !first_word && self.counts.contains(word);
        out.push_str(match best {
            Some(best) if !known => best,
            _ if uncased_input => &lower,
            _ => word,
        });
    }
}

/// Gives the first word of each sentence a capital, as Moses' `detruecase.perl` and `sacremoses` do. One space between
/// tokens.
pub fn detruecase_line(line: &str) -> String {
    detruecase(line, |_| false)
}

/// As [`detruecase_line`], but every word of the line gets a capital, except the smallest English ones.
pub fn detruecase_headline(line: &str) -> String {
    detruecase(line, |token| !SMALL_WORDS.contains(token))
}

fn detruecase(line: &str, is_title_word: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(line.len());
    let mut sentence_start = true;
    for token in words(line) {
        if !out.is_empty() {
            out.push(' ');
        }
        let start = out.len();
        if sentence_start {
            push_capitalised(token, &mut out);
        } else {
            out.push_str(token);
        }
        let token = &out[start..];
        sentence_start = ends_sentence(token) || (sentence_start && delays_start(token));
        if is_title_word(token) {
            let token = out.split_off(start);
            push_capitalised(&token, &mut out);
        }
    }
    out
}

fn push_capitalised(token: &str, out: &mut String) {
    let mut chars = token.chars();
    out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
    out.push_str(chars.as_str());
}

/// English words that stay in lower case in a headline.
static SMALL_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a after against and any as at be because between by during for from his in is its last not of \
     off on than the their this to was were which will with"
        .split(' ')
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn model(options: TruecaserOptions) -> Truecaser {
        let text = "the (9/10) The (1)\nPeter (3/3)\nmay (2/3) May (1)\n";
        Truecaser::from_bytes(text.as_bytes(), "model").expect("valid").with_options(options)
    }

    #[test]
    fn words_get_their_best_form() {
        let plain = model(TruecaserOptions::default());
        assert_eq!(plain.truecase_line("The May ? THE Unknown"), "the may ? the Unknown");
        assert_eq!(plain.truecase_line("<The x> \" The|The The|"), "<The x> \" the|The the|");
        let known = model(TruecaserOptions { keep_known: true, ..Default::default() });
        assert_eq!(known.truecase_line("May May PETER . May"), "may May Peter . may");
        let uncased = model(TruecaserOptions { uncased_input: true, ..Default::default() });
        assert_eq!(uncased.truecase_line("PETER MAY NOT"), "Peter may not");
    }

    #[test]
    fn first_words_do_not_count() {
        let mut trainer = TruecaserTrainer::new(FirstWords::Skip);
        trainer.learn_line("\" The cat . The dog <b> sees THE Cat : Then");
        let mut file = Vec::new();
        trainer.finish().write(&mut file).expect("memory");
        let expected = "cat (1/2) Cat (1)\ndog (1/1)\nsees (1/1)\nTHE (1/1)\n";
        assert_eq!(String::from_utf8(file).expect("utf-8"), expected);
    }

    #[test]
    fn first_words_count_on_request() {
        let mut trainer = TruecaserTrainer::new(FirstWords::Count);
        trainer.learn_line("' Tis so");
        trainer.learn_line("tis not");
        let mut file = Vec::new();
        trainer.finish().write(&mut file).expect("memory");
        let expected = "tis (1/1.1) Tis (0.1)\nso (1/1)\nnot (1/1)\n";
        assert_eq!(String::from_utf8(file).expect("utf-8"), expected);
    }

    #[test]
    fn sentences_and_headlines_get_capitals() {
        assert_eq!(detruecase_line("\" ein haus . das"), "\" Ein haus . Das");
        assert_eq!(detruecase_headline("the war of the words"), "The War of the Words");
        assert_eq!(detruecase_headline("ǆ ßa"), "Ǆ SSa");
    }
}

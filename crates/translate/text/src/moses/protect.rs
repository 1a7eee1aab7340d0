//! Text that the tokeniser must leave whole: addresses, tags, handles.

use regex::{Regex, RegexBuilder};

/// Patterns whose matches the tokeniser keeps as they are, case ignored.
///
/// Protection is Moses' own device: before tokenisation each match is replaced, everywhere in the
/// line, by a made-up word with a number, and put back at the end.
#[derive(Clone, Debug, Default)]
pub struct ProtectedPatterns(Vec<Regex>);

/// A protected pattern that is not a regular expression.
#[derive(Debug, thiserror::Error)]
#[error(
    "the protected pattern `{pattern}` is not a regular expression that we can use \
     (no look-around, no back-references): {source}"
)]
pub struct PatternError {
    /// The pattern as given.
    pub pattern: String,
    /// The message of the compiler of regular expressions.
    #[source]
    pub source: Box<regex::Error>,
}

/// A character of a word in Python's sense, where Rust's `\w` would also take combining marks.
const WORD: &str = r"[\p{L}\p{N}_]";

/// ASCII letters, and the two that are equal to `i` if case is ignored, in Python though not in Rust.
const LATIN: &str = "a-zA-Zİı";

/// The number of matches that are protected in one line: the made-up words have three digits.
const MAX_PROTECTED: usize = 1000;

impl ProtectedPatterns {
    /// Compiles patterns in the syntax of the `regex` crate.
    ///
    /// # Errors
    /// If one of them is no valid regular expression.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Self, PatternError> {
        let compile = |pattern: &S| {
            let pattern = pattern.as_ref();
            RegexBuilder::new(pattern)
                .case_insensitive(true)
                .build()
                .map_err(|source| PatternError { pattern: pattern.to_owned(), source: Box::new(source) })
        };
        Ok(Self(patterns.iter().map(compile).collect::<Result<_, _>>()?))
    }

    /// The patterns of Moses' own file `basic-protected-patterns`: XML tags, e-mail addresses, URLs.
    pub fn basic() -> Self {
        Self::built_in(&[
            r"</?\S+/?>".to_owned(),
            format!(r#"<\S+( [{LATIN}0-9]+="?[^"]")+ ?/?>"#),
            format!(r"<\S+( [{LATIN}0-9]+='?[^']')+ ?/?>"),
            email(),
            format!(r"(https?|ftp)://[^:/\s]+(/{WORD}+)*/(?:{WORD}|[\-.])+"),
        ])
    }

    /// The wider set for text from the web: URLs, e-mail addresses, `@handles`, `#tags`.
    pub fn web() -> Self {
        Self::built_in(&[
            r"((https?|ftp|rsync)://|www\.)[^ ]*".to_owned(),
            email(),
            format!("@[{LATIN}0-9_]+"),
            format!("#[{LATIN}0-9_]+"),
        ])
    }

    fn built_in(patterns: &[String]) -> Self {
        Self::new(patterns).expect("the built-in patterns are compiled by a test")
    }

    /// Whether there is nothing to protect.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the protected parts of `text`. Of more than 1000 matches, those of the later
    /// patterns and places are left as ordinary text (the original refuses such a line).
    pub(super) fn hide(&self, text: &mut String) -> HiddenParts {
        let tokens: Vec<String> = self
            .0
            .iter()
            .flat_map(|pattern| pattern.find_iter(text))
            .filter(|found| !found.is_empty())
            .map(|found| found.as_str().to_owned())
            .take(MAX_PROTECTED)
            .collect();
        let hidden = HiddenParts { marker: unused_marker(text), tokens };
        let mut longest_first: Vec<usize> = (0..hidden.tokens.len()).collect();
        longest_first.sort_by_key(|&i| std::cmp::Reverse(hidden.tokens[i].chars().count()));
        for i in longest_first {
            *text = text.replace(&hidden.tokens[i], &hidden.placeholder(i));
        }
        hidden
    }
}

fn email() -> String {
    format!(r"(?:{WORD}|[\-.])+@((?:{WORD}|-)+\.)+[{LATIN}]{{2,}}")
}

/// The parts that [`ProtectedPatterns::hide`] took out of a line.
pub(super) struct HiddenParts {
    marker: String,
    tokens: Vec<String>,
}

impl HiddenParts {
    fn placeholder(&self, i: usize) -> String {
        format!("{}{i:03}", self.marker)
    }

    /// Puts everything back.
    pub(super) fn restore(&self, text: &mut String) {
        for (i, token) in self.tokens.iter().enumerate() {
            *text = text.replace(&self.placeholder(i), token);
        }
    }
}

/// A word that does not occur in `text`: one `X` more than any that looks like it.
fn unused_marker(text: &str) -> String {
    const STEM: &str = "THISISPROTECTED";
    let longest = text.split(STEM).skip(1).map(|rest| rest.bytes().take_while(|&b| b == b'X').count()).max();
    STEM.to_owned() + &"X".repeat(longest.map_or(0, |run| run + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_patterns_compile() {
        assert!(!ProtectedPatterns::basic().is_empty());
        assert!(!ProtectedPatterns::web().is_empty());
    }

    #[test]
    fn what_is_hidden_comes_back() {
        let line = "see www.example.org/a?b=c, mail a.b@example.org THISISPROTECTEDX";
        let mut text = line.to_owned();
        let hidden = ProtectedPatterns::web().hide(&mut text);
        assert_eq!(text, "see THISISPROTECTEDXX000 mail THISISPROTECTEDXX001 THISISPROTECTEDX");
        hidden.restore(&mut text);
        assert_eq!(text, line);
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let error = ProtectedPatterns::new(&["a(?=b)"]).expect_err("look-ahead");
        assert!(error.to_string().contains("`a(?=b)`"), "{error}");
    }
}

//! Languages by code, and how their text is split into words.
//!
//! Most languages have spaces between words; Moses' rules split the rest of their text. Chinese and Japanese are split
//! into characters. Words of Chinese, Japanese, Thai, Lao, Khmer and Burmese need a dictionary, which the feature
//! `segmenter` compiles in. The code alone decides how text is split, so that two builds of this crate never split a
//! text differently: without the dictionary a language that needs it is refused.
//!
//! ```
//! use metaphrase_text::language::{Language, WordTokenizer};
//! use metaphrase_text::moses::TokenizerOptions;
//!
//! let tokens = |code: &str, line| {
//!     let language: Language = code.parse().unwrap();
//!     WordTokenizer::new(language, TokenizerOptions::default()).tokenize_line(line)
//! };
//! assert_eq!(tokens("de", "Er kam."), "Er kam .");
//! assert_eq!(tokens("zh", "我用iPhone 5。"), "我 用 iPhone 5 。");
//! ```

mod words;

pub use words::{WordTokenizer, unspaced};

use crate::moses::MosesDetokenizer;
use std::str::FromStr;

/// The languages, one a line: code, form, name.
const LIST: &str = include_str!("language/languages.txt");

/// How a text is divided into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Spaces separate words.
    Spaces,
    /// Each character of a script without spaces is a word.
    Characters,
    /// A dictionary finds the words.
    Dictionary,
}

/// A language whose text this build can split into words, made from its code: `"de".parse()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    code: &'static str,
    form: Form,
}

/// A language that this build can not split into words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    /// The code is not in the list.
    #[error("there is no language code `{code}`; the codes are {}", codes())]
    Unknown {
        /// The code that was given.
        code: String,
    },
    /// A name or a longer code of a language in the list.
    #[error("there is no language code `{given}`; write `{code}` for {name}")]
    Name {
        /// The name or code that was given.
        given: String,
        /// The code of the list.
        code: &'static str,
        /// Its language.
        name: &'static str,
    },
    /// The words are found by a dictionary that this build lacks.
    #[error(
        "text in {name} (`{code}`) has no spaces between words, and this program was built without the dictionary that \
         finds words: build it with `cargo build --release -p metaphrase-cli --features segmenter`{}",
        characters(code)
    )]
    NoDictionary {
        /// The code.
        code: &'static str,
        /// The language.
        name: &'static str,
    },
}

/// All entries of the list: code, form, name.
fn entries() -> impl Iterator<Item = (&'static str, Form, &'static str)> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.splitn(3, ' ');
        let (code, form, name) = (fields.next()?, fields.next()?, fields.next()?);
        let form = match form {
            "characters" => Form::Characters,
            "dictionary" => Form::Dictionary,
            _ => Form::Spaces,
        };
        Some((code, form, name))
    })
}

/// The codes that this build can use, with spaces between them.
fn codes() -> String {
    let usable = entries().filter(|&(_, form, _)| form != Form::Dictionary || words::HAS_DICTIONARY);
    usable.map(|(code, ..)| code).collect::<Vec<_>>().join(" ")
}

/// Advice to split into characters, where that is possible.
fn characters(code: &str) -> String {
    code.strip_suffix("-words").map_or_else(String::new, |code| format!(", or write `{code}` to split into characters"))
}

impl FromStr for Language {
    type Err = LanguageError;

    fn from_str(given: &str) -> Result<Self, LanguageError> {
        match entries().find(|&(code, ..)| code == given) {
            Some((code, Form::Dictionary, name)) if !words::HAS_DICTIONARY => {
                Err(LanguageError::NoDictionary { code, name })
            }
            Some((code, form, _)) => Ok(Self { code, form }),
            None => Err(unknown(given)),
        }
    }
}

/// `German`, `DE` and `de-AT` stand for `de`.
fn unknown(given: &str) -> LanguageError {
    let short = given.split(['-', '_']).next().unwrap_or_default();
    let near = entries().find(|(code, _, name)| name.eq_ignore_ascii_case(given) || code.eq_ignore_ascii_case(short));
    let given = given.to_owned();
    match near {
        Some((code, _, name)) => LanguageError::Name { given, code, name },
        None => LanguageError::Unknown { code: given },
    }
}

impl Language {
    /// The detokeniser for the words of a [`WordTokenizer`].
    #[must_use]
    pub fn detokenizer(self) -> MosesDetokenizer {
        MosesDetokenizer::new(self.moses_code())
    }

    /// The code by which the Moses tools know the language.
    fn moses_code(self) -> &'static str {
        self.code.strip_suffix("-words").unwrap_or(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_whole() {
        let codes: Vec<&str> = entries().map(|(code, ..)| code).collect();
        assert_eq!(codes.len(), LIST.lines().count() - 2, "two lines are comments");
        assert!(codes.is_sorted() && codes.contains(&"de") && codes.contains(&"th"), "{codes:?}");
    }

    #[test]
    fn codes_that_are_none_are_refused_with_the_list() {
        let error = |code: &str| code.parse::<Language>().unwrap_err().to_string();
        let unknown = error("xx");
        assert!(unknown.starts_with("there is no language code `xx`; the codes are af am ar "), "{unknown}");
        assert!(unknown.contains(" ja ") && unknown.ends_with(" zu"), "{unknown}");
        for given in ["german", "DE", "de-AT", "de_DE"] {
            assert_eq!(error(given), format!("there is no language code `{given}`; write `de` for German"));
        }
        assert!(error("").contains("no language code ``; the codes are"));
    }

    #[cfg(not(feature = "segmenter"))]
    #[test]
    fn without_a_dictionary_its_languages_are_refused() {
        let error = |code: &str| code.parse::<Language>().unwrap_err().to_string();
        assert!(error("th").starts_with("text in Thai (`th`) has no spaces between words"), "{}", error("th"));
        assert!(error("th").ends_with("--features segmenter`") && !error("xx").contains(" th "));
        assert!(error("zh-words").ends_with(", or write `zh` to split into characters"));
    }
}

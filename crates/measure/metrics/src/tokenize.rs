//! Tokenisers: from a line to a line whose words are separated by white space.
//!
//! Each follows the tokeniser of the same name in sacreBLEU, oddities included, as a BLEU score without its exact
//! tokeniser is not comparable (Post 2018, "A Call for Clarity in Reporting BLEU Scores"). Regular expressions of the
//! originals are written out as scans: they look at one or two characters, and a scan is ten times as fast.

mod intl;
mod tercom;
mod western;
mod zh;

use std::fmt;
use std::str::FromStr;

use crate::Error;
pub(crate) use tercom::tercom;

/// How BLEU splits a line into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// `mteval-v13a`, WMT's tokeniser for languages that write spaces.
    #[default]
    V13a,
    /// `mteval-v14`'s international tokenisation: splits off all Unicode punctuation and symbols.
    Intl,
    /// Every character is a word.
    Char,
    /// Chinese characters one by one, the rest as `13a`.
    Zh,
    /// White space separates words; for text that is tokenised already.
    None,
}

impl Tokenizer {
    /// The tokeniser that sacreBLEU takes when a target language but no tokeniser is named (`-l` without `-tok`).
    ///
    /// `language` is the target's ISO 639-1 code. Without `-l` sacreBLEU always takes `13a`.
    ///
    /// # Errors
    /// For Japanese and Korean: sacreBLEU's choice needs MeCab with a dictionary, which this crate does not have.
    pub fn for_language(language: &str) -> Result<Self, Error> {
        match language {
            "zh" => Ok(Self::Zh),
            "ja" => "ja-mecab".parse(),
            "ko" => "ko-mecab".parse(),
            _ => Ok(Self::V13a),
        }
    }

    /// The name in options and signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::V13a => "13a",
            Self::Intl => "intl",
            Self::Char => "char",
            Self::Zh => "zh",
            Self::None => "none",
        }
    }

    /// The line with white space between its words.
    pub fn tokenize(self, line: &str) -> String {
        match self {
            Self::V13a => western::v13a(line),
            Self::Intl => intl::intl(line),
            Self::Char => line.chars().flat_map(|c| [c, ' ']).collect(),
            Self::Zh => zh::zh(line),
            Self::None => line.to_owned(),
        }
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        const SENTENCE_PIECE: &str = "a SentencePiece model (`tokenizer_model` of `metaphrase evaluate`)";
        let refused = |name, needs, instead| Err(Error::TokenizerNotShipped { name, needs, instead });
        match name {
            "13a" => Ok(Self::V13a),
            "intl" => Ok(Self::Intl),
            "char" => Ok(Self::Char),
            "zh" => Ok(Self::Zh),
            "none" => Ok(Self::None),
            "ja-mecab" => refused("ja-mecab", "MeCab and the IPA dictionary", "char"),
            "ko-mecab" => refused("ko-mecab", "MeCab and its Korean dictionary", "char"),
            "spm" => refused("spm", SENTENCE_PIECE, "char"),
            "flores101" => refused("flores101", SENTENCE_PIECE, "char"),
            "flores200" => refused("flores200", SENTENCE_PIECE, "char"),
            "spBLEU-1K" => refused("spBLEU-1K", SENTENCE_PIECE, "char"),
            _ => Err(Error::UnknownTokenizer { name: name.to_owned() }),
        }
    }
}

/// Where the spaces go around a pair of neighbouring characters.
#[derive(Clone, Copy)]
enum Split {
    /// `ab` becomes `a b `.
    OffSecond,
    /// `ab` becomes ` a b`.
    OffFirst,
}

/// Splits each pair of neighbours of which the first is `first` and the second is `second`.
///
/// Pairs are found from left to right and do not overlap, as in a substitution by a regular expression: after a pair
/// the search goes on after it, so that its second character begins no other pair.
fn split_pairs(line: &str, split: Split, first: impl Fn(char) -> bool, second: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(line.len() + line.len() / 4);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let pair = if first(c) { rest.next_if(|&next| second(next)) } else { None };
        match (pair, split) {
            (None, _) => out.push(c),
            (Some(next), Split::OffSecond) => out.extend([c, ' ', next, ' ']),
            (Some(next), Split::OffFirst) => out.extend([' ', c, ' ', next]),
        }
    }
    out
}

/// Puts a space on both sides of each character that is `alone`.
fn isolate(line: &str, alone: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(line.len() + line.len() / 2);
    for c in line.chars() {
        if alone(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pytext::words;

    #[test]
    fn a_pair_does_not_share_a_character_with_the_next() {
        let dot = |c: char| c == '.';
        assert_eq!(split_pairs("a...", Split::OffSecond, |_| true, dot), "a . . . ");
        assert_eq!(split_pairs("...a", Split::OffFirst, dot, |_| true), " . . . a");
    }

    #[test]
    fn char_drops_the_spaces_that_were_there() {
        assert_eq!(words(&Tokenizer::Char.tokenize("ab c")).collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn names_are_read_back_and_models_are_refused() {
        for tokenizer in [Tokenizer::V13a, Tokenizer::Intl, Tokenizer::Char, Tokenizer::Zh, Tokenizer::None] {
            assert_eq!(tokenizer.name().parse(), Ok(tokenizer));
        }
        let message = "flores200".parse::<Tokenizer>().unwrap_err().to_string();
        assert!(message.contains("beforehand") && message.contains("'none'"), "{message}");
        assert_eq!(Tokenizer::for_language("de"), Ok(Tokenizer::V13a));
        assert_eq!(Tokenizer::for_language("zh"), Ok(Tokenizer::Zh));
        assert!(Tokenizer::for_language("ja").is_err());
    }
}

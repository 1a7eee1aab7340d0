//! A number in words, and what languages have in common.

use super::Language;
use super::decimal::Decimal;

/// Number words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NumberWords {
    /// The token after them.
    pub(super) end: usize,
    pub(super) value: Decimal,
    pub(super) form: Form,
}

/// The form of a number in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As a number: `twenty-one`, `zwei Millionen`.
    Cardinal,
    /// As a rank, as an article, or inside another word: `first`, `a`, `beide`, `zweimal`. A number of the source can
    /// be meant, but a translation need not repeat it.
    Loose,
}

/// The exponent of ten of a word such as `million` after a number.
pub(super) fn scale(word: &str, language: Language) -> Option<u32> {
    match (language, word) {
        (Language::English, "hundred") => Some(2),
        (Language::English, "thousand" | "thousands") | (Language::German, "tausend" | "tsd") => Some(3),
        (Language::German, "hundert") => Some(2),
        (Language::English, "million" | "millions" | "mn" | "mln" | "mio") => Some(6),
        (Language::English, "billion" | "billions" | "bn" | "bln") => Some(9),
        (Language::English, "trillion" | "trillions" | "tn" | "trn") => Some(12),
        (Language::German, "million" | "millionen" | "mio" | "mill" | "mln") => Some(6),
        (Language::German, "milliarde" | "milliarden" | "mrd" | "mia") => Some(9),
        (Language::German, "billion" | "billionen" | "bio") => Some(12),
        // Ten thousand and a hundred million, and multiples of them.
        (Language::Myriads, word) => {
            [("百万", 6), ("千万", 7), ("万", 4), ("萬", 4), ("만", 4), ("亿", 8), ("億", 8), ("억", 8)]
                .into_iter()
                .find_map(|(name, exponent)| word.starts_with(name).then_some(exponent))
        }
        _ => None,
    }
}

//! A text as digits, words and signs.

use std::borrow::Cow;
use std::ops::Range;

/// The longest word, in bytes, that the lexicons look at; a longer word is read as a word that no lexicon has.
const LONGEST_WORD: usize = 100;

/// A place where a word may be broken; not a part of the word.
const SOFT_HYPHEN: char = '\u{ad}';

/// A piece of a text: a run of digits, a run of letters, or another character that is not white space.
#[derive(Debug)]
pub(super) struct Token<'t> {
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// Digits as ASCII digits, words in lower case.
    pub(super) text: Cow<'t, str>,
    /// Whether white space stands before it.
    pub(super) spaced: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Digits,
    Word,
    Sign(char),
}

impl Token<'_> {
    /// The word, in lower case; nothing for digits and signs.
    pub(super) fn word(&self) -> Option<&str> {
        (self.kind == Kind::Word).then_some(&*self.text)
    }

    /// The digits; nothing for words and signs.
    pub(super) fn digits(&self) -> Option<&str> {
        (self.kind == Kind::Digits).then_some(&*self.text)
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut spaced = true;
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            spaced = true;
            continue;
        }
        let class = class(c);
        let mut end = start + c.len_utf8();
        while class != Class::Sign
            && let Some(&(at, next)) = chars.peek()
        {
            let mut after = text[at..].chars().skip(1);
            let joins = class == Class::Letter
                && (next == SOFT_HYPHEN
                    || unicode_normalization::char::is_combining_mark(next)
                    || (is_apostrophe(next) && after.next().is_some_and(|c| self::class(c) == Class::Letter)));
            if !joins && self::class(next) != class {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let piece = &text[start..end];
        let (kind, text) = match class {
            Class::Digit => (Kind::Digits, ascii(piece)),
            Class::Letter => (Kind::Word, lower_case(piece)),
            Class::Sign => (Kind::Sign(c), Cow::Borrowed(piece)),
        };
        tokens.push(Token { range: start..end, kind, text, spaced });
        spaced = false;
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Letter,
    Sign,
}

fn class(c: char) -> Class {
    if digit(c).is_some() {
        Class::Digit
    } else if c.is_alphabetic() {
        Class::Letter
    } else {
        Class::Sign
    }
}

/// The first digits of scripts whose ten digits follow each other: full-width, Arabic, Persian, Devanagari, Bengali,
/// Thai.
const ZEROS: [char; 6] = ['０', '٠', '۰', '०', '০', '๐'];

/// The value of a decimal digit.
fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    ZEROS
        .iter()
        .find_map(|&zero| (c as u32).checked_sub(zero as u32).filter(|&value| value < 10))
        .map(|value| value as u8)
}

fn ascii(digits: &str) -> Cow<'_, str> {
    if digits.is_ascii() {
        return Cow::Borrowed(digits);
    }
    Cow::Owned(digits.chars().filter_map(digit).map(|value| char::from(b'0' + value)).collect())
}

fn lower_case(word: &str) -> Cow<'_, str> {
    if word.len() > LONGEST_WORD {
        Cow::Borrowed("")
    } else if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase().replace('’', "'").replace(SOFT_HYPHEN, ""))
    }
}

pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

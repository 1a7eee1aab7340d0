//! Which strings of characters may be pieces.

use super::super::normalizer::SPACE_MARK;
use super::TrainOptions;
use unicode_script::{Script, UnicodeScript as _};

/// The rule for one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The mark for a blank, which only starts a piece.
    Mark,
    /// Never in a piece with others.
    Alone,
    /// May be next to any character; the character after it may have any script.
    Any,
    /// In the company of the same script.
    Script(Script),
    /// Has the script of the character before it (combining accents).
    Inherited,
}

/// The rules. A single character is a piece under each rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    max_length: usize,
    by_script: bool,
    by_number: bool,
    digits: bool,
}

impl Shape {
    pub(super) fn new(options: &TrainOptions) -> Self {
        Self {
            max_length: options.max_piece_length,
            by_script: options.split_by_unicode_script,
            by_number: options.split_by_number,
            digits: options.split_digits,
        }
    }

    pub(super) fn max_length(&self) -> usize {
        self.max_length
    }

    pub(super) fn class(&self, c: char) -> Class {
        let is_digit = c.is_ascii_digit() || ('\u{FF10}'..='\u{FF19}').contains(&c);
        if SPACE_MARK.starts_with(c) {
            return Class::Mark;
        }
        if is_digit && self.digits {
            return Class::Alone;
        }
        if !self.by_script || is_digit && !self.by_number {
            return Class::Any;
        }
        match c.script() {
            // Japanese words mix them. U+30FC, the long vowel, is common to two of them.
            _ if c == '\u{30FC}' => Class::Script(Script::Han),
            Script::Hiragana | Script::Katakana => Class::Script(Script::Han),
            Script::Inherited => Class::Inherited,
            script => Class::Script(script),
        }
    }

    /// Whether characters of these classes may be one piece.
    pub(super) fn allows(&self, classes: impl IntoIterator<Item = Class>) -> bool {
        let mut script = None;
        let mut alone = false;
        let mut length = 0;
        for class in classes {
            match class {
                Class::Mark if length > 0 => return false,
                Class::Mark | Class::Inherited => {}
                Class::Alone => alone = true,
                Class::Any => script = None,
                Class::Script(new) => {
                    if script.replace(new).is_some_and(|old| old != new) {
                        return false;
                    }
                }
            }
            length += 1;
        }
        length <= self.max_length && !(alone && length > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_to_one_script_and_start_with_the_mark() {
        let default = TrainOptions::default();
        let allows = |text: &str, options: &TrainOptions| {
            let shape = Shape::new(options);
            shape.allows(text.chars().map(|c| shape.class(c)))
        };
        for good in ["▁", "▁Haus", "ung", "1999", "...", "を食べる", "メール漢", "e\u{301}a", "▁\u{301}a", "1.5"]
        {
            assert!(allows(good, &default), "{good}");
        }
        for bad in ["a▁", "a▁b", "▁▁", "F1", "1F", "don't", "aд", "漢a", "abcdefghijklmnopq"] {
            assert!(!allows(bad, &default), "{bad}");
        }
        let numbers = TrainOptions { split_by_number: false, ..default.clone() };
        assert!(allows("F1", &numbers) && allows("1F", &numbers) && !allows("a.", &numbers));
        let digits = TrainOptions { split_digits: true, ..default.clone() };
        assert!(allows("1", &digits) && !allows("11", &digits) && !allows("▁1", &digits));
        let scripts = TrainOptions { split_by_unicode_script: false, ..default };
        assert!(allows("don't", &scripts) && allows("F1", &scripts) && !allows("a▁", &scripts));
    }
}

//! `intl`: mteval-v14's international tokenisation.
//!
//! Punctuation, symbols and numerals are those of Unicode 16; sacreBLEU takes those of the
//! installed version of Python's `regex`. The versions differ only in new characters (251 of Unicode 17).

use unicode_general_category::{GeneralCategory, get_general_category};

use super::{Split, isolate, split_pairs};

/// Splits off punctuation, unless between numerals, and every symbol.
///
/// A stop that ends the line stays at its number ("in 1999."), as in the original: there is no character after it to
/// make a pair with.
pub(super) fn intl(line: &str) -> String {
    let line = split_pairs(line, Split::OffSecond, |c| !is_number(c), is_punctuation);
    let line = split_pairs(&line, Split::OffFirst, is_punctuation, |c| !is_number(c));
    isolate(&line, is_symbol)
}

/// Unicode's `\p{N}`.
fn is_number(c: char) -> bool {
    use GeneralCategory::{DecimalNumber, LetterNumber, OtherNumber};
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    matches!(get_general_category(c), DecimalNumber | LetterNumber | OtherNumber)
}

/// Unicode's `\p{P}`.
fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation, InitialPunctuation, OpenPunctuation,
        OtherPunctuation,
    };
    if c.is_ascii() {
        return c.is_ascii_punctuation() && !is_ascii_symbol(c);
    }
    matches!(
        get_general_category(c),
        ConnectorPunctuation
            | DashPunctuation
            | OpenPunctuation
            | ClosePunctuation
            | InitialPunctuation
            | FinalPunctuation
            | OtherPunctuation
    )
}

/// Unicode's `\p{S}`.
fn is_symbol(c: char) -> bool {
    use GeneralCategory::{CurrencySymbol, MathSymbol, ModifierSymbol, OtherSymbol};
    if c.is_ascii() {
        return is_ascii_symbol(c);
    }
    matches!(get_general_category(c), MathSymbol | CurrencySymbol | ModifierSymbol | OtherSymbol)
}

/// The characters that Rust calls ASCII punctuation and Unicode symbols.
fn is_ascii_symbol(c: char) -> bool {
    matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pytext::words;

    fn tokens(line: &str) -> String {
        words(&intl(line)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ascii_short_cuts_agree_with_the_tables() {
        for c in (0..128u8).map(char::from) {
            let category = format!("{:?}", get_general_category(c));
            assert_eq!(is_number(c), category.ends_with("Number"), "{c:?}");
            assert_eq!(is_punctuation(c), category.ends_with("Punctuation"), "{c:?}");
            assert_eq!(is_symbol(c), category.ends_with("Symbol"), "{c:?}");
        }
    }

    #[test]
    fn punctuation_between_numerals_and_at_the_end_of_a_number_stays() {
        assert_eq!(tokens("„So“, 1,5 €/kg – 1999."), "„ So “ , 1,5 € / kg – 1999.");
        assert_eq!(tokens("it's"), "it ' s");
    }
}

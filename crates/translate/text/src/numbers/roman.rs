//! Small Roman numbers in brackets, which count clauses: `4.2(b)(iii)`.

use super::decimal::Decimal;
use super::tokens::{Kind, Token, tokens};
use super::{Atom, MissingNumber};
use std::collections::HashSet;

/// The longest number that is read, `xxxviii`.
const LONGEST: usize = 7;

/// The Roman numbers in brackets of a source that its translation has neither as such nor as digits. `there`: whether
/// the translation has a number.
///
/// One letter alone, as in `(i)`, counts clauses in other ways, too.
pub(super) fn missing(source: &str, translation: &str, there: impl Fn(&Atom) -> bool) -> Vec<MissingNumber> {
    let found = clauses(source);
    if found.is_empty() {
        return Vec::new();
    }
    let words = tokens(translation);
    let words: HashSet<&str> = words.iter().filter_map(Token::word).collect();
    let is_missing = |clause: &Clause| !words.contains(&*clause.number.text) && !there(&clause.value);
    found.into_iter().filter(is_missing).map(|clause| clause.number).collect()
}

/// The number of a clause.
struct Clause {
    number: MissingNumber,
    value: Atom,
}

fn clauses(text: &str) -> Vec<Clause> {
    let tokens = tokens(text);
    let clause = |tokens: &[Token<'_>]| {
        let [open, word, close] = tokens else { return None };
        let is_bracketed = open.is_sign('(') && close.is_sign(')');
        let raw = &text[word.range.clone()];
        let value = value(raw).filter(|_| is_bracketed && word.kind == Kind::Word && raw.len() > 1)?;
        let number = MissingNumber { range: word.range.clone(), text: raw.to_owned() };
        Some(Clause { number, value: Atom::Number(Decimal::from(value)) })
    };
    tokens.windows(3).filter_map(clause).collect()
}

/// The value of a number in small letters up to 39; `None`: it is none.
fn value(text: &str) -> Option<u64> {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    if text.len() > LONGEST {
        return None;
    }
    let ones = text.trim_start_matches('x');
    let tens = text.len() - ones.len();
    // In `ix` the sign of ten comes last.
    let value = ONES.iter().position(|known| *known == ones)? + 10 * tens;
    u64::try_from(value).ok().filter(|_| tens <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_values() {
        let expected = [("ii", Some(2)), ("ix", Some(9)), ("xiv", Some(14)), ("xxxviii", Some(38)), ("xx", Some(20))];
        for (text, found) in expected {
            assert_eq!(value(text), found, "{text}");
        }
        for text in ["iiii", "vx", "xxxx", "mix", "iixx"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}

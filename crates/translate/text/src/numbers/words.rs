//! Numbers as English and German words.

use super::decimal::Decimal;
use super::number_words::{Form, NumberWords, scale};
use super::tokens::Token;
use super::{Language, german};

/// The number that begins at a token.
pub(super) fn spoken(tokens: &[Token<'_>], at: usize, language: Language) -> Option<NumberWords> {
    match language {
        Language::English => english(tokens, at),
        Language::German => german::spoken(tokens, at),
        Language::Other | Language::Myriads => None,
    }
}

/// The meaning of an English word in a number.
enum Part {
    /// Below twenty.
    Unit(u64),
    Tens(u64),
    /// A rank: it ends the number.
    Rank(u64),
    /// Another word for a number, which stands for itself.
    Loose(Decimal),
}

fn part(word: &str) -> Option<Part> {
    Some(match word {
        "zero" => Part::Unit(0),
        "one" => Part::Unit(1),
        "two" => Part::Unit(2),
        "three" => Part::Unit(3),
        "four" => Part::Unit(4),
        "five" => Part::Unit(5),
        "six" => Part::Unit(6),
        "seven" => Part::Unit(7),
        "eight" => Part::Unit(8),
        "nine" => Part::Unit(9),
        "ten" => Part::Unit(10),
        "eleven" => Part::Unit(11),
        "twelve" => Part::Unit(12),
        "thirteen" => Part::Unit(13),
        "fourteen" => Part::Unit(14),
        "fifteen" => Part::Unit(15),
        "sixteen" => Part::Unit(16),
        "seventeen" => Part::Unit(17),
        "eighteen" => Part::Unit(18),
        "nineteen" => Part::Unit(19),
        "twenty" => Part::Tens(20),
        "thirty" => Part::Tens(30),
        "forty" | "fourty" => Part::Tens(40),
        "fifty" => Part::Tens(50),
        "sixty" => Part::Tens(60),
        "seventy" => Part::Tens(70),
        "eighty" => Part::Tens(80),
        "ninety" => Part::Tens(90),
        "half" | "halves" => Part::Loose(Decimal::new("0", "5")),
        "quarter" | "quarters" => Part::Loose(Decimal::from(4)),
        "dozen" => Part::Loose(Decimal::from(12)),
        "nil" | "none" | "no" => Part::Loose(Decimal::from(0)),
        _ => Part::Rank(rank(word)?),
    })
}

/// Ranks, decades, multiples, and words that mean one or two.
fn rank(word: &str) -> Option<u64> {
    Some(match word {
        "first" | "once" | "single" | "a" | "an" | "another" | "firstly" | "sole" => 1,
        "second" | "twice" | "double" | "both" | "pair" | "couple" | "twofold" | "secondly" | "doubled" | "duo" => 2,
        "third" | "thirds" | "thrice" | "triple" | "threefold" | "thirdly" | "trio" | "tripled" => 3,
        "fourth" | "fourths" | "quadruple" | "fourfold" => 4,
        "fifth" | "fifths" | "fivefold" => 5,
        "sixth" | "sixfold" => 6,
        "seventh" | "sevenfold" => 7,
        "eighth" | "eightfold" => 8,
        "ninth" | "ninefold" => 9,
        "tenth" | "tenths" | "tenfold" => 10,
        "eleventh" => 11,
        "twelfth" => 12,
        "thirteenth" => 13,
        "fourteenth" | "fortnight" => 14,
        "fifteenth" => 15,
        "sixteenth" => 16,
        "seventeenth" => 17,
        "eighteenth" => 18,
        "nineteenth" => 19,
        "twentieth" | "twenties" => 20,
        "thirtieth" | "thirties" => 30,
        "fortieth" | "forties" => 40,
        "fiftieth" | "fifties" => 50,
        "sixtieth" | "sixties" => 60,
        "seventieth" | "seventies" => 70,
        "eightieth" | "eighties" => 80,
        "ninetieth" | "nineties" => 90,
        "hundredth" => 100,
        "thousandth" => 1000,
        _ => return None,
    })
}

/// A number of English words as it is read.
#[derive(Default)]
struct English {
    /// The number before the last scale, and the exponent of this scale.
    total: u64,
    scale: Option<u32>,
    /// The number below a thousand after it.
    current: u64,
    end: usize,
}

impl English {
    /// Adds a number below a hundred; gives whether it goes on with the number so far.
    fn add(&mut self, value: u64, end: usize) -> bool {
        let rest = self.current % 100;
        if rest == 0 || (rest >= 20 && rest.is_multiple_of(10) && value < 10 && value > 0) {
            self.current += value;
        } else if (13..=20).contains(&self.current) && value >= 10 && self.scale.is_none() {
            // A year: nineteen ninety.
            self.current = self.current * 100 + value;
        } else {
            return false;
        }
        self.end = end;
        true
    }

    /// Multiplies by a scale; gives whether it goes on with the number so far.
    fn scale(&mut self, exponent: u32, end: usize) -> bool {
        if exponent == 2 {
            if self.current >= 100 {
                return false;
            }
            self.current = self.current.max(1) * 100;
        } else if self.scale.is_some_and(|before| before <= exponent) || (self.scale.is_some() && self.current == 0) {
            return false;
        } else {
            let value = self.current.max(1).saturating_mul(10u64.saturating_pow(exponent));
            self.total = self.total.saturating_add(value);
            (self.current, self.scale) = (0, Some(exponent));
        }
        self.end = end;
        true
    }
}

fn english(tokens: &[Token<'_>], at: usize) -> Option<NumberWords> {
    let word = |at: usize| tokens.get(at).and_then(Token::word);
    let first = word(at)?;
    let after_article = word(at + 1).is_some_and(|next| scale(next, Language::English).is_some());
    let mut number = English { end: at, ..English::default() };
    let mut form = Form::Cardinal;
    let mut next = at;
    if matches!(first, "a" | "an") && after_article {
        next += 1;
    } else if scale(first, Language::English).is_some() {
        form = Form::Loose;
    }
    while let Some(word) = word(next) {
        let goes_on = match part(word) {
            Some(Part::Unit(value) | Part::Tens(value)) => number.add(value, next + 1),
            Some(Part::Rank(value)) if number.end == at || value < 100 && number.add(value, next + 1) => {
                let value = if number.end == at { value } else { number.total + number.current };
                return Some(NumberWords { end: next + 1, value: Decimal::from(value), form: Form::Loose });
            }
            Some(Part::Loose(value)) if number.end == at => return Some(loose(tokens, at, value)),
            _ if word == "dozen" && number.scale.is_none() => {
                number.current *= 12;
                number.end = next + 1;
                break;
            }
            _ => scale(word, Language::English).is_some_and(|exponent| number.scale(exponent, next + 1)),
        };
        if !goes_on {
            break;
        }
        next = connected(tokens, number.end);
    }
    if number.end == at {
        return None;
    }
    if form == Form::Cardinal
        && let Some(spoken) = and_a_half(tokens, &number)
    {
        return Some(spoken);
    }
    // A hundred, a thousand: often not exact.
    if number.end == at + 2 && is_article(first) {
        form = Form::Loose;
    }
    Some(NumberWords { end: number.end, value: Decimal::from(number.total.saturating_add(number.current)), form })
}

fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an")
}

/// The token with which a number may go on: after a hyphen or after `and`.
fn connected(tokens: &[Token<'_>], end: usize) -> usize {
    match tokens.get(end) {
        Some(token) if token.is_sign('-') && !token.spaced => end + 1,
        Some(token) if token.word() == Some("and") => {
            let before = end.checked_sub(1).and_then(|at| tokens[at].word());
            if before.is_some_and(|word| scale(word, Language::English).is_some()) { end + 1 } else { end }
        }
        _ => end,
    }
}

/// `two and a half million`.
fn and_a_half(tokens: &[Token<'_>], number: &English) -> Option<NumberWords> {
    let end = number.end;
    // `eight-and-a-half`
    let hyphen = usize::from(tokens.get(end).is_some_and(|token| token.is_sign('-')));
    let step = 1 + hyphen;
    let word = |number: usize| tokens.get(end + hyphen + number * step).and_then(Token::word);
    if number.scale.is_some() || number.current >= 100 {
        return None;
    }
    if (word(0), word(1), word(2)) != (Some("and"), Some("a"), Some("half")) {
        return None;
    }
    let end = end + 3 * step;
    let exponent = tokens.get(end).and_then(Token::word).and_then(|word| scale(word, Language::English));
    let value = Decimal::new(&number.current.to_string(), "5").times(exponent.unwrap_or(0));
    Some(NumberWords { end: end + usize::from(exponent.is_some()), value, form: Form::Cardinal })
}

/// A word such as `half` or `dozen`, and a scale after it: `half a million`, `half a dozen`.
fn loose(tokens: &[Token<'_>], at: usize, value: Decimal) -> NumberWords {
    let word = |at: usize| tokens.get(at).and_then(Token::word);
    let after = at + 1 + usize::from(word(at + 1).is_some_and(is_article));
    if word(at) == Some("half") {
        if let Some(exponent) = word(after).and_then(|word| scale(word, Language::English)) {
            return NumberWords { end: after + 1, value: value.times(exponent), form: Form::Loose };
        }
        if word(after) == Some("dozen") {
            return NumberWords { end: after + 1, value: Decimal::from(6), form: Form::Loose };
        }
    }
    NumberWords { end: at + 1, value, form: Form::Loose }
}

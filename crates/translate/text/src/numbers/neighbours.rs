//! Numbers that belong together: `2 to 3 million`, `7 to 8 p.m.`, `0800 123 4567`.

use super::decimal::Decimal;
use super::item::Shape;
use super::reader::Reader;
use super::tokens::{Kind, Token};
use super::units::Measure;
use super::{Atom, Side};

/// The smallest number of digits that are a telephone number or the like.
const LONG_DIGITS: usize = 7;
/// The largest number of digits of such a number.
const LONGEST_DIGITS: usize = 40;

impl Reader<'_> {
    /// Lets the numbers of `2 to 3 million` and `7 to 8 p.m.` share what follows the last of them.
    pub(super) fn share_marks(&mut self) {
        for at in (1..self.items.len()).rev() {
            let (before, after) = self.items.split_at_mut(at);
            let (Some(item), next) = (before.last_mut(), &after[0]) else { continue };
            let between = &self.tokens[item.tokens.end..next.tokens.start.max(item.tokens.end)];
            if !(1..=2).contains(&between.len())
                || !between.iter().all(connects)
                || !matches!(item.shape, Shape::Digits | Shape::Words | Shape::LooseWords)
            {
                continue;
            }
            if let Some(Measure { unit, .. }) = next.measure
                && item.measure.is_none()
            {
                item.measure = item.amount().map(|amount| Measure { amount, unit });
            }
            let [Atom::Number(value)] = item.readings.first().map_or(&[][..], |reading| reading) else { continue };
            let value = value.clone();
            if item.scale == 0 && next.scale > 0 {
                item.readings.push(vec![Atom::Number(value.times(next.scale))]);
                item.scale = next.scale;
            } else if matches!(next.shape, Shape::Time | Shape::TimeInWords)
                && let Some(hour) = value.small().filter(|&hour| hour <= 24)
            {
                let later = hour % 12 + 12;
                item.readings.extend([hour % 24, later].map(|hour| vec![Atom::Time(hour * 60)]));
                item.readings.push(vec![Atom::Number(Decimal::from(u64::from(later)))]);
                item.shape = match item.shape {
                    Shape::Digits => Shape::Time,
                    Shape::Words => Shape::TimeInWords,
                    other => other,
                };
            }
        }
    }

    /// Lets the groups of a telephone number and the like stand in other groups.
    pub(super) fn add_long_digits(&mut self) {
        let mut first = 0;
        while first < self.items.len() {
            let mut last = first;
            while last + 1 < self.items.len() && self.are_of_one_number(last) {
                last += 1;
            }
            let tokens = self.items[first].tokens.start..self.items[last].tokens.end;
            let digits: String = self.tokens[tokens].iter().filter_map(Token::digits).collect();
            if (LONG_DIGITS..=LONGEST_DIGITS).contains(&digits.len()) && last > first {
                // Once for the translation; each group of a source shows the whole number.
                for item in &mut self.items[first..=last] {
                    item.readings.push(vec![Atom::Digits(digits.clone())]);
                    if self.side == Side::Translation {
                        break;
                    }
                }
            } else if (LONG_DIGITS..=LONGEST_DIGITS).contains(&digits.len()) {
                self.items[first].readings.push(vec![Atom::Digits(digits)]);
            }
            first = last + 1;
        }
    }

    /// Whether an item and the next one are digits with one separator between them.
    fn are_of_one_number(&self, item: usize) -> bool {
        let (item, next) = (&self.items[item], &self.items[item + 1]);
        let separator = |token: &Token<'_>| matches!(token.kind, Kind::Sign('-' | '/' | '.' | '(' | ')' | '–'));
        let between = item.tokens.end..next.tokens.start.max(item.tokens.end);
        item.shape == Shape::Digits
            && next.shape == Shape::Digits
            && between.len() <= 2
            && self.tokens[between].iter().all(separator)
    }
}

/// Whether a token stands between numbers that share what follows them.
fn connects(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Sign(sign) => matches!(sign, '-' | '–' | '—' | ',' | '/' | '$' | '€' | '£'),
        Kind::Word => matches!(&*token.text, "to" | "and" | "or" | "from" | "bis" | "und" | "oder" | "auf"),
        Kind::Digits => false,
    }
}

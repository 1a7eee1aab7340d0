//! Reads the numbers of a text.

use super::chain::{chain, in_notation};
use super::clock::{Clock, Time, day_parts};
use super::decimal::Decimal;
use super::item::{Item, Shape};
use super::number_words::{Form, scale};
use super::tokens::{Kind, Token, tokens};
use super::units::{Measure, is_measured, unit};
use super::words::spoken;
use super::years::{later_year, years};
use super::{Atom, DayPart, Language, Side, dates, money};
use std::ops::Range;

/// Reads the numbers of a text.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) tokens: Vec<Token<'t>>,
    language: Language,
    pub(super) side: Side,
    pub(super) items: Vec<Item>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, language: Language, side: Side) -> Self {
        Self { text, tokens: tokens(text), language, side, items: Vec::new() }
    }

    /// The meaning of single words and signs in any place: currencies, per cent, months, parts of the day.
    pub(super) fn facts(&self) -> Vec<Atom> {
        let mut facts = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            facts.extend(money::currency(token, self.text, self.language).map(Atom::Currency));
            if money::has_percent(token, self.language) {
                facts.push(Atom::Percent);
            }
            if let Some(word) = token.word() {
                facts.extend(dates::month(word, self.language).map(Atom::Month));
                facts.extend(day_parts(word, self.language).iter().copied().map(Atom::Part));
                let dotted = word == "p" && self.tokens.get(at + 2).and_then(Token::word) == Some("m");
                facts.extend(dotted.then_some(Atom::Part(DayPart::Pm)));
            }
        }
        facts
    }

    /// The numbers, in their order.
    pub(super) fn items(mut self) -> Vec<Item> {
        let afternoon = self.side == Side::Translation && self.facts().contains(&Atom::Part(DayPart::Pm));
        let mut at = 0;
        while at < self.tokens.len() {
            let end = match self.tokens[at].kind {
                Kind::Digits => self.digits(at, afternoon),
                Kind::Word => self.words(at, afternoon),
                Kind::Sign(sign) => self.fraction(at, sign),
            };
            at = end.max(at + 1);
        }
        self.share_marks();
        self.add_long_digits();
        self.items
    }

    /// The language in which the numbers are looked for.
    fn target(&self) -> Language {
        match self.side {
            Side::Source(to) => to,
            Side::Translation => self.language,
        }
    }

    fn clock(&self, afternoon: bool) -> Clock<'_> {
        Clock { tokens: &self.tokens, text: self.text, language: self.language, side: self.side, afternoon }
    }

    fn push(&mut self, tokens: Range<usize>, readings: Vec<Vec<Atom>>, shape: Shape) {
        let range = self.tokens[tokens.start].range.start..self.tokens[tokens.end - 1].range.end;
        self.items.push(Item {
            range,
            tokens,
            readings,
            currency: None,
            percent: false,
            measure: None,
            shape,
            scale: 0,
        });
    }

    /// Reads what begins with digits; gives the token after it.
    fn digits(&mut self, at: usize, afternoon: bool) -> usize {
        if let Some(date) = dates::date(&self.tokens, at, self.language, self.target()) {
            self.push(at..date.end, date.readings, Shape::Date);
            return date.end;
        }
        let phrase = self.clock(afternoon).in_words(at).filter(|_| self.language.has_words());
        let time = phrase.or_else(|| self.clock(afternoon).in_digits(at));
        match time {
            Some(time) if time.is_marked => self.time(at, time, Shape::Time),
            Some(time) if self.tokens[at + 1].is_sign(':') => {
                let numbers = self.tokens[at..time.end].iter().filter_map(Token::digits);
                let apart = numbers.map(|digits| Atom::Number(Decimal::new(digits, ""))).collect();
                let readings = time.readings.into_iter().chain([apart]).collect();
                self.push(at..time.end, readings, Shape::Time);
                time.end
            }
            time => self.slash(at).unwrap_or_else(|| self.number(at, time)),
        }
    }

    fn time(&mut self, at: usize, time: Time, shape: Shape) -> usize {
        self.push(at..time.end, time.readings, shape);
        time.end
    }

    /// `1/2`, `2010/11`, `3/5`: two numbers, a fraction, or a date.
    fn slash(&mut self, at: usize) -> Option<usize> {
        let digits = |at: usize| self.tokens.get(at).filter(|token| !token.spaced).and_then(Token::digits);
        let is_slash = |at: usize| self.tokens.get(at).is_some_and(|token| token.is_sign('/') && !token.spaced);
        let (first, second) = (self.tokens[at].digits()?, is_slash(at + 1).then(|| digits(at + 2))??);
        let goes_on = self
            .tokens
            .get(at + 3)
            .is_some_and(|token| !token.spaced && token.kind != Kind::Sign('.') && token.kind != Kind::Sign(','));
        let is_date = self
            .tokens
            .get(at + 3)
            .and_then(Token::word)
            .is_some_and(|word| dates::month(word, self.language).is_some());
        if goes_on || is_date {
            return None;
        }
        let number = |digits| Atom::Number(Decimal::new(digits, ""));
        let mut readings = vec![vec![number(first), number(second)]];
        let small = |digits: &str| digits.parse::<u8>().ok().filter(|&value| value > 0 && digits.len() <= 2);
        if let (Some(first), Some(second)) = (small(first), small(second)) {
            let fraction = match (first, second) {
                (1, 2) => Some("5"),
                (1, 4) => Some("25"),
                (3, 4) => Some("75"),
                _ => None,
            };
            readings.extend(fraction.map(|digits| vec![Atom::Number(Decimal::new("", digits))]));
            let date = |day: u8, month: u8| vec![Atom::Number(Decimal::from(u64::from(day))), Atom::Month(month)];
            readings.extend([date(first, second), date(second, first)]);
        }
        readings.extend(later_year(first, second).map(|year| vec![number(first), Atom::Number(year)]));
        self.push(at..at + 3, readings, Shape::Digits);
        Some(at + 3)
    }

    /// A number, with its scale, its currency and its per cent sign.
    fn number(&mut self, at: usize, time: Option<Time>) -> usize {
        let chain = chain(&self.tokens, at);
        let (mut values, mut end) = (chain.readings, chain.end);
        if let Some(sign) = self.language.decimal_sign().filter(|_| is_measured(&self.tokens, end)) {
            values = in_notation(values, &self.tokens[at..end], sign);
        }
        let digits = self.tokens[at].text.clone();
        let is_single = end == at + 1;
        if is_single {
            values.extend(years(&self.tokens, at, &digits).into_iter().map(|year| vec![year]));
            end = dates::ordinal(&self.tokens, end);
        }
        if let Some(fraction) = self.tokens.get(end).and_then(|token| fraction_of(token.kind))
            && is_single
        {
            values = vec![vec![Decimal::new(&digits, fraction)]];
            end += 1;
        }
        let mut exponent = 0;
        if let Some((scale, after, is_certain)) = self.scale(end) {
            let scaled = |value: Vec<Decimal>| value.into_iter().map(|value| value.times(scale)).collect();
            let scaled: Vec<Vec<Decimal>> = values.iter().cloned().map(scaled).collect();
            // On the side of the translation, and in words that are not known, the digits count as well.
            if is_certain && self.side != Side::Translation && self.target().has_words() {
                values = scaled;
            } else {
                values.extend(scaled);
            }
            (end, exponent) = (after, scale);
        }
        let mut readings: Vec<Vec<Atom>> =
            values.into_iter().map(|value| value.into_iter().map(Atom::Number).collect()).collect();
        if let Some(time) = time.filter(|_| exponent == 0) {
            let apart = self.tokens[at..chain.end].iter().filter_map(Token::digits);
            readings.push(apart.map(|digits| Atom::Number(Decimal::new(digits, ""))).collect());
            readings.extend(time.readings);
        }
        readings.extend(self.day_and_month(at, chain.end));
        readings.extend(self.myriad_month(at));
        self.push(at..end, readings, Shape::Digits);
        self.with_unit(exponent)
    }

    /// Adds to the last item its currency and its per cent sign; gives the token after it.
    fn with_unit(&mut self, exponent: u32) -> usize {
        let Some(item) = self.items.last_mut() else { return 0 };
        item.scale = exponent;
        let Range { start, mut end } = item.tokens;
        if let Some((currency, first)) = money::before(&self.tokens, start, self.text) {
            item.currency = Some(currency);
            item.range.start = self.tokens[first].range.start;
        } else if let Some((currency, after)) = money::after(&self.tokens, end, self.text, self.language) {
            (item.currency, end) = (Some(currency), after);
        }
        let hyphen = usize::from(self.tokens.get(end).is_some_and(|token| token.is_sign('-')));
        if self.tokens.get(end + hyphen).is_some_and(|token| money::is_percent(token, self.language))
            && item.currency.is_none()
        {
            (item.percent, end) = (true, end + hyphen + 1);
        } else if let Some(per) = self.tokens.get(end)
            && per.word() == Some("per")
            && self.tokens.get(end + 1).and_then(Token::word) == Some("cent")
        {
            (item.percent, end) = (true, end + 2);
        }
        let amount = item.amount();
        let unit = unit(&self.tokens, item.tokens.end, self.language);
        item.measure = amount.zip(unit).map(|(amount, unit)| Measure { amount, unit });
        item.range.end = item.range.end.max(self.tokens[end - 1].range.end);
        item.tokens.end = end;
        end
    }

    /// The exponent of a scale at a token, the token after it, and whether it can mean nothing else.
    fn scale(&self, at: usize) -> Option<(u32, usize, bool)> {
        let hyphen = self.tokens.get(at).is_some_and(|token| token.is_sign('-') && !token.spaced);
        let at = at + usize::from(hyphen);
        let token = self.tokens.get(at)?;
        let word = token.word()?;
        if !token.spaced && !hyphen {
            match word {
                "k" => return Some((3, at + 1, false)),
                "m" => return Some((6, at + 1, false)),
                "b" if self.language == Language::English => return Some((9, at + 1, false)),
                _ => {}
            }
        }
        let exponent = scale(word, self.language)?;
        let dot = matches!(word, "mio" | "mrd" | "mill" | "bio" | "tsd" | "mia")
            && self.tokens.get(at + 1).is_some_and(|token| token.is_sign('.') && !token.spaced);
        // `5 thousand million`
        let next = self.tokens.get(at + 1).and_then(Token::word).and_then(|word| scale(word, self.language));
        match next.filter(|&next| next > exponent) {
            Some(next) => Some((exponent + next, at + 2, true)),
            None => Some((exponent, at + 1 + usize::from(dot), true)),
        }
    }

    /// `3.5.` as a day and a month.
    fn day_and_month(&self, at: usize, end: usize) -> Option<Vec<Atom>> {
        if end != at + 3 || !self.tokens.get(at + 1)?.is_sign('.') || self.language == Language::English {
            return None;
        }
        let value = |at: usize, most: u8| {
            let digits = self.tokens[at].digits().filter(|digits| digits.len() <= 2)?;
            digits.parse::<u8>().ok().filter(|value| (1..=most).contains(value))
        };
        let (day, month) = (value(at, 31)?, value(at + 2, 12)?);
        Some(vec![Atom::Number(Decimal::from(u64::from(day))), Atom::Month(month)])
    }

    /// The month of `5月`.
    fn myriad_month(&self, at: usize) -> Option<Vec<Atom>> {
        let follows = self.tokens.get(at + 1)?.word()?.starts_with(['月', '월']);
        let month = self.tokens[at].digits().filter(|digits| digits.len() <= 2)?.parse().ok()?;
        (follows && (1..=12).contains(&month)).then(|| vec![Atom::Month(month)])
    }

    /// Reads what begins with a word; gives the token after it.
    fn words(&mut self, at: usize, afternoon: bool) -> usize {
        if !self.language.has_words() {
            return at + 1;
        }
        if let Some(time) = self.clock(afternoon).in_words(at) {
            return self.time(at, time, Shape::TimeInWords);
        }
        let is_month = self.tokens[at].word().is_some_and(|word| dates::month(word, self.language).is_some());
        let is_name = self.text[self.tokens[at].range.clone()].starts_with(char::is_uppercase);
        if is_month
            && is_name
            && let Some(date) = dates::date(&self.tokens, at, self.language, self.target())
        {
            self.push(at..date.end, date.readings, Shape::Date);
            return date.end;
        }
        let Some(spoken) = spoken(&self.tokens, at, self.language) else { return at + 1 };
        let shape = if spoken.form == Form::Cardinal { Shape::Words } else { Shape::LooseWords };
        self.push(at..spoken.end, vec![vec![Atom::Number(spoken.value)]], shape);
        self.with_unit(0)
    }

    /// A sign such as ½.
    fn fraction(&mut self, at: usize, sign: char) -> usize {
        if let Some(fraction) = fraction_of(Kind::Sign(sign)) {
            self.push(at..at + 1, vec![vec![Atom::Number(Decimal::new("", fraction))]], Shape::Digits);
        }
        at + 1
    }
}

/// The digits after the decimal sign of a sign such as ½.
fn fraction_of(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Sign('½') => Some("5"),
        Kind::Sign('¼') => Some("25"),
        Kind::Sign('¾') => Some("75"),
        _ => None,
    }
}

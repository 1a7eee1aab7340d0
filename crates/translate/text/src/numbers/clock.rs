//! Clock times: `8 p.m.`, `20:00`, `20.00 Uhr`, `8 Uhr abends`, `half past seven`, `halb acht`, `noon`.

use super::decimal::Decimal;
use super::number_words::Form;
use super::tokens::Token;
use super::words::spoken;
use super::{Atom, DayPart, Language, Side};

/// Minutes of a day.
const DAY: u16 = 24 * 60;

/// The tokens of a text, its language, and what the text is.
#[derive(Clone, Copy)]
pub(super) struct Clock<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) side: Side,
    /// Whether the text names the second half of a day somewhere.
    pub(super) afternoon: bool,
}

/// A clock time.
pub(super) struct Time {
    /// The token after it.
    pub(super) end: usize,
    pub(super) readings: Vec<Vec<Atom>>,
    /// Whether words or signs make it a time for certain.
    pub(super) is_marked: bool,
}

/// The signs and words that mark a number as a time.
struct Mark {
    end: usize,
    part: Option<DayPart>,
    /// Whether hours are counted to twelve if no part of the day is named.
    twelve: bool,
}

impl Clock<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).and_then(Token::word)
    }

    fn glued(&self, at: usize) -> Option<&Token<'_>> {
        self.tokens.get(at).filter(|token| !token.spaced)
    }

    /// The time in digits that begins at a token. Readings as numbers are the caller's.
    pub(super) fn in_digits(&self, at: usize) -> Option<Time> {
        let hour =
            self.tokens[at].digits().filter(|digits| digits.len() <= 2)?.parse().ok().filter(|&hour| hour <= 24)?;
        let minutes = |at: usize| {
            let digits = self.glued(at).and_then(Token::digits).filter(|digits| digits.len() == 2)?;
            digits.parse().ok().filter(|&minutes: &u16| minutes < 60)
        };
        let sign = self.glued(at + 1).filter(|token| token.is_sign(':') || token.is_sign('.'));
        let colon = sign.is_some_and(|sign| sign.is_sign(':'));
        if let Some(minute) = sign.and_then(|_| minutes(at + 2)) {
            // Three numbers: a time with seconds after colons, else no time.
            if self.glued(at + 3).is_some_and(|token| token.is_sign('.') || token.is_sign(','))
                && self.glued(at + 4).is_some_and(|token| token.digits().is_some())
            {
                return None;
            }
            let seconds = self.glued(at + 3).filter(|token| token.is_sign(':')).and_then(|_| minutes(at + 4));
            let end = if seconds.is_some() { at + 5 } else { at + 3 };
            let mark = self.mark(end);
            let is_marked = mark.is_some();
            let mark = mark.unwrap_or(Mark { end, part: None, twelve: false });
            let mut readings = self.readings(hour, minute, &mark);
            if let Some(seconds) = seconds {
                readings.push([hour, minute, seconds].map(number).to_vec());
            }
            return Some(Time { end: mark.end, readings, is_marked: is_marked || (colon && hour > 12) });
        }
        let mark = self.mark(at + 1).filter(|_| sign.is_none())?;
        let after = |at: usize| self.tokens.get(at).and_then(Token::digits).filter(|digits| digits.len() == 2);
        let minute = after(mark.end).filter(|_| self.word(mark.end - 1) == Some("uhr"));
        let mut readings = self.readings(hour, 0, &mark);
        let mut end = mark.end;
        if let Some(minute) = minute.and_then(|digits| digits.parse().ok()).filter(|&minute| minute < 60) {
            let part = self.part(end + 1);
            end = part.as_ref().map_or(end + 1, |part| part.0);
            let mark = Mark { end, part: part.map(|part| part.1), twelve: false };
            readings = self.readings(hour, minute, &mark);
        }
        Some(Time { end, readings, is_marked: true })
    }

    /// The time in words that begins at a token: `half past seven`, `Viertel nach acht`, `acht Uhr`, `noon`.
    pub(super) fn in_words(&self, at: usize) -> Option<Time> {
        if let Some(time) = self.middle(at) {
            return Some(time);
        }
        let (hour, minute, end) = self.phrase(at)?;
        let hour = if hour == 0 { 24 } else { hour };
        // Thirty minutes before eight are after seven.
        let minutes = (hour * 60).checked_add_signed(minute)?;
        let (hour, minute) = (minutes / 60, minutes % 60);
        let mark = self.mark(end).unwrap_or(Mark { end, part: None, twelve: true });
        let twelve = mark.twelve || self.word(end) != Some("uhr");
        Some(Time { end: mark.end, readings: self.readings(hour, minute, &Mark { twelve, ..mark }), is_marked: true })
    }

    /// Noon and midnight. A German `Mittag` is mostly no time, but may translate one.
    fn middle(&self, at: usize) -> Option<Time> {
        let time = match (self.language, self.word(at)?) {
            (Language::English, "noon" | "midday") => 12 * 60,
            (Language::German, "mittag" | "mittags") if self.side == Side::Translation => 12 * 60,
            (Language::English, "midnight") | (Language::German, "mitternacht" | "mitternachts") => 0,
            _ => return None,
        };
        Some(Time { end: at + 1, readings: vec![vec![Atom::Time(time)]], is_marked: true })
    }

    /// Hour, the minutes after it, and the token after both.
    fn phrase(&self, at: usize) -> Option<(u16, i16, usize)> {
        let word = self.word(at);
        let quarters: i16 = match (self.language, word) {
            (Language::English, Some("half")) | (Language::German, Some("halb")) => 30,
            (Language::English, Some("quarter")) | (Language::German, Some("viertel")) => 15,
            (Language::German, Some("dreiviertel")) => 45,
            _ => 0,
        };
        // `drei viertel acht`
        if self.language == Language::German && word == Some("drei") && self.word(at + 1) == Some("viertel") {
            return self.hour(at + 2).map(|(hour, end)| (hour, -15, end));
        }
        if quarters == 0 {
            let (count, mut end) = self.count(at)?;
            if self.tokens[at].word().is_some() && self.mark(end).is_some() {
                return (count <= 24).then_some((count, 0, end));
            }
            end += usize::from(matches!(self.word(end), Some("minuten" | "minutes")));
            let sign = self.direction(end).filter(|&sign| sign > 0 || !self.is_range(at, end))?;
            let half = self.language == Language::German && self.word(end + 1) == Some("halb");
            let (hour, after) = self.hour(end + 1 + usize::from(half))?;
            let count = i16::try_from(count).ok().filter(|&count| (1..30).contains(&count))?;
            return Some((hour, sign * count - if half { 30 } else { 0 }, after));
        }
        let hyphen = usize::from(self.tokens.get(at + 1).is_some_and(|token| token.is_sign('-')));
        if let Some(sign) = self.direction(at + 1 + hyphen).filter(|_| quarters != 45) {
            let (hour, end) = self.hour(at + 2 + hyphen)?;
            return Some((hour, sign * quarters, end));
        }
        if self.language == Language::German {
            let (hour, end) = self.hour(at + 1)?;
            return Some((hour, quarters - 60, end));
        }
        None
    }

    /// Whether `ten to five` and `zehn vor fünf` may be something else than a time: with digits, and in a source, which
    /// is not asked for a time in case of doubt.
    fn is_range(&self, at: usize, end: usize) -> bool {
        let is_digits = |at: usize| self.tokens.get(at).is_some_and(|token| token.digits().is_some());
        self.side != Side::Translation || is_digits(at) || is_digits(end + 1)
    }

    /// 1 if minutes are after an hour, -1 if they are before it.
    fn direction(&self, at: usize) -> Option<i16> {
        match (self.language, self.word(at)?) {
            (Language::English, "past" | "after") | (Language::German, "nach") => Some(1),
            (Language::English, "to" | "before" | "till") | (Language::German, "vor") => Some(-1),
            _ => None,
        }
    }

    fn hour(&self, at: usize) -> Option<(u16, usize)> {
        self.count(at).filter(|&(hour, _)| (1..=12).contains(&hour))
    }

    /// A small number in digits or words, and the token after it.
    fn count(&self, at: usize) -> Option<(u16, usize)> {
        if let Some(digits) = self.tokens.get(at)?.digits() {
            return digits.parse().ok().filter(|_| digits.len() <= 2).map(|count| (count, at + 1));
        }
        let spoken = spoken(self.tokens, at, self.language)?;
        let is_hour = spoken.form == Form::Cardinal || self.word(at) == Some("ein");
        spoken.value.small().filter(|&count| is_hour && count < 60).map(|count| (count, spoken.end))
    }

    /// The mark of a time in the token after a number.
    fn mark(&self, at: usize) -> Option<Mark> {
        let clock = match (self.language, self.word(at)) {
            (Language::German, Some("uhr")) => Some(false),
            (Language::English, Some("o'clock" | "oclock")) => Some(true),
            (Language::Myriads, Some(word)) if word.starts_with(['点', '點', '時', '时', '시']) => Some(true),
            _ => None,
        };
        let after = at + usize::from(clock.is_some());
        match (self.part(after), clock) {
            (Some((end, part)), _) => Some(Mark { end, part: Some(part), twelve: true }),
            (None, Some(twelve)) => Some(Mark { end: after, part: None, twelve }),
            (None, None) => None,
        }
    }

    /// The part of the day that is named at a token, and the token after its name.
    fn part(&self, at: usize) -> Option<(usize, DayPart)> {
        let token = self.tokens.get(at)?;
        let word = token.word()?;
        self.latin_part(at, token).or_else(|| match self.language {
            Language::English => self.english_part(at, word),
            Language::German => self.german_part(at, word),
            Language::Other | Language::Myriads => None,
        })
    }

    /// `p.m.` and `PM`, in any language.
    fn latin_part(&self, at: usize, token: &Token<'_>) -> Option<(usize, DayPart)> {
        let is_upper = self.text[token.range.clone()].bytes().all(|byte| byte.is_ascii_uppercase());
        let part = |letter| if letter == "a" { DayPart::Am } else { DayPart::Pm };
        match token.word()? {
            word @ ("am" | "pm") => {
                let certain = word == "pm" || is_upper || !token.spaced || self.language == Language::English;
                certain.then(|| (at + 1, part(&word[..1])))
            }
            letter @ ("a" | "p") => {
                let dot = |at: usize| self.tokens.get(at).is_some_and(|token| token.is_sign('.') && !token.spaced);
                let ends = dot(at + 1) && self.word(at + 2) == Some("m");
                ends.then(|| (at + 3 + usize::from(dot(at + 3)), part(letter)))
            }
            _ => None,
        }
    }

    fn english_part(&self, at: usize, word: &str) -> Option<(usize, DayPart)> {
        match (word, self.word(at + 1), self.word(at + 2)) {
            ("in", Some("the"), Some(part)) | ("this" | "that" | "tomorrow" | "yesterday", Some(part), _) => {
                let end = at + if word == "in" { 3 } else { 2 };
                english_day_part(part).map(|part| (end, part))
            }
            ("at", Some("night"), _) => Some((at + 2, DayPart::Night)),
            ("tonight", ..) => Some((at + 1, DayPart::Pm)),
            ("noon", ..) => Some((at + 1, DayPart::Pm)),
            ("midnight", ..) => Some((at + 1, DayPart::Night)),
            _ => None,
        }
    }

    fn german_part(&self, at: usize, word: &str) -> Option<(usize, DayPart)> {
        match (word, self.word(at + 1), self.word(at + 2)) {
            ("am", Some("frühen" | "späten"), Some(part)) => Some((at + 3, german_day_part(part)?)),
            ("am" | "heute" | "gestern" | "morgen", Some(part), _) if part != "morgen" || word == "am" => {
                Some((at + 2, german_day_part(part)?))
            }
            ("in", Some("der"), Some(part)) => Some((at + 3, german_day_part(part)?)),
            (word, ..) if word.ends_with('s') || word == "früh" => Some((at + 1, german_day_part(word)?)),
            _ => None,
        }
    }

    /// The readings of a time: as minutes of the day, and as numbers.
    fn readings(&self, hour: u16, minute: u16, mark: &Mark) -> Vec<Vec<Atom>> {
        let source = self.side != Side::Translation;
        let hour = hour % 24;
        let earlier = if hour == 12 { 0 } else { hour };
        let both = |hour: u16| vec![hour % 12, hour % 12 + 12];
        let hours = match mark.part {
            _ if hour > 12 || (hour == 0 && mark.part != Some(DayPart::Pm)) => vec![hour],
            Some(DayPart::Am) => vec![earlier],
            Some(DayPart::Pm) => vec![hour % 12 + 12],
            Some(DayPart::Night) if (6..12).contains(&hour) => vec![hour + 12],
            Some(DayPart::Night) => vec![earlier],
            // English has hours to twelve: `2:30` may be 14:30.
            None if source || mark.twelve || self.afternoon || self.language == Language::English => both(hour),
            None => vec![hour],
        };
        let mut readings: Vec<Vec<Atom>> =
            hours.iter().map(|hour| vec![Atom::Time((hour * 60 + minute) % DAY)]).collect();
        let minutes = (minute > 0).then(|| number(minute));
        let said = |hour: u16| [number(hour)].into_iter().chain(minutes.clone());
        // The same numbers without a mark: `7` in `7 to 8 p.m.`
        let exact = hours.len() == 1;
        for &hour in hours.iter().filter(|&&hour| hour > 12 || !exact) {
            readings.push(said(hour).collect());
        }
        if exact && hours[0] >= 12 {
            let twelve = if hours[0] == 12 { 12 } else { hours[0] - 12 };
            readings.push(said(twelve).chain([Atom::Part(DayPart::Pm)]).collect());
        } else if exact && source {
            readings.push(said(hours[0]).chain([Atom::Part(DayPart::Am)]).collect());
        }
        if matches!(self.side, Side::Source(to) if !to.has_words()) || !source {
            readings.push(said(if hour == 0 { hours[0] } else { hour }).collect());
        }
        readings
    }
}

fn number(value: u16) -> Atom {
    Atom::Number(Decimal::from(u64::from(value)))
}

fn english_day_part(word: &str) -> Option<DayPart> {
    Some(match word {
        "morning" | "mornings" => DayPart::Am,
        "afternoon" | "evening" | "afternoons" | "evenings" | "tonight" => DayPart::Pm,
        "night" | "nights" => DayPart::Night,
        _ => return None,
    })
}

fn german_day_part(word: &str) -> Option<DayPart> {
    Some(match word {
        "morgens" | "morgen" | "vormittags" | "vormittag" | "früh" | "frühmorgens" => DayPart::Am,
        "abends" | "abend" | "nachmittags" | "nachmittag" | "mittags" | "mittag" => DayPart::Pm,
        "nachts" | "nacht" => DayPart::Night,
        _ => return None,
    })
}

/// The parts of the day that a word names, wherever it stands.
pub(super) fn day_parts(word: &str, language: Language) -> &'static [DayPart] {
    let part = match language {
        _ if word == "pm" => Some(DayPart::Pm),
        Language::English => english_day_part(word),
        Language::German => german_day_part(word).or_else(|| {
            let compound = |part: &str| word.starts_with(part);
            ["abend", "nachmittag", "mittag"].into_iter().any(compound).then_some(DayPart::Pm)
        }),
        Language::Other | Language::Myriads => None,
    };
    match part {
        Some(DayPart::Am) => &[DayPart::Am],
        Some(DayPart::Pm) => &[DayPart::Pm],
        Some(DayPart::Night) => &[DayPart::Am, DayPart::Pm],
        None => &[],
    }
}

//! Amounts of money and other numbers as they are written in the other language: `$1,250.50` and `1.250,50 $`.

use super::item::{Item, Shape};
use super::reader::Reader;
use super::{Language, Side, missing_numbers};
use std::ops::Range;

/// An amount of money, or another number, in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// Its bytes in the text, with its currency.
    pub range: Range<usize>,
    /// How it may be written in the other language; the most common way comes first.
    pub renderings: Vec<String>,
}

/// The amounts of money of a text that are written in digits, between English and German. An amount whose form is not
/// understood for certain, such as one of `$5-10`, is left out; so are all of other languages.
///
/// ```
/// use metaphrase_text::numbers::amounts;
///
/// let found = amounts("It costs $1,250.50.", ("en", "de"));
/// assert_eq!(found[0].renderings, ["1.250,50 $", "1.250,50 Dollar", "1.250,50 US-Dollar"]);
/// ```
#[must_use]
pub fn amounts(source: &str, languages: (&str, &str)) -> Vec<Amount> {
    written_anew(source, languages, |item, to| {
        let currency = item.currency?;
        let range = stands_alone(source, item.range)?;
        let written = Written::parse(&source[range.clone()], item.scale > 0)?;
        let renderings = match to {
            Language::German => written.in_german(currency, item.scale)?,
            _ => written.in_english(currency, item.scale)?,
        };
        Some(Amount { range, renderings })
    })
}

/// The other numbers of a text that are written in digits, with their per cent signs, in the same way: `1,250` is
/// `1.250` in German. Times, dates and numbers before words such as `million` are left out.
///
/// ```
/// use metaphrase_text::numbers::plain_numbers;
///
/// let found = plain_numbers("2.200.112 kg, 3,5 %", ("de", "en"));
/// assert_eq!(found.iter().map(|number| &*number.renderings[0]).collect::<Vec<_>>(), ["2,200,112", "3.5%"]);
/// ```
#[must_use]
pub fn plain_numbers(source: &str, languages: (&str, &str)) -> Vec<Amount> {
    written_anew(source, languages, |item, to| {
        let is_plain = item.shape == Shape::Digits && item.currency.is_none() && item.scale == 0;
        let range = stands_alone(source, item.range).filter(|_| is_plain)?;
        let written = Written::parse(&source[range.clone()], false)?;
        let number = match to {
            Language::German => written.renumbered(',', '.')?,
            _ => written.renumbered('.', ',')?,
        };
        let signs: &[&str] = match to {
            _ if !item.percent => &[""],
            Language::German => &[" %", " Prozent"],
            _ => &["%", " percent", " per cent"],
        };
        let renderings = signs.iter().map(|sign| format!("{number}{sign}")).collect();
        Some(Amount { range, renderings })
    })
}

/// What `write` makes of the numbers of a text between English and German, to the second of which it writes them.
fn written_anew(
    source: &str,
    languages: (&str, &str),
    write: impl Fn(Item, Language) -> Option<Amount>,
) -> Vec<Amount> {
    let to = match (languages.0.into(), languages.1.into()) {
        (Language::English, Language::German) => Language::German,
        (Language::German, Language::English) => Language::English,
        _ => return Vec::new(),
    };
    let items = Reader::new(source, languages.0.into(), Side::Source(to)).items();
    items.into_iter().filter_map(|item| write(item, to)).collect()
}

/// Numbers of a source that its translation lacks in any notation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MissingAmounts {
    /// Amounts of money.
    pub money: Vec<Amount>,
    /// Those of [`plain_numbers`].
    pub plain: Vec<Amount>,
}

/// The amounts of money and the plain numbers of a source that its translation lacks in any notation.
#[must_use]
pub fn missing_amounts(source: &str, translation: &str, languages: (&str, &str)) -> MissingAmounts {
    let missing = missing_numbers(source, translation, Some(languages));
    if missing.is_empty() {
        return MissingAmounts::default();
    }
    let those = |mut amounts: Vec<Amount>| {
        amounts.retain(|amount| {
            missing.iter().any(|number| number.range.start < amount.range.end && amount.range.start < number.range.end)
        });
        amounts
    };
    MissingAmounts { money: those(amounts(source, languages)), plain: those(plain_numbers(source, languages)) }
}

/// The range, unless it is a part of something longer, as in `$5-10`, `$5-a-day`, `A4 $5x`.
fn stands_alone(source: &str, range: Range<usize>) -> Option<Range<usize>> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '–' | '‑');
    let before = source[..range.start].chars().next_back();
    let mut after = source[range.end..].chars();
    let next = after.next();
    // `$1,25,0`, `$5.1.2`, `$8:30`.
    let goes_on = matches!(next, Some('.' | ',' | ':')) && after.next().is_some_and(|c| c.is_ascii_digit());
    let is_open = before.is_some_and(joins) || next.is_some_and(joins) || goes_on;
    (!is_open).then_some(range)
}

/// The parts of an amount.
struct Written<'t> {
    /// Digits with their separators.
    number: &'t str,
    /// The sign, the code or the word for the currency.
    currency: &'t str,
}

impl<'t> Written<'t> {
    /// `has_scale`: whether a word such as `million` stands after the number.
    fn parse(text: &'t str, has_scale: bool) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let bytes = text.as_bytes();
        let mut end = start;
        while let Some(byte) = bytes.get(end) {
            let separates = matches!(byte, b'.' | b',' | b'\'') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            if !byte.is_ascii_digit() && !separates {
                break;
            }
            end += 1;
        }
        let (before, mut after) = (text[..start].trim(), text[end..].trim());
        if has_scale {
            let scale = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            if scale == 0 {
                return None;
            }
            after = after[scale..].trim_start_matches('.').trim();
        }
        // `a 20-euro ticket`
        if after.starts_with(['-', '–', '‑']) {
            return None;
        }
        let currency = match (before, after) {
            ("", after) => after,
            (before, "") => before,
            _ => return None,
        };
        Some(Self { number: &text[start..end], currency })
    }

    /// The number in the other notation; `None` if its separators are not those of its language.
    fn renumbered(&self, group: char, decimal: char) -> Option<String> {
        let number = self.number.replace('\'', &group.to_string());
        let (whole, fraction) = number.rsplit_once(decimal).map_or((&*number, None), |(w, f)| (w, Some(f)));
        let mut groups = whole.split(group);
        let first = groups.next()?;
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let has_groups = whole.contains(group);
        let is_right = is_digits(first)
            && (!has_groups || first.len() <= 3)
            && groups.all(|group| group.len() == 3 && is_digits(group))
            && fraction.is_none_or(is_digits);
        let swap = |c: char| match c {
            c if c == group => decimal,
            c if c == decimal => group,
            c => c,
        };
        is_right.then(|| number.chars().map(swap).collect())
    }

    fn in_german(&self, currency: &str, scale: u32) -> Option<Vec<String>> {
        let number = self.renumbered(',', '.')?;
        let (_, word) = words(currency).unzip();
        let word = word.map(str::to_owned);
        let sign = self.currency;
        let names: Vec<String> = match sign {
            "$" => vec!["$".into(), "Dollar".into(), "US-Dollar".into()],
            "US$" => vec!["US-Dollar".into(), "US$".into(), "Dollar".into()],
            "A$" => vec!["A$".into(), "australische Dollar".into()],
            "C$" => vec!["C$".into(), "kanadische Dollar".into()],
            _ if is_sign(sign) || is_code(sign) => [sign.to_owned()].into_iter().chain(word).collect(),
            _ => vec![word?],
        };
        let numbers = match scale {
            0 => vec![number],
            6 if number == "1" => vec!["1 Million".into(), "1 Mio.".into()],
            6 => vec![format!("{number} Millionen"), format!("{number} Mio.")],
            9 if number == "1" => vec!["1 Milliarde".into(), "1 Mrd.".into()],
            9 => vec![format!("{number} Milliarden"), format!("{number} Mrd.")],
            12 => vec![format!("{number} Billionen")],
            _ => return None,
        };
        // In words, words: `3,6 Milliarden Dollar`, but `5 $`.
        let mut all: Vec<String> =
            numbers.iter().flat_map(|number| names.iter().map(move |name| format!("{number} {name}"))).collect();
        if scale > 0 && names.len() > 1 && is_sign(sign) && !sign.chars().any(char::is_alphabetic) {
            all.swap(0, 1);
        }
        Some(all)
    }

    fn in_english(&self, currency: &str, scale: u32) -> Option<Vec<String>> {
        let number = self.renumbered('.', ',')?;
        let scale = match scale {
            0 => "",
            6 => " million",
            9 => " billion",
            12 => " trillion",
            _ => return None,
        };
        let (word, _) = words(currency).unzip();
        let name = self.currency;
        if is_code(name) {
            let word = word.map(|word| format!("{number}{scale} {word}"));
            return Some(
                [format!("{name} {number}{scale}"), format!("{number}{scale} {name}")]
                    .into_iter()
                    .chain(word)
                    .collect(),
            );
        }
        let sign = match (name, currency) {
            (name, _) if is_sign(name) => Some(name),
            (name, "dollar") if name.starts_with("US") => Some("US$"),
            (_, "dollar") => Some("$"),
            (_, "euro") => Some("€"),
            (_, "pound") => Some("£"),
            _ => None,
        };
        let in_words = word.map(|word| {
            let word = if number == "1" && scale.is_empty() { word.trim_end_matches('s') } else { word };
            format!("{number}{scale} {word}")
        });
        let with_sign = sign.map(|sign| format!("{sign}{number}{scale}"));
        let both = if is_sign(name) { [with_sign, in_words] } else { [in_words, with_sign] };
        let all: Vec<String> = both.into_iter().flatten().collect();
        (!all.is_empty()).then_some(all)
    }
}

/// The English and the German name of a currency, for several units of it.
fn words(currency: &str) -> Option<(&'static str, &'static str)> {
    Some(match currency {
        "dollar" => ("dollars", "Dollar"),
        "euro" => ("euros", "Euro"),
        "pound" => ("pounds", "Pfund"),
        "yen" => ("yen", "Yen"),
        "franc" => ("francs", "Franken"),
        "rupee" => ("rupees", "Rupien"),
        "rouble" => ("roubles", "Rubel"),
        "cent" => ("cents", "Cent"),
        _ => return None,
    })
}

/// Whether a currency is written with a sign, as in `$`, `US$`.
fn is_sign(name: &str) -> bool {
    name.chars().next_back().is_some_and(|c| super::money::currency_of_sign(c).is_some()) && name.chars().count() <= 3
}

fn is_code(name: &str) -> bool {
    name.len() == 3 && name.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str, languages: (&str, &str)) -> Vec<String> {
        amounts(source, languages).into_iter().map(|amount| amount.renderings[0].clone()).collect()
    }

    #[test]
    fn amounts_are_written_as_in_the_other_language() {
        let german = [
            ("$1,250.50 or €30", vec!["1.250,50 $", "30 €"]),
            ("£5 million", vec!["5 Millionen Pfund"]),
            ("$3.6bn", vec!["3,6 Milliarden Dollar"]),
            ("from CHF 120/month", vec!["120 CHF"]),
            ("20 euros and 50 cents", vec!["20 Euro", "50 Cent"]),
            ("US$200, A$75", vec!["200 US-Dollar", "75 A$"]),
            ("EUR 1,500", vec!["1.500 EUR"]),
            ("(€ 9.99)", vec!["9,99 €"]),
            ("1 million dollars", vec!["1 Million Dollar"]),
        ];
        for (source, expected) in german {
            assert_eq!(written(source, ("en", "de")), expected, "{source}");
        }
        let english = [
            ("1.250,50 € oder 30 Euro", vec!["€1,250.50", "30 euros"]),
            ("3,6 Mrd. Dollar", vec!["3.6 billion dollars"]),
            ("200 US-Dollar", vec!["200 dollars"]),
            ("1'500 Franken", vec!["1,500 francs"]),
            ("5 Mio. €", vec!["€5 million"]),
            ("120 CHF", vec!["CHF 120"]),
        ];
        for (source, expected) in english {
            assert_eq!(written(source, ("de", "en")), expected, "{source}");
        }
    }

    #[test]
    fn what_is_not_certain_is_left_out() {
        for source in
            ["$5-10", "a $5-a-day plan", "a 20-euro ticket", "5 % of 20", "$1,25,0", "cost $2 to 3 million", ""]
        {
            assert_eq!(written(source, ("en", "de")), [""; 0], "{source}");
        }
        assert!(amounts("$5", ("en", "fr")).is_empty());
        assert!(amounts("$5", ("en", "en")).is_empty());
    }

    #[test]
    fn missing_amounts_are_those_without_their_value_or_currency() {
        let missing = |translation| missing_amounts("$5 or $6, 1,250 pcs.", translation, ("en", "de"));
        let counts = |translation| [missing(translation).money.len(), missing(translation).plain.len()];
        assert_eq!(counts("5 $ oder 6 $, 1.250 Stück"), [0, 0]);
        assert_eq!(counts("5 $ oder 7 $, 1250 Stück"), [1, 0]);
        assert_eq!(counts("5 oder 6"), [2, 1]);
        assert_eq!(missing("").plain[0].renderings, ["1.250"]);
    }
}

//! Amounts in units that translators convert: `200 miles` is `320 Kilometer`.

use super::Language;
use super::tokens::{Kind, Token};

/// How far a converted amount may be from the exact one, as it is mostly rounded.
const ROUNDED: f64 = 0.08;

/// An amount in a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    pub(super) amount: f64,
    pub(super) unit: Unit,
}

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    /// A length, or a speed in lengths per hour, by its metres.
    Length(f64),
    /// A mass by its kilograms.
    Mass(f64),
    /// A volume by its litres.
    Volume(f64),
    /// Fahrenheit, Celsius, or either.
    Degrees,
}

impl Measure {
    /// Whether this is `other` in another unit.
    pub(super) fn converts_to(self, other: Self) -> bool {
        let near = |ours: f64, theirs: f64| {
            ours != theirs && (self.amount * ours / (other.amount * theirs) - 1.0).abs() < ROUNDED
        };
        match (self.unit, other.unit) {
            (Unit::Length(ours), Unit::Length(theirs))
            | (Unit::Mass(ours), Unit::Mass(theirs))
            | (Unit::Volume(ours), Unit::Volume(theirs)) => near(ours, theirs),
            (Unit::Degrees, Unit::Degrees) => {
                is_fahrenheit_of(self.amount, other.amount) || is_fahrenheit_of(other.amount, self.amount)
            }
            _ => false,
        }
    }
}

/// Whether a temperature, or a difference of temperatures, is the same in Fahrenheit and in Celsius.
fn is_fahrenheit_of(fahrenheit: f64, celsius: f64) -> bool {
    let degrees = [(fahrenheit - 32.0) / 1.8, fahrenheit / 1.8];
    fahrenheit != celsius && degrees.iter().any(|exact| (exact - celsius).abs() <= 1.0)
}

/// Units that are the same everywhere.
const SAME: &[&str] = &[
    "w", "kw", "mw", "gw", "kwh", "wh", "mwh", "v", "kv", "mv", "mah", "ah", "hz", "khz", "mhz", "ghz", "bar", "kpa",
    "hpa", "mpa", "kn", "kj", "kcal", "hp", "rpm", "watt", "watts", "volt", "volts", "lm", "ml", "cl", "mg", "t", "kb",
    "mb", "gb", "tb",
];

/// Whether a metric unit follows a number.
pub(super) fn is_measured(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).and_then(Token::word).is_some_and(|word| SAME.contains(&word) || metric(word).is_some())
}

/// The unit that a token or two name after a number.
pub(super) fn unit(tokens: &[Token<'_>], at: usize, language: Language) -> Option<Unit> {
    let hyphen = usize::from(tokens.get(at).is_some_and(|token| token.is_sign('-')));
    let token = tokens.get(at + hyphen)?;
    if matches!(token.kind, Kind::Sign('°' | '℃' | '℉')) {
        return Some(Unit::Degrees);
    }
    let word = token.word()?;
    if language == Language::English && word == "cubic" {
        let litres = match tokens.get(at + hyphen + 1)?.word()? {
            "feet" | "foot" => 28.317,
            "yards" | "yard" => 764.55,
            "metres" | "meters" | "metre" | "meter" => 1000.0,
            _ => return None,
        };
        return Some(Unit::Volume(litres));
    }
    metric(word).or_else(|| match language {
        Language::English => english(word),
        Language::German => german(word),
        Language::Other | Language::Myriads => None,
    })
}

/// Metric units as English, German and further languages write them.
fn metric(word: &str) -> Option<Unit> {
    Some(match word {
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kilometern" | "kph" | "kmh" => {
            Unit::Length(1000.0)
        }
        "m" | "meter" | "meters" | "metre" | "metres" | "metern" => Unit::Length(1.0),
        "cm" | "zentimeter" | "zentimetern" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => {
            Unit::Length(0.01)
        }
        "mm" | "millimeter" | "millimetern" | "millimeters" | "millimetre" | "millimetres" => Unit::Length(0.001),
        "kg" | "kilo" | "kilos" | "kilogramm" | "kilogram" | "kilograms" => Unit::Mass(1.0),
        "g" | "gramm" | "gram" | "grams" => Unit::Mass(0.001),
        "tonne" | "tonnes" | "tonnen" => Unit::Mass(1000.0),
        // The sign of ordinals, which is a letter, in place of that of degrees.
        "ºc" | "ºf" => Unit::Degrees,
        "l" | "liter" | "liters" | "litre" | "litres" | "litern" => Unit::Volume(1.0),
        "kubikmeter" | "kubikmetern" => Unit::Volume(1000.0),
        _ => return None,
    })
}

fn english(word: &str) -> Option<Unit> {
    Some(match word {
        "mile" | "miles" | "mph" => Unit::Length(1609.34),
        "yard" | "yards" | "yd" => Unit::Length(0.9144),
        "foot" | "feet" | "ft" => Unit::Length(0.3048),
        "inch" | "inches" => Unit::Length(0.0254),
        "pound" | "pounds" | "lb" | "lbs" => Unit::Mass(0.4536),
        "ounce" | "ounces" | "oz" => Unit::Mass(0.02835),
        "ton" | "tons" => Unit::Mass(907.2),
        "gallon" | "gallons" => Unit::Volume(3.785),
        "pint" | "pints" => Unit::Volume(0.5683),
        "degree" | "degrees" | "f" | "c" | "fahrenheit" | "celsius" => Unit::Degrees,
        _ => return None,
    })
}

fn german(word: &str) -> Option<Unit> {
    Some(match word {
        "meile" | "meilen" => Unit::Length(1609.34),
        "fuß" => Unit::Length(0.3048),
        "zoll" => Unit::Length(0.0254),
        "pfund" => Unit::Mass(0.5),
        "unze" | "unzen" => Unit::Mass(0.02835),
        "gallone" | "gallonen" => Unit::Volume(3.785),
        "grad" => Unit::Degrees,
        _ => return None,
    })
}

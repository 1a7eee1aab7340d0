//! Numbers of a text, and which of them a translation has to have.

use super::units::Measure;
use super::{Atom, Language};
use std::ops::Range;

/// The largest whole number that other languages than English and German are let write as a word.
const LARGEST_WORD: u16 = 12;

/// A number of a text.
#[derive(Debug)]
pub(super) struct Item {
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
    /// Its tokens.
    pub(super) tokens: Range<usize>,
    /// Its possible meanings, as facts.
    pub(super) readings: Vec<Vec<Atom>>,
    pub(super) currency: Option<&'static str>,
    pub(super) percent: bool,
    /// The amount, if a unit follows that translators convert.
    pub(super) measure: Option<Measure>,
    pub(super) shape: Shape,
    /// The exponent of a word such as `million` after it.
    pub(super) scale: u32,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Digits,
    Words,
    /// Words that need not be translated as a number.
    LooseWords,
    Time,
    TimeInWords,
    Date,
}

impl Item {
    /// The number, as one.
    pub(super) fn amount(&self) -> Option<f64> {
        let amount = |reading: &Vec<Atom>| match &**reading {
            [Atom::Number(value)] => value.to_f64(),
            _ => None,
        };
        // The last reading is the one with the scale.
        let mut readings = self.readings.iter();
        if self.scale > 0 { readings.rev().find_map(amount) } else { readings.find_map(amount) }
    }

    /// Whether a translation into this language has to have it.
    pub(super) fn is_required(&self, to: Language) -> bool {
        let only = || match &*self.readings {
            [reading, ..] => match &**reading {
                [Atom::Number(value)] => value.small(),
                _ => Some(u16::MAX),
            },
            [] => Some(0),
        };
        match self.shape {
            Shape::LooseWords => false,
            Shape::Words if only().is_some_and(|value| value <= 1) => false,
            Shape::Words => {
                to.has_words()
                    && (self.currency.is_some() || self.percent || only().is_none_or(|value| value > LARGEST_WORD))
            }
            Shape::TimeInWords => to.has_words(),
            Shape::Time | Shape::Date => true,
            Shape::Digits => match to {
                _ if to.has_words() => true,
                Language::Myriads if self.scale > 0 || only().is_none() => false,
                _ => self.percent || self.currency.is_some() || only().is_none_or(|value| value > LARGEST_WORD),
            },
        }
    }
}

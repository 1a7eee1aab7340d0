//! The values that an option may have.

use crate::Named;
use std::fmt;

/// A value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// No value: the option is switched off, or its default counts.
    None,
    /// On or off.
    Switch(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f32),
    /// A number of double precision.
    Double(f64),
    /// Five numbers.
    Numbers([f64; 5]),
    /// A name or a text.
    Text(String),
}

/// The values of an option.
#[derive(Debug, Clone)]
pub enum OptionKind {
    /// On or off.
    Switch,
    /// A whole number, or, if `optional`, none.
    Count {
        /// Whether it may be none.
        optional: bool,
    },
    /// A number, or, if `optional`, none.
    Number {
        /// Whether it may be none.
        optional: bool,
    },
    /// A number of double precision.
    Double,
    /// Five numbers of double precision.
    Numbers,
    /// One of some names, or, if `optional`, none.
    Name {
        /// The names and what they mean.
        names: Vec<Named<()>>,
        /// Whether it may be none.
        optional: bool,
    },
    /// A text of a form of its own, or none.
    Text,
    /// A value that each interface makes in a way of its own.
    Foreign,
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Switch => "on or off",
            Self::Count { .. } => "a whole number",
            Self::Number { .. } | Self::Double => "a number",
            Self::Numbers => "five numbers",
            Self::Name { .. } => "a name",
            Self::Text => "a text",
            Self::Foreign => "a value",
        })
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
            Self::Count(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
            Self::Numbers(values) => f.write_str(&values.each_ref().map(ToString::to_string).join(" ")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

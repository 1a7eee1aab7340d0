//! Why an option can not have a value.

use crate::UnknownName;
use std::fmt;

/// An option's value that can not be used. The option is named as the library names it; [`sentence`](Self::sentence)
/// has other names.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionFault {
    /// A value out of range, or of another kind.
    Value {
        /// The option.
        option: &'static str,
        /// The value as a message shows it.
        found: String,
        /// The values that are allowed.
        expected: String,
    },
    /// A text that names no value.
    Unknown {
        /// The option.
        option: &'static str,
        /// The text.
        found: String,
        /// What was expected.
        expected: UnknownName,
    },
    /// An option without effect, as another one is missing.
    Needs {
        /// The option.
        option: &'static str,
        /// The missing one.
        needed: &'static str,
        /// The values of it that are meant; empty: any.
        values: &'static str,
    },
}

impl OptionFault {
    /// One sentence, in which options have the names of an interface.
    #[must_use]
    pub fn sentence(&self, name_of: impl Fn(&'static str) -> String) -> String {
        match self {
            Self::Value { option, found, expected } => format!("{} is {found}; it must be {expected}", name_of(option)),
            Self::Unknown { option, found, expected } => format!("{} is {found:?}: {expected}", name_of(option)),
            Self::Needs { option, needed, values: "" } => format!("{} goes with {}", name_of(option), name_of(needed)),
            Self::Needs { option, needed, values } => {
                format!("{} goes with {} {values}", name_of(option), name_of(needed))
            }
        }
    }
}

impl fmt::Display for OptionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(str::to_owned))
    }
}

impl std::error::Error for OptionFault {}

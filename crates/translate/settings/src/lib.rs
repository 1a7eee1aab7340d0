//! Settings files: TOML and YAML, read into types that derive `serde::Deserialize`, where an error knows its place in
//! the file; and types that derive `serde::Serialize`, written as TOML.
//!
//! ```
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Beam {
//!     size: usize,
//! }
//! #[derive(Deserialize)]
//! struct Options {
//!     beam: Beam,
//! }
//!
//! let options: Options = metaphrase_settings::from_toml("[beam]\nsize = 4\n").unwrap();
//! assert_eq!(options.beam.size, 4);
//! let options: Options = metaphrase_settings::from_yaml("beam:\n  size: 4\n").unwrap();
//! assert_eq!(options.beam.size, 4);
//!
//! let text = "[beam]\nsize = true\n";
//! let error = metaphrase_settings::from_toml::<Options>(text).err().unwrap();
//! assert_eq!(error.line(text), 2);
//! assert_eq!(error.message(), "invalid type: boolean `true`, expected usize");
//! ```
//!
//! Both formats become one tree of values, and one deserializer reads the tree. A crate for each format would do
//! without this one, but serde compiles the reading of each type again for each kind of table that a format's
//! deserializer has: four for TOML, some more for YAML; and its writing twice. Settings were two fifths of the code of
//! the crates that train and describe networks.

mod deserialize;
mod serialize;
mod toml;
mod value;
mod yaml;

pub use self::toml::{from_table, from_toml, to_toml};
pub use yaml::from_yaml;

use std::fmt;
use std::ops::Range;

/// Settings that can not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    at: Option<Range<usize>>,
}

impl Error {
    fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        Self { message: message.into(), at: Some(at) }
    }

    /// The error with this place, unless it has one: the innermost value knows best.
    fn at(mut self, at: &Range<usize>) -> Self {
        self.at.get_or_insert_with(|| at.clone());
        self
    }

    /// The fault in one line, without its place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The bytes of the text that are wrong: a value, the name of a key, or the table that lacks a key. In YAML, a
    /// place in its line.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.at.clone()
    }

    /// The line of `text`, which was read, counted from 1.
    #[must_use]
    pub fn line(&self, text: &str) -> usize {
        let start = self.at.as_ref().map_or(0, |at| at.start).min(text.len());
        text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string().lines().collect::<Vec<_>>().join("; "), at: None }
    }
}

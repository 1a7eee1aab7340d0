//! A text that stands inside signs.

use std::ops::Range;

/// A text inside signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) range: Range<usize>,
    pub(crate) quote: Quote,
}

/// The sign that ends a text, which is written otherwise inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// The end of the line.
    Line,
    /// `"`, with backslashes.
    Double,
    /// `'`, which is doubled.
    Single,
    /// The text gets quotation marks: a plain value of YAML may be no text any more in another language.
    Plain,
    /// As `Plain`, with the `'` around it, which TOML can not write inside.
    Literal,
    /// Nothing: the text has lines of its own.
    Raw,
    /// `]`.
    Bracket,
    /// The end of the title of a link.
    Title(char),
}

//! A value of a settings file.

use std::ops::Range;

/// A value and the bytes of the text that it was written with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    pub(crate) at: Range<usize>,
    pub(crate) kind: Kind,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Switch(bool),
    Integer(i128),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Table(Vec<(Key, Value)>),
}

/// The name of a key and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
}

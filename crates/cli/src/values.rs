//! Choices of the libraries as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use metaphrase::Choice;

/// Reads a member of a closed set by its name; `--help` lists the names and what they mean.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let values = T::ALL.iter().map(|named| PossibleValue::new(named.name).help(named.meaning).aliases(named.aliases));
    PossibleValuesParser::new(values).try_map(|name| T::from_name(&name))
}

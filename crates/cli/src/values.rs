//! Options of the libraries as values of the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads one of `all` by its `name`; `about` describes it in the help.
pub fn values<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let listed = all.iter().map(|&value| PossibleValue::new(name(value)).help(about(value)));
    PossibleValuesParser::new(listed).try_map(move |given| {
        all.iter().copied().find(|&value| name(value) == given).ok_or_else(|| format!("{given} is not a value"))
    })
}

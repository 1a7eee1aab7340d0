//! Choices of the libraries as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use metaphrase::{Choice, Named, Precision};

/// Reads a member of a closed set by its name; `--help` lists the names and what they mean.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(possible)).try_map(|name| T::from_name(&name))
}

/// A name, other names and what they mean.
pub fn possible<T>(named: &Named<T>) -> PossibleValue {
    PossibleValue::new(named.name).help(named.meaning).aliases(named.aliases)
}

/// The numbers of a model's products; `None`: those that the model recommends.
#[derive(Debug, Clone, Copy)]
pub struct Numbers(pub Option<Precision>);

/// Reads a [`Precision`] or `auto`.
pub fn numbers() -> impl TypedValueParser<Value = Numbers> {
    let auto = PossibleValue::new(AUTO)
        .help("what the model recommends: int8 for the bundled models, f32 for a model that says nothing");
    let names = std::iter::once(auto).chain(Precision::ALL.iter().map(possible));
    PossibleValuesParser::new(names).map(|name| Numbers(Precision::from_name(&name).ok()))
}

/// The name of the model's own numbers.
pub const AUTO: &str = "auto";

//! Closed sets of the libraries as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use metaphrase::{Choice, Named, Precision};

/// Reads a member of a closed set by its name. `--help` lists the names with their meanings.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(possible)).try_map(|name| T::from_name(&name))
}

/// A name, its aliases and its meaning, for `--help`.
pub fn possible<T>(named: &Named<T>) -> PossibleValue {
    PossibleValue::new(named.name).help(named.meaning).aliases(named.aliases)
}

/// The precision of a model's matrix products; `None`: the one that the model recommends.
#[derive(Debug, Clone, Copy)]
pub struct PrecisionChoice(pub Option<Precision>);

/// Reads a [`Precision`] or `auto`.
pub fn precision() -> impl TypedValueParser<Value = PrecisionChoice> {
    let auto = PossibleValue::new(AUTO)
        .help("the precision that the model recommends: int8 for the bundled models, f32 for a model without a recommendation");
    let names = std::iter::once(auto).chain(Precision::ALL.iter().map(possible));
    PossibleValuesParser::new(names).map(|name| PrecisionChoice(Precision::from_name(&name).ok()))
}

/// The name of the precision that the model recommends.
pub const AUTO: &str = "auto";

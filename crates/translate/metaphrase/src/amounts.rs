//! Amounts of money that a translation lacks.

use metaphrase_base::{Choice, Named};

/// What becomes of an amount of money that the translation of a line lacks: its number or its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Amounts {
    /// The line is searched again, with the amount as a required term in the notation of the target language. This
    /// works between English and German, with models that read terms in their source, in lines without other terms.
    #[default]
    Keep,
    /// The model's translation stays.
    Model,
}

impl Choice for Amounts {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::Keep,
            "keep",
            "the line is translated again with the amount as a required term (English and German, with models that read terms)",
        ),
        Named::new(Self::Model, "model", "the model's translation stays"),
    ];
}

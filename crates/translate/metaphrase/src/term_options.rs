//! How a translation uses its required terms.

use metaphrase_base::{Choice, Named};

/// What a required term is for a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermUse {
    /// The translation has every term in one of its forms.
    #[default]
    Required,
    /// The model reads the terms in its source and writes them in the form that fits, or not at all. Models that were not trained with
    /// terms in the source are required to have them.
    Preferred,
}

impl Choice for TermUse {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Required, "required", "the translation has every term in one of its forms"),
        Named::new(
            Self::Preferred,
            "preferred",
            "the model inflects the terms, and may leave one out, if it was trained with terms in the source",
        ),
    ];
}

/// Where the source words of a term are known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermPlaces {
    /// A first search finds what was not given: with a model that reads terms in its source, the places of terms that have none; with
    /// another model, the words that a free translation has for a term's source, which the translation then avoids.
    #[default]
    Found,
    /// Only from glossaries and requests. One search is enough.
    Given,
}

impl Choice for TermPlaces {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::Found,
            "found",
            "a first search finds by its attention what glossaries and requests do not say",
        ),
        Named::new(Self::Given, "given", "glossaries and requests alone say it; lines are searched once"),
    ];
}

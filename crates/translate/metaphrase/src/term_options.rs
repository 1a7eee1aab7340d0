//! How a translation uses its required terms.

use metaphrase_base::{Choice, Named};

/// How strictly a translation follows a required term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermUse {
    /// The translation has every term in one of its forms.
    #[default]
    Required,
    /// The model reads the terms in its source and writes them in the form that fits, or not at all. Models that were
    /// not trained with terms in the source are required to have them.
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

/// The forms in which a glossary's terms are found and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermForms {
    /// Between English and German, a term is found in its plural and with its endings, and a translation may have it
    /// with an ending, unless the glossary lists forms or a `*`: `user<tab>Anwender` finds "users", and is met by
    /// "Anwendern".
    #[default]
    Inflected,
    /// As the glossary has them.
    Exact,
}

impl Choice for TermForms {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::Inflected,
            "inflected",
            "between English and German also in the plural, with endings, and German verbs conjugated; a list of forms in the glossary counts as it is",
        ),
        Named::new(Self::Exact, "exact", "as the glossary has them"),
    ];
}

/// How the source words of a term are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermPlaces {
    /// A first search finds what the request does not give. With a model that reads terms in its source, it finds the
    /// places of terms that have none. With another model, it finds the words that a free translation has for a term's
    /// source, and the second search avoids them.
    #[default]
    Found,
    /// Glossaries and requests give them. One search is enough.
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

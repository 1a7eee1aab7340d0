//! Parts of a line that its translation lacks.

use metaphrase_base::{Choice, Named};

/// What becomes of a part of a line that the translation lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lost {
    /// The line is searched again, with the part as a required term. This works with models that read terms in their
    /// source, in lines without other terms.
    #[default]
    Keep,
    /// The model's translation stays.
    Model,
}

impl Choice for Lost {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::Keep,
            "keep",
            "the line is translated again with it as a required term (with models that read terms)",
        ),
        Named::new(Self::Model, "model", "the model's translation stays"),
    ];
}

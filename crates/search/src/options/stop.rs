//! The end of a sentence's search.

use metaphrase_base::{Choice, Named};

/// How a sentence's search ends; see [`Options::stop`](crate::Options::stop).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// A finished hypothesis takes its place out of the beam for good; the sentence ends when the beam is
    /// empty. What Marian does.
    #[default]
    Shrink,
    /// The beam is filled up again from the open hypotheses (Iglesias 2018, Algorithm 1, line 16), until the
    /// length limit, or until no open hypothesis can still enter the n-best list.
    Fill,
    /// The beam is filled up again, as with `Fill`, and the sentence ends when as many hypotheses have finished as the beam is
    /// wide, as in CTranslate2: hypotheses that the length limit cuts off have finished, and no hypothesis is empty. Sentences
    /// with terms, and other strategies than [`Strategy::Beam`](crate::Strategy::Beam), end as with `Fill`.
    Collect,
}

impl Choice for Stop {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Shrink, "shrink", "a finished hypothesis leaves its place in the beam empty, as in Marian"),
        Named::new(Self::Fill, "fill", "the beam is filled up again until no open hypothesis can win"),
        Named::new(
            Self::Collect,
            "collect",
            "the beam is filled up again until it has finished as a whole, as in CTranslate2",
        ),
    ];
}

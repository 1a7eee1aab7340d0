//! The end of a sentence's search.

use metaphrase_base::{Choice, Named};

/// How a sentence's search ends; see [`Options::stop`](crate::Options::stop).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// A finished hypothesis takes its place out of the beam for good; the sentence ends when the beam is empty.
    /// Marian's rule.
    #[default]
    Shrink,
    /// The beam is filled up again from the open hypotheses (Iglesias 2018, Algorithm 1, line 16), until the
    /// length limit, or until no open hypothesis can still enter the n-best list.
    Fill {
        /// Whether hypotheses that end take no place in the beam: a step keeps `beam_size` open hypotheses and, in
        /// addition to them, the ends that are better than the worst of them (Iglesias et al. 2018, §3, remark 4). In
        /// sentences with terms that must appear, ends do take places, because places are divided among the terms.
        ends_beside: bool,
    },
    /// As `Shrink`, but the sentence ends only when the beam is empty or at the length limit, even if no open
    /// hypothesis can win any more: Sockeye's rule (Post and Vilar 2018, §6.4).
    Wait,
    /// The beam is filled up again, as with `Fill`, and the sentence ends when as many hypotheses have finished as the
    /// beam is wide, as in CTranslate2: hypotheses that the length limit cuts off have finished, and no hypothesis is
    /// empty. Sentences with terms, and other strategies than [`Strategy::Beam`](crate::Strategy::Beam), end as with
    /// `Fill`.
    Collect,
}

impl Stop {
    /// [`Fill`](Self::Fill), where hypotheses that end take places in the beam.
    pub const FILL: Self = Self::Fill { ends_beside: false };

    /// Whether hypotheses that end take no place in the beam.
    #[must_use]
    pub fn ends_beside(self) -> bool {
        matches!(self, Self::Fill { ends_beside: true })
    }
}

impl Choice for Stop {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Shrink, "shrink", "a finished hypothesis leaves its place in the beam empty, as in Marian"),
        Named::new(Self::Wait, "wait", "as shrink, but until the whole beam has finished, as in Sockeye"),
        Named::new(Self::FILL, "fill", "the beam is filled up again until no open hypothesis can win"),
        Named::new(
            Self::Collect,
            "collect",
            "the beam is filled up again until it has finished as a whole, as in CTranslate2",
        ),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Shrink => "shrink",
            Self::Wait => "wait",
            Self::Fill { .. } => "fill",
            Self::Collect => "collect",
        }
    }
}

//! The continuations that a search examines.

use metaphrase_base::{Choice, Named};

/// The continuations that a step examines, and how it chooses among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// All continuations of all open hypotheses; constraints by dynamic beam allocation (Post and Vilar 2018).
    #[default]
    Beam,
    /// As `Beam`, but for a sentence with C words of constraints the beam is C + 1 times as wide: each bank has
    /// `beam_size` places of its own (Hokamp and Liu 2017, as Post and Vilar 2018, §5, simulate it).
    Grid,
    /// As `Beam`, but each set of met words has `beam_size` places of its own, so the beam grows with 2^C (constrained
    /// beam search: Anderson et al. 2017; Post and Vilar 2018, Table 1). It has at most
    /// [`Options::MOST_PLACES`](crate::Options::MOST_PLACES) places.
    States,
    /// Cube pruning (Zhang et al. 2018, §3.4.1, "NCP"): open hypotheses that end with the same words share the scores
    /// of the best of them; the chosen ones get their own scores and states in a second step.
    Cube {
        /// Hypotheses share a row if their last words, this many of them, are equal. The paper has 1, which merges
        /// most; 2 costs less quality. From 1 to 4.
        merge_words: usize,
    },
    /// Accelerated cube pruning (§3.4.2, "ACP"): they share the score and the state for good.
    AcceleratedCube {
        /// As for [`Cube`](Self::Cube).
        merge_words: usize,
    },
}

impl Choice for Strategy {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Beam, "beam", "all continuations; constraints by dynamic beam allocation"),
        Named::new(Self::Grid, "grid", "a whole beam for each number of constraints met").or(&["gbs"]),
        Named::new(Self::States, "states", "a whole beam for each set of constraints met, for a few constraints")
            .or(&["cbs"]),
        Named::new(Self::CUBE, "cube", "hypotheses with the same last words share scores until one is chosen")
            .or(&["ncp"]),
        Named::new(Self::ACCELERATED_CUBE, "fast-cube", "hypotheses with the same last words share scores and state")
            .or(&["acp"]),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Beam => "beam",
            Self::Grid => "grid",
            Self::States => "states",
            Self::Cube { .. } => "cube",
            Self::AcceleratedCube { .. } => "fast-cube",
        }
    }
}

impl Strategy {
    /// [`Cube`](Self::Cube) for hypotheses whose last two words are equal.
    pub const CUBE: Self = Self::Cube { merge_words: 2 };

    /// [`AcceleratedCube`](Self::AcceleratedCube) for hypotheses whose last two words are equal.
    pub const ACCELERATED_CUBE: Self = Self::AcceleratedCube { merge_words: 2 };

    /// Whether each bank of terms has a beam of its own, which does not grow or shrink.
    #[must_use]
    pub fn has_whole_banks(self) -> bool {
        matches!(self, Self::Grid | Self::States)
    }

    /// The number of last words that hypotheses have in common if they share a row of a step. `None`: each has its own.
    #[must_use]
    pub fn merge_words(self) -> Option<usize> {
        match self {
            Self::Cube { merge_words } | Self::AcceleratedCube { merge_words } => Some(merge_words),
            Self::Beam | Self::Grid | Self::States => None,
        }
    }
}

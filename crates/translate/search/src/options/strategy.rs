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
    Cube,
    /// Accelerated cube pruning (§3.4.2, "ACP"): they share the score and the state for good.
    AcceleratedCube,
}

impl Choice for Strategy {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Beam, "beam", "all continuations; constraints by dynamic beam allocation"),
        Named::new(Self::Grid, "grid", "a whole beam for each number of constraints met").or(&["gbs"]),
        Named::new(Self::States, "states", "a whole beam for each set of constraints met, for a few constraints")
            .or(&["cbs"]),
        Named::new(Self::Cube, "cube", "hypotheses with the same last words share scores until one is chosen")
            .or(&["ncp"]),
        Named::new(Self::AcceleratedCube, "fast-cube", "hypotheses with the same last words share scores and state")
            .or(&["acp"]),
    ];
}

impl Strategy {
    /// Whether each bank of terms has a beam of its own, which does not grow or shrink.
    #[must_use]
    pub fn has_whole_banks(self) -> bool {
        matches!(self, Self::Grid | Self::States)
    }

    /// Whether hypotheses with the same last word share a row of a step.
    #[must_use]
    pub fn merges(self) -> bool {
        matches!(self, Self::Cube | Self::AcceleratedCube)
    }
}

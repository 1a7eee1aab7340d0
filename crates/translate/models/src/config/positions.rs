//! How a Transformer knows where words stand, with the checks of the settings.

use serde::{Deserialize, Serialize};

/// How the network knows the position t of a word, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Positions {
    /// sin(t · ω_k) for k < d/2, then cos(t · ω_k), with ω_k = 10000^(−k / (d/2 − 1)): Marian.
    SinusoidalMarian,
    /// The sinusoids of Marian at t + offset: 1 in OpenNMT.
    SinusoidalShifted {
        /// At least 1.
        offset: usize,
    },
    /// The same with ω_k = 10000^(−2k / d): Hugging Face.
    SinusoidalHuggingFace,
    /// A table, `Wpos` (`positions × dim_emb`); its last row serves all later positions.
    Trained,
    /// A table for each side, `encoder_Wpos` and `decoder_Wpos`: mBART.
    TrainedBySide,
    /// Self-attention has learned vectors for the distance between two words (Shaw et al. 2018), `_relative_keys` and
    /// `_relative_values` (`2 distance + 1 × dim_emb / heads`), shared by the heads of a layer.
    Relative {
        /// The largest distance with an embedding of its own.
        distance: usize,
    },
    /// Self-attention adds a learned number to the product of a query and a key, for each head and each bucket of
    /// distances between two words, the same in all layers of a side: `encoder_relative_bias` and
    /// `decoder_relative_bias` (`buckets × heads`). Half of the buckets are for single distances, and the others for
    /// ranges that grow exponentially up to the largest distance (Raffel et al. 2020).
    Buckets {
        /// In the encoder, half of them are for the words before a word and half for those after it.
        buckets: usize,
        /// From this distance on all words are in the last bucket.
        distance: usize,
    },
    /// The network does not know positions.
    None,
}

/// A setting that is refused.
pub(super) struct PositionsProblem {
    pub(super) setting: &'static str,
    pub(super) sentence: String,
}

impl Positions {
    /// Numbers that are to be at least 1 and not too large: the setting, what it is, and the number.
    pub(super) fn numbers(self) -> Vec<(&'static str, &'static str, usize)> {
        match self {
            Self::Relative { distance } => {
                vec![("positions.relative.distance", "distance of relative positions", distance)]
            }
            Self::Buckets { buckets, distance } => vec![
                ("positions.buckets.buckets", "number of buckets", buckets),
                ("positions.buckets.distance", "distance of the last bucket", distance),
            ],
            Self::SinusoidalShifted { offset } => {
                vec![("positions.sinusoidal-shifted.offset", "offset of positions", offset)]
            }
            _ => Vec::new(),
        }
    }

    /// Whether keys are normalised whatever the settings say: Marian, which has raw keys, has no relative positions.
    pub(crate) fn has_normalised_keys(self) -> bool {
        matches!(self, Self::Relative { .. })
    }

    /// Why numbers do not go together.
    pub(super) fn problem(self) -> Option<PositionsProblem> {
        let Self::Buckets { buckets, distance } = self else { return None };
        (!buckets.is_multiple_of(4) || distance <= buckets / 2).then(|| PositionsProblem {
            setting: "positions.buckets",
            sentence: format!(
                "{buckets} buckets for distances up to {distance}, expected a multiple of 4, and a distance above its half"
            ),
        })
    }
}

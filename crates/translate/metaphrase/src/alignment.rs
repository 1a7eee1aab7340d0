//! Word alignments from attention.

use metaphrase_base::UnknownName;
use std::str::FromStr;

/// How attention becomes a word alignment. Positions count sub-word pieces from 0 and include the end of sentence on
/// both sides, as in Marian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlignmentKind {
    /// Each target word with the source word that has the largest weight; of equal weights the first.
    Hard,
    /// All weights. The pairs are the same as for `Hard`.
    Soft,
    /// All pairs whose weight is above the threshold, in (0, 1).
    Threshold(f32),
}

/// Reads `hard`, `soft` or a threshold, as Marian does.
impl FromStr for AlignmentKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "hard" => Ok(Self::Hard),
            "soft" => Ok(Self::Soft),
            _ => match text.parse() {
                Ok(threshold) if 0.0 < threshold && threshold < 1.0 => Ok(Self::Threshold(threshold)),
                _ => Err(UnknownName::expected("hard, soft, or a threshold above 0 and below 1")),
            },
        }
    }
}

/// Attention of a translation over its source: one row of source weights for each target word.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// Source length, end of sentence included.
    pub source_len: usize,
    /// target × source, row-major; each row sums to one.
    pub weights: Vec<f32>,
}

impl Attention {
    /// Pairs `(source, target)`, in rising order.
    #[must_use]
    pub fn pairs(&self, kind: AlignmentKind) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (target, weights) in self.weights.chunks_exact(self.source_len).enumerate() {
            match kind {
                AlignmentKind::Hard | AlignmentKind::Soft => {
                    let best = |best: usize, source: usize| if weights[source] > weights[best] { source } else { best };
                    pairs.push(((0..weights.len()).fold(0, best), target));
                }
                AlignmentKind::Threshold(threshold) => {
                    pairs.extend((0..weights.len()).filter(|&s| weights[s] > threshold).map(|s| (s, target)));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_thresholds_are_refused() {
        for wrong in ["", "firm", "0", "1", "-0.5", "nan"] {
            assert!(wrong.parse::<AlignmentKind>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn pairs_are_sorted_by_source() {
        let attention = Attention { source_len: 3, weights: vec![0.1, 0.6, 0.3, 0.7, 0.2, 0.1, 0.4, 0.2, 0.4] };
        assert_eq!(attention.pairs(AlignmentKind::Hard), [(0, 1), (0, 2), (1, 0)], "ties go to the first");
        let above = [(0, 1), (0, 2), (1, 0), (2, 0), (2, 2)];
        assert_eq!(attention.pairs(AlignmentKind::Threshold(0.25)), above);
    }
}

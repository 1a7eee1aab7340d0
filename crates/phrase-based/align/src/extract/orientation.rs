//! Orientation of a phrase pair towards its neighbours on the target side (Koehn et al. 2005).

/// Where the neighbouring phrase on the target side comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orientation {
    /// From the same side of the source phrase.
    Monotone,
    /// From the other side.
    Swap,
    /// From somewhere else.
    Discontinuous,
}

/// The orientations to the previous target phrase and to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orientations {
    pub previous: Orientation,
    pub next: Orientation,
}

/// Three orientations of the previous phrase, then three of the next one.
pub(crate) const KINDS: usize = 6;

impl Orientation {
    /// From the links at the corner where a monotone neighbour would be and at that of a swapped one.
    pub fn from_corners(monotone: bool, swap: bool) -> Self {
        match (monotone, swap) {
            (true, false) => Self::Monotone,
            (false, true) => Self::Swap,
            _ => Self::Discontinuous,
        }
    }
}

impl Orientations {
    /// 1 for each of the two orientations, 0 for the others, in the order of [`KINDS`].
    pub fn counts(self) -> [u32; KINDS] {
        let mut counts = [0; KINDS];
        counts[self.previous as usize] = 1;
        counts[KINDS / 2 + self.next as usize] = 1;
        counts
    }
}

/// Probabilities of each orientation from counts, with half an observation of each beforehand: Moses' `0.5`.
pub(crate) fn probabilities(counts: [u32; KINDS]) -> [f64; KINDS] {
    const PRIOR: f64 = 0.5;
    let mut probabilities = counts.map(|count| f64::from(count) + PRIOR);
    for side in probabilities.chunks_exact_mut(KINDS / 2) {
        let total: f64 = side.iter().sum();
        side.iter_mut().for_each(|p| *p /= total);
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_observation_of_each() {
        // (3 + 0.5) / 4.5, 0.5 / 4.5; nothing seen: a third each.
        let p = probabilities([3, 0, 0, 0, 0, 0]);
        let expected = [3.5 / 4.5, 0.5 / 4.5, 0.5 / 4.5, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
        assert!(p.iter().zip(expected).all(|(p, expected)| (p - expected).abs() < 1e-12));
        let seen = Orientations { previous: Orientation::Swap, next: Orientation::Discontinuous };
        assert_eq!(seen.counts(), [0, 1, 0, 0, 0, 1]);
    }
}

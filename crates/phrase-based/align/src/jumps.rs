//! Probabilities of the jumps of the HMM (Vogel, Ney and Tillmann 1996): how far the position of a word is from that of
//! the word before it.

use crate::fixed::Sum;

/// Each bin's largest distance. Short jumps have a bin of their own; long ones share, as they are rare.
const EDGES: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 25, 40, 80, usize::MAX];
/// Bins of jumps: to the left, to the same position, to the right.
const BINS: usize = 2 * EDGES.len() - 1;
/// Index of the bin for no jump.
const NONE: usize = EDGES.len() - 1;
/// The prior count of jumps in each bin.
const PRIOR: f64 = 0.5;

/// The bin of a jump.
fn bin(jump: isize) -> usize {
    let distance = EDGES.partition_point(|&edge| edge < jump.unsigned_abs());
    if jump < 0 { NONE - distance } else { NONE + distance }
}

/// How many jumps share a bin; the last ones are not limited, so their width is that of those before.
fn width(bin: usize) -> usize {
    match bin.abs_diff(NONE) {
        0 => 1,
        last if last == NONE => EDGES[last - 1] - EDGES[last - 2],
        distance => EDGES[distance] - EDGES[distance - 1],
    }
}

/// Expected counts of jumps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JumpCounts([Sum; BINS]);

impl JumpCounts {
    pub fn new() -> Self {
        Self([Sum::default(); BINS])
    }

    pub fn add(&mut self, jump: isize, probability: f32) {
        self.0[bin(jump)].add(probability);
    }

    #[cfg(test)]
    pub fn count(&self, jump: isize) -> f64 {
        self.0[bin(jump)].get()
    }

    pub fn merge(&mut self, other: &Self) {
        for (sum, other) in self.0.iter_mut().zip(&other.0) {
            sum.merge(*other);
        }
    }
}

/// Weights of jumps, not normalised: a sentence normalises over the jumps that stay inside.
#[derive(Debug, Clone)]
pub(crate) struct Jumps([f32; BINS]);

impl Jumps {
    /// A step to the right is likeliest, a longer one e^-0.3 times as likely for each word more.
    pub fn new() -> Self {
        let mut weights = [0.0; BINS];
        for (bin, weight) in weights.iter_mut().enumerate() {
            let distance = EDGES[bin.abs_diff(NONE)].min(2 * EDGES[NONE - 1]) as f32;
            let from_step = if bin < NONE { distance + 1.0 } else { (distance - 1.0).abs() };
            *weight = (-0.3 * from_step).exp().max(1e-4);
        }
        Self(weights)
    }

    pub fn maximise(&mut self, counts: &JumpCounts) {
        let total: f64 = counts.0.iter().map(|sum| sum.get() + PRIOR).sum();
        for (bin, (weight, sum)) in self.0.iter_mut().zip(&counts.0).enumerate() {
            *weight = ((sum.get() + PRIOR) / (total * width(bin) as f64)) as f32;
        }
    }

    pub fn weight(&self, jump: isize) -> f32 {
        self.0[bin(jump)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_as_many_jumps_as_their_width() {
        let mut members = [0; BINS];
        for jump in -80..=80 {
            members[bin(jump)] += 1;
        }
        for (bin, members) in members.into_iter().enumerate().skip(1).take(BINS - 2) {
            assert_eq!(members, width(bin), "{bin}");
        }
        assert_eq!((bin(isize::MIN), bin(-81), bin(0), bin(81), bin(isize::MAX)), (0, 0, NONE, BINS - 1, BINS - 1));
    }

    #[test]
    fn frequent_jumps_get_weight() {
        let mut counts = JumpCounts::new();
        (0..1000).for_each(|_| counts.add(1, 1.0));
        counts.add(-12, 1.0);
        let mut jumps = Jumps::new();
        jumps.maximise(&counts);
        let total = 1001.0 + PRIOR * BINS as f64;
        assert!((f64::from(jumps.weight(1)) - 1000.5 / total).abs() < 1e-6);
        // -11, -12 and -13 share.
        assert!((f64::from(jumps.weight(-11)) - 1.5 / 3.0 / total).abs() < 1e-6);
    }
}

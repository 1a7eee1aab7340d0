//! The factors of n-gram posteriors.

/// Θ of Iglesias et al. 2018, equation 2: a number for each word, and a factor for the posterior of each order of
/// n-grams.
///
/// The defaults are those of [`Theta::linear_bleu`] with precision 0.6, ratio 0.7 and a length of 10.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theta {
    /// Θ0: each word counts this much, whether or not the evidence has it.
    pub word: f64,
    /// Θ1 to Θ4: factors of the posteriors of 1-grams to 4-grams.
    pub orders: [f64; crate::MAX_ORDER],
}

impl Default for Theta {
    fn default() -> Self {
        Self::linear_bleu(0.6, 0.7, 10.0)
    }
}

impl Theta {
    /// The linear approximation of the logarithm of BLEU (Tromble et al. 2008): the gain of a translation whose
    /// unigrams have this `precision`, that of each higher order being `ratio` times the one before, and of a corpus of
    /// `length` words: Θ0 = -1/T, Θn = 1 / (4 T p r^(n-1)).
    #[must_use]
    pub fn linear_bleu(precision: f64, ratio: f64, length: f64) -> Self {
        let factor = |n: i32| 1.0 / (4.0 * length * precision * ratio.powi(n - 1));
        Self { word: -1.0 / length, orders: [1, 2, 3, 4].map(factor) }
    }

    /// The factor of n-grams of an order; 0 for orders that are not counted.
    #[must_use]
    pub fn factor(&self, order: usize) -> f64 {
        order.checked_sub(1).and_then(|place| self.orders.get(place)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_are_those_of_the_paper() {
        let theta = Theta::linear_bleu(0.8, 0.5, 10.0);
        // 1 / (4 · 10 · 0.8) = 1/32, and twice as much for each order.
        assert_eq!((theta.word, theta.orders), (-0.1, [1.0 / 32.0, 1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0]));
    }
}

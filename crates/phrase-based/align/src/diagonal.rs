//! The diagonal prior of Dyer, Chahuneau and Smith (2013), equations 1-3: word `j` of `n` prefers the position `i` of
//! `m` with the smallest |i/m − j/n|.

use crate::fixed::Sum;

/// How strongly the diagonal is preferred before anything is known.
const FIRST_TENSION: f64 = 4.0;
/// Where the tension has to stay.
const TENSIONS: (f64, f64) = (0.1, 20.0);

/// The prior of one direction.
#[derive(Debug, Clone)]
pub(crate) struct Diagonal {
    tension: f64,
}

/// Mean distances from the diagonal, of one direction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Distances {
    /// Under the posterior of the links.
    found: Sum,
    /// Under the prior.
    expected: Sum,
}

impl Distances {
    pub fn add(&mut self, found: f32, expected: f32) {
        self.found.add(found);
        self.expected.add(expected);
    }

    pub fn merge(&mut self, other: Self) {
        self.found.merge(other.found);
        self.expected.merge(other.expected);
    }
}

impl Diagonal {
    pub fn new() -> Self {
        Self { tension: FIRST_TENSION }
    }

    /// The probabilities of the positions `prior`, for word `at` of `length`, and their distances from the diagonal.
    ///
    /// To the left and to the right of the diagonal the weights are geometric series, so two exponentials are enough.
    pub fn fill(&self, prior: &mut [f32], distances: &mut [f32], at: usize, length: usize) {
        let states = prior.len() as f32;
        let centre = (at + 1) as f32 / length as f32 * states;
        // Positions 1, …, `left` are not right of the diagonal.
        let left = (centre as usize).min(prior.len());
        let tension = self.tension as f32 / states;
        let ratio = (-tension).exp();
        let mut total = 0.0;
        let mut weight = (-tension * (centre - left as f32)).exp();
        for p in prior[..left].iter_mut().rev() {
            *p = weight;
            total += weight;
            weight *= ratio;
        }
        let mut weight = (-tension * (left as f32 + 1.0 - centre)).exp();
        for p in &mut prior[left..] {
            *p = weight;
            total += weight;
            weight *= ratio;
        }
        let scale = 1.0 / total;
        for (i, (p, distance)) in prior.iter_mut().zip(distances).enumerate() {
            *p *= scale;
            *distance = ((i + 1) as f32 - centre).abs() / states;
        }
    }

    /// A better tension. Where the mean distance under the prior is about inverse to the tension, as it is for long
    /// sentences, this step finds the maximum of the expected likelihood; elsewhere it goes in its direction.
    pub fn maximise(&mut self, distances: Distances) {
        let (found, expected) = (distances.found.get(), distances.expected.get());
        if found > 0.0 && expected > 0.0 {
            self.tension = (self.tension * expected / found).clamp(TENSIONS.0, TENSIONS.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_is_the_papers() {
        let prior = Diagonal { tension: 3.0 };
        for (states, length) in [(1, 1), (1, 5), (5, 1), (4, 8), (7, 3), (40, 41)] {
            for at in 0..length {
                let distance = |i: usize| ((i + 1) as f64 / states as f64 - (at + 1) as f64 / length as f64).abs();
                let weight = |i: usize| (-3.0 * distance(i)).exp();
                let total: f64 = (0..states).map(weight).sum();
                let (mut found, mut distances) = (vec![0.0; states], vec![0.0; states]);
                prior.fill(&mut found, &mut distances, at, length);
                for i in 0..states {
                    assert!(
                        (f64::from(found[i]) - weight(i) / total).abs() < 1e-5,
                        "{i} of {states}, {at} of {length}"
                    );
                    assert!((f64::from(distances[i]) - distance(i)).abs() < 1e-5);
                }
            }
        }
    }
}

//! Length: the limit T of a sentence, normalised scores, and the best score that an open hypothesis can still reach.

use crate::Options;

/// T: the most words of a hypothesis, end of sentence included (Algorithm 1, line 2). Marian's rule: the
/// first length that is not below `factor · source_len`; a forced prefix always fits with one word more.
pub(crate) fn limit(options: &Options, source_len: usize, prefix_len: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let limit = (options.max_length_factor * source_len as f32).ceil() as usize;
    limit.min(options.max_target_length).max(1).max(prefix_len + 1)
}

/// How hypotheses of different lengths are ranked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ranking {
    /// α
    normalize: f32,
    word_penalty: f32,
}

impl Ranking {
    /// The ranking for a sentence whose terms have this number of written words.
    pub(crate) fn new(options: &Options, written_words: usize) -> Self {
        #[expect(clippy::cast_precision_loss)]
        let words = written_words as f32;
        let constrained = || options.normalize_constrained.unwrap_or(options.normalize / (1.0 + words * words));
        let normalize = if written_words > 0 { constrained() } else { options.normalize };
        Self { normalize, word_penalty: options.word_penalty }
    }

    /// `(log_prob - word_penalty · length) / length^α`; `length` counts the end of sentence.
    pub(crate) fn score(self, log_prob: f32, length: usize) -> f32 {
        #[expect(clippy::cast_precision_loss)]
        let length = length as f32;
        (log_prob - self.word_penalty * length) / length.powf(self.normalize)
    }

    /// The best score that an open hypothesis of log-probability `log_prob` can end with, at a length from `from` to
    /// `to`. An upper bound: log-probabilities are at most 0, so the best continuation is free.
    ///
    /// With `L` the length, the score is at most `log_prob · L^-α - word_penalty · L^(1-α)`; each term is monotone
    /// in `L`, so its best is at one of the two ends.
    pub(crate) fn reachable(self, log_prob: f32, from: usize, to: usize) -> f32 {
        let at = |length: usize| {
            #[expect(clippy::cast_precision_loss)]
            let length = length as f32;
            let power = length.powf(self.normalize);
            (log_prob / power, -self.word_penalty * length / power)
        };
        let (near, far) = (at(from), at(to));
        // Rounding may lift the sum of two bounds by an ulp or so; a bound must not be below what is reachable.
        let bound = near.0.max(far.0) + near.1.max(far.1);
        bound + bound.abs() * 1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_marians() {
        let options = Options::default();
        assert_eq!(limit(&options, 5, 0), 15);
        assert_eq!(limit(&Options { max_length_factor: 1.3, ..options.clone() }, 5, 0), 7, "6.5, rounded up");
        assert_eq!(limit(&Options { max_length_factor: 0.1, ..options }, 5, 3), 4, "prefix and end of sentence");
    }

    #[test]
    fn what_is_reachable_bounds_every_length() {
        for normalize in [0.0, 0.6, 1.0, 1.5] {
            for word_penalty in [-0.3, 0.0, 0.2] {
                let ranking = Ranking { normalize, word_penalty };
                for log_prob in [-0.0, -0.1, -3.0, -40.0] {
                    let bound = ranking.reachable(log_prob, 3, 17);
                    for length in 3..=17 {
                        assert!(ranking.score(log_prob, length) <= bound, "{ranking:?} {log_prob} {length}");
                    }
                }
            }
        }
    }
}

//! Weights of log-linear models, learnt from n-best lists.
//!
//! A log-linear model scores a translation with `w · h`: weights times feature values. [`NBestLists`] holds, for each
//! sentence, the feature values of the translations found so far and their BLEU statistics; two methods find weights
//! with which the translations of the highest score have a high BLEU:
//!
//! - [`mert`]: minimum error rate training (Och 2003), exact line searches on corpus BLEU itself;
//! - [`mira`]: batch MIRA (Cherry and Foster 2012), large margins between good and bad translations.
//!
//! Translations with new weights are other translations, so that lists are made and weights found in turns:
//! [`optimize`].
//!
//! ```
//! use metaphrase_metrics::{Bleu, BleuOptions, Metric};
//! use metaphrase_tune::{MertOptions, NBestLists, mert};
//!
//! let bleu = Bleu::new(BleuOptions::default())?;
//! let mut lists = NBestLists::new(1, 2, bleu.stats_len());
//! for (features, translation) in [([-1.0, -3.0], "it rains cats"), ([-2.0, -1.0], "it is raining hard")] {
//!     let mut statistics = vec![0.0; bleu.stats_len()];
//!     bleu.sentence_stats(translation, &["it is raining hard"], &mut statistics);
//!     lists.add(0, &features, &statistics)?;
//! }
//! let tuned = mert(&lists, &bleu, &[1.0, 0.0], &MertOptions::default())?;
//! assert_eq!(format!("{:.1}", tuned.score), "100.0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod axes;
mod envelope;
mod error;
mod line_search;
mod lists;
mod mert;
mod mira;
mod rounds;
#[cfg(test)]
mod test_lists;

pub use error::Error;
pub use line_search::{LineOptimum, line_search};
pub use lists::NBestLists;
pub use mert::{MertOptions, mert};
pub use mira::{MiraOptions, mira};
pub use rounds::{Method, MethodName, Round, optimize};

/// Weights and their score.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedWeights {
    /// One for each feature.
    pub weights: Vec<f64>,
    /// The metric's score, 0 to 100 with BLEU, of the translations that these weights choose.
    pub score: f64,
}

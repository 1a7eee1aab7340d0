//! The scale of the posteriors, the weight of the evidence and Θ, tuned on development text.
//!
//! Four numbers are tuned one after the other, each over a list of values, until no change of one number raises BLEU.
//! So some fifty points of the grid are tried, not all two thousand.

use super::table1::translate;
use crate::setup::{Text, bleu, round};
use anyhow::{Context, Result};
use metaphrase::{Evidence, EvidenceOptions, Theta, Translator};
use metaphrase_metrics::BleuOptions;
use serde::Serialize;
use std::sync::Arc;

/// The most times that each number is looked at.
const ROUNDS: usize = 3;

/// A point of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Setting {
    /// α, the scale of the scores of the phrase-based system.
    pub scale: f64,
    /// The weight of the evidence, `1 / (n λ)`.
    pub weight: f64,
    /// Precision and ratio of Θ for a length of 10 (Tromble et al. 2008).
    pub precision: f64,
    pub ratio: f64,
}

impl Default for Setting {
    /// The defaults of the program.
    fn default() -> Self {
        Self { scale: 1.0, weight: 2.0, precision: 0.6, ratio: 0.7 }
    }
}

const SCALES: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0];
const WEIGHTS: &[f64] = &[0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
const PRECISIONS: &[f64] = &[0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8];
const RATIOS: &[f64] = &[0.3, 0.4, 0.5, 0.6, 0.7, 0.9];

impl Setting {
    pub fn options(self) -> EvidenceOptions {
        let theta = Theta::linear_bleu(self.precision, self.ratio, 10.0);
        EvidenceOptions { theta, weight: self.weight, scale: self.scale, ..EvidenceOptions::default() }
    }

    /// This setting with other values of one of its numbers.
    fn neighbours(self, number: usize) -> Vec<Self> {
        let (values, change): (&[f64], fn(&mut Self, f64)) = match number {
            0 => (WEIGHTS, |setting, value| setting.weight = value),
            1 => (PRECISIONS, |setting, value| setting.precision = value),
            2 => (RATIOS, |setting, value| setting.ratio = value),
            _ => (SCALES, |setting, value| setting.scale = value),
        };
        let with = |&value: &f64| {
            let mut setting = self;
            change(&mut setting, value);
            setting
        };
        values.iter().map(with).collect()
    }
}

/// The result of tuning.
#[derive(Serialize)]
pub struct TuningResult {
    /// BLEU of the development text without evidence.
    dev_bleu_alone: f64,
    dev_bleu: f64,
    pub best: Setting,
    tried: Vec<Trial>,
}

#[derive(Serialize)]
struct Trial {
    #[serde(flatten)]
    setting: Setting,
    bleu: f64,
}

/// Finds the setting with the highest BLEU.
pub fn tune(translator: &Translator, text: &Text, lattices: &[Arc<Evidence>]) -> Result<TuningResult> {
    let score = |lines: &[String]| bleu(BleuOptions::default(), lines.iter().map(String::as_str), &text.reference);
    let alone = score(&translate(translator, None, text, lattices)?)?;
    let mut by_scale = EvidenceCache { translator, lattices, counted: Vec::new() };
    let (best, tried) = ascend(|setting| {
        let posteriors = by_scale.evidence(setting)?;
        score(&translate(translator, Some(setting.options()), text, &posteriors)?)
    })?;
    let dev_bleu = tried.iter().map(|tried| tried.bleu).fold(f64::NEG_INFINITY, f64::max);
    Ok(TuningResult { dev_bleu_alone: round(alone, 2), dev_bleu, best, tried })
}

/// Changes one number after the other while that helps.
fn ascend(mut score: impl FnMut(Setting) -> Result<f64>) -> Result<(Setting, Vec<Trial>)> {
    let mut best = (Setting::default(), score(Setting::default())?);
    let mut tried = vec![Trial { setting: best.0, bleu: round(best.1, 2) }];
    for _ in 0..ROUNDS {
        let before = best.0;
        for number in 0..4 {
            for setting in best.0.neighbours(number) {
                if tried.iter().any(|tried| tried.setting == setting) {
                    continue;
                }
                let bleu = score(setting)?;
                tried.push(Trial { setting, bleu: round(bleu, 2) });
                if bleu > best.1 {
                    best = (setting, bleu);
                }
            }
        }
        if best.0 == before {
            break;
        }
    }
    Ok((best.0, tried))
}

/// Posteriors are counted once for each scale.
struct EvidenceCache<'a> {
    translator: &'a Translator,
    lattices: &'a [Arc<Evidence>],
    counted: Vec<(f64, Vec<Arc<Evidence>>)>,
}

impl EvidenceCache<'_> {
    fn evidence(&mut self, setting: Setting) -> Result<Vec<Arc<Evidence>>> {
        if let Some((_, found)) = self.counted.iter().find(|(scale, _)| *scale == setting.scale) {
            return Ok(found.clone());
        }
        let counter = self.translator.evidence_counter().context("the model is not a neural one")?;
        let options = setting.options();
        // A line without words has no translations.
        let count = |lattice: &Arc<Evidence>| counter.posteriors(lattice, &options).unwrap_or_default();
        let found: Vec<_> =
            self.lattices.iter().map(|lattice| Arc::new(Evidence::Posteriors(count(lattice)))).collect();
        self.counted.push((setting.scale, found.clone()));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_point_is_found_one_number_after_the_other() {
        let goal = Setting { scale: 0.5, weight: 4.0, precision: 0.3, ratio: 0.4 };
        let far = |a: f64, b: f64| (a / b).ln().abs();
        let score = |setting: Setting| {
            let Setting { scale, weight, precision, ratio } = setting;
            let distances =
                [(scale, goal.scale), (weight, goal.weight), (precision, goal.precision), (ratio, goal.ratio)];
            Ok(50.0 - distances.into_iter().map(|(a, b)| far(a, b)).sum::<f64>())
        };
        let (best, tried) = ascend(score).expect("a best one");
        assert_eq!(best, goal);
        assert!(tried.len() < 70, "{}", tried.len());
        assert!(tried.iter().enumerate().all(|(n, a)| tried[n + 1..].iter().all(|b| a.setting != b.setting)));
    }
}

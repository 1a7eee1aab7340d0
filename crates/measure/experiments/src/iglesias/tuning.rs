//! The scale of the posteriors, the weight of the evidence and Θ, tuned on development text.
//!
//! Four numbers are tuned one after the other, each over a list of values, until no change of one number raises BLEU.
//! So some fifty points of the grid are tried, not all two thousand.

use crate::setup::{Text, bleu, round};
use anyhow::{Context, Result};
use metaphrase::{Evidence, EvidenceOptions, Request, Theta, TranslateOptions, Translator};
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

/// A number of a setting.
struct Number {
    /// The values that are always tried, in order.
    values: &'static [f64],
    /// No larger value means anything.
    largest: f64,
    of: fn(&mut Setting) -> &mut f64,
}

const NUMBERS: [Number; 4] = [
    Number { values: &[0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0], largest: f64::INFINITY, of: |s| &mut s.weight },
    Number { values: &[0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8], largest: 1.0, of: |s| &mut s.precision },
    Number { values: &[0.3, 0.4, 0.5, 0.6, 0.7, 0.9], largest: 1.0, of: |s| &mut s.ratio },
    Number { values: &[0.25, 0.5, 1.0, 2.0, 4.0], largest: f64::INFINITY, of: |s| &mut s.scale },
];

impl Number {
    /// A setting with another value of the number.
    fn with(&self, mut setting: Setting, value: f64) -> Setting {
        *(self.of)(&mut setting) = value;
        setting
    }

    /// The next value outside of the list, if the value of the best setting is at its edge or outside already.
    fn outside(&self, mut best: Setting) -> Option<f64> {
        let (value, &[low, .., high]) = (*(self.of)(&mut best), self.values) else { return None };
        if value >= high && value < self.largest {
            return Some((2.0 * value).min(self.largest));
        }
        (value <= low).then_some(value / 2.0)
    }
}

impl Setting {
    pub fn options(self) -> EvidenceOptions {
        let theta = Theta::linear_bleu(self.precision, self.ratio, 10.0);
        EvidenceOptions { theta, weight: self.weight, scale: self.scale, ..EvidenceOptions::default() }
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
pub fn tune(
    translator: &Translator,
    text: &Text,
    lattices: &[Arc<Evidence>],
    bleu_options: BleuOptions,
) -> Result<TuningResult> {
    let score = |lines: &[String]| bleu(bleu_options, lines.iter().map(String::as_str), &text.reference);
    let alone = score(&translate(translator, None, text, lattices)?)?;
    let mut by_scale = EvidenceCache { translator, lattices, counted: Vec::new() };
    let (best, tried) = ascend(|setting| {
        let posteriors = by_scale.evidence(setting)?;
        score(&translate(translator, Some(setting.options()), text, &posteriors)?)
    })?;
    let dev_bleu = tried.iter().map(|tried| tried.bleu).fold(f64::NEG_INFINITY, f64::max);
    Ok(TuningResult { dev_bleu_alone: round(alone, 2), dev_bleu, best, tried })
}

/// Translates a text, its lines with evidence if there is some.
pub fn translate(
    translator: &Translator,
    evidence: Option<EvidenceOptions>,
    text: &Text,
    line_evidence: &[Arc<Evidence>],
) -> Result<Vec<String>> {
    let mut options = TranslateOptions { search: translator.options().search, ..TranslateOptions::default() };
    let given = evidence.is_some();
    options.evidence = evidence.unwrap_or_default();
    let own = options.evidence.own.is_some();
    let request = |(line, evidence): (&String, &Arc<Evidence>)| {
        let evidence = (given && !own).then(|| Arc::clone(evidence));
        Request { evidence, ..Request::translate(line) }
    };
    let requests = text.source.iter().zip(line_evidence).map(request).collect();
    Ok(translator.run(&options, requests)?.iter().map(|translation| translation.text().to_owned()).collect())
}

/// The settings that were tried, and the best of them.
struct Ascent<F> {
    score: F,
    best: (Setting, f64),
    tried: Vec<Trial>,
}

impl<F: FnMut(Setting) -> Result<f64>> Ascent<F> {
    fn try_setting(&mut self, setting: Setting) -> Result<()> {
        if self.tried.iter().any(|tried| tried.setting == setting) {
            return Ok(());
        }
        let bleu = (self.score)(setting)?;
        self.tried.push(Trial { setting, bleu: round(bleu, 2) });
        if bleu > self.best.1 {
            self.best = (setting, bleu);
        }
        Ok(())
    }

    /// Tries all values of a number, and others outside of the list until the best one is not the outermost.
    fn climb(&mut self, number: &Number) -> Result<()> {
        for &value in number.values {
            self.try_setting(number.with(self.best.0, value))?;
        }
        while let Some(value) = number.outside(self.best.0) {
            let before = self.best.0;
            self.try_setting(number.with(before, value))?;
            if self.best.0 == before {
                break;
            }
        }
        Ok(())
    }
}

/// Changes one number after the other while that helps.
fn ascend(score: impl FnMut(Setting) -> Result<f64>) -> Result<(Setting, Vec<Trial>)> {
    let mut ascent = Ascent { score, best: (Setting::default(), f64::NEG_INFINITY), tried: Vec::new() };
    ascent.try_setting(Setting::default())?;
    for _ in 0..ROUNDS {
        let before = ascent.best.0;
        for number in &NUMBERS {
            ascent.climb(number)?;
        }
        if ascent.best.0 == before {
            break;
        }
    }
    Ok((ascent.best.0, ascent.tried))
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

    /// A score that falls with the distance from a setting.
    fn near(goal: Setting) -> impl FnMut(Setting) -> Result<f64> {
        let far = |a: f64, b: f64| (a / b).ln().abs();
        move |Setting { scale, weight, precision, ratio }| {
            let distances =
                [(scale, goal.scale), (weight, goal.weight), (precision, goal.precision), (ratio, goal.ratio)];
            Ok(50.0 - distances.into_iter().map(|(a, b)| far(a, b)).sum::<f64>())
        }
    }

    #[test]
    fn the_best_point_is_found_one_number_after_the_other() {
        let goal = Setting { scale: 0.5, weight: 4.0, precision: 0.3, ratio: 0.4 };
        let (best, tried) = ascend(near(goal)).expect("a best one");
        assert_eq!(best, goal);
        assert!(tried.len() < 70, "{}", tried.len());
        assert!(tried.iter().enumerate().all(|(n, a)| tried[n + 1..].iter().all(|b| a.setting != b.setting)));
    }
    #[test]
    fn the_best_point_is_not_at_the_edge_of_the_lists() {
        let goal = Setting { scale: 16.0, weight: 32.0, precision: 0.05, ratio: 1.0 };
        let (best, tried) = ascend(near(goal)).expect("a best one");
        assert_eq!(best, goal);
        let most = tried.iter().map(|tried| tried.setting.weight).fold(0.0, f64::max);
        assert_eq!(most, 64.0, "one value beyond the best");
    }
}

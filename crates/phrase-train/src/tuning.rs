//! Weights of a model, from its own translations of a development set.

use crate::dev::DevSet;
use crate::error::Error;
use crate::weights::Tunable;
use metaphrase_metrics::{Bleu, BleuOptions, Metric, Precision, Tokenizer};
use metaphrase_phrase::{Decoder, PhraseModel, SearchOptions, Workspace, for_each_sentence};
use metaphrase_tune::{Method, MiraOptions, NBestLists, Round, Tuned, optimize};
use std::num::NonZeroUsize;

/// How to tune.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneOptions {
    /// How weights are found.
    pub method: Method,
    /// How often the development set is translated, at most.
    pub rounds: usize,
    /// Translations of a sentence that a round adds, at most; all have different words.
    pub n_best: usize,
    /// How translations are searched.
    pub search: SearchOptions,
    /// Threads; the result does not depend on their number.
    pub threads: NonZeroUsize,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self {
            method: Method::Mira(MiraOptions::default()),
            rounds: 15,
            n_best: 100,
            search: SearchOptions::default(),
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Gives the model the weights that make its translations of the development set best, and tells their BLEU; `show` is
/// told of each round.
///
/// # Errors
/// Search options that can not be.
pub fn tune(
    model: &mut PhraseModel,
    dev: &DevSet,
    options: &TuneOptions,
    show: &mut dyn FnMut(&Round),
) -> Result<Tuned, Error> {
    let bleu = Bleu::new(BleuOptions { tokenizer: Tokenizer::None, ..BleuOptions::default() })?;
    let tunable = Tunable::of(model);
    let start: Vec<f64> = tunable.numbers(&model.weights).into_iter().map(f64::from).collect();
    let mut lists = NBestLists::new(dev.len(), tunable.count(), bleu.stats_len());
    let mut workspaces: Vec<Workspace> =
        std::iter::repeat_with(Workspace::default).take(options.threads.get()).collect();
    let translate = |weights: &[f64], lists: &mut NBestLists| -> Result<f64, Error> {
        tunable.set(&mut model.weights, weights);
        let search = SearchOptions { keep_recombined: true, ..options.search.clone() };
        let job = Job { decoder: Decoder::new(model, search)?, tunable, dev, bleu: &bleu, n_best: options.n_best };
        job.translate(&mut workspaces, lists)
    };
    let tuned = optimize(&mut lists, &bleu, &start, &options.method, options.rounds, translate, show)?;
    tunable.set(&mut model.weights, &tuned.weights);
    Ok(tuned)
}

/// A translation as numbers.
struct Entry {
    features: Vec<f32>,
    statistics: Vec<f64>,
}

/// Translating the development set with some weights.
struct Job<'a> {
    decoder: Decoder<'a>,
    tunable: Tunable,
    dev: &'a DevSet,
    bleu: &'a Bleu,
    n_best: usize,
}

impl Job<'_> {
    /// Adds the best translations to the lists; BLEU of the very best ones.
    fn translate(&self, workspaces: &mut [Workspace], lists: &mut NBestLists) -> Result<f64, Error> {
        let work = |sentence, workspace: &mut Workspace| self.sentence(sentence, workspace);
        let translations = for_each_sentence(self.dev.len(), workspaces, work);
        let mut sums = vec![0.0; self.bleu.stats_len()];
        for (sentence, entries) in translations.into_iter().enumerate() {
            for entry in &entries {
                lists.add(sentence, &entry.features, &entry.statistics)?;
            }
            if let Some(best) = entries.first() {
                sums.iter_mut().zip(&best.statistics).for_each(|(sum, value)| *sum += value);
            }
        }
        Ok(self.bleu.value(&sums, Precision::Double))
    }

    fn sentence(&self, sentence: usize, workspace: &mut Workspace) -> Vec<Entry> {
        let (source, references) = (self.dev.source(sentence), self.dev.references(sentence));
        let (translations, _) = self.decoder.n_best(&source, self.n_best, true, workspace);
        let model = self.decoder.model();
        let entry = |phrases: &[metaphrase_phrase::Phrase]| {
            let mut statistics = vec![0.0; self.bleu.stats_len()];
            self.bleu.sentence_stats(&model.words(&source, phrases).join(" "), &references, &mut statistics);
            Entry { features: self.tunable.numbers(&model.features(&source, phrases)), statistics }
        };
        translations.iter().map(|translation| entry(&translation.phrases)).collect()
    }
}

//! Tunes the weights of a model on its own translations of a development set.

use crate::dev::DevSet;
use crate::error::Error;
use crate::weights::Tunable;
use metaphrase_base::pipeline::{Limit, in_order};
use metaphrase_metrics::{Arithmetic, Bleu, BleuOptions, Metric, Tokenizer};
use metaphrase_phrase::{Decoder, Duplicates, PhraseModel, SearchOptions, Workspace};
use metaphrase_tune::{Method, MiraOptions, NBestLists, Round, TunedWeights, optimize};
use std::num::NonZeroUsize;

/// Options of tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneOptions {
    /// The method that finds weights.
    pub method: Method,
    /// Translations of the whole development set, at most.
    pub rounds: usize,
    /// Translations of a sentence that a round adds, at most; no two have the same words.
    pub n_best: usize,
    /// Options of the search.
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

/// Gives the model the weights with which its translations of the development set have the highest BLEU, and returns
/// that BLEU. `show` is called after each round.
///
/// # Errors
/// [`Error::Phrase`] for search options that the search refuses.
pub fn tune(
    model: &mut PhraseModel,
    dev: &DevSet,
    options: &TuneOptions,
    show: &mut dyn FnMut(&Round),
) -> Result<TunedWeights, Error> {
    let bleu = bleu_of_words()?;
    let tunable = Tunable::new(model);
    let start: Vec<f64> = tunable.numbers(&model.weights).into_iter().map(f64::from).collect();
    let mut lists = NBestLists::new(dev.len(), tunable.count(), bleu.stats_len());
    let translate = |weights: &[f64], lists: &mut NBestLists| -> Result<f64, Error> {
        tunable.set(&mut model.weights, weights);
        let search = SearchOptions { keep_recombined: true, ..options.search.clone() };
        let job = Job { decoder: Decoder::new(model, search)?, tunable, dev, bleu: &bleu, n_best: options.n_best };
        job.translate(options.threads, lists)
    };
    let tuned = optimize(&mut lists, &bleu, &start, &options.method, options.rounds, translate, show)?;
    tunable.set(&mut model.weights, &tuned.weights);
    Ok(tuned)
}

/// BLEU of a model's best translations of a text, on words as they stand in the text.
///
/// # Errors
/// [`Error::Phrase`] for search options that the search refuses.
pub fn evaluate(
    model: &PhraseModel,
    text: &DevSet,
    search: &SearchOptions,
    threads: NonZeroUsize,
) -> Result<f64, Error> {
    let bleu = bleu_of_words()?;
    let decoder = Decoder::new(model, search.clone())?;
    let mut sums = vec![0.0; bleu.stats_len()];
    let work = |workspace: &mut Workspace, sentence| {
        let source = text.source(sentence);
        let (translation, _) = decoder.translate(&source, workspace);
        let mut statistics = vec![0.0; bleu.stats_len()];
        let words = model.words(&source, &translation.phrases).join(" ");
        bleu.sentence_stats(&words, &text.references(sentence), &mut statistics);
        statistics
    };
    let add = |statistics: Vec<f64>| -> Result<(), Error> {
        sums.iter_mut().zip(&statistics).for_each(|(sum, value)| *sum += value);
        Ok(())
    };
    in_order(Limit::items(text.len()), |_| 0, threads, Workspace::default, 0..text.len(), work, add)?;
    Ok(bleu.value(&sums, Arithmetic::Double))
}

fn bleu_of_words() -> Result<Bleu, Error> {
    Ok(Bleu::new(BleuOptions { tokenizer: Tokenizer::None, ..BleuOptions::default() })?)
}

/// A translation: its features, and its statistics for BLEU.
struct Entry {
    features: Vec<f32>,
    statistics: Vec<f64>,
}

/// A translation of the development set with one set of weights.
struct Job<'a> {
    decoder: Decoder<'a>,
    tunable: Tunable,
    dev: &'a DevSet,
    bleu: &'a Bleu,
    n_best: usize,
}

impl Job<'_> {
    /// Adds the best translations of each sentence to the lists. Returns BLEU of the best translation of each.
    fn translate(&self, threads: NonZeroUsize, lists: &mut NBestLists) -> Result<f64, Error> {
        let mut sums = vec![0.0; self.bleu.stats_len()];
        let work = |workspace: &mut Workspace, sentence| (sentence, self.sentence(sentence, workspace));
        let add = |(sentence, entries): (usize, Vec<Entry>)| -> Result<(), Error> {
            for entry in &entries {
                lists.add(sentence, &entry.features, &entry.statistics)?;
            }
            if let Some(best) = entries.first() {
                sums.iter_mut().zip(&best.statistics).for_each(|(sum, value)| *sum += value);
            }
            Ok(())
        };
        in_order(Limit::items(self.dev.len()), |_| 0, threads, Workspace::default, 0..self.dev.len(), work, add)?;
        Ok(self.bleu.value(&sums, Arithmetic::Double))
    }

    fn sentence(&self, sentence: usize, workspace: &mut Workspace) -> Vec<Entry> {
        let (source, references) = (self.dev.source(sentence), self.dev.references(sentence));
        let (translations, _) = self.decoder.n_best(&source, self.n_best, Duplicates::Drop, workspace);
        let model = self.decoder.model();
        let entry = |phrases: &[metaphrase_phrase::Phrase]| {
            let mut statistics = vec![0.0; self.bleu.stats_len()];
            self.bleu.sentence_stats(&model.words(&source, phrases).join(" "), &references, &mut statistics);
            Entry { features: self.tunable.numbers(&model.features(&source, phrases)), statistics }
        };
        translations.iter().map(|translation| entry(&translation.phrases)).collect()
    }
}

//! How well a model does on the development set: cross-entropy, and BLEU of its translation by our own search.

use crate::recipe::Validation;
use metaphrase_base::{StepModel as _, WordId};
use metaphrase_metrics::{Bleu, BleuOptions, Metric as _, References};
use metaphrase_models::Model;
use metaphrase_search::{CheckedOptions, Options, Searcher, Task};
use metaphrase_text::vocab::Vocabulary;
use std::sync::Mutex;

/// The development set, as text.
pub(crate) struct Dev {
    pub(crate) source: Vec<String>,
    pub(crate) target: Vec<String>,
}

/// Source words that share a step of the search.
const BATCH_TOKENS: usize = 512;

/// Translates all lines, by several threads.
pub(crate) fn translate(
    model: &Model,
    lines: &[String],
    (source, target): (&Vocabulary, &Vocabulary),
    settings: &Validation,
    threads: usize,
) -> Vec<String> {
    let excluded: Vec<WordId> = target.unk().into_iter().chain(target.special_words()).collect();
    let options = Options {
        beam_size: settings.beam_size,
        normalize: settings.normalize,
        excluded: excluded.into_iter().filter(|&word| word != model.facts().end_of_sentence).collect(),
        ..Options::default()
    };
    // The recipe's numbers have been checked, and the excluded words are the vocabulary's.
    let Ok(options) = options.check(model) else { return vec![String::new(); lines.len()] };
    let mut sentences: Vec<(usize, Vec<WordId>)> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let mut words = Vec::new();
        source.encode(line, &mut words);
        if words.len() > 1 {
            sentences.push((i, words));
        }
    }
    // The shortest at the end, where the queue is popped.
    sentences.sort_by_key(|(_, words)| words.len());
    let (queue, translations) = (Mutex::new(sentences), Mutex::new(vec![String::new(); lines.len()]));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| search(model, target, &options, &queue, &translations));
        }
    });
    translations.into_inner().unwrap_or_default()
}

fn search(
    model: &Model,
    target: &Vocabulary,
    options: &CheckedOptions,
    queue: &Mutex<Vec<(usize, Vec<WordId>)>>,
    translations: &Mutex<Vec<String>>,
) {
    let next = || {
        let (line, words) = queue.lock().ok()?.pop()?;
        Some(Task::new(line, words, options))
    };
    Searcher::new(model, BATCH_TOKENS).run(next, |outcome| {
        if let (Some(best), Ok(mut all)) = (outcome.hypotheses.first(), translations.lock()) {
            all[outcome.tag] = target.decode(&best.words);
        }
    });
}

/// BLEU with sacreBLEU's defaults.
pub(crate) fn bleu(hypotheses: &[String], references: &[String]) -> f64 {
    let score = || {
        let references = [references];
        let references = References::new(&references)?;
        Ok::<_, metaphrase_metrics::Error>(
            Bleu::new(BleuOptions::default())?.corpus_score(hypotheses, &references)?.value,
        )
    };
    score().unwrap_or(0.0)
}

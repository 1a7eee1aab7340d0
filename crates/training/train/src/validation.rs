//! How well a model does on the development set: cross-entropy, and BLEU of its translation by our own search.

use crate::data::CorpusFiles;
use crate::observer::Observer;
use crate::recipe::Validation;
use crate::text_lines::lines;
use metaphrase_base::pipeline::{Limit, Queue, Ticket, WorkerPanicked, batch, in_batches};
use metaphrase_base::{StepModel as _, WordId, checksum};
use metaphrase_metrics::{Bleu, BleuOptions, Metric as _, References, Tokenizer};
use metaphrase_models::Model;
use metaphrase_search::{Options, OptionsError, Searcher, Task};
use metaphrase_text::language::unspaced;
use metaphrase_text::vocab::Vocabulary;
use std::cmp::Reverse;
use std::num::NonZeroUsize;

/// The development set, as text.
pub(crate) struct Dev {
    pub(crate) source: Vec<String>,
    pub(crate) target: Vec<String>,
}

impl Dev {
    /// A checksum of all lines.
    pub(crate) fn checksum(&self) -> u64 {
        let lines = self.source.iter().chain(&self.target).map(|line| format!("{line}\n"));
        lines.fold(0, |sum: u64, line| checksum([&sum.to_le_bytes()[..], line.as_bytes()]))
    }

    /// Reads the text, and reports the lines that validations cut off.
    pub(crate) fn read(
        files: &CorpusFiles,
        vocabulary: &Vocabulary,
        observer: &mut dyn Observer,
    ) -> std::io::Result<Self> {
        let dev = Self { source: lines(&files.source)?, target: lines(&files.target)? };
        let is_long = |line: &&String| segment(vocabulary, line).1;
        let long = dev.source.iter().filter(is_long).count();
        if let Some(first) = dev.source.iter().position(|line| is_long(&line)) {
            let (file, first, words) = (files.source.display(), first + 1, LONGEST - 1);
            observer.message(&format!(
                "development data: {long} source lines have more than {words} words, which are left out when the lines \
                 are translated (first: {file}, line {first})"
            ));
        }
        Ok(dev)
    }
}

/// Why a model could not be measured on the development set.
#[derive(Debug, thiserror::Error)]
pub enum ValidationError {
    /// The search refuses the recipe's options.
    #[error("the development set can not be translated: {0}; change [validation] in the recipe")]
    Options(#[from] OptionsError),
    /// A thread of the search failed.
    #[error("the development set could not be translated: {0}")]
    Worker(#[from] WorkerPanicked),
    /// The references do not fit the translations.
    #[error("the BLEU of the development set can not be computed: {0}; check data.dev in the recipe")]
    Bleu(#[from] metaphrase_metrics::Error),
}

/// The most words of a line of the development set, end of sentence included. Longer lines have no cross-entropy, and
/// their translation is that of their first words.
pub(crate) const LONGEST: usize = 1000;

/// The words of a line, end of sentence included, [`LONGEST`] of them at most; and whether the line has more.
pub(crate) fn segment(vocabulary: &Vocabulary, line: &str) -> (Vec<WordId>, bool) {
    let mut words = Vec::new();
    vocabulary.encode(line, &mut words);
    let is_long = words.len() > LONGEST;
    if is_long {
        words.truncate(LONGEST - 1);
        words.push(vocabulary.eos());
    }
    (words, is_long)
}

/// Source words that share a step of the search.
const BATCH_TOKENS: usize = 512;

/// Translates all lines, on `threads` threads, at least 1. A line without words has an empty translation.
///
/// # Errors
/// [`ValidationError`] if the model can not be searched with these settings.
pub(crate) fn translate(
    model: &Model,
    lines: &[String],
    source: &Vocabulary,
    target: &Vocabulary,
    settings: &Validation,
    threads: usize,
) -> Result<Vec<String>, ValidationError> {
    let excluded = target.unk().into_iter().chain(target.special_words());
    let options = Options {
        beam_size: settings.beam_size,
        normalize: settings.normalize,
        excluded: excluded.filter(|&word| word != model.facts().end_of_sentence).collect(),
        ..Options::default()
    };
    let options = options.check(model)?;
    let segment = |(number, line): (usize, &String)| {
        let (words, _) = segment(source, line);
        (words.len() > 1).then_some((number, words))
    };
    let mut sentences: Vec<_> = lines.iter().enumerate().filter_map(segment).collect();
    // The longest first: sentences of similar length make good batches.
    sentences.sort_by_key(|(_, words)| Reverse(words.len()));
    let worker = |queue: &Queue<((usize, Vec<_>), Ticket<_>)>| {
        let mut searcher = Searcher::new(model, BATCH_TOKENS);
        while let Some(batch) = batch(queue) {
            let mut tasks = batch.map(|((number, words), ticket)| Task::new((number, ticket), words, &options));
            searcher.run(
                || tasks.next(),
                |outcome| {
                    let (number, ticket) = outcome.tag;
                    let best = outcome.hypotheses.first().map(|best| target.decode(&best.words));
                    ticket.finish((number, best.unwrap_or_default()));
                },
            );
        }
    };
    let mut translations = vec![String::new(); lines.len()];
    let sink = |(number, translation): (usize, String)| {
        translations[number] = translation;
        Ok::<_, WorkerPanicked>(())
    };
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    in_batches(Limit::items(sentences.len()), |_| 0, threads, sentences.into_iter(), worker, sink)?;
    Ok(translations)
}

/// The mean and the standard deviation of values; 0 if there are none.
pub(crate) fn mean_and_deviation(values: &[f32]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let variance = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

/// BLEU with sacreBLEU's defaults; of characters (sacreBLEU's `char`) if most letters of the references are of scripts
/// without spaces between words, whose sentences the default splits into too few words to compare.
///
/// # Errors
/// [`ValidationError::Bleu`] if there is not one reference for each hypothesis.
pub(crate) fn bleu(hypotheses: &[String], references: &[String]) -> Result<f64, ValidationError> {
    let letters = || references.iter().flat_map(|line| line.chars()).filter(|c| c.is_alphabetic());
    let unspaced = letters().filter(|&c| unspaced(c)).count();
    let tokenizer = if 2 * unspaced > letters().count() { Tokenizer::Char } else { Tokenizer::default() };
    let references = [references];
    Ok(Bleu::new(BleuOptions { tokenizer, ..BleuOptions::default() })?
        .corpus_score(hypotheses, &References::new(&references)?)?
        .value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_spaces_is_compared_by_characters() {
        let score = |hypothesis: &str, reference: &str| bleu(&[hypothesis.into()], &[reference.into()]).unwrap();
        // 6 of 7 characters, 5 of 6 pairs, 4 of 5 triples, 3 of 4 quadruples.
        let expected = 100.0 * (6.0 / 7.0 * 5.0 / 6.0 * 4.0 / 5.0 * 3.0 / 4.0_f64).powf(0.25);
        assert!((score("我喜欢大学狗", "我喜欢大学狗").round() - 100.0).abs() < 1e-9);
        assert!((score("我喜欢北京大狗", "我喜欢北京大猫") - expected).abs() < 1e-9);
        assert!(score("das ist ein Haus", "das ist ein Baum") < 100.0);
    }

    #[test]
    fn references_that_do_not_fit_are_an_error() {
        let lines = |count| vec!["a line of words".to_owned(); count];
        assert_eq!(bleu(&lines(2), &lines(2)).expect("lines that fit").round(), 100.0);
        let error = bleu(&lines(2), &lines(3)).expect_err("a reference too many").to_string();
        assert!(error.starts_with("the BLEU of the development set can not be computed: "), "{error}");
    }
}

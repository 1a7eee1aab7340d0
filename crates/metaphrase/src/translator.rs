//! The translator: a model, its vocabularies and the threads that search with them.

use crate::stream::{Pool, pool};
use crate::{Error, Package, Request, TranslateOptions, Translation};
use metaphrase_base::{StepModel as _, WordId};
use metaphrase_models::Model;
use metaphrase_search::{Continues, Fused};
use metaphrase_text::vocab::Vocabulary;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// How a translator uses the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// Worker threads; they share the weights.
    pub threads: usize,
    /// A worker's batch: the sum of source lengths, in pieces, that may share a step. 1: one sentence at a time.
    pub batch_tokens: usize,
}

impl Default for Execution {
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { threads, batch_tokens: 256 }
    }
}

/// Translates text. `Send + Sync`: any number of threads may call it at once; their lines share batches, and
/// nobody's result depends on that.
///
/// ```no_run
/// use metaphrase::{Execution, Package, Translator};
/// # fn main() -> Result<(), metaphrase::Error> {
/// let translator = Translator::load(&Package::find("models/en-de".as_ref())?, Execution::default())?;
/// let translations = translator.translate(&["Good morning!", "How are you?"])?;
/// assert_eq!(translations.len(), 2);
/// println!("{}", translations[0].text());
/// # Ok(())
/// # }
/// ```
pub struct Translator {
    pub(crate) pool: Pool,
    pub(crate) shared: Arc<Shared>,
    execution: Execution,
    defaults: TranslateOptions,
}

/// What callers and workers read.
pub(crate) struct Shared {
    pub(crate) model: Arc<Model>,
    pub(crate) source: Arc<Vocabulary>,
    pub(crate) target: Arc<Vocabulary>,
    /// Which target words go on with the written word before them.
    pub(crate) continues: Continues,
}

impl Translator {
    /// The English-German model that comes with the program, with the machine's number of threads.
    ///
    /// # Errors
    /// If no threads can be started.
    pub fn bundled() -> Result<Self, Error> {
        Self::load(&Package::bundled(), Execution::default())
    }

    /// Loads a model and starts its threads.
    ///
    /// # Errors
    /// [`Error`] for files that can not be read or do not fit together.
    pub fn load(package: &Package, execution: Execution) -> Result<Self, Error> {
        let (model, source, target) = open(package)?;
        Self::new(model, source, target, execution)
    }

    /// Loads several models that vote, of any architectures, with the same vocabularies: a word's score is the sum of
    /// its log-probabilities, each times the model's weight. Options and alignments are the first one's.
    ///
    /// # Errors
    /// As [`load`](Self::load), and if vocabularies differ or there is not a positive weight for each model.
    pub fn load_ensemble(packages: &[Package], weights: &[f32], execution: Execution) -> Result<Self, Error> {
        let (mut models, mut vocabularies) = (Vec::new(), None);
        for package in packages {
            let (model, source, target) = open(package)?;
            models.push(model);
            let Some((first_source, first_target)) = &vocabularies else {
                vocabularies = Some((source, target));
                continue;
            };
            for (side, first, other) in [("source", first_source, &source), ("target", first_target, &target)] {
                if !same_words(first, other) {
                    let (first, other) = (packages[0].name(), package.name());
                    return Err(Error::EnsembleVocabulary { first, other, side });
                }
            }
        }
        let model = Model::ensemble(models, weights)?;
        let (source, target) = vocabularies.ok_or(Error::WorkerFailed)?;
        Self::new(model, source, target, execution)
    }

    fn new(
        model: Model,
        source: Arc<Vocabulary>,
        target: Arc<Vocabulary>,
        execution: Execution,
    ) -> Result<Self, Error> {
        let continues = (0..target.len()).map(|word| target.continues(WordId::new(word))).collect();
        let shared = Arc::new(Shared { model: Arc::new(model), source, target, continues });
        let pool = pool(&shared.model, &shared, execution)?;
        let defaults = crate::package::options(&shared.model.config().decoding);
        Ok(Self { pool, shared, execution, defaults })
    }

    /// The same translator with a language model beside its model (shallow fusion): to the log-probability of a word comes
    /// `weight` times that of the language model, an ARPA or compiled file over the target pieces. Log-probabilities of
    /// translations are these sums.
    ///
    /// # Errors
    /// If the file can not be read, most of its words are no target pieces, or the weight is below 0 or no number.
    pub fn with_language_model(mut self, path: &Path, weight: f32) -> Result<Self, Error> {
        let scorer =
            crate::language_model::open(path, weight, &self.shared.target, self.shared.model.facts().target_words)?;
        let fused = Arc::new(Fused::new(Arc::clone(&self.shared.model), scorer, weight));
        self.pool = pool(&fused, &self.shared, self.execution)?;
        Ok(self)
    }

    /// The model's default options.
    #[must_use]
    pub fn options(&self) -> TranslateOptions {
        self.defaults.clone()
    }

    /// Whether the model can say which source words a translation comes from.
    #[must_use]
    pub fn has_alignment(&self) -> bool {
        self.shared.model.facts().attention
    }

    /// The source words of a line, end of sentence included.
    #[must_use]
    pub fn segment(&self, line: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        self.shared.source.encode(line, &mut words);
        words
    }

    /// The words that a phrase of the target language is inside a sentence.
    #[must_use]
    pub fn segment_target(&self, phrase: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        self.shared.target.encode(phrase, &mut words);
        words.pop();
        words
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.shared.model
    }

    /// Translates lines with the model's default options; one translation for each line, in order.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub fn translate<S: AsRef<str>>(&self, lines: &[S]) -> Result<Vec<Translation>, Error> {
        let requests = lines.iter().map(|line| Request::translate(line.as_ref())).collect();
        self.run(&self.defaults, requests)
    }

    /// Answers requests; one translation for each, in order.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub fn run(&self, options: &TranslateOptions, requests: Vec<Request>) -> Result<Vec<Translation>, Error> {
        let mut translations = Vec::with_capacity(requests.len());
        self.stream(options, [requests], |translation| {
            translations.push(translation);
            ControlFlow::Continue(())
        })?;
        Ok(translations)
    }
}

/// A package's model, and its vocabularies: source and target.
fn open(package: &Package) -> Result<(Model, Arc<Vocabulary>, Arc<Vocabulary>), Error> {
    let (mut config, weights) = package.open_model()?;
    let (source, target) = package.load_vocabularies(&config)?;
    // Marian's files do not say which word ends a sentence; their vocabularies do.
    config.end_of_sentence = target.eos().0;
    Ok((package.model(config, &weights)?, source, target))
}

fn same_words(a: &Vocabulary, b: &Vocabulary) -> bool {
    a.len() == b.len() && (0..a.len()).map(WordId::new).all(|word| a.word(word) == b.word(word))
}

//! The translator: a model, its vocabularies and the threads that search with them.

use crate::constraints::Segmented;
use crate::pool::Pool;
use crate::{Attention, Error, Hypothesis, Met, Package, Request, TranslateOptions, Translation};
use metaphrase_base::{StepModel, WordId};
use metaphrase_models::Model;
use metaphrase_search::{CheckedOptions, Constraints, Continues, Fused, Outcome, Task};
use metaphrase_text::vocab::Vocabulary;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
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
    pool: Pool<Job>,
    shared: Arc<Shared>,
    execution: Execution,
    defaults: TranslateOptions,
}

/// What callers and workers read.
struct Shared {
    model: Arc<Model>,
    source: Arc<Vocabulary>,
    target: Arc<Vocabulary>,
    /// Which target words go on with the written word before them.
    continues: Continues,
}

/// A line on its way through the pool.
struct Job {
    line: usize,
    source_pieces: Vec<String>,
    notes: Vec<String>,
    required: Required,
    reply: Sender<(usize, Translation)>,
}

/// The required terms of a line.
#[derive(Default)]
struct Required {
    /// Alternatives as they were given.
    terms: Vec<Vec<String>>,
    constraints: Option<Constraints>,
    /// For each term of `constraints` its number among `terms`.
    numbers: Vec<usize>,
    impossible: Vec<usize>,
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

    /// Answers requests as they come, chunk by chunk; `sink` gets one translation for each request, in order,
    /// until it breaks. A chunk is translated as soon as it is there, its longest lines first: large chunks make
    /// good batches, small ones come back soon.
    ///
    /// # Errors
    /// [`Error::Options`] for options that can not work with this model, before anything is translated;
    /// [`Error::WorkerFailed`] if a thread panicked.
    pub fn stream<I>(
        &self,
        options: &TranslateOptions,
        chunks: I,
        mut sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error>
    where
        I: IntoIterator<Item = Vec<Request>>,
        I::IntoIter: Send,
    {
        let Shared { model, target, .. } = &*self.shared;
        let search = options.search(target).check(&**model)?;
        let chunks = chunks.into_iter();
        let (reply, replies) = channel();
        let stopped = &AtomicBool::new(false);
        thread::scope(|scope| {
            let chunks = chunks.take_while(|_| !stopped.load(Ordering::Relaxed));
            let feeder = scope.spawn(move || self.feed(options, &search, chunks, &reply));
            let finished = in_order(&replies, &mut sink);
            stopped.store(true, Ordering::Relaxed);
            match (feeder.join(), finished) {
                (Ok(Ok(lines)), Ok(sunk)) if sunk == lines => Ok(()),
                (_, Err(Stopped)) => Ok(()),
                _ => Err(Error::WorkerFailed),
            }
        })
    }

    /// Segments requests and queues them; the number of lines queued.
    fn feed(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        chunks: impl Iterator<Item = Vec<Request>>,
        reply: &Sender<(usize, Translation)>,
    ) -> Result<usize, Error> {
        let mut line = 0;
        for chunk in chunks {
            let mut tasks = Vec::with_capacity(chunk.len());
            for request in &chunk {
                match self.shared.task(options, search, request, line, reply) {
                    Some(task) => tasks.push(task),
                    // Nobody listens any more when the sink broke.
                    None => _ = reply.send((line, Translation::of_nothing(&request.terms))),
                }
                line += 1;
            }
            tasks.sort_by_key(|task| std::cmp::Reverse(task.source.len()));
            for task in tasks {
                self.pool.push(task).map_err(|_| Error::WorkerFailed)?;
            }
        }
        Ok(line)
    }
}

impl Shared {
    /// The search of a request; `None` if there is nothing to search, as in an empty line.
    fn task(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        request: &Request,
        line: usize,
        reply: &Sender<(usize, Translation)>,
    ) -> Option<Task<Job>> {
        let mut source = Vec::new();
        self.source.encode(&request.source, &mut source);
        if source.len() <= 1 && request.target.is_none() && request.prefix.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        let limit = options.max_source_length.max(1);
        if source.len() > limit + 1 {
            let message = "the source has {} pieces and is cut off after {limit}; split it into sentences";
            notes.push(message.replace("{}", &(source.len() - 1).to_string()).replace("{limit}", &limit.to_string()));
            source.truncate(limit);
            source.push(self.source.eos());
        }
        let mut prefix: Vec<WordId> = Vec::new();
        self.target.encode(request.target.as_deref().unwrap_or(&request.prefix), &mut prefix);
        if request.target.is_none() {
            prefix.pop();
        }
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let required = self.required(search, request, (source.len(), prefix.len()), &mut notes);
        let constraints = required.constraints.clone();
        let tag = Job { line, source_pieces, notes, required, reply: reply.clone() };
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((line as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Some(Task { prefix, seed, constraints, ..Task::new(tag, source, search) })
    }

    /// The terms of a request whose source and prefix have so many words, and notes about them.
    fn required(
        &self,
        search: &CheckedOptions,
        request: &Request,
        (source_len, prefix_len): (usize, usize),
        notes: &mut Vec<String>,
    ) -> Required {
        if request.terms.is_empty() || request.target.is_some() {
            return Required::default();
        }
        let mut segmented = Segmented::new(&request.terms, &self.target, &self.continues);
        let words = segmented.constraints.as_ref().map_or(0, Constraints::words);
        let limit = search.limit(source_len, prefix_len);
        if search.sampling.is_some() && segmented.constraints.is_some() {
            segmented.give_up("draws can not be told what to contain: constraints are left out; do not sample".into());
        } else if prefix_len + words + 1 > limit {
            let advice = "raise the maximum length factor";
            segmented.give_up(format!("the constraints are left out: they take {words} pieces, which a translation of at most {limit} pieces does not hold; {advice}"));
        }
        let Segmented { constraints, numbers, impossible, notes: problems } = segmented;
        notes.extend(problems);
        Required { terms: request.terms.required.clone(), constraints, numbers, impossible }
    }

    /// Sends an outcome to who asked for it, as text.
    fn reply(&self, outcome: Outcome<Job>) {
        let Outcome { tag: mut job, source_len, hypotheses, counts } = outcome;
        let required = &job.required;
        let mut missing = required.impossible.clone();
        let mut texts = Vec::with_capacity(hypotheses.len());
        for found in hypotheses {
            let text = self.target.decode(&found.words);
            let met = required.met(&self.target, &found.words, &text);
            let lacking = required.numbers.iter().filter(|number| !met.iter().any(|met| met.term == **number));
            missing.extend(lacking);
            texts.push(Hypothesis {
                text,
                pieces: pieces(&self.target, &found.words),
                score: found.score,
                log_prob: found.log_prob,
                piece_log_probs: found.word_log_probs,
                complete: found.complete,
                met,
                attention: (!found.attention.is_empty()).then_some(Attention { source_len, weights: found.attention }),
            });
        }
        missing.sort_unstable();
        missing.dedup();
        let late = missing.iter().filter(|number| !required.impossible.contains(number));
        job.notes.extend(late.map(|&number| {
            let term = required.terms[number].join("' or '");
            format!("the translation lacks the constraint '{term}': its length limit came first")
        }));
        let Job { line, source_pieces, notes, reply, .. } = job;
        let translation = Translation { hypotheses: texts, missing, counts, source_pieces, notes };
        // Nobody listens any more when the sink broke: then the translation is not wanted.
        let _ = reply.send((line, translation));
    }
}

impl Required {
    /// Where the terms are in a translation of these words. A term counts only if the text has it, too.
    fn met(&self, target: &Vocabulary, words: &[WordId], text: &str) -> Vec<Met> {
        let Some(constraints) = &self.constraints else { return Vec::new() };
        let found = constraints.find(words).into_iter().zip(&self.numbers);
        let met = found.filter_map(|(place, &term)| {
            let (first, pieces) = place?;
            let has = text.contains(target.decode(&words[first..first + pieces]).trim());
            has.then_some(Met { term, first, pieces })
        });
        met.collect()
    }
}

/// Threads that search with `model`.
fn pool<M: StepModel + 'static>(
    model: &Arc<M>,
    shared: &Arc<Shared>,
    execution: Execution,
) -> Result<Pool<Job>, Error> {
    let worker = Arc::clone(shared);
    let emit = move |outcome| worker.reply(outcome);
    Pool::new(model, execution.threads, execution.batch_tokens, emit).map_err(Error::Threads)
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

fn pieces(vocabulary: &Vocabulary, words: &[WordId]) -> Vec<String> {
    words.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}

/// The sink wants no more.
struct Stopped;

/// Hands translations on in the order of their lines; how many there were.
fn in_order(
    replies: &Receiver<(usize, Translation)>,
    sink: &mut impl FnMut(Translation) -> ControlFlow<()>,
) -> Result<usize, Stopped> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (line, translation) in replies {
        early.insert(line, translation);
        while let Some(translation) = early.remove(&next) {
            next += 1;
            if sink(translation).is_break() {
                return Err(Stopped);
            }
        }
    }
    Ok(next)
}

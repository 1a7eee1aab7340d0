//! The translator: a model, its vocabularies and the threads that search with them.

use crate::pool::Pool;
use crate::{Attention, Error, Hypothesis, Package, Request, TranslateOptions, Translation};
use metaphrase_base::{StepModel as _, WordId};
use metaphrase_models::Model;
use metaphrase_search::{CheckedOptions, Outcome, Task};
use metaphrase_text::vocab::Vocabulary;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
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
    defaults: TranslateOptions,
}

/// What callers and workers read.
struct Shared {
    model: Arc<Model>,
    source: Arc<Vocabulary>,
    target: Arc<Vocabulary>,
}

/// A line on its way through the pool.
struct Job {
    line: usize,
    source_pieces: Vec<String>,
    notes: Vec<String>,
    reply: Sender<(usize, Translation)>,
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
        let (mut config, weights) = package.open_model()?;
        let (source, target) = package.load_vocabularies(&config)?;
        // Marian's files do not say which word ends a sentence; their vocabularies do.
        config.end_of_sentence = target.eos().0;
        let model = Arc::new(Model::new(config, &weights)?);
        let shared = Arc::new(Shared { model, source, target });
        let worker = Arc::clone(&shared);
        let emit = move |outcome| worker.reply(outcome);
        let pool = Pool::new(&shared.model, execution.threads, execution.batch_tokens, emit).map_err(Error::Threads)?;
        let defaults = crate::package::options(&shared.model.config().decoding);
        Ok(Self { pool, shared, defaults })
    }

    /// The model's default options.
    #[must_use]
    pub fn options(&self) -> TranslateOptions {
        self.defaults.clone()
    }

    /// Whether the model can say which source words a translation comes from.
    #[must_use]
    pub fn has_alignment(&self) -> bool {
        self.shared.model.has_attention()
    }

    /// The source words of a line, end of sentence included.
    #[must_use]
    pub fn segment(&self, line: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        self.shared.source.encode(line, &mut words);
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
                    None => _ = reply.send((line, Translation::of_nothing())),
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
        let mut prefix = Vec::new();
        self.target.encode(request.target.as_deref().unwrap_or(&request.prefix), &mut prefix);
        if request.target.is_none() {
            prefix.pop();
        }
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let tag = Job { line, source_pieces, notes, reply: reply.clone() };
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((line as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Some(Task { prefix, seed, ..Task::new(tag, source, search) })
    }

    /// Sends an outcome to who asked for it, as text.
    fn reply(&self, outcome: Outcome<Job>) {
        let Outcome { tag: job, source_len, hypotheses } = outcome;
        let hypotheses = hypotheses.into_iter().map(|found| Hypothesis {
            text: self.target.decode(&found.words),
            pieces: pieces(&self.target, &found.words),
            score: found.score,
            log_prob: found.log_prob,
            piece_log_probs: found.word_log_probs,
            complete: found.complete,
            attention: (!found.attention.is_empty()).then_some(Attention { source_len, weights: found.attention }),
        });
        let translation =
            Translation { hypotheses: hypotheses.collect(), source_pieces: job.source_pieces, notes: job.notes };
        // Nobody listens any more when the sink broke: then the translation is not wanted.
        let _ = job.reply.send((job.line, translation));
    }
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

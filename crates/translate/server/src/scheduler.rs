//! Sentences of all clients, handed to the translators in fair order.
//!
//! ```text
//! handlers ── start ──▶ FairQueue ── dispatch: as many tokens as fit into the batches ──▶ Engine::submit
//!     ▲                                                                                       │
//!     └────────────────────────────── JobHandle::next ◀── answered ◀────────────────────────────┘
//! ```
//!
//! The translators hold no more sentences than fill their batches. So a line of another client enters as soon as some
//! of these sentences finish, however long the queue is.

mod repeats;

use crate::cache::{CacheKey, ModelIds, TranslationCache};
use crate::error::Failure;
use crate::metrics::Metrics;
use crate::queue::FairQueue;
use metaphrase::{Cancel, Error, Request, TranslateOptions, Translation};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// A function that is called with an answer.
pub type AnswerFn = Box<dyn FnOnce(Result<Translation, Error>) + Send>;

/// A translator of sentences, or a fake one in tests.
pub trait Engine: Send + Sync {
    /// The models, if translations of the same request are the same.
    fn models(&self) -> Option<ModelIds> {
        None
    }

    /// Begins with a sentence, as [`metaphrase::Translator::submit`] does.
    ///
    /// # Errors
    /// If the options can not work; the answer is dropped then.
    fn submit(
        &self,
        options: &TranslateOptions,
        request: Request,
        cancel: &Cancel,
        answer: AnswerFn,
    ) -> Result<(), Error>;
}

/// The identity of a client: its key, or its address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ClientId {
    /// A key, by its number in the store.
    Key(i64),
    /// The address of a client without a key.
    Address(std::net::IpAddr),
}

/// The bounds of the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Tokens that the translators work on at a time.
    pub in_work: usize,
    /// Sentences of all clients that wait.
    pub sentences: usize,
    /// Sentences of one client that wait.
    pub sentences_of_client: usize,
    /// Bytes of all sentences that wait.
    pub bytes: usize,
    /// Bytes of translations that are kept for sentences that come again.
    pub cache_bytes: usize,
}

/// Sentences to translate for a client.
pub struct Work {
    /// The client.
    pub client: ClientId,
    /// The translators, with their options.
    pub lanes: Vec<Lane>,
    /// The sentences, each with the number of its lane.
    pub requests: Vec<(usize, Request)>,
    /// When the client does not need the answer any more.
    pub deadline: Instant,
}

/// A translator with options.
#[derive(Clone)]
pub struct Lane {
    /// The translator.
    pub engine: Arc<dyn Engine>,
    /// Its options.
    pub options: TranslateOptions,
}

/// The queue, and the sentences in work.
pub struct Scheduler {
    limits: QueueLimits,
    state: Mutex<State>,
    next_job: AtomicU64,
    cache: TranslationCache,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    queue: FairQueue<ClientId, Item>,
    /// Bytes of the sentences in the queue.
    bytes: usize,
    /// Tokens in work.
    in_work: usize,
    /// Sentences that a panic lost and that wait for their second and last attempt.
    lost: VecDeque<(usize, Item)>,
    /// Whether one of these is being translated. One at a time: if it makes a thread panic again, no other one is lost.
    retrying: bool,
    /// Whether a thread hands out sentences.
    dispatching: bool,
}

/// What the sentences of some work have in common.
struct Job {
    number: u64,
    client: ClientId,
    lanes: Vec<Lane>,
    cancel: Cancel,
    results: UnboundedSender<(usize, Result<Translation, Error>)>,
}

/// A sentence.
struct Item {
    job: Arc<Job>,
    index: usize,
    lane: usize,
    request: Request,
    /// Where its translation is kept; `None` if it is not.
    key: Option<CacheKey>,
    /// The numbers of equal sentences of the job, which get the same answer.
    equal: Vec<usize>,
    /// Whether a panic has lost it once.
    again: bool,
}

/// Work in flight. When it is dropped, what is left of the work stops.
pub struct JobHandle {
    scheduler: Arc<Scheduler>,
    job: Arc<Job>,
    results: UnboundedReceiver<(usize, Result<Translation, Error>)>,
    left: usize,
    deadline: Instant,
    /// The numbers of the sentences that are not translated again.
    pub repeated: Vec<usize>,
}

/// About how many tokens a sentence has. Exact numbers would cost a segmentation for each sentence.
fn tokens(request: &Request) -> usize {
    1 + (request.source.len() + request.prefix.len()) / 4
}

/// Bytes of a sentence that waits.
fn bytes(request: &Request) -> usize {
    256 + request.source.len()
        + request.prefix.len()
        + request.terms.phrases().map(|term| 24 + term.len()).sum::<usize>()
}

impl Scheduler {
    /// A scheduler without work.
    pub fn new(limits: QueueLimits, metrics: Arc<Metrics>) -> Arc<Self> {
        let cache = TranslationCache::new(limits.cache_bytes);
        Arc::new(Self { limits, state: Mutex::default(), next_job: AtomicU64::new(0), cache, metrics })
    }

    /// Puts the sentences of some work into the queue.
    ///
    /// # Errors
    /// [`Failure::Busy`] if the queue is full, for this client or for all.
    pub fn start(self: &Arc<Self>, work: Work) -> Result<JobHandle, Failure> {
        let Work { client, lanes, requests, deadline } = work;
        let (sender, results) = unbounded_channel();
        let number = self.next_job.fetch_add(1, Relaxed);
        let job = Arc::new(Job { number, client, lanes, cancel: Cancel::new(), results: sender });
        let left = requests.len();
        let (items, repeated) = self.distinct(&job, requests);
        let weight: usize = items.iter().map(|item| bytes(&item.request)).sum();
        {
            let mut state = self.lock();
            let new = items.len();
            let of_client = state.queue.client_len(&job.client) + new > self.limits.sentences_of_client;
            let of_all = state.queue.len() + new > self.limits.sentences || state.bytes + weight > self.limits.bytes;
            if of_client || of_all {
                self.metrics.refused.fetch_add(1, Relaxed);
                return Err(Failure::Busy { seconds: self.wait(&state), everyone: of_all });
            }
            state.bytes += weight;
            let items: Vec<_> = items.into_iter().map(|item| (tokens(&item.request), item)).collect();
            state.queue.push(job.client.clone(), number, items);
            self.show(&state);
        }
        self.metrics.repeated.fetch_add(repeated.len() as u64, Relaxed);
        self.dispatch();
        Ok(JobHandle { scheduler: Arc::clone(self), job, results, left, deadline, repeated })
    }

    /// The seconds after which a client should ask again.
    fn wait(&self, state: &State) -> u64 {
        let speed = self.metrics.tokens_per_second().max(100.0);
        (state.queue.tokens() as f64 / speed).ceil().clamp(1.0, 60.0) as u64
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &State) {
        self.metrics.waiting_sentences.store(state.queue.len() as u64, Relaxed);
        self.metrics.waiting_tokens.store(state.queue.tokens() as u64, Relaxed);
        self.metrics.tokens_in_work.store(state.in_work as u64, Relaxed);
    }

    /// Hands out sentences while there is room in the batches. An immediate answer re-enters this function;
    /// `dispatching` makes the inner call return, and the outer loop continues.
    fn dispatch(self: &Arc<Self>) {
        loop {
            let (tokens, item) = {
                let mut state = self.lock();
                if state.dispatching {
                    return;
                }
                match self.next(&mut state) {
                    Some(next) => {
                        state.dispatching = true;
                        next
                    }
                    None => return,
                }
            };
            self.submit(tokens, item);
            self.lock().dispatching = false;
        }
    }

    /// The next sentence that fits.
    fn next(&self, state: &mut State) -> Option<(usize, Item)> {
        let room = if state.in_work == 0 { usize::MAX } else { self.limits.in_work.saturating_sub(state.in_work) };
        let retry = !state.retrying && state.lost.front().is_some_and(|(tokens, _)| *tokens <= room);
        let (tokens, item) = if retry {
            state.retrying = true;
            state.lost.pop_front()?
        } else {
            let (tokens, item) = state.queue.pop(room)?;
            state.bytes = state.bytes.saturating_sub(bytes(&item.request));
            (tokens, item)
        };
        state.in_work += tokens;
        self.show(state);
        Some((tokens, item))
    }

    fn submit(self: &Arc<Self>, tokens: usize, item: Item) {
        let (job, lane, request) = (Arc::clone(&item.job), item.lane, item.request.clone());
        let mut in_work = WorkGuard { scheduler: Arc::clone(self), tokens, item: Some(item) };
        let Some(Lane { engine, options }) = job.lanes.get(lane) else { return };
        let answer: AnswerFn = Box::new(move |result| in_work.end(result));
        let submit = || engine.submit(options, request, &job.cancel, answer);
        // A panic here is one of this thread, which belongs to another client.
        if let Ok(Err(error)) = catch_unwind(AssertUnwindSafe(submit)) {
            tracing::error!("a sentence was refused by its translator: {error}");
        }
    }

    fn answered(self: &Arc<Self>, tokens: usize, item: Item, result: Result<Translation, Error>) {
        let mut finished = None;
        {
            let mut state = self.lock();
            state.in_work = state.in_work.saturating_sub(tokens);
            if item.again {
                state.retrying = false;
            }
            match result {
                Err(Error::WorkerFailed) if !item.again => {
                    self.metrics.panics.fetch_add(1, Relaxed);
                    state.lost.push_back((tokens, Item { again: true, ..item }));
                }
                result => {
                    self.metrics.count_sentence(tokens, &result);
                    finished = Some((item, result));
                }
            }
            self.show(&state);
        }
        if let Some((item, result)) = finished {
            self.send(item, result);
        }
        self.dispatch();
    }

    /// Takes what is left of a job out of the queue.
    fn stop(self: &Arc<Self>, job: &Job) {
        job.cancel.cancel();
        let stopped = {
            let mut state = self.lock();
            let stopped = state.queue.remove(&job.client, job.number);
            state.bytes = state.bytes.saturating_sub(stopped.iter().map(|item| bytes(&item.request)).sum());
            self.show(&state);
            stopped
        };
        self.metrics.stopped_waiting.fetch_add(stopped.len() as u64, Relaxed);
        self.dispatch();
    }
}

/// A sentence that a translator has. If the translator forgets it, its answer is an error.
struct WorkGuard {
    scheduler: Arc<Scheduler>,
    tokens: usize,
    /// `None` once it has an answer.
    item: Option<Item>,
}

impl WorkGuard {
    fn end(&mut self, result: Result<Translation, Error>) {
        if let Some(item) = self.item.take() {
            self.scheduler.answered(self.tokens, item, result);
        }
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.end(Err(Error::WorkerFailed));
    }
}

impl JobHandle {
    /// The next answer with the number of its sentence, in any order; `None` when all are there.
    ///
    /// # Errors
    /// [`Failure::Deadline`] if it is too late, [`Failure::Worker`] if a sentence can not be translated.
    pub async fn next(&mut self) -> Result<Option<(usize, Translation)>, Failure> {
        if self.left == 0 {
            return Ok(None);
        }
        match tokio::time::timeout_at(self.deadline, self.results.recv()).await {
            Err(_) => Err(Failure::Deadline),
            Ok(Some((index, Ok(translation)))) => {
                self.left -= 1;
                Ok(Some((index, translation)))
            }
            Ok(Some((_, Err(error)))) => Err(Failure::Worker(error.to_string())),
            Ok(None) => Err(Failure::Worker(Error::WorkerFailed.to_string())),
        }
    }

    /// All answers, in the order of the sentences.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn all(mut self) -> Result<Vec<Translation>, Failure> {
        let mut all: Vec<Option<Translation>> = Vec::new();
        all.resize_with(self.left, || None);
        while let Some((index, translation)) = self.next().await? {
            if let Some(place) = all.get_mut(index) {
                *place = Some(translation);
            }
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// Sentences without an answer.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        if self.left > 0 {
            self.scheduler.stop(&self.job);
        }
    }
}

/// The time from now on that a deadline allows.
#[must_use]
pub fn deadline(milliseconds: u64) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds)
}

#[cfg(test)]
mod tests;

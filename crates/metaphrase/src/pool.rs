//! Worker threads that share one model and one queue of sentences.
//!
//! Sentences of all callers wait in one queue; a worker takes what fits into its batch and refills the batch
//! as sentences finish. Results do not depend on who shared a batch with whom.

use metaphrase_base::StepModel;
use metaphrase_search::{Outcome, Searcher, Task};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Sentences that wait for a worker; a caller that pushes more has to wait.
const QUEUE_LIMIT: usize = 8192;

/// The queue is closed: the pool is shutting down, or a worker failed.
#[derive(Debug)]
pub(crate) struct Closed;

struct State<T> {
    tasks: VecDeque<Task<T>>,
    closed: bool,
}

struct Queue<T> {
    state: Mutex<State<T>>,
    not_empty: Condvar,
    not_full: Condvar,
}

impl<T> Queue<T> {
    fn new() -> Self {
        let state = Mutex::new(State { tasks: VecDeque::new(), closed: false });
        Self { state, not_empty: Condvar::new(), not_full: Condvar::new() }
    }

    /// The state is whole after every critical section, so one that panicked left it usable.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, task: Task<T>) -> Result<(), Closed> {
        let mut state = self
            .not_full
            .wait_while(self.lock(), |s| s.tasks.len() >= QUEUE_LIMIT && !s.closed)
            .unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(Closed);
        }
        state.tasks.push_back(task);
        self.not_empty.notify_one();
        Ok(())
    }

    /// The next task if there is one now.
    fn try_pop(&self) -> Option<Task<T>> {
        let task = self.lock().tasks.pop_front();
        self.not_full.notify_one();
        task
    }

    /// The next task; `None` when the queue is closed.
    fn pop(&self) -> Option<Task<T>> {
        let waited = self.not_empty.wait_while(self.lock(), |s| s.tasks.is_empty() && !s.closed);
        let task = waited.unwrap_or_else(PoisonError::into_inner).tasks.pop_front();
        self.not_full.notify_one();
        task
    }

    /// Ends the workers; drops what waits.
    fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.tasks.clear();
        self.not_empty.notify_all();
        self.not_full.notify_all();
    }
}

/// Threads that search for all that is pushed, until the pool is dropped.
pub(crate) struct Pool<T> {
    queue: Arc<Queue<T>>,
    workers: Vec<JoinHandle<()>>,
}

/// Closes the queue if the worker that holds it panics, so that callers get an error instead of waiting for ever.
struct CloseOnPanic<T>(Arc<Queue<T>>);

impl<T> Drop for CloseOnPanic<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

impl<T: Send + 'static> Pool<T> {
    /// `threads` workers with batches of `batch_tokens` source words each; `emit` gets every outcome, on the
    /// worker's thread.
    pub(crate) fn new<M: StepModel + 'static>(
        model: &Arc<M>,
        threads: usize,
        batch_tokens: usize,
        emit: impl Fn(Outcome<T>) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::new());
        let emit = Arc::new(emit);
        let mut pool = Self { queue: Arc::clone(&queue), workers: Vec::new() };
        for number in 0..threads.max(1) {
            let (model, queue, emit) = (Arc::clone(model), Arc::clone(&queue), Arc::clone(&emit));
            let work = move || {
                let guard = CloseOnPanic(queue);
                let queue = &guard.0;
                let mut searcher = Searcher::new(&*model, batch_tokens);
                while let Some(task) = queue.pop() {
                    let mut first = Some(task);
                    searcher.run(|| first.take().or_else(|| queue.try_pop()), |outcome| emit(outcome));
                }
            };
            pool.workers.push(thread::Builder::new().name(format!("translate-{number}")).spawn(work)?);
        }
        Ok(pool)
    }
}

impl<T> Pool<T> {
    /// Queues a sentence; waits while the queue is full.
    pub(crate) fn push(&self, task: Task<T>) -> Result<(), Closed> {
        self.queue.push(task)
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        self.queue.close();
        for worker in self.workers.drain(..) {
            // A worker that panicked has said so already.
            let _ = worker.join();
        }
    }
}

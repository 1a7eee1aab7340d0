//! Work on several threads, with results in order and within a bound.
//!
//! ```text
//! feeder ── Tickets::take ──▶ Queue ──▶ workers ── Ticket::finish ──▶ Results ──▶ sink
//! ```
//!
//! A feeder takes a [`Ticket`] for each item before the item enters, and the ticket comes back when the item's result has
//! left through the sink. So a fixed number of items is on the way, whether they wait, are worked on, or are done and
//! wait for a slower one before them. A worker that panics loses its tickets, which ends the results with [`Lost`].
//!
//! * [`in_order`] and [`in_batches`] do all of this for workers that live as long as the call.
//! * [`Workers`] live on; their callers use [`ordered`] to get their own results.

mod order;
mod queue;

pub use order::{Lost, Results, Ticket, Tickets, ordered};
pub use queue::Queue;

use queue::CloseOnPanic;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// A worker thread panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerPanicked;

impl std::fmt::Display for WorkerPanicked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a worker thread failed and the rest of the work was not done; please report this")
    }
}

impl std::error::Error for WorkerPanicked {}

/// Does `work` with each item on `threads` threads, each with a `state` of its own, and hands the results to `sink` in the
/// order of the items, each as soon as it and those before it are there. At most `limit` items are on the way.
///
/// # Errors
/// The first error of `sink`, which ends the work; [`WorkerPanicked`] if `items` or `work` panicked.
pub fn in_order<S, T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: usize,
    threads: NonZeroUsize,
    state: impl Fn() -> S + Sync,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut S, T) -> R + Sync,
    sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let worker = |queue: &Queue<(T, Ticket<R>)>| {
        let mut state = state();
        while let Some((item, ticket)) = queue.next() {
            ticket.finish(work(&mut state, item));
        }
    };
    in_batches(limit, threads, items, worker, sink)
}

/// As [`in_order`], for workers that have several items in work at once: `worker` takes items from the queue until
/// [`Queue::batch`] gives none, and finishes their tickets in any order.
///
/// # Errors
/// As [`in_order`].
pub fn in_batches<T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: usize,
    threads: NonZeroUsize,
    mut items: impl Iterator<Item = T> + Send,
    worker: impl Fn(&Queue<(T, Ticket<R>)>) + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let (queue, worker) = (&Queue::default(), &worker);
    let (mut tickets, results) = ordered(limit);
    thread::scope(|scope| {
        let run = || {
            let _guard = CloseOnPanic(queue);
            worker(queue);
        };
        let mut threads: Vec<_> = (0..threads.get()).map(|_| scope.spawn(run)).collect();
        threads.push(scope.spawn(move || {
            let _guard = CloseOnPanic(queue);
            while tickets.wait_for_room(1)
                && let Some(item) = items.next()
            {
                queue.push((item, tickets.take()));
            }
            queue.end();
        }));
        let mut sunk = Ok(());
        for result in results {
            sunk = result.map_err(|Lost| WorkerPanicked.into()).and_then(&mut sink);
            if sunk.is_err() {
                queue.close();
                break;
            }
        }
        // Every thread is joined, whether or not another one panicked.
        let panicked = threads.into_iter().fold(false, |panicked, thread| thread.join().is_err() | panicked);
        if panicked { Err(WorkerPanicked.into()) } else { sunk }
    })
}

/// Threads that take items from one queue until they are dropped; any number of callers may push items.
pub struct Workers<T> {
    queue: Arc<Queue<T>>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `threads` threads, at least 1, called `name` and a number. Each calls `worker`, which takes items from the
    /// queue until [`Queue::batch`] gives none. When a worker panics, all items that wait, and all later ones, are dropped.
    ///
    /// # Errors
    /// If the operating system starts no thread.
    pub fn start(name: &str, threads: usize, worker: impl Fn(&Queue<T>) + Send + Sync + 'static) -> io::Result<Self> {
        let worker = Arc::new(worker);
        let mut workers = Self { queue: Arc::default(), threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (queue, worker) = (Arc::clone(&workers.queue), Arc::clone(&worker));
            let run = move || {
                let _guard = CloseOnPanic(&queue);
                worker(&queue);
            };
            workers.threads.push(thread::Builder::new().name(format!("{name}-{number}")).spawn(run)?);
        }
        Ok(workers)
    }
}

impl<T> Workers<T> {
    /// Gives the workers an item.
    pub fn push(&self, item: T) {
        self.queue.push(item);
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // A panic has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;

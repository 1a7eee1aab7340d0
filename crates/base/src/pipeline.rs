//! Work on several threads, with results in order and within a bound.
//!
//! ```text
//! feeder ── Tickets::take ──▶ Queue ──▶ workers ── Ticket::finish ──▶ sink
//! ```
//!
//! A feeder takes a [`Ticket`] for each item before the item enters, and the ticket comes back when the item's result has
//! left through the sink. So a fixed number of items is on the way, whether they wait, are worked on, or are done and
//! wait for a slower one before them. A worker that panics loses its tickets, which ends the work with [`WorkerPanicked`].
//!
//! * [`in_order`] and [`in_batches`] do all of this for workers that live as long as the call.
//! * [`Workers`] live on; their callers use [`ordered`] to get their own results.

use crossbeam_channel::{Receiver, Sender, unbounded};
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};

/// Items that wait for a worker, first in first out. A queue has no bound of its own: where each item holds a [`Ticket`],
/// the limit of tickets is the bound.
pub type Queue<T> = Receiver<T>;

/// A worker thread panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerPanicked;

impl std::fmt::Display for WorkerPanicked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a worker thread failed and the rest of the work was not done; please report this")
    }
}

impl std::error::Error for WorkerPanicked {}

/// Where a feeder takes tickets, in the order of the results.
pub struct Tickets<R> {
    places: SyncSender<mpsc::Receiver<Option<R>>>,
    taken: usize,
    reader: Weak<()>,
}

/// The place of one result. A ticket that is dropped without a result, as by a worker that panics, ends the results with
/// [`WorkerPanicked`].
pub struct Ticket<R> {
    place: SyncSender<Option<R>>,
    number: usize,
    reader: Weak<()>,
}

impl<R> Tickets<R> {
    /// The next ticket, after waiting until fewer tickets than the limit are out. `None` if results are no longer wanted.
    #[must_use]
    pub fn take(&mut self) -> Option<Ticket<R>> {
        let (place, result) = sync_channel(1);
        self.places.send(result).ok()?;
        self.taken += 1;
        Some(Ticket { place, number: self.taken - 1, reader: Weak::clone(&self.reader) })
    }
}

impl<R> Ticket<R> {
    /// How many tickets were taken before this one.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether somebody still reads the results.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.reader.strong_count() > 0
    }

    /// Puts the result in its place.
    pub fn finish(self, result: R) {
        // The reader may have gone.
        let _ = self.place.send(Some(result));
    }

    /// Ends the results before this ticket, for which there is no item.
    pub fn end(self) {
        let _ = self.place.send(None);
    }
}

/// Lets `feed` take tickets on a thread of its own, and hands the results to `sink` in the order of their tickets, each as
/// soon as it and those before it are there. At most `limit` tickets (at least 1) are out at a time: a ticket is out from
/// [`Tickets::take`] until `sink` has handled its result. The results end when `feed` returns.
///
/// # Errors
/// The first error of `sink`, after which no ticket is given; [`WorkerPanicked`] if `feed` panicked or a ticket was lost.
pub fn ordered<R: Send, E: From<WorkerPanicked>>(
    limit: usize,
    feed: impl FnOnce(Tickets<R>) + Send,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // The result that `sink` handles is out, too.
    let (places, results) = sync_channel(limit.saturating_sub(1));
    let reader = Arc::new(());
    let tickets = Tickets { places, taken: 0, reader: Arc::downgrade(&reader) };
    thread::scope(|scope| {
        let feeder = scope.spawn(move || feed(tickets));
        let mut in_order = results.iter().map_while(|result| result.recv().map_err(|_| WorkerPanicked).transpose());
        let sunk = in_order.try_for_each(|result| sink(result?));
        drop((results, reader));
        let fed = feeder.join().map_err(|_| WorkerPanicked.into());
        sunk.and(fed)
    })
}

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
        for (item, ticket) in queue.iter().filter(|(_, ticket)| ticket.is_wanted()) {
            ticket.finish(work(&mut state, item));
        }
    };
    in_batches(limit, threads, items, worker, sink)
}

/// As [`in_order`], for workers that have several items in work at once: `worker` takes items from the queue until
/// [`batch`] gives none, and finishes their tickets in any order.
///
/// # Errors
/// As [`in_order`].
pub fn in_batches<T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: usize,
    threads: NonZeroUsize,
    mut items: impl Iterator<Item = T> + Send,
    worker: impl Fn(&Queue<(T, Ticket<R>)>) + Sync,
    sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let (sender, queue) = unbounded();
    let feed = move |mut tickets: Tickets<R>| {
        while let Some(ticket) = tickets.take() {
            match items.next() {
                // Without workers the ticket is lost, which the reader sees.
                Some(item) => _ = sender.send((item, ticket)),
                None => return ticket.end(),
            }
        }
    };
    thread::scope(|scope| {
        let worker = &worker;
        let start = |queue| scope.spawn(move || worker(&queue));
        let threads: Vec<_> = (0..threads.get()).map(|_| start(queue.clone())).collect();
        // Items are dropped when the last worker has gone.
        drop(queue);
        let sunk = ordered(limit, feed, sink);
        // Every thread is joined, whether or not another one panicked.
        let panicked = threads.into_iter().fold(false, |panicked, thread| thread.join().is_err() | panicked);
        if panicked { Err(WorkerPanicked.into()) } else { sunk }
    })
}

/// After waiting for it, the next item, followed by each item that is there when the iterator is asked: for a worker that
/// refills its batch. `None` after the end of the queue.
pub fn batch<T>(queue: &Queue<T>) -> Option<impl Iterator<Item = T>> {
    Some(std::iter::once(queue.recv().ok()?).chain(queue.try_iter()))
}

/// Threads that take items from one queue until they are dropped; any number of callers may push items.
pub struct Workers<T> {
    queue: Sender<T>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `threads` threads, at least 1, called `name` and a number. Each calls `worker`, which takes items from the
    /// queue until [`batch`] gives none. The items of a worker that panics are dropped, and when the last worker has gone,
    /// so are all items that wait and all later ones.
    ///
    /// # Errors
    /// If the operating system starts no thread.
    pub fn start(name: &str, threads: usize, worker: impl Fn(&Queue<T>) + Send + Sync + 'static) -> io::Result<Self> {
        let worker = Arc::new(worker);
        let (sender, queue) = unbounded();
        let mut workers = Self { queue: sender, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (queue, worker) = (queue.clone(), Arc::clone(&worker));
            let builder = thread::Builder::new().name(format!("{name}-{number}"));
            workers.threads.push(builder.spawn(move || worker(&queue))?);
        }
        Ok(workers)
    }
}

impl<T> Workers<T> {
    /// Gives the workers an item.
    pub fn push(&self, item: T) {
        // Without workers the item is dropped.
        let _ = self.queue.send(item);
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        // The threads' queue ends with its only sender.
        self.queue = unbounded().0;
        for thread in self.threads.drain(..) {
            // A panic has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;

//! Work on several threads, with results in order and within a bound.
//!
//! ```text
//! feeder ── Tickets::take ──▶ Queue ──▶ workers ── Ticket::finish ──▶ sink
//! ```
//!
//! A feeder takes a [`Ticket`] for each item before the item enters, and the ticket comes back when the item's result
//! has left through the sink. So a fixed number of items is in flight, whether they wait, are worked on, or are done
//! and wait for a slower one before them. Items of unequal size weigh their tickets, and the sum of the weights is
//! bounded, too. A worker that panics loses its tickets, which ends the work with [`WorkerPanicked`].
//!
//! * [`in_order`] and [`in_batches`] do all of this for workers that live as long as the call.
//! * [`Workers`] live on; their callers use [`ordered`] to get their own results.

use crossbeam_channel::{Receiver, unbounded};
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;

/// Items that wait for a worker, first in first out. A queue has no bound of its own: where each item holds a
/// [`Ticket`], the limit of tickets is the bound.
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

/// How much may be in flight at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The number of items; 0 counts as 1.
    pub items: usize,
    /// The sum of the weights of the items: bytes, as a rule. An item that is heavier goes alone.
    pub weight: usize,
}

impl Limit {
    /// A limit of the number of items alone.
    #[must_use]
    pub const fn items(items: usize) -> Self {
        Self { items, weight: usize::MAX }
    }
}

/// The sum of the weights in flight.
#[derive(Debug)]
struct Scale {
    most: usize,
    /// The sum, or `None` if no result is wanted any more.
    sum: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Scale {
    fn new(most: usize) -> Self {
        Self { most, sum: Mutex::new(Some(0)), changed: Condvar::new() }
    }

    fn is_full(&self, sum: Option<usize>, weight: usize) -> bool {
        sum.is_some_and(|sum| sum > 0 && sum.saturating_add(weight) > self.most)
    }

    fn fits(&self, weight: usize) -> bool {
        !self.is_full(*self.sum.lock().unwrap_or_else(PoisonError::into_inner), weight)
    }

    /// Adds a weight, after waiting until it fits or until nothing else is in flight.
    fn add(&self, weight: usize) {
        let sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |sum: &mut Option<usize>| self.is_full(*sum, weight);
        let mut sum = self.changed.wait_while(sum, full).unwrap_or_else(PoisonError::into_inner);
        *sum = sum.map(|sum| sum.saturating_add(weight));
    }

    fn take_off(&self, weight: usize) {
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.map(|sum| sum.saturating_sub(weight));
        self.changed.notify_all();
    }

    /// Lets everybody pass.
    fn close(&self) {
        *self.sum.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.changed.notify_all();
    }
}

/// A result and the weight of its ticket; `None` instead ends the results.
type Answer<R> = Option<(R, usize)>;

/// Where a feeder takes tickets, in the order of the results.
pub struct Tickets<R> {
    places: SyncSender<mpsc::Receiver<Answer<R>>>,
    taken: usize,
    reader: Weak<Scale>,
}

/// The place of one result. A ticket that is dropped without a result, as by a worker that panics, ends the results
/// with [`WorkerPanicked`].
pub struct Ticket<R> {
    place: SyncSender<Answer<R>>,
    number: usize,
    weight: usize,
    reader: Weak<Scale>,
}

impl<R> Tickets<R> {
    /// The next ticket, after waiting until fewer tickets than the limit are out. `None` if results are no longer
    /// wanted.
    #[must_use]
    pub fn take(&mut self) -> Option<Ticket<R>> {
        let (place, result) = sync_channel(1);
        self.places.send(result).ok()?;
        self.taken += 1;
        Some(Ticket { place, number: self.taken - 1, weight: 0, reader: Weak::clone(&self.reader) })
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

    /// Whether an item of this weight can enter immediately.
    #[must_use]
    pub fn fits(&self, weight: usize) -> bool {
        self.reader.upgrade().is_none_or(|scale| scale.fits(weight))
    }

    /// Makes the ticket heavier until the sink has handled its result. Waits until the weight fits or until no other
    /// weight is in flight: all earlier items must be with workers.
    pub fn weigh(&mut self, weight: usize) {
        if let Some(scale) = self.reader.upgrade() {
            scale.add(weight);
            self.weight = self.weight.saturating_add(weight);
        }
    }

    /// Puts the result in its place.
    pub fn finish(self, result: R) {
        // The reader may have gone.
        let _ = self.place.send(Some((result, self.weight)));
    }

    /// Ends the results before this ticket, for which there is no item.
    pub fn end(self) {
        let _ = self.place.send(None);
    }
}

/// Lets `feed` take tickets on a thread of its own, and hands the results to `sink` in the order of their tickets, each
/// as soon as it and those before it are there. At most as many tickets as the limit says are out at a time: a ticket
/// is out from [`Tickets::take`] until `sink` has handled its result. The results end when `feed` returns.
///
/// # Errors
/// The first error of `sink`, after which no ticket is given; [`WorkerPanicked`] if `feed` panicked or a ticket was
/// lost.
pub fn ordered<R: Send, E: From<WorkerPanicked>>(
    limit: Limit,
    feed: impl FnOnce(Tickets<R>) + Send,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    ordered_dyn(limit, Box::new(feed), &mut sink)
}

/// A feeder of any kind.
type Feed<'f, R> = Box<dyn FnOnce(Tickets<R>) + Send + 'f>;

/// As [`ordered`]. The functions of this module are compiled once for each kind of result, not once for each caller:
/// with the callers' types, threads and channels were an eighth of the command line's code.
fn ordered_dyn<R: Send, E: From<WorkerPanicked>>(
    limit: Limit,
    feed: Feed<'_, R>,
    sink: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // The result that `sink` handles is out, too.
    let (places, results) = sync_channel(limit.items.saturating_sub(1));
    let scale = Arc::new(Scale::new(limit.weight));
    let tickets = Tickets { places, taken: 0, reader: Arc::downgrade(&scale) };
    thread::scope(|scope| {
        let feeder = thread::Builder::new().spawn_scoped(scope, move || feed(tickets)).map_err(|_| WorkerPanicked)?;
        let mut in_order = results.iter().map_while(|result| result.recv().map_err(|_| WorkerPanicked).transpose());
        let sunk: Result<(), E> = in_order.try_for_each(|answer| {
            let (result, weight) = answer?;
            sink(result)?;
            scale.take_off(weight);
            Ok(())
        });
        scale.close();
        drop((results, scale));
        let fed = feeder.join().map_err(|_| WorkerPanicked.into());
        sunk.and(fed)
    })
}

/// Does `work` with each item on `threads` threads, each with a `state` of its own, and hands the results to `sink` in
/// the order of the items, each as soon as it and those before it are there. At most as many items as the limit says
/// are in flight; `weigh` returns the weight of an item.
///
/// # Errors
/// The first error of `sink`, which ends the work; [`WorkerPanicked`] if `items` or `work` panicked.
pub fn in_order<S, T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: Limit,
    weigh: impl Fn(&T) -> usize + Send,
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
    in_batches(limit, weigh, threads, items, worker, sink)
}

/// As [`in_order`], for workers that have several items in work at once: `worker` takes items from the queue until
/// [`batch`] gives none, and finishes their tickets in any order.
///
/// # Errors
/// As [`in_order`].
pub fn in_batches<T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: Limit,
    weigh: impl Fn(&T) -> usize + Send,
    threads: NonZeroUsize,
    mut items: impl Iterator<Item = T> + Send,
    worker: impl Fn(&Queue<(T, Ticket<R>)>) + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut weighed = move || items.next().map(|item| (weigh(&item), item));
    in_batches_dyn(limit, threads, &mut weighed, &worker, &mut sink)
}

/// A worker of any kind.
type Worker<'w, T, R> = dyn Fn(&Queue<(T, Ticket<R>)>) + Sync + 'w;

/// As [`in_batches`]; `items` gives items with their weights.
fn in_batches_dyn<T: Send, R: Send, E: From<WorkerPanicked>>(
    limit: Limit,
    threads: NonZeroUsize,
    items: &mut (dyn FnMut() -> Option<(usize, T)> + Send),
    worker: &Worker<'_, T, R>,
    sink: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let (sender, queue) = unbounded();
    let mut feed = move |mut tickets: Tickets<R>| {
        while let Some(mut ticket) = tickets.take() {
            match items() {
                // Without workers the ticket is lost, which the reader sees.
                Some((weight, item)) => {
                    ticket.weigh(weight);
                    let _ = sender.send((item, ticket));
                }
                None => return ticket.end(),
            }
        }
    };
    thread::scope(|scope| {
        let all = Mutex::new(Vec::new());
        let started = &all;
        let start = |queue| thread::Builder::new().spawn_scoped(scope, move || worker(&queue)).ok();
        // Where the system gives fewer threads, these do the work; without any the tickets are lost. They start on the
        // feeder's thread, so that there is a feeder.
        let feed = move |tickets: Tickets<R>| {
            let workers: Vec<_> = (0..threads.get()).map_while(|_| start(queue.clone())).collect();
            *started.lock().unwrap_or_else(PoisonError::into_inner) = workers;
            // Items are dropped when the last worker has gone.
            drop(queue);
            feed(tickets);
        };
        let sunk = ordered_dyn(limit, Box::new(feed), sink);
        // Every thread is joined, whether or not another one panicked.
        let started = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let panicked = started.into_iter().fold(false, |panicked, thread| thread.join().is_err() | panicked);
        if panicked { Err(WorkerPanicked.into()) } else { sunk }
    })
}

/// After waiting for it, the next item, followed by each item that is there when the iterator is asked: for a worker
/// that refills its batch. `None` after the end of the queue.
pub fn batch<T>(queue: &Queue<T>) -> Option<impl Iterator<Item = T>> {
    Some(std::iter::once(queue.recv().ok()?).chain(queue.try_iter()))
}

mod workers;
pub use workers::{NotReady, Workers};

#[cfg(test)]
mod tests;

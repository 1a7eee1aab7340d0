//! Results in the order of their tickets, within a window.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The two ends of a new order: tickets are taken at one, and results come out at the other in the order of their
/// tickets. At most `limit` tickets (at least 1) are out at a time: a ticket is out from [`Tickets::take`] until the
/// reader has handled its result, which is when the reader asks for the next one.
#[must_use]
pub fn ordered<R>(limit: usize) -> (Tickets<R>, Results<R>) {
    let order = Arc::new(Order { limit: limit.max(1), ..Order::default() });
    (Tickets(Arc::clone(&order)), Results { order, reading: false })
}

/// Where tickets are taken. The results end when this is dropped and all tickets taken are done.
pub struct Tickets<R>(Arc<Order<R>>);

/// The place of one result. A ticket that is dropped before it is done, as by a worker that panics, is lost: the results
/// then end with [`Lost`].
pub struct Ticket<R> {
    order: Arc<Order<R>>,
    number: usize,
    done: bool,
}

/// The results, in the order of their tickets. When this is dropped, no more tickets are given.
pub struct Results<R> {
    order: Arc<Order<R>>,
    /// Whether the reader has the result of the first place.
    reading: bool,
}

/// A result that never comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

struct Order<R> {
    limit: usize,
    state: Mutex<State<R>>,
    /// The feeder waits for room.
    room: Condvar,
    /// The reader waits for the first result.
    first_done: Condvar,
}

struct State<R> {
    /// The number of the first ticket that is out.
    first: usize,
    /// A place for each ticket that is out: empty until its result is there.
    places: VecDeque<Option<R>>,
    /// The room that the feeder waits for; 0 when it does not wait.
    wanted: usize,
    /// Whether the reader waits.
    reader_waits: bool,
    /// No ticket comes after those that are out.
    ended: bool,
    /// The reader has gone, or a ticket was lost: nothing is wanted any more.
    stopped: bool,
}

impl<R> Default for Order<R> {
    fn default() -> Self {
        let state =
            State { first: 0, places: VecDeque::new(), wanted: 0, reader_waits: false, ended: false, stopped: false };
        Self { limit: 1, state: Mutex::new(state), room: Condvar::new(), first_done: Condvar::new() }
    }
}

impl<R> Order<R> {
    /// The state is whole after every critical section, so that a panic in one leaves it usable.
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_reader(&self, state: &mut State<R>) {
        if std::mem::take(&mut state.reader_waits) {
            self.first_done.notify_one();
        }
    }

    fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        // Results are dropped after the lock is released: they may hold tickets of their own.
        let _places = std::mem::take(&mut state.places);
        self.wake_reader(&mut state);
        self.room.notify_one();
        drop(state);
    }
}

impl<R> Tickets<R> {
    /// The most tickets that are out at a time.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Waits until `count` more tickets, at most [`limit`](Self::limit), can be taken. Whether the results are still wanted.
    #[must_use]
    pub fn wait_for_room(&self, count: usize) -> bool {
        let order = &*self.0;
        let count = count.min(order.limit);
        let full = |state: &mut State<R>| {
            let full = order.limit - state.places.len() < count && !state.stopped;
            state.wanted = if full { count } else { 0 };
            full
        };
        !order.room.wait_while(order.lock(), full).unwrap_or_else(PoisonError::into_inner).stopped
    }

    /// The next ticket, after waiting for room. When results are no longer wanted, the ticket has no effect.
    #[must_use]
    pub fn take(&mut self) -> Ticket<R> {
        let _ = self.wait_for_room(1);
        let mut state = self.0.lock();
        let number = state.first + state.places.len();
        if !state.stopped {
            state.places.push_back(None);
        }
        Ticket { order: Arc::clone(&self.0), number, done: false }
    }
}

impl<R> Drop for Tickets<R> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        self.0.wake_reader(&mut state);
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
        !self.order.lock().stopped
    }

    /// Puts the result in its place.
    pub fn finish(mut self, result: R) {
        self.done = true;
        let mut state = self.order.lock();
        if state.stopped {
            return;
        }
        let place = self.number - state.first;
        state.places[place] = Some(result);
        if place == 0 {
            self.order.wake_reader(&mut state);
        }
    }
}

impl<R> Drop for Ticket<R> {
    fn drop(&mut self) {
        if !self.done {
            self.order.stop();
        }
    }
}

impl<R> Iterator for Results<R> {
    type Item = Result<R, Lost>;

    /// The next result, after waiting for it; none after the last one. A ticket lost anywhere gives [`Lost`] at once.
    fn next(&mut self) -> Option<Self::Item> {
        let order = &*self.order;
        let mut state = order.lock();
        if std::mem::take(&mut self.reading) && !state.stopped {
            state.places.pop_front();
            state.first += 1;
            if state.wanted > 0 && order.limit - state.places.len() >= state.wanted {
                order.room.notify_one();
            }
        }
        let pending = |state: &mut State<R>| {
            state.reader_waits = !state.stopped
                && match state.places.front() {
                    Some(first) => first.is_none(),
                    None => !state.ended,
                };
            state.reader_waits
        };
        let mut state = order.first_done.wait_while(state, pending).unwrap_or_else(PoisonError::into_inner);
        if state.stopped {
            return Some(Err(Lost));
        }
        let result = state.places.front_mut()?.take();
        self.reading = true;
        result.map(Ok)
    }
}

impl<R> Drop for Results<R> {
    fn drop(&mut self) {
        self.order.stop();
    }
}

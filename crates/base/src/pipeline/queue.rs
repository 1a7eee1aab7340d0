//! Items that wait for a worker.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Items that wait for a worker, first in first out. A queue has no bound of its own: where each item holds a
/// [`Ticket`](super::Ticket), the window of tickets is the bound.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    not_empty: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    /// No item comes after those that wait.
    ended: bool,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State { items: VecDeque::new(), ended: false }), not_empty: Condvar::new() }
    }
}

impl<T> Queue<T> {
    /// The state is whole after every critical section, so that a panic in one leaves it usable.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item at the end; an item that comes after the end of the queue is dropped.
    pub fn push(&self, item: T) {
        let mut state = self.lock();
        if !state.ended {
            state.items.push_back(item);
            self.not_empty.notify_one();
        }
    }

    /// The next item if there is one now.
    fn try_next(&self) -> Option<T> {
        self.lock().items.pop_front()
    }

    /// The next item, after waiting for it. None after the end of the queue.
    pub fn next(&self) -> Option<T> {
        let waiting = |state: &mut State<T>| state.items.is_empty() && !state.ended;
        let waited = self.not_empty.wait_while(self.lock(), waiting);
        waited.unwrap_or_else(PoisonError::into_inner).items.pop_front()
    }

    /// After waiting for it, the next item, followed by each item that is there when the iterator is asked: for a worker
    /// that refills its batch. None after the end of the queue.
    pub fn batch(&self) -> Option<impl Iterator<Item = T>> {
        let first = self.next()?;
        Some(std::iter::once(first).chain(std::iter::from_fn(|| self.try_next())))
    }

    /// Ends the queue: the items that wait are the last.
    pub fn end(&self) {
        self.lock().ended = true;
        self.not_empty.notify_all();
    }

    /// Ends the queue at once: the items that wait are dropped.
    pub fn close(&self) {
        let mut state = self.lock();
        state.ended = true;
        let dropped = std::mem::take(&mut state.items);
        self.not_empty.notify_all();
        drop(state);
        drop(dropped);
    }
}

/// Closes a queue if the worker that holds this panics: otherwise its items would wait for ever.
pub(super) struct CloseOnPanic<'q, T>(pub(super) &'q Queue<T>);

impl<T> Drop for CloseOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

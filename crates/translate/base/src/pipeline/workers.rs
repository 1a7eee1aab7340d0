//! Threads that outlive the calls which give them work.

use super::Queue;
use crossbeam_channel::{Sender, unbounded};
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

/// Threads that take items from one queue until they are dropped; any number of callers may push items. The threads
/// start when the first item comes, so that a process may fork before.
pub struct Workers<T> {
    queue: Sender<T>,
    /// Starts the threads; `None` once they run.
    start: Mutex<Option<Start>>,
    running: OnceLock<WorkerThreads>,
}

type Start = Box<dyn Fn() -> io::Result<Vec<JoinHandle<()>>> + Send>;

/// Threads that have started.
struct WorkerThreads {
    /// The process that has them.
    process: u32,
    threads: Vec<JoinHandle<()>>,
}

/// Why no item can be pushed.
#[derive(Debug)]
pub enum NotReady {
    /// The operating system starts no thread.
    Threads(io::Error),
    /// The threads are in this other process, from which this one was forked.
    Forked(u32),
}

impl<T: Send + 'static> Workers<T> {
    /// Workers with `threads` threads, at least 1, called `name` and a number. Each calls `worker`, which takes items
    /// from the queue until [`batch`](super::batch) gives none. The items of a worker that panics are dropped, and when
    /// the last worker has gone, so are all items that wait and all later ones.
    pub fn new(name: &'static str, threads: usize, worker: impl Fn(&Queue<T>) + Send + Sync + 'static) -> Self {
        let worker = Arc::new(worker);
        let (sender, queue) = unbounded();
        let spawn = move |number| {
            let (queue, worker) = (queue.clone(), Arc::clone(&worker));
            thread::Builder::new().name(format!("{name}-{number}")).spawn(move || worker(&queue))
        };
        let start: Start = Box::new(move || (0..threads.max(1)).map(&spawn).collect());
        Self { queue: sender, start: Mutex::new(Some(start)), running: OnceLock::new() }
    }
}

impl<T> Workers<T> {
    /// Starts the threads, if they have not started yet. To be called before [`push`](Self::push).
    ///
    /// # Errors
    /// [`NotReady`] if there are no threads in this process.
    pub fn ready(&self) -> Result<(), NotReady> {
        let process = std::process::id();
        let Some(running) = self.running.get() else {
            let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(spawn) = &*start {
                let threads = spawn().map_err(NotReady::Threads)?;
                // The queue ends with the threads, as nobody else receives.
                *start = None;
                let _ = self.running.set(WorkerThreads { process, threads });
            }
            return Ok(());
        };
        if running.process == process { Ok(()) } else { Err(NotReady::Forked(running.process)) }
    }

    /// Gives the workers an item.
    pub fn push(&self, item: T) {
        // Without workers the item is dropped.
        let _ = self.queue.send(item);
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        let queue = std::mem::replace(&mut self.queue, unbounded().0);
        let Some(WorkerThreads { process, threads }) = self.running.take() else { return };
        if process != std::process::id() {
            // Threads of another process can neither be notified nor joined.
            std::mem::forget((queue, threads));
            return;
        }
        // The threads' queue ends with its only sender.
        drop(queue);
        for thread in threads {
            // A panic has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

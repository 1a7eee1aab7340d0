//! Threads that divide products among them: for one sentence at a time, where there are no other sentences to divide.
//!
//! Each thread computes the columns of its own panels, each of which is a sum of its own: so the bits are those of one
//! thread.

use std::cell::{RefCell, UnsafeCell};
use std::hint::spin_loop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::isa::{instruction_set, with_instruction_set};

/// Runs `body`; products that it computes on this thread are divided among `threads` threads, this one included, if
/// their weights are so large that it pays. No bit depends on the number of threads, and fewer are taken if the system
/// starts no more.
///
/// The other threads compute with the instruction set that this thread has now. While `body` computes they wait for the
/// next product without sleeping, for 0.1 ms or so, because waking takes longer than a small product. A part that its
/// thread has not begun when this thread is ready, as the system gave that thread no CPU, is computed here: more
/// threads than CPUs, or a busy machine, cost little.
///
/// # Panics
/// If `body` panics.
pub fn with_team<R>(threads: usize, body: impl FnOnce() -> R) -> R {
    /// Ends the helpers, also when `body` panics.
    struct End<'a>(&'a Team, Option<(Arc<Team>, usize)>);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            TEAM.replace(self.1.take());
            self.0.announce(END);
        }
    }
    let (team, set) = (Arc::new(Team::new(threads)), instruction_set());
    thread::scope(|scope| {
        let start = |part: &usize| {
            let (team, part) = (&*team, *part);
            let help = move || with_instruction_set(set, move || team.help(part));
            thread::Builder::new().name("team".into()).spawn_scoped(scope, help).is_ok()
        };
        let helpers = (1..threads).take_while(start).count();
        let before = TEAM.replace((helpers > 0).then(|| (Arc::clone(&team), helpers)));
        let _end = End(&team, before);
        body()
    })
}

/// Whether [`with_team`] divides products on this thread.
#[must_use]
pub fn in_team() -> bool {
    TEAM.with_borrow(Option::is_some)
}

/// Calls `work` with ranges that cover the numbers of all `panels`, on the threads of this thread's team if `bytes` are
/// many.
pub(crate) fn divide(panels: usize, bytes: usize, work: impl Fn(Range<usize>) + Sync) {
    TEAM.with_borrow(|team| match team {
        Some((team, helpers)) if bytes >= LEAST_BYTES => {
            let parts = helpers + 1;
            // In steps of the widest tiles.
            let start = |part| if part == parts { panels } else { panels * part / parts / 8 * 8 };
            team.run(*helpers, &|part| work(start(part)..start(part + 1)));
        }
        _ => work(0..panels),
    });
}

/// A product of fewer bytes takes less than some microseconds.
const LEAST_BYTES: usize = 128 << 10;

/// About 0.1 ms.
const SPINS: usize = 8_000;

/// The number of the round that ends the helpers.
const END: usize = usize::MAX;

thread_local! {
    /// The team of this thread, and how many helpers it has.
    static TEAM: RefCell<Option<(Arc<Team>, usize)>> = const { RefCell::new(None) };
}

/// A task gets the number of a part.
type Task<'a> = dyn Fn(usize) + Sync + 'a;

/// The state that the threads of a team share.
struct Team {
    /// Grows by one with each task.
    round: AtomicUsize,
    /// For each part the last round in which a thread took it.
    taken: Box<[AtomicUsize]>,
    /// Parts of this round that no thread has taken, or that a helper has not ended.
    open: AtomicUsize,
    task: UnsafeCell<Option<*const Task<'static>>>,
    panicked: AtomicBool,
    /// Helpers that sleep or are about to.
    asleep: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

// SAFETY: `task` is written only while no part is open, and read only by helpers that have an open part: `run` and
// `help` ensure this. The task it points to is `Sync`.
#[allow(unsafe_code)]
unsafe impl Sync for Team {}
// SAFETY: as above; the pointer is of no thread.
#[allow(unsafe_code)]
unsafe impl Send for Team {}

impl Team {
    fn new(threads: usize) -> Self {
        Self {
            round: AtomicUsize::new(0),
            taken: (0..threads.max(1)).map(|_| AtomicUsize::new(0)).collect(),
            open: AtomicUsize::new(0),
            task: UnsafeCell::new(None),
            panicked: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Runs `task` for part 0 here and for parts 1 to `helpers` on the helpers, or here, too, if they have not begun.
    #[allow(unsafe_code)]
    fn run(&self, helpers: usize, task: &Task<'_>) {
        /// Waits for the helpers, also when a part of this thread panics: then parts that nobody has begun stay undone.
        struct Wait<'a> {
            team: &'a Team,
            helpers: usize,
            round: usize,
        }
        impl Drop for Wait<'_> {
            fn drop(&mut self) {
                let Self { team, helpers, round } = *self;
                (1..=helpers).for_each(|part| _ = team.steal(part, round));
                let mut spins = 0;
                while team.open.load(Ordering::Acquire) > 0 {
                    // A helper may have no CPU.
                    if spins < SPINS {
                        spin_loop()
                    } else {
                        thread::yield_now()
                    }
                    spins += 1;
                }
            }
        }
        // SAFETY: the lifetime is made longer, but helpers use the task only while their part is open, and `Wait` waits
        // until none is before this function ends in any way.
        let lasting = unsafe { std::mem::transmute::<&Task<'_>, &'static Task<'static>>(task) };
        // SAFETY: no part is open, because the call before has waited for them, so none reads the cell before the next
        // round.
        unsafe { *self.task.get() = Some(std::ptr::from_ref(lasting)) };
        self.open.store(helpers, Ordering::Relaxed);
        let round = self.round.load(Ordering::Relaxed) + 1;
        let wait = Wait { team: self, helpers, round };
        self.announce(round);
        task(0);
        (1..=helpers).filter(|&part| self.steal(part, round)).for_each(task);
        drop(wait);
        assert!(!self.panicked.swap(false, Ordering::Relaxed), "a part of a product panicked");
    }

    /// Takes a part of this round, if no thread has taken it. Each part is taken once in each round, so a thread that
    /// comes too late for a round finds that its part was taken.
    fn take(&self, part: usize, round: usize) -> bool {
        self.taken[part].compare_exchange(round - 1, round, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// As [`take`](Self::take), for the thread that waits for the open parts.
    fn steal(&self, part: usize, round: usize) -> bool {
        let taken = self.take(part, round);
        if taken {
            self.open.fetch_sub(1, Ordering::Relaxed);
        }
        taken
    }

    /// Begins a round.
    fn announce(&self, round: usize) {
        // Before `asleep` is read, as a helper counts itself before it reads the round a last time: one of the two sees
        // the other.
        self.round.store(round, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 {
            drop(self.lock());
            self.wake.notify_all();
        }
    }

    /// Does the part of each task until the last round.
    #[allow(unsafe_code)]
    fn help(&self, part: usize) {
        let mut round = 0;
        loop {
            round = self.wait(round);
            if round == END {
                return;
            }
            if !self.take(part, round) {
                continue;
            }
            // SAFETY: the task was written before the round was announced, and stays until this part is no longer open.
            let task = unsafe { (*self.task.get()).map(|task| &*task) };
            if catch_unwind(AssertUnwindSafe(|| task.map(|task| task(part)))).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.open.fetch_sub(1, Ordering::Release);
        }
    }

    /// The round that follows this one, when it has begun.
    fn wait(&self, done: usize) -> usize {
        for _ in 0..SPINS {
            let round = self.round.load(Ordering::Acquire);
            if round != done {
                return round;
            }
            spin_loop();
        }
        let mut guard = self.lock();
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let round = loop {
            let round = self.round.load(Ordering::SeqCst);
            if round != done {
                break round;
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        };
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        round
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.sleep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Work that is divided among threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The results of `work` on each item, in the order of the items, on up to `threads` threads, of which the caller's is
/// one. Where the system starts fewer threads, these do the work.
///
/// # Panics
/// If `work` panics.
pub fn in_parallel<T: Send, R: Send>(
    threads: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.into_iter().collect();
    let helpers = threads.min(items.len()).saturating_sub(1);
    divide(helpers, items, work, || ()).0
}

/// As [`in_parallel`], on `threads` threads in addition to the caller's, which runs `meanwhile` first and then helps.
///
/// # Panics
/// If `work` or `meanwhile` panics.
pub fn in_parallel_while<T: Send, R: Send, M>(
    threads: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<R>, M) {
    let items: Vec<T> = items.into_iter().collect();
    divide(threads.min(items.len()), items, work, meanwhile)
}

fn divide<T: Send, R: Send, M>(
    helpers: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<R>, M) {
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let help = || {
        let mut done = Vec::new();
        while let Some((number, item)) = next() {
            done.push((number, work(item)));
        }
        done
    };
    let (mut done, meanwhile) = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, help).ok();
        let started: Vec<_> = (0..helpers).map_while(start).collect();
        let meanwhile = meanwhile();
        let mut done = help();
        for thread in started {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        (done, meanwhile)
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    (done.into_iter().map(|(_, result)| result).collect(), meanwhile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::current;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let expected: Vec<usize> = (0..100).map(|n| n * n).collect();
        for threads in [0, 1, 2, 7, 1000] {
            assert_eq!(in_parallel(threads, 0..100, |n| n * n), expected, "{threads} threads");
            let found = in_parallel_while(threads, 0..100, |n| n * n, || "done");
            assert_eq!(found, (expected.clone(), "done"), "{threads} threads");
        }
        assert_eq!(in_parallel(3, [(); 0], |()| 1), []);
    }

    #[test]
    fn each_thread_takes_part() {
        // Each item waits for the others, so that each is on a thread of its own.
        let barrier = Barrier::new(4);
        let threads = in_parallel(4, 0..4, |_| {
            barrier.wait();
            current().id()
        });
        assert_eq!(threads.iter().collect::<HashSet<_>>().len(), 4);
        assert!(threads.contains(&current().id()));
    }

    #[test]
    fn one_thread_is_the_callers() {
        assert_eq!(in_parallel(1, 0..3, |_| current().id()), [current().id(); 3]);
    }

    #[test]
    #[should_panic(expected = "item 5")]
    fn a_panic_is_the_callers() {
        in_parallel(3, 0..9, |item| assert_ne!(item, 5, "item {item}"));
    }
}

//! Work on sentence pairs by several threads.

use metaphrase_base::in_parallel;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs that a thread takes at once.
const CHUNK: usize = 256;

/// Calls `work(state, pair)` for each pair below `pairs`, in any order, and returns the states, one for each thread.
/// The caller merges the states; their merged content must not depend on which thread took which pair. Results here are
/// sums in no order, which is why [`metaphrase_base::pipeline`] with its tickets is not used.
pub(crate) fn for_each_pair<S: Send>(
    pairs: usize,
    threads: NonZeroUsize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let run = |_| {
        let mut state = state();
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= pairs {
                return state;
            }
            (start..pairs.min(start + CHUNK)).for_each(|pair| work(&mut state, pair));
        }
    };
    // No more threads than have work.
    let threads = threads.get().min(pairs.div_ceil(CHUNK));
    in_parallel(threads, 0..threads.max(1), run)
}

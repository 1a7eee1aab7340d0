//! Sentences on several threads.

use crate::Workspace;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` gives for each number below `sentences`, in their order. Each workspace has a thread, as long as there is
/// a sentence for it; the first one's is the caller's, which also works if there is none. The result does not depend on
/// how many there are.
pub fn for_each_sentence<R: Send>(
    sentences: usize,
    workspaces: &mut [Workspace],
    work: impl Fn(usize, &mut Workspace) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = |workspace: &mut Workspace| {
        let mut done = Vec::new();
        loop {
            let sentence = next.fetch_add(1, Ordering::Relaxed);
            if sentence >= sentences {
                return done;
            }
            done.push((sentence, work(sentence, workspace)));
        }
    };
    let mut spare = Workspace::default();
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let (own, others) = workspaces.split_first_mut().unwrap_or((&mut spare, &mut []));
        // No thread for what this one does alone.
        let wanted = others.len().min(sentences.saturating_sub(1));
        let threads: Vec<_> = others[..wanted].iter_mut().map(|other| scope.spawn(|| work(other))).collect();
        let mut done = work(own);
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(sentence, _)| *sentence);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            let mut workspaces: Vec<Workspace> = std::iter::repeat_with(Workspace::default).take(threads).collect();
            for sentences in [0, 1, 5, 100] {
                let squares = for_each_sentence(sentences, &mut workspaces, |sentence, _| sentence * sentence);
                assert!(squares.into_iter().eq((0..sentences).map(|sentence| sentence * sentence)));
            }
        }
    }
}

//! Work on several threads with results that do not depend on their number.

use metaphrase_base::in_parallel;

/// Shares that the work is always cut into, and so the most threads that are of use.
const SHARES: usize = 16;

/// Cuts `items` into shares, calls `work` with each on up to `threads` threads and adds the results to `sum`, in
/// the order of the shares.
pub(super) fn sum_of_shares<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    mut sum: R,
    work: impl Fn(&mut dyn Iterator<Item = &T>) -> R + Sync,
    add: impl Fn(&mut R, R),
) -> R {
    // Frequent words are the short ones: every 16th item makes even shares.
    let share = |first: usize| work(&mut items.iter().skip(first).step_by(SHARES));
    let shares: Vec<usize> = (0..SHARES).collect();
    for together in shares.chunks(threads.clamp(1, SHARES)) {
        let results = in_parallel(together.len(), together.iter().copied(), share);
        results.into_iter().for_each(|result| add(&mut sum, result));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_threads() {
        let items: Vec<f64> = (0..1000).map(|i| 1.0 / f64::from(i + 1)).collect();
        let sum = |threads| {
            let work = |share: &mut dyn Iterator<Item = &f64>| share.sum::<f64>();
            sum_of_shares(&items, threads, 0.0, work, |all, more| *all += more)
        };
        assert!([2, 3, 16, 100].iter().all(|&threads| sum(threads).to_bits() == sum(1).to_bits()));
        assert!((sum(1) - 7.485_470_860_550_345).abs() < 1e-12);
    }
}

//! Which neurons of a layer stay.

use super::dense::{Dense, add_scaled};

/// Less than this share of a neuron's own activity is rounding.
const EXPLAINED: f64 = 1e-6;

/// `count` neurons in ascending order, chosen one after the other: always the neuron that explains most of what the
/// neurons before left unexplained of some targets. This is orthogonal matching pursuit (Pati et al. 1993), computed as
/// a Cholesky factorisation that chooses its pivots.
///
/// `gram` are the products of the neurons' activities with each other, `neurons × neurons`, and `targets` those with
/// what is to be explained, `neurons × targets`.
pub(super) fn choose(mut gram: Dense, mut targets: Dense, count: usize) -> Vec<usize> {
    let own: Vec<f64> = (0..gram.rows).map(|i| gram.row(i)[i]).collect();
    let mut chosen = vec![false; gram.rows];
    for _ in 0..count.min(gram.rows) {
        let left = |i: usize| if chosen[i] { 0.0 } else { gram.row(i)[i] };
        let gain = |i: usize| {
            let explains = targets.row(i).iter().map(|number| number * number).sum::<f64>();
            if left(i) > EXPLAINED * own[i] { explains / left(i) } else { -1.0 }
        };
        // Neurons that are explained already, as copies are, come last.
        let candidates = (0..gram.rows).filter(|&i| !chosen[i]).map(|i| (i, gain(i)));
        let best = candidates.fold(None, |best: Option<(usize, f64)>, (i, gain)| match best {
            Some((_, most)) if most >= gain => best,
            _ => Some((i, gain)),
        });
        let Some((pivot, gain)) = best else { break };
        chosen[pivot] = true;
        if gain >= 0.0 {
            explain(&mut gram, &mut targets, pivot);
        }
    }
    (0..gram.rows).filter(|&i| chosen[i]).collect()
}

/// Takes from all products the part that a neuron explains.
fn explain(gram: &mut Dense, targets: &mut Dense, pivot: usize) {
    let (pivot_row, its_targets) = (gram.row(pivot).to_vec(), targets.row(pivot).to_vec());
    for i in 0..gram.rows {
        let share = pivot_row[i] / pivot_row[pivot];
        if share != 0.0 {
            add_scaled(gram.row_mut(i), -share, &pivot_row);
            add_scaled(targets.row_mut(i), -share, &its_targets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Activities of four neurons at four words; the third equals the first, the fourth is hardly active.
    fn activities() -> Dense {
        let numbers = [[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 0.1], [1.0, 1.0, 1.0, 0.0], [-1.0, 0.0, -1.0, 0.0]];
        Dense { rows: 4, columns: 4, numbers: numbers.concat() }
    }

    #[test]
    fn of_two_copies_one_stays() {
        let x = activities();
        let gram = x.transposed().times(&x);
        assert_eq!(choose(gram.clone(), gram.clone(), 2), [0, 1]);
        assert_eq!(choose(gram.clone(), gram.clone(), 3), [0, 1, 3]);
        assert_eq!(choose(gram.clone(), gram, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn a_neuron_that_nobody_reads_goes() {
        let x = activities();
        let gram = x.transposed().times(&x);
        // Only the fourth is read.
        let outgoing = Dense { rows: 4, columns: 1, numbers: vec![0.0, 0.0, 0.0, 1.0] };
        let targets = gram.times(&outgoing);
        assert_eq!(choose(gram, targets, 1), [3]);
    }
}

//! Learned relative positions in self-attention.

use super::attention::{Heads, KeysValues};
use crate::parts::transformer::RelativePositions;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, Rows, add_assign, heads_dot, heads_weighted_sum, softmax_in_place};

/// Shaw et al. 2018, §3.2, for each head of a query at position i over keys at positions j, with r = j - i cut to
/// ±distance:
///
/// ```text
/// e_j = q · (k_j + a_r) / √d_h      out = Σ softmax(e)_j (v_j + b_r)
/// ```
pub(super) struct Relative {
    /// a and b, `2 distance + 1 × d`: the tables of one head, once for each head.
    vectors: KeysValues,
    positions: RelativePositions<()>,
    heads: Heads,
}

/// Work space of [`Relative`].
#[derive(Debug, Default)]
pub(super) struct Work {
    rows: Vec<u32>,
    products: Vec<f32>,
    sum: Vec<f32>,
}

impl Relative {
    /// The relative positions of these tensors, for `heads` heads.
    pub(super) fn pack(parts: &RelativePositions<CheckedTensor<'_>>, heads: Heads) -> Self {
        let repeat = |table: &CheckedTensor<'_>| {
            let numbers = table.numbers();
            let rows = numbers.chunks_exact(table.cols()).flat_map(|row| row.repeat(heads.count));
            Matrix::from_vec(table.rows(), heads.count * table.cols(), rows.collect())
        };
        let vectors = KeysValues { keys: repeat(&parts.keys), values: repeat(&parts.values) };
        Self { vectors, positions: RelativePositions { keys: (), values: (), distance: parts.distance }, heads }
    }

    /// As [`Heads::attend`], of the query at `position` over the words `seen`, which are at positions from 0 on.
    pub(super) fn attend(
        &self,
        (query, position): (&[f32], usize),
        words: &KeysValues,
        seen: &Rows<'_>,
        weights: &mut Vec<f32>,
        work: &mut Work,
        out: &mut [f32],
    ) {
        let Work { rows, products, sum } = work;
        let Heads { count, scale } = self.heads;
        rows.clear();
        rows.extend((0..seen.len()).map(|key| self.positions.row(position, key) as u32));
        for numbers in [&mut *weights, products] {
            numbers.resize(count * seen.len(), 0.0);
        }
        heads_dot(query, &words.keys, seen.clone(), count, scale, weights);
        heads_dot(query, &self.vectors.keys, Rows::List(rows), count, scale, products);
        add_assign(weights, products);
        for of_head in weights.chunks_exact_mut(seen.len()) {
            softmax_in_place(of_head);
        }
        heads_weighted_sum(weights, &words.values, seen.clone(), count, out);
        sum.resize(out.len(), 0.0);
        heads_weighted_sum(weights, &self.vectors.values, Rows::List(rows), count, sum);
        add_assign(out, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    #[test]
    fn distances_are_cut() {
        let positions = RelativePositions { keys: (), values: (), distance: 2 };
        let rows = |query| (0..6).map(|key| positions.row(query, key)).collect::<Vec<_>>();
        assert_eq!(rows(0), [2, 3, 4, 4, 4, 4]);
        assert_eq!(rows(4), [0, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn a_distance_changes_keys_and_values() {
        let table = |name: &'static str, numbers: [f32; 3]| (name, vec![3, 1], numbers.to_vec());
        let tables = [table("a", [0.0, 3_f32.ln(), 0.0]), table("b", [10.0, 20.0, 30.0])];
        let weights = Weights::from_tensors("m", tables).unwrap();
        let tensor = |name: &str| weights.checked(name, [3, 1]).unwrap();
        let relative = Relative::pack(
            &RelativePositions { keys: tensor("a"), values: tensor("b"), distance: 1 },
            Heads::new(2, 2),
        );
        // Two heads of one number. The keys are the same but for their distance: the word itself weighs three times as
        // much as its neighbour.
        let words = KeysValues { keys: Matrix::zeros(2, 2), values: Matrix::from_vec(2, 2, vec![4.0, 0.0, 8.0, 0.0]) };
        let (mut seen, mut out) = (Vec::new(), [0.0; 2]);
        let query = (&[1.0, 1.0][..], 1);
        relative.attend(query, &words, &Rows::Range(0..2), &mut seen, &mut Work::default(), &mut out);
        assert!(seen.iter().zip([0.25, 0.75, 0.25, 0.75]).all(|(w, e)| (w - e).abs() < 1e-6), "{seen:?}");
        // 0.25 · (4 + 10) + 0.75 · (8 + 20) = 24.5; 0.25 · 10 + 0.75 · 20 = 17.5
        assert!((out[0] - 24.5).abs() < 1e-4 && (out[1] - 17.5).abs() < 1e-4, "{out:?}");
    }
}

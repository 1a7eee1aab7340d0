//! Learned relative positions in self-attention.

use super::attention::Form;
use crate::parts::transformer::RelativePositions;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{KeyValueAdditions, KeysValues};

/// Shaw et al. 2018, §3.2, for each head of a query at position i over keys at positions j, with r = j - i cut to
/// ±distance:
///
/// ```text
/// e_j = q · (k_j + a_r) / √d_h      out = Σ softmax(e)_j (v_j + b_r)
/// ```
pub(super) struct RelativeVectors {
    /// a and b, `2 distance + 1 × d`: the tables of one head, once for each head.
    vectors: KeysValues,
    positions: RelativePositions<()>,
}

/// Work space of [`RelativeVectors`].
#[derive(Debug, Default)]
pub(super) struct Work {
    rows: Vec<u32>,
}

impl RelativeVectors {
    /// The relative positions of these tensors, for a layer of this form.
    pub(super) fn pack(parts: &RelativePositions<CheckedTensor<'_>>, form: Form) -> Self {
        let heads = form.heads.count();
        let mut vectors = form.no_words();
        vectors.resize(parts.keys.rows());
        let (keys, values) = (parts.keys.numbers(), parts.values.numbers());
        let width = parts.keys.cols();
        for (i, (key, value)) in keys.chunks_exact(width).zip(values.chunks_exact(width)).enumerate() {
            let key = form.heads.interleaved().map(|column| column.map_or(0.0, |column| key[column % width]));
            vectors.set(i, &key.collect::<Vec<_>>(), &value.repeat(heads));
        }
        Self { vectors, positions: RelativePositions { keys: (), values: (), distance: parts.distance } }
    }

    /// The additions for the query at `position` to keys and values of `seen` words, which are at positions from 0 on.
    pub(super) fn for_query<'a>(&'a self, position: usize, seen: usize, work: &'a mut Work) -> KeyValueAdditions<'a> {
        work.rows.clear();
        work.rows.extend((0..seen).map(|key| self.positions.row(position, key) as u32));
        KeyValueAdditions { table: &self.vectors, rows: &work.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;
    use crate::parts::transformer::Dense;
    use metaphrase_kernels::{AttentionWeights, Rows, attend};

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
        let queries = ("q", vec![1, 2], vec![1.0; 2]);
        let tables = [table("a", [0.0, 3_f32.ln(), 0.0]), table("b", [10.0, 20.0, 30.0]), queries];
        let weights = Weights::from_tensors("m", tables).unwrap();
        let tensor = |name: &str| weights.checked(name, [3, 1]).unwrap();
        let form = Form::new(2, &Dense { w: weights.checked("q", [1, 2]).unwrap(), b: None, activation: None });
        let tables = RelativePositions { keys: tensor("a"), values: tensor("b"), distance: 1 };
        let relative = RelativeVectors::pack(&tables, form);
        // Two heads of one number. The keys are the same but for their distance: the word itself weighs three times as
        // much as its neighbour.
        let mut words = form.no_words();
        words.resize(2);
        [4.0, 8.0].into_iter().enumerate().for_each(|(i, value)| words.set(i, &[0.0; 32], &[value, 0.0]));
        let mut query = [0.0; 32];
        query[..2].fill(1.0); // the first column of each head
        let (mut seen, mut work, mut out) = (AttentionWeights::default(), Work::default(), [0.0; 2]);
        let added = Some(relative.for_query(1, 2, &mut work));
        attend(&query, &words, &Rows::Range(0..2), added, &mut seen, &mut out);
        for head in 0..2 {
            assert!(seen.head(head).zip([0.25, 0.75]).all(|(w, e)| (w - e).abs() < 1e-6), "{seen:?}");
        }
        // 0.25 · (4 + 10) + 0.75 · (8 + 20) = 24.5; 0.25 · 10 + 0.75 · 20 = 17.5
        assert!((out[0] - 24.5).abs() < 1e-4 && (out[1] - 17.5).abs() < 1e-4, "{out:?}");
    }
}

//! Learned relative positions in self-attention.

use super::attention::Form;
use crate::parts::transformer::{PositionBiases, RelativePositions};
use crate::weights::CheckedTensor;
use metaphrase_kernels::{BiasTable, KeyValueAdditions, KeysValues, ProductBiases};

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

/// Raffel et al. 2020, section 2.1: a number for each head and each bucket of distances.
pub(super) struct BucketBiases {
    table: BiasTable,
    /// By distance, up to that of the last bucket: the rows of words before and after the query's.
    before: Vec<u32>,
    after: Vec<u32>,
}

impl BucketBiases {
    /// The biases of these tensors, for a layer of this form.
    pub(super) fn pack(parts: PositionBiases<CheckedTensor<'_>>, form: Form) -> Self {
        let rows = |is_after| (0..=parts.distance).map(|distance| parts.row(distance, is_after) as u32).collect();
        let (before, after) = (rows(false), rows(true));
        Self { table: BiasTable::new(form.heads, &parts.table.numbers()), before, after }
    }

    /// The biases for the query at `position` and `seen` words, which are at positions from 0 on.
    pub(super) fn for_query<'a>(&'a self, position: usize, seen: usize, work: &'a mut Work) -> ProductBiases<'a> {
        let last = self.before.len() - 1;
        let row = |key: usize| match position.checked_sub(key) {
            Some(distance) => self.before[distance.min(last)],
            None => self.after[(key - position).min(last)],
        };
        work.rows.clear();
        work.rows.extend((0..seen).map(row));
        ProductBiases { table: &self.table, rows: &work.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;
    use crate::parts::transformer::Dense;
    use metaphrase_kernels::{AttentionWeights, Rows, attend};

    #[test]
    fn distances_have_buckets() {
        // `T5Attention._relative_position_bucket` of transformers 5.24, with 32 buckets up to 128.
        let biases = |both_ways| PositionBiases { table: (), buckets: 32, distance: 128, both_ways };
        let row = |both_ways, is_after| {
            let biases = biases(both_ways);
            [0, 1, 7, 8, 9, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 127, 128, 1000]
                .map(|distance| biases.row(distance, is_after))
        };
        let before = [0, 1, 7, 8, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 15];
        assert_eq!(row(true, false), before);
        // A word is not after itself.
        assert_eq!(row(true, true)[1..], before.map(|bucket| bucket + 16)[1..]);
        let so_far = [0, 1, 7, 8, 9, 11, 12, 15, 16, 18, 18, 21, 21, 23, 24, 26, 26, 29, 29, 31, 31, 31];
        assert_eq!(row(false, false), so_far);
    }

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

//! Attention by heads against its parts and against a naive one, on every instruction set.

use crate::common::{Random, bits, on_each_set, same_on_each_set};
use metaphrase_kernels::{
    AttentionWeights, BiasTable, Heads, KeyValueAdditions, KeysValues, Matrix, ProductBiases, Rows, StoredAs, attend,
    attend_with_biases, heads_dot, heads_weighted_sum, softmax_in_place,
};

/// heads, columns of each.
const HEADS: [(usize, usize); 12] =
    [(1, 1), (1, 40), (2, 8), (2, 16), (3, 17), (4, 64), (5, 48), (8, 32), (8, 64), (16, 64), (20, 16), (33, 3)];
const COUNTS: [usize; 13] = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 80, 130];
const WORDS: usize = 140;

/// Keys, values and a query in their plain order.
struct Plain {
    heads: Heads,
    keys: Matrix,
    values: Matrix,
    query: Vec<f32>,
}

impl Plain {
    fn new(count: usize, width: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut matrix = || random.matrix(WORDS, count * width);
        let (keys, values) = (matrix(), matrix());
        let query = random.values(count * width).iter().map(|x| 4.0 * x).collect();
        Self { heads: Heads::new(count, width), keys, values, query }
    }

    fn interleaved(&self, plain: &[f32]) -> Vec<f32> {
        self.heads.interleaved().map(|column| column.map_or(0.0, |column| plain[column])).collect()
    }

    fn stored(&self, stored: StoredAs) -> KeysValues {
        let mut words = KeysValues::new(self.heads, stored);
        words.resize(WORDS);
        (0..WORDS).for_each(|i| words.set(i, &self.interleaved(self.keys.row(i)), self.values.row(i)));
        words
    }

    /// Output and weights, those of a head one after the other.
    fn attend(&self, words: &KeysValues, rows: &Rows<'_>) -> (Vec<f32>, Vec<f32>) {
        let (mut weights, mut out) = (AttentionWeights::default(), vec![f32::NAN; self.heads.columns()]);
        attend(&self.interleaved(&self.query), words, rows, None, &mut weights, &mut out);
        (out, (0..self.heads.count()).flat_map(|head| weights.head(head).collect::<Vec<_>>()).collect())
    }

    /// The same from its parts.
    fn in_parts(&self, rows: &Rows<'_>) -> (Vec<f32>, Vec<f32>) {
        let (count, n) = (self.heads.count(), rows.len());
        let scale = 1.0 / ((self.heads.columns() / count) as f32).sqrt();
        let (mut weights, mut out) = (vec![0.0; count * n], vec![0.0; self.heads.columns()]);
        heads_dot(&self.query, &self.keys, rows.clone(), count, scale, &mut weights);
        weights.chunks_exact_mut(n).for_each(softmax_in_place);
        heads_weighted_sum(&weights, &self.values, rows.clone(), count, &mut out);
        (out, weights)
    }
}

fn list(random: &mut Random, count: usize) -> Vec<u32> {
    (0..count).map(|_| random.below(WORDS) as u32).collect()
}

#[test]
fn an_interleaved_vector_has_each_column_once() {
    for (count, width) in HEADS {
        let heads = Heads::new(count, width);
        let mut columns: Vec<usize> = heads.interleaved().flatten().collect();
        columns.sort_unstable();
        assert!(columns.into_iter().eq(0..count * width), "{count} × {width}");
        assert_eq!(heads.interleaved().count(), heads.interleaved_len());
    }
    let columns: Vec<_> = Heads::new(2, 32).interleaved().flatten().collect();
    assert_eq!((columns.len(), &columns[..4], &columns[32..34]), (64, &[0, 32, 1, 33][..], &[16, 48][..]));
}

#[test]
fn a_weight_is_the_softmax_of_scaled_products() {
    // Two heads of one number: 1/√1 = 1. The second word's keys are ln 3 more than the first's.
    let keys = [[0.0, 1.0], [3_f32.ln(), 1.0], [9.0, 9.0]];
    let values = [[4.0, 2.0], [8.0, 6.0], [9.0, 9.0]];
    let mut words = KeysValues::new(Heads::new(2, 1), StoredAs::F32);
    words.resize(3);
    let interleaved = |numbers: [f32; 2]| [&numbers[..], &[0.0; 30]].concat();
    (0..3).for_each(|i| words.set(i, &interleaved(keys[i]), &values[i]));
    let (mut weights, mut out) = (AttentionWeights::default(), [0.0; 2]);
    attend(&interleaved([1.0, 1.0]), &words, &Rows::List(&[1, 0]), None, &mut weights, &mut out);
    let found: Vec<f32> = weights.head(0).chain(weights.head(1)).collect();
    assert!(found.iter().zip([0.75, 0.25, 0.5, 0.5]).all(|(w, e)| (w - e).abs() < 1e-6), "{weights:?}");
    // 0.75 · 8 + 0.25 · 4 = 7; (6 + 2) / 2 = 4
    assert!((out[0] - 7.0).abs() < 1e-5 && (out[1] - 4.0).abs() < 1e-5, "{out:?}");
}

#[test]
fn f32_has_the_bits_of_its_parts() {
    on_each_set(|set| {
        for (count, width) in HEADS {
            let plain = Plain::new(count, width, 1);
            let words = plain.stored(StoredAs::F32);
            for n in COUNTS {
                let rows = list(&mut Random::new(n as u64), n);
                let rows = Rows::List(&rows);
                let (found, expected) = (plain.attend(&words, &rows), plain.in_parts(&rows));
                assert_eq!(bits(&found.0), bits(&expected.0), "{set} {count} × {width}, {n} words");
                assert_eq!(bits(&found.1), bits(&expected.1), "{set} {count} × {width}, {n} words: weights");
            }
        }
    });
}

/// Words that are bf16 already lose nothing, and others little.
#[test]
fn bf16_has_the_bits_of_rounded_words() {
    on_each_set(|set| {
        for (count, width) in HEADS {
            let exact = Plain::new(count, width, 2);
            let mut rounded = Plain::new(count, width, 2);
            for matrix in [&mut rounded.keys, &mut rounded.values] {
                for x in matrix.as_mut_slice() {
                    let bits = x.to_bits();
                    *x = f32::from_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000);
                }
            }
            let words = exact.stored(StoredAs::Bf16);
            for n in COUNTS {
                let rows = list(&mut Random::new(n as u64), n);
                let rows = Rows::List(&rows);
                let (found, expected) = (exact.attend(&words, &rows), rounded.in_parts(&rows));
                assert_eq!(bits(&found.0), bits(&expected.0), "{set} {count} × {width}, {n} words");
                for (found, exact) in found.0.iter().zip(exact.in_parts(&rows).0) {
                    // Values below 1 lose 2⁻⁹; scores up to 4 · √width lose 2⁻⁹ of that, in the exponent.
                    assert!((found - exact).abs() < 0.01 * (1.0 + (width as f32).sqrt()), "{found} {exact}");
                }
            }
        }
    });
}

#[test]
fn what_is_added_is_added_to_keys_and_values() {
    let plain = Plain::new(4, 32, 3);
    let table = Plain::new(4, 32, 4).stored(StoredAs::F32);
    let mut both = Plain::new(4, 32, 3);
    let (rows, table_rows) = (list(&mut Random::new(5), 40), list(&mut Random::new(6), 40));
    let source = Plain::new(4, 32, 4);
    let sum = |a: &Matrix, b: &Matrix| {
        let values = rows.iter().zip(&table_rows).flat_map(|(&i, &j)| {
            a.row(i as usize).iter().zip(b.row(j as usize)).map(|(x, y)| x + y).collect::<Vec<_>>()
        });
        let mut values: Vec<f32> = values.collect();
        values.resize(WORDS * 128, 0.0);
        Matrix::from_vec(WORDS, 128, values)
    };
    (both.keys, both.values) = (sum(&plain.keys, &source.keys), sum(&plain.values, &source.values));
    let expected = both.in_parts(&Rows::Range(0..40)).0;
    let (mut weights, mut out) = (AttentionWeights::default(), vec![0.0; 128]);
    let added = Some(KeyValueAdditions { table: &table, rows: &table_rows });
    let query = plain.interleaved(&plain.query);
    attend(&query, &plain.stored(StoredAs::F32), &Rows::List(&rows), added, &mut weights, &mut out);
    for (found, expected) in out.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn all_sets_agree_to_the_bit() {
    for (count, width) in HEADS {
        for stored in [StoredAs::F32, StoredAs::Bf16] {
            same_on_each_set(format!("{count} × {width} {stored:?}"), || {
                let plain = Plain::new(count, width, 7);
                let words = plain.stored(stored);
                COUNTS.iter().flat_map(|&n| plain.attend(&words, &Rows::Range(3..3 + n)).0).collect()
            });
        }
    }
}

#[test]
#[should_panic(expected = "word 140 of 140")]
fn words_must_exist() {
    let plain = Plain::new(1, 16, 8);
    plain.attend(&plain.stored(StoredAs::F32), &Rows::Range(130..141));
}

#[test]
fn biases_are_added_to_products() {
    for (count, width) in HEADS {
        let plain = Plain::new(count, width, 7);
        let words = plain.stored(StoredAs::F32);
        let mut random = Random::new(11);
        let numbers = random.values(5 * count);
        let table = BiasTable::new(plain.heads, &numbers);
        for n in COUNTS {
            let (rows, bias_rows) = (Rows::Range(0..n), (0..n).map(|i| (i % 5) as u32).collect::<Vec<_>>());
            // Products, biases, softmax and sum, one after the other.
            let scale = 1.0 / (width as f32).sqrt();
            let (mut weights, mut expected) = (vec![0.0; count * n], vec![0.0; plain.heads.columns()]);
            heads_dot(&plain.query, &plain.keys, rows.clone(), count, scale, &mut weights);
            for (head, weights) in weights.chunks_exact_mut(n).enumerate() {
                for (i, weight) in weights.iter_mut().enumerate() {
                    *weight += numbers[i % 5 * count + head];
                }
                softmax_in_place(weights);
            }
            heads_weighted_sum(&weights, &plain.values, rows.clone(), count, &mut expected);
            same_on_each_set(format!("{count} heads of {width}, {n} words"), || {
                let (mut seen, mut out) = (AttentionWeights::default(), vec![f32::NAN; plain.heads.columns()]);
                let biases = ProductBiases { table: &table, rows: &bias_rows };
                attend_with_biases(&plain.interleaved(&plain.query), &words, &rows, biases, &mut seen, &mut out);
                let near = out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(near, "{count} heads of {width}, {n} words");
                out
            });
        }
    }
}

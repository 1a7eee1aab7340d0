//! Products by heads against naive ones, on every instruction set.

use crate::common::{Random, bits, on_each_set, same_on_each_set};
use metaphrase_kernels::{Rows, heads_dot, heads_weighted_sum};

/// heads, columns of each.
const HEADS: [(usize, usize); 7] = [(1, 1), (2, 8), (8, 32), (4, 64), (3, 17), (1, 100), (16, 16)];
const COUNTS: [usize; 11] = [0, 1, 2, 7, 8, 9, 15, 16, 17, 50, 200];
/// Sums of up to 200 products of values below 1.
const BOUND: f64 = 2e-4;

fn list(random: &mut Random, count: usize) -> Vec<u32> {
    (0..count).map(|_| random.below(220) as u32).collect()
}

#[test]
fn dots_equal_the_naive_ones() {
    on_each_set(|set| {
        for (heads, size) in HEADS {
            let mut random = Random::new(1);
            let keys = random.matrix(220, heads * size);
            let query = random.values(heads * size);
            for n in COUNTS {
                let rows = list(&mut random, n);
                let mut out = vec![f32::NAN; heads * n];
                heads_dot(&query, &keys, Rows::List(&rows), heads, 0.25, &mut out);
                for h in 0..heads {
                    for j in 0..n {
                        let columns = h * size..(h + 1) * size;
                        let key = &keys.row(rows[j] as usize)[columns.clone()];
                        let terms = query[columns].iter().zip(key).map(|(a, b)| f64::from(*a) * f64::from(*b));
                        let exact = 0.25 * terms.sum::<f64>();
                        assert!((f64::from(out[h * n + j]) - exact).abs() < BOUND, "{set} {heads} × {size}, {n} rows");
                    }
                }
            }
        }
    });
}

#[test]
fn weighted_sums_equal_the_naive_ones() {
    on_each_set(|set| {
        for (heads, size) in HEADS {
            let mut random = Random::new(2);
            let values = random.matrix(220, heads * size);
            for n in COUNTS {
                let rows = list(&mut random, n);
                let weights = random.values(heads * n);
                let mut out = vec![f32::NAN; heads * size];
                heads_weighted_sum(&weights, &values, Rows::List(&rows), heads, &mut out);
                for (c, &found) in out.iter().enumerate() {
                    let terms = (0..n)
                        .map(|j| f64::from(weights[c / size * n + j]) * f64::from(values.row(rows[j] as usize)[c]));
                    let exact: f64 = terms.sum();
                    assert!((f64::from(found) - exact).abs() < BOUND, "{set} {heads} × {size}, {n} rows");
                }
            }
        }
    });
}

#[test]
fn a_range_is_the_list_of_its_rows() {
    let mut random = Random::new(3);
    let matrix = random.matrix(40, 64);
    let (query, weights) = (random.values(64), random.values(2 * 25));
    let list: Vec<u32> = (10..35).collect();
    let run = |rows: Rows<'_>| {
        let (mut dots, mut sum) = (vec![0.0; 50], vec![0.0; 64]);
        heads_dot(&query, &matrix, rows.clone(), 2, 1.0, &mut dots);
        heads_weighted_sum(&weights, &matrix, rows, 2, &mut sum);
        [bits(&dots), bits(&sum)]
    };
    assert_eq!(run(Rows::Range(10..35)), run(Rows::List(&list)));
}

/// The bits of a dot product do not depend on the rows that it is computed with.
#[test]
fn a_key_stands_alone() {
    on_each_set(|set| {
        for (heads, size) in HEADS {
            let mut random = Random::new(4);
            let keys = random.matrix(220, heads * size);
            let query = random.values(heads * size);
            let mut all = vec![0.0; heads * 220];
            heads_dot(&query, &keys, Rows::Range(0..220), heads, 0.125, &mut all);
            for n in COUNTS {
                let rows = list(&mut random, n);
                let mut out = vec![0.0; heads * n];
                heads_dot(&query, &keys, Rows::List(&rows), heads, 0.125, &mut out);
                for h in 0..heads {
                    let expected: Vec<f32> = rows.iter().map(|&r| all[h * 220 + r as usize]).collect();
                    assert_eq!(bits(&out[h * n..][..n]), bits(&expected), "{set} {heads} × {size}");
                }
            }
        }
    });
}

#[test]
fn all_sets_agree_to_the_bit() {
    for (heads, size) in HEADS {
        same_on_each_set(format!("{heads} × {size}"), || {
            let mut random = Random::new(5);
            let matrix = random.matrix(53, heads * size);
            let (query, weights) = (random.values(heads * size), random.values(heads * 53));
            let mut out = vec![0.0; heads * (53 + size)];
            let (dots, sum) = out.split_at_mut(heads * 53);
            heads_dot(&query, &matrix, Rows::Range(0..53), heads, 0.3, dots);
            heads_weighted_sum(&weights, &matrix, Rows::Range(0..53), heads, sum);
            out
        });
    }
}

#[test]
#[should_panic(expected = "row 40 of 40")]
fn rows_must_exist() {
    let matrix = Random::new(6).matrix(40, 8);
    heads_dot(&[0.0; 8], &matrix, Rows::Range(30..41), 1, 1.0, &mut [0.0; 11]);
}

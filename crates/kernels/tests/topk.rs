//! The k best are those that sorting all candidates finds, whatever the order of offers, on every instruction set.

mod common;

use common::{Random, on_each_set};
use metaphrase_kernels::{Best, TopK};

/// All candidates, sorted, cut.
fn reference(rows: &[(Vec<f32>, f32, f32, u32)], k: usize, excluded: &[u32]) -> Vec<(u32, u32, u32)> {
    let mut all = Vec::new();
    for (row, minus, plus, tag) in rows {
        for (column, value) in row.iter().enumerate() {
            let value = (value - minus) + plus;
            if !value.is_nan() && value != f32::NEG_INFINITY && !excluded.contains(&(column as u32)) {
                all.push((value, *tag, column as u32));
            }
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    all.truncate(k);
    all.into_iter().map(|(value, tag, column)| (value.to_bits(), tag, column)).collect()
}

fn found(best: &[Best]) -> Vec<(u32, u32, u32)> {
    best.iter().map(|b| (b.value.to_bits(), b.tag, b.column)).collect()
}

#[test]
fn equals_sorting() {
    on_each_set(|set| {
        let mut random = Random::new(1);
        let mut top = TopK::new();
        for round in 0..200 {
            let len = 1 + random.below(100);
            let mut rows = Vec::new();
            for tag in 0..1 + random.below(5) {
                let mut row = random.values(len);
                if round % 2 == 0 {
                    // Many ties, both zeros, values that are never kept.
                    for value in &mut row {
                        *value = [0.0, -0.0, 1.0, f32::NAN, f32::NEG_INFINITY, f32::INFINITY][random.below(6)];
                    }
                }
                rows.push((row, random.value(), random.value() * 3.0, tag as u32));
            }
            let start = random.below(rows.len());
            rows.rotate_left(start);
            let excluded: Vec<u32> = (0..random.below(4)).map(|_| random.below(len) as u32).collect();
            let k = random.below(12);
            top.start(k, &excluded);
            for (row, minus, plus, tag) in &rows {
                top.offer(row, *minus, *plus, *tag);
            }
            assert_eq!(found(top.finish()), reference(&rows, k, &excluded), "{set}, round {round}");
        }
    });
}

#[test]
fn the_order_of_operations_is_kept() {
    // (1 - 1e8) + 1e8 = 0 in f32, while 1 + (1e8 - 1e8) = 1.
    let mut top = TopK::new();
    top.start(1, &[]);
    top.offer(&[1.0], 1e8, 1e8, 7);
    assert_eq!(top.finish(), [Best { value: 0.0, tag: 7, column: 0 }]);
}

#[test]
fn more_wanted_than_there_are() {
    let mut top = TopK::new();
    top.start(5, &[1]);
    top.offer(&[1.0, 2.0, f32::NAN, f32::NEG_INFINITY], 0.0, 0.0, 0);
    assert_eq!(top.finish(), [Best { value: 1.0, tag: 0, column: 0 }]);
    top.start(0, &[]);
    top.offer(&[1.0], 0.0, 0.0, 0);
    assert_eq!(top.finish(), []);
}

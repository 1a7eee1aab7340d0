//! The k best are those that sorting all candidates finds, on every instruction set.

use crate::common::{Random, on_each_set};
use metaphrase_kernels::{Best, Changes, ColumnChange, TopK};
use std::collections::BTreeMap;

/// All candidates by tag and column, and the k best values.
fn reference(rows: &[(Vec<f32>, f32, f32, u32)], k: usize, excluded: &[u32]) -> (BTreeMap<(u32, u32), f32>, Vec<f32>) {
    let mut all = BTreeMap::new();
    for (row, minus, plus, tag) in rows {
        for (column, value) in (0..).zip(row) {
            let value = (value - minus) + plus;
            if value > f32::NEG_INFINITY && !excluded.contains(&column) {
                all.insert((*tag, column), value);
            }
        }
    }
    let mut best: Vec<f32> = all.values().copied().collect();
    best.sort_by(|a, b| b.partial_cmp(a).expect("no NaN"));
    best.truncate(k);
    (all, best)
}

#[test]
fn finds_the_values_that_sorting_finds() {
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
            let excluded: Vec<u32> = (0..random.below(4)).map(|_| random.below(len) as u32).collect();
            let k = random.below(12);
            top.start(k, &excluded);
            for (row, minus, plus, tag) in &rows {
                top.offer(row, *minus, *plus, *tag);
            }
            let (mut all, values) = reference(&rows, k, &excluded);
            let found = top.finish();
            assert_eq!(found.iter().map(|b| b.value).collect::<Vec<_>>(), values, "{set}, round {round}");
            for best in found {
                assert_eq!(all.remove(&(best.tag, best.column)), Some(best.value), "{set}, round {round}");
            }
        }
    });
}

/// Which of equal values are kept, and in which order: what a C++ program printed that was built with GNU's compiler
/// and library 12.2 (`std::partial_sort` of the indices of 60 values from 0 to 4, larger values first).
#[test]
fn equal_values_fall_as_in_partial_sort() {
    let expected: [(usize, &[u32]); 8] = [
        (1, &[4]),
        (2, &[5, 0]),
        (3, &[18, 0, 6]),
        (4, &[7, 1, 31, 19]),
        (5, &[14, 12, 20, 22, 2]),
        (6, &[18, 1, 22, 30, 16, 7]),
        (7, &[25, 4, 29, 32, 11, 13, 6]),
        (12, &[0, 13, 23, 26, 17, 41, 21, 46, 37, 48, 40, 36]),
    ];
    let mut state = 1u32;
    for (k, expected) in expected {
        let mut next = || {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            ((state >> 16) % 5) as f32
        };
        let values: Vec<f32> = (0..60).map(|_| next()).collect();
        on_each_set(|set| {
            let mut top = TopK::new();
            top.start(k, &[]);
            // As two rows: the heap does not know.
            top.offer(&values[..25], 0.0, 0.0, 0);
            top.offer(&values[25..], 0.0, 0.0, 25);
            let places: Vec<u32> = top.finish().iter().map(|b| b.tag + b.column).collect();
            assert_eq!(places, expected, "{set}, {k} best");
        });
    }
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

/// Ties included: equal values fall as they would in a row that was changed before it was offered.
#[test]
fn changes_are_as_if_made_before() {
    on_each_set(|set| {
        let mut random = Random::new(2);
        let (mut plain, mut changed) = (TopK::new(), TopK::new());
        for round in 0..300 {
            let (len, k) = (1 + random.below(100), random.below(12));
            let coarse = |random: &mut Random| [0.0, 0.25, -0.25, 1.0, f32::NEG_INFINITY][random.below(5)];
            plain.start(k, &[3]);
            changed.start(k, &[3]);
            for tag in 0..3 {
                let row: Vec<f32> = (0..len).map(|_| coarse(&mut random)).collect();
                let added: Vec<f32> = (0..random.below(3)).map(|_| coarse(&mut random)).collect();
                let replaced: Vec<ColumnChange> = (0..len as u32)
                    .filter_map(|column| {
                        let value = coarse(&mut random);
                        (random.below(10) < round % 11).then_some(ColumnChange { column, value })
                    })
                    .collect();
                let changes = Changes { added: &added, replaced: &replaced };
                let mut before = row.clone();
                changes.make(&mut before);
                for (column, (before, after)) in (0..).zip(row.iter().zip(&before)) {
                    assert_eq!(changes.value(column, *before), *after);
                }
                let (minus, plus) = (coarse(&mut random).max(-9.0), random.value());
                plain.offer(&before, minus, plus, tag);
                changed.offer_changed(&row, changes, minus, plus, tag);
            }
            assert_eq!(changed.finish(), plain.finish(), "{set}, round {round}");
        }
    });
}

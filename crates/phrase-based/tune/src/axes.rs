//! Line searches along single weights, many times on the same lists.
//!
//! Along the axis of a weight a translation's slope is its feature value for any weights. So the order of the
//! slopes, which takes most of a line search, is found once for all searches.

use crate::envelope::Line;
use crate::line_search::{LineOptimum, search};
use crate::lists::{NBestLists, dot};
use metaphrase_base::in_parallel;
use metaphrase_metrics::Metric;
use std::num::NonZeroUsize;

/// N-best lists, each sorted by each of the features.
pub(crate) struct Axes<'a> {
    lists: &'a NBestLists,
    sentences: Vec<Sentence>,
}

/// The translations of a sentence, `features × translations` each.
struct Sentence {
    /// Numbers of translations in the order of their values.
    order: Vec<u32>,
    /// The values in this order.
    values: Vec<f32>,
}

impl<'a> Axes<'a> {
    /// Sorts all lists.
    pub(crate) fn new(lists: &'a NBestLists, threads: NonZeroUsize) -> Self {
        let sorted = |sentence| Sentence::new(lists, sentence);
        Self { lists, sentences: in_parallel(threads.get(), 0..lists.sentences(), sorted) }
    }

    /// The lists.
    pub(crate) fn lists(&self) -> &'a NBestLists {
        self.lists
    }

    /// The model scores of all translations, sentence by sentence.
    pub(crate) fn scores(&self, weights: &[f64]) -> Vec<Vec<f64>> {
        let sentences = 0..self.lists.sentences();
        sentences.map(|s| self.lists.all_features_of(s).map(|features| dot(weights, features)).collect()).collect()
    }

    /// The scores after a step along an axis.
    pub(crate) fn step(&self, scores: &mut [Vec<f64>], axis: usize, step: f64) {
        for (sentence, scores) in self.sentences.iter().zip(scores) {
            let (order, values) = sentence.axis(axis, scores.len());
            for (&number, &value) in order.iter().zip(values) {
                scores[number as usize] += step * f64::from(value);
            }
        }
    }

    /// As [`line_search`](crate::line_search) from the weights that have these scores, along an axis.
    pub(crate) fn search(&self, metric: &dyn Metric, axis: usize, scores: &[Vec<f64>]) -> LineOptimum {
        search(self.lists, metric, |sentence, lines| {
            let scores = &scores[sentence];
            let (order, values) = self.sentences[sentence].axis(axis, scores.len());
            lines.extend(order.iter().zip(values).map(|(&number, &value)| Line {
                offset: scores[number as usize],
                slope: f64::from(value),
                number,
            }));
        })
    }
}

impl Sentence {
    fn new(lists: &NBestLists, sentence: usize) -> Self {
        let len = lists.len_of(sentence);
        let (mut order, mut values) = (Vec::new(), Vec::new());
        for axis in 0..lists.features() {
            let value = |number: u32| lists.features_of(sentence, number as usize)[axis];
            let first = order.len();
            order.extend(0..len as u32);
            order[first..].sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            values.extend(order[first..].iter().map(|&number| value(number)));
        }
        Self { order, values }
    }

    /// The order and the values of `translations` translations along an axis.
    fn axis(&self, axis: usize, translations: usize) -> (&[u32], &[f32]) {
        let range = axis * translations..(axis + 1) * translations;
        (&self.order[range.clone()], &self.values[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_search;
    use crate::test_lists::{MATCHES, random_lists};

    #[test]
    fn an_axis_is_a_direction_like_any_other() {
        let lists = random_lists(5, 6, 9, 3);
        let axes = Axes::new(&lists, NonZeroUsize::MIN);
        let mut weights = [0.3, -0.2, 0.5];
        let mut scores = axes.scores(&weights);
        for (axis, direction) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].iter().enumerate() {
            let found = axes.search(&MATCHES, axis, &scores);
            let expected = line_search(&lists, &MATCHES, &weights, direction);
            assert_eq!(found.score, expected.score);
            assert!((found.step - expected.step).abs() < 1e-9);
            axes.step(&mut scores, axis, found.step);
            weights[axis] += found.step;
        }
    }
}

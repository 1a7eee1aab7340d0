//! The best point on a straight line through the weights, exactly (Och 2003, section 5).

use crate::envelope::{Line, upper_envelope};
use crate::lists::{NBestLists, add, dot};
use metaphrase_metrics::{Arithmetic, Metric};

/// The shortest stretch of the line that is chosen: weights are rounded when they are written, and a stretch between
/// two neighbouring numbers is best by chance.
const SHORTEST: f64 = 1e-4;
/// How far beyond the last change of translations to go, where nothing changes any more.
const BEYOND: f64 = 0.1;

/// The best point on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineOptimum {
    /// How far to go along the direction, in its own length.
    pub step: f64,
    /// The metric's score there. Less than the origin's only if that lies on a stretch that is too short to be chosen.
    pub score: f64,
}

/// The `step` with which the weights `origin + step · direction` choose translations of the highest score.
///
/// Along the line each translation's model score is a straight line, and the translations chosen for a sentence are the
/// upper envelope of its lines. Between the points where the choice changes for some sentence the score does not change
/// at all, so that the search is exact: statistics are summed once and updated from point to point. The result is the
/// middle of the best stretch; among equally good ones, of that which is closest to the origin.
#[must_use]
pub fn line_search(lists: &NBestLists, metric: &dyn Metric, origin: &[f64], direction: &[f64]) -> LineOptimum {
    search(lists, metric, |sentence, lines| {
        lines.extend(lists.all_features_of(sentence).zip(0..).map(|(features, number)| Line {
            offset: dot(origin, features),
            slope: dot(direction, features),
            number,
        }));
        lines.sort_by(|a, b| a.slope.total_cmp(&b.slope));
    })
}

/// The same, for lines that `add` gives for a sentence in the order of their slopes.
pub(crate) fn search(lists: &NBestLists, metric: &dyn Metric, add: impl FnMut(usize, &mut Vec<Line>)) -> LineOptimum {
    let (changes, mut sums) = changes(lists, add);
    let mut best = Stretch::NONE;
    let mut from = f64::NEG_INFINITY;
    for change in &changes {
        if change.at - from >= SHORTEST {
            let score = metric.value(&sums, Arithmetic::Double);
            best = best.or(Stretch { from, to: change.at, score });
        }
        from = change.at;
        change.apply(lists, &mut sums);
    }
    let score = metric.value(&sums, Arithmetic::Double);
    best = best.or(Stretch { from, to: f64::INFINITY, score });
    LineOptimum { step: best.step(), score: best.score }
}

/// A sentence's choice becomes another one.
struct Change {
    at: f64,
    sentence: u32,
    before: u32,
    after: u32,
}

impl Change {
    /// Exact, as statistics are counts: sums do not drift.
    fn apply(&self, lists: &NBestLists, sums: &mut [f64]) {
        let [before, after] =
            [self.before, self.after].map(|number| lists.statistics_of(self.sentence as usize, number as usize));
        for ((sum, &before), &after) in sums.iter_mut().zip(before).zip(after) {
            *sum += f64::from(after) - f64::from(before);
        }
    }
}

/// All changes from left to right, and the statistics of the translations chosen before the first change.
fn changes(lists: &NBestLists, mut lines_of: impl FnMut(usize, &mut Vec<Line>)) -> (Vec<Change>, Vec<f64>) {
    let mut sums = vec![0.0; lists.statistics()];
    let mut changes = Vec::new();
    let (mut lines, mut segments) = (Vec::new(), Vec::new());
    for sentence in 0..lists.sentences() {
        lines.clear();
        lines_of(sentence, &mut lines);
        upper_envelope(&lines, &mut segments);
        if let Some(first) = segments.first() {
            add(&mut sums, lists.statistics_of(sentence, first.line.number as usize));
        }
        changes.extend(segments.windows(2).map(|pair| Change {
            at: pair[1].from,
            sentence: sentence as u32,
            before: pair[0].line.number,
            after: pair[1].line.number,
        }));
    }
    changes.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.sentence.cmp(&b.sentence)));
    (changes, sums)
}

/// A part of the line where nothing changes.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: f64,
    to: f64,
    score: f64,
}

impl Stretch {
    const NONE: Self = Self { from: 0.0, to: 0.0, score: f64::NEG_INFINITY };

    /// The better of the two; among equals the one closer to the origin.
    fn or(self, other: Self) -> Self {
        let closer = other.distance() < self.distance();
        if other.score > self.score || (other.score == self.score && closer) { other } else { self }
    }

    /// From the origin.
    fn distance(self) -> f64 {
        if self.from > 0.0 {
            self.from
        } else if self.to < 0.0 {
            -self.to
        } else {
            0.0
        }
    }

    /// The middle; for an open stretch a point near its border, or the origin if the origin is further inside.
    fn step(self) -> f64 {
        match (self.from.is_finite(), self.to.is_finite()) {
            (true, true) => f64::midpoint(self.from, self.to),
            (true, false) => (self.from + BEYOND).max(0.0),
            (false, true) => (self.to - BEYOND).min(0.0),
            (false, false) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lists::{MATCHES, random_lists};

    /// The best score at many points of the line.
    fn on_a_grid(lists: &NBestLists, origin: &[f64], direction: &[f64]) -> f64 {
        let weights = |step: f64| origin.iter().zip(direction).map(|(o, d)| o + step * d).collect::<Vec<_>>();
        let scores = (-20_000..20_000).map(|i| lists.score(&MATCHES, &weights(f64::from(i) * 5e-4 + 1e-5)));
        scores.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn no_point_of_a_grid_is_better() {
        for seed in 0..8 {
            let lists = random_lists(seed, 4, 6, 3);
            let (origin, direction) = ([0.3, -0.2, 0.5], [0.1, 1.0, -0.4]);
            let found = line_search(&lists, &MATCHES, &origin, &direction);
            let there: Vec<f64> = origin.iter().zip(direction).map(|(o, d)| o + found.step * d).collect();
            assert_eq!(lists.score(&MATCHES, &there), found.score, "seed {seed}: the score is that of the point");
            assert!(found.score >= on_a_grid(&lists, &origin, &direction), "seed {seed}");
        }
    }

    #[test]
    fn the_middle_of_the_best_stretch_is_chosen() {
        // Two translations; the second one, which is right, wins where -1 + step > 0, so from 1 on;
        // the third one wins from 4 on: -5 + 2 step > -1 + step.
        let mut lists = NBestLists::new(1, 2, 2);
        for (features, matches) in [([0.0, 0.0], 0.0), ([-1.0, 1.0], 1.0), ([-5.0, 2.0], 0.0)] {
            lists.add(0, &features, &[matches, 1.0]).unwrap();
        }
        let found = line_search(&lists, &MATCHES, &[1.0, 0.0], &[0.0, 1.0]);
        assert_eq!(found, LineOptimum { step: 2.5, score: 100.0 });
        // The other way round the stretch is open from -4 on, and a point near -4 is enough.
        let found = line_search(&lists, &MATCHES, &[1.0, 1.0], &[1.0, 0.0]);
        assert_eq!(found.score, 100.0);
    }

    #[test]
    fn where_nothing_changes_one_stays() {
        let mut lists = NBestLists::new(2, 1, 2);
        lists.add(0, &[1.0], &[1.0, 2.0]).unwrap();
        let found = line_search(&lists, &MATCHES, &[1.0], &[1.0]);
        assert_eq!(found, LineOptimum { step: 0.0, score: 50.0 });
    }
}

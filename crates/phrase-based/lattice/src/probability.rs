//! Probabilities of arcs and paths, and the arcs that matter.

use crate::{Arc, Lattice, WordId};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

impl Lattice {
    /// By arc: its probability, given the state that it leaves, if the probability of a path is its share of the sum of
    /// `exp(scale · score)` over all paths. 0 for arcs from which no path leads to the end. `None` if no path has a
    /// finite score, or the sum is infinite.
    #[must_use]
    pub fn probabilities(&self, scale: f64) -> Option<Vec<f64>> {
        // ln of the sum over the paths from each state to the end.
        let mut rest = vec![f64::NEG_INFINITY; self.states()];
        rest[self.end().index()] = 0.0;
        for arc in self.arcs.iter().rev() {
            let through = scale * f64::from(arc.score) + rest[arc.to.index()];
            let sum = &mut rest[arc.from.index()];
            *sum = ln_sum(*sum, through);
        }
        let probability = |arc: &Arc| {
            let (from, to) = (rest[arc.from.index()], rest[arc.to.index()]);
            if to == f64::NEG_INFINITY { 0.0 } else { (scale * f64::from(arc.score) + to - from).exp() }
        };
        rest[0].is_finite().then(|| self.arcs.iter().map(probability).collect())
    }

    /// By arc: the probability of the paths that take it; see [`probabilities`](Self::probabilities).
    #[must_use]
    pub fn posteriors(&self, scale: f64) -> Option<Vec<f64>> {
        let mut posteriors = self.probabilities(scale)?;
        let mut through = vec![0.0; self.states()];
        through[0] = 1.0;
        for (arc, probability) in self.arcs.iter().zip(&mut posteriors) {
            *probability *= through[arc.from.index()];
            through[arc.to.index()] += *probability;
        }
        Some(posteriors)
    }

    /// The lattice without arcs that less than a share of `least` of the paths take (forward-backward pruning), and
    /// without arcs that are on no path then; the best path stays. `None` as for
    /// [`probabilities`](Self::probabilities).
    #[must_use]
    pub fn pruned(&self, scale: f64, least: f64) -> Option<Self> {
        let kept = self.kept(&self.posteriors(scale)?, least);
        let arcs = self.arcs.iter().zip(kept).filter(|(_, kept)| *kept).map(|(arc, _)| *arc).collect();
        Some(Self { words: self.words.clone(), arcs, states: self.states })
    }

    /// By arc: whether it is left when arcs with posteriors below `least` are pruned.
    pub(crate) fn kept(&self, posteriors: &[f64], least: f64) -> Vec<bool> {
        let mut kept: Vec<bool> = posteriors.iter().map(|&posterior| posterior >= least && posterior > 0.0).collect();
        self.best_path().for_each(|arc| kept[arc] = true);
        let (mut leads, mut comes) = (vec![false; self.states()], vec![false; self.states()]);
        (leads[self.end().index()], comes[0]) = (true, true);
        for (arc, kept) in self.arcs.iter().zip(&mut kept).rev() {
            *kept &= leads[arc.to.index()];
            leads[arc.from.index()] |= *kept;
        }
        for (arc, kept) in self.arcs.iter().zip(&mut kept) {
            *kept &= comes[arc.from.index()];
            comes[arc.to.index()] |= *kept;
        }
        kept
    }

    /// The numbers of the arcs of the best path, the last one first.
    pub(crate) fn best_path(&self) -> impl Iterator<Item = usize> {
        let best = self.best_arcs();
        let before = |arc: &usize| best[self.arcs[*arc].from.index()];
        let arcs: Vec<usize> = std::iter::successors(best[self.end().index()], before).collect();
        arcs.into_iter()
    }

    /// The `count` best paths, their words and scores, best first. Different paths may have the same words.
    #[must_use]
    pub fn n_best(&self, count: usize) -> Vec<(Vec<WordId>, f64)> {
        let mut rest = vec![f64::NEG_INFINITY; self.states()];
        rest[self.end().index()] = 0.0;
        for arc in self.arcs.iter().rev() {
            let through = f64::from(arc.score) + rest[arc.to.index()];
            rest[arc.from.index()] = rest[arc.from.index()].max(through);
        }
        let mut first_arcs = vec![0; self.states() + 1];
        self.arcs.iter().for_each(|arc| first_arcs[arc.from.index() + 1] += 1);
        (0..self.states()).for_each(|state| first_arcs[state + 1] += first_arcs[state]);
        let mut steps: Vec<(usize, Option<usize>)> = Vec::new();
        let mut queue = BinaryHeap::from([PartialPath { whole: rest[0], score: 0.0, state: 0, last: None }]);
        let mut found = Vec::new();
        while let Some(PartialPath { score, state, last, .. }) = queue.pop() {
            if found.len() == count || rest[state] == f64::NEG_INFINITY {
                break;
            }
            if state == self.end().index() {
                let back = std::iter::successors(last, |&step| steps[step].1).map(|step| steps[step].0);
                let mut words: Vec<WordId> = back.filter_map(|arc| self.arcs[arc].word).collect();
                words.reverse();
                found.push((words, score));
            }
            for number in first_arcs[state]..first_arcs[state + 1] {
                let arc = &self.arcs[number];
                let (score, state) = (score + f64::from(arc.score), arc.to.index());
                if rest[state] > f64::NEG_INFINITY {
                    steps.push((number, last));
                    queue.push(PartialPath { whole: score + rest[state], score, state, last: Some(steps.len() - 1) });
                }
            }
        }
        found
    }
}

/// The beginning of a path, ordered by the best whole path that begins so.
struct PartialPath {
    whole: f64,
    score: f64,
    state: usize,
    last: Option<usize>,
}

impl Ord for PartialPath {
    fn cmp(&self, other: &Self) -> Ordering {
        // Equals: the longer one first, then the earlier one.
        self.whole.total_cmp(&other.whole).then(self.state.cmp(&other.state)).then(other.last.cmp(&self.last))
    }
}

impl PartialOrd for PartialPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PartialPath {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PartialPath {}

/// ln(exp(a) + exp(b)).
pub(crate) fn ln_sum(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Lattice {
        // Paths "a c" of 1/2, "b c" of 1/4, "d" of 1/4; the arc of e leads nowhere.
        let [half, quarter] = [0.5f32, 0.25].map(f32::ln);
        Lattice::from_compact(&format!("4\t0 1 {half} a\t0 1 {quarter} b\t0 3 {quarter} d\t0 2 5 e\t1 2 0 c"))
            .expect("a lattice")
    }

    #[test]
    fn probabilities_are_those_of_the_paths() {
        let close = |found: Vec<f64>, expected: [f64; 5]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7), "{found:?}");
        };
        close(lattice().probabilities(1.0).expect("paths"), [0.5, 0.25, 0.25, 0.0, 1.0]);
        close(lattice().posteriors(1.0).expect("paths"), [0.5, 0.25, 0.25, 0.0, 0.75]);
        // Squared: 4/6, 1/6, 1/6.
        close(lattice().posteriors(2.0).expect("paths"), [4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 0.0, 5.0 / 6.0]);
        assert_eq!(Lattice::from_compact("2").map(|lattice| lattice.probabilities(1.0)).ok(), None);
        assert_eq!(Lattice::from_compact("2\t0 1 -inf a").expect("a lattice").probabilities(1.0), None);
        assert_eq!(Lattice::from_compact("2\t0 1 inf a").expect("a lattice").probabilities(1.0), None);
    }

    #[test]
    fn rare_arcs_are_pruned_and_the_best_path_stays() {
        let words = |least: f64| {
            let pruned = lattice().pruned(1.0, least).expect("paths");
            let word = |arc: &Arc| arc.word.map(|word| pruned.word(word).to_owned());
            pruned.arcs().iter().filter_map(word).collect::<String>()
        };
        assert_eq!([0.0, 0.3, 0.9].map(words), ["abdc", "ac", "ac"]);
    }

    #[test]
    fn paths_come_in_the_order_of_their_scores() {
        let found = lattice().n_best(9);
        let words = |words: &[WordId]| words.iter().map(|&word| lattice().word(word).to_owned()).collect::<String>();
        let texts: Vec<String> = found.iter().map(|(found, _)| words(found)).collect();
        assert_eq!(texts[0], "ac");
        assert_eq!(texts.len(), 3);
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(lattice().n_best(2).len(), 2);
    }
}

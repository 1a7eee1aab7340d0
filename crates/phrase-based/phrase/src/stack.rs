//! The hypotheses of one cardinality: those that have translated the same number of source words.

use crate::coverage::Coverage;
use crate::graph::{Arc, NodeId, SearchGraph};
use crate::index::Index;
use crate::memo::MixHasher;
use crate::ranking::Ranking;
use metaphrase_ngram::State;
use std::hash::Hash;

/// A partial translation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hypothesis {
    /// The last phrase, and the score with it, without rest costs.
    pub(crate) arc: Arc,
    /// The language model state.
    pub(crate) state: State,
    /// Number of the last phrase's forward reordering weights.
    pub(crate) forward: u32,
    /// Where the last phrase begins, if the next one can still be its swap; else [`NO_SWAP`].
    pub(crate) swap_start: u32,
    /// Its coverage, by number.
    pub(crate) coverage: u32,
    /// The last of the worse ones that it stands for.
    merged: u32,
}

/// The start of a phrase before which no word is left.
pub(crate) const NO_SWAP: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX;

impl Hypothesis {
    pub(crate) fn new(arc: Arc, state: State, forward: u32, swap_start: u32, coverage: u32) -> Self {
        Self { arc, state, forward, swap_start, coverage, merged: NOTHING }
    }

    /// Whether both have the same future. Then only the better one is needed: recombination.
    fn recombines_with(&self, other: &Self) -> bool {
        self.coverage == other.coverage
            && self.arc.end == other.arc.end
            && self.forward == other.forward
            && self.swap_start == other.swap_start
            && self.state == other.state
    }

    fn hash(&self) -> u32 {
        let mut hasher = MixHasher::default();
        (self.coverage, self.arc.end, self.forward, self.swap_start).hash(&mut hasher);
        self.state.hash(&mut hasher);
        hasher.finish32()
    }
}

/// Hypotheses with the same coverage.
#[derive(Debug, Default)]
struct CoverageHypotheses {
    coverage: Coverage,
    rest_cost: f32,
    /// The best score, rest cost included.
    best: f32,
    /// Whether the coverage is among the `N_c` best.
    ranked: bool,
    /// The `N_l` best hypotheses.
    hypotheses: Ranking,
}

/// The stack of one cardinality. Its memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// The first `used` are those of this cardinality.
    coverages: Vec<CoverageHypotheses>,
    used: usize,
    by_coverage: Index,
    ranking: Ranking,
    hypotheses: Vec<Hypothesis>,
    by_state: Index,
    lexical_histogram: usize,
    /// The worse ones of recombinations, each with the one before; kept on request.
    merged: Vec<(Arc, u32)>,
    keep_merged: bool,
}

/// The hypotheses that survived, coverage by coverage, the best first.
#[derive(Debug, Default)]
pub(crate) struct Survivors {
    hypotheses: Vec<(Hypothesis, NodeId)>,
    /// Number of a coverage, and where its hypotheses end.
    groups: Vec<(u32, usize)>,
}

impl Survivors {
    /// Coverages by number, and their hypotheses.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u32, &[(Hypothesis, NodeId)])> {
        let mut start = 0;
        self.groups.iter().map(move |&(coverage, end)| {
            let hypotheses = &self.hypotheses[start..end];
            start = end;
            (coverage, hypotheses)
        })
    }

    /// The one hypothesis that a search starts with, of coverage 0.
    pub(crate) fn start_with(&mut self, hypothesis: Hypothesis) {
        self.hypotheses.clear();
        self.groups.clear();
        self.hypotheses.push((hypothesis, NodeId::ROOT));
        self.groups.push((0, 1));
    }

    /// All hypotheses.
    pub(crate) fn hypotheses(&self) -> &[(Hypothesis, NodeId)] {
        &self.hypotheses
    }
}

impl Stack {
    /// Empties the stack, for `N_c` coverages of `N_l` hypotheses.
    pub(crate) fn reset(&mut self, coverage_histogram: usize, lexical_histogram: usize, keep_merged: bool) {
        self.used = 0;
        self.by_coverage.clear();
        self.ranking.reset(coverage_histogram);
        self.hypotheses.clear();
        self.by_state.clear();
        self.lexical_histogram = lexical_histogram;
        self.merged.clear();
        self.keep_merged = keep_merged;
    }

    /// The number of a coverage, which is new if it is not there yet.
    pub(crate) fn coverage_number(&mut self, coverage: &Coverage, rest_cost: impl FnOnce() -> f32) -> u32 {
        let hash = coverage.hash();
        let found = self.by_coverage.find(hash, |number| self.coverages[number as usize].coverage == *coverage);
        found.unwrap_or_else(|| {
            let number = self.used as u32;
            self.by_coverage.insert(hash, number);
            self.used += 1;
            if self.used > self.coverages.len() {
                self.coverages.push(CoverageHypotheses::default());
            }
            let new = &mut self.coverages[number as usize];
            new.coverage.clone_from(coverage);
            (new.rest_cost, new.best, new.ranked) = (rest_cost(), f32::NEG_INFINITY, false);
            new.hypotheses.reset(self.lexical_histogram);
            number
        })
    }

    /// A coverage by its number.
    pub(crate) fn coverage(&self, number: u32) -> &Coverage {
        &self.coverages[number as usize].coverage
    }

    /// The score, without rest cost, above which a hypothesis of this coverage survives at the moment.
    ///
    /// It is the score of the worst of the `N_l` best. For a coverage outside the `N_c` best, it is also the score that
    /// would bring the coverage among them. A better hypothesis may bring it there later, without those refused before.
    #[inline]
    pub(crate) fn threshold(&self, coverage: u32) -> f32 {
        let coverage = &self.coverages[coverage as usize];
        let lexical = coverage.hypotheses.threshold();
        if coverage.ranked { lexical } else { lexical.max(self.ranking.threshold() - coverage.rest_cost) }
    }

    /// Takes a hypothesis that is above the threshold of its coverage.
    pub(crate) fn insert(&mut self, mut new: Hypothesis) {
        let hash = new.hash();
        match self.by_state.find(hash, |number| self.hypotheses[number as usize].recombines_with(&new)) {
            Some(number) => {
                let old = self.hypotheses[number as usize];
                let better = new.arc.score > old.arc.score;
                new.merged = self.merge(old.merged, if better { old.arc } else { new.arc });
                if better {
                    self.hypotheses[number as usize] = new;
                    self.coverages[new.coverage as usize].hypotheses.raise(new.arc.score, number);
                    self.raise_coverage(new.coverage, new.arc.score);
                } else {
                    self.hypotheses[number as usize].merged = new.merged;
                }
            }
            None => {
                let number = self.add(new);
                self.by_state.insert(hash, number);
                self.raise_coverage(new.coverage, new.arc.score);
            }
        }
    }

    fn merge(&mut self, merged: u32, arc: Arc) -> u32 {
        if !self.keep_merged {
            return NOTHING;
        }
        self.merged.push((arc, merged));
        self.merged.len() as u32 - 1
    }

    /// Puts a hypothesis at the end, or in the place of the hypothesis that it displaces.
    fn add(&mut self, new: Hypothesis) -> u32 {
        let ranking = &mut self.coverages[new.coverage as usize].hypotheses;
        if let Some(number) = ranking.replace_worst(new.arc.score) {
            self.hypotheses[number as usize] = new;
            return number;
        }
        let number = self.hypotheses.len() as u32;
        ranking.add(new.arc.score, number);
        self.hypotheses.push(new);
        number
    }

    fn raise_coverage(&mut self, number: u32, score: f32) {
        let coverage = &mut self.coverages[number as usize];
        let score = score + coverage.rest_cost;
        if score <= coverage.best {
            return;
        }
        coverage.best = score;
        if coverage.ranked {
            self.ranking.raise(score, number);
        } else if score > self.ranking.threshold() {
            coverage.ranked = true;
            if let Some(out) = self.ranking.add(score, number) {
                self.coverages[out as usize].ranked = false;
            }
        }
    }

    /// The surviving hypotheses, the best coverage first; each becomes a node of the graph. Then the stack takes no
    /// more hypotheses.
    pub(crate) fn survivors(&mut self, graph: &mut SearchGraph, result: &mut Survivors) {
        result.hypotheses.clear();
        result.groups.clear();
        for &(_, coverage) in self.ranking.sort() {
            for &(_, number) in self.coverages[coverage as usize].hypotheses.sort() {
                let hypothesis = self.hypotheses[number as usize];
                let node = graph.add(arcs(&hypothesis, &self.merged));
                result.hypotheses.push((hypothesis, node));
            }
            result.groups.push((coverage, result.hypotheses.len()));
        }
    }
}

/// The best way to a hypothesis, then the others.
fn arcs(hypothesis: &Hypothesis, merged: &[(Arc, u32)]) -> impl Iterator<Item = Arc> {
    let mut next = hypothesis.merged;
    let others = std::iter::from_fn(move || {
        let (arc, before) = merged.get(next as usize)?;
        next = *before;
        Some(*arc)
    });
    [hypothesis.arc].into_iter().chain(others)
}

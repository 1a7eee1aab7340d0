//! N-gram posteriors: the probability that a translation contains an n-gram at least once.
//!
//! For each order n the graph is unfolded until the words before each node are known (as in Blackwood et al. 2010):
//! then each n-gram ends on known edges. The sum of their probabilities is the *expected count*. An n-gram's
//! *posterior* counts a path once, however often it contains the n-gram: an edge contributes the paths that come to it
//! without the n-gram. Where an n-gram ends on one edge alone, both are the same; else one pass over the nodes between
//! its first and its last edge finds the paths that have it already.

use crate::grams::{GramId, Grams};
use crate::paths::Paths;
use crate::posteriors::Posteriors;
use crate::{BEGIN, MAX_ORDER, Units};
use foldhash::HashMap;
use metaphrase_base::WordId;

/// An unfolded graph has at most this many edges; it takes some 100 bytes for each.
const MOST_EDGES: usize = 4_000_000;

/// The edges that are passed from the first to the last place of each n-gram are at most this many together: some
/// seconds.
const MOST_PASSED: usize = 1_000_000_000;

/// The graph takes too much memory when it is unfolded, or too much time when its n-grams are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Paths {
    /// The posteriors of all n-grams of 1 to `order` units, at most [`MAX_ORDER`]. The place before the first word is
    /// [`BEGIN`]; n-grams of two and more units may begin with it.
    ///
    /// # Errors
    /// If the graph is too large: prune it.
    pub fn posteriors(&self, order: usize, units: &Units) -> Result<Posteriors, crate::EvidenceError> {
        let mut grams = Grams::default();
        let mut found = Posteriors::default();
        for order in 1..=order.min(MAX_ORDER) {
            UnfoldedGraph::new(self, order, units, &mut grams)
                .and_then(|unfolded| unfolded.count(&grams, &mut found))
                .map_err(|TooLarge| crate::EvidenceError::TooLarge { edges: self.edges().len() })?;
        }
        found.sort();
        Ok(found)
    }
}

/// A graph in which the words before each node are known.
#[derive(Default)]
struct UnfoldedGraph {
    /// By node, in topological order: the probability of the paths that go through it.
    through: Vec<f64>,
    /// By node: its first edge; one more than there are nodes.
    first_edge: Vec<u32>,
    edges: Vec<Step>,
    /// N-grams with an edge on which each ends, for each time that it does.
    ends: Vec<(GramId, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    from: u32,
    to: u32,
    probability: f64,
}

/// Unfolds a graph state by state.
struct GraphUnfolder<'a> {
    units: &'a Units,
    order: usize,
    /// Units of the words before a node that are distinguished.
    kept: usize,
    grams: &'a mut Grams,
    /// By state, for states that are still to come: the words before each of its nodes, and the probability of the
    /// paths to the node.
    waiting: Vec<Vec<(GramId, f64)>>,
    /// The place of a node in the list of its state.
    places: HashMap<(u32, GramId), u32>,
    unfolded: UnfoldedGraph,
    /// By edge: the state that it leads to. Until all nodes have numbers, [`Step::to`] is a place within the state.
    states: Vec<u32>,
}

impl GraphUnfolder<'_> {
    fn run(mut self, paths: &Paths) -> Result<UnfoldedGraph, TooLarge> {
        let begin = self.grams.extend(GramId::EMPTY, BEGIN, false);
        self.waiting[0].push((self.grams.shortened(begin, self.kept), 1.0));
        let (mut first_nodes, mut edges) = (Vec::with_capacity(paths.states()), paths.edges());
        for state in 0..paths.states() {
            first_nodes.push(self.unfolded.through.len() as u32);
            let (here, later) = edges.split_at(edges.partition_point(|edge| edge.from as usize == state));
            edges = later;
            for (history, through) in std::mem::take(&mut self.waiting[state]) {
                if self.unfolded.edges.len() + here.len() > MOST_EDGES {
                    return Err(TooLarge);
                }
                let node = self.unfolded.through.len() as u32;
                self.unfolded.through.push(through);
                self.unfolded.first_edge.push(self.unfolded.edges.len() as u32);
                for edge in here {
                    let history = self.read(paths.words(edge), history);
                    // Nothing follows the last state.
                    let history = if edge.to as usize + 1 == paths.states() { GramId::EMPTY } else { history };
                    let to = self.enter(edge.to, history, through * edge.probability);
                    self.unfolded.edges.push(Step { from: node, to, probability: edge.probability });
                    self.states.push(edge.to);
                }
            }
        }
        let mut unfolded = self.unfolded;
        unfolded.first_edge.push(unfolded.edges.len() as u32);
        for (edge, state) in unfolded.edges.iter_mut().zip(self.states) {
            edge.to += first_nodes[state as usize];
        }
        unfolded.ends.sort_unstable();
        Ok(unfolded)
    }

    /// Notes the n-grams that end on the next edge, and returns the words before the node that it leads to.
    fn read(&mut self, words: &[WordId], mut history: GramId) -> GramId {
        for &word in words {
            let continues = self.units.continues(word);
            let before = self.grams.shortened(history, if continues { self.order } else { self.order - 1 });
            history = self.grams.extend(before, word, continues);
            if self.grams.order(history) == self.order {
                self.unfolded.ends.push((history, self.states.len() as u32));
            }
        }
        self.grams.shortened(history, self.kept)
    }

    /// The place of a node in its state; it gets more paths.
    fn enter(&mut self, state: u32, history: GramId, probability: f64) -> u32 {
        let nodes = &mut self.waiting[state as usize];
        let place = *self.places.entry((state, history)).or_insert_with(|| {
            nodes.push((history, 0.0));
            nodes.len() as u32 - 1
        });
        nodes[place as usize].1 += probability;
        place
    }
}

impl UnfoldedGraph {
    fn new(paths: &Paths, order: usize, units: &Units, grams: &mut Grams) -> Result<Self, TooLarge> {
        // Whether a piece ends a written word shows with the next piece.
        let kept = if units.are_written_words() { order } else { order - 1 };
        let unfolding = GraphUnfolder {
            units,
            order,
            kept,
            grams,
            waiting: vec![Vec::new(); paths.states()],
            places: HashMap::default(),
            unfolded: Self::default(),
            states: Vec::new(),
        };
        unfolding.run(paths)
    }

    /// Adds the posterior and the expected count of each n-gram.
    fn count(&self, grams: &Grams, found: &mut Posteriors) -> Result<(), TooLarge> {
        let mut passage = Passage::new(self.through.len());
        let mut edges = Vec::new();
        let mut words = Vec::new();
        for ends in self.ends.chunk_by(|a, b| a.0 == b.0) {
            let expected = ends.iter().map(|&(_, edge)| self.through(edge)).sum();
            edges.clear();
            edges.extend(ends.iter().map(|&(_, edge)| edge));
            edges.dedup();
            let posterior = match edges[..] {
                [only] => self.through(only),
                _ => passage.at_least_once(self, &edges),
            };
            if passage.passed > MOST_PASSED {
                return Err(TooLarge);
            }
            words.clear();
            grams.spell(ends[0].0, &mut words);
            found.push(&words, grams.order(ends[0].0), posterior, expected);
        }
        Ok(())
    }

    /// The probability of the paths that take an edge.
    fn through(&self, edge: u32) -> f64 {
        let edge = self.edges[edge as usize];
        self.through[edge.from as usize] * edge.probability
    }
}

/// Work space: the paths that have an n-gram already.
struct Passage {
    /// By node: the probability of the paths to it that have the n-gram.
    having: Vec<f64>,
    /// A bit for each node that such paths come to.
    reached: Vec<u64>,
    nodes: Vec<u32>,
    /// How many edges were passed, of all n-grams.
    passed: usize,
}

impl Passage {
    fn new(nodes: usize) -> Self {
        Self { having: vec![0.0; nodes], reached: vec![0; nodes.div_ceil(64)], nodes: Vec::new(), passed: 0 }
    }

    /// The probability of the paths that take at least one of some edges, which ascend.
    fn at_least_once(&mut self, graph: &UnfoldedGraph, edges: &[u32]) -> f64 {
        let from = |edge: u32| graph.edges[edge as usize].from;
        let last = edges.last().map_or(0, |&edge| from(edge));
        let (mut total, mut edges, mut node) = (0.0, edges, 0);
        // Where all paths have the n-gram there is nothing to be added.
        while let Some(&next) = edges.first()
            && total < 1.0
        {
            // No edge is left out: nodes ascend, and with them the edges that leave them.
            node = self.next_reached(node, from(next)).unwrap_or(from(next));
            let (through, having) = (graph.through[node as usize], self.having[node as usize]);
            let node_edges = graph.first_edge[node as usize]..graph.first_edge[node as usize + 1];
            self.passed += node_edges.len();
            for number in node_edges {
                let Step { to, probability, .. } = graph.edges[number as usize];
                if edges.first() == Some(&number) {
                    edges = &edges[1..];
                    total += (through - having).max(0.0) * probability;
                    self.enter(to, last, through * probability);
                } else if having > 0.0 {
                    self.enter(to, last, having * probability);
                }
            }
            node += 1;
        }
        for node in self.nodes.drain(..) {
            self.having[node as usize] = 0.0;
            self.reached[node as usize / 64] = 0;
        }
        total
    }

    fn enter(&mut self, node: u32, last: u32, probability: f64) {
        // No edge of interest leaves a node after the last one.
        if node <= last {
            self.having[node as usize] += probability;
            let (word, bit) = (node as usize / 64, 1 << (node % 64));
            if self.reached[word] & bit == 0 {
                self.reached[word] |= bit;
                self.nodes.push(node);
            }
        }
    }

    /// The first node from `node` on, before `end`, that paths with the n-gram come to.
    fn next_reached(&self, node: u32, end: u32) -> Option<u32> {
        let mut word = node as usize / 64;
        let mut bits = self.reached.get(word)? & (u64::MAX << (node % 64));
        while bits == 0 {
            word += 1;
            if word * 64 >= end as usize {
                return None;
            }
            bits = self.reached[word];
        }
        let found = word as u32 * 64 + bits.trailing_zeros();
        (found < end).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_lattice::{Builder, Lattice};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const END: WordId = WordId(0);

    /// A word `a` to `e` as one or two numbers; 4 and 5 continue the word before them.
    fn spell(word: &str, out: &mut Vec<WordId>) {
        let spelling: &[u32] = match word {
            "a" => &[1],
            "b" => &[2],
            "c" => &[1, 4],
            "d" => &[2, 5],
            _ => &[3],
        };
        out.extend(spelling.iter().copied().map(WordId));
    }

    /// All paths with their probabilities.
    fn enumerate(lattice: &Lattice, scale: f64) -> Vec<(Vec<WordId>, f64)> {
        fn walk(lattice: &Lattice, state: usize, words: &[WordId], score: f64, out: &mut Vec<(Vec<WordId>, f64)>) {
            if state == lattice.end().index() {
                out.push(([words, &[END]].concat(), score));
            }
            for arc in lattice.arcs().iter().filter(|arc| arc.from.index() == state) {
                let mut words = words.to_vec();
                arc.word.iter().for_each(|&word| spell(lattice.word(word), &mut words));
                walk(lattice, arc.to.index(), &words, score + f64::from(arc.score), out);
            }
        }
        let mut all = Vec::new();
        walk(lattice, 0, &[], 0.0, &mut all);
        let sum: f64 = all.iter().map(|(_, score)| (scale * score).exp()).sum();
        all.into_iter().map(|(words, score)| (words, (scale * score).exp() / sum)).collect()
    }

    /// N-grams with their orders, posteriors and expected counts.
    type ExpectedCounts = BTreeMap<(usize, Vec<WordId>), (f64, f64)>;

    /// The n-grams of all paths, each counted by the definition.
    fn by_definition(paths: &[(Vec<WordId>, f64)], units: &Units) -> ExpectedCounts {
        let mut found = ExpectedCounts::new();
        for (words, probability) in paths {
            let said: Vec<WordId> = [&[BEGIN], &words[..]].concat();
            let mut counts: BTreeMap<(usize, Vec<WordId>), usize> = BTreeMap::new();
            for end in 1..said.len() {
                for start in (0..=end).filter(|&start| start == 0 || !units.continues(said[start])) {
                    let gram = said[start..=end].to_vec();
                    let order = 1 + gram[1..].iter().filter(|word| !units.continues(**word)).count();
                    if order <= MAX_ORDER {
                        *counts.entry((order, gram)).or_default() += 1;
                    }
                }
            }
            for (gram, count) in counts {
                let entry = found.entry(gram).or_default();
                entry.0 += probability;
                entry.1 += probability * count as f64;
            }
        }
        found
    }

    fn check(lattice: &Lattice, scale: f64, units: &Units) {
        let paths = Paths::from_lattice(lattice, scale, END, spell).expect("a path");
        let posteriors = paths.posteriors(MAX_ORDER, units).expect("a small lattice");
        let expected = by_definition(&enumerate(lattice, scale), units);
        let found: ExpectedCounts = (posteriors.iter())
            .map(|gram| ((gram.order, gram.words.to_vec()), (gram.posterior.into(), gram.expected.into())))
            .collect();
        assert_eq!(found.len(), posteriors.len(), "no n-gram is there twice");
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (gram, (posterior, count)) in expected {
            let (a, b) = found[&gram];
            assert!((a - posterior).abs() < 1e-6 && (b - count).abs() < 1e-6, "{gram:?}: {a} {b}, {posterior} {count}");
        }
    }

    prop_compose! {
        fn lattices()(states in 2u32..7)(
            arcs in prop::collection::vec((0..states, 0..states, 0usize..6, -2.0f32..2.0), 1..14),
            states in Just(states),
        ) -> Lattice {
            let mut builder = Builder::default();
            let mut ids = vec![builder.start()];
            ids.extend((1..states).map(|_| builder.add_state()));
            for (a, b, word, score) in arcs {
                let (from, to) = (a.min(b) as usize, a.max(b) as usize);
                if from < to {
                    let word = ["a", "b", "c", "d", "e"].get(word).copied();
                    builder.add_arc(ids[from], ids[to], word, score);
                }
            }
            // A path, so that there is one.
            ids.windows(2).for_each(|pair| builder.add_arc(pair[0], pair[1], Some("a"), 0.25));
            builder.build()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn posteriors_are_those_of_the_enumeration(lattice in lattices(), scale in 0.2f64..2.0) {
            check(&lattice, scale, &Units::words());
            let continues: Arc<[bool]> = (0..6).map(|word| word >= 4).collect();
            check(&lattice, scale, &Units::written_words(continues));
        }
    }

    #[test]
    fn a_path_counts_once_however_often_it_has_a_word() {
        // "a a" of 3/4 and "a b" of 1/4.
        let lattice = format!("3\t0 1 0 a\t1 1 {} a\t0 1 {} b", 0.75f32.ln(), 0.25f32.ln());
        let lattice = Lattice::from_compact(&lattice).expect("a lattice");
        let posteriors = Paths::from_lattice(&lattice, 1.0, END, spell).expect("paths");
        let posteriors = posteriors.posteriors(1, &Units::words()).expect("small");
        let found: Vec<_> = posteriors.iter().map(|gram| (gram.words[0].0, gram.posterior, gram.expected)).collect();
        let expected = [(0, 1.0, 1.0), (1, 1.0, 1.75), (2, 0.25, 0.25)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-6 && (found.2 - expected.2).abs() < 1e-6
            );
        }
    }

    #[test]
    fn n_best_lists_are_counted() {
        let list = [(vec![WordId(1), WordId(2)], 0.75f64.ln()), (vec![WordId(1)], 0.25f64.ln())];
        let posteriors =
            Paths::from_n_best(&list, 1.0, END).expect("paths").posteriors(4, &Units::words()).expect("small");
        let of = |words: &[WordId]| posteriors.iter().find(|gram| gram.words == words).map(|gram| gram.posterior);
        assert_eq!(of(&[WordId(1)]), Some(1.0));
        assert_eq!(of(&[BEGIN, WordId(1), WordId(2), END]), Some(0.75));
        assert_eq!(of(&[WordId(1), END]), Some(0.25));
        assert_eq!(of(&[BEGIN]), None);
    }
}

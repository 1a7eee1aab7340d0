//! The best translations of a search graph, one after the other.

use crate::counters::Counters;
use crate::decoder::Decoder;
use crate::graph::{Arc, NodeId, SearchGraph};
use crate::search::Workspace;
use crate::source::Source;
use crate::translation::Translation;
use std::collections::{BinaryHeap, HashSet};

/// Translations looked at for each distinct one that is wanted.
const PATIENCE: usize = 100;

/// What becomes of translations with the same words, which differ in their phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// The list has all of them.
    Keep,
    /// The list has the best of them alone.
    Drop,
}

impl Decoder<'_> {
    /// Searches the `count` best translations of a sentence, the best first. There may be fewer, in particular
    /// unless the options keep recombined hypotheses.
    pub fn n_best<'s>(
        &self,
        source: impl Into<Source<'s>>,
        count: usize,
        duplicates: Duplicates,
        workspace: &mut Workspace,
    ) -> (Vec<Translation>, Counters) {
        let source = source.into();
        let distinct = duplicates == Duplicates::Drop;
        let counters = self.search(source, workspace);
        if source.words.is_empty() {
            return (vec![self.best(workspace)], counters);
        }
        let mut seen = HashSet::new();
        let paths = Paths::new(&workspace.graph, workspace.complete());
        let translations =
            paths.take(count.saturating_mul(if distinct { PATIENCE } else { 1 })).map(|(score, arcs)| Translation {
                score,
                phrases: arcs.iter().map(|arc| self.phrase(workspace, arc)).collect(),
            });
        let new = translations.filter(|found| !distinct || seen.insert(self.model().words(source, &found.phrases)));
        (new.take(count).collect(), counters)
    }
}

/// The paths of a search graph from the root to the complete translations, the best first.
///
/// The best way to each node is known. So a path is found by the arc where it last leaves the best way: a queue holds
/// the arcs that are not the best of their nodes, each with its tail, by the score of the best path through it.
struct Paths<'g> {
    graph: &'g SearchGraph,
    queue: BinaryHeap<Deviation>,
    /// The rest of a path: an arc, and the tail after the arc.
    tails: Vec<(Arc, u32)>,
}

const END: u32 = u32::MAX;

/// An arc that a path takes, the best way up to there.
#[derive(Debug, Clone, Copy)]
struct Deviation {
    /// The score of the whole path.
    score: f32,
    /// The order of discovery: the earlier of equals comes first.
    number: u32,
    node: NodeId,
    arc: u32,
    /// The rest of the path after the arc.
    tail: u32,
    /// The score of the tail.
    tail_score: f32,
}

impl<'g> Paths<'g> {
    fn new(graph: &'g SearchGraph, complete: impl Iterator<Item = NodeId>) -> Self {
        let mut paths = Self { graph, queue: BinaryHeap::new(), tails: Vec::new() };
        for node in complete {
            paths.push(node, 0, END, 0.0);
        }
        paths
    }

    /// Queues the arcs of a node from number `first` on.
    fn push(&mut self, node: NodeId, first: usize, tail: u32, tail_score: f32) {
        for (arc, number) in self.graph.arcs(node).iter().zip(0..).skip(first) {
            let score = arc.score + tail_score;
            let discovery = self.tails.len() as u32;
            self.queue.push(Deviation { score, number: discovery, node, arc: number, tail, tail_score });
        }
    }
}

impl Iterator for Paths<'_> {
    /// Score and arcs, from the first to the last.
    type Item = (f32, Vec<Arc>);

    fn next(&mut self) -> Option<Self::Item> {
        let Deviation { score, mut node, arc, mut tail, mut tail_score, .. } = self.queue.pop()?;
        let mut next = self.graph.arcs(node).get(arc as usize);
        while let Some(&arc) = next {
            self.tails.push((arc, tail));
            tail = self.tails.len() as u32 - 1;
            node = arc.parent;
            tail_score += arc.score - self.graph.score(node);
            self.push(node, 1, tail, tail_score);
            next = self.graph.arcs(node).first();
        }
        let mut arcs = Vec::new();
        while let Some(&(arc, next)) = self.tails.get(tail as usize) {
            arcs.push(arc);
            tail = next;
        }
        Some((score, arcs))
    }
}

impl Ord for Deviation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let earlier = (other.number, other.node.0, other.arc).cmp(&(self.number, self.node.0, self.arc));
        self.score.total_cmp(&other.score).then(earlier)
    }
}

impl PartialOrd for Deviation {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Deviation {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Deviation {}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(score: f32, parent: u32, candidate: u32) -> Arc {
        Arc { score, parent: NodeId(parent), candidate, start: 0, end: 0 }
    }

    #[test]
    fn paths_come_in_the_order_of_their_scores() {
        let mut graph = SearchGraph::default();
        graph.reset();
        let a = graph.add([arc(-1.0, 0, 1), arc(-1.5, 0, 2), arc(-4.0, 0, 3)]);
        let b = graph.add([arc(-2.0, 0, 4)]);
        let end = graph.add([arc(-3.0, a.0, 5), arc(-3.25, b.0, 6), arc(-5.0, a.0, 7)]);
        let found: Vec<(f32, Vec<u32>)> = Paths::new(&graph, [end].into_iter())
            .map(|(score, arcs)| (score, arcs.iter().map(|arc| arc.candidate).collect()))
            .collect();
        let expected = [
            (-3.0, vec![1, 5]),
            (-3.25, vec![4, 6]),
            (-3.5, vec![2, 5]),
            (-5.0, vec![1, 7]),
            (-5.5, vec![2, 7]),
            (-6.0, vec![3, 5]),
            (-8.0, vec![3, 7]),
        ];
        assert_eq!(found, expected);
    }
}

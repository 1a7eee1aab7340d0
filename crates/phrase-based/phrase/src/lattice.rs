//! The hypotheses that a search has kept, as a graph of phrases or of words.

use crate::counters::Counters;
use crate::decoder::Decoder;
use crate::graph::NodeId;
use crate::model::PhraseModel;
use crate::search::Workspace;
use crate::source::Source;
use crate::translation::Phrase;
use metaphrase_lattice::{Builder, Lattice, StateId};

/// The hypotheses that a search has kept: each path from node 0 to a complete node is a translation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhraseLattice {
    /// Partial translations; a node comes after the nodes that it extends.
    pub nodes: Vec<PhraseNode>,
    /// Phrases between them, in the order of the nodes that they lead to, the best way to a node first.
    pub arcs: Vec<PhraseArc>,
}

/// A partial translation, or several that have the same future.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhraseNode {
    /// Number of translated source words.
    pub covered: usize,
    /// The score of the best path to it.
    pub score: f32,
    /// The score of the best path from it to a complete node.
    pub rest: f32,
}

/// A phrase of a lattice.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseArc {
    /// The node that it extends.
    pub from: usize,
    /// The node that it leads to.
    pub to: usize,
    /// The source words and their translation.
    pub phrase: Phrase,
    /// The score that it adds.
    pub score: f32,
}

impl PhraseLattice {
    /// Whether a node is a whole translation.
    #[must_use]
    pub fn is_complete(&self, node: usize) -> bool {
        self.nodes.last().is_some_and(|last| last.covered == self.nodes[node].covered)
    }
}

impl PhraseModel {
    /// The lattice of the words of phrases that translate `source`. The score of a phrase is on its first word.
    #[must_use]
    pub fn word_lattice<'s>(&self, source: impl Into<Source<'s>>, phrases: &PhraseLattice) -> Lattice {
        let source = source.into();
        let mut builder = Builder::default();
        let mut states = vec![builder.start(); phrases.nodes.len()];
        let mut arcs = phrases.arcs.iter().peekable();
        let mut into = Vec::new();
        for node in 1..phrases.nodes.len() {
            while let Some(arc) = arcs.next_if(|arc| arc.to == node) {
                into.push(Path::begin(
                    self.words(source, std::slice::from_ref(&arc.phrase)),
                    arc,
                    states[arc.from],
                    &mut builder,
                ));
            }
            // All complete translations end in one state.
            if phrases.is_complete(node) && node + 1 < phrases.nodes.len() {
                continue;
            }
            states[node] = builder.add_state();
            for Path { from, word, score } in into.drain(..) {
                builder.add_arc(from, states[node], word, score);
            }
        }
        builder.build()
    }
}

/// The last word of a phrase, which still has to get somewhere.
struct Path<'a> {
    from: StateId,
    /// None: the phrase has no words.
    word: Option<&'a str>,
    score: f32,
}

impl<'a> Path<'a> {
    /// Adds all words of a phrase but the last.
    fn begin(words: Vec<&'a str>, arc: &PhraseArc, mut from: StateId, builder: &mut Builder) -> Self {
        let mut score = arc.score;
        let Some((last, others)) = words.split_last() else { return Self { from, word: None, score } };
        for word in others {
            let next = builder.add_state();
            builder.add_arc(from, next, Some(word), score);
            (from, score) = (next, 0.0);
        }
        Self { from, word: Some(last), score }
    }
}

impl Decoder<'_> {
    /// Searches a sentence, and returns the hypotheses that lead to a complete translation. The options have to keep
    /// recombined hypotheses.
    pub fn lattice<'s>(&self, source: impl Into<Source<'s>>, workspace: &mut Workspace) -> (PhraseLattice, Counters) {
        let source = source.into();
        let counters = self.search(source, workspace);
        if source.words.is_empty() {
            let nodes = vec![PhraseNode { covered: 0, score: 0.0, rest: 0.0 }];
            return (PhraseLattice { nodes, arcs: Vec::new() }, counters);
        }
        let rests = rests(workspace);
        let numbers = numbers(&rests);
        let mut lattice = PhraseLattice::default();
        for (node, &rest) in rests.iter().enumerate().filter(|(_, rest)| **rest > f32::NEG_INFINITY) {
            let arcs = workspace.graph.arcs(NodeId(node as u32));
            for arc in arcs {
                let (from, to) = (numbers[arc.parent.index()], numbers[node]);
                let score = arc.score - workspace.graph.score(arc.parent);
                lattice.arcs.push(PhraseArc { from, to, phrase: self.phrase(workspace, arc), score });
            }
            // All ways to a node cover the same words.
            let before = |arc: &PhraseArc| lattice.nodes[arc.from].covered + arc.phrase.source.len();
            let covered = lattice.arcs.last().filter(|_| !arcs.is_empty()).map_or(0, before);
            let score = workspace.graph.score(NodeId(node as u32));
            lattice.nodes.push(PhraseNode { covered, score, rest });
        }
        (lattice, counters)
    }
}

/// The best score from each node of the search graph to a complete one; minus infinity where no path leads to one.
fn rests(workspace: &Workspace) -> Vec<f32> {
    let graph = &workspace.graph;
    let mut rests = vec![f32::NEG_INFINITY; graph.len()];
    for node in workspace.complete() {
        rests[node.index()] = 0.0;
    }
    for node in (0..graph.len()).rev() {
        for arc in graph.arcs(NodeId(node as u32)) {
            let rest = rests[node] + arc.score - graph.score(arc.parent);
            let parent = &mut rests[arc.parent.index()];
            *parent = parent.max(rest);
        }
    }
    rests
}

/// New numbers for the nodes that lead somewhere.
fn numbers(rests: &[f32]) -> Vec<usize> {
    let mut next = 0;
    let number = |rest: &f32| {
        next += usize::from(*rest > f32::NEG_INFINITY);
        next.saturating_sub(1)
    };
    rests.iter().map(number).collect()
}

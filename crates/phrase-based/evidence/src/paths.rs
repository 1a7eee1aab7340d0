//! Translations with their probabilities: the paths of a graph.

use crate::EvidenceError;
use metaphrase_base::WordId;
use metaphrase_lattice::Lattice;
use std::ops::Range;

/// Translations with their probabilities, as a graph without cycles: each path from its first to its last state is a
/// translation, end of sentence included. The graph knows the probability of each edge, given the state that it leaves.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The words of all edges, one edge after the other.
    words: Vec<WordId>,
    /// By the state that they leave.
    edges: Vec<Edge>,
    states: u32,
}

/// Words between two states.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    /// Later than `from`.
    pub(crate) to: u32,
    /// Where its words are in the list of all words.
    words: Range<u32>,
    /// The probability among the edges that leave the same state; their sum is 1.
    pub(crate) probability: f64,
}

impl Paths {
    /// An n-best list: translations without the end of sentence, with scores (natural logarithms; higher is better).
    /// The probability of a translation is its share of the sum of `exp(scale · score)`.
    ///
    /// # Errors
    /// If there are no translations, or a score is not a number or is infinite.
    pub fn from_n_best<W: AsRef<[WordId]>>(list: &[(W, f64)], scale: f64, end: WordId) -> Result<Self, EvidenceError> {
        if list.is_empty() {
            return Err(EvidenceError::NoTranslation);
        }
        if let Some(place) = list.iter().position(|(_, score)| !score.is_finite()) {
            return Err(EvidenceError::Score { number: place + 1, score: list[place].1 });
        }
        let best = list.iter().map(|(_, score)| scale * score).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = list.iter().map(|(_, score)| (scale * score - best).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut paths = PathsBuilder::new(2);
        for ((words, _), weight) in list.iter().zip(weights) {
            paths.add(0, 1, words.as_ref().iter().copied().chain([end]), weight / sum);
        }
        Ok(paths.build())
    }

    /// All paths of a lattice; `spell` appends the words that stand for a word of the lattice. The probability of a
    /// path is its share of the sum of `exp(scale · score)`.
    ///
    /// # Errors
    /// If no path has a finite score.
    pub fn from_lattice(
        lattice: &Lattice,
        scale: f64,
        end: WordId,
        mut spell: impl FnMut(&str, &mut Vec<WordId>),
    ) -> Result<Self, EvidenceError> {
        let probabilities = lattice.probabilities(scale).ok_or(EvidenceError::NoTranslation)?;
        let mut spelled = Vec::new();
        let spellings: Vec<Range<usize>> = lattice
            .words()
            .map(|word| {
                let start = spelled.len();
                spell(word, &mut spelled);
                start..spelled.len()
            })
            .collect();
        let last = lattice.states() as u32;
        let mut paths = PathsBuilder::new(last + 1);
        for (arc, probability) in lattice.arcs().iter().zip(probabilities) {
            if probability > 0.0 {
                let words = arc.word.map_or(0..0, |word| spellings[word.index()].clone());
                paths.add(arc.from.index() as u32, arc.to.index() as u32, spelled[words].iter().copied(), probability);
            }
        }
        paths.add(last - 1, last, [end], 1.0);
        Ok(paths.build())
    }

    pub(crate) fn states(&self) -> usize {
        self.states as usize
    }

    /// The edges, in the order of the states that they leave.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(crate) fn words(&self, edge: &Edge) -> &[WordId] {
        &self.words[edge.words.start as usize..edge.words.end as usize]
    }

    /// Number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are no edges. No graph of this crate is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }
}

/// Collects edges.
pub(crate) struct PathsBuilder(Paths);

impl PathsBuilder {
    pub(crate) fn new(states: u32) -> Self {
        Self(Paths { words: Vec::new(), edges: Vec::new(), states })
    }

    pub(crate) fn add(&mut self, from: u32, to: u32, words: impl IntoIterator<Item = WordId>, probability: f64) {
        debug_assert!(from < to && to < self.0.states);
        let start = self.0.words.len() as u32;
        self.0.words.extend(words);
        let words = start..WordId::new(self.0.words.len()).0;
        self.0.edges.push(Edge { from, to, words, probability });
    }

    pub(crate) fn build(mut self) -> Paths {
        self.0.edges.sort_by_key(|edge| edge.from);
        self.0
    }
}

//! Word lattices: many translations of a sentence in one graph.
//!
//! ```
//! use metaphrase_lattice::Builder;
//!
//! let mut builder = Builder::default();
//! let [start, house, end] = [builder.start(), builder.add_state(), builder.add_state()];
//! builder.add_arc(start, house, Some("the"), -0.5);
//! builder.add_arc(start, house, Some("a"), -1.0);
//! builder.add_arc(house, end, Some("house"), -0.25);
//! let lattice = builder.build();
//! assert_eq!(lattice.best(), (vec!["the", "house"], -0.75));
//! assert_eq!(lattice.to_compact(), "3\t0 1 -0.5 the\t0 1 -1 a\t1 1 -0.25 house");
//! ```
//!
//! Both text forms are described in `docs/formats/lattice.md`.
#![forbid(unsafe_code)]

mod compact;
mod diagram;
mod error;
mod moses;
mod openfst;
mod probability;

pub use diagram::{Diagram, DiagramArc};
pub use error::LatticeError;

use metaphrase_base::WordId;
use std::collections::HashMap;

/// A word lattice: each path from the [start](Self::start) to the [final state](Self::end) is a translation, its score
/// the sum of the scores of its arcs.
///
/// Arcs lead to later states only, and come in the order of the states that they leave. So one pass over
/// [`arcs`](Self::arcs) sees all arcs into a state before the arcs out of it; a pass backwards sees them the other way
/// round.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    words: Vec<String>,
    arcs: Vec<Arc>,
    states: u32,
}

/// A state of a lattice, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

/// A word between two states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    /// The state that it leaves.
    pub from: StateId,
    /// The state that it leads to; later than `from`.
    pub to: StateId,
    /// Its word, see [`Lattice::word`]; `None`: the arc has no word (epsilon).
    pub word: Option<WordId>,
    /// Its part of the score of a path: natural logarithm, weighted as the search that made the lattice weighs, higher
    /// is better.
    pub score: f32,
}

impl StateId {
    /// The number of the state.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Lattice {
    /// The lattice of some translations, each with its score on a path of its own.
    #[must_use]
    pub fn from_paths<'a, W: IntoIterator<Item = &'a str>>(paths: impl IntoIterator<Item = (W, f32)>) -> Self {
        let mut builder = Builder::default();
        let mut ends = Vec::new();
        for (words, score) in paths {
            let last = words.into_iter().fold(builder.start(), |state, word| {
                let next = builder.add_state();
                builder.add_arc(state, next, Some(word), 0.0);
                next
            });
            ends.push((last, score));
        }
        let end = builder.add_state();
        ends.into_iter().for_each(|(state, score)| builder.add_arc(state, end, None, score));
        builder.build()
    }

    /// The state in which all paths begin.
    #[must_use]
    pub fn start(&self) -> StateId {
        StateId(0)
    }

    /// The state in which all paths end, the last one.
    #[must_use]
    pub fn end(&self) -> StateId {
        StateId(self.states - 1)
    }

    /// Number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states as usize
    }

    /// The arcs, in the order of the states that they leave.
    #[must_use]
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// The word of a number.
    ///
    /// # Panics
    /// If the lattice has no such word.
    #[must_use]
    pub fn word(&self, id: WordId) -> &str {
        &self.words[id.index()]
    }

    /// All words, by number.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Words and score of the best path; no words and minus infinity if no path exists.
    #[must_use]
    pub fn best(&self) -> (Vec<&str>, f32) {
        let arcs = self.best_arcs();
        let back = |state: &StateId| arcs[state.index()].map(|arc| self.arcs[arc].from);
        let states = std::iter::successors(Some(self.end()), back);
        let mut path: Vec<&Arc> = states.filter_map(|state| Some(&self.arcs[arcs[state.index()]?])).collect();
        path.reverse();
        let complete = path.first().map_or(self.end(), |arc| arc.from) == self.start();
        let score = path.iter().fold(0.0, |score, arc| score + arc.score);
        let words = path.iter().filter_map(|arc| arc.word).map(|word| self.word(word)).collect();
        if complete { (words, score) } else { (Vec::new(), f32::NEG_INFINITY) }
    }

    /// By state: the last arc of the best path to it.
    fn best_arcs(&self) -> Vec<Option<usize>> {
        let mut best = vec![(f32::NEG_INFINITY, None); self.states()];
        best[0].0 = 0.0;
        for (number, arc) in self.arcs.iter().enumerate() {
            let score = best[arc.from.index()].0 + arc.score;
            if score > best[arc.to.index()].0 {
                best[arc.to.index()] = (score, Some(number));
            }
        }
        best.into_iter().map(|(_, arc)| arc).collect()
    }
}

/// Collects the states and arcs of a lattice. The state that is added last is the final one.
#[derive(Debug)]
pub struct Builder {
    lattice: Lattice,
    ids: HashMap<String, WordId>,
}

impl Default for Builder {
    /// The start alone, which is the lattice of the empty translation.
    fn default() -> Self {
        Self { lattice: Lattice { words: Vec::new(), arcs: Vec::new(), states: 1 }, ids: HashMap::new() }
    }
}

impl Builder {
    /// The state in which all paths begin.
    #[must_use]
    pub fn start(&self) -> StateId {
        self.lattice.start()
    }

    /// Adds a state after all others.
    pub fn add_state(&mut self) -> StateId {
        self.lattice.states += 1;
        self.lattice.end()
    }

    /// Adds an arc; see [`Arc`].
    ///
    /// # Panics
    /// If it does not lead to a later state.
    pub fn add_arc(&mut self, from: StateId, to: StateId, word: Option<&str>, score: f32) {
        assert!(from < to && to <= self.lattice.end(), "an arc from {from:?} to {to:?}");
        let word = word.map(|word| self.word(word));
        self.lattice.arcs.push(Arc { from, to, word, score });
    }

    fn word(&mut self, word: &str) -> WordId {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let words = &mut self.lattice.words;
        let id = WordId::new(words.len());
        words.push(word.to_owned());
        self.ids.insert(word.to_owned(), id);
        id
    }

    /// The lattice. Arcs that leave a state stay in the order in which they were added.
    #[must_use]
    pub fn build(mut self) -> Lattice {
        self.lattice.arcs.sort_by_key(|arc| arc.from);
        self.lattice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_come_in_the_order_of_their_states() {
        let mut builder = Builder::default();
        let states = [builder.start(), builder.add_state(), builder.add_state()];
        builder.add_arc(states[1], states[2], Some("b"), -1.0);
        builder.add_arc(states[0], states[2], Some("c"), -3.0);
        builder.add_arc(states[0], states[1], None, -1.0);
        let lattice = builder.build();
        let order: Vec<_> = lattice.arcs().iter().map(|arc| (arc.from.index(), arc.to.index())).collect();
        assert_eq!(order, [(0, 2), (0, 1), (1, 2)]);
        assert_eq!(lattice.best(), (vec!["b"], -2.0));
        assert_eq!(lattice.words().collect::<Vec<_>>(), ["b", "c"]);
    }

    #[test]
    fn translations_become_paths() {
        let lattice = Lattice::from_paths([("the house".split(' '), -1.0), ("a house".split(' '), -0.5)]);
        assert_eq!((lattice.best(), lattice.n_best(9).len()), ((vec!["a", "house"], -0.5), 2));
        assert_eq!(Lattice::from_paths([("".split_whitespace(), -2.0)]).best(), (vec![], -2.0));
        assert_eq!(Lattice::from_paths::<Vec<&str>>([]).best(), (vec![], f32::NEG_INFINITY));
    }

    #[test]
    fn a_new_lattice_is_the_empty_translation() {
        assert_eq!(Builder::default().build().best(), (vec![], 0.0));
    }

    #[test]
    #[should_panic(expected = "an arc from")]
    fn no_arc_leads_back() {
        let mut builder = Builder::default();
        let end = builder.add_state();
        builder.add_arc(end, builder.start(), None, 0.0);
    }
}

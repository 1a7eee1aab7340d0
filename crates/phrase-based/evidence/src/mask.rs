//! Lattice rescoring: only the translations of the evidence are allowed.

use crate::{EvidenceError, Paths};
use metaphrase_base::{ScoreBuffer, SentenceScorer, WordId, WordScore, WordScores};
use std::collections::{BTreeMap, HashMap};

/// The automaton has at most this many states.
const MOST_STATES: usize = 200_000;

/// The state after words that are in no translation, which a given prefix may have: everything is allowed.
const OUTSIDE: u32 = u32::MAX;

/// Allows the words that continue a translation of some [`Paths`], and forbids all others (Iglesias et al. 2018, §3,
/// remark 2). So the search finds, among these translations, the best one of its model.
#[derive(Debug)]
pub struct Mask {
    /// By state: where its words begin; one more than there are states.
    first: Vec<u32>,
    /// The words that may follow, ascending in each state.
    words: Vec<WordId>,
    /// By word of a state: the state after it.
    next: Vec<u32>,
}

impl Mask {
    /// The deterministic automaton of all paths.
    ///
    /// # Errors
    /// If it has too many states: prune the lattice.
    pub fn new(paths: &Paths) -> Result<Self, EvidenceError> {
        let places = Places::new(paths);
        let start = places.closed([0]);
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::from([(start.clone(), 0)]);
        let (mut sets, mut mask) = (vec![start], Self { first: vec![0], words: Vec::new(), next: Vec::new() });
        let mut state = 0;
        while state < sets.len() {
            let mut following: BTreeMap<WordId, Vec<u32>> = BTreeMap::new();
            for &place in &sets[state] {
                places.each_word(place, |word, next| following.entry(word).or_default().push(next));
            }
            for (word, next) in following {
                let next = places.closed(next);
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    sets.push(next.clone());
                    sets.len() as u32 - 1
                });
                mask.words.push(word);
                mask.next.push(number);
            }
            mask.first.push(mask.words.len() as u32);
            if sets.len() > MOST_STATES {
                return Err(EvidenceError::TooLarge { edges: paths.len() });
            }
            state += 1;
        }
        Ok(mask)
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Never: the start is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words that may follow a state, and the number of the first of them.
    fn following(&self, state: u32) -> (&[WordId], usize) {
        let [first, end] = [state, state + 1].map(|state| self.first[state as usize] as usize);
        (&self.words[first..end], first)
    }
}

impl SentenceScorer for Mask {
    fn start(&self) -> u32 {
        0
    }

    fn after(&self, state: u32, word: WordId) -> u32 {
        if state == OUTSIDE {
            return OUTSIDE;
        }
        let (words, first) = self.following(state);
        words.binary_search(&word).map_or(OUTSIDE, |place| self.next[first + place])
    }

    fn words(&self) -> &[WordId] {
        &self.words
    }

    fn scores<'a>(&'a self, state: u32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        buffer.listed.clear();
        if state == OUTSIDE {
            return WordScores::Sparse { base: 0.0, listed: &buffer.listed };
        }
        buffer.listed.extend(self.following(state).0.iter().map(|&word| WordScore { word, score: 0.0 }));
        WordScores::Sparse { base: f32::NEG_INFINITY, listed: &buffer.listed }
    }
}

/// The places between the words of a graph: its states, then the places inside edges, by the word that follows.
struct Places<'a> {
    paths: &'a Paths,
    states: u32,
    /// By state: its first edge; one more than there are states.
    first_edge: Vec<u32>,
    /// By word of an edge: the edge, and the number of words after this word.
    inside: Vec<(u32, u32)>,
    /// By edge: the number of the words of earlier edges.
    first_word: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(paths: &'a Paths) -> Self {
        let (mut first_edge, mut inside, mut first_word) = (vec![0; paths.states() + 1], Vec::new(), Vec::new());
        for (number, edge) in (0..).zip(paths.edges()) {
            first_edge[edge.from as usize + 1] += 1;
            let length = paths.words(edge).len() as u32;
            first_word.push(inside.len() as u32);
            inside.extend((0..length).rev().map(|left| (number, left)));
        }
        (0..paths.states()).for_each(|state| first_edge[state + 1] += first_edge[state]);
        Self { paths, states: paths.states() as u32, first_edge, inside, first_word }
    }

    fn edges(&self, state: u32) -> std::ops::Range<u32> {
        self.first_edge[state as usize]..self.first_edge[state as usize + 1]
    }

    /// The place after word `word` of all words.
    fn after(&self, word: u32) -> u32 {
        let (edge, left) = self.inside[word as usize];
        if left == 0 { self.paths.edges()[edge as usize].to } else { self.states + word + 1 }
    }

    /// The words that follow a place, and the places after them.
    fn each_word(&self, place: u32, mut found: impl FnMut(WordId, u32)) {
        let mut word = |number: u32| {
            let (edge, _) = self.inside[number as usize];
            let words = self.paths.words(&self.paths.edges()[edge as usize]);
            found(words[(number - self.first_word[edge as usize]) as usize], self.after(number));
        };
        match place.checked_sub(self.states) {
            Some(inside) => word(inside),
            None => {
                let has_words = |edge: &u32| !self.paths.words(&self.paths.edges()[*edge as usize]).is_empty();
                self.edges(place).filter(has_words).for_each(|edge| word(self.first_word[edge as usize]));
            }
        }
    }

    /// These places and those that edges without words lead to, in order.
    fn closed(&self, places: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut closed: Vec<u32> = places.into_iter().collect();
        let mut next = 0;
        while let Some(&place) = closed.get(next) {
            if place < self.states {
                let edges = self.edges(place).map(|edge| &self.paths.edges()[edge as usize]);
                closed.extend(edges.filter(|edge| self.paths.words(edge).is_empty()).map(|edge| edge.to));
            }
            next += 1;
        }
        closed.sort_unstable();
        closed.dedup();
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_lattice::Lattice;

    const END: WordId = WordId(0);

    /// All sequences that the mask allows.
    fn allowed(mask: &Mask, state: u32, words: &[WordId], found: &mut Vec<Vec<WordId>>) {
        if words.last() == Some(&END) {
            return found.push(words.to_vec());
        }
        let mut buffer = ScoreBuffer::default();
        let row = mask.scores(state, &mut buffer);
        for word in (0..6).map(WordId).filter(|&word| row.get(word) > f32::NEG_INFINITY) {
            allowed(mask, mask.after(state, word), &[words, &[word]].concat(), found);
        }
    }

    #[test]
    fn the_paths_are_allowed_and_nothing_else() {
        let spell = |word: &str, out: &mut Vec<WordId>| {
            out.extend(word.bytes().map(|letter| WordId(u32::from(letter - b'a') + 1)));
        };
        for (lattice, expected) in [
            ("3\t0 1 0 ab\t0 1 0 a\t0 2 0 abc\t1 1 0\t0 1 0 b\t0 1 0 c", &["a", "ab", "abb", "abc", "ac"][..]),
            ("1", &[""]),
        ] {
            let lattice = Lattice::from_compact(lattice).expect("a lattice");
            let paths = Paths::from_lattice(&lattice, 1.0, END, spell).expect("paths");
            let mask = Mask::new(&paths).expect("a small lattice");
            let mut found = Vec::new();
            allowed(&mask, mask.start(), &[], &mut found);
            let text = |words: &Vec<WordId>| -> String {
                words.iter().filter(|word| **word != END).map(|word| char::from(b'a' + word.0 as u8 - 1)).collect()
            };
            let mut found: Vec<String> = found.iter().map(text).collect();
            found.sort();
            assert_eq!(found, expected);
        }
        let paths = Paths::from_n_best(&[(vec![WordId(1)], 0.0)], 1.0, END).expect("paths");
        let mask = Mask::new(&paths).expect("small");
        let outside = mask.after(mask.start(), WordId(5));
        assert_eq!(mask.scores(outside, &mut ScoreBuffer::default()).get(WordId(2)), 0.0);
        assert_eq!((mask.after(outside, WordId(1)), mask.len()), (outside, 3));
    }
}

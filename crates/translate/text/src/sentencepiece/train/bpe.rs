//! Training of byte pair encoding (Sennrich et al. 2016, algorithm 1): the most frequent pair of neighbours becomes a
//! piece, again and again.

use super::Progress;
use super::corpus::Corpus;
use super::lattice::Piece;
use super::shape::Shape;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;

/// Merges between two reports of progress.
const REPORT: usize = 500;

/// Pieces in the order of the file: `merges` joined ones, the first joined first (fewer if there are no more pairs),
/// and the characters. A piece's score is the negative of its place.
pub(super) fn train(corpus: &Corpus, shape: &Shape, merges: usize, mut progress: impl FnMut(Progress)) -> Vec<Piece> {
    let mut trainer = Trainer::new(corpus, *shape);
    let mut texts: Vec<Rc<str>> = Vec::new();
    while texts.len() < merges {
        let Some((pair, symbol)) = trainer.next_pair() else { break };
        if !trainer.symbols[symbol as usize].is_piece {
            trainer.symbols[symbol as usize].is_piece = true;
            texts.push(trainer.symbols[symbol as usize].text.clone());
            if texts.len().is_multiple_of(REPORT) {
                progress(Progress::Merged { pieces: texts.len(), of: merges });
            }
        }
        trainer.merge(pair, symbol);
    }
    let characters = corpus.characters.iter().map(|(c, _)| c.to_string().into());
    let texts = texts.iter().map(|text| text.as_ref().into()).chain(characters);
    texts.enumerate().map(|(place, text)| Piece { text, score: -(place as f64) }).collect()
}

/// Two neighbours, by symbol.
type Pair = (u32, u32);

/// A character or a string joined from two symbols. Strings joined in two ways are one symbol.
struct Symbol {
    text: Rc<str>,
    length: usize,
    is_piece: bool,
}

/// A pair, how often it is there, and where.
struct Joint {
    /// The piece that the pair makes, if the rules allow it.
    symbol: Option<u32>,
    count: u64,
    /// Words that it was seen in; it may be gone from some.
    words: Vec<u32>,
}

/// An entry of the agenda. The order of the fields is the order of the agenda: the most frequent first, then the
/// shortest, then the first in the alphabet.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    count: u64,
    length: Reverse<usize>,
    text: Reverse<Rc<str>>,
    pair: Pair,
    symbol: u32,
}

struct Trainer {
    shape: Shape,
    symbols: Vec<Symbol>,
    by_text: HashMap<Rc<str>, u32>,
    /// The words in symbols, and their counts.
    words: Vec<Vec<u32>>,
    counts: Vec<u64>,
    pairs: HashMap<Pair, Joint>,
    agenda: BinaryHeap<Candidate>,
    /// Pairs whose count is not that of their last entry in the agenda.
    changed: BTreeSet<Pair>,
}

impl Trainer {
    fn new(corpus: &Corpus, shape: Shape) -> Self {
        let mut trainer = Self {
            shape,
            symbols: Vec::new(),
            by_text: HashMap::new(),
            words: Vec::with_capacity(corpus.words.len()),
            counts: corpus.words.iter().map(|word| word.count).collect(),
            pairs: HashMap::new(),
            agenda: BinaryHeap::new(),
            changed: BTreeSet::new(),
        };
        for (id, word) in corpus.words.iter().enumerate() {
            let mut buffer = [0; 4];
            let symbols: Vec<u32> = word.text.chars().map(|c| trainer.symbol(c.encode_utf8(&mut buffer), 1)).collect();
            for pair in symbols.windows(2) {
                trainer.add((pair[0], pair[1]), id as u32);
            }
            trainer.words.push(symbols);
        }
        trainer.update_agenda();
        trainer
    }

    /// The symbol of a text of `length` characters.
    fn symbol(&mut self, text: &str, length: usize) -> u32 {
        if let Some(&symbol) = self.by_text.get(text) {
            return symbol;
        }
        let id = self.symbols.len() as u32;
        let text: Rc<str> = text.into();
        // Characters are in the vocabulary from the start.
        self.symbols.push(Symbol { text: text.clone(), length, is_piece: length == 1 });
        self.by_text.insert(text, id);
        id
    }

    /// Counts a pair that is new in word `id`.
    fn add(&mut self, pair: Pair, id: u32) {
        let count = self.counts[id as usize];
        if !self.pairs.contains_key(&pair) {
            let symbol = self.join(pair);
            self.pairs.insert(pair, Joint { symbol, count: 0, words: Vec::new() });
        }
        if let Some(joint) = self.pairs.get_mut(&pair).filter(|joint| joint.symbol.is_some()) {
            joint.count += count;
            if joint.words.last() != Some(&id) {
                joint.words.push(id);
            }
            self.changed.insert(pair);
        }
    }

    /// Undoes an [`add`](Self::add). The agenda finds out when the pair's turn comes.
    fn remove(&mut self, pair: Pair, id: u32) {
        if let Some(joint) = self.pairs.get_mut(&pair).filter(|joint| joint.symbol.is_some()) {
            joint.count -= self.counts[id as usize];
        }
    }

    /// The symbol that a pair makes, if that may be a piece.
    fn join(&mut self, (left, right): Pair) -> Option<u32> {
        let (left, right) = (&self.symbols[left as usize], &self.symbols[right as usize]);
        let text = [left.text.as_ref(), right.text.as_ref()].concat();
        let length = left.length + right.length;
        self.shape.allows(text.chars().map(|c| self.shape.class(c))).then(|| self.symbol(&text, length))
    }

    fn update_agenda(&mut self) {
        for pair in std::mem::take(&mut self.changed) {
            if let Some(&Joint { symbol: Some(symbol), count, .. }) = self.pairs.get(&pair) {
                self.push(pair, symbol, count);
            }
        }
    }

    fn push(&mut self, pair: Pair, symbol: u32, count: u64) {
        let Symbol { text, length, .. } = &self.symbols[symbol as usize];
        let (length, text) = (Reverse(*length), Reverse(text.clone()));
        self.agenda.push(Candidate { count, length, text, pair, symbol });
    }

    /// The most frequent pair and the piece that it makes.
    fn next_pair(&mut self) -> Option<(Pair, u32)> {
        while let Some(Candidate { count, pair, symbol, .. }) = self.agenda.pop() {
            match self.pairs.get(&pair).map_or(0, |joint| joint.count) {
                0 => {}
                now if now == count => return Some((pair, symbol)),
                // Merges took some away. Had they added some, another entry would have come first.
                now => self.push(pair, symbol, now),
            }
        }
        None
    }

    /// Joins the pair in all words.
    fn merge(&mut self, pair: Pair, symbol: u32) {
        let words = self.pairs.remove(&pair).map_or(Vec::new(), |joint| joint.words);
        for id in words {
            let old = std::mem::take(&mut self.words[id as usize]);
            let mut new: Vec<u32> = Vec::with_capacity(old.len());
            let mut rest = old.as_slice();
            while let Some((&first, after)) = rest.split_first() {
                if after.first() != Some(&pair.1) || first != pair.0 {
                    new.push(first);
                    rest = after;
                    continue;
                }
                rest = &after[1..];
                if let Some(&before) = new.last() {
                    self.replace((before, first), (before, symbol), pair, id);
                }
                if let Some(&after) = rest.first() {
                    self.replace((pair.1, after), (symbol, after), pair, id);
                }
                new.push(symbol);
            }
            self.words[id as usize] = new;
        }
        self.update_agenda();
    }

    /// A neighbour of the merged pair has another neighbour now.
    fn replace(&mut self, old: Pair, new: Pair, merged: Pair, id: u32) {
        // All of the merged pair goes, also where it overlaps itself.
        if old != merged {
            self.remove(old, id);
        }
        self.add(new, id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::TrainOptions;
    use super::super::specials::Specials;
    use super::*;

    fn train_words(lines: &[&str], merges: usize) -> Vec<String> {
        let options = TrainOptions { character_coverage: 1.0, ..TrainOptions::default() };
        let corpus = Corpus::read(lines, &options, &[], &Specials::new(&options).unwrap()).unwrap();
        let pieces = train(&corpus, &Shape::new(&options), merges, |_| ());
        assert!(pieces.iter().enumerate().all(|(place, piece)| piece.score == -(place as f64)));
        pieces.into_iter().map(|piece| piece.text.into()).collect()
    }

    /// The example of Sennrich et al. 2016: low 5, lower 2, newest 6, widest 3. Ties are broken as SentencePiece does:
    /// short before long, then by the alphabet.
    #[test]
    fn merges_the_most_frequent_pairs() {
        let lines = [vec!["low"; 5], vec!["lower"; 2], vec!["newest"; 6], vec!["widest"; 3]].concat();
        // es 9; then st is gone and est is 9; ▁l 7, lo 7, ow 7: lo comes before ow and ▁l; low 7, ▁low 7.
        let merged = train_words(&lines, 6);
        assert_eq!(merged[..6], ["es", "est", "lo", "low", "▁low", "ew"]);
        let mut characters = merged[6..].to_vec();
        characters.sort_unstable();
        assert_eq!(characters, ["d", "e", "i", "l", "n", "o", "r", "s", "t", "w", "▁"]);
        // Until nothing is left to join: each word is one piece.
        let all = train_words(&lines, 1000);
        assert!(["▁low", "▁lower", "▁newest", "▁widest"].iter().all(|word| all.iter().any(|piece| piece == word)));
    }

    /// Counts stay right where a pair overlaps itself.
    #[test]
    fn runs_of_one_character_are_joined_in_pairs() {
        let pieces = train_words(&["aaaaa", "aaaaa", "ab"], 100);
        // ▁ aa aa a, twice: then aaa and ▁aa, both of three characters, come before aaaa.
        assert_eq!(pieces[..4], ["aa", "aaa", "▁aa", "▁aaaaa"]);
    }
}

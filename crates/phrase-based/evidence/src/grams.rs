//! Distinct n-grams, numbered.

use foldhash::HashMap;
use metaphrase_base::WordId;

/// An n-gram of a [`Grams`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GramId(u32);

impl GramId {
    /// The n-gram without words.
    pub(crate) const EMPTY: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Distinct n-grams as a trie in which each knows its longest shorter ending. With an n-gram all its endings are there.
///
/// The order of an n-gram is the number of its units: words of a lattice, or sub-words, or whole written words, to
/// which the sub-words that continue a written word belong. An ending begins where a unit begins.
#[derive(Debug)]
pub(crate) struct Grams {
    nodes: Vec<Node>,
    children: HashMap<(GramId, WordId), GramId>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The n-gram without its last word.
    parent: GramId,
    word: WordId,
    suffix: GramId,
    order: u32,
}

impl Default for Grams {
    fn default() -> Self {
        let empty = Node { parent: GramId::EMPTY, word: WordId(0), suffix: GramId::EMPTY, order: 0 };
        Self { nodes: vec![empty], children: HashMap::default() }
    }
}

impl Grams {
    /// `history` and then `word`, which begins a unit or `continues` the last one.
    pub(crate) fn extend(&mut self, history: GramId, word: WordId, continues: bool) -> GramId {
        if let Some(&known) = self.children.get(&(history, word)) {
            return known;
        }
        let Node { suffix, order, .. } = self.nodes[history.index()];
        let is_first = history == GramId::EMPTY;
        let suffix = match suffix {
            _ if is_first => GramId::EMPTY,
            GramId::EMPTY if continues => GramId::EMPTY,
            shorter => self.extend(shorter, word, continues),
        };
        let gram = GramId(WordId::new(self.nodes.len()).0);
        self.nodes.push(Node { parent: history, word, suffix, order: order + u32::from(is_first || !continues) });
        self.children.insert((history, word), gram);
        gram
    }

    /// The longest ending of at most `order` units.
    pub(crate) fn shortened(&self, mut gram: GramId, order: usize) -> GramId {
        while self.order(gram) > order {
            gram = self.suffix(gram);
        }
        gram
    }

    /// Number of units.
    pub(crate) fn order(&self, gram: GramId) -> usize {
        self.nodes[gram.index()].order as usize
    }

    /// The longest shorter ending.
    pub(crate) fn suffix(&self, gram: GramId) -> GramId {
        self.nodes[gram.index()].suffix
    }

    pub(crate) fn parent(&self, gram: GramId) -> GramId {
        self.nodes[gram.index()].parent
    }

    pub(crate) fn last_word(&self, gram: GramId) -> WordId {
        self.nodes[gram.index()].word
    }

    /// Number of n-grams, the empty one included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All n-grams but the empty one, each after its beginnings and its endings.
    pub(crate) fn iter(&self) -> impl Iterator<Item = GramId> + use<> {
        (1..self.nodes.len() as u32).map(GramId)
    }

    /// Appends the words of an n-gram.
    pub(crate) fn spell(&self, mut gram: GramId, out: &mut Vec<WordId>) {
        let start = out.len();
        while gram != GramId::EMPTY {
            out.push(self.last_word(gram));
            gram = self.parent(gram);
        }
        out[start..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intern(grams: &mut Grams, words: &[(u32, bool)]) -> GramId {
        words.iter().fold(GramId::EMPTY, |gram, &(word, continues)| grams.extend(gram, WordId(word), continues))
    }

    fn words(grams: &Grams, gram: GramId) -> Vec<u32> {
        let mut out = Vec::new();
        grams.spell(gram, &mut out);
        out.into_iter().map(|word| word.0).collect()
    }

    #[test]
    fn endings_begin_where_units_begin() {
        let mut grams = Grams::default();
        let pieces = intern(&mut grams, &[(1, false), (2, false), (3, false)]);
        assert_eq!((grams.order(pieces), words(&grams, grams.suffix(pieces))), (3, vec![2, 3]));
        // 4 and 6 are written words of two pieces each.
        let written = intern(&mut grams, &[(4, false), (5, true), (6, false), (7, true)]);
        assert_eq!((grams.order(written), words(&grams, grams.suffix(written))), (2, vec![6, 7]));
        let one = grams.shortened(written, 1);
        assert_eq!((words(&grams, one), grams.suffix(one)), (vec![6, 7], GramId::EMPTY));
        assert_eq!(grams.shortened(written, 0), GramId::EMPTY);
        assert_eq!(intern(&mut grams, &[(2, false), (3, false)]), grams.suffix(pieces), "numbered once");
    }
}

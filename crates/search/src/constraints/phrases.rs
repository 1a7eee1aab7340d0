//! Phrases as tries: phrases that must appear, and phrases that must not.

use super::TermSet;
use metaphrase_base::WordId;
use std::collections::VecDeque;

/// The alternatives of all terms as a trie.
#[derive(Debug)]
pub(super) struct Phrases {
    nodes: Vec<Node>,
    /// All words of all phrases, in order.
    words: Vec<WordId>,
}

/// The words on the way from the root to here, as the beginning of phrases.
#[derive(Debug, Default)]
struct Node {
    children: Vec<(WordId, u32)>,
    /// Terms of which an alternative ends here.
    ends: Vec<usize>,
    /// Terms of which an alternative leads here or further.
    leads: Vec<usize>,
    parent: u32,
    word: WordId,
}

impl Default for Phrases {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], words: Vec::new() }
    }
}

impl Phrases {
    pub(super) const ROOT: u32 = 0;

    pub(super) fn add(&mut self, phrase: &[WordId], term: usize) {
        let mut node = Self::ROOT;
        for &word in phrase {
            if let Err(place) = self.words.binary_search(&word) {
                self.words.insert(place, word);
            }
            let found = self.nodes[node as usize].children.iter().find(|child| child.0 == word);
            node = match found {
                Some(child) => child.1,
                None => {
                    let child = WordId::new(self.nodes.len()).0;
                    self.nodes.push(Node { parent: node, word, ..Node::default() });
                    self.nodes[node as usize].children.push((word, child));
                    child
                }
            };
            let leads = &mut self.nodes[node as usize].leads;
            if leads.last() != Some(&term) {
                leads.push(term);
            }
        }
        let ends = &mut self.nodes[node as usize].ends;
        if ends.last() != Some(&term) {
            ends.push(term);
        }
    }

    /// Whether a phrase has `word`.
    pub(super) fn knows(&self, word: WordId) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    /// The node after `node` and `word`, if that leads to a term that is not met.
    pub(super) fn child(&self, node: u32, word: WordId, met: &TermSet) -> Option<u32> {
        self.children(node, met).find(|child| child.0 == word).map(|child| child.1)
    }

    /// Words and nodes after `node` that lead to a term that is not met.
    pub(super) fn children(&self, node: u32, met: &TermSet) -> impl Iterator<Item = (WordId, u32)> {
        let open = |child: &&(WordId, u32)| self.nodes[child.1 as usize].leads.iter().any(|&term| !met.contains(term));
        self.nodes[node as usize].children.iter().filter(open).copied()
    }

    /// The first unmet term of which an alternative ends at `node`.
    pub(super) fn ends(&self, node: u32, met: &TermSet) -> Option<usize> {
        self.nodes[node as usize].ends.iter().copied().find(|&term| !met.contains(term))
    }

    /// The words from the root to `node`.
    pub(super) fn path(&self, mut node: u32) -> Vec<WordId> {
        let mut words = Vec::new();
        while node != Self::ROOT {
            words.push(self.nodes[node as usize].word);
            node = self.nodes[node as usize].parent;
        }
        words.reverse();
        words
    }

    /// For each unmet term that the phrase at `node` may become: the term and how many words it still needs.
    pub(super) fn remaining(&self, node: u32, met: &TermSet) -> Vec<(usize, u32)> {
        let (mut found, mut open) = (Vec::new(), VecDeque::from([(node, 0)]));
        while let Some((node, words)) = open.pop_front() {
            let unmet = self.nodes[node as usize].ends.iter().filter(|&&term| !met.contains(term));
            found.extend(unmet.map(|&term| (term, words)));
            open.extend(self.children(node, met).map(|child| (child.1, words + 1)));
        }
        found
    }
}

/// Phrases that must not appear, as an automaton with failure links (Aho and Corasick 1975): its state is the longest
/// end of what was said that begins such a phrase.
#[derive(Debug)]
pub(super) struct Tails {
    nodes: Vec<Tail>,
    /// All words of all phrases, in order.
    words: Vec<WordId>,
}

#[derive(Debug, Default)]
struct Tail {
    children: Vec<(WordId, u32)>,
    /// The longest proper end of this that is a node, too.
    fallback: u32,
    /// Whether a phrase ends here.
    ends: bool,
}

impl Tails {
    pub(super) const ROOT: u32 = 0;

    pub(super) fn new(phrases: &[Vec<WordId>]) -> Self {
        let mut nodes = vec![Tail::default()];
        for phrase in phrases {
            let mut node = 0;
            for &word in phrase {
                node = match nodes[node].children.iter().find(|child| child.0 == word) {
                    Some(child) => child.1 as usize,
                    None => {
                        let child = nodes.len();
                        nodes.push(Tail::default());
                        nodes[node].children.push((word, WordId::new(child).0));
                        child
                    }
                };
            }
            nodes[node].ends = true;
        }
        let mut words = phrases.concat();
        words.sort_unstable();
        words.dedup();
        let mut tails = Self { nodes, words };
        tails.link();
        tails
    }

    /// Sets the failure links, shorter nodes first.
    fn link(&mut self) {
        let mut open: VecDeque<u32> = self.nodes[0].children.iter().map(|child| child.1).collect();
        while let Some(node) = open.pop_front() {
            let fallback = self.nodes[node as usize].fallback;
            self.nodes[node as usize].ends |= self.nodes[fallback as usize].ends;
            for (word, child) in self.nodes[node as usize].children.clone() {
                self.nodes[child as usize].fallback = self.after(fallback, word);
                open.push_back(child);
            }
        }
    }

    /// Whether a phrase has `word`.
    pub(super) fn knows(&self, word: WordId) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    fn child(&self, node: u32, word: WordId) -> Option<u32> {
        self.nodes[node as usize].children.iter().find(|child| child.0 == word).map(|child| child.1)
    }

    /// The state after `word`.
    pub(super) fn after(&self, mut node: u32, word: WordId) -> u32 {
        loop {
            match self.child(node, word) {
                Some(child) => return child,
                None if node == Self::ROOT => return node,
                None => node = self.nodes[node as usize].fallback,
            }
        }
    }

    /// Whether a phrase ends at a state.
    pub(super) fn ends(&self, node: u32) -> bool {
        self.nodes[node as usize].ends
    }

    /// The words that would end a phrase after a state.
    pub(super) fn forbidden(&self, mut node: u32) -> Vec<WordId> {
        let mut words = Vec::new();
        loop {
            let children = self.nodes[node as usize].children.iter();
            words.extend(children.filter(|child| self.ends(child.1)).map(|child| child.0));
            if node == Self::ROOT {
                words.sort_unstable();
                words.dedup();
                return words;
            }
            node = self.nodes[node as usize].fallback;
        }
    }

    /// Whether `words` contain a phrase.
    pub(super) fn occur_in(&self, words: &[WordId]) -> bool {
        let mut node = Self::ROOT;
        words.iter().any(|&word| {
            node = self.after(node, word);
            self.ends(node)
        })
    }
}

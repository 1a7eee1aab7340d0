//! The phrases that must appear, as a trie.

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

/// A node of the trie. The words from the root to the node are the beginning of phrases.
#[derive(Debug, Default)]
struct Node {
    children: Vec<(WordId, u32)>,
    /// Terms that have an alternative that ends here.
    ends: Vec<usize>,
    /// Terms that have an alternative that ends here or further down.
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

    /// All words of all phrases, in order.
    pub(super) fn words(&self) -> &[WordId] {
        &self.words
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

    /// The first unmet term that has an alternative that ends at `node`.
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

    /// For each unmet term that the phrase at `node` may become: the term and the number of words that it still needs.
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

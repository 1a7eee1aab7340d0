//! The phrase table in memory, with the lexicalised reordering scores of its phrase pairs.

use crate::error::Error;
use crate::lines::Lines;
use crate::text_table::{PhraseLine, ReorderingLine, log_score};
use crate::words::Words;
use metaphrase_base::WordId;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Scores of a phrase pair in a `msd-bidirectional` reordering table: monotone, swap, discontinuous with respect to the
/// previous phrase (backward), then the same with respect to the next one (forward).
pub const REORDERING_SCORES: usize = 6;

/// A phrase pair of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId(pub(crate) u32);

impl PairId {
    /// The number of the pair, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A source phrase, or a beginning of one, in a table: a node of the trie of source phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SourceNode(u32);

impl SourceNode {
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Phrase pairs with their scores, natural logarithms.
///
/// The pairs of a source phrase lie side by side; source phrases are found by a trie, so that all phrases that begin at
/// a position of a sentence cost one look-up per word.
#[derive(Debug, Clone)]
pub struct PhraseTable {
    source_words: Words,
    target_words: Words,
    children: HashMap<(SourceNode, WordId), SourceNode>,
    /// Where the pairs of node `n` begin: `starts[n]`, up to `starts[n + 1]`.
    starts: Vec<u32>,
    pairs: Vec<Pair>,
    targets: Vec<WordId>,
    alignments: Vec<(u8, u8)>,
    /// `pairs × score_count`.
    scores: Vec<f32>,
    score_count: usize,
    /// One per pair; zeros where the reordering table does not have the pair. Empty without such a table.
    reordering: Vec<[f32; REORDERING_SCORES]>,
    longest_source: usize,
}

/// Where a pair's words and alignment are.
#[derive(Debug, Clone, Copy)]
struct Pair {
    target: u32,
    target_len: u32,
    alignment: u32,
    alignment_len: u32,
}

impl PhraseTable {
    /// Reads a table in Moses' text format, `.gz` by name, of `score_count` scores per pair.
    pub fn read(path: &Path, score_count: usize) -> Result<Self, Error> {
        let mut lines = Lines::open(path)?;
        let mut builder = Builder::new(score_count);
        loop {
            let added = match lines.next_line()? {
                None => break,
                Some((_, line)) => PhraseLine::parse(line).and_then(|line| builder.add(&line)),
            };
            added.map_err(|what| lines.wrong(what))?;
        }
        Ok(builder.build())
    }

    /// Reads the reordering scores of the pairs, from a text table of type `wbe-msd-bidirectional-fe`. Lines of pairs that the
    /// phrase table does not have are passed over: phrase tables are pruned, reordering tables often are not.
    pub fn read_reordering(&mut self, path: &Path) -> Result<(), Error> {
        let mut lines = Lines::open(path)?;
        self.reordering = vec![[0.0; REORDERING_SCORES]; self.pairs.len()];
        let mut last = 0;
        loop {
            let set = match lines.next_line()? {
                None => return Ok(()),
                Some((_, line)) => ReorderingLine::parse(line).and_then(|line| self.set_reordering(&line, &mut last)),
            };
            set.map_err(|what| lines.wrong(what))?;
        }
    }

    /// `last` is the pair that was set last. Both tables are sorted alike, so that the next one is near.
    fn set_reordering(&mut self, line: &ReorderingLine, last: &mut usize) -> Result<(), String> {
        let scores: [f32; REORDERING_SCORES] = line.scores.as_slice().try_into().map_err(|_| {
            format!("expected {REORDERING_SCORES} scores (msd-bidirectional), found {}", line.scores.len())
        })?;
        let Some(pairs) = self.find_source(line.source) else { return Ok(()) };
        let target: Option<Vec<WordId>> =
            line.target.split_ascii_whitespace().map(|word| self.target_words.id(word)).collect();
        let Some(target) = target else { return Ok(()) };
        let middle = (*last).clamp(pairs.start, pairs.end);
        let found = (middle..pairs.end).chain(pairs.start..middle).find(|&pair| self.target_of(pair) == target);
        if let Some(pair) = found {
            self.reordering[pair] = scores.map(log_score);
            *last = pair;
        }
        Ok(())
    }

    fn find_source(&self, phrase: &str) -> Option<Range<usize>> {
        let mut node = SourceNode::ROOT;
        for word in phrase.split_ascii_whitespace() {
            node = self.child(node, self.source_words.id(word)?)?;
        }
        Some(self.pairs_of(node))
    }

    /// The words of source phrases.
    #[must_use]
    pub fn source_words(&self) -> &Words {
        &self.source_words
    }

    /// The words of target phrases.
    #[must_use]
    pub fn target_words(&self) -> &Words {
        &self.target_words
    }

    /// Number of phrase pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no phrase pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Words of the longest source phrase.
    #[must_use]
    pub fn longest_source(&self) -> usize {
        self.longest_source
    }

    /// Number of scores of a pair.
    #[must_use]
    pub fn score_count(&self) -> usize {
        self.score_count
    }

    /// The target phrase of a pair.
    #[must_use]
    pub fn target(&self, pair: PairId) -> &[WordId] {
        self.target_of(pair.index())
    }

    /// The word alignment within a pair: source and target positions.
    #[must_use]
    pub fn alignment(&self, pair: PairId) -> &[(u8, u8)] {
        let Pair { alignment, alignment_len, .. } = self.pairs[pair.index()];
        &self.alignments[alignment as usize..][..alignment_len as usize]
    }

    /// The scores of a pair: natural logarithms, not weighted.
    #[must_use]
    pub fn scores(&self, pair: PairId) -> &[f32] {
        &self.scores[pair.index() * self.score_count..][..self.score_count]
    }

    /// The reordering scores of a pair: natural logarithms, not weighted; zeros if unknown.
    #[must_use]
    pub fn reordering(&self, pair: PairId) -> [f32; REORDERING_SCORES] {
        self.reordering.get(pair.index()).copied().unwrap_or_default()
    }

    /// The phrase pairs of a source phrase.
    pub fn translations(&self, source: &str) -> impl Iterator<Item = PairId> + use<> {
        self.find_source(source).unwrap_or_default().map(|pair| PairId(pair as u32))
    }

    fn target_of(&self, pair: usize) -> &[WordId] {
        &self.targets[self.target_range(pair)]
    }

    /// Where the target words of a pair are in [`targets`](Self::targets).
    pub(crate) fn target_range(&self, pair: usize) -> Range<usize> {
        let Pair { target, target_len, .. } = self.pairs[pair];
        target as usize..(target + target_len) as usize
    }

    /// The words of all target phrases, one after the other.
    pub(crate) fn targets(&self) -> &[WordId] {
        &self.targets
    }

    /// The longer source phrase.
    pub(crate) fn child(&self, node: SourceNode, word: WordId) -> Option<SourceNode> {
        self.children.get(&(node, word)).copied()
    }

    /// The pairs of a source phrase; none for what is only a beginning of one.
    pub(crate) fn pairs_of(&self, node: SourceNode) -> Range<usize> {
        self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize
    }

    /// Number of nodes of the trie of source phrases.
    pub(crate) fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nodes of the trie of source phrases.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = SourceNode> + use<> {
        // The builder counts them in a u32.
        (0..self.node_count() as u32).map(SourceNode)
    }
}

/// Collects the pairs of a table, in any order.
pub struct Builder {
    table: PhraseTable,
    nodes: Vec<SourceNode>,
    node_count: u32,
}

impl Builder {
    /// For pairs of `score_count` scores.
    #[must_use]
    pub fn new(score_count: usize) -> Self {
        let table = PhraseTable {
            source_words: Words::default(),
            target_words: Words::default(),
            children: HashMap::new(),
            starts: Vec::new(),
            pairs: Vec::new(),
            targets: Vec::new(),
            alignments: Vec::new(),
            scores: Vec::new(),
            score_count,
            reordering: Vec::new(),
            longest_source: 0,
        };
        Self { table, nodes: Vec::new(), node_count: 1 }
    }

    /// Adds a pair; an error says why it can not be.
    pub fn add(&mut self, line: &PhraseLine) -> Result<(), String> {
        let (expected, found) = (self.table.score_count, line.scores.len());
        if expected != found {
            return Err(format!("expected {expected} scores, found {found}; does `num-features` fit the table?"));
        }
        let node = self.node(line.source);
        let table = &mut self.table;
        let (target, alignment) = (table.targets.len(), table.alignments.len());
        table.targets.extend(line.target.split_ascii_whitespace().map(|word| table.target_words.add(word)));
        table.alignments.extend(&line.alignment);
        table.alignments[alignment..].sort_unstable();
        let too_large = |_| "more words than a table can have in memory (2^32)".to_owned();
        table.pairs.push(Pair {
            target: u32::try_from(target).map_err(too_large)?,
            target_len: u32::try_from(table.targets.len() - target).map_err(too_large)?,
            alignment: u32::try_from(alignment).map_err(too_large)?,
            alignment_len: u32::try_from(table.alignments.len() - alignment).map_err(too_large)?,
        });
        table.scores.extend(line.scores.iter().copied().map(log_score));
        self.nodes.push(node);
        Ok(())
    }

    fn node(&mut self, source: &str) -> SourceNode {
        let mut node = SourceNode::ROOT;
        let mut length = 0;
        for word in source.split_ascii_whitespace() {
            let word = self.table.source_words.add(word);
            let next = SourceNode(self.node_count);
            node = *self.table.children.entry((node, word)).or_insert(next);
            self.node_count += u32::from(node == next);
            length += 1;
        }
        self.table.longest_source = self.table.longest_source.max(length);
        node
    }

    /// The table: pairs of a source phrase side by side, in the order in which they came.
    #[must_use]
    pub fn build(self) -> PhraseTable {
        let Self { mut table, nodes, node_count } = self;
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        order.sort_by_key(|&pair| nodes[pair as usize].0);
        let count = table.score_count;
        let row = |&pair: &u32| &table.scores[pair as usize * count..][..count];
        table.scores = order.iter().flat_map(row).copied().collect();
        table.pairs = order.iter().map(|&pair| table.pairs[pair as usize]).collect();
        table.starts = vec![0; node_count as usize + 1];
        for node in nodes {
            table.starts[node.index() + 1] += 1;
        }
        for node in 0..node_count as usize {
            table.starts[node + 1] += table.starts[node];
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TABLE: &str = "das Haus ||| the house ||| 0.5 1 ||| 0-0 1-1 ||| 2 2 1\n\
        Haus ||| house ||| 1 0.25 ||| 0-0 ||| 1 1 1\n\
        das Haus ||| house ||| 0.125 0 ||| 1-0 ||| 1 2 1\n";

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn pairs_are_found_by_their_source() {
        let mut table = PhraseTable::read(file(TABLE).path(), 2).unwrap();
        assert_eq!((table.len(), table.longest_source()), (3, 2));
        let found: Vec<PairId> = table.translations("das Haus").collect();
        let target = |pair| -> Vec<&str> { table.target(pair).iter().map(|&w| table.target_words().word(w)).collect() };
        assert_eq!(target(found[0]), ["the", "house"]);
        assert_eq!(target(found[1]), ["house"]);
        assert_eq!(table.scores(found[1]), [0.125f32.ln(), -100.0]);
        assert_eq!(table.alignment(found[1]), [(1, 0)]);
        assert_eq!(table.translations("das").count(), 0);
        assert_eq!(table.translations("Hof").count(), 0);
        let reordering = "das Haus ||| house ||| 1 0.5 0.5 0.5 0.5 0.25\nder Hof ||| the yard ||| 1 1 1 1 1 1\n";
        table.read_reordering(file(reordering).path()).unwrap();
        assert_eq!(table.reordering(found[0]), [0.0; 6]);
        assert_eq!(table.reordering(found[1])[5], 0.25f32.ln());
    }

    #[test]
    fn a_broken_line_is_named() {
        let broken = file("das ||| the ||| 0.5 1\ndas ||| the ||| 0.5\n");
        let message = PhraseTable::read(broken.path(), 2).unwrap_err().to_string();
        assert!(
            message.ends_with(", line 2: expected 2 scores, found 1; does `num-features` fit the table?"),
            "{message}"
        );
        let missing = PhraseTable::read(Path::new("/no/such/table"), 4).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read /no/such/table: "), "{missing}");
    }
}

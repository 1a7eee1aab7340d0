//! Collects the pairs of a table, and lays them out.

use super::bytes::{hash_node, hash_word};
use super::layout::{AT_CHECKED, AT_CHECKSUM, AT_LENGTH, Counts, Header, LONGEST_SOURCE, Layout};
use super::{PhraseTable, REORDERING_SCORES};
use crate::error::Error;
use crate::lines::Lines;
use crate::text_table::{PhraseLine, ReorderingLine, log_score};
use metaphrase_base::{Bytes, WordId, Words, checksum};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Collects the pairs of a table, in any order, and then their reordering scores.
pub struct Builder {
    source_words: Words,
    target_words: Words,
    /// Parent and word of each node of the trie of source phrases; the root is first.
    nodes: Vec<(u32, WordId)>,
    children: HashMap<(u32, WordId), u32>,
    phrases: Lists<WordId>,
    alignments: Lists<(u8, u8)>,
    pairs: Vec<Pair>,
    /// A row for each pair.
    scores: Vec<f32>,
    score_count: usize,
    /// One per pair; zeros where the reordering table does not have the pair. None without such a table.
    reordering: Option<Vec<[f32; REORDERING_SCORES]>>,
    longest_source: usize,
    /// The pairs of a source phrase, and the last one found; made when reordering scores come.
    by_node: HashMap<u32, Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    node: u32,
    phrase: u32,
    alignment: u32,
}

impl Builder {
    /// For pairs of `score_count` scores.
    #[must_use]
    pub fn new(score_count: usize) -> Self {
        Self {
            source_words: Words::default(),
            target_words: Words::default(),
            nodes: vec![(0, WordId(u32::MAX))],
            children: HashMap::new(),
            phrases: Lists::default(),
            alignments: Lists::default(),
            pairs: Vec::new(),
            scores: Vec::new(),
            score_count,
            reordering: None,
            longest_source: 0,
            by_node: HashMap::new(),
        }
    }

    /// Adds the pairs of a table in Moses' text format, `.gz` by name.
    pub fn read(&mut self, path: &Path) -> Result<(), Error> {
        for_each_line(path, |line| self.add(&PhraseLine::parse(line)?))
    }

    /// Sets the reordering scores of the pairs from a text table of type `wbe-msd-bidirectional-fe`. Lines of pairs
    /// that the phrase table does not have are passed over: phrase tables are pruned, reordering tables often are not.
    pub fn read_reordering(&mut self, path: &Path) -> Result<(), Error> {
        self.reordering = Some(vec![[0.0; REORDERING_SCORES]; self.pairs.len()]);
        for (number, pair) in (0..).zip(&self.pairs) {
            self.by_node.entry(pair.node).or_default().push(number);
        }
        for_each_line(path, |line| self.set_reordering(&ReorderingLine::parse(line)?))
    }

    /// Adds a pair; the error is the reason why it can not.
    pub fn add(&mut self, line: &PhraseLine) -> Result<(), String> {
        let (expected, found) = (self.score_count, line.scores.len());
        if expected != found {
            return Err(format!("expected {expected} scores, found {found}; does `num-features` fit the table?"));
        }
        let node = self.node(line.source)?;
        let target: Vec<WordId> =
            line.target.split_ascii_whitespace().map(|word| self.target_words.add(word)).collect();
        let mut alignment = line.alignment.clone();
        alignment.sort_unstable();
        self.pairs.push(Pair { node, phrase: self.phrases.add(&target), alignment: self.alignments.add(&alignment) });
        self.scores.extend(line.scores.iter().copied().map(log_score));
        // Numbers of pairs and offsets of words are 32 bits in the table.
        let most = u32::MAX as usize / 2;
        if self.pairs.len() > most || self.phrases.items.len() > most {
            return Err(format!("more pairs or words than a table can have ({most})"));
        }
        Ok(())
    }

    fn node(&mut self, source: &str) -> Result<u32, String> {
        let (mut node, mut length) = (0, 0);
        for word in source.split_ascii_whitespace() {
            let word = self.source_words.add(word);
            let next = self.nodes.len() as u32;
            let found = *self.children.entry((node, word)).or_insert(next);
            if found == next {
                self.nodes.push((node, word));
            }
            (node, length) = (found, length + 1);
        }
        if length > LONGEST_SOURCE {
            return Err(format!("a source phrase of {length} words; at most {LONGEST_SOURCE} are supported"));
        }
        self.longest_source = self.longest_source.max(length);
        Ok(node)
    }

    fn set_reordering(&mut self, line: &ReorderingLine) -> Result<(), String> {
        let scores: [f32; REORDERING_SCORES] = line.scores.as_slice().try_into().map_err(|_| {
            format!("expected {REORDERING_SCORES} scores (msd-bidirectional), found {}", line.scores.len())
        })?;
        if let (Some(pair), Some(reordering)) = (self.find(line), &mut self.reordering) {
            reordering[pair] = scores.map(log_score);
        }
        Ok(())
    }

    fn find(&self, line: &ReorderingLine) -> Option<usize> {
        let child = |node: u32, word: &str| self.children.get(&(node, self.source_words.id(word)?)).copied();
        let node = line.source.split_ascii_whitespace().try_fold(0, child)?;
        let target: Option<Vec<WordId>> =
            line.target.split_ascii_whitespace().map(|word| self.target_words.id(word)).collect();
        let phrase = self.phrases.find(&target?)?;
        let pair = self.by_node.get(&node)?.iter().find(|&&pair| self.pairs[pair as usize].phrase == phrase);
        pair.map(|&pair| pair as usize)
    }

    /// The table: pairs of a source phrase side by side, in the order in which they came.
    #[must_use]
    pub fn build(self) -> PhraseTable {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_by_key(|&pair| self.pairs[pair].node);
        let columns = self.columns(&order);
        let counts = Counts {
            source_words: self.source_words.len(),
            source_bytes: self.source_words.iter().map(str::len).sum(),
            source_slots: slots_for(self.source_words.len()),
            target_words: self.target_words.len(),
            target_bytes: self.target_words.iter().map(str::len).sum(),
            nodes: self.nodes.len(),
            node_slots: slots_for(self.nodes.len()),
            phrases: self.phrases.len(),
            phrase_words: self.phrases.items.len(),
            alignments: self.alignments.len(),
            points: self.alignments.items.len(),
            pairs: self.pairs.len(),
        };
        let (scores, reordering) = (self.score_count, self.reordering.is_some());
        let header = Header { scores, reordering, longest_source: self.longest_source, counts };
        let sizes: Vec<usize> = columns.iter().map(|column| column.book.len()).collect();
        let layout = Layout::new(&header, &sizes);
        let mut bytes = header.write();
        sizes.iter().for_each(|&size| push(&mut bytes, size));
        self.write_words(&header, &mut bytes);
        self.write_nodes(&header, &mut bytes);
        self.write_lists(&mut bytes);
        let values = columns.iter().flat_map(|column| &column.book);
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
        for (row, pair) in order.iter().map(|&pair| self.pairs[pair]).enumerate() {
            let codes = [pair.phrase, pair.alignment].into_iter().chain(columns.iter().map(|column| column.codes[row]));
            for (code, field) in codes.zip(&layout.fields) {
                bytes.extend(&code.to_le_bytes()[..field.len()]);
            }
        }
        let length = bytes.len() as u64;
        bytes[AT_LENGTH..AT_LENGTH + 8].copy_from_slice(&length.to_le_bytes());
        let sum = checksum([&bytes[AT_CHECKED..]]);
        bytes[AT_CHECKSUM..AT_CHECKED].copy_from_slice(&sum.to_le_bytes());
        PhraseTable { bytes: Bytes::Owned(bytes), header, layout }
    }

    /// The numbers of the pairs in this order.
    fn columns(&self, order: &[usize]) -> Vec<Column> {
        let score = |k: usize| order.iter().map(move |pair| self.scores[pair * self.score_count + k]);
        let mut columns: Vec<Column> = (0..self.score_count).map(|k| Column::new(score(k))).collect();
        if let Some(reordering) = &self.reordering {
            columns.extend((0..REORDERING_SCORES).map(|k| Column::new(order.iter().map(|&pair| reordering[pair][k]))));
        }
        columns
    }

    fn write_words(&self, header: &Header, bytes: &mut Vec<u8>) {
        write_offsets(bytes, self.source_words.iter().map(str::len));
        self.source_words.iter().for_each(|word| bytes.extend(word.as_bytes()));
        write_slots(bytes, header.counts.source_slots, self.source_words.iter().map(hash_word));
        write_offsets(bytes, self.target_words.iter().map(str::len));
        self.target_words.iter().for_each(|word| bytes.extend(word.as_bytes()));
    }

    fn write_nodes(&self, header: &Header, bytes: &mut Vec<u8>) {
        let mut first = vec![0; self.nodes.len() + 1];
        self.pairs.iter().for_each(|pair| first[pair.node as usize + 1] += 1);
        for node in 0..self.nodes.len() {
            first[node + 1] += first[node];
        }
        let end = [(0, WordId(u32::MAX))];
        for ((parent, word), first) in self.nodes.iter().chain(&end).zip(first) {
            push(bytes, *parent as usize);
            push(bytes, word.index());
            push(bytes, first);
        }
        write_slots(
            bytes,
            header.counts.node_slots,
            self.nodes.iter().map(|&(parent, word)| hash_node(parent, word.0)),
        );
    }

    fn write_lists(&self, bytes: &mut Vec<u8>) {
        write_offsets(bytes, self.phrases.ranges.iter().map(Range::len));
        self.phrases.items.iter().for_each(|word| push(bytes, word.index()));
        write_offsets(bytes, self.alignments.ranges.iter().map(Range::len));
        self.alignments.items.iter().for_each(|(i, j)| bytes.extend([i, j]));
    }
}

fn for_each_line(path: &Path, mut work: impl FnMut(&str) -> Result<(), String>) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    loop {
        let done = match lines.next_line()? {
            None => return Ok(()),
            Some((_, line)) => work(line),
        };
        done.map_err(|what| lines.wrong(what))?;
    }
}

/// Different lists of things, each once.
#[derive(Default)]
struct Lists<T> {
    items: Vec<T>,
    ranges: Vec<Range<usize>>,
    numbers: HashMap<Box<[T]>, u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Lists<T> {
    fn find(&self, list: &[T]) -> Option<u32> {
        self.numbers.get(list).copied()
    }

    fn add(&mut self, list: &[T]) -> u32 {
        if let Some(number) = self.find(list) {
            return number;
        }
        let number = self.ranges.len() as u32;
        let start = self.items.len();
        self.items.extend_from_slice(list);
        self.ranges.push(start..self.items.len());
        self.numbers.insert(list.into(), number);
        number
    }

    fn len(&self) -> usize {
        self.ranges.len()
    }
}

/// Numbers as codes of their different values.
struct Column {
    book: Vec<f32>,
    codes: Vec<u32>,
}

impl Column {
    fn new(values: impl Iterator<Item = f32>) -> Self {
        let (mut book, mut numbers) = (Vec::new(), HashMap::new());
        let mut code = |value: f32| {
            *numbers.entry(value.to_bits()).or_insert_with(|| {
                book.push(value);
                book.len() as u32 - 1
            })
        };
        let codes = values.map(&mut code).collect();
        Self { book, codes }
    }
}

fn push(bytes: &mut Vec<u8>, number: usize) {
    // All numbers of a table are below 2^32, which `add` sees to.
    bytes.extend((number as u32).to_le_bytes());
}

/// Where things of these lengths begin, and where the last one ends.
fn write_offsets(bytes: &mut Vec<u8>, lengths: impl Iterator<Item = usize>) {
    let mut end = 0;
    push(bytes, end);
    for length in lengths {
        end += length;
        push(bytes, end);
    }
}

/// A power of two, so that at most half of the slots are used.
fn slots_for(count: usize) -> usize {
    (2 * count).next_power_of_two().max(2)
}

/// A slot that nothing is in.
pub(super) const EMPTY: u32 = u32::MAX;

/// The numbers of things, each in the first free slot from its hash on.
fn write_slots(bytes: &mut Vec<u8>, count: usize, hashes: impl Iterator<Item = u32>) {
    let mut slots = vec![EMPTY; count];
    for (number, hash) in (0..).zip(hashes) {
        let mut slot = hash as usize & (count - 1);
        while slots[slot] != EMPTY {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = number;
    }
    slots.iter().for_each(|slot| bytes.extend(slot.to_le_bytes()));
}

//! The phrase table, with the lexicalised reordering scores of its phrase pairs.

mod builder;
pub(crate) mod bytes;
mod layout;

pub use builder::Builder;

use crate::error::Error;
use builder::EMPTY;
use bytes::{code_at, hash_node, hash_word, u32_at, u64_at};
use layout::{AT_CHECKED, AT_CHECKSUM, AT_LENGTH, AT_VERSION, HEADER, Header, Layout, MAGIC, NODE, VERSION};
use metaphrase_base::{Bytes, MappedFile, WordId, checksum};
use std::fs::File;
use std::io::{self, Read, Write};
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
/// a position of a sentence cost one look-up per word. In memory and in a file a table is the same bytes, so that a
/// file is used in place.
#[derive(Debug)]
pub struct PhraseTable {
    bytes: Bytes,
    header: Header,
    layout: Layout,
}

impl PhraseTable {
    /// Reads a table in Moses' text format, `.gz` by name, of `score_count` scores per pair, and the reordering table
    /// that belongs to it.
    pub fn read(path: &Path, score_count: usize, reordering: Option<&Path>) -> Result<Self, Error> {
        let mut builder = Builder::new(score_count);
        builder.read(path)?;
        if let Some(path) = reordering {
            builder.read_reordering(path)?;
        }
        Ok(builder.build())
    }

    /// Whether a file is a table that [`write`](Self::write) has written, by its first bytes.
    pub fn is_binary(path: &Path) -> Result<bool, Error> {
        let mut start = Vec::new();
        let file = File::open(path).map_err(|cause| Error::read(path, cause))?;
        file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(|cause| Error::read(path, cause))?;
        Ok(start == MAGIC)
    }

    /// Maps a file of [`write`](Self::write) into memory. The whole file is read once, to compare the checksum.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bytes = MappedFile::open(path).map_err(|cause| Error::read(path, cause))?;
        let (header, layout) = parse(&bytes).map_err(|what| Error::model(path, what))?;
        Ok(Self { bytes: Bytes::Mapped(bytes), header, layout })
    }

    /// Writes the table, to be [opened](Self::open).
    pub fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        writer.write_all(&self.bytes)
    }

    /// Whether the table is used in place.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// Number of phrase pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.header.counts.pairs
    }

    /// Whether there is no phrase pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of the longest source phrase.
    #[must_use]
    pub fn longest_source(&self) -> usize {
        self.header.longest_source
    }

    /// Number of scores of a pair.
    #[must_use]
    pub fn score_count(&self) -> usize {
        self.header.scores
    }

    /// Whether pairs have reordering scores.
    #[must_use]
    pub fn has_reordering(&self) -> bool {
        self.header.reordering
    }

    /// The number of a source word; `None` if no source phrase has the word.
    #[must_use]
    pub fn source_word(&self, word: &str) -> Option<WordId> {
        let (slots, count) = (self.layout.source_slots, self.header.counts.source_slots);
        let (offsets, text) = (self.layout.source_offsets, self.layout.source_text);
        let is_it = |number| self.text(offsets, text, number) == word.as_bytes();
        self.find(slots, count, hash_word(word), is_it).map(WordId)
    }

    /// Number of different target words.
    #[must_use]
    pub fn target_word_count(&self) -> usize {
        self.header.counts.target_words
    }

    /// A target word.
    #[must_use]
    pub fn target_word(&self, word: WordId) -> &str {
        let text = self.text(self.layout.target_offsets, self.layout.target_text, word.0);
        str::from_utf8(text).unwrap_or_default()
    }

    /// The phrase pairs of a source phrase.
    pub fn translations(&self, source: &str) -> impl Iterator<Item = PairId> + use<> {
        let child = |node, word| self.child(node, self.source_word(word)?);
        let node = source.split_ascii_whitespace().try_fold(SourceNode::ROOT, child);
        node.map_or(0..0, |node| self.pairs_of(node)).map(|pair| PairId(pair as u32))
    }

    /// The target phrase of a pair.
    pub fn target(&self, pair: PairId) -> impl ExactSizeIterator<Item = WordId> {
        self.target_words(self.target_range(pair))
    }

    /// Where the words of a pair's target phrase are.
    pub(crate) fn target_range(&self, pair: PairId) -> Range<usize> {
        self.range(self.layout.phrase_offsets, self.code(pair, 0), self.header.counts.phrase_words)
    }

    /// The words of a target phrase.
    pub(crate) fn target_words(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = WordId> {
        range.map(|i| WordId(self.number(self.layout.phrase_words, i)))
    }

    /// The word alignment within a pair: source and target positions.
    pub fn alignment(&self, pair: PairId) -> impl Iterator<Item = (u8, u8)> {
        let range = self.range(self.layout.alignment_offsets, self.code(pair, 1), self.header.counts.points);
        range.map(|i| {
            self.bytes
                .get(self.layout.points + 2 * i..)
                .and_then(|rest| rest.first_chunk())
                .map_or((0, 0), |[i, j]| (*i, *j))
        })
    }

    /// The scores of a pair: natural logarithms, not weighted.
    pub fn scores(&self, pair: PairId) -> impl ExactSizeIterator<Item = f32> {
        (0..self.header.scores).map(move |column| self.value(pair, column))
    }

    /// The reordering scores of a pair: natural logarithms, not weighted; zeros if unknown.
    #[must_use]
    pub fn reordering(&self, pair: PairId) -> [f32; REORDERING_SCORES] {
        if !self.header.reordering {
            return [0.0; REORDERING_SCORES];
        }
        std::array::from_fn(|k| self.value(pair, self.header.scores + k))
    }

    /// The longer source phrase.
    pub(crate) fn child(&self, node: SourceNode, word: WordId) -> Option<SourceNode> {
        let (slots, count) = (self.layout.node_slots, self.header.counts.node_slots);
        let is_it = |number: u32| {
            let at = self.layout.nodes + NODE * number as usize;
            (u32_at(&self.bytes, at), u32_at(&self.bytes, at + 4)) == (node.0, word.0)
        };
        self.find(slots, count, hash_node(node.0, word.0), is_it).map(SourceNode)
    }

    /// The pairs of a source phrase; no pairs for words that only begin a source phrase.
    pub(crate) fn pairs_of(&self, node: SourceNode) -> Range<usize> {
        let first = |node: usize| u32_at(&self.bytes, self.layout.nodes + NODE * node + 8) as usize;
        let end = first(node.index() + 1).min(self.len());
        first(node.index()).min(end)..end
    }

    /// The nodes of the trie of source phrases.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = SourceNode> + use<> {
        (0..self.header.counts.nodes as u32).map(SourceNode)
    }

    /// The number with this hash for which `is_it` holds, in slots that begin at `at`.
    fn find(&self, at: usize, count: usize, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let from = hash as usize;
        let slots = (from..from + count).map(|slot| self.number(at, slot & (count - 1)));
        slots.take_while(|&number| number != EMPTY).find(|&number| is_it(number))
    }

    /// A number of the list of numbers that begins at `at`.
    fn number(&self, at: usize, index: usize) -> u32 {
        u32_at(&self.bytes, at + 4 * index)
    }

    /// From one offset to the next, at most `end`.
    fn range(&self, offsets: usize, index: usize, end: usize) -> Range<usize> {
        let end = end.min(self.number(offsets, index + 1) as usize);
        end.min(self.number(offsets, index) as usize)..end
    }

    fn text(&self, offsets: usize, text: usize, word: u32) -> &[u8] {
        let range = self.range(offsets, word as usize, usize::MAX);
        self.bytes.get(text + range.start..text + range.end).unwrap_or_default()
    }

    /// A field of a pair.
    fn code(&self, pair: PairId, field: usize) -> usize {
        let Range { start, end } = self.layout.fields[field];
        code_at(&self.bytes, self.layout.pairs + self.layout.pair * pair.index() + start, end - start)
    }

    fn value(&self, pair: PairId, column: usize) -> f32 {
        let (book, size) = self.layout.books[column];
        let code = self.code(pair, 2 + column).min(size.saturating_sub(1));
        f32::from_bits(self.number(book, code))
    }
}

/// Checks header and checksum, and that no score could spoil a search.
fn parse(bytes: &[u8]) -> Result<(Header, Layout), String> {
    if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
        return Err("not a compiled phrase table, or cut off within its header".into());
    }
    let version = u64_at(bytes, AT_VERSION);
    if version != u64::from(VERSION) {
        return Err(format!(
            "the table has version {version} of the format, this program reads version {VERSION}: compile the text table again"
        ));
    }
    let length = u64_at(bytes, AT_LENGTH);
    if length != bytes.len() as u64 {
        return Err(format!("the table is cut off or has grown: {} bytes, it was made with {length}", bytes.len()));
    }
    if checksum([&bytes[AT_CHECKED..]]) != u64_at(bytes, AT_CHECKSUM) {
        return Err("the table is damaged: its checksum is wrong; compile the text table again".into());
    }
    let wrong = || "the header contradicts itself: the table was not written by this program".to_owned();
    let header = Header::read(bytes).ok_or_else(wrong)?;
    let sizes: Vec<usize> = (0..header.columns()).map(|k| u32_at(bytes, HEADER + 4 * k) as usize).collect();
    let layout = Layout::new(&header, &sizes);
    if layout.end != bytes.len() {
        return Err(wrong());
    }
    let mut values = layout.books.iter().flat_map(|&(at, size)| (0..size).map(move |i| at + 4 * i));
    if !values.all(|at| f32::from_bits(u32_at(bytes, at)).is_finite()) {
        return Err("a score that is not a number: the table was not written by this program".into());
    }
    Ok((header, layout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &str = "das Haus ||| the house ||| 0.5 1 ||| 0-0 1-1 ||| 2 2 1\n\
        Haus ||| house ||| 1 0.25 ||| 0-0 ||| 1 1 1\n\
        das Haus ||| house ||| 0.125 0 ||| 1-0 ||| 1 2 1\n";
    const REORDERING: &str = "das Haus ||| house ||| 1 0.5 0.5 0.5 0.5 0.25\nder Hof ||| the yard ||| 1 1 1 1 1 1\n";

    fn file(content: impl AsRef<[u8]>) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_ref()).unwrap();
        file
    }

    fn table() -> PhraseTable {
        PhraseTable::read(file(TABLE).path(), 2, Some(file(REORDERING).path())).unwrap()
    }

    fn check(table: &PhraseTable) {
        assert_eq!((table.len(), table.longest_source(), table.score_count()), (3, 2, 2));
        let found: Vec<PairId> = table.translations("das Haus").collect();
        let target = |pair| -> Vec<&str> { table.target(pair).map(|word| table.target_word(word)).collect() };
        assert_eq!(target(found[0]), ["the", "house"]);
        assert_eq!(target(found[1]), ["house"]);
        assert!(table.scores(found[1]).eq([0.125f32.ln(), -100.0]));
        assert!(table.alignment(found[0]).eq([(0, 0), (1, 1)]));
        assert!(table.alignment(found[1]).eq([(1, 0)]));
        assert_eq!(table.translations("das").count(), 0);
        assert_eq!(table.translations("Hof").count(), 0);
        assert_eq!(table.reordering(found[0]), [0.0; 6]);
        assert_eq!(table.reordering(found[1])[5], 0.25f32.ln());
    }

    #[test]
    fn pairs_are_found_by_their_source() {
        check(&table());
        let plain = PhraseTable::read(file(TABLE).path(), 2, None).unwrap();
        assert_eq!(plain.reordering(PairId(0)), [0.0; 6]);
        assert_eq!(Builder::new(4).build().translations("das").count(), 0);
    }

    #[test]
    fn a_table_is_the_same_from_a_file() {
        let bytes = table().bytes.to_vec();
        let file = file(&bytes);
        assert!(PhraseTable::is_binary(file.path()).unwrap());
        let table = PhraseTable::open(file.path()).unwrap();
        assert!(table.is_mapped());
        check(&table);
    }

    #[test]
    fn broken_files_are_refused() {
        let bytes = table().bytes.to_vec();
        let open = |bytes: &[u8]| PhraseTable::open(file(bytes).path()).unwrap_err().to_string();
        assert!(open(&bytes[..30]).contains("cut off within its header"));
        assert!(open(&bytes[..bytes.len() - 1]).contains("the table is cut off or has grown"));
        let changed = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            open(&bytes)
        };
        assert!(changed(0).contains("not a compiled phrase table"));
        assert!(changed(AT_VERSION).contains("this program reads version 1: compile the text table again"));
        for at in AT_CHECKSUM..bytes.len() {
            assert!(changed(at).contains("its checksum is wrong"), "byte {at}");
        }
        assert!(!PhraseTable::is_binary(file(TABLE).path()).unwrap());
    }

    #[test]
    fn every_changed_bit_of_a_compiled_table_is_found() {
        let good = table().bytes.to_vec();
        for bit in 0..8 * good.len() {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&bytes).is_err(), "bit {} of byte {}", bit % 8, bit / 8);
        }
    }

    #[test]
    fn a_broken_line_is_named() {
        let broken = file("das ||| the ||| 0.5 1\ndas ||| the ||| 0.5\n");
        let message = PhraseTable::read(broken.path(), 2, None).unwrap_err().to_string();
        assert!(
            message.ends_with(", line 2: expected 2 scores, found 1; does `num-features` fit the table?"),
            "{message}"
        );
        let long = format!("{} ||| the ||| 1 1\n", "das ".repeat(101));
        let message = PhraseTable::read(file(long).path(), 2, None).unwrap_err().to_string();
        assert!(message.ends_with(", line 1: a source phrase of 101 words; at most 100 are supported"), "{message}");
        let missing = PhraseTable::read(Path::new("/no/such/table"), 4, None).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read /no/such/table: "), "{missing}");
    }

    proptest! {
        /// A false file with a true checksum does not lead outside the table.
        #[test]
        fn false_files_with_true_checksums_do_no_harm(
            changes in prop::collection::vec((0usize..1 << 16, any::<u8>()), 1..20),
        ) {
            let mut bytes = table().bytes.to_vec();
            for (at, byte) in changes {
                let at = AT_CHECKED + at % (bytes.len() - AT_CHECKED);
                bytes[at] = byte;
            }
            let sum = checksum([&bytes[AT_CHECKED..]]);
            bytes[AT_CHECKSUM..AT_CHECKED].copy_from_slice(&sum.to_le_bytes());
            let file = file(&bytes);
            if let Ok(table) = PhraseTable::open(file.path()) {
                for pair in table.translations("das Haus").chain(table.translations("Haus")).chain([PairId(2)]) {
                    table.target(pair).for_each(|word| _ = table.target_word(word));
                    let _ = table.alignment(pair).count();
                    prop_assert!(table.scores(pair).chain(table.reordering(pair)).all(f32::is_finite));
                }
            }
        }
    }
}

//! The target words that may translate a sentence, by its source words.
//!
//! A model that scores a few hundred words instead of all of them saves most of the work of its output layer (Devlin
//! 2017, §3). [`Shortlists`] have the words of each source word, and [`Shortlists::for_sentence`] gathers the list of a
//! sentence: its own list, independent of the model and of other sentences.
//!
//! | file | content |
//! |---|---|
//! | text, plain or `.gz` | `target source probability`, as Marian and `metaphrase extract` write it (`lex.s2t`) |
//! | Marian's binary file, plain or `.gz` | lists made for given numbers of words |
//! | our own file | lists in the order of their probability, checked against the vocabularies: `docs/formats/shortlist.md` |
#![forbid(unsafe_code)]

mod error;
mod marian;
mod own;
mod text;

pub use error::ShortlistError;

use metaphrase_base::{Shortlist, WordId, start_of, unpacked_start};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// How much of a file is used. `None` is the number that the file was made with; for text Marian's defaults, 100
/// and 100.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ShortlistOptions {
    /// The number of the most frequent target words, which are in every list.
    pub first: Option<usize>,
    /// The number of words of each source word, the most probable ones.
    pub words: Option<usize>,
    /// Words are left out if their probability is not above this threshold. For text alone, the other files have no
    /// probabilities.
    pub threshold: Option<f32>,
}

/// The numbers of Marian.
const DEFAULT_WORDS: usize = 100;

/// The target words of each source word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortlists {
    /// Target words, the most frequent first.
    frequent: Vec<WordId>,
    /// The number of them that every list has.
    first: usize,
    /// By source word: where its words begin in `words`, and one more for the end.
    offsets: Vec<u32>,
    /// The best ones first if the file has scores.
    words: Vec<WordId>,
    target_words: usize,
    /// Whether source and target have the same vocabulary: then a sentence's own words are in its list.
    shared: bool,
}

/// A word of a source word's list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The source word.
    pub source: WordId,
    /// A target word that translates it.
    pub target: WordId,
    /// How probable the translation is, in any unit: a list has its most probable words first.
    pub probability: f32,
}

impl Shortlists {
    /// Reads a file of any form for a model with these vocabularies.
    ///
    /// # Errors
    /// [`ShortlistError`] if the file can not be read, is damaged, was made for other vocabularies, or lacks what the
    /// options ask for.
    pub fn open(
        path: &Path,
        options: ShortlistOptions,
        vocabularies: [&Vocabulary; 2],
    ) -> Result<Self, ShortlistError> {
        let start = start_of(path, 2).and_then(|_| unpacked_start(path, 16));
        let start = start.map_err(|error| ShortlistError::io(path, "read", error))?;
        let sizes = vocabularies.map(Vocabulary::len);
        let lists = if start.starts_with(own::MAGIC) {
            own::read(path, options, vocabularies)
        } else if start.starts_with(&marian::MAGIC.to_le_bytes()) {
            marian::read(path, options, sizes)
        } else {
            text::read(path, options, vocabularies)
        }?;
        Ok(Self { shared: same_words(vocabularies), ..lists })
    }

    /// Lists of these entries, `options.words` of each source word. Target words are in `frequent` in the order in
    /// which lists take them: `options.first` for every list.
    #[must_use]
    pub fn new(
        mut entries: Vec<Entry>,
        frequent: Vec<WordId>,
        options: ShortlistOptions,
        vocabularies: [&Vocabulary; 2],
    ) -> Self {
        let [source_words, target_words] = vocabularies.map(Vocabulary::len);
        let best = options.words.unwrap_or(DEFAULT_WORDS);
        // Among equals the larger word, as Marian has it.
        entries.sort_by(|a, b| {
            a.source.cmp(&b.source).then(b.probability.total_cmp(&a.probability)).then(b.target.cmp(&a.target))
        });
        entries.retain(|entry| entry.source.index() < source_words && entry.target.index() < target_words);
        let (mut offsets, mut words) = (vec![0; source_words + 1], Vec::new());
        for group in entries.chunk_by(|a, b| a.source == b.source) {
            words.extend(group.iter().take(best).map(|entry| entry.target));
            offsets[group[0].source.index() + 1] = words.len() as u32;
        }
        for at in 1..offsets.len() {
            offsets[at] = offsets[at].max(offsets[at - 1]);
        }
        let first = options.first.unwrap_or(DEFAULT_WORDS).min(frequent.len());
        Self { frequent, first, offsets, words, target_words, shared: same_words(vocabularies) }
    }

    /// Writes our own file.
    ///
    /// # Errors
    /// [`ShortlistError::Io`] if the file can not be written.
    pub fn write(&self, path: &Path, vocabularies: [&Vocabulary; 2]) -> Result<(), ShortlistError> {
        own::write(self, path, vocabularies)
    }

    /// The list of a sentence: the most frequent target words, the words of each of its source words and, where both
    /// languages have one vocabulary, its own words. As in Marian the next frequent words fill the list up to a
    /// multiple of eight.
    #[must_use]
    pub fn for_sentence(&self, source: &[WordId]) -> Shortlist {
        let mut list = WordSet::new(self.target_words);
        let (always, next) = self.frequent.split_at(self.first);
        always.iter().for_each(|&word| list.add(word));
        for &word in source {
            self.words_of(word).iter().for_each(|&word| list.add(word));
            if self.shared {
                list.add(word);
            }
        }
        for &word in next {
            if list.count.is_multiple_of(8) {
                break;
            }
            list.add(word);
        }
        list.finish()
    }

    /// The target words of a source word.
    #[must_use]
    pub fn words_of(&self, word: WordId) -> &[WordId] {
        match self.offsets.get(word.index()..word.index() + 2) {
            Some(&[begin, end]) => &self.words[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// Leaves out what the options do not ask for. `ranked`: the best words of a source word come first.
    fn cut(mut self, options: ShortlistOptions, ranked: bool, path: &Path) -> Result<Self, ShortlistError> {
        if options.threshold.is_some() {
            let problem =
                "has no probabilities, so a threshold has no meaning; give it when the file is made from text";
            return Err(ShortlistError::file(path, problem));
        }
        if let Some(best) = options.words {
            if !ranked {
                let problem = "is Marian's binary file, which has no scores to choose the best words of a source word; make it with the number of words that it should have";
                return Err(ShortlistError::file(path, problem));
            }
            let (mut offsets, mut words) = (vec![0], Vec::new());
            for group in self.offsets.windows(2) {
                let [begin, end] = [group[0] as usize, group[1] as usize];
                words.extend_from_slice(&self.words[begin..end.min(begin.saturating_add(best))]);
                offsets.push(words.len() as u32);
            }
            (self.offsets, self.words) = (offsets, words);
        }
        self.first = options.first.unwrap_or(self.first).min(self.frequent.len());
        Ok(self)
    }
}

fn same_words([source, target]: [&Vocabulary; 2]) -> bool {
    let all = || (0..source.len()).map(WordId::new);
    std::ptr::eq(source, target)
        || (source.len() == target.len() && all().all(|word| source.word(word) == target.word(word)))
}

/// A set of target words.
struct WordSet {
    bits: Vec<u64>,
    count: usize,
}

impl WordSet {
    fn new(target_words: usize) -> Self {
        Self { bits: vec![0; target_words.div_ceil(64)], count: 0 }
    }

    fn add(&mut self, word: WordId) {
        if let Some(bits) = self.bits.get_mut(word.index() / 64) {
            let bit = 1 << (word.index() % 64);
            self.count += usize::from(*bits & bit == 0);
            *bits |= bit;
        }
    }

    fn finish(self) -> Shortlist {
        let mut words = Vec::with_capacity(self.count);
        for (at, mut bits) in self.bits.into_iter().enumerate() {
            while bits != 0 {
                words.push(WordId::new(at * 64 + bits.trailing_zeros() as usize));
                bits &= bits - 1;
            }
        }
        Shortlist::new(words)
    }
}

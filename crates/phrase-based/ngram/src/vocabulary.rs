//! The words of a language model.

use crate::permutation::splitmix;
use metaphrase_base::WordId;

/// The words of a language model and their ids: `<unk>` is 0, `<s>` 1, `</s>` 2, others follow in the order of the
/// file.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// All words, one after the other.
    text: String,
    /// Where each word ends in `text`.
    ends: Vec<usize>,
    /// Open addressing; a power of two of places, at most half of them taken.
    index: Vec<Place>,
}

/// A place of the index.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The id of the word, plus one; 0 where the place is free.
    id: u32,
    /// The upper bits of the word's hash: other words are seldom looked at.
    tag: u32,
}

/// The word for all words that are not in the vocabulary.
pub const UNKNOWN: WordId = WordId(0);
/// The word `<s>` before a sentence.
pub const BEGIN: WordId = WordId(1);
/// The word `</s>` after a sentence.
pub const END: WordId = WordId(2);

impl Default for Vocabulary {
    fn default() -> Self {
        let mut vocabulary = Self { text: String::new(), ends: Vec::new(), index: vec![Place::default(); 16] };
        for word in ["<unk>", "<s>", "</s>"] {
            vocabulary.insert(word);
        }
        vocabulary
    }
}

impl Vocabulary {
    /// Number of words, with the three special ones.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The id of a word; [`UNKNOWN`] for a word that is not here. `<UNK>` is another name of `<unk>`.
    #[must_use]
    pub fn id(&self, word: &str) -> WordId {
        self.find(word).unwrap_or(UNKNOWN)
    }

    /// The id of a word, if it is here.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<WordId> {
        let word = if word == "<UNK>" { "<unk>" } else { word };
        self.find_hashed(word, hash(word.as_bytes()))
    }

    /// The ids of words, those that are here. They do not wait for memory one after the other: each step of the look-up
    /// is made for all words before the next step.
    pub(crate) fn find_all(&self, words: &Words, ids: &mut Vec<Option<WordId>>) {
        let mask = self.index.len() - 1;
        ids.clear();
        // The first word that each may be, with all bits of its hash that are stored.
        ids.extend(words.hashes.iter().map(|&hash| {
            let Place { id, tag: found } = self.index[hash as usize & mask];
            id.checked_sub(1).filter(|_| found == tag(hash)).map(WordId)
        }));
        let text = self.text.as_bytes();
        let touched = ids.iter().flatten().fold(0, |touched, id| touched | self.ends[id.index()]);
        std::hint::black_box(touched);
        let touched = ids.iter().flatten().fold(0, |touched, id| touched | text[self.ends[id.index()] - 1]);
        std::hint::black_box(touched);
        for (i, id) in ids.iter_mut().enumerate() {
            *id = self.find_hashed(words.get(i), words.hashes[i]);
        }
    }

    fn find_hashed(&self, word: &str, hash: u64) -> Option<WordId> {
        self.index[self.place(word, hash)].id.checked_sub(1).map(WordId)
    }

    /// The word of an id.
    ///
    /// # Panics
    /// If the id is not below [`len`](Self::len).
    #[must_use]
    pub fn word(&self, id: WordId) -> &str {
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] };
        &self.text[start..self.ends[id.index()]]
    }

    /// The words by their ids.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|id| self.word(WordId::new(id)))
    }

    /// The id of a word, which is new if the word is. The caller sees to it that ids do not run out.
    pub(crate) fn insert(&mut self, word: &str) -> WordId {
        let word = if word == "<UNK>" { "<unk>" } else { word };
        let hash = hash(word.as_bytes());
        let place = self.place(word, hash);
        if let Some(id) = self.index[place].id.checked_sub(1) {
            return WordId(id);
        }
        self.text.push_str(word);
        self.ends.push(self.text.len());
        let id = WordId::new(self.len() - 1);
        self.index[place] = Place { id: id.0 + 1, tag: tag(hash) };
        if 2 * self.len() > self.index.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        self.index = vec![Place::default(); 2 * self.index.len()];
        for id in (0..self.len()).map(WordId::new) {
            let hash = hash(self.word(id).as_bytes());
            let place = self.place(self.word(id), hash);
            self.index[place] = Place { id: id.0 + 1, tag: tag(hash) };
        }
    }

    /// Where a word is in the index, or the free place for it.
    fn place(&self, word: &str, hash: u64) -> usize {
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        let is_other =
            |Place { id, tag: found }: Place| id != 0 && (found != tag(hash) || self.word(WordId(id - 1)) != word);
        while is_other(self.index[place]) {
            place = (place + 1) & mask;
        }
        place
    }
}

/// Words that are looked up together.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// All words, one after the other, and where each ends.
    text: String,
    ends: Vec<usize>,
    hashes: Vec<u64>,
}

impl Words {
    /// Adds a word. Returns its number.
    pub(crate) fn push(&mut self, word: &str) -> u32 {
        let word = if word == "<UNK>" { "<unk>" } else { word };
        self.text.push_str(word);
        self.ends.push(self.text.len());
        self.hashes.push(hash(word.as_bytes()));
        self.hashes.len() as u32 - 1
    }

    /// Word number `i`.
    pub(crate) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.hashes.clear();
    }
}

/// A hash of eight bytes at a time.
fn hash(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    // Bytes that are taken twice do no harm, and there is no loop over the rest.
    let tail = match (rest, bytes.last_chunk(), bytes.last_chunk()) {
        ([], ..) => 0,
        (_, Some(&last), _) => u64::from_le_bytes(last),
        (&[a, b, c, d, ..], None, Some(&last)) => {
            u64::from(u32::from_le_bytes([a, b, c, d])) << 32 | u64::from(u32::from_le_bytes(last))
        }
        (&[first, ..], ..) => {
            let of = |at: usize| u64::from(rest[at]);
            u64::from(first) << 16 | of(rest.len() / 2) << 8 | of(rest.len() - 1)
        }
    };
    let state = chunks.iter().fold(bytes.len() as u64, |state, chunk| splitmix(state ^ u64::from_le_bytes(*chunk)));
    splitmix(state ^ tail)
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_ids() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!([UNKNOWN, BEGIN, END].map(|id| vocabulary.word(id).to_owned()), ["<unk>", "<s>", "</s>"]);
        let words: Vec<String> = (0..5000).map(|i| format!("word{i}ä")).collect();
        words.iter().enumerate().for_each(|(i, word)| assert_eq!(vocabulary.insert(word), WordId::new(i + 3)));
        words.iter().enumerate().for_each(|(i, word)| assert_eq!(vocabulary.id(word), WordId::new(i + 3)));
        assert_eq!(vocabulary.insert("word17ä"), WordId(20));
        assert_eq!(vocabulary.id("never"), UNKNOWN);
        assert_eq!(vocabulary.id("<UNK>"), UNKNOWN);
        assert_eq!(vocabulary.find("never"), None);
        assert!(vocabulary.words().skip(3).eq(words.iter().map(String::as_str)));
        let mut together = Words::default();
        let asked = ["never", "<UNK>", "word4999ä", "", "word0ä", "<s>", "word"];
        let numbers: Vec<u32> = asked.iter().map(|word| together.push(word)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
        let mut ids = Vec::new();
        vocabulary.find_all(&together, &mut ids);
        assert_eq!(ids, asked.map(|word| vocabulary.find(word)));
    }
}

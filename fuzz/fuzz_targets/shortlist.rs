//! Any bytes as a shortlist for the vocabulary of a small model. The first byte chooses the form: as it is, or a binary
//! file of Marian's whose checksum and sizes the target corrects.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_base::WordId;
use metaphrase_fuzz::models::{check_message, testdata};
use metaphrase_fuzz::text::memory_folder;
use metaphrase_shortlist::{ShortlistOptions, Shortlists};
use metaphrase_text::vocab::Vocabulary;
use std::sync::LazyLock;
use tempfile::TempDir;

static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::open(&testdata("models/marian-tiny/vocab.yml")).expect("a vocabulary"));
static FOLDER: LazyLock<TempDir> = LazyLock::new(memory_folder);

/// The first number of Marian's files.
const MAGIC: u64 = 0xF11A_48D5_0134_17F5;

fuzz_target!(|input: &[u8]| {
    let Some((which, bytes)) = input.split_first() else { return };
    let name = if which & 2 == 0 { "lex.bin" } else { "lex.gz" };
    let path = FOLDER.path().join(name);
    let content = if which & 1 == 0 { bytes.to_vec() } else { marian(bytes) };
    std::fs::write(&path, content).expect("space for a small file");
    let number = |bit: u8| (which & bit != 0).then_some(usize::from(*which));
    let threshold = (which & 4 != 0).then_some(0.01);
    let options = ShortlistOptions { first: number(8), words: number(16), threshold };
    match Shortlists::open(&path, options, [&VOCABULARY, &VOCABULARY]) {
        Ok(lists) => use_lists(&lists),
        Err(error) => check_message(&error),
    }
});

/// A sentence of all words, and one of none.
fn use_lists(lists: &Shortlists) {
    let all: Vec<_> = (0..VOCABULARY.len()).map(WordId::new).collect();
    for sentence in [&all[..], &all[..0]] {
        let list = lists.for_sentence(sentence);
        assert!(list.words().iter().all(|word| word.index() < VOCABULARY.len()), "a word beyond the vocabulary");
    }
}

/// A file with a true checksum: a byte for the number of lists, one for each end of a list, then words.
fn marian(bytes: &[u8]) -> Vec<u8> {
    let (count, rest) = bytes.split_first().map_or((0, bytes), |(count, rest)| (usize::from(*count), rest));
    let (ends, words) = rest.split_at(count.min(rest.len()));
    let header = [1, 2, ends.len() as u64, words.len() as u64];
    let ends = ends.iter().map(|&end| u64::from(end));
    let mut body: Vec<u8> = header.into_iter().chain(ends).flat_map(u64::to_le_bytes).collect();
    body.extend(words.iter().flat_map(|&word| u32::from(word).to_le_bytes()));
    let numbers = body.as_chunks::<8>().0;
    let checksum = numbers.iter().fold(0_u64, |hash, number| {
        let mixed = u64::from_le_bytes(*number).wrapping_add(0x9e37_79b9);
        hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
    });
    [&MAGIC.to_le_bytes()[..], &checksum.to_le_bytes(), &body].concat()
}

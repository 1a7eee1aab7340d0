//! Our own file; `docs/formats/shortlist.md` has it byte by byte.

use crate::{ShortlistError, ShortlistOptions, Shortlists};
use metaphrase_base::{MappedFile, NewFile, WordId, checksum};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

pub(crate) const MAGIC: &[u8; 16] = b"metaphrase lists";
const VERSION: u32 = 2;
/// Where the checksum is; it is of all other bytes.
const CHECKSUM: std::ops::Range<usize> = 32..40;
const HEADER: usize = 72;

pub(crate) fn read(
    path: &Path,
    options: ShortlistOptions,
    vocabularies: [&Vocabulary; 2],
) -> Result<Shortlists, ShortlistError> {
    let bytes = MappedFile::open(path).map_err(|error| ShortlistError::io(path, "read", error))?;
    let lists = parse(&bytes, vocabularies).map_err(|problem| ShortlistError::file(path, problem))?;
    lists.cut(options, true, path)
}

fn parse(bytes: &[u8], vocabularies: [&Vocabulary; 2]) -> Result<Shortlists, String> {
    let long = |at: usize| bytes.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
    let short = |at: usize| bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap_or_default()));
    if bytes.len() < HEADER || long(24) != bytes.len() as u64 {
        return Err(format!("is cut off or has grown: it has {} bytes and was made with {}", bytes.len(), long(24)));
    }
    if short(16) != VERSION {
        let version = short(16);
        return Err(format!(
            "has version {version} of the format, this program reads version {VERSION}; make it again"
        ));
    }
    if checksum([&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..]]) != long(CHECKSUM.start) {
        return Err("is damaged: its checksum is wrong; make it again".into());
    }
    let [source_words, target_words] = vocabularies.map(Vocabulary::len);
    let made_for = ([short(40), short(44)].map(|words| words as usize), [long(48), long(56)]);
    if made_for != ([source_words, target_words], vocabularies.map(fingerprint)) {
        return Err("was made for other vocabularies; make it for this model".into());
    }
    let [first, frequent, words] = [20, 64, 68].map(|at| short(at) as usize);
    let numbers: Vec<u32> =
        bytes[HEADER..].as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)).collect();
    let wrong = || "contradicts itself: it was not written by this program".to_owned();
    if frequent.saturating_add(words).saturating_add(source_words + 1) != numbers.len() || first > frequent {
        return Err(wrong());
    }
    let (frequent, others) = numbers.split_at(frequent);
    let (offsets, words) = others.split_at(source_words + 1);
    let inside = |words: &[u32]| words.iter().all(|&word| (word as usize) < target_words);
    if !offsets.is_sorted() || offsets.last() != Some(&(words.len() as u32)) || !inside(frequent) || !inside(words) {
        return Err(wrong());
    }
    let [frequent, words] = [frequent, words].map(|words| words.iter().copied().map(WordId).collect());
    Ok(Shortlists { frequent, first, offsets: offsets.to_vec(), words, target_words, shared: false })
}

pub(crate) fn write(lists: &Shortlists, path: &Path, vocabularies: [&Vocabulary; 2]) -> Result<(), ShortlistError> {
    let Shortlists { frequent, first, offsets, words, .. } = lists;
    // Source words after the last list have none.
    let source_words = vocabularies[0].len();
    let last = offsets.last().copied().unwrap_or(0);
    let padding = (offsets.len()..=source_words).map(|_| last);
    let offsets = offsets.iter().copied().chain(padding);
    let numbers = frequent.iter().map(|word| word.0).chain(offsets).chain(words.iter().map(|word| word.0));
    let body: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    let mut header = [0; HEADER];
    let mut set = |at: usize, value: &[u8]| header[at..at + value.len()].copy_from_slice(value);
    set(0, MAGIC);
    set(16, &VERSION.to_le_bytes());
    set(20, &(*first as u32).to_le_bytes());
    set(24, &((HEADER + body.len()) as u64).to_le_bytes());
    for (at, vocabulary) in vocabularies.iter().enumerate() {
        set(40 + 4 * at, &(vocabulary.len() as u32).to_le_bytes());
        set(48 + 8 * at, &fingerprint(vocabulary).to_le_bytes());
    }
    set(64, &(frequent.len() as u32).to_le_bytes());
    set(68, &(words.len() as u32).to_le_bytes());
    let sum = checksum([&header[..CHECKSUM.start], &header[CHECKSUM.end..], &body]);
    header[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    NewFile::write(path, [&header[..], &body].concat()).map_err(|error| ShortlistError::io(path, "write", error))
}

/// A checksum of the words of a vocabulary.
fn fingerprint(vocabulary: &Vocabulary) -> u64 {
    let mut text = String::new();
    (0..vocabulary.len()).for_each(|word| text.extend([vocabulary.word(WordId::new(word)), "\n"]));
    checksum([text.as_bytes()])
}

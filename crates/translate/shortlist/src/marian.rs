//! Marian's binary file: six numbers of 64 bits, the offsets of 64 bits of each source word's list, target words of 32
//! bits.
//!
//! | number | content |
//! |---|---|
//! | 0 | [`MAGIC`] |
//! | 1 | a checksum of all that follows |
//! | 2, 3 | how many words are in every list, and how many each source word has at most |
//! | 4, 5 | how many offsets and how many target words there are |

use crate::{ShortlistError, ShortlistOptions, Shortlists};
use metaphrase_base::{MappedFile, WordId, read_unpacked};
use std::path::Path;

pub(crate) const MAGIC: u64 = 0xF11A_48D5_0134_17F5;
const HEADER: usize = 48;

pub(crate) fn read(path: &Path, options: ShortlistOptions, sizes: [usize; 2]) -> Result<Shortlists, ShortlistError> {
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let lists = if is_packed {
        read_unpacked(path).map(|bytes| parse(&bytes, sizes))
    } else {
        MappedFile::open(path).map(|bytes| parse(&bytes, sizes))
    };
    let lists = lists.map_err(|error| ShortlistError::io(path, "read", error))?;
    let lists = lists.map_err(|problem| ShortlistError::file(path, problem))?;
    lists.cut(options, false, path)
}

fn parse(bytes: &[u8], [source_words, target_words]: [usize; 2]) -> Result<Shortlists, String> {
    let (numbers, _) = bytes.as_chunks::<8>();
    let number = |at: usize| numbers.get(at).map_or(0, |number| u64::from_le_bytes(*number));
    let [first, count, length] = [2, 4, 5].map(|at| usize::try_from(number(at)).unwrap_or(usize::MAX));
    let size =
        count.checked_mul(8).and_then(|offsets| offsets.checked_add(length.checked_mul(4)?)?.checked_add(HEADER));
    if bytes.len() < HEADER || size != Some(bytes.len()) {
        return Err(format!("is cut off or has grown: its header declares another size than {} bytes", bytes.len()));
    }
    let hash = numbers[2..].iter().fold(0, |hash: u64, number| {
        let mixed = u64::from_le_bytes(*number).wrapping_add(0x9e37_79b9);
        hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
    });
    if hash != number(1) {
        return Err("is damaged: its checksum is wrong".into());
    }
    if count > source_words + 1 {
        let lists = count - 1;
        return Err(format!("was made for another model: it has {lists} source words, the vocabulary {source_words}"));
    }
    let offsets: Vec<u32> = (0..count).map(|at| u32::try_from(number(HEADER / 8 + at)).unwrap_or(u32::MAX)).collect();
    if !offsets.is_sorted() || offsets.last().is_some_and(|&last| last as usize > length) {
        return Err("is damaged: its lists overlap".into());
    }
    let (words, _) = bytes[HEADER + count * 8..].as_chunks::<4>();
    let words: Vec<WordId> = words.iter().map(|word| WordId(u32::from_le_bytes(*word))).collect();
    if let Some(word) = words.iter().find(|word| word.index() >= target_words) {
        return Err(format!("was made for another model: it has word {word}, the vocabulary {target_words} words"));
    }
    let frequent: Vec<_> = (0..target_words).map(WordId::new).collect();
    let first = first.min(frequent.len());
    Ok(Shortlists { frequent, first, offsets, words, target_words, shared: false })
}

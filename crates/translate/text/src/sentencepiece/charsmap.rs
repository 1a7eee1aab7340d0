//! The normalisation table of a model file: leftmost-longest replacement of byte strings.

use super::SentencePieceError as Error;
use super::double_array::DoubleArray;
use std::collections::{BTreeMap, HashMap};

/// No rule of a real table writes more than the 33 bytes of U+FDFA in NFKC; a table that would blow text up by
/// more than this is refused.
pub(super) const MAX_REPLACEMENT: usize = 1024;

/// A compiled table (`precompiled_charsmap`): the size of the trie in bytes (32 bits, little-endian), the trie, and
/// the replacements, each ended by a zero byte. The trie's values are offsets into the replacements.
#[derive(Debug, Clone)]
pub(super) struct CharsMap {
    trie: DoubleArray,
    replacements: Vec<u8>,
}

impl CharsMap {
    pub(super) fn parse(blob: &[u8]) -> Result<Self, Error> {
        let (size, rest) = blob.split_first_chunk().ok_or(Error::CharsMap("it is cut off"))?;
        let size = u32::from_le_bytes(*size) as usize;
        let (trie, replacements) = rest.split_at_checked(size).ok_or(Error::CharsMap("it is cut off"))?;
        if replacements.last() != Some(&0) {
            return Err(Error::CharsMap("its replacements do not end in a zero byte"));
        }
        if replacements.split(|&byte| byte == 0).any(|text| text.len() > MAX_REPLACEMENT) {
            return Err(Error::CharsMap("a replacement is longer than 1024 bytes"));
        }
        let trie = DoubleArray::from_le_bytes(trie, replacements.len()).map_err(Error::CharsMap)?;
        Ok(Self { trie, replacements: replacements.to_vec() })
    }

    /// The bytes that [`parse`](Self::parse) reads.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let trie = self.trie.to_le_bytes();
        // The length of a trie that was parsed or compiled fits.
        let mut table = (trie.len() as u32).to_le_bytes().to_vec();
        table.extend(trie);
        table.extend(&self.replacements);
        table
    }

    /// The longest rule that `text` starts with: the number of its bytes, and their replacement.
    #[inline]
    pub(super) fn longest_rule(&self, text: &[u8]) -> Option<(usize, &[u8])> {
        let (length, start) = self.trie.longest_prefix(text)?;
        let replacement = &self.replacements[start as usize..];
        let end = replacement.iter().position(|&byte| byte == 0).unwrap_or(replacement.len());
        Some((length, &replacement[..end]))
    }

    /// Whether a rule is about `byte` alone, or about `byte` and an ASCII character after it.
    pub(super) fn touches_ascii(&self, byte: u8) -> bool {
        let mut first = self.trie.root();
        if !first.step(byte) {
            return false;
        }
        first.value().is_some() || (0..0x80).any(|next| first.clone().step(next))
    }
}

/// The table of `rules`, from text to what replaces it, without zero bytes. `None` if it outgrows the format.
pub(super) fn compile(rules: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut replacements = Vec::new();
    let mut starts: HashMap<&str, u32> = HashMap::new();
    let mut keys = Vec::with_capacity(rules.len());
    for (from, to) in rules {
        let next = u32::try_from(replacements.len()).ok().filter(|&start| start < 1 << 31)?;
        let start = *starts.entry(to).or_insert_with(|| {
            replacements.extend_from_slice(to.as_bytes());
            replacements.push(0);
            next
        });
        keys.push((from.as_bytes(), start));
    }
    let trie = DoubleArray::build_shared(&keys)?.to_le_bytes();
    let mut table = u32::try_from(trie.len()).ok()?.to_le_bytes().to_vec();
    table.extend(trie);
    table.extend(replacements);
    Some(table)
}

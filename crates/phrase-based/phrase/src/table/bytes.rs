//! Numbers in a row of bytes, little-endian. A number outside them is 0: a false file gives false
//! translations, and no panic.

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// A number of `width` bytes, at most 4.
pub(crate) fn code_at(bytes: &[u8], at: usize, width: usize) -> usize {
    // Eight bytes at once; fewer are left after the last pairs of a file.
    if let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        return (u64::from_le_bytes(*eight) & ((1 << (8 * width)) - 1)) as usize;
    }
    let digits = bytes.get(at..at + width).unwrap_or_default();
    digits.iter().rev().fold(0, |number, &digit| number << 8 | usize::from(digit))
}

/// The hash by which words are found.
pub(crate) fn hash_word(word: &str) -> u32 {
    let hash = word.as_bytes().iter().fold(0, |hash, &byte| crate::index::mix(hash, byte.into()));
    crate::index::finish(hash)
}

/// The hash by which nodes are found.
pub(crate) fn hash_node(parent: u32, word: u32) -> u32 {
    crate::index::finish(crate::index::mix(parent.into(), word.into()))
}

//! Checksums of files.

/// A checksum of bytes, read eight at a time; zeros fill up the last eight. A change of any eight bytes changes the
/// checksum. The bytes come in parts, and the length of every part but the last is a multiple of eight. The checksum
/// detects damage, not malice.
#[must_use]
pub fn checksum<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    parts.into_iter().fold(0, add)
}

fn add(state: u64, bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let step = |state: u64, chunk: &[u8; 8]| {
        let mixed = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    };
    let state = chunks.iter().fold(state, step);
    if rest.is_empty() { state } else { step(state, &last) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_checksum_of_the_whole() {
        let bytes: Vec<u8> = (0..45).collect();
        let whole = checksum([&bytes[..]]);
        assert_eq!(checksum([&bytes[..16], &bytes[16..24], &bytes[24..]]), whole);
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert_ne!(checksum([&changed[..]]), whole);
        }
    }
}

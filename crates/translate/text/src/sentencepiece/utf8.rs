//! Characters in bytes that may not be UTF-8.

/// Length of the character that starts with `first`, by that byte alone; 1 for a byte that starts no character.
#[inline]
pub(super) fn char_len(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// Length of the valid character at the start of `bytes`; `None` if there is none.
#[inline]
pub(super) fn valid_char_len(bytes: &[u8]) -> Option<usize> {
    let length = char_len(*bytes.first()?);
    str::from_utf8(bytes.get(..length)?).ok().map(|_| length)
}

/// Appends the characters that `bytes` make, U+FFFD for each byte outside a character, and clears `bytes`.
pub(super) fn push_characters(bytes: &mut Vec<u8>, text: &mut String) {
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let length = valid_char_len(rest);
        match length.and_then(|length| str::from_utf8(&rest[..length]).ok()) {
            Some(character) => text.push_str(character),
            None => text.push('\u{FFFD}'),
        }
        rest = &rest[length.unwrap_or(1)..];
    }
    bytes.clear();
}

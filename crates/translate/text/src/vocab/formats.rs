//! The text formats of word vocabularies: JSON, the YAML that Marian writes, and plain lists.

use super::VocabularyError as Error;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use std::collections::HashSet;

/// White space within a line of YAML. U+0085 and no-break spaces are words.
const BLANKS: [char; 2] = [' ', '\t'];

/// Words and ids, in the order of the file.
pub(super) type Entries = Vec<(String, u32)>;

/// One word per line; its id is the number of the line, counted from 0.
pub(super) fn parse_plain(bytes: &[u8]) -> Result<Entries, Error> {
    let mut entries = Vec::new();
    for line in lines(bytes) {
        let (number, line) = line?;
        if line.is_empty() {
            return Err(Error::EmptyLine { line: number });
        }
        entries.push((line.to_owned(), (number - 1) as u32));
    }
    Ok(entries)
}

/// `{"word": id, …}`.
pub(super) fn parse_json(bytes: &[u8]) -> Result<Entries, Error> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let entries = parser.deserialize_map(EntriesVisitor)?;
    parser.end()?;
    Ok(entries)
}

/// Keeps entries that stand twice, which a map would lose.
struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object of words and ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// One word per line, as CTranslate2 reads them: lines may be empty and words may come again.
pub(super) fn parse_lines(bytes: &[u8]) -> Result<Entries, Error> {
    let words = lines(bytes).map(|line| line.map(|(_, line)| line.to_owned()));
    Ok(places(words.collect::<Result<_, _>>()?))
}

/// Words with their places in a list. A word that comes again is the first one; later places are gaps.
fn places(words: Vec<String>) -> Entries {
    let mut seen = HashSet::new();
    let numbered = words.into_iter().enumerate().map(|(place, word)| (word, place as u32));
    numbered.filter(|(word, _)| !word.is_empty() && seen.insert(word.clone())).collect()
}

/// `word: id` in each line, or `{…}` or a list `[…]` of words as JSON, which YAML includes.
///
/// Words are plain, in 'single' or in "double" quotes, or after `? ` with the id after `: ` in the next line (as
/// yaml-cpp writes words of more than 1024 characters). A plain word is its text: `null`,
/// `~`, `yes` and `1`, which have another meaning in YAML, are words here.
pub(super) fn parse_yaml(bytes: &[u8]) -> Result<Entries, Error> {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => return parse_json(bytes),
        Some(b'[') => return Ok(places(serde_json::from_slice::<Vec<String>>(bytes)?)),
        _ => {}
    }
    let mut entries = Vec::new();
    let mut complex: Option<String> = None;
    for line in lines(bytes) {
        let (number, line) = line?;
        let fault = |fault| Error::Line { line: number, found: line.chars().take(40).collect(), fault };
        let rest = line.trim_end_matches(BLANKS);
        if rest.is_empty() || rest.starts_with('#') || rest == "---" || rest == "..." || rest.starts_with('%') {
            continue;
        }
        if let Some(key) = rest.strip_prefix("? ") {
            let (word, after) = take_word(key, true).ok_or_else(|| fault("has a broken word"))?;
            if complex.is_some() || !after.is_empty() {
                return Err(fault("has no id"));
            }
            complex = Some(word);
            continue;
        }
        let (word, after) = match complex.take() {
            Some(word) => (word, rest),
            None => take_word(rest, false).ok_or_else(|| fault("has a broken word"))?,
        };
        let id = after.strip_prefix(':').ok_or_else(|| fault("has no id"))?;
        let id = id.trim_matches(BLANKS).trim_matches('"');
        entries.push((word, id.parse().map_err(|_| fault("has an id that is no number"))?));
    }
    match complex {
        Some(word) => Err(Error::Line {
            line: bytes.split(|&byte| byte == b'\n').count(),
            found: word.chars().take(40).collect(),
            fault: "has no id",
        }),
        None => Ok(entries),
    }
}

/// The word at the start of a line and what follows it, from the colon on; a plain word is the whole line if `whole`.
fn take_word(text: &str, whole: bool) -> Option<(String, &str)> {
    match text.as_bytes().first()? {
        b'"' => take_double_quoted(&text[1..]),
        b'\'' => take_single_quoted(&text[1..]),
        _ if whole => Some((text.to_owned(), "")),
        // A plain word has no `: ` inside, so that the last colon is the one before the id.
        _ => text.rfind(':').map(|colon| (text[..colon].trim_end_matches(BLANKS).to_owned(), &text[colon..])),
    }
}

/// A quote is written twice; nothing else is special.
fn take_single_quoted(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        let quote = rest.find('\'')?;
        word.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                word.push('\'');
                rest = after;
            }
            None => return Some((word, rest.trim_start_matches(BLANKS))),
        }
    }
}

/// The escapes of YAML 1.2, section 5.7. `\x84` is the character U+0084, not a byte.
fn take_double_quoted(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        let special = rest.find(['"', '\\'])?;
        word.push_str(&rest[..special]);
        if rest[special..].starts_with('"') {
            return Some((word, rest[special + 1..].trim_start_matches(BLANKS)));
        }
        let escape = rest[special + 1..].chars().next()?;
        rest = &rest[special + 1 + escape.len_utf8()..];
        let digits = match escape {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits == 0 {
            word.push(unescape(escape)?);
            continue;
        }
        let (mut code, after) = take_hex(rest, digits)?;
        rest = after;
        if let (0xD800..=0xDBFF, Some(low)) = (code, rest.strip_prefix("\\u")) {
            // Two halves, as JSON writes characters beyond U+FFFF.
            let (low, after) = take_hex(low, 4)?;
            code = 0x10000 + ((code - 0xD800) << 10) + low.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
            rest = after;
        }
        word.push(char::from_u32(code)?);
    }
}

fn take_hex(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let all_digits = number.bytes().all(|digit| digit.is_ascii_hexdigit());
    all_digits.then(|| u32::from_str_radix(number, 16).ok()).flatten().map(|code| (code, rest))
}

fn unescape(escape: char) -> Option<char> {
    Some(match escape {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{B}',
        'f' => '\u{C}',
        'r' => '\r',
        'e' => '\u{1B}',
        ' ' | '"' | '/' | '\\' => escape,
        'N' => '\u{85}',
        '_' => '\u{A0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// The lines of a file with their numbers from 1, without their ends (`\n` or `\r\n`) and without a byte-order mark.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Result<(usize, &str), Error>> {
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let count = if bytes.is_empty() { 0 } else { usize::MAX };
    bytes.split(|&byte| byte == b'\n').take(count).enumerate().map(|(i, line)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = str::from_utf8(line).map_err(|_| Error::Utf8 { line: i + 1 })?;
        Ok((i + 1, line))
    })
}

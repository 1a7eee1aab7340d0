//! Text as the pieces see it: the rules of the model's table, blanks, the mark for blanks.

use super::SentencePieceError as Error;
use super::charsmap::CharsMap;
use super::double_array::DoubleArray;
use super::file::NormalizerSpec;
use super::utf8::valid_char_len;
use metaphrase_base::LONGEST_LINE;
use serde::{Deserialize, Serialize};

/// U+2581, which stands for a blank in pieces.
pub(super) const SPACE_MARK: &str = "\u{2581}";

/// The most bytes of normalised text, but for a last replacement: one character may become 1024 bytes.
pub(super) const LONGEST: usize = LONGEST_LINE;

/// What happens to the blanks of a text.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Blanks {
    /// The blank that is added stands at the end.
    pub(super) suffix: bool,
    /// A blank is added.
    pub(super) prefix: bool,
    /// Several blanks become one, and those at the ends none.
    pub(super) single: bool,
    /// Blanks become [`SPACE_MARK`].
    pub(super) marked: bool,
}

/// A `NormalizerSpec` made ready.
#[derive(Debug, Clone)]
pub(super) struct Normalizer {
    charsmap: Option<CharsMap>,
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
    whitespace_as_suffix: bool,
    /// The replacement of a blank.
    space: &'static str,
    /// Whether an ASCII character (other than a blank) stays as it is if another ASCII character or the end
    /// follows. Runs of them are copied without a look at the table.
    plain: [bool; 128],
}

impl Normalizer {
    /// User-defined symbols (`user_defined`) are never changed.
    pub(super) fn new(
        spec: &NormalizerSpec<'_>,
        whitespace_as_suffix: bool,
        user_defined: Option<&DoubleArray>,
    ) -> Result<Self, Error> {
        let charsmap = match spec.charsmap {
            [] => None,
            blob => Some(CharsMap::parse(blob)?),
        };
        let plain = std::array::from_fn(|byte| {
            let byte = byte as u8;
            byte != b' '
                && !charsmap.as_ref().is_some_and(|map| map.touches_ascii(byte))
                && !user_defined.is_some_and(|symbols| symbols.root().step(byte))
        });
        Ok(Self {
            charsmap,
            add_dummy_prefix: spec.add_dummy_prefix,
            remove_extra_whitespaces: spec.remove_extra_whitespaces,
            whitespace_as_suffix,
            space: if spec.escape_whitespaces { SPACE_MARK } else { " " },
            plain,
        })
    }

    /// The bytes of the table of rules, empty without one.
    pub(super) fn charsmap(&self) -> Vec<u8> {
        self.charsmap.as_ref().map_or_else(Vec::new, CharsMap::to_bytes)
    }

    /// What is done in addition to the rules.
    pub(super) fn blanks(&self) -> Blanks {
        Blanks {
            suffix: self.whitespace_as_suffix,
            prefix: self.add_dummy_prefix,
            single: self.remove_extra_whitespaces,
            marked: self.space == SPACE_MARK,
        }
    }

    /// Whether decoding drops the blank that encoding put at the start, or all of them.
    pub(super) fn strips(&self) -> (bool, bool) {
        (self.add_dummy_prefix || self.remove_extra_whitespaces, self.remove_extra_whitespaces)
    }

    /// Writes `text`, normalised, to `out` (cleared first), up to [`LONGEST`] bytes; the rest of `text` is not read. It
    /// is UTF-8 if `text` and the table are. Returns the number of bytes of `text` that were read.
    pub(super) fn normalize(&self, text: &[u8], user_defined: Option<&DoubleArray>, out: &mut Vec<u8>) -> usize {
        out.clear();
        let mut rest = text;
        if self.remove_extra_whitespaces {
            while let Some((b" ", taken)) = self.rewrite(rest, user_defined) {
                rest = &rest[taken..];
            }
        }
        if rest.is_empty() {
            return text.len();
        }
        out.reserve(rest.len().min(LONGEST) * 3 / 2 + self.space.len());
        if self.add_dummy_prefix && !self.whitespace_as_suffix {
            out.extend_from_slice(self.space.as_bytes());
        }
        let mut after_space = self.remove_extra_whitespaces;
        while !rest.is_empty() && out.len() < LONGEST {
            let plain = self.plain_run(rest).min(LONGEST - out.len());
            if plain > 0 {
                out.extend_from_slice(&rest[..plain]);
                rest = &rest[plain..];
                after_space = false;
                continue;
            }
            let Some((piece, taken)) = self.rewrite(rest, user_defined) else {
                break;
            };
            let piece = if after_space { trim_leading_spaces(piece) } else { piece };
            if let Some(last) = piece.last() {
                self.push(piece, out);
                after_space = *last == b' ';
            }
            after_space &= self.remove_extra_whitespaces;
            rest = &rest[taken..];
        }
        if self.remove_extra_whitespaces {
            while out.ends_with(self.space.as_bytes()) {
                out.truncate(out.len() - self.space.len());
            }
        }
        if self.add_dummy_prefix && self.whitespace_as_suffix {
            out.extend_from_slice(self.space.as_bytes());
        }
        text.len() - rest.len()
    }

    /// Length of the run of plain characters that `text` starts with, as far as it is known from them and the
    /// byte that follows.
    #[inline]
    fn plain_run(&self, text: &[u8]) -> usize {
        let is_plain = |&byte: &u8| self.plain.get(usize::from(byte)).copied().unwrap_or(false);
        let run = text.iter().position(|byte| !is_plain(byte)).unwrap_or(text.len());
        // The last character may be one with the non-ASCII character that follows.
        if text.get(run).is_some_and(|byte| !byte.is_ascii()) { run.saturating_sub(1) } else { run }
    }

    /// The replacement of the start of `text` and the number of bytes that it replaces; `None` at the end.
    #[inline]
    fn rewrite<'a>(&'a self, text: &'a [u8], user_defined: Option<&DoubleArray>) -> Option<(&'a [u8], usize)> {
        let first = *text.first()?;
        if let Some((length, _)) = user_defined.and_then(|symbols| symbols.longest_prefix(text)) {
            return Some((&text[..length], length));
        }
        if let Some((length, replacement)) = self.charsmap.as_ref().and_then(|map| map.longest_rule(text)) {
            return Some((replacement, length));
        }
        let length = if first.is_ascii() { Some(1) } else { valid_char_len(text) };
        // A rule may end inside a character; the rest of the bytes are no character.
        Some(length.map_or(("\u{FFFD}".as_bytes(), 1), |length| (&text[..length], length)))
    }

    #[inline]
    fn push(&self, piece: &[u8], out: &mut Vec<u8>) {
        if piece == b" " {
            out.extend_from_slice(self.space.as_bytes());
        } else {
            for &byte in piece {
                match byte {
                    b' ' => out.extend_from_slice(self.space.as_bytes()),
                    _ => out.push(byte),
                }
            }
        }
    }
}

fn trim_leading_spaces(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| byte != b' ').unwrap_or(text.len());
    &text[start..]
}

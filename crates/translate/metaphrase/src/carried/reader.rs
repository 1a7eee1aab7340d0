//! A line as a model with a small vocabulary reads it.

use super::digits::is_fraction;
use super::{Copy, Lacking};
use crate::folding::folded;
use metaphrase_base::WordId;
use metaphrase_document::LinePart;
use std::collections::{HashMap, HashSet};
use unicode_normalization::char::is_combining_mark;

/// A line as it is read.
pub(super) struct Reader<'r> {
    lacking: &'r Lacking<'r>,
    ids: Vec<WordId>,
    known: HashMap<char, bool>,
    pub(super) parts: Vec<LinePart>,
    /// By thing to copy: the number of its required term, if it has one.
    pub(super) terms: Vec<Option<usize>>,
    /// By thing to copy: what the model reads.
    pub(super) names: Vec<String>,
    /// The number of the last name.
    last_name: usize,
    /// Whether the model reads names in place of numbers: it may take the currency of another amount of money for that
    /// of a bare number.
    pub(super) names_numbers: bool,
}

impl<'r> Reader<'r> {
    pub(super) fn new(lacking: &'r Lacking<'r>, line: &str) -> Self {
        // A name that stands in the line already means something else.
        let number = |name: &str| name.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse().ok();
        let last_name = line.split('X').skip(1).filter_map(number).filter(|&number: &usize| number < 1000).max();
        let (ids, known) = (Vec::new(), HashMap::new());
        let (parts, terms, names) = (Vec::new(), Vec::new(), Vec::new());
        Self { lacking, ids, known, parts, terms, names, last_name: last_name.unwrap_or(0), names_numbers: false }
    }

    pub(super) fn knows(&mut self, text: &str) -> bool {
        let source = self.lacking.source;
        source.encode(text, &mut self.ids);
        !self.ids.iter().any(|&id| self.lacking.lacks(id))
    }

    fn knows_character(&mut self, c: char) -> bool {
        if let Some(&known) = self.known.get(&c) {
            return known;
        }
        // An accent is known with a letter. ASCII, dashes and quotation marks are read well as bytes.
        let mut text = [0; 4];
        let text = c.encode_utf8(&mut text);
        let is_common =
            self.lacking.has_bytes && (c.is_ascii() || !c.is_alphanumeric() && folded(text, |_| false) != *text);
        let known = c.is_whitespace() || is_common || self.knows(text);
        self.known.insert(c, known);
        known
    }

    /// Whether the model reads a text as it is: the vocabulary has it, or bytes that are read well.
    fn reads(&mut self, text: &str) -> bool {
        self.knows(text) || self.lacking.has_bytes && text.chars().all(|c| self.knows_character(c))
    }

    /// The characters of a text that the vocabulary lacks, each once.
    pub(super) fn lacking(&mut self, text: &str) -> Vec<char> {
        let mut seen = HashSet::new();
        let lacking = text.chars().filter(|&c| !self.knows_character(c) && seen.insert(c));
        lacking.collect()
    }

    fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(LinePart::Text(last)) => last.push_str(text),
            _ => self.parts.push(LinePart::Text(text.to_owned())),
        }
    }

    /// Reads a line, in which these required terms and amounts of money stand as they are to be copied.
    pub(super) fn read(&mut self, line: &str, copies: &[Copy]) {
        let mut last = 0;
        for Copy { place, term, .. } in copies {
            if place.start < last {
                continue;
            }
            self.words(&line[last..place.start]);
            let text = &line[place.clone()];
            if self.knows(text) {
                self.push(text)
            } else {
                self.copy(text, *term)
            }
            last = place.end;
        }
        self.words(&line[last..]);
    }

    fn words(&mut self, text: &str) {
        for run in text.split_inclusive(char::is_whitespace) {
            let word = run.trim_end();
            if !self.knows(word) {
                self.word(word);
            } else {
                self.push(word);
            }
            self.push(&run[word.len()..]);
        }
    }

    /// Reads a word with characters that the vocabulary lacks.
    fn word(&mut self, word: &str) {
        if self.reads(word) {
            return self.push(word);
        }
        let folded = folded(word, |c| self.knows_character(c));
        if self.may_fold(word) && self.knows(&folded) {
            return self.push(&folded);
        }
        let mut rest = word;
        while !rest.is_empty() {
            let length = self.piece(rest);
            let (piece, after) = rest.split_at(length);
            rest = after;
            if self.reads(piece) {
                self.push(piece);
            } else if piece.contains(char::is_alphanumeric) {
                self.copy(piece, None);
            } else {
                self.carry(piece, !after.is_empty());
            }
        }
    }

    /// Whether other letters may stand for those of a word. Where the vocabulary writes characters as bytes, the
    /// translation should have names as they are.
    fn may_fold(&mut self, word: &str) -> bool {
        // `2½` is not 21/2.
        if word.chars().zip(word.chars().skip(1)).any(|(digit, c)| digit.is_ascii_digit() && is_fraction(c)) {
            return false;
        }
        let is_name = self.lacking.has_bytes && word.contains(char::is_uppercase);
        !is_name || word.chars().all(|c| !c.is_alphabetic() || self.knows_character(c))
    }

    /// The bytes of the first part of a word: letters and digits, with signs inside them and with unknown signs
    /// that touch digits; or known
    /// signs; or unknown ones.
    fn piece(&mut self, text: &str) -> usize {
        let kind = |reader: &mut Self, c: char| match c {
            c if c.is_alphanumeric() => 0,
            c if reader.knows_character(c) => 1,
            _ => 2,
        };
        let mut end = 0;
        let mut first = None;
        let mut characters = text.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let here = kind(self, c);
            let next = characters.peek().map(|&(_, next)| next);
            let touches_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
            let previous = text[..at].chars().next_back();
            let joins = match first {
                None => true,
                // Joiners, forms and colours belong to the sign before them.
                Some(_)
                    if is_combining_mark(c)
                        || matches!(c, '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}') =>
                {
                    true
                }
                Some(2) if previous == Some('\u{200d}') => true,
                Some(0) if here == 0 => true,
                // `1,000`, `don’t`, `500₹`.
                Some(0) if here == 1 => {
                    previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)
                }
                Some(0) => touches_digit(previous) && !next.is_some_and(char::is_alphabetic),
                // `₹500`.
                Some(2) if here == 0 => touches_digit(Some(c)) && end > 0,
                Some(kind) => kind == here,
            };
            if !joins {
                break;
            }
            first = match first {
                Some(2) if here == 0 => Some(0),
                Some(first) => Some(first),
                None => Some(here),
            };
            end = at + c.len_utf8();
        }
        end
    }

    /// A sign that stays next to its neighbours. One inside a word divides the word.
    fn carry(&mut self, sign: &str, goes_on: bool) {
        let joined = matches!(self.parts.last(), Some(LinePart::Text(text)) if !text.ends_with(char::is_whitespace));
        let divides = joined && goes_on;
        if divides {
            self.push(" ");
        }
        self.parts.push(LinePart::Marker(sign.to_owned()));
        if divides {
            self.push(" ");
        }
    }

    /// A word that is copied: the model reads its digits, or a name.
    fn copy(&mut self, word: &str, term: Option<usize>) {
        let digits: String = word.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
        let digits = digits.trim_matches(['.', ',']);
        let is_number = !self.names_numbers && !digits.is_empty() && !word.contains(char::is_alphabetic);
        let shown = if is_number && self.writes(digits) { digits.to_owned() } else { self.name() };
        if shown.is_empty() {
            return self.parts.push(LinePart::Marker(word.to_owned()));
        }
        self.terms.push(term);
        self.names.push(shown.clone());
        self.parts.push(LinePart::Copied { shown, written: word.to_owned() });
    }

    /// A name that the line does not have; empty if the vocabularies can not write one.
    fn name(&mut self) -> String {
        self.last_name += 1;
        let name = format!("X{}", self.last_name);
        if self.writes(&name) { name } else { String::new() }
    }

    /// Whether the model can read and write a text.
    fn writes(&mut self, text: &str) -> bool {
        let target = self.lacking.target;
        self.knows(text) && {
            target.encode(text, &mut self.ids);
            !self.ids.iter().any(|&id| target.is_unknown(id) || target.is_byte(id))
        }
    }
}

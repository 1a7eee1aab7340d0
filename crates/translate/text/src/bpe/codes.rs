//! BPE codes: which neighbours merge, and in which order.

use std::collections::HashMap;

use super::error::{BpeError, lines};

/// Marks the end of a word in the codes.
pub(super) const WORD_END: &str = "</w>";

/// The number of a symbol.
pub(super) type SymbolId = usize;

/// The merge of a pair of neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merge {
    /// The place among the merges: the smaller, the earlier.
    pub(super) rank: usize,
    /// The symbol that the pair becomes.
    pub(super) into: SymbolId,
}

/// The merges, and the symbols that occur in them.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    /// Version 0.1: the end of the word is a symbol of its own at first. In version 0.2 it is part
    /// of the last character's symbol.
    pub(super) separate_word_end: bool,
    symbols: Vec<String>,
    ids: HashMap<String, SymbolId>,
    merges: HashMap<(SymbolId, SymbolId), Merge>,
    /// The pair that a symbol is made of.
    parts: HashMap<SymbolId, (SymbolId, SymbolId)>,
}

impl Codes {
    /// Reads codes: a header `#version: 0.2` (without one, they are of version 0.1), then one pair
    /// per line, the most important first.
    pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Self, BpeError> {
        let header = match bytes.starts_with(b"#version:") {
            true => lines(bytes, file).next().transpose()?,
            false => None,
        };
        let mut codes = Self {
            separate_word_end: is_first_version(header, file)?,
            symbols: Vec::new(),
            ids: HashMap::new(),
            merges: HashMap::new(),
            parts: HashMap::new(),
        };
        let trailing = bytes.iter().rev().take_while(|&&b| b == b'\n').count();
        let bytes = &bytes[..bytes.len() - trailing];
        let mut pairs = Vec::new();
        for (i, line) in lines(bytes, file).enumerate().skip(usize::from(header.is_some())) {
            let line = line?.trim_matches([' ', '\r']);
            let pair = line.split_once(' ').filter(|(left, right)| !left.is_empty() && !right.contains(' '));
            let (left, right) = pair.ok_or_else(|| no_pair(file, i + 1, line))?;
            pairs.push((codes.intern(left), codes.intern(right)));
        }
        if pairs.is_empty() {
            return Err(no_pair(file, 1 + usize::from(header.is_some()), ""));
        }
        codes.index(&pairs);
        Ok(codes)
    }

    /// The first of equal pairs counts. If several pairs make one symbol, the pair whose last line comes first makes
    /// it: an order that the original's dictionaries happen to give.
    fn index(&mut self, pairs: &[(SymbolId, SymbolId)]) {
        for (rank, &pair) in pairs.iter().enumerate().rev() {
            let into = self.intern(&format!("{}{}", self.text(pair.0), self.text(pair.1)));
            if self.merges.insert(pair, Merge { rank, into }).is_none() {
                self.parts.insert(into, pair);
            }
        }
    }

    fn intern(&mut self, symbol: &str) -> SymbolId {
        if let Some(id) = self.id(symbol) {
            return id;
        }
        self.symbols.push(symbol.to_owned());
        self.ids.insert(symbol.to_owned(), self.symbols.len() - 1);
        self.symbols.len() - 1
    }

    /// The number of a symbol, or `None` if no merge knows it.
    pub(super) fn id(&self, symbol: &str) -> Option<SymbolId> {
        self.ids.get(symbol).copied()
    }

    pub(super) fn text(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol]
    }

    pub(super) fn merge(&self, left: SymbolId, right: SymbolId) -> Option<Merge> {
        self.merges.get(&(left, right)).copied()
    }

    /// The pair that `symbol` is made of, if it is not a single character.
    pub(super) fn parts(&self, symbol: &str) -> Option<(&str, &str)> {
        let &(left, right) = self.parts.get(&self.id(symbol)?)?;
        Some((self.text(left), self.text(right)))
    }
}

fn no_pair(file: &str, line: usize, got: &str) -> BpeError {
    BpeError::line(file, line, format!("expected two symbols with one space between, got `{got}`"))
}

fn is_first_version(header: Option<&str>, file: &str) -> Result<bool, BpeError> {
    let Some(header) = header else { return Ok(true) };
    // `0.2.0` is `0.2`.
    let mut version = header.split_whitespace().next_back().unwrap_or_default();
    while let Some(shorter) = version.trim_end_matches('0').strip_suffix('.')
        && version.ends_with('0')
    {
        version = shorter;
    }
    match version {
        "0.1" => Ok(true),
        "0.2" => Ok(false),
        _ => Err(BpeError::line(file, 1, format!("BPE codes of version 0.1 or 0.2 expected, got `{header}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &[u8]) -> String {
        Codes::parse(text, "codes").expect_err("invalid").to_string()
    }

    #[test]
    fn versions_are_distinguished() {
        let first = |text: &[u8]| Codes::parse(text, "codes").expect("valid").separate_word_end;
        assert!(first(b"a b\n") && first(b"#version: 0.1\na b"));
        assert!(!first(b"#version: 0.2\r\na b\r\n") && !first(b"#version: 0.2.0\na b"));
        assert!(error(b"#version: 0.3\na b").contains("line 1: BPE codes of version 0.1 or 0.2"));
    }

    #[test]
    fn errors_name_the_line() {
        assert!(error(b"#version: 0.2\na b\na\n").contains("codes, line 3: expected two symbols"));
        assert!(error(b"a b\n\nc d\n").contains("line 2"));
        assert!(error(b"a b c\n").contains("`a b c`"));
        assert!(error(b"a  b\n").contains("line 1"));
        assert!(error(b"").contains("line 1") && error(b"\n").contains("line 1"));
        assert!(error(b"#version: 0.2\n").contains("line 2"));
        assert!(error(b"a b\n\xff c\n").contains("line 2: the text is not UTF-8"));
    }

    #[test]
    fn the_first_of_equal_pairs_counts() {
        let codes = Codes::parse(b"a b\nb c\na b\n", "codes").expect("valid");
        let id = |symbol| codes.id(symbol).expect("known");
        assert_eq!(codes.merge(id("a"), id("b")).expect("merges").rank, 0);
        assert_eq!(codes.parts("bc"), Some(("b", "c")));
        assert_eq!(codes.parts("a"), None);
    }
}

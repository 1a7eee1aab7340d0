//! Terms in a source, for models that learn to take them from there: a term of the source stands between two marks,
//! with its translation after it, as in `the <begin> house <middle> Gebäude <end> is old`.
//!
//! In training text the marks are the control characters U+0001, U+0002 and U+0003, and a line whose source a model
//! wrote begins with U+0004. A vocabulary has pieces in their place.

use crate::vocab::Vocabulary;
use metaphrase_base::WordId;
use std::ops::Range;

/// The words of a vocabulary that mark terms.
#[derive(Debug, Clone, Copy)]
pub struct TermMarks {
    begin: WordId,
    middle: WordId,
    end: WordId,
}

/// A source with terms in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedSource {
    /// The words, the end of sentence included.
    pub words: Vec<WordId>,
    /// By word: the number of the source word that it stands for. Marks and translations stand for the term's first
    /// word.
    pub columns: Vec<usize>,
}

impl TermMarks {
    /// The marks with these names, which stand before a term, before its translation and after it; `None` if the
    /// vocabulary lacks one.
    #[must_use]
    pub fn new(names: &[String; 3], source: &Vocabulary) -> Option<Self> {
        let [begin, middle, end] = names.each_ref().map(|mark| source.id(mark));
        Some(Self { begin: begin?, middle: middle?, end: end? })
    }

    /// The words of a source with terms: the places of their source words, in order and apart, and their translations.
    #[must_use]
    pub fn insert(self, words: &[WordId], terms: &[(Range<usize>, Vec<WordId>)]) -> MarkedSource {
        let mut marked = MarkedSource { words: Vec::new(), columns: Vec::new() };
        let mut next = 0;
        for (place, translation) in terms {
            marked.extend(&words[next..place.start], next..place.start);
            marked.push(self.begin, place.start);
            marked.extend(&words[place.clone()], place.clone());
            marked.push(self.middle, place.start);
            for &word in translation {
                marked.push(word, place.start);
            }
            marked.push(self.end, place.start);
            next = place.end;
        }
        marked.extend(&words[next..], next..words.len());
        marked
    }
}

impl MarkedSource {
    /// A source without terms.
    #[must_use]
    pub fn plain(words: &[WordId]) -> Self {
        Self { words: words.to_vec(), columns: (0..words.len()).collect() }
    }

    /// The words as the model reads them, between the words that choose languages, which stand for the first and the
    /// last word of the source; and the columns, if the words are not those of the source.
    #[must_use]
    pub fn read_between(mut self, before: Option<WordId>, after: Option<WordId>) -> (Vec<WordId>, Option<Vec<usize>>) {
        if let Some(word) = before {
            self.words.insert(0, word);
            self.columns.insert(0, 0);
        }
        if let Some(word) = after {
            let last = self.columns.last().copied().unwrap_or(0);
            self.push(word, last);
        }
        let is_source = self.columns.iter().enumerate().all(|(at, column)| at == *column);
        (self.words, (!is_source).then_some(self.columns))
    }

    fn push(&mut self, word: WordId, column: usize) {
        self.words.push(word);
        self.columns.push(column);
    }

    fn extend(&mut self, words: &[WordId], columns: Range<usize>) {
        self.words.extend_from_slice(words);
        self.columns.extend(columns);
    }
}

/// A line of training text with its terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedText {
    /// The line without marks and translations.
    pub text: String,
    /// The bytes of each term in the text and its translation, in order and apart.
    pub terms: Vec<(Range<usize>, String)>,
    /// Whether a model wrote the text.
    pub by_model: bool,
}

/// A line whose marks do not stand in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the marks of terms are not in order: expected U+0001, a term, U+0002, its translation, U+0003")]
pub struct MarkedTextError;

impl MarkedText {
    const BEGIN: char = '\u{1}';
    const MIDDLE: char = '\u{2}';
    const END: char = '\u{3}';
    const BY_MODEL: char = '\u{4}';

    /// Whether a line has marks.
    #[must_use]
    pub fn has_marks(line: &str) -> bool {
        line.bytes().any(|byte| (1..=4).contains(&byte))
    }

    /// Reads a line.
    ///
    /// # Errors
    /// If the marks are not in their order.
    pub fn parse(line: &str) -> Result<Self, MarkedTextError> {
        let by_model = line.starts_with(Self::BY_MODEL);
        let mut marked = Self { by_model, ..Self::default() };
        let mut rest = line.strip_prefix(Self::BY_MODEL).unwrap_or(line);
        while let Some((before, after)) = rest.split_once(Self::BEGIN) {
            let (term, after) = after.split_once(Self::MIDDLE).ok_or(MarkedTextError)?;
            let (translation, after) = after.split_once(Self::END).ok_or(MarkedTextError)?;
            if term.is_empty() || [before, term, translation].into_iter().any(Self::has_marks) {
                return Err(MarkedTextError);
            }
            marked.text.push_str(before);
            let first = marked.text.len();
            marked.text.push_str(term);
            marked.terms.push((first..marked.text.len(), translation.to_owned()));
            rest = after;
        }
        if Self::has_marks(rest) {
            return Err(MarkedTextError);
        }
        marked.text.push_str(rest);
        Ok(marked)
    }

    /// A line, with terms or without, that a model wrote.
    #[must_use]
    pub fn tagged(line: &str) -> String {
        format!("{}{line}", Self::BY_MODEL)
    }

    /// Writes the line.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = String::with_capacity(self.text.len() + 32);
        line.extend(self.by_model.then_some(Self::BY_MODEL));
        let mut next = 0;
        for (place, translation) in &self.terms {
            line.push_str(&self.text[next..place.start]);
            line.push(Self::BEGIN);
            line.push_str(&self.text[place.clone()]);
            line.push(Self::MIDDLE);
            line.push_str(translation);
            line.push(Self::END);
            next = place.end;
        }
        line.push_str(&self.text[next..]);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let terms = vec![(4..9, "Gebäude".to_owned()), (13..16, String::new())];
        let marked = MarkedText { text: "The house is old.".into(), terms, by_model: true };
        let line = marked.line();
        assert_eq!(line, "\u{4}The \u{1}house\u{2}Gebäude\u{3} is \u{1}old\u{2}\u{3}.");
        assert!(MarkedText::has_marks(&line) && !MarkedText::has_marks("The house"));
        assert_eq!(MarkedText::parse(&line), Ok(marked));
        for wrong in ["a\u{1}b", "a\u{2}b", "a\u{1}b\u{2}c", "\u{1}\u{2}c\u{3}", "a\u{4}", "\u{1}a\u{1}b\u{2}c\u{3}"] {
            assert_eq!(MarkedText::parse(wrong), Err(MarkedTextError), "{wrong:?}");
        }
    }

    #[test]
    fn terms_stand_between_their_marks() {
        let ids = |ids: &[u32]| ids.iter().map(|&id| WordId(id)).collect::<Vec<_>>();
        let [begin, middle, end] = [WordId(91), WordId(92), WordId(93)];
        let marked = TermMarks { begin, middle, end }.insert(&ids(&[5, 6, 7, 0]), &[(1..3, ids(&[8]))]);
        assert_eq!(marked.words, ids(&[5, 91, 6, 7, 92, 8, 93, 0]));
        assert_eq!(marked.columns, [0, 1, 1, 2, 1, 1, 1, 3]);
    }
}

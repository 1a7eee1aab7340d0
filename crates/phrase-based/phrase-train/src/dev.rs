//! The text that weights are tuned on.

use crate::error::Error;
use crate::record::checksum_of_lines;

/// Source sentences and one or more translations of each by people, tokenised as the model's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevSet {
    source: Vec<String>,
    /// `references × sentences`.
    references: Vec<Vec<String>>,
}

impl DevSet {
    /// A development set from its lines. Sentences without words, in the source or in all references, are left out.
    ///
    /// # Errors
    /// Texts of different lengths, or without words.
    pub fn new(source: Vec<String>, references: Vec<Vec<String>>) -> Result<Self, Error> {
        let source_lines = source.len();
        for (reference, lines) in references.iter().enumerate() {
            if lines.len() != source_lines {
                return Err(Error::DevLines { source_lines, reference: reference + 1, reference_lines: lines.len() });
            }
        }
        let has_words = |line: &String| !line.trim_ascii().is_empty();
        let kept: Vec<bool> = (0..source_lines)
            .map(|at| has_words(&source[at]) && references.iter().any(|r| has_words(&r[at])))
            .collect();
        if !kept.contains(&true) {
            return Err(Error::NoDev);
        }
        let keep = |lines: Vec<String>| {
            lines.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| line).collect::<Vec<_>>()
        };
        Ok(Self { source: keep(source), references: references.into_iter().map(keep).collect() })
    }

    /// Number of sentences.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a sentence")]
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// A checksum of all sentences.
    pub(crate) fn checksum(&self) -> u64 {
        let text = |lines: &[String]| checksum_of_lines(lines.iter().map(|line| format!("{line}\n")));
        let texts = [&self.source].into_iter().chain(&self.references).map(|lines| text(lines));
        checksum_of_lines(texts.map(|sum| format!("{sum:016x}\n")))
    }

    /// The words of a source sentence, counted from 0.
    pub(crate) fn source(&self, sentence: usize) -> Vec<&str> {
        self.source[sentence].split_ascii_whitespace().collect()
    }

    /// The translations of a sentence.
    pub(crate) fn references(&self, sentence: usize) -> Vec<&str> {
        self.references.iter().map(|lines| lines[sentence].as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn sentences_without_words_are_left_out() {
        let dev = DevSet::new(lines(&["a b", " ", "c", "d"]), vec![lines(&["A B", "x", "", "D"])]).unwrap();
        assert_eq!(dev.len(), 2);
        assert_eq!((dev.source(0), dev.references(1)), (vec!["a", "b"], vec!["D"]));
    }

    #[test]
    fn each_text_counts_for_the_checksum() {
        let sum = |source: &[&str], references: &[&[&str]]| {
            let references = references.iter().map(|text| lines(text)).collect();
            DevSet::new(lines(source), references).unwrap().checksum()
        };
        let one = sum(&["a", "b"], &[&["A", "B"]]);
        assert_eq!(one, sum(&["a", "b"], &[&["A", "B"]]));
        for other in [
            sum(&["a", "c"], &[&["A", "B"]]),
            sum(&["b", "a"], &[&["B", "A"]]),
            sum(&["a", "b"], &[&["A", "C"]]),
            sum(&["a", "b"], &[&["A", "B"], &["A", "B"]]),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn what_can_not_be_tuned_on_is_refused() {
        let message = |source: &[&str], reference: &[&str]| {
            DevSet::new(lines(source), vec![lines(reference)]).unwrap_err().to_string()
        };
        assert_eq!(
            message(&["a", "b"], &["A"]),
            "the development set has 2 source lines and 1 lines in reference 1; line n of each has to be the same sentence"
        );
        assert!(message(&["a", ""], &["", "B"]).starts_with("the development set has no line with words"));
        assert!(message(&[], &[]).starts_with("the development set has no line with words"));
    }
}

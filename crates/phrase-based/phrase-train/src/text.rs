//! The target side of a corpus as text again, for the language model.

use crate::record::checksum_of_lines;
use metaphrase_align::{Corpus, Pair, Words};
use metaphrase_base::WordId;
use std::io::{self, BufRead, Read};

/// The target sentences of a corpus, a line each.
pub(crate) struct TargetText<'a> {
    corpus: &'a Corpus,
    /// The next sentence.
    next: usize,
    line: String,
    /// Bytes of the line that were read.
    read: usize,
}

impl<'a> TargetText<'a> {
    /// From the first sentence on.
    pub(crate) fn new(corpus: &'a Corpus) -> Self {
        Self { corpus, next: 0, line: String::new(), read: 0 }
    }

    fn next_line(&mut self) {
        (self.read, self.next) = (0, self.next + 1);
        self.line.clear();
        for (at, &word) in self.corpus.pair(self.next - 1).target.iter().enumerate() {
            if at > 0 {
                self.line.push(' ');
            }
            self.line += self.corpus.target_words().text(word);
        }
        self.line.push('\n');
    }
}

impl BufRead for TargetText<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.line.len() {
            if self.next == self.corpus.len() {
                return Ok(&[]);
            }
            self.next_line();
        }
        Ok(&self.line.as_bytes()[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}

impl Read for TargetText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// The checksum of the source sentences of a corpus.
pub(crate) fn source_checksum(corpus: &Corpus) -> u64 {
    checksum_of(corpus, corpus.source_words(), |pair| pair.source)
}

/// The checksum of its target sentences.
pub(crate) fn target_checksum(corpus: &Corpus) -> u64 {
    checksum_of(corpus, corpus.target_words(), |pair| pair.target)
}

fn checksum_of<'c>(corpus: &'c Corpus, words: &Words, side: impl Fn(Pair<'c>) -> &'c [WordId]) -> u64 {
    let line = |at| side(corpus.pair(at)).iter().map(|&word| words.text(word)).collect::<Vec<_>>().join(" ") + "\n";
    checksum_of_lines((0..corpus.len()).map(line))
}

/// The same sentences in lower case: words are aligned better if `Haus` and `haus` are one.
pub(crate) fn lowercased(corpus: &Corpus) -> Corpus {
    let lower = |words: &Words| -> Vec<String> {
        // A letter never becomes a space, so that words stay words.
        (0..words.len()).map(|id| words.text(WordId::new(id)).to_lowercase()).collect()
    };
    let texts = [lower(corpus.source_words()), lower(corpus.target_words())];
    let mut lowercased = Corpus::default();
    for at in 0..corpus.len() {
        let pair = corpus.pair(at);
        let [source, target] = [(pair.source, &texts[0]), (pair.target, &texts[1])]
            .map(|(words, texts)| words.iter().map(|word| texts[word.index()].as_str()).collect::<Vec<_>>().join(" "));
        lowercased.push(&source, &target);
    }
    lowercased
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let mut corpus = Corpus::default();
        corpus.push("Das  Haus", "The house");
        corpus.push("nur", "");
        corpus.push("das Haus", "the   House !");
        corpus
    }

    #[test]
    fn target_text_is_what_was_put_in() {
        let mut text = String::new();
        TargetText::new(&corpus()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "The house\n\nthe House !\n");
        assert_eq!(TargetText::new(&corpus()).lines().count(), 3);
    }

    #[test]
    fn each_side_has_a_checksum() {
        let sums = |corpus: &Corpus| [source_checksum(corpus), target_checksum(corpus)];
        let (mut other, [source, target]) = (corpus(), sums(&corpus()));
        other.push("", "");
        assert!(sums(&other)[0] != source && sums(&other)[1] != target);
        let mut spaces = Corpus::default();
        for (source, target) in [("Das Haus", "The house"), ("nur", ""), ("das Haus", "the house ?")] {
            spaces.push(source, target);
        }
        assert_eq!(sums(&spaces)[0], source, "the number of spaces is nothing");
        assert_ne!(sums(&spaces)[1], target);
    }

    #[test]
    fn lower_case_keeps_positions() {
        let lower = lowercased(&corpus());
        assert_eq!((lower.len(), lower.source_words().len(), lower.target_words().len()), (3, 3, 3));
        assert_eq!(lower.pair(0).source, lower.pair(2).source);
    }
}

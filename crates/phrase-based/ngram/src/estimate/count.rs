//! From text to counts of n-grams.

use super::record::Key;
use super::sort::{MergedRecords, Room, Sorter};
use crate::vocabulary::{BEGIN, END, Vocabulary};
use crate::{LmError, MAX_ORDER};
use metaphrase_base::{LONGEST_LINE, read_line};
use std::io::BufRead;
use std::path::Path;

/// Counts of a text.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) vocabulary: Vocabulary,
    /// The n-grams that end at each word, last word first, and how often each occurs. A sentence has `order` − 1 times
    /// `<s>` before it.
    pub(crate) ngrams: MergedRecords,
    pub(crate) words: u64,
    pub(crate) sentences: u64,
}

/// Counts the n-grams of `order` words of a text with a sentence per line, words between white space.
pub(crate) fn count(
    text: &mut dyn BufRead,
    name: &Path,
    order: usize,
    skip: bool,
    room: &Room,
) -> Result<Counts, LmError> {
    let mut counter = Counter { order, vocabulary: Vocabulary::default(), sorter: Sorter::adding_up(room), words: 0 };
    let mut sentences = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(text, &mut line).map_err(|e| LmError::io(name, "read", e))? {
            None => break,
            Some(read) if read.cut => {
                let problem = format!("the line has more than {LONGEST_LINE} bytes; put a sentence on each line");
                return Err(LmError::line(name, sentences + 1, problem));
            }
            Some(_) => sentences += 1,
        }
        let line = str::from_utf8(&line).map_err(|_| LmError::line(name, sentences, "the line is not UTF-8"))?;
        counter.sentence(line, skip, |problem| LmError::line(name, sentences, problem))?;
    }
    if counter.words == 0 {
        return Err(LmError::model(name, "the text has no words to estimate a model from"));
    }
    let Counter { vocabulary, sorter, words, .. } = counter;
    Ok(Counts { vocabulary, ngrams: sorter.finish()?, words, sentences })
}

struct Counter {
    order: usize,
    vocabulary: Vocabulary,
    sorter: Sorter,
    words: u64,
}

impl Counter {
    /// Counts the n-grams of a line; `refuse` makes the error of a problem in the line.
    fn sentence(&mut self, line: &str, skip: bool, refuse: impl Fn(String) -> LmError) -> Result<(), LmError> {
        let mut window = [BEGIN.0; MAX_ORDER];
        for word in line.split([' ', '\t', '\r', '\n', '\0']).filter(|word| !word.is_empty()) {
            if matches!(word, "<s>" | "</s>" | "<unk>" | "<UNK>") {
                if skip {
                    continue;
                }
                return Err(refuse(format!(
                    "the word {word} has a meaning of its own in language models: remove it, or skip such words (`skip_symbols`)"
                )));
            }
            if self.vocabulary.len() == u32::MAX as usize {
                return Err(refuse("the text has more than 2^32 different words".into()));
            }
            let id = self.vocabulary.insert(word).0;
            self.words += 1;
            self.push(&mut window, id)?;
        }
        self.push(&mut window, END.0)
    }

    /// Moves on by a word; the window's first word is the last one.
    fn push(&mut self, window: &mut [u32; MAX_ORDER], word: u32) -> Result<(), LmError> {
        window.rotate_right(1);
        window[0] = word;
        self.sorter.push(Key::new(window[..self.order].iter().copied()), 1)
    }
}

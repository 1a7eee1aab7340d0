//! The pieces that a unigram model starts from: the strings that occur more than once.
//!
//! All suffixes of all words are sorted; each run of suffixes with a common start is a string with its frequency. Of
//! strings that are always together only the longest is there (the inner nodes of the suffix tree).

use super::TrainError as Error;
use super::corpus::Corpus;
use super::shape::Shape;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Stands for the end of a word among the characters' numbers, which start at 1.
const END: u32 = 0;

/// A string of the text, where it is there once: characters `start..start + length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Substring {
    start: u32,
    length: u32,
    frequency: u64,
}

/// Strings and scores (frequency times length): each character, and the `size` strings of the best scores that may
/// be pieces, best first.
pub(super) fn seeds(corpus: &Corpus, shape: &Shape, size: usize) -> Result<Vec<(Box<str>, f64)>, Error> {
    let text = Text::new(corpus)?;
    let classes: Vec<_> = corpus.characters.iter().map(|&(c, _)| shape.class(c)).collect();
    let mut found = Vec::new();
    text.for_each_repeated(shape.max_length(), |string| {
        let characters = text.characters(string).iter();
        if string.length > 1 && shape.allows(characters.map(|&c| classes[c as usize - 1])) {
            found.push(string);
        }
    });
    // Equal scores stay in the order of the text.
    found.sort_by_key(|string| Reverse(string.frequency * u64::from(string.length)));
    found.truncate(size);
    let of = |&c: &u32| corpus.characters[c as usize - 1].0;
    let characters = corpus.characters.iter().map(|&(c, count)| (c.to_string().into(), count as f64));
    let strings = found.iter().map(|&string| {
        let score = string.frequency as f64 * f64::from(string.length);
        (text.characters(string).iter().map(of).collect::<String>().into(), score)
    });
    Ok(characters.chain(strings).collect())
}

/// All words, one after the other.
struct Text {
    /// Numbers of characters, and [`END`] after each word.
    characters: Vec<u32>,
    /// Which word each character is in.
    words: Vec<u32>,
    counts: Vec<u64>,
}

impl Text {
    fn new(corpus: &Corpus) -> Result<Self, Error> {
        let numbers: HashMap<char, u32> = (1u32..).zip(&corpus.characters).map(|(i, &(c, _))| (c, i)).collect();
        let mut text = Self { characters: Vec::new(), words: Vec::new(), counts: Vec::new() };
        for (i, word) in corpus.words.iter().enumerate() {
            text.characters.extend(word.text.chars().filter_map(|c| numbers.get(&c)));
            text.characters.push(END);
            text.words.resize(text.characters.len(), i as u32);
            text.counts.push(word.count);
        }
        match u32::try_from(text.characters.len()) {
            Ok(_) => Ok(text),
            Err(_) => Err(Error::TooMuchText),
        }
    }

    fn characters(&self, string: Substring) -> &[u32] {
        &self.characters[string.start as usize..][..string.length as usize]
    }

    /// Calls `found` for strings of up to `max_length` characters that are there at least twice.
    fn for_each_repeated(&self, max_length: usize, mut found: impl FnMut(Substring)) {
        // One more than the longest, to distinguish a longest string from the start of a longer one.
        let reach = max_length + 1;
        let suffix = |start: u32| {
            let rest = &self.characters[start as usize..];
            &rest[..rest.len().min(reach)]
        };
        let starts = 0..self.characters.len() as u32;
        let mut suffixes: Vec<u32> = starts.filter(|&start| self.characters[start as usize] != END).collect();
        suffixes.sort_unstable_by(|&a, &b| suffix(a).cmp(suffix(b)));

        // The strings that the suffix in hand starts with, shortest first: length, and the count of all suffixes
        // before the first that starts with it.
        let mut open: Vec<(usize, u64)> = Vec::new();
        let mut count = 0;
        for (i, &start) in suffixes.iter().enumerate() {
            let (common, length) = match i.checked_sub(1) {
                Some(before) => common_start(suffix(suffixes[before]), suffix(start)),
                None => (0, until_end(suffix(start))),
            };
            let mut since = count;
            while let Some((longer, first)) = open.pop_if(|(length, _)| *length > common) {
                since = first;
                self.emit(suffixes[i - 1], longer, count - first, max_length, &mut found);
            }
            if open.last().map_or(0, |&(length, _)| length) < common {
                open.push((common, since));
            }
            if length > common {
                open.push((length, count));
            }
            count += self.counts[self.words[start as usize] as usize];
        }
        while let Some((length, first)) = open.pop() {
            self.emit(suffixes[suffixes.len() - 1], length, count - first, max_length, &mut found);
        }
    }

    fn emit(&self, start: u32, length: usize, frequency: u64, max_length: usize, found: &mut impl FnMut(Substring)) {
        if length <= max_length && frequency > 1 {
            found(Substring { start, length: length as u32, frequency });
        }
    }
}

/// How many characters two suffixes share, and how long the second is, both up to the end of the word.
fn common_start(a: &[u32], b: &[u32]) -> (usize, usize) {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b && **a != END).count();
    (common, until_end(b))
}

fn until_end(suffix: &[u32]) -> usize {
    suffix.iter().position(|&c| c == END).unwrap_or(suffix.len())
}

#[cfg(test)]
mod tests {
    use super::super::TrainOptions;
    use super::super::corpus::Word;
    use super::*;

    fn corpus(words: &[(&str, u64)]) -> Corpus {
        let mut counts: HashMap<char, u64> = HashMap::new();
        for (word, count) in words {
            word.chars().for_each(|c| *counts.entry(c).or_default() += count);
        }
        let mut characters: Vec<_> = counts.into_iter().collect();
        characters.sort_unstable_by_key(|&(c, count)| (Reverse(count), c));
        let words = words.iter().map(|&(text, count)| Word { text: text.into(), count }).collect();
        Corpus { words, characters, lines: 0, long_lines: 0, coverage: 1.0 }
    }

    /// Strings that are there twice and are not always followed by the same character of the same word, by brute
    /// force.
    fn brute_force(words: &[(&str, u64)], max_length: usize) -> HashMap<String, u64> {
        let mut frequency: HashMap<String, (u64, std::collections::HashSet<String>)> = HashMap::new();
        for (i, (word, count)) in words.iter().enumerate() {
            let chars: Vec<char> = word.chars().collect();
            for start in 0..chars.len() {
                for end in start + 1..=chars.len() {
                    let entry = frequency.entry(chars[start..end].iter().collect()).or_default();
                    entry.0 += count;
                    // An end of a word is like no other, not even like that of the same word elsewhere.
                    let next = chars.get(end).map_or(format!("end {i}"), char::to_string);
                    if *count > 1 && end == chars.len() {
                        entry.1.insert(format!("again {i}"));
                    }
                    entry.1.insert(next);
                }
            }
        }
        let good = |text: &str| (2..=max_length).contains(&text.chars().count());
        (frequency.into_iter())
            .filter(|(text, (count, next))| *count > 1 && next.len() > 1 && good(text))
            .map(|(text, (count, _))| (text, count))
            .collect()
    }

    #[test]
    fn seeds_are_the_repeated_strings() {
        let words = [("banana", 3), ("ananas", 1), ("bandana", 2), ("nab", 1), ("aaaa", 2), ("aaa", 1), ("b", 5)];
        for max_length in [2, 3, 5, 16] {
            let options = TrainOptions { max_piece_length: max_length, ..TrainOptions::default() };
            let found = seeds(&corpus(&words), &Shape::new(&options), 1000).unwrap();
            let found: HashMap<String, f64> = found
                .into_iter()
                .filter(|(text, _)| text.len() > 1)
                .map(|(text, score)| (text.into(), score))
                .collect();
            let expected: HashMap<String, f64> = brute_force(&words, max_length)
                .into_iter()
                .map(|(text, count)| (text.clone(), (count * text.len() as u64) as f64))
                .collect();
            assert_eq!(found, expected, "{max_length}");
        }
    }
}

//! The text to train on: normalised, cut into words, counted.

use super::super::bpe::word_end;
use super::super::double_array::DoubleArray;
use super::super::file::{Kind, NormalizerSpec};
use super::super::normalizer::Normalizer;
use super::specials::Specials;
use super::{Sample, TrainError as Error, TrainOptions};
use std::collections::{HashMap, HashSet};

/// A string without blanks inside and how often it is in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: Box<str>,
    pub(super) count: u64,
}

/// The text as training sees it: words made of the characters that get a piece.
#[derive(Debug)]
pub(super) struct Corpus {
    /// The most frequent first. A word that has a character without a piece, or a special piece, counts as the
    /// parts around it.
    pub(super) words: Vec<Word>,
    /// Characters that get a piece, and how often they are there; the most frequent first.
    pub(super) characters: Vec<(char, u64)>,
    /// All lines that were offered.
    pub(super) lines: usize,
    /// Lines that were too long.
    pub(super) long_lines: usize,
    /// Share of the characters that have a piece.
    pub(super) coverage: f64,
}

impl Corpus {
    pub(super) fn read<S: AsRef<str>>(
        lines: impl IntoIterator<Item = S>,
        options: &TrainOptions,
        charsmap: &[u8],
        specials: &Specials,
    ) -> Result<Self, Error> {
        let mut counter = Counter::new(options, charsmap, specials)?;
        let mut sample = options.sample.map(Reservoir::new);
        let (mut count, mut long_lines) = (0, 0);
        for line in lines {
            let line = line.as_ref();
            count += 1;
            if line.len() > options.max_line_length {
                long_lines += 1;
            } else if let Some(sample) = &mut sample {
                sample.offer(line);
            } else {
                counter.add(line);
            }
        }
        for line in sample.iter().flat_map(|sample| &sample.lines) {
            counter.add(line);
        }
        let mut corpus = Self::new(counter.words, options.character_coverage);
        (corpus.lines, corpus.long_lines) = (count, long_lines);
        if corpus.words.is_empty() {
            return Err(Error::NoText { lines: count, max_line_length: options.max_line_length });
        }
        Ok(corpus)
    }

    /// Keeps the characters that cover enough of `words`.
    fn new(words: HashMap<Box<str>, u64>, coverage: f64) -> Self {
        let mut counts: HashMap<char, u64> = HashMap::new();
        for (word, count) in &words {
            for c in word.chars() {
                *counts.entry(c).or_default() += count;
            }
        }
        let all: u64 = counts.values().sum();
        let mut characters: Vec<(char, u64)> = counts.into_iter().collect();
        characters.sort_unstable_by_key(|&(c, count)| (std::cmp::Reverse(count), c));
        let mut covered = 0;
        let needed = characters.iter().take_while(|(_, count)| {
            let more = (covered as f64) < coverage * all as f64;
            covered += if more { count } else { &0 };
            more
        });
        let needed = needed.count();
        let rare: HashSet<char> = characters.drain(needed..).map(|(c, _)| c).collect();
        let covered_share = if all == 0 { 1.0 } else { covered as f64 / all as f64 };
        Self { words: cut_at(words, &rare), characters, lines: 0, long_lines: 0, coverage: covered_share }
    }

    /// Words of the text; the parts around a rare character count one by one.
    pub(super) fn word_count(&self) -> u64 {
        self.words.iter().map(|word| word.count).sum()
    }

    pub(super) fn character_count(&self) -> u64 {
        self.characters.iter().map(|(_, count)| count).sum()
    }
}

/// The parts of `words` around characters of `rare`, the most frequent first.
fn cut_at(words: HashMap<Box<str>, u64>, rare: &HashSet<char>) -> Vec<Word> {
    let mut parts: HashMap<Box<str>, u64> = HashMap::with_capacity(words.len());
    for (word, count) in words {
        if word.contains(|c| rare.contains(&c)) {
            for part in word.split(|c| rare.contains(&c)).filter(|part| !part.is_empty()) {
                *parts.entry(part.into()).or_default() += count;
            }
        } else {
            *parts.entry(word).or_default() += count;
        }
    }
    let mut words: Vec<Word> = parts.into_iter().map(|(text, count)| Word { text, count }).collect();
    words.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    words
}

/// Counts the words of lines.
struct Counter {
    normalizer: Normalizer,
    user_defined: Option<DoubleArray>,
    /// All special pieces: the text around them is learnt from, they are not.
    special: DoubleArray,
    words: HashMap<Box<str>, u64>,
    normalized: Vec<u8>,
}

impl Counter {
    fn new(options: &TrainOptions, charsmap: &[u8], specials: &Specials) -> Result<Self, Error> {
        let index = |wanted: &dyn Fn(Kind) -> bool| {
            let mut keys: Vec<_> = specials.iter().filter(|&(_, kind)| wanted(kind)).collect();
            keys.sort_unstable_by_key(|&(text, _)| text);
            let keys: Vec<(&[u8], u32)> = keys.iter().map(|(text, _)| (text.as_bytes(), 0)).collect();
            DoubleArray::build(&keys).ok_or(Error::Format("the index of special pieces"))
        };
        let user_defined = match options.user_defined_symbols.is_empty() {
            true => None,
            false => Some(index(&|kind| kind == Kind::UserDefined)?),
        };
        let spec = NormalizerSpec { charsmap, ..NormalizerSpec::default() };
        let normalizer = Normalizer::new(&spec, false, user_defined.as_ref());
        Ok(Self {
            normalizer: normalizer.map_err(|_| Error::Format("the normalisation table"))?,
            user_defined,
            special: index(&|_| true)?,
            words: HashMap::new(),
            normalized: Vec::new(),
        })
    }

    fn add(&mut self, line: &str) {
        self.normalizer.normalize(line.as_bytes(), self.user_defined.as_ref(), &mut self.normalized);
        // A zero byte can not be part of a piece.
        for text in self.normalized.split(|&byte| byte == 0) {
            let mut start = 0;
            let mut at = 0;
            while at < text.len() {
                match self.special.longest_prefix(&text[at..]) {
                    Some((length, _)) => {
                        count_words(&text[start..at], &mut self.words);
                        at += length;
                        start = at;
                    }
                    None => at += 1,
                }
            }
            count_words(&text[start..], &mut self.words);
        }
    }
}

fn count_words(text: &[u8], words: &mut HashMap<Box<str>, u64>) {
    let mut start = 0;
    while start < text.len() {
        let end = word_end(text, start);
        // Normalised text is UTF-8, and special pieces and marks are whole characters.
        if let Ok(word) = str::from_utf8(&text[start..end]) {
            match words.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    words.insert(word.into(), 1);
                }
            }
        }
        start = end;
    }
}

/// Lines drawn with equal chances in one pass (Vitter 1985, algorithm R).
struct Reservoir {
    lines: Vec<Box<str>>,
    size: usize,
    offered: u64,
    state: u64,
}

impl Reservoir {
    fn new(sample: Sample) -> Self {
        Self { lines: Vec::new(), size: sample.lines, offered: 0, state: sample.seed }
    }

    fn offer(&mut self, line: &str) {
        self.offered += 1;
        if self.lines.len() < self.size {
            self.lines.push(line.into());
            return;
        }
        // The high half of the product is below `offered`, with equal chances but for 2^-64 of them.
        let place = (u128::from(self.random()) * u128::from(self.offered)) >> 64;
        if let Some(line_there) = self.lines.get_mut(place as usize) {
            *line_there = line.into();
        }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str], options: &TrainOptions) -> Corpus {
        let specials = Specials::new(options).unwrap();
        Corpus::read(lines, options, &[], &specials).unwrap()
    }

    fn word(text: &str, count: u64) -> Word {
        Word { text: text.into(), count }
    }

    #[test]
    fn words_are_counted_around_rare_characters_and_special_pieces() {
        let options = TrainOptions {
            // 51 of the 52 characters: the ☃ is one too many.
            character_coverage: 0.98,
            user_defined_symbols: vec!["<x>".into()],
            ..TrainOptions::default()
        };
        let long = "y".repeat(43);
        let corpus = read(&["aa☃b  aa<x>b", "</s>", &long, &"z ".repeat(3000)], &options);
        let expected = [word("b", 2), word("▁aa", 2), word("▁", 1), word(&format!("▁{long}"), 1)];
        assert_eq!(corpus.words, expected);
        assert_eq!((corpus.lines, corpus.long_lines), (4, 1));
    }

    #[test]
    fn a_sample_has_its_size_and_depends_on_the_seed() {
        let lines: Vec<String> = (0..1000).map(|i| format!("w{i}")).collect();
        let sample = |seed| {
            let mut reservoir = Reservoir::new(Sample { lines: 100, seed });
            lines.iter().for_each(|line| reservoir.offer(line));
            reservoir.lines
        };
        let first = sample(1);
        assert_eq!((first.len(), first == sample(1), first == sample(2)), (100, true, false));
        // The mean place of 100 out of 1000 is 500 with a deviation of 27.
        let mean = first.iter().map(|line| line[1..].parse::<f64>().unwrap()).sum::<f64>() / 100.0;
        assert!((400.0..600.0).contains(&mean), "{mean}");
    }
}

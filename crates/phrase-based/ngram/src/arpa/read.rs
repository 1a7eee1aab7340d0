//! Reads ARPA files.

use super::lines::NumberedLines;
use crate::build::{BuildFailure, Builder};
use crate::ngrams::NGrams;
use crate::vocabulary::{BEGIN, END, UNKNOWN, Vocabulary, Words};
use crate::{LmError, MAX_ORDER, Model, WordId};
use std::fs::File;
use std::io::BufRead;
use std::path::Path;

/// Lines whose words are looked up together.
const BATCH: usize = 256;

/// log10 probability of `<unk>` in a model without it, as KenLM has it.
const MISSING_UNKNOWN: f32 = -100.0;

/// Reads an ARPA file, plain or gzip.
///
/// # Errors
/// If the file can not be read or a line is not as the format prescribes.
pub fn read(path: &Path) -> Result<Model, LmError> {
    let file = File::open(path).map_err(|e| LmError::io(path, "read", e))?;
    read_from(std::io::BufReader::with_capacity(1 << 18, file), path)
}

/// Reads ARPA text, plain or gzip, from anywhere; errors call it `name`.
///
/// # Errors
/// As [`read`].
pub fn read_from(reader: impl BufRead, name: &Path) -> Result<Model, LmError> {
    let mut reader = Reader { lines: NumberedLines::new(reader, name)?, vocabulary: Vocabulary::default() };
    let counts = reader.counts()?;
    let mut first_lines = vec![reader.header(1)?];
    let unigrams = reader.unigrams(counts[0])?;
    let wrong = |first_lines: &[u64], problem: BuildFailure| match problem {
        BuildFailure::Duplicate { order, first, second } => {
            let line = |i: usize| first_lines[order - 1] + i as u64;
            let problem = format!("this {order}-gram is already in line {}", line(first));
            LmError::line(name, line(second), problem)
        }
        BuildFailure::TooLarge => {
            LmError::model(name, "the model has more n-grams or words than 32-bit numbers can count")
        }
    };
    let expected: Vec<usize> = counts.iter().map(|&count| count as usize).collect();
    let mut builder =
        Builder::new(&unigrams, &expected, crate::HEADER).map_err(|problem| wrong(&first_lines, problem))?;
    drop(unigrams);
    for (order, &count) in (1..).zip(&counts).skip(1) {
        first_lines.push(reader.header(order)?);
        builder.begin().map_err(|problem| wrong(&first_lines, problem))?;
        reader.section(order, count, &mut builder)?;
        builder.end().map_err(|problem| wrong(&first_lines, problem))?;
    }
    reader.expect("\\end\\")?;
    let built = builder.finish().map_err(|problem| wrong(&first_lines, problem))?;
    Ok(Model::new(built, reader.vocabulary))
}

struct Reader<'n, R> {
    lines: NumberedLines<'n, R>,
    vocabulary: Vocabulary,
}

impl<R: BufRead> Reader<'_, R> {
    /// Reads `\data\` and the numbers of n-grams. Text before `\data\` is a comment.
    fn counts(&mut self) -> Result<Vec<u64>, LmError> {
        while self.lines.next("\\data\\")?.trim_start_matches('\u{FEFF}').trim_end() != "\\data\\" {}
        let mut counts = Vec::new();
        loop {
            let line = self.lines.next("the numbers of n-grams")?;
            if line.trim_ascii().is_empty() && !counts.is_empty() {
                return Ok(counts);
            }
            let order = counts.len() + 1;
            let fields = line.strip_prefix("ngram ").and_then(|rest| rest.split_once('='));
            let number = |text: &str| text.trim_ascii().parse::<u64>().ok();
            let count = match fields.map(|(n, count)| (number(n), number(count))) {
                Some((Some(n), Some(count))) if n == order as u64 => count,
                _ => {
                    let problem = format!("expected `ngram {order}=` and a number, got `{}`", shown(line));
                    return Err(self.lines.error(problem));
                }
            };
            if order > MAX_ORDER {
                let problem = format!("n-grams of order {order}; at most {MAX_ORDER} is supported");
                return Err(self.lines.error(problem));
            }
            if u32::try_from(count).is_err() {
                return Err(self.lines.error(format!("{count} n-grams of one order are more than 2^32")));
            }
            counts.push(count);
        }
    }

    /// Reads a line of which the text is known; blank lines may come before.
    fn expect(&mut self, text: &str) -> Result<(), LmError> {
        loop {
            let line = self.lines.next(text)?.trim_ascii();
            if line == text {
                return Ok(());
            }
            if !line.is_empty() {
                let problem = format!("expected `{text}`, got `{}`: is a count in \\data\\ wrong?", shown(line));
                return Err(self.lines.error(problem));
            }
        }
    }

    /// Reads the line before the n-grams of an order. Returns the number of the line after it.
    fn header(&mut self, order: usize) -> Result<u64, LmError> {
        self.expect(&format!("\\{order}-grams:"))?;
        Ok(self.lines.number() + 1)
    }

    /// Reads the words. Those with fixed ids get values even where the file lacks them.
    fn unigrams(&mut self, count: u64) -> Result<NGrams, LmError> {
        let mut list = NGrams::new(1);
        [UNKNOWN, BEGIN, END].iter().for_each(|word| list.push(&[word.0], f32::NAN, 0.0));
        for i in 0..count {
            let line = self.lines.entry(1, i, count)?;
            let entry = Entry::parse(line, 1);
            let entry = match entry {
                Ok(entry) => entry,
                Err(problem) => return Err(self.lines.error(problem)),
            };
            let id = self.vocabulary.insert(entry.words[0]);
            let at = id.index();
            if at == list.len() {
                list.push(&[id.0], entry.log10, entry.backoff);
            } else if list.log10[at].is_nan() {
                (list.log10[at], list.backoff[at]) = (entry.log10, entry.backoff);
            } else {
                let problem = format!("the word `{}` is here for the second time", shown(entry.words[0]));
                return Err(self.lines.error(problem));
            }
        }
        for word in [BEGIN, END] {
            if list.log10[word.index()].is_nan() {
                let problem = format!("the word {} is missing among the 1-grams", self.vocabulary.word(word));
                return Err(self.lines.error(problem));
            }
        }
        if list.log10[UNKNOWN.index()].is_nan() {
            list.log10[UNKNOWN.index()] = MISSING_UNKNOWN;
        }
        Ok(list)
    }

    /// Reads the n-grams of one order.
    fn section(&mut self, order: usize, count: u64, builder: &mut Builder) -> Result<(), LmError> {
        let mut batch = Batch::new(order);
        let read = (0..count).try_for_each(|i| {
            batch.read(&mut self.lines, i, count)?;
            if batch.values.len() == BATCH { self.finish(&mut batch, builder) } else { Ok(()) }
        });
        // The lines that wait are before the line of an error, and a word of theirs may be unknown.
        self.finish(&mut batch, builder)?;
        read
    }

    /// Looks up the words of a batch and hands its n-grams on.
    fn finish(&self, batch: &mut Batch, builder: &mut Builder) -> Result<(), LmError> {
        self.vocabulary.find_all(&batch.words, &mut batch.ids);
        let mut ids = [0; MAX_ORDER];
        for ((line, words), &[log10, backoff]) in
            (batch.first_line..).zip(batch.of.chunks_exact(batch.order)).zip(&batch.values)
        {
            for (id, &word) in ids.iter_mut().zip(words) {
                let Some(found) = batch.ids[word as usize] else {
                    let word = shown(batch.words.get(word as usize));
                    return Err(self.lines.error_in(line, format!("the word `{word}` is not among the 1-grams")));
                };
                *id = found.0;
            }
            builder.push(&ids[..batch.order], log10, backoff);
        }
        batch.clear();
        Ok(())
    }
}

/// Lines that were read and whose words are looked up together.
struct Batch {
    /// The number of words of an n-gram.
    order: usize,
    /// The number of the first line.
    first_line: u64,
    /// The words, without those that a line has at the place where the line before has them: n-grams that are sorted
    /// share words with the one before.
    words: Words,
    ids: Vec<Option<WordId>>,
    /// By n-gram and place: which of these words.
    of: Vec<u32>,
    /// Probability and back-off weight of each n-gram.
    values: Vec<[f32; 2]>,
}

impl Batch {
    fn new(order: usize) -> Self {
        Self { order, first_line: 0, words: Words::default(), ids: Vec::new(), of: Vec::new(), values: Vec::new() }
    }

    /// Reads the line of n-gram `i` of `count`.
    fn read<R: BufRead>(&mut self, lines: &mut NumberedLines<R>, i: u64, count: u64) -> Result<(), LmError> {
        let entry = Entry::parse(lines.entry(self.order, i, count)?, self.order);
        let entry = match entry {
            Ok(entry) => entry,
            Err(problem) => return Err(lines.error(problem)),
        };
        let before = self.of.len().checked_sub(self.order);
        for (place, word) in entry.words[..self.order].iter().enumerate() {
            let same = before.map(|before| self.of[before + place]).filter(|&at| self.words.get(at as usize) == *word);
            self.of.push(same.unwrap_or_else(|| self.words.push(word)));
        }
        self.values.push([entry.log10, entry.backoff]);
        if before.is_none() {
            self.first_line = lines.number();
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.words.clear();
        self.of.clear();
        self.values.clear();
    }
}

/// A line of an n-gram.
struct Entry<'l> {
    log10: f32,
    words: [&'l str; MAX_ORDER],
    backoff: f32,
}

impl<'l> Entry<'l> {
    /// Probability, words, and a back-off weight that may be missing, between tabs or spaces.
    fn parse(line: &'l str, order: usize) -> Result<Self, String> {
        let mut rest = line;
        let log10 = number(field(&mut rest).unwrap_or(""), "log10 probability")?;
        if log10 > 0.0 {
            return Err(format!("the log10 probability {log10} is above 0"));
        }
        let mut words = [""; MAX_ORDER];
        for (i, word) in words[..order].iter_mut().enumerate() {
            let got = || format!("expected a probability and {order} words, got {i} words in `{}`", shown(line));
            *word = field(&mut rest).ok_or_else(got)?;
        }
        let backoff = field(&mut rest).map_or(Ok(0.0), |field| number(field, "log10 back-off weight"))?;
        match field(&mut rest) {
            Some(_) => {
                Err(format!("more than a probability, {order} words and a back-off weight in `{}`", shown(line)))
            }
            None => Ok(Self { log10, words, backoff }),
        }
    }
}

/// Takes the next field, which spaces or tabs surround, off the front of a line.
fn field<'l>(rest: &mut &'l str) -> Option<&'l str> {
    let start = rest.bytes().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let line = &rest[start..];
    let (field, after) = line.split_at(memchr::memchr2(b' ', b'\t', line.as_bytes()).unwrap_or(line.len()));
    *rest = after;
    Some(field)
}

/// A number that is finite; `-inf`, as SRILM writes it, is the least probability there is.
fn number(field: &str, what: &str) -> Result<f32, String> {
    if let Some(number) = decimal(field) {
        return Ok(number);
    }
    match field.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(number) if number == f32::NEG_INFINITY => Ok(MISSING_UNKNOWN),
        _ => Err(format!("expected a {what}, got `{}`", shown(field))),
    }
}

/// The same number as the standard library reads from a plain decimal; `None` if it is not plain, or not at once
/// certain.
fn decimal(field: &str) -> Option<f32> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (sign, digits) = field.strip_prefix('-').map_or((1.0, field), |digits| (-1.0, digits));
    // Fewer than 16 digits are below 2^53: they and the powers of ten are exact in 64 bits.
    if digits.len() > 16 {
        return None;
    }
    let (mut value, mut point) = (0u64, None);
    for (at, byte) in digits.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => value = value * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let point = point?;
    if digits.len() == 1 {
        return None;
    }
    let wide = value as f64 / POWERS[digits.len() - 1 - point];
    // A quotient half-way between two numbers of 32 bits may have been rounded to it.
    let halfway = wide.to_bits() & ((1 << 29) - 1) == 1 << 28;
    (!halfway && (wide == 0.0 || wide > 1e-30)).then_some((sign * wide) as f32)
}

/// The start of a line, to be shown.
fn shown(line: &str) -> String {
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn decimals_are_those_of_the_standard_library(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}", value in -8f32..0.0) {
            for text in [text, value.to_string(), format!("{value:.3}"), format!("{:.9}", f64::from(value))] {
                if let Some(found) = decimal(&text) {
                    prop_assert_eq!(text.parse().map(f32::to_bits), Ok(found.to_bits()), "{}", text);
                }
            }
        }
    }

    #[test]
    fn odd_numbers_are_left_to_the_standard_library() {
        assert!(
            ["", "-", ".", "-.", "1", "1e3", "nan", "-inf", "+1.0", "1..2", "1.2.3"]
                .iter()
                .all(|text| decimal(text).is_none())
        );
        // Half-way between 16777216 and 16777218; a hair above.
        assert_eq!(decimal("16777217.0"), None);
        assert_eq!(decimal("16777217.000001"), Some(16_777_218.0));
        assert_eq!(decimal("-0.0").map(f32::to_bits), Some((-0.0f32).to_bits()));
        assert_eq!([decimal("1."), decimal(".5")], [Some(1.0), Some(0.5)]);
    }
}

//! Word vocabularies from text: the most frequent words.

use super::words::MAX_WORDS;
use super::{EOS, UNK, VocabularyError as Error, split_words};
use std::collections::HashMap;
use std::fmt::Write as _;

/// YAML has keys of more characters in a form of their own.
const LONG_KEY: usize = 1024;

/// A word vocabulary and how much of its text it knows.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedWords {
    /// The bytes of its file, `word: id` in each line as Marian writes it (`.yml`).
    pub yaml: String,
    /// Words in it, `</s>` and `<unk>` included.
    pub len: usize,
    /// Words of the text.
    pub words: u64,
    /// Different ones.
    pub word_types: usize,
    /// Share of the text's words that are in the vocabulary.
    pub coverage: f64,
}

/// The vocabulary of the `size` most frequent words of `lines`, which are split at blanks: tokenise them before.
///
/// `</s>` has id 0, `<unk>` 1, both count for `size` and are not learnt from the text; the others follow, the most
/// frequent first, equally frequent ones by their characters. There are fewer if the text has fewer.
///
/// # Errors
/// If a vocabulary can not have `size` words.
pub fn train_words<S: AsRef<str>>(lines: impl IntoIterator<Item = S>, size: usize) -> Result<TrainedWords, Error> {
    if !(2..=MAX_WORDS).contains(&size) {
        return Err(Error::Size { size });
    }
    let mut counts: HashMap<Box<str>, u64> = HashMap::new();
    for line in lines {
        for word in split_words(line.as_ref()).filter(|&word| word != EOS && word != UNK) {
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(word.into(), 1);
                }
            }
        }
    }
    let mut counts: Vec<(Box<str>, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let (words, word_types) = (counts.iter().map(|(_, count)| count).sum(), counts.len());
    counts.truncate(size - 2);
    let covered: u64 = counts.iter().map(|(_, count)| count).sum();

    let mut yaml = String::new();
    let entries = [EOS, UNK].into_iter().chain(counts.iter().map(|(word, _)| word.as_ref()));
    for (id, word) in entries.enumerate() {
        let quoted = quote(word);
        let (mark, gap) = if word.chars().count() > LONG_KEY { ("? ", "\n") } else { ("", "") };
        // Writing to a string can not fail.
        let _ = writeln!(yaml, "{mark}{quoted}{gap}: {id}");
    }
    let coverage = if words == 0 { 1.0 } else { covered as f64 / words as f64 };
    Ok(TrainedWords { yaml, len: counts.len() + 2, words, word_types, coverage })
}

/// `word` in double quotes, with escapes for the characters that YAML reserves (1.2, section 5.1) and for its line
/// breaks of old.
fn quote(word: &str) -> String {
    let mut quoted = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' | '\0'..='\x1F' | '\x7F'..='\u{9F}' => {
                // All of them have four digits. Writing to a string can not fail.
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::{Vocabulary, VocabularyFormat};
    use super::*;
    use metaphrase_base::WordId;

    fn vocabulary(trained: &TrainedWords) -> Vocabulary {
        Vocabulary::from_bytes(VocabularyFormat::Mapping, trained.yaml.as_bytes()).unwrap()
    }

    #[test]
    fn the_most_frequent_words_come_first() {
        let lines = ["b a  c", "a b d </s>", "<unk> a"];
        let trained = train_words(lines, 5).unwrap();
        assert_eq!(trained.yaml, "\"</s>\": 0\n\"<unk>\": 1\n\"a\": 2\n\"b\": 3\n\"c\": 4\n");
        // c and d are there once; 6 of 7 words are known.
        assert_eq!((trained.len, trained.words, trained.word_types), (5, 7, 4));
        assert!((trained.coverage - 6.0 / 7.0).abs() < 1e-12);
        assert_eq!(train_words(lines, 100).unwrap().len, 6);
        let vocabulary = vocabulary(&trained);
        assert_eq!((vocabulary.eos(), vocabulary.unk()), (WordId(0), Some(WordId(1))));
        let mut ids = Vec::new();
        vocabulary.encode("d c b", &mut ids);
        assert_eq!(ids, [1, 4, 3, 0].map(WordId));
    }

    #[test]
    fn any_word_survives_the_file() {
        let odd = [
            "\"", "'", "\\", "a:", ": b", "#", "- x", "null", "~", "\t", "\u{A0}", "\u{85}", "\u{1}\r", "{", "eos",
            "UNK",
        ];
        let long = "ü".repeat(2000);
        let words: Vec<&str> = odd
            .into_iter()
            .flat_map(|word| word.split(' '))
            .chain([long.as_str(), "😀\u{2028}\u{FFFF}\u{FEFF}"])
            .collect();
        let trained = train_words([words.join(" ")], 100).unwrap();
        let vocabulary = vocabulary(&trained);
        assert_eq!(vocabulary.len(), trained.len);
        for word in words {
            assert!(vocabulary.id(word).is_some_and(|id| id.0 > 1), "{word:?}");
        }
    }

    #[test]
    fn sizes_that_can_not_be_are_refused() {
        let error = train_words(["a"], 1).unwrap_err().to_string();
        assert_eq!(error, "a vocabulary of 1 words can not be, expected 2 (`</s>` and `<unk>` alone) to 4,194,304");
        assert_eq!(train_words([""], 2).unwrap().coverage, 1.0);
        assert!(train_words(["a"], MAX_WORDS + 1).is_err());
    }
}

//! Numbers for words that sort as the lines of a table do.

use metaphrase_base::{WordId, Words};

/// The text between the fields of a table.
pub(crate) const SEPARATOR: &str = "|||";

/// The words of one side and the separator, numbered in the order of their bytes followed by a space.
///
/// In a line each word is followed by a space, which no word contains; so lines compare as the lists of these numbers
/// do, and a table that is sorted by them is sorted as `LC_ALL=C sort` does it, which Moses' binarisers want.
pub(crate) struct Ranks {
    by_word: Vec<u32>,
    words: Vec<Option<WordId>>,
    separator: u32,
}

impl Ranks {
    pub fn new(words: &Words) -> Self {
        let mut ordered: Vec<Option<WordId>> = (0..words.len()).map(|at| Some(WordId::new(at))).collect();
        ordered.push(None);
        let text = |word: Option<WordId>| word.map_or(SEPARATOR, |word| words.text(word));
        ordered.sort_by(|&a, &b| text(a).bytes().chain([b' ']).cmp(text(b).bytes().chain([b' '])));
        let (mut by_word, mut separator) = (vec![0; words.len()], 0);
        for (rank, word) in (0..).zip(&ordered) {
            *word.map_or(&mut separator, |word| &mut by_word[word.index()]) = rank;
        }
        Self { by_word, words: ordered, separator }
    }

    /// The number of a word.
    pub fn rank(&self, word: WordId) -> u32 {
        self.by_word[word.index()]
    }

    /// The number of the separator.
    pub fn separator(&self) -> u32 {
        self.separator
    }

    /// The word with a number; `None` for the separator.
    pub fn word(&self, rank: u32) -> Option<WordId> {
        self.words[rank as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_compare_as_numbers_do() {
        let mut words = Words::default();
        let all = ["a", "ab", "a!", "ä", "|", "||||", "}", "|||x", "~", "zz"];
        let ids: Vec<WordId> = all.iter().map(|word| words.add(word)).collect();
        let ranks = Ranks::new(&words);
        assert_eq!(ranks.word(ranks.separator()), None);
        assert_eq!(ranks.word(ranks.rank(ids[3])), Some(ids[3]));
        let line = |phrase: &[usize]| {
            let text: String = phrase.iter().map(|&at| format!("{} ", all[at])).collect();
            let numbers = phrase.iter().map(|&at| ranks.rank(ids[at])).chain([ranks.separator()]).collect::<Vec<_>>();
            (format!("{text}||| "), numbers)
        };
        let lines: Vec<_> =
            (0..all.len()).flat_map(|a| [line(&[a]), line(&[a, 3]), line(&[a, 4]), line(&[0, a])]).collect();
        for (text, numbers) in &lines {
            for (other_text, other_numbers) in &lines {
                assert_eq!(text.cmp(other_text), numbers.cmp(other_numbers), "{text} {other_text}");
            }
        }
    }
}

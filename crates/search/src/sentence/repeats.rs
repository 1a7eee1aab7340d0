//! Words that may not follow a hypothesis: they would repeat what it has said, or end it too early.

use super::SentenceSearch;
use metaphrase_base::WordId;

/// By place: words that may not follow. Keeps its work space.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// Words that would be said the third time in a row.
    pub(super) loops: Vec<(usize, WordId)>,
    /// Words that would make a sequence stand twice that may stand once, and ends that come too early; in order.
    pub(super) twice: Vec<(usize, WordId)>,
    words: Vec<WordId>,
}

impl Repeats {
    /// Whether `word` may not follow the hypothesis at `place`, whatever it makes of the terms.
    pub(super) fn bans(&self, place: usize, word: WordId) -> bool {
        self.twice.binary_search(&(place, word)).is_ok()
    }
}

impl SentenceSearch {
    /// The words that may not follow: those that would repeat something and, after too few words, the end of sentence.
    pub(super) fn find_repeats(&self, end: WordId, found: &mut Repeats) {
        let Repeats { loops, twice, words } = found;
        twice.clear();
        let count = self.options.no_repeat_ngram_size;
        for (place, open) in self.open.iter().enumerate().filter(|_| count > 0) {
            if let Some(hyp) = open.hyp {
                self.trellis.second_times(hyp, count, words, |word| twice.push((place, word)));
            }
        }
        if self.length < self.options.min_target_length {
            twice.extend((0..self.open.len()).map(|place| (place, end)));
        }
        twice.sort_unstable();
        twice.dedup();
        self.find_loops(loops);
    }

    /// By place of a narrow beam: the words that would make a group of words stand three times in a row. It is where a beam is
    /// narrow that terms out of place lead to loops. A sentence whose source repeats itself is free to do so.
    fn find_loops(&self, loops: &mut Vec<(usize, WordId)>) {
        loops.clear();
        let hyps = self.open.iter().enumerate().filter_map(|(place, open)| Some((place, open.hyp?)));
        for (place, hyp) in hyps.filter(|_| !self.may_repeat && self.is_narrow()) {
            self.trellis.third_times(hyp, |word| loops.push((place, word)));
        }
    }
}

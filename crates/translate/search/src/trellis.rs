//! All steps of one sentence's search: the paper's indices `b`, words `y` and scores `q`, as back-pointers.

use crate::{Explored, Hypothesis};
use metaphrase_base::WordId;

/// A hypothesis of a [`Trellis`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HypId(u32);

#[derive(Debug, Clone, Copy)]
struct Node {
    /// `None` at the first word.
    parent: Option<HypId>,
    word: WordId,
    /// Log-probability up to and including the word.
    log_prob: f32,
}

/// The longest group of words whose repetition is noticed.
const LONGEST_GROUP: usize = 4;

/// Whether a group of 1 to 4 words stands in `words` three times in a row.
pub(crate) fn repeats(words: &[WordId]) -> bool {
    (1..=LONGEST_GROUP).any(|group| {
        let same = words.iter().zip(words.iter().skip(group)).map(|(a, b)| a == b);
        let mut run = 0;
        same.into_iter().any(|same| {
            run = if same { run + 1 } else { 0 };
            run == 2 * group
        })
    })
}

/// The most last words by which cube pruning distinguishes hypotheses.
pub(crate) const MAX_MERGE_WORDS: usize = 4;

/// The last words of a hypothesis, the last one first; `None` beyond the words that are compared.
pub(crate) type LastWords = [Option<WordId>; MAX_MERGE_WORDS];

/// Hypotheses as back-pointers, with the attention of each word if it is kept. Reused from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct Trellis {
    nodes: Vec<Node>,
    /// nodes × source length, row-major, or empty.
    attention: Vec<f32>,
}

impl Trellis {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.attention.clear();
    }

    /// Adds `parent` continued by `word`, with the attention of the model when it chose the word.
    pub(crate) fn add(&mut self, parent: Option<HypId>, word: WordId, log_prob: f32, attention: &[f32]) -> HypId {
        let id = HypId(WordId::new(self.nodes.len()).0);
        self.nodes.push(Node { parent, word, log_prob });
        self.attention.extend_from_slice(attention);
        id
    }

    /// As [`add`](Self::add), with the attention of the parent if attention is kept.
    pub(crate) fn add_like_parent(
        &mut self,
        parent: Option<HypId>,
        word: WordId,
        log_prob: f32,
        source_len: usize,
    ) -> HypId {
        if !self.attention.is_empty() {
            match parent {
                Some(parent) => {
                    let row = parent.0 as usize * source_len;
                    self.attention.extend_from_within(row..row + source_len);
                }
                None => self.attention.resize(self.attention.len() + source_len, 0.0),
            }
        }
        self.add(parent, word, log_prob, &[])
    }

    fn word(&self, id: HypId) -> WordId {
        self.nodes[id.0 as usize].word
    }

    /// The last `count` words, at most [`MAX_MERGE_WORDS`].
    pub(crate) fn last_words(&self, id: HypId, count: usize) -> LastWords {
        let mut words = LastWords::default();
        let mut next = Some(id);
        for word in words.iter_mut().take(count) {
            let Some(id) = next else { break };
            *word = Some(self.word(id));
            next = self.nodes[id.0 as usize].parent;
        }
        words
    }

    /// The words that would make a group of 1 to 4 words stand three times in a row.
    pub(crate) fn third_times(&self, id: HypId, out: impl FnMut(WordId)) {
        let (mut last, mut count) = ([WordId(0); 2 * LONGEST_GROUP], 0);
        let mut next = Some(id);
        while count < last.len()
            && let Some(id) = next
        {
            last[count] = self.word(id);
            count += 1;
            next = self.nodes[id.0 as usize].parent;
        }
        // `last` begins with the last word. After the group stands twice, its first word is `group` words back.
        let twice = |group: &usize| 2 * group <= count && last[..*group] == last[*group..2 * group];
        (1..=LONGEST_GROUP).filter(twice).map(|group| last[group - 1]).for_each(out);
    }

    /// The words that would make a sequence of `count` words stand a second time. `words` is a buffer.
    pub(crate) fn second_times(&self, id: HypId, count: usize, words: &mut Vec<WordId>, out: impl FnMut(WordId)) {
        words.clear();
        let mut next = Some(id);
        while let Some(id) = next {
            words.push(self.word(id));
            next = self.nodes[id.0 as usize].parent;
        }
        // The last word comes first: a sequence begins with its last word, too.
        let Some(last) = words.get(..count - 1) else { return };
        words.windows(count).filter(|sequence| sequence[1..] == *last).map(|sequence| sequence[0]).for_each(out);
    }

    pub(crate) fn log_prob(&self, id: HypId) -> f32 {
        self.nodes[id.0 as usize].log_prob
    }

    /// All hypotheses but the first `given` ones, whose words all others begin with. Those that end with `end` and the
    /// `finished` ones are translations, the first of which is the best.
    pub(crate) fn explored(&self, end: WordId, finished: &[HypId], given: usize) -> Vec<Explored> {
        let explored = |(number, node): (u32, &Node)| {
            let place = finished.iter().position(|hyp| hyp.0 == number);
            Explored {
                parent: node.parent.and_then(|parent| (parent.0 as usize).checked_sub(given)),
                word: node.word,
                log_prob: node.log_prob,
                ended: place.is_some() || node.word == end,
                best: place == Some(0),
            }
        };
        (0..).zip(&self.nodes).skip(given).map(explored).collect()
    }

    /// Follows the back-pointers: line 17 of Algorithm 1. `source_len` is the width of an attention row.
    pub(crate) fn trace_back(&self, last: HypId, end: WordId, score: f32, source_len: usize) -> Hypothesis {
        let mut path = Vec::new();
        let mut next = Some(last);
        while let Some(id) = next {
            path.push(id.0 as usize);
            next = self.nodes[id.0 as usize].parent;
        }
        path.reverse();
        let mut before = 0.0;
        let word_log_probs = path.iter().map(|&node| {
            let log_prob = self.nodes[node].log_prob;
            log_prob - core::mem::replace(&mut before, log_prob)
        });
        let word_log_probs = word_log_probs.collect();
        let attention = if self.attention.is_empty() {
            Vec::new()
        } else {
            path.iter().flat_map(|&n| &self.attention[n * source_len..(n + 1) * source_len]).copied().collect()
        };
        let mut words: Vec<WordId> = path.iter().map(|&node| self.nodes[node].word).collect();
        let complete = self.word(last) == end;
        if complete {
            words.pop();
        }
        Hypothesis { words, complete, score, log_prob: self.log_prob(last), word_log_probs, attention }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_time_in_a_row_is_noticed() {
        let words = |text: &[u32]| text.iter().copied().map(WordId).collect::<Vec<_>>();
        for (text, third) in [
            (&[1, 2, 3][..], &[][..]),
            (&[1, 1], &[1]),
            (&[2, 1, 2, 1], &[2]),
            (&[5, 1, 2, 3, 1, 2, 3], &[1]),
            (&[1, 2, 3, 4, 1, 2, 3, 4], &[1]),
            (&[1, 2, 3, 4, 5, 1, 2, 3, 4, 5], &[]),
            (&[1, 1, 1, 1], &[1, 1]),
        ] {
            let mut trellis = Trellis::default();
            let add = |parent, &word: &u32| Some(trellis.add(parent, WordId(word), 0.0, &[]));
            let last = text.iter().fold(None, add).expect("a word");
            let mut found = Vec::new();
            trellis.third_times(last, |word| found.push(word));
            assert_eq!(found, words(third), "{text:?}");
        }
        assert!(repeats(&words(&[7, 1, 2, 1, 2, 1, 2])) && repeats(&words(&[1, 1, 1])));
        assert!(!repeats(&words(&[1, 2, 1, 2, 1, 3])) && !repeats(&words(&[1, 1, 2, 2])) && !repeats(&[]));
    }

    #[test]
    fn the_second_time_of_a_sequence_is_noticed() {
        let words = |text: &[u32]| text.iter().copied().map(WordId).collect::<Vec<_>>();
        for (text, count, second) in [
            (&[1, 2, 3][..], 1, &[3, 2, 1][..]),
            (&[1, 2, 1], 2, &[2]),
            (&[1, 1], 2, &[1]),
            (&[1], 2, &[]),
            (&[1, 2, 3, 1, 2], 3, &[3]),
            (&[1, 2, 3, 2, 1, 2, 4, 1, 2], 3, &[4, 3]),
            (&[1, 2, 3, 1, 2], 4, &[]),
            (&[1, 2], usize::MAX, &[]),
        ] {
            let mut trellis = Trellis::default();
            let add = |parent, &word: &u32| Some(trellis.add(parent, WordId(word), 0.0, &[]));
            let last = text.iter().fold(None, add).expect("a word");
            let mut found = Vec::new();
            trellis.second_times(last, count, &mut Vec::new(), |word| found.push(word));
            assert_eq!(found, words(second), "{text:?}, {count}");
        }
    }
}

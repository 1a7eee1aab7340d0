//! The scores of all words after a history at once, as the search of a neural model asks for them.

use crate::{Model, State, UNKNOWN};
use core::f32::consts::LN_10;
use metaphrase_base::{ScoreBuffer, Scorer, Sentence, WordId, WordScores};
use std::collections::HashMap;

/// A language model that scores all words of another vocabulary, those of a neural model, at once.
///
/// With h₁, h₂, … for the last word, the last two, … and b for their log10 back-off weights,
///
/// ```text
/// log10 p(w | h) = log10 p(w) + Σₖ b(hₖ) + Σₖ Δₖ(w)
/// Δₖ(w) = log10 p(w | hₖ) − b(hₖ) − log10 p(w | hₖ₋₁)   if the model has hₖ w; else 0
/// ```
///
/// so that a history costs one addition per word and one per n-gram that goes on from it. A look-up of each word would
/// wait for memory several times.
#[derive(Debug)]
pub struct AllWords {
    model: Model,
    /// The language model's id of each word of the other vocabulary.
    ids: Vec<WordId>,
    /// log10 p(w) of each word of the other vocabulary.
    alone: Vec<f32>,
    /// By the number of words of the history, from 1 on.
    orders: Vec<Continuations>,
}

/// The words that continue the histories of one length.
#[derive(Debug)]
struct Continuations {
    /// The words after history `h` are `words[starts[h]..starts[h + 1]]`.
    starts: Vec<u32>,
    /// Words of the other vocabulary, and their Δ.
    words: Vec<(u32, f32)>,
}

impl AllWords {
    /// `ids[w]` is the model's id of word `w` of the other vocabulary; [`UNKNOWN`] if the model does not have the word.
    #[must_use]
    pub fn new(model: Model, ids: Vec<WordId>) -> Self {
        let ids: Vec<WordId> =
            ids.into_iter().map(|id| if id.index() < model.layout.words { id } else { UNKNOWN }).collect();
        let alone = ids.iter().map(|id| model.layout.log10(&model.bytes, 0, id.0)).collect();
        let mut words: HashMap<u32, Vec<u32>> = HashMap::new();
        for (word, id) in (0..).zip(&ids) {
            words.entry(id.0).or_default().push(word);
        }
        let orders = differences(&model, &words);
        Self { model, ids, alone, orders }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// All Δ; `words[id]` are the words of the other vocabulary that are the model's word `id`.
fn differences(model: &Model, words: &HashMap<u32, Vec<u32>>) -> Vec<Continuations> {
    let (bytes, layout) = (&model.bytes[..], &model.layout);
    let mut histories: Vec<u32> = (0..layout.words as u32).collect();
    let mut orders = Vec::new();
    for (k, table) in (1..).zip(&layout.tables) {
        let ngrams = layout.words_of(bytes, k, &histories);
        let mut entries: Vec<(u32, (u32, f32))> = Vec::with_capacity(table.count);
        for ((number, (history, _)), ngram) in
            (0..table.count as u32).zip(table.keys(bytes)).zip(ngrams.chunks_exact(k + 1))
        {
            // A false file may have more n-grams than it counts, or lack the n-grams that they are made of.
            let Some(lower) = layout.find(bytes, &ngram[1..]) else { continue };
            if history as usize >= layout.count(k - 1) {
                continue;
            }
            let backed_off = layout.backoff(bytes, k - 1, history) + layout.log10(bytes, k - 1, lower);
            let difference = layout.log10(bytes, k, number) - backed_off;
            let words = words.get(&ngram[k]).into_iter().flatten();
            entries.extend(words.map(|&word| (history, (word, difference))));
        }
        entries.sort_unstable_by_key(|&(history, (word, _))| (history, word));
        let mut starts = vec![0; layout.count(k - 1) + 1];
        entries.iter().for_each(|&(history, _)| starts[history as usize + 1] += 1);
        (1..starts.len()).for_each(|h| starts[h] += starts[h - 1]);
        orders.push(Continuations { starts, words: entries.into_iter().map(|(_, word)| word).collect() });
        histories = ngrams;
    }
    orders
}

impl Scorer for AllWords {
    type State = State;

    fn start(&self, _: &Sentence<'_>) -> State {
        self.model.begin()
    }

    fn after(&self, state: State, word: WordId) -> State {
        self.model.score(&state, self.ids[word.index()]).1
    }

    fn scores<'a>(&'a self, state: State, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        let weight = weight * LN_10;
        let backoff: f32 = state.backoffs[..state.length()].iter().sum();
        let scores = &mut buffer.dense;
        scores.clear();
        scores.extend(self.alone.iter().map(|alone| weight * (alone + backoff)));
        for (following, &history) in self.orders.iter().zip(state.histories()) {
            let [start, end] = [0, 1].map(|i| following.starts[history as usize + i] as usize);
            for &(word, difference) in &following.words[start..end] {
                scores[word as usize] += weight * difference;
            }
        }
        WordScores::Dense(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BEGIN, END, arpa};
    use metaphrase_base::SentId;
    use std::path::Path;

    const ARPA: &str = include_str!("../../../../testdata/ngram/lmplz.arpa");
    const TEXT: &str = include_str!("../../../../testdata/ngram/text.en");

    /// Another vocabulary: backwards, without some words, with one that the model does not know.
    #[test]
    fn as_one_by_one() {
        let model = arpa::read_from(ARPA.as_bytes(), Path::new("lm.arpa")).unwrap();
        for model in [model.quantised(6, 6), model] {
            let mut ids: Vec<WordId> = (0..model.vocabulary().len()).map(WordId::new).collect();
            ids.reverse();
            ids.retain(|id| id.0 % 7 != 6);
            ids.extend([WordId(u32::MAX), END]);
            let all = AllWords::new(model, ids.clone());
            for line in TEXT.lines().take(20) {
                let mut state = all.start(&Sentence::new(SentId(0), &[]));
                let mut buffer = ScoreBuffer::default();
                let words = line.split(' ').filter_map(|word| {
                    let id = all.model().vocabulary().id(word);
                    ids.iter().position(|&other| other == id)
                });
                for word in words.map(WordId::new) {
                    let mut scores = vec![1.0; ids.len()];
                    all.scores(state, 0.5, &mut buffer).add_to(&mut scores);
                    for (&id, score) in ids.iter().zip(scores).filter(|(id, _)| **id != BEGIN) {
                        let expected = 1.0 + 0.5 * LN_10 * all.model().score(&state, id).0;
                        assert!((score - expected).abs() < 1e-4, "{line}: {score} for {expected}");
                    }
                    state = all.after(state, word);
                }
            }
        }
    }
}

//! A sparse scorer, and the same scorer with dense answers.

use metaphrase_base::{ScoreBuffer, Scorer, Sentence, WordId, WordScore, WordScores};

/// Scores of pairs of words: a table with exceptions, and a base value for all other pairs. A bonus for some bigrams,
/// or a mask that depends on the last word.
pub struct Pairs {
    base: f32,
    /// By the last word, counted from 1; the first row is for the start of a sentence.
    rows: Vec<Vec<WordScore>>,
}

impl Pairs {
    /// Over `words` words: `score(last word, next word)` gives the exceptions. There is no last word at the start.
    pub fn new(words: u32, base: f32, score: impl Fn(Option<u32>, u32) -> Option<f32>) -> Self {
        let listed = |last: Option<u32>| {
            let entry = |word| score(last, word).map(|score| WordScore { word: WordId(word), score });
            (0..words).filter_map(entry).collect()
        };
        Self { base, rows: core::iter::once(None).chain((0..words).map(Some)).map(listed).collect() }
    }

    /// A bonus for about a third of all pairs, and a small penalty for the others.
    #[must_use]
    pub fn bonus(words: u32) -> Self {
        let score = |last: u32, word: u32| match (last * 7 + word * 5) % 11 {
            hash @ 0..=3 => Some(hash as f32 / 3.0),
            _ => None,
        };
        Self::new(words, -0.3, |last, word| score(last.unwrap_or(words), word))
    }

    /// Forbids about a fifth of all pairs, never an end of sentence (word 0).
    #[must_use]
    pub fn forbidding(words: u32) -> Self {
        let forbidden = |last: u32, word: u32| word > 0 && (last * 3 + word).is_multiple_of(5);
        Self::new(words, 0.0, |last, word| forbidden(last.unwrap_or(1), word).then_some(f32::NEG_INFINITY))
    }

    /// Allows the end of sentence (word 0) and about half of all other pairs.
    #[must_use]
    pub fn allowing(words: u32) -> Self {
        let allowed = |last: u32, word: u32| word == 0 || (last + word).is_multiple_of(2);
        Self::new(words, f32::NEG_INFINITY, |last, word| allowed(last.unwrap_or(0), word).then_some(0.0))
    }

    /// The score of `word` after `last`.
    #[must_use]
    pub fn score(&self, last: Option<WordId>, word: WordId) -> f32 {
        let listed = &self.rows[last.map_or(0, |last| last.index() + 1)];
        WordScores::Sparse { base: self.base, listed }.get(word)
    }
}

impl Scorer for Pairs {
    type State = u32;

    fn start(&self, _: &Sentence<'_>) -> u32 {
        0
    }

    fn after(&self, _: u32, word: WordId) -> u32 {
        word.0 + 1
    }

    fn scores<'a>(&'a self, state: u32, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        let weighted = |listed: &WordScore| WordScore { score: weight * listed.score, ..*listed };
        buffer.listed.clear();
        buffer.listed.extend(self.rows[state as usize].iter().map(weighted));
        WordScores::Sparse { base: weight * self.base, listed: &buffer.listed }
    }

    fn scores_are_log_probs(&self) -> bool {
        self.base <= 0.0 && self.rows.iter().flatten().all(|listed| listed.score <= 0.0)
    }
}

/// A scorer whose answers are written out, as a number for each of `words` words.
pub struct Densely<S> {
    /// The scorer.
    pub scorer: S,
    /// V.
    pub words: usize,
}

impl<S: Scorer> Scorer for Densely<S> {
    type State = S::State;

    fn start(&self, sentence: &Sentence<'_>) -> S::State {
        self.scorer.start(sentence)
    }

    fn after(&self, state: S::State, word: WordId) -> S::State {
        self.scorer.after(state, word)
    }

    fn scores<'a>(&'a self, state: S::State, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        let mut other = ScoreBuffer::default();
        let sparse = self.scorer.scores(state, weight, &mut other);
        buffer.dense.clear();
        buffer.dense.extend((0..self.words).map(|word| sparse.get(WordId::new(word))));
        WordScores::Dense(&buffer.dense)
    }

    fn scores_are_log_probs(&self) -> bool {
        self.scorer.scores_are_log_probs()
    }
}

//! The matrix L: scores of the next word after each history of the evidence.
//!
//! A row of L has a number for each word of the vocabulary: Θ0, and Θn times the posterior of the n-gram that the word
//! makes with the history, for each n (Iglesias et al. 2018, equation 2). A row differs from Θ0 only at words that the
//! evidence has, so it is kept as exceptions from Θ0: those of a history are those of its shorter endings, but for the
//! words that follow the history itself. So each n-gram is kept once, with its sum over all orders.
//!
//! The histories are an automaton. The state of a hypothesis is its longest ending that the evidence has and continues.

use crate::grams::{GramId, Grams};
use crate::{BEGIN, MAX_ORDER, Posteriors, Theta, Units};
use metaphrase_base::{ScoreBuffer, SentenceScorer, WordId, WordScore, WordScores};

/// L of a sentence: adds to the scores of words what other systems believe about them.
#[derive(Debug)]
pub struct Matrix {
    /// The number of each word that the evidence lacks.
    base: f32,
    start: u32,
    /// By history: the words that follow it.
    rows: Vec<Row>,
    /// The words of the rows, ascending in each row.
    words: Vec<WordId>,
    /// By word of a row: its number.
    scores: Vec<f32>,
    /// By word of a row: the history after it.
    next: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Row {
    start: u32,
    end: u32,
    /// The longest shorter history; none for the empty history, row 0.
    shorter: Option<u32>,
}

impl Matrix {
    /// `weight` times the scores that posteriors give to words.
    #[must_use]
    pub fn new(posteriors: &Posteriors, units: &Units, theta: &Theta, weight: f64) -> Self {
        let mut grams = Grams::default();
        // By n-gram: its own posterior times its factor.
        let mut own: Vec<f64> = Vec::new();
        let start = grams.extend(GramId::EMPTY, BEGIN, false);
        for gram in posteriors.iter().filter(|gram| gram.order <= MAX_ORDER) {
            let id = gram.words.iter().fold(GramId::EMPTY, |id, &word| grams.extend(id, word, units.continues(word)));
            own.resize(grams.len(), 0.0);
            own[id.index()] = theta.factor(gram.order) * f64::from(gram.posterior);
        }
        own.resize(grams.len(), 0.0);
        // The sum over all orders, the shortest first: Θ0 is that of the empty n-gram.
        let mut sums = own;
        sums[0] = theta.word;
        for gram in grams.iter() {
            sums[gram.index()] += sums[grams.suffix(gram).index()];
        }
        Builder { grams, sums, weight }.build(start)
    }

    /// Number of histories, the empty one included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: the empty history is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that the matrix takes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.len() * size_of::<Row>() + self.words.len() * 3 * size_of::<u32>()
    }

    fn words_of(&self, row: u32) -> (usize, &[WordId]) {
        let Row { start, end, .. } = self.rows[row as usize];
        (start as usize, &self.words[start as usize..end as usize])
    }
}

struct Builder {
    grams: Grams,
    /// By n-gram.
    sums: Vec<f64>,
    weight: f64,
}

impl Builder {
    fn build(self, start: GramId) -> Matrix {
        let Self { grams, sums, weight } = self;
        // N-grams by their histories, and by their words.
        let mut all: Vec<GramId> = grams.iter().filter(|&gram| gram != start).collect();
        all.sort_unstable_by_key(|&gram| (grams.parent(gram), grams.last_word(gram)));
        let mut numbers: Vec<Option<u32>> = vec![None; grams.len()];
        let mut histories: Vec<GramId> = all.iter().map(|&gram| grams.parent(gram)).collect();
        histories.dedup();
        if histories.first() != Some(&GramId::EMPTY) {
            histories.insert(0, GramId::EMPTY);
        }
        for (number, history) in (0..).zip(&histories) {
            numbers[history.index()] = Some(number);
        }
        // The longest ending that is a history.
        let history = |mut gram: GramId| loop {
            match numbers[gram.index()] {
                Some(number) => return number,
                None => gram = grams.suffix(gram),
            }
        };
        let score = |gram: GramId| (weight * sums[gram.index()]) as f32;
        let mut rows = Vec::with_capacity(histories.len());
        let mut first = 0;
        for &of in &histories {
            let count = all[first..].partition_point(|&gram| grams.parent(gram) == of);
            let shorter = (of != GramId::EMPTY).then(|| history(grams.suffix(of)));
            rows.push(Row { start: first as u32, end: (first + count) as u32, shorter });
            first += count;
        }
        Matrix {
            base: score(GramId::EMPTY),
            start: history(start),
            rows,
            words: all.iter().map(|&gram| grams.last_word(gram)).collect(),
            scores: all.iter().map(|&gram| score(gram)).collect(),
            next: all.iter().map(|&gram| history(gram)).collect(),
        }
    }
}

impl SentenceScorer for Matrix {
    fn start(&self) -> u32 {
        self.start
    }

    fn after(&self, state: u32, word: WordId) -> u32 {
        let mut state = Some(state);
        while let Some(row) = state {
            let (start, words) = self.words_of(row);
            if let Ok(place) = words.binary_search(&word) {
                return self.next[start + place];
            }
            state = self.rows[row as usize].shorter;
        }
        0
    }

    fn words(&self) -> &[WordId] {
        &self.words
    }

    fn scores<'a>(&'a self, state: u32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        let listed = &mut buffer.listed;
        listed.clear();
        let (start, words) = self.words_of(0);
        listed.extend(words.iter().zip(&self.scores[start..]).map(|(&word, &score)| WordScore { word, score }));
        let (mut chain, mut length, mut longer) = ([0; MAX_ORDER], 0, Some(state));
        while let Some(row) = longer.filter(|&row| row != 0) {
            chain[length] = row;
            length += 1;
            longer = self.rows[row as usize].shorter;
        }
        // The longest history has the last word.
        for &row in chain[..length].iter().rev() {
            let (start, words) = self.words_of(row);
            let mut place = 0;
            for (&word, &score) in words.iter().zip(&self.scores[start..]) {
                place += listed[place..].partition_point(|listed| listed.word < word);
                match listed.get_mut(place).filter(|listed| listed.word == word) {
                    Some(listed) => listed.score = score,
                    None => listed.insert(place, WordScore { word, score }),
                }
            }
        }
        WordScores::Sparse { base: self.base, listed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paths;

    /// The row of L, word by word, as equation 2 has it.
    fn naive(posteriors: &Posteriors, theta: &Theta, weight: f64, words: &[WordId], word: WordId) -> f32 {
        let mut sum = theta.word;
        for order in 1..=MAX_ORDER {
            let ends = |gram: &crate::NGram<'_>| {
                let said: Vec<WordId> = [&[BEGIN], words, &[word]].concat();
                gram.order == order && said.ends_with(gram.words)
            };
            // With written words, an n-gram is the one with most sub-words: others begin inside a word.
            for gram in posteriors.iter().filter(ends) {
                sum += theta.factor(order) * f64::from(gram.posterior);
            }
        }
        (weight * sum) as f32
    }

    const END: WordId = WordId(0);
    const WORDS: u32 = 7;

    fn random(seed: &mut u64, below: u32) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) as u32 % below
    }

    #[test]
    fn rows_are_those_of_the_dense_matrix_to_the_bit() {
        let theta = Theta { word: -0.31, orders: [0.17, 0.29, 0.41, 0.53] };
        let continues: std::sync::Arc<[bool]> = (0..WORDS).map(|word| word >= 5).collect();
        for units in [Units::words(), Units::written_words(continues)] {
            for mut seed in 0..40 {
                let sentence = |seed: &mut u64| {
                    let length = random(seed, 9);
                    (0..length).map(|_| WordId(1 + random(seed, WORDS - 1))).collect::<Vec<_>>()
                };
                let list: Vec<_> = (0..4).map(|n| (sentence(&mut seed), f64::from(n) * -0.3)).collect();
                let posteriors = Paths::from_n_best(&list, 1.0, END).unwrap().posteriors(4, &units).unwrap();
                let matrix = Matrix::new(&posteriors, &units, &theta, 1.7);
                let mut buffer = ScoreBuffer::default();
                let hypothesis = list.iter().map(|(words, _)| words.clone()).chain([sentence(&mut seed)]);
                for words in hypothesis {
                    let mut state = matrix.start();
                    for length in 0..=words.len() {
                        let row = matrix.scores(state, &mut buffer);
                        for word in (0..WORDS + 2).map(WordId) {
                            let expected = naive(&posteriors, &theta, 1.7, &words[..length], word);
                            assert_eq!(row.get(word).to_bits(), expected.to_bits(), "{words:?} {length} {word}");
                        }
                        if let Some(&word) = words.get(length) {
                            state = matrix.after(state, word);
                        }
                    }
                }
            }
        }
    }

    /// Sentences of 20 words, each with some words of its own: `paths` different ones.
    fn paths(paths: u32) -> Vec<(Vec<WordId>, f64)> {
        let mut seed = 5;
        let word = |place: u32, seed: &mut u64| WordId(1 + 3 * place + random(seed, 3));
        (0..paths).map(|_| ((0..20).map(|place| word(place, &mut seed)).collect(), 0.0)).collect()
    }

    /// The operations of a step: numbers that a row lists, and histories that are looked at to advance.
    #[test]
    fn a_step_costs_the_same_however_large_the_evidence_is() {
        for count in [10, 100, 1000, 10_000] {
            let list = paths(count);
            let posteriors = Paths::from_n_best(&list, 1.0, END).unwrap().posteriors(4, &Units::words()).unwrap();
            let matrix = Matrix::new(&posteriors, &Units::words(), &Theta::default(), 2.0);
            let mut buffer = ScoreBuffer::default();
            for (words, _) in list.iter().take(50) {
                let mut state = matrix.start();
                for &word in words {
                    matrix.scores(state, &mut buffer);
                    // 20 places with 3 words each, and the end of sentence.
                    assert!(buffer.listed.len() <= 61, "{} numbers, {count} paths", buffer.listed.len());
                    let histories = std::iter::successors(Some(state), |&row| matrix.rows[row as usize].shorter);
                    assert!(histories.count() <= MAX_ORDER, "{count} paths");
                    state = matrix.after(state, word);
                }
            }
        }
    }
}

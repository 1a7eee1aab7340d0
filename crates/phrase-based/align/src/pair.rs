//! Posteriors of the links of one sentence pair.

use crate::diagonal::{Diagonal, Distances};
use crate::hmm::{Chain, Emissions, Transitions};
use crate::jumps::{JumpCounts, Jumps};
use crate::table::{SlotId, Table};
use crate::{Alignment, Link, Pair, Symmetrization};
use metaphrase_base::WordId;

/// Probability that a word has no translation in the other sentence.
const NULL_PRIOR: f32 = 0.08;
/// Transitions are kept for sentences below this length; longer ones are rare.
const KEPT: usize = 128;

/// The transitions of sentences of each length, of one direction.
pub(crate) struct Hmm {
    jumps: Jumps,
    kept: Vec<Transitions>,
}

impl Hmm {
    pub fn new(jumps: &Jumps) -> Self {
        Self { jumps: jumps.clone(), kept: (1..KEPT).map(|states| Transitions::new(jumps, states)).collect() }
    }
}

/// One direction of a sentence pair: positions of the one sentence (states) explain the words of the other.
#[derive(Default)]
struct Direction {
    states: usize,
    /// p(word|position), words × states.
    emitted: Vec<f32>,
    /// p(word|NULL).
    null: Vec<f32>,
    /// p(position|word, both sentences), words × states.
    posterior: Vec<f32>,
    /// p(NULL|word, both sentences).
    null_posterior: Vec<f32>,
}

/// Memory for one sentence pair, kept for the next: the links' posteriors in both directions.
#[derive(Default)]
pub(crate) struct PairPosteriors {
    /// The slot of each word pair, source × target.
    slots: Vec<SlotId>,
    /// Forward and backward.
    directions: [Direction; 2],
    distances: Vec<f32>,
    chain: Chain,
}

impl PairPosteriors {
    /// Posteriors of the model with the diagonal prior.
    pub fn diagonal(&mut self, table: &Table, pair: Pair<'_>, priors: &[Diagonal; 2], means: &mut [Distances; 2]) {
        self.look_up(table, pair);
        for ((direction, prior), means) in self.directions.iter_mut().zip(priors).zip(means) {
            self.distances.resize(direction.states, 0.0);
            direction.diagonal(prior, &mut self.distances, means);
        }
    }

    /// Posteriors of the HMM; with `counts` also the expected jumps.
    pub fn hmm(&mut self, table: &Table, pair: Pair<'_>, hmm: &[Hmm; 2], counts: Option<&mut [JumpCounts; 2]>) {
        self.look_up(table, pair);
        let mut counts = counts.map(|counts| counts.iter_mut());
        for (direction, hmm) in self.directions.iter_mut().zip(hmm) {
            let emissions = Emissions { words: &direction.emitted, null: &direction.null, null_prior: NULL_PRIOR };
            let made;
            let transitions = match hmm.kept.get(direction.states - 1) {
                Some(transitions) => transitions,
                None => {
                    made = Transitions::new(&hmm.jumps, direction.states);
                    &made
                }
            };
            let counts = counts.as_mut().and_then(Iterator::next);
            let (posterior, null_posterior) = (&mut direction.posterior, &mut direction.null_posterior);
            self.chain.posteriors(transitions, &emissions, posterior, null_posterior, counts);
        }
    }

    fn look_up(&mut self, table: &Table, pair: Pair<'_>) {
        let (source, target) = (pair.source.len(), pair.target.len());
        self.slots.clear();
        for &s in pair.source {
            self.slots.extend(pair.target.iter().map(|&t| table.find(s, t)));
        }
        let [forward, backward] = &mut self.directions;
        forward.resize(source, pair.target, |word| table.null(0, word));
        backward.resize(target, pair.source, |word| table.null(1, word));
        for (s, slots) in self.slots.chunks_exact(target).enumerate() {
            for (t, &slot) in slots.iter().enumerate() {
                let [p, q] = table.probabilities(slot);
                forward.emitted[t * source + s] = p;
                backward.emitted[s * target + t] = q;
            }
        }
    }

    /// Adds the posteriors to the table's counts, each direction its own.
    pub fn count(&self, table: &Table, pair: Pair<'_>) {
        self.count_links(table, pair, |forward, backward| [forward, backward]);
    }

    /// Adds the agreement of the two directions, the product of their posteriors, to the counts of both (Liang, Taskar
    /// and Klein 2006, section 4).
    pub fn count_agreement(&self, table: &Table, pair: Pair<'_>) {
        self.count_links(table, pair, |forward, backward| [forward * backward; 2]);
    }

    fn count_links(&self, table: &Table, pair: Pair<'_>, counts: impl Fn(f32, f32) -> [f32; 2]) {
        let (source, target) = (pair.source.len(), pair.target.len());
        let [forward, backward] = &self.directions;
        for (s, slots) in self.slots.chunks_exact(target).enumerate() {
            for (t, &slot) in slots.iter().enumerate() {
                table.add(slot, counts(forward.posterior[t * source + s], backward.posterior[s * target + t]));
            }
        }
        let words = [pair.target, pair.source];
        for (at, (direction, words)) in self.directions.iter().zip(words).enumerate() {
            for (&word, &p) in words.iter().zip(&direction.null_posterior) {
                table.add_null(at, word, p);
            }
        }
    }

    /// How well the words of both sides translate each other: the mean, over all words, of the probability of the word
    /// given that word of the other side which makes it most probable.
    pub fn agreement(&self, pair: Pair<'_>) -> f32 {
        let best = |direction: &Direction| -> f32 {
            let rows = direction.emitted.chunks_exact(direction.states);
            rows.map(|row| row.iter().copied().fold(0.0, f32::max)).sum()
        };
        self.directions.iter().map(best).sum::<f32>() / (pair.source.len() + pair.target.len()) as f32
    }

    /// The most probable link of each word, in both directions, made one alignment.
    pub fn alignment(&self, pair: Pair<'_>, method: Symmetrization) -> Alignment {
        let link = |source: usize, target: usize| Link { source: source as u32, target: target as u32 };
        let forward = self.directions[0].best().map(|(word, position)| link(position, word)).collect();
        let backward = self.directions[1].best().map(|(word, position)| link(word, position)).collect();
        method.apply(forward, backward, pair.source.len(), pair.target.len())
    }
}

impl Direction {
    fn resize(&mut self, states: usize, words: &[WordId], null: impl Fn(WordId) -> f32) {
        self.states = states;
        self.null.clear();
        self.null.extend(words.iter().map(|&word| null(word)));
        self.emitted.resize(states * words.len(), 0.0);
        self.posterior.resize(states * words.len(), 0.0);
        self.null_posterior.resize(words.len(), 0.0);
    }

    fn diagonal(&mut self, prior: &Diagonal, distances: &mut [f32], means: &mut Distances) {
        let words = self.null.len();
        let rows = self.posterior.chunks_exact_mut(self.states).zip(self.emitted.chunks_exact(self.states));
        for (word, ((row, emitted), none)) in rows.zip(&mut self.null_posterior).enumerate() {
            prior.fill(row, distances, word, words);
            let expected = mean(row, distances);
            let (mut total, null) = (0.0, NULL_PRIOR * self.null[word]);
            for (p, emitted) in row.iter_mut().zip(emitted) {
                *p *= (1.0 - NULL_PRIOR) * emitted;
                total += *p;
            }
            let scale = 1.0 / (total + null);
            row.iter_mut().for_each(|p| *p *= scale);
            *none = null * scale;
            // NULL has no place, so the prior counts as often as some place explains the word.
            means.add(mean(row, distances), expected * total * scale);
        }
    }

    /// Words whose most probable origin is a position; the first of equal ones.
    fn best(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.posterior.chunks_exact(self.states).zip(&self.null_posterior);
        rows.enumerate().filter_map(|(word, (row, &none))| {
            let mut best = 0;
            for (position, p) in row.iter().enumerate() {
                if *p > row[best] {
                    best = position;
                }
            }
            (row[best] > none).then_some((word, best))
        })
    }
}

fn mean(probabilities: &[f32], numbers: &[f32]) -> f32 {
    probabilities.iter().zip(numbers).map(|(p, number)| p * number).sum()
}

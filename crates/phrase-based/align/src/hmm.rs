//! Posteriors of an HMM of word alignment.
//!
//! The positions of one sentence are the states, and they emit the words of the other sentence (Vogel, Ney and Tillmann
//! 1996). A word may come from no position; the chain then stays where it is (Och and Ney 2003). Before the first
//! word it is at a position of its own, left of the sentence.

use crate::jumps::{JumpCounts, Jumps};

/// Rows of floats are padded to a multiple of this, so that loops over them become vector instructions.
const LANES: usize = 8;
/// Part of a transition's probability that does not depend on the jump.
const UNIFORM: f32 = 0.05;
/// A place with less probability than this is left out: it would not change a posterior that is used.
const NEGLIGIBLE: f32 = 1e-7;

/// Transition probabilities between the positions of a sentence; position number `states` is the start.
pub(crate) struct Transitions {
    states: usize,
    /// Row length of the matrices.
    stride: usize,
    /// `to` by `from`.
    forward: Vec<f32>,
    /// `from` by `to`.
    backward: Vec<f32>,
    /// Weight of the jump from a position to the end of the sentence.
    end: Vec<f32>,
}

impl Transitions {
    pub fn new(jumps: &Jumps, states: usize) -> Self {
        let stride = (states + 1).next_multiple_of(LANES);
        let mut forward = vec![0.0; (states + 1) * stride];
        let mut backward = vec![0.0; states * stride];
        let mut end = vec![0.0; stride];
        for from in 0..=states {
            let weight = |to: usize| jumps.weight(jump(from, to, states));
            let total: f32 = (0..states).map(weight).sum();
            for to in 0..states {
                let p = (1.0 - UNIFORM) * weight(to) / total + UNIFORM / states as f32;
                forward[from * stride + to] = p;
                backward[to * stride + from] = p;
            }
            end[from] = weight(states);
        }
        Self { states, stride, forward, backward, end }
    }
}

/// The distance from one position to another in a sentence of `states` positions; the start counts as position −1.
fn jump(from: usize, to: usize, states: usize) -> isize {
    if from == states { to as isize + 1 } else { to as isize - from as isize }
}

/// The probabilities of the words of a sentence pair at each position.
pub(crate) struct Emissions<'a> {
    /// Probability of each word at each position, words × states.
    pub words: &'a [f32],
    /// Probability of each word at no position.
    pub null: &'a [f32],
    /// Probability that a word has no position.
    pub null_prior: f32,
}

/// Memory for one sentence pair, kept for the next.
#[derive(Default)]
pub(crate) struct Chain {
    /// Where the chain is before each word, and after the last one: (words + 1) × stride, each row sums to 1.
    places: Vec<f32>,
    /// Joint probability of each word at each position given the words before: words × stride.
    reached: Vec<f32>,
    /// How well the words from some word on are explained, by position; any scale.
    rest: Vec<f32>,
    /// The same with the next word at this position.
    ahead: Vec<f32>,
    /// Expected number of transitions over their probability: from × stride.
    transitions: Vec<f32>,
}

impl Chain {
    /// Fills `posterior` (words × states) and `null_posterior` (words) with the probability that a word comes from a
    /// position, or from no position, given both sentences; adds the expected jumps to `counts`.
    pub fn posteriors(
        &mut self,
        model: &Transitions,
        emissions: &Emissions<'_>,
        posterior: &mut [f32],
        null_posterior: &mut [f32],
        counts: Option<&mut JumpCounts>,
    ) {
        self.forward(model, emissions);
        self.rest.clear();
        self.rest.extend_from_slice(&model.end);
        if counts.is_some() {
            self.transitions.clear();
            self.transitions.resize((model.states + 1) * model.stride, 0.0);
        }
        let rows = posterior.chunks_exact_mut(model.states).zip(null_posterior);
        for (word, (row, none)) in rows.enumerate().rev() {
            self.backward(model, emissions, word, row, none, counts.is_some());
        }
        if let Some(counts) = counts {
            self.add_jumps(model, counts);
        }
    }

    fn forward(&mut self, model: &Transitions, emissions: &Emissions<'_>) {
        let Transitions { states, stride, .. } = *model;
        let words = emissions.null.len();
        self.places.clear();
        self.places.resize((words + 1) * stride, 0.0);
        self.places[states] = 1.0;
        self.reached.clear();
        self.reached.resize(words * stride, 0.0);
        for word in 0..words {
            let (before, after) = self.places[word * stride..(word + 2) * stride].split_at_mut(stride);
            let reached = &mut self.reached[word * stride..(word + 1) * stride];
            for (&place, row) in before.iter().zip(model.forward.chunks_exact(stride)) {
                if place > NEGLIGIBLE {
                    add_scaled(reached, place, row);
                }
            }
            let emitted = &emissions.words[word * states..(word + 1) * states];
            for (reached, emitted) in reached.iter_mut().zip(emitted) {
                *reached *= (1.0 - emissions.null_prior) * emitted;
            }
            let stay = emissions.null_prior * emissions.null[word];
            for ((after, before), reached) in after.iter_mut().zip(before).zip(reached) {
                *after = *reached + stay * *before;
            }
            scale_to(after, after.iter().sum());
        }
    }

    /// One word of the backward pass: its posteriors, and `rest` for the word before it.
    fn backward(
        &mut self,
        model: &Transitions,
        emissions: &Emissions<'_>,
        word: usize,
        posterior: &mut [f32],
        null_posterior: &mut f32,
        count: bool,
    ) {
        let Transitions { states, stride, .. } = *model;
        let before = &self.places[word * stride..(word + 1) * stride];
        let stay = emissions.null_prior * emissions.null[word];
        for ((p, reached), rest) in posterior.iter_mut().zip(&self.reached[word * stride..]).zip(&self.rest) {
            *p = reached * rest;
        }
        *null_posterior = stay * before.iter().zip(&self.rest).map(|(before, rest)| before * rest).sum::<f32>();
        // The sum of the two is the scale of this word's transitions, too.
        let total = posterior.iter().sum::<f32>() + *null_posterior;
        scale_to(posterior, total);
        *null_posterior /= total;

        self.ahead.clear();
        self.ahead.resize(stride, 0.0);
        let emitted = &emissions.words[word * states..(word + 1) * states];
        for ((ahead, rest), emitted) in self.ahead.iter_mut().zip(&self.rest).zip(emitted) {
            *ahead = (1.0 - emissions.null_prior) * emitted * rest;
        }
        if count {
            for (&place, row) in before.iter().zip(self.transitions.chunks_exact_mut(stride)) {
                if place > NEGLIGIBLE {
                    add_scaled(row, place / total, &self.ahead);
                }
            }
        }
        let negligible = NEGLIGIBLE * self.ahead.iter().sum::<f32>();
        self.rest.iter_mut().for_each(|rest| *rest *= stay);
        for (&ahead, row) in self.ahead.iter().zip(model.backward.chunks_exact(stride)) {
            if ahead > negligible {
                add_scaled(&mut self.rest, ahead, row);
            }
        }
        let sum = self.rest.iter().sum();
        scale_to(&mut self.rest, sum);
    }

    fn add_jumps(&self, model: &Transitions, counts: &mut JumpCounts) {
        let Transitions { states, stride, .. } = *model;
        for from in 0..=states {
            let row = from * stride..from * stride + states;
            for (to, (times, p)) in self.transitions[row.clone()].iter().zip(&model.forward[row]).enumerate() {
                counts.add(jump(from, to, states), times * p);
            }
        }
        let last = &self.places[self.places.len() - stride..];
        let total: f32 = last.iter().zip(&model.end).map(|(place, end)| place * end).sum();
        for (from, (place, end)) in last[..=states].iter().zip(&model.end).enumerate() {
            counts.add(jump(from, states, states), place * end / total);
        }
    }
}

/// `sum += factor · row`
fn add_scaled(sum: &mut [f32], factor: f32, row: &[f32]) {
    for (sum, row) in sum.chunks_exact_mut(LANES).zip(row.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sum[lane] += factor * row[lane];
        }
    }
}

/// Divides by `sum`.
fn scale_to(row: &mut [f32], sum: f32) {
    let scale = 1.0 / sum;
    row.iter_mut().for_each(|number| *number *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NULL_PRIOR: f32 = 0.2;

    /// Sums over all ways to give each word a position or none, with the joint probability from the definition.
    fn enumerate(model: &Transitions, words: &[f32], null: &[f32]) -> (Vec<f64>, Vec<f64>, f64) {
        let (states, length) = (model.states, null.len());
        let (mut posterior, mut nulls, mut steps) = (vec![0.0; words.len()], vec![0.0; length], 0.0);
        let mut total = 0.0;
        for code in 0..(states + 1).pow(length as u32) {
            let way: Vec<usize> = (0..length).map(|word| code / (states + 1).pow(word as u32) % (states + 1)).collect();
            let (mut p, mut place, mut ones) = (1.0, states, 0.0);
            for (word, &to) in way.iter().enumerate() {
                if to == states {
                    p *= f64::from(NULL_PRIOR * null[word]);
                    continue;
                }
                p *= f64::from((1.0 - NULL_PRIOR) * words[word * states + to]);
                p *= f64::from(model.forward[place * model.stride + to]);
                ones += f64::from(jump(place, to, states) == 1);
                place = to;
            }
            p *= f64::from(model.end[place]);
            ones += f64::from(jump(place, states, states) == 1);
            total += p;
            steps += p * ones;
            for (word, &to) in way.iter().enumerate() {
                if to == states { nulls[word] += p } else { posterior[word * states + to] += p }
            }
        }
        let normalise = |all: Vec<f64>| all.into_iter().map(|p| p / total).collect();
        (normalise(posterior), normalise(nulls), steps / total)
    }

    #[test]
    fn posteriors_are_those_of_the_enumeration() {
        for (states, length) in [(1, 1), (3, 4), (4, 3), (2, 6), (1, 3)] {
            let model = Transitions::new(&Jumps::new(), states);
            let words: Vec<f32> = (0..states * length).map(|n| 0.01 + (n * 7 % 11) as f32 / 20.0).collect();
            let null: Vec<f32> = (0..length).map(|n| 0.02 + (n * 3 % 5) as f32 / 10.0).collect();
            let (expected, expected_null, steps) = enumerate(&model, &words, &null);
            let (mut posterior, mut null_posterior) = (vec![0.0; words.len()], vec![0.0; length]);
            let mut counts = JumpCounts::new();
            let emissions = Emissions { words: &words, null: &null, null_prior: NULL_PRIOR };
            Chain::default().posteriors(&model, &emissions, &mut posterior, &mut null_posterior, Some(&mut counts));
            let found = posterior.iter().chain(&null_posterior);
            for (found, expected) in found.zip(expected.iter().chain(&expected_null)) {
                assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} {expected}");
            }
            assert!((counts.count(1) - steps).abs() < 1e-5, "{} {steps}", counts.count(1));
        }
    }
}

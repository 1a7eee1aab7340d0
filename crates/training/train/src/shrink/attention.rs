//! Several attentions as one.
//!
//! An unfolded network attends once for each member. A network of the size of a member has one attention: its weights
//! have to be near the mean of the members' weights ᾱ, so its energies near ln ᾱ but for a number that all source words
//! of a target word have in common.

use super::activities::Pass;
use crate::tape::AdditiveAttention;
use metaphrase_kernels::Matrix;

/// Pairs of target and source word of a batch that are looked at; others are left out evenly.
const PAIRS: usize = 4000;
/// Each source word counts as if attention gave the words of its sentence this much in equal parts, so that words
/// without attention stay so.
const FLOOR: f32 = 0.1;
/// Floor of the attention before its logarithm is taken.
const LEAST: f32 = 1e-4;

/// One row for each pair of a target word and a source word: tanh(key + query) of all neurons, less the mean of the
/// target word's rows, and last ln ᾱ, less its mean, all weighted by the square root of ᾱ.
///
/// `of` are the members, whose weights are the aim; `by` is the network whose neurons are looked at: the members again,
/// or the smaller one.
pub(super) fn rows(of: &[Pass<'_>], by: &[Pass<'_>], v: &str) -> Matrix {
    let aims: Vec<_> = of.iter().map(|pass| pass.attentions(v)).collect();
    let neurons: Vec<_> = by.iter().map(|pass| pass.attentions(v)).collect();
    let pairs: usize = aims[0].iter().map(|(_, weights)| weights.cols()).sum();
    let every = pairs.div_ceil(PAIRS).max(1);
    let (mut rows, mut query) = (Vec::new(), 0_usize);
    for (step, (attention, _)) in aims[0].iter().enumerate() {
        let mut start = 0;
        for (row, span) in attention.spans.iter().enumerate() {
            let words = start..start + span.len();
            start = words.end;
            query += 1;
            if !query.is_multiple_of(every) {
                continue;
            }
            let weights = aims.iter().map(|steps| &steps[step].1.as_slice()[words.clone()]);
            let aim = mean(weights, span.len(), of.len());
            let step_states = by.iter().zip(&neurons).map(|(pass, steps)| (pass, steps[step].0)).collect::<Vec<_>>();
            add_rows(&mut rows, &step_states, row, span.clone(), &aim);
        }
    }
    let columns = columns(by, &neurons) + 1;
    Matrix::from_vec(rows.len() / columns, columns, rows)
}

/// Number of neurons.
fn columns(by: &[Pass<'_>], neurons: &[Vec<(&AdditiveAttention, &Matrix)>]) -> usize {
    by.iter().zip(neurons).filter_map(|(pass, steps)| Some(pass.value(steps.first()?.0.queries).cols())).sum()
}

/// The mean of the members' attention to the words of a sentence.
fn mean<'a>(weights: impl Iterator<Item = &'a [f32]>, words: usize, count: usize) -> Vec<f32> {
    let mut mean = vec![0.0; words];
    for weights in weights {
        mean.iter_mut().zip(weights).for_each(|(mean, weight)| *mean += weight / count as f32);
    }
    mean
}

/// The rows of a target word.
fn add_rows(
    rows: &mut Vec<f32>,
    neurons: &[(&Pass<'_>, &AdditiveAttention)],
    row: usize,
    span: std::ops::Range<usize>,
    aim: &[f32],
) {
    let (words, begin) = (span.len(), rows.len());
    for (word, &aim) in span.zip(aim) {
        for (pass, attention) in neurons {
            let (key, query) = (pass.value(attention.keys).row(word), pass.value(attention.queries).row(row));
            rows.extend(key.iter().zip(query).map(|(key, query)| (key + query).tanh()));
        }
        rows.push(aim.max(LEAST).ln());
    }
    let columns = (rows.len() - begin) / words;
    let shares = aim.iter().map(|aim| (aim + FLOOR / words as f32) / (1.0 + FLOOR)).collect::<Vec<_>>();
    let mut means = vec![0.0; columns];
    for (row, share) in rows[begin..].chunks_exact(columns).zip(&shares) {
        means.iter_mut().zip(row).for_each(|(mean, number)| *mean += share * number);
    }
    for (row, share) in rows[begin..].chunks_exact_mut(columns).zip(&shares) {
        row.iter_mut().zip(&means).for_each(|(number, mean)| *number = (*number - mean) * share.sqrt());
    }
}

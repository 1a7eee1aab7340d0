//! Training of a unigram language model of pieces (Kudo 2018, "Subword Regularization", section 3.2): from many
//! pieces, those that the likelihood of the text misses least are taken away, round after round.
//!
//! Each round estimates the pieces' probabilities by expectation maximisation, then drops a quarter of the pieces.
//! The maximisation is the Bayesian one of SentencePiece: `exp(digamma(count))` instead of the count, which makes
//! rare pieces rarer.

use super::corpus::{Corpus, Word};
use super::lattice::{Lattice, Model, Piece};
use super::parallel::sum_of_shares;
use super::{Progress, TrainError as Error, TrainOptions};
use std::collections::HashSet;

/// Pieces that are expected less often than this are dropped.
const MIN_EXPECTED: f64 = 0.5;
/// The rounds end with this many times the requested number of pieces; the last cut is by probability.
const MARGIN: f64 = 1.1;
/// A string and its share of the text, in any unit.
pub(super) type Seed = (Box<str>, f64);

/// A trained model: its `size` best pieces (or all, if there are fewer), the best first, and the number of rounds.
pub(super) fn train(
    corpus: &Corpus,
    seeds: Vec<Seed>,
    size: usize,
    options: &TrainOptions,
    mut progress: impl FnMut(Progress),
) -> Result<(Vec<Piece>, usize), Error> {
    let target = (options.vocab_size as f64 * MARGIN) as usize;
    let mut model = Model::new(with_log_shares(seeds))?;
    // Pieces that the last round dropped. They fill the vocabulary if too few are left.
    let mut reserve = Vec::new();
    let mut rounds = 0;
    loop {
        for _ in 0..options.unigram.sub_iterations {
            let (expected, log_likelihood) = expect(&model, &corpus.words, options.threads);
            let (kept, dropped) = maximize(model.pieces, &expected);
            reserve.extend(dropped);
            model = Model::new(kept)?;
            progress(Progress::Estimated {
                pieces: model.pieces.len(),
                log_likelihood: log_likelihood / corpus.character_count() as f64,
            });
        }
        rounds += 1;
        if model.pieces.len() <= target {
            break;
        }
        let kept = (options.unigram.shrinking_factor * model.pieces.len() as f64) as usize;
        let (kept, dropped) = prune(model, &corpus.words, kept.max(target), options.threads);
        model = Model::new(kept)?;
        reserve = dropped;
    }
    if rounds == 1 {
        // There were never more: the text supports no more pieces.
        reserve.clear();
    }
    Ok((best(model.pieces, reserve, size), rounds))
}

/// Scores as the logarithms of shares in their sum.
fn with_log_shares(seeds: Vec<Seed>) -> Vec<Piece> {
    let log_sum = seeds.iter().map(|(_, score)| score).sum::<f64>().ln();
    seeds.into_iter().map(|(text, score)| Piece { text, score: score.ln() - log_sum }).collect()
}

/// How often each piece is expected in the text, and the text's log-probability.
fn expect(model: &Model, words: &[Word], threads: usize) -> (Vec<f64>, f64) {
    let zero = || (vec![0.0; model.pieces.len()], 0.0);
    let count = |words: &mut dyn Iterator<Item = &Word>| {
        let mut lattice = Lattice::default();
        let (mut expected, mut log_likelihood) = zero();
        for word in words {
            log_likelihood += word.count as f64 * lattice.expect(model, &word.text, word.count, &mut expected);
        }
        (expected, log_likelihood)
    };
    sum_of_shares(words, threads, zero(), count, |(all, likelihood), (more, its_likelihood)| {
        all.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        *likelihood += its_likelihood;
    })
}

/// The pieces that are expected often enough, with new scores; and those that are not, with their old ones.
fn maximize(pieces: Vec<Piece>, expected: &[f64]) -> (Vec<Piece>, Vec<Piece>) {
    let (mut kept, mut dropped) = (Vec::with_capacity(pieces.len()), Vec::new());
    let mut sum = 0.0;
    for (piece, &expected) in pieces.into_iter().zip(expected) {
        if expected >= MIN_EXPECTED || piece.is_character() {
            let expected = expected.max(MIN_EXPECTED);
            sum += expected;
            kept.push(Piece { score: digamma(expected), ..piece });
        } else {
            dropped.push(piece);
        }
    }
    let log_sum = digamma(sum);
    kept.iter_mut().for_each(|piece| piece.score -= log_sum);
    (kept, dropped)
}

/// The derivative of ln Γ, for positive numbers: ψ(x) = ψ(x + 1) - 1/x up to where the asymptotic series in 1/x²
/// (Abramowitz and Stegun 6.3.18) is exact to some 1e-13.
fn digamma(mut x: f64) -> f64 {
    let mut result = 0.0;
    while x < 10.0 {
        result -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square
        * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
    result + x.ln() - 0.5 / x - series
}

/// The `size` pieces whose loss would cost most, more if more are characters, fewer if fewer are in use; and the
/// others.
fn prune(model: Model, words: &[Word], size: usize, threads: usize) -> (Vec<Piece>, Vec<Piece>) {
    let frequency = best_frequencies(&model, words, threads);
    let sum = frequency.iter().sum::<u64>() as f64;
    let ids: Vec<u32> = (0..model.pieces.len() as u32).collect();
    let losses = |ids: &mut dyn Iterator<Item = &u32>| {
        let mut lattice = Lattice::default();
        ids.filter_map(|&id| Some((loss(&model, id, &frequency, sum, &mut lattice)?, id))).collect::<Vec<_>>()
    };
    let mut losses = sum_of_shares(&ids, threads, Vec::new(), losses, |all, more| all.extend(more));
    // Greatest loss first; the ids keep equal ones in order.
    losses.sort_unstable_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
    losses.truncate(size.max(losses.partition_point(|&(loss, _)| loss == f64::INFINITY)));
    let mut is_kept = vec![false; model.pieces.len()];
    losses.iter().for_each(|&(_, id)| is_kept[id as usize] = true);
    let (mut kept, mut dropped) = (Vec::with_capacity(losses.len()), Vec::new());
    for (piece, is_kept) in model.pieces.into_iter().zip(is_kept) {
        if is_kept { kept.push(piece) } else { dropped.push(piece) }
    }
    (kept, dropped)
}

/// How often each piece is in the best segmentations of the words.
fn best_frequencies(model: &Model, words: &[Word], threads: usize) -> Vec<u64> {
    let zero = || vec![0; model.pieces.len()];
    let count = |words: &mut dyn Iterator<Item = &Word>| {
        let mut lattice = Lattice::default();
        let mut frequency = zero();
        for word in words {
            let pieces = lattice.best(model, &word.text, None).map_or(Vec::new(), |(pieces, _)| pieces);
            pieces.iter().for_each(|&piece| frequency[piece as usize] += word.count);
        }
        frequency
    };
    sum_of_shares(words, threads, zero(), count, |all, more| {
        all.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    })
}

/// By how much the log-probability of the text would fall if its best segmentations had to do without piece `id`, and
/// had the best segmentation of the piece instead: infinite for characters, `None` for pieces that are not missed.
fn loss(model: &Model, id: u32, frequency: &[u64], sum: f64, lattice: &mut Lattice) -> Option<f64> {
    let piece = &model.pieces[id as usize];
    if piece.is_character() {
        return Some(f64::INFINITY);
    }
    let times = frequency[id as usize];
    let (instead, score) = lattice.best(model, &piece.text, Some(id))?;
    if times == 0 || score > piece.score {
        return None;
    }
    let log_prob = (times as f64).ln() - sum.ln();
    let log_sum_instead = (sum + times as f64 * (instead.len() - 1) as f64).ln();
    let log_prob_instead: f64 =
        instead.iter().map(|&other| ((frequency[other as usize] + times) as f64).ln() - log_sum_instead).sum();
    Some(times as f64 * (log_prob - log_prob_instead))
}

/// The `size` most probable pieces, all characters among them, the most probable first; from `reserve` if there are
/// too few.
fn best(mut pieces: Vec<Piece>, mut reserve: Vec<Piece>, size: usize) -> Vec<Piece> {
    let by_score = |a: &Piece, b: &Piece| b.score.total_cmp(&a.score).then_with(|| a.text.cmp(&b.text));
    let known: HashSet<Box<str>> = pieces.iter().map(|piece| piece.text.clone()).collect();
    reserve.retain(|piece| !known.contains(&piece.text));
    reserve.sort_unstable_by(by_score);
    reserve.truncate(size.saturating_sub(pieces.len()));
    // They were too rare to keep: no more probable than the rarest that was kept.
    let least = pieces.iter().map(|piece| piece.score).fold(0.0, f64::min);
    pieces.extend(reserve.into_iter().map(|piece| Piece { score: piece.score.min(least), ..piece }));
    pieces.sort_unstable_by(by_score);
    let mut room = size.saturating_sub(pieces.iter().filter(|piece| piece.is_character()).count());
    pieces.retain(|piece| {
        piece.is_character() || {
            let fits = room > 0;
            room -= usize::from(fits);
            fits
        }
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_exact() {
        // ψ(1) = -γ, ψ(1/2) = -γ - 2 ln 2, ψ(10) = -γ + 1 + 1/2 + … + 1/9.
        let gamma = 0.577_215_664_901_532_9;
        let harmonic: f64 = (1..10).map(|n| 1.0 / f64::from(n)).sum();
        for (x, expected) in [(1.0, -gamma), (0.5, -gamma - 2.0 * 2f64.ln()), (10.0, harmonic - gamma)] {
            assert!((digamma(x) - expected).abs() < 1e-12, "{x}: {} {expected}", digamma(x));
        }
    }

    #[test]
    fn a_piece_is_missed_by_what_its_parts_cost() {
        // 8 times ab, twice a, 4 times b: 14 pieces.
        let pieces = [("a", 2.0), ("b", 4.0), ("ab", 8.0)];
        let piece = |(text, count): (&str, f64)| Piece { text: text.into(), score: (count / 14.0f64).ln() };
        let model = Model::new(pieces.map(piece).to_vec()).unwrap();
        let found = loss(&model, 2, &[2, 4, 8], 14.0, &mut Lattice::default()).unwrap();
        // Without it a is there 10 times, b 12, of 22 pieces.
        let expected = 8.0 * ((8.0f64 / 14.0).ln() - (10.0f64 / 22.0).ln() - (12.0f64 / 22.0).ln());
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert_eq!(loss(&model, 2, &[2, 4, 0], 6.0, &mut Lattice::default()), None);
        assert_eq!(loss(&model, 0, &[2, 4, 8], 14.0, &mut Lattice::default()), Some(f64::INFINITY));
    }
}

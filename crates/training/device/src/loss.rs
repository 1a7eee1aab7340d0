//! The loss of words, from their logits.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, exp_in_place, log_sum_exp, vectorised};

/// The loss of a word.
///
/// With logits l, ln Z = ln Σ eˡ and the right word y, a word's loss is
///
/// ```text
/// -(1 - ε) · (l_y - ln Z) - ε/V · Σ_v (l_v - ln Z) + α · (ln Z)²
/// ```
///
/// label smoothing ε (Szegedy et al. 2016) and self-normalisation α (Zhang et al. 2018, eq. 11).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordLoss {
    /// ε, from 0 to 1.
    pub smoothing: f32,
    /// α, 0 or more.
    pub self_normalisation: f32,
    /// The loss that is differentiated is the sum of the words' losses times this.
    pub weight: f32,
}

/// Losses of some words, not multiplied with a weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordLosses {
    /// Sum of the words' losses.
    pub loss: f64,
    /// ln p of each word, without smoothing.
    pub log_probs: Vec<f32>,
    /// ln Z of each word.
    pub log_z: Vec<f32>,
}

/// The numbers of a row of logits that the loss of its word is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowOfLogits {
    /// ln p of the word.
    pub log_prob: f32,
    /// ln Z of the row.
    pub log_z: f32,
    /// Sum of all logits; read only if the loss is smoothed.
    pub sum: f64,
    /// Number of logits.
    pub words: usize,
}

impl WordLosses {
    /// Adds the loss of a word.
    pub fn push(&mut self, loss: WordLoss, row: RowOfLogits) {
        let WordLoss { smoothing, self_normalisation, .. } = loss;
        let RowOfLogits { log_prob, log_z, sum, words } = row;
        let mut word_loss = f64::from(-(1.0 - smoothing) * log_prob + self_normalisation * log_z * log_z);
        if smoothing > 0.0 {
            let uniform = smoothing / words as f32;
            word_loss -= f64::from(uniform) * (sum - f64::from(log_z) * words as f64);
        }
        self.loss += word_loss;
        self.log_probs.push(log_prob);
        self.log_z.push(log_z);
    }
}

/// Losses of words.
pub trait Losses: Storage {
    /// Losses that are read later, so that the CPU does not wait for a device in the middle of its work.
    type Unread: Default + Send;

    /// Rows of logits that are best worked on at a time.
    fn logit_rows(&self) -> usize;

    /// Adds the losses of `words`, one per row of the logits, which become the derivatives by them if `derive`.
    fn losses(
        &mut self,
        logits: &mut Self::Matrix,
        words: &[u32],
        loss: WordLoss,
        derive: bool,
        losses: &mut Self::Unread,
    );

    /// Adds a loss that belongs to no word.
    fn add_loss(loss: f64, losses: &mut Self::Unread);

    /// Waits for the losses.
    fn read_losses(&mut self, losses: Self::Unread) -> WordLosses;
}

impl Losses for Host {
    type Unread = WordLosses;

    fn logit_rows(&self) -> usize {
        256 // of 8,000 logits: 8 MB
    }

    fn losses(&mut self, logits: &mut Matrix, words: &[u32], loss: WordLoss, derive: bool, losses: &mut WordLosses) {
        for (r, &word) in words.iter().enumerate() {
            loss.row(logits.row_mut(r), word as usize, derive, losses);
        }
    }

    fn add_loss(loss: f64, losses: &mut WordLosses) {
        losses.loss += loss;
    }

    fn read_losses(&mut self, losses: WordLosses) -> WordLosses {
        losses
    }
}

impl WordLoss {
    fn row(self, logits: &mut [f32], word: usize, derive: bool, losses: &mut WordLosses) {
        let log_z = log_sum_exp(logits);
        let log_prob = logits[word] - log_z;
        let sum = if self.smoothing > 0.0 { sum(logits) } else { 0.0 };
        losses.push(self, RowOfLogits { log_prob, log_z, sum, words: logits.len() });
        if !derive {
            return;
        }
        // p · (1 + 2α ln Z) - (1 - ε) · [v = y] - ε/V
        vectorised(|| logits.iter_mut().for_each(|l| *l -= log_z));
        exp_in_place(logits);
        let factor = self.weight * (1.0 + 2.0 * self.self_normalisation * log_z);
        let constant = self.weight * (self.smoothing / logits.len() as f32);
        vectorised(|| logits.iter_mut().for_each(|p| *p = *p * factor - constant));
        logits[word] -= self.weight * (1.0 - self.smoothing);
    }
}

/// The sum of a row, in sixteen lanes.
fn sum(row: &[f32]) -> f64 {
    let (chunks, rest) = row.as_chunks::<16>();
    let mut lanes = [0.0_f32; 16];
    vectorised(
        #[inline(always)] // the compiler would rather call it, compiled portably
        || chunks.iter().for_each(|chunk| lanes.iter_mut().zip(chunk).for_each(|(lane, v)| *lane += v)),
    );
    lanes.iter().chain(rest).map(|&v| f64::from(v)).sum()
}

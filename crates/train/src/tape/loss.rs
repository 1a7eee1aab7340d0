//! The output layer and the loss, in one: logits live for some rows at a time and never for a whole batch.

use super::{Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{Epilogue, Matrix, exp_in_place, log_sum_exp, vectorised};

/// Rows of logits at a time: 256 · 8,000 floats are 8 MB.
const ROWS: usize = 256;

/// An output layer with its loss.
///
/// With logits l = x · Wᵀ + b, ln Z = ln Σ eˡ and the right word y, a word's loss is
///
/// ```text
/// -(1 - ε) · (l_y - ln Z) - ε/V · Σ_v (l_v - ln Z) + α · (ln Z)²
/// ```
///
/// label smoothing ε (Szegedy et al. 2016) and self-normalisation α (Zhang et al. 2018, eq. 11).
#[derive(Debug, Clone, Copy)]
pub struct OutputLoss {
    /// W, `words × n`.
    pub table: ParameterId,
    /// b, `1 × words`.
    pub bias: Option<ParameterId>,
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

impl Tape<'_> {
    /// The losses of `words`, one per row of `x`; their derivatives by `x` and the layer's parameters are added up.
    ///
    /// # Panics
    /// If there are not as many words as rows.
    pub fn output_loss(&mut self, x: Var, words: &[u32], layer: &OutputLoss) -> WordLosses {
        let (rows, cols) = self.shape(x);
        assert_eq!(rows, words.len(), "words of a loss");
        let mut losses = WordLosses::default();
        let mut grad = self.gradients.is_some().then(|| self.workspace.pool.take(rows, cols));
        for start in (0..rows).step_by(ROWS) {
            let chunk = start..(start + ROWS).min(rows);
            let mut inputs = self.workspace.pool.take(chunk.len(), cols);
            let numbers = start * cols..chunk.end * cols;
            inputs.as_mut_slice().copy_from_slice(&self.value(x).as_slice()[numbers.clone()]);
            let derivative = self.chunk(&inputs, &words[chunk], layer, &mut losses);
            if let (Some(grad), Some(derivative)) = (&mut grad, derivative) {
                grad.as_mut_slice()[numbers].copy_from_slice(derivative.as_slice());
                self.workspace.pool.give(derivative);
            }
            self.workspace.pool.give(inputs);
        }
        if let Some(grad) = grad {
            self.seed(x, grad);
        }
        losses
    }

    /// The losses of some rows and, if gradients are asked for, their derivative by `inputs`.
    fn chunk(&mut self, inputs: &Matrix, words: &[u32], layer: &OutputLoss, losses: &mut WordLosses) -> Option<Matrix> {
        let parameters = self.parameters;
        let packed = parameters.packed_transposed(layer.table);
        let bias = layer.bias.map(|bias| parameters.value(bias).as_slice());
        let mut logits = self.workspace.pool.take(words.len(), packed.outputs());
        let epilogue = Epilogue { bias, ..Epilogue::default() };
        self.workspace.products.product(inputs, packed, epilogue, &mut logits);
        for (r, &word) in words.iter().enumerate() {
            layer.row(logits.row_mut(r), word as usize, self.gradients.is_some(), losses);
        }
        let derivative = self.gradients.as_deref_mut().map(|gradients| {
            if let Some(bias) = layer.bias {
                let sum = gradients.get_mut(bias).as_mut_slice();
                (0..logits.rows()).for_each(|r| metaphrase_kernels::add_assign(sum, logits.row(r)));
            }
            let table = gradients.get_mut(layer.table);
            let products = &mut self.workspace.products;
            products.transposed_product_add(parameters.precision(), &logits, inputs, table);
            let mut derivative = self.workspace.pool.zeros(inputs.rows(), inputs.cols());
            products.product_add(&logits, parameters.packed(layer.table), &mut derivative);
            derivative
        });
        self.workspace.pool.give(logits);
        derivative
    }
}

impl OutputLoss {
    /// The loss of one word; its logits become the derivatives by them if they are asked for.
    fn row(&self, logits: &mut [f32], word: usize, derive: bool, losses: &mut WordLosses) {
        let log_z = log_sum_exp(logits);
        let log_prob = logits[word] - log_z;
        let uniform = self.smoothing / logits.len() as f32;
        let mut loss = f64::from(-(1.0 - self.smoothing) * log_prob + self.self_normalisation * log_z * log_z);
        if self.smoothing > 0.0 {
            loss -= f64::from(uniform) * (sum(logits) - f64::from(log_z) * logits.len() as f64);
        }
        losses.loss += loss;
        losses.log_probs.push(log_prob);
        losses.log_z.push(log_z);
        if !derive {
            return;
        }
        // p · (1 + 2α ln Z) - (1 - ε) · [v = y] - ε/V
        vectorised(|| logits.iter_mut().for_each(|l| *l -= log_z));
        exp_in_place(logits);
        let factor = self.weight * (1.0 + 2.0 * self.self_normalisation * log_z);
        let constant = self.weight * uniform;
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

//! The loss of words: `kernels/training.cu`.

#![allow(unsafe_code)] // launches kernels

use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Losses, RowOfLogits, Shape, Storage, WordLoss, WordLosses};

impl Losses for Cuda {
    fn logit_rows(&self) -> usize {
        2048 // of 32,000 logits: 262 MB
    }

    fn losses(&mut self, logits: &mut Matrix, words: &[u32], loss: WordLoss, derive: bool, losses: &mut WordLosses) {
        let (rows, cols) = (logits.rows(), logits.cols());
        assert_eq!(words.len(), rows, "words of a loss");
        assert!(words.iter().all(|&word| (word as usize) < cols), "a word without a logit");
        let table = self.table(words);
        let mut results = self.take(rows, 3);
        let WordLoss { smoothing, self_normalisation, weight } = loss;
        // SAFETY: there is a block per row and a word per row, which has a logit; each leaves three results.
        self.run(|b| unsafe {
            let (grid, words) = (Grid::rows(rows, cols), table.ids());
            let (logits, results) = (logits.write(), results.write());
            b.losses(grid, logits, words, cols as u32, smoothing, self_normalisation, weight, derive.into(), results)
        });
        let word_losses = self.download(&results);
        for r in 0..rows {
            let [log_prob, log_z, sum] = [0, 1, 2].map(|i| word_losses.row(r)[i]);
            losses.push(loss, RowOfLogits { log_prob, log_z, sum: f64::from(sum), words: cols });
        }
        [table, results].into_iter().for_each(|matrix| self.give(matrix));
    }
}

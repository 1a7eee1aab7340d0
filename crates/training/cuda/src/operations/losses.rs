//! The loss of words: `kernels/training.cu`.

#![allow(unsafe_code)] // launches kernels

use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Losses, RowOfLogits, Shape, Storage, WordLoss, WordLosses};
use metaphrase_kernels as kernels;
use std::ptr::null_mut;

/// Losses in the memory of the device.
#[derive(Default)]
pub struct UnreadLosses {
    /// The losses of no word.
    other: f64,
    blocks: Vec<Block>,
}

/// The losses of many words, to be read at once.
struct Block {
    /// Three numbers for each word: ln p, ln Z, and the sum of the logits.
    results: Matrix,
    /// The rows of `results` that are used.
    rows: usize,
    chunks: Vec<Chunk>,
}

/// Words that had their losses from one launch.
struct Chunk {
    rows: usize,
    loss: WordLoss,
    logits: usize,
}

/// Words of a block, if not more come at once.
const BLOCK_ROWS: usize = 1 << 16;

impl UnreadLosses {
    /// A block with room for this number of words.
    fn with_room(&mut self, cuda: &mut Cuda, rows: usize) -> &mut Block {
        if self.blocks.last().is_none_or(|block| block.results.rows() - block.rows < rows) {
            let results = cuda.take(rows.max(BLOCK_ROWS), 3);
            self.blocks.push(Block { results, rows: 0, chunks: Vec::new() });
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }
}

impl Losses for Cuda {
    type Unread = UnreadLosses;

    fn logit_rows(&self) -> usize {
        2048 // of 32,000 logits: 262 MB
    }

    fn losses(&mut self, logits: &mut Matrix, words: &[u32], loss: WordLoss, derive: bool, losses: &mut UnreadLosses) {
        let (rows, cols) = (logits.rows(), logits.cols());
        assert_eq!(words.len(), rows, "words of a loss");
        assert!(words.iter().all(|&word| (word as usize) < cols), "a word without a logit");
        let table = self.table(words);
        let block = losses.with_room(self, rows);
        let results = block.results.write().wrapping_add(3 * block.rows);
        block.rows += rows;
        block.chunks.push(Chunk { rows, loss, logits: cols });
        let WordLoss { smoothing, self_normalisation, weight } = loss;
        let (logits, rounded) = if derive { self.write_rounded(logits) } else { (logits.write(), null_mut()) };
        // SAFETY: there is a block per row and a word per row, which has a logit; each leaves three results.
        self.run(|b| unsafe {
            let (grid, words, cols, derive) = (Grid::rows(rows, cols), table.ids(), cols as u32, derive.into());
            b.losses(grid, logits, words, cols, smoothing, self_normalisation, weight, derive, results, rounded)
        });
        self.give(table);
    }

    fn add_loss(loss: f64, losses: &mut UnreadLosses) {
        losses.other += loss;
    }

    fn read_losses(&mut self, losses: UnreadLosses) -> WordLosses {
        let mut read = WordLosses { loss: losses.other, ..WordLosses::default() };
        let mut results = kernels::Matrix::new();
        for block in losses.blocks {
            self.download_rows(&block.results, 0..block.rows, &mut results);
            let mut next = 0..block.rows;
            for Chunk { rows, loss, logits: words } in block.chunks {
                for r in next.by_ref().take(rows) {
                    let [log_prob, log_z, sum] = [0, 1, 2].map(|i| results.row(r)[i]);
                    read.push(loss, RowOfLogits { log_prob, log_z, sum: f64::from(sum), words });
                }
            }
            self.give(block.results);
        }
        read
    }
}

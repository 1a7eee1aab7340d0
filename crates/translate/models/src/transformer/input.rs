//! From words to the input of the first layer.

use super::operations::{HighwayWork, Process};
use super::positions::Positions;
use crate::embedding::Embedding;
use metaphrase_base::WordId;
use metaphrase_kernels::{Matrix, scale};

/// Embeddings, positions and what follows them, of the encoder or the decoder.
pub(super) struct Input {
    pub(super) embedding: Embedding,
    pub(super) positions: Positions,
    /// Embeddings are multiplied with this: √d or 1.
    pub(super) scale: f32,
    pub(super) process: Process,
}

impl Input {
    /// The vector of `word` at `position`; without a word, as before a translation begins, of the position alone.
    pub(super) fn write(&self, word: Option<WordId>, position: usize, out: &mut [f32]) {
        match word {
            Some(word) => {
                self.embedding.read(word, out);
                scale(self.scale, out);
            }
            None => out.fill(0.0),
        }
        self.positions.add(position, out);
    }

    /// Turns the vectors that [`write`](Self::write) made into the input of the first layer, in place. They are left
    /// in `embedded`: a skip connection of the whole stack may lead from there.
    pub(super) fn finish(&self, x: &mut Matrix, embedded: &mut Matrix, work: &mut HighwayWork) {
        embedded.resize(x.rows(), x.cols());
        embedded.as_mut_slice().copy_from_slice(x.as_slice());
        self.process.apply(x, embedded, work);
    }
}

//! From words to what the first layer sees.

use super::operations::{Process, ProcessNames};
use super::positions::Positions;
use crate::config::TransformerConfig;
use crate::embedding::Embedding;
use crate::{ModelError, Weights};
use metaphrase_base::WordId;
use metaphrase_kernels::{Matrix, axpy};
use std::sync::Arc;

/// Embeddings, positions and what follows them, of the encoder or the decoder.
pub(super) struct Input {
    embedding: Embedding,
    positions: Arc<Positions>,
    /// Embeddings are multiplied with this: √d or 1.
    scale: f32,
    process: Process,
}

impl Input {
    /// The input of the side `prefix` (`encoder` or `decoder`).
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        config: &TransformerConfig,
        embedding: Embedding,
        positions: Arc<Positions>,
    ) -> Result<Self, ModelError> {
        let dim = config.dim_emb;
        let prefix = format!("{prefix}_emb");
        let process = Process::load(weights, &config.postprocess_emb, ProcessNames::new(config, &prefix, "_pre"))?;
        let scale = if config.scale_embeddings { (dim as f32).sqrt() } else { 1.0 };
        Ok(Self { embedding, positions, scale, process })
    }

    /// The vector of `word` at `position`; without a word, as before a translation begins, of the position alone.
    pub(super) fn write(&self, word: Option<WordId>, position: usize, out: &mut [f32]) {
        out.fill(0.0);
        if let Some(word) = word {
            axpy(self.scale, self.embedding.word(word), out);
        }
        self.positions.add(position, out);
    }

    /// What the first layer sees of the vectors that [`write`](Self::write) made, in place. They themselves are left
    /// in `embedded`: a skip connection of the whole stack may lead from there.
    pub(super) fn finish(&self, x: &mut Matrix, embedded: &mut Matrix, gate: &mut Matrix) {
        embedded.resize(x.rows(), x.cols());
        embedded.as_mut_slice().copy_from_slice(x.as_slice());
        self.process.apply(x, embedded, gate);
    }

    /// Memory that the embeddings take.
    pub(super) fn bytes(&self) -> usize {
        self.embedding.bytes()
    }

    /// Whether both sides share their embeddings.
    pub(super) fn shares_embedding(&self, other: &Self) -> bool {
        self.embedding.is(&other.embedding)
    }
}

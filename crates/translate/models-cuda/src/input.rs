//! From words to the input of the first layer.

use crate::blocks::Process;
use metaphrase_cuda::decoding::DeviceMap;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Elementwise, Shape, Storage};
use metaphrase_models::config::Positions as Kind;
use metaphrase_models::position_vectors;
use std::sync::Arc;

/// Embeddings, positions and the operations after them, of the encoder or the decoder.
pub(crate) struct Input {
    pub(crate) table: Arc<DeviceMap>,
    pub(crate) positions: Positions,
    /// Embeddings are multiplied with this: √d or 1.
    pub(crate) scale: f32,
    pub(crate) process: Process,
    /// Whether the operations after the last layer read the embeddings.
    pub(crate) is_kept: bool,
}

/// How a word knows its place.
#[derive(Clone)]
pub(crate) enum Positions {
    /// Vectors that are computed.
    Computed { kind: Kind, dim: usize },
    /// A trained table; its last row serves all later positions.
    Trained(Arc<Matrix>),
    /// Nothing is added.
    None,
}

/// The vectors of the first positions, of a [`Positions::Computed`].
#[derive(Default)]
pub(crate) struct PositionTable(Option<Matrix>);

/// The input of the first layer, and the embeddings if they are kept.
pub(crate) struct Embedded {
    pub(crate) x: Matrix,
    pub(crate) kept: Option<Matrix>,
}

/// Positions that a table has at least.
const ROWS: usize = 256;

impl PositionTable {
    /// The table with vectors of at least `count` positions.
    fn with(&mut self, cuda: &mut Cuda, kind: Kind, dim: usize, count: usize) -> Option<&Matrix> {
        if self.0.as_ref().is_none_or(|table| table.rows() < count) {
            let vectors = position_vectors(kind, dim, count.next_power_of_two().max(ROWS))?;
            if let Some(old) = self.0.replace(cuda.upload(&vectors)) {
                cuda.give(old);
            }
        }
        self.0.as_ref()
    }
}

impl Input {
    /// The vectors of words at their positions; [`NO_ID`](metaphrase_cuda::decoding::NO_ID) is no word.
    pub(crate) fn apply(&self, cuda: &mut Cuda, table: &mut PositionTable, words: &[u32], places: &[u32]) -> Embedded {
        let mut x = cuda.take(words.len(), self.table.inputs());
        match &self.positions {
            Positions::None => cuda.embed(&self.table, words, self.scale, None, &mut x),
            Positions::Trained(vectors) => {
                let last = vectors.rows() as u32 - 1;
                let places: Vec<u32> = places.iter().map(|&place| place.min(last)).collect();
                cuda.embed(&self.table, words, self.scale, Some((vectors, &places)), &mut x);
            }
            &Positions::Computed { kind, dim } => {
                let count = places.iter().map(|&place| place as usize + 1).max().unwrap_or(0);
                let vectors = table.with(cuda, kind, dim, count).map(|vectors| (vectors, places));
                cuda.embed(&self.table, words, self.scale, vectors, &mut x);
            }
        }
        let kept = (self.is_kept || self.process.reads_input()).then(|| {
            let mut kept = cuda.take(x.rows(), x.cols());
            cuda.copy(&x, &mut kept);
            kept
        });
        if self.process.is_empty() {
            return Embedded { x, kept };
        }
        let x = match &kept {
            Some(kept) => self.process.run(cuda, x, kept),
            None => {
                // Nothing reads the second one.
                let nothing = cuda.take(0, 0);
                let x = self.process.run(cuda, x, &nothing);
                cuda.give(nothing);
                x
            }
        };
        Embedded { x, kept }
    }
}

impl Embedded {
    /// The output of the whole stack: the operations after the last layer, on `x`.
    pub(crate) fn finish(kept: Option<Matrix>, top: &Process, cuda: &mut Cuda, x: Matrix) -> Matrix {
        let kept = kept.unwrap_or_else(|| cuda.take(0, 0));
        let x = top.run(cuda, x, &kept);
        cuda.give(kept);
        x
    }
}

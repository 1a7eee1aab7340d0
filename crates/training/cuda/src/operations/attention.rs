//! Multi-head attention: `kernels/attention.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, optional, same};
use crate::arguments::Heads;
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Attention, AttentionInputs, HeadsAttention, Mask, Shape, Storage};

/// A mask that drops nothing.
const NO_MASK: Mask = Mask { key: 0, threshold: 0, scale: 1.0 };

/// The most queries or keys of a tile: `TILE` of the kernels.
const TILE: usize = 32;

/// Threads of a block: `ATTENTION_THREADS` of the kernels.
const THREADS: u32 = 128;

/// What a tile is made of.
#[derive(Clone, Copy)]
enum Side {
    Queries,
    Keys,
}

/// Tiles of all sentences: eight numbers each, `struct Place` of the kernels.
fn tiles(settings: &HeadsAttention, side: Side) -> Vec<u32> {
    let (mut table, mut start) = (Vec::new(), 0);
    for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
        let own = match side {
            Side::Queries => queries,
            Side::Keys => keys,
        };
        for place in (0..own.len()).step_by(TILE) {
            let count = TILE.min(own.len() - place);
            let sentence = [queries.start, queries.len(), keys.start, keys.len(), start];
            table.extend([own.start + place, count, place].into_iter().chain(sentence).map(|number| number as u32));
        }
        // The first queries of a causal attention see 1, 2, 3, … keys, the others see all.
        let growing = if settings.causal { queries.len().min(keys.len()) } else { 0 };
        start += settings.heads * (growing * (growing + 1) / 2 + (queries.len() - growing) * keys.len());
    }
    table
}

impl Cuda {
    /// Asserts that spans and shapes fit.
    fn heads(inputs: &AttentionInputs<'_, Matrix>, weights: &Matrix, y: &Matrix) -> Heads {
        let AttentionInputs { inputs: [q, k, v], settings, mask } = *inputs;
        let HeadsAttention { heads, causal, .. } = *settings;
        assert_eq!(settings.queries.len(), settings.keys.len(), "sentences of an attention");
        assert!(settings.queries.iter().all(|span| span.end <= q.rows()), "queries of an attention");
        assert!(settings.keys.iter().all(|span| span.end <= k.rows()), "keys of an attention");
        assert!(q.cols().is_multiple_of(heads) && v.cols().is_multiple_of(heads), "columns of heads");
        is_shaped(k, v.rows(), q.cols());
        is_shaped(y, q.rows(), v.cols());
        is_shaped(weights, 1, settings.weights());
        Heads {
            count: heads as u32,
            dim: (q.cols() / heads) as u32,
            width: (v.cols() / heads) as u32,
            causal: causal.into(),
            factor: settings.factor(q.cols()),
            mask: mask.unwrap_or(NO_MASK),
        }
    }

    /// The tiles on the device, to be given back, and the blocks of a kernel that works on them.
    fn tiles(&mut self, settings: &HeadsAttention, side: Side) -> (Matrix, Grid) {
        let table = tiles(settings, side);
        (self.table(&table), Grid::threads(table.len() / 8 * settings.heads, THREADS))
    }
}

impl Attention for Cuda {
    fn attend(&mut self, inputs: AttentionInputs<'_, Matrix>, weights: &mut Matrix, y: &mut Matrix) {
        let heads = Self::heads(&inputs, weights, y);
        let [q, k, v] = inputs.inputs.map(Matrix::read);
        let (tiles, grid) = self.tiles(inputs.settings, Side::Queries);
        // SAFETY: the tiles' rows are those of the matrices, and their weights are within `weights`.
        self.run(|b| unsafe { b.attend(grid, q, k, v, tiles.ids(), heads, weights.write(), y.write()) });
        self.give(tiles);
    }

    fn attend_backward(
        &mut self,
        inputs: AttentionInputs<'_, Matrix>,
        weights: &Matrix,
        guide: Option<&Matrix>,
        grad: &Matrix,
        [q_grad, k_grad, v_grad]: &mut [Matrix; 3],
    ) {
        let heads = Self::heads(&inputs, weights, grad);
        let [q, k, v] = inputs.inputs;
        same([q, q_grad]);
        same([k, k_grad]);
        same([v, v_grad]);
        same([weights, guide.unwrap_or(weights)]);
        let (queries, query_grid) = self.tiles(inputs.settings, Side::Queries);
        let (keys, key_grid) = self.tiles(inputs.settings, Side::Keys);
        let mut derivatives = self.take(1, weights.cols());
        let [q, k, v, weights, grad] = [q, k, v, weights, grad].map(Matrix::read);
        // SAFETY: as in `attend`; the derivatives are as many as the weights.
        self.run(|b| unsafe {
            let (guide, derivatives, q_grad) = (optional(guide), derivatives.write(), q_grad.write());
            b.attend_queries(query_grid, k, v, queries.ids(), heads, weights, guide, grad, derivatives, q_grad)
        });
        // SAFETY: as above.
        self.run(|b| unsafe {
            let (k_grad, v_grad) = (k_grad.write(), v_grad.write());
            b.attend_keys(key_grid, q, keys.ids(), heads, weights, derivatives.read(), grad, k_grad, v_grad)
        });
        [queries, keys, derivatives].into_iter().for_each(|matrix| self.give(matrix));
    }
}

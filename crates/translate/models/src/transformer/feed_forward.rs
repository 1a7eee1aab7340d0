//! The position-wise feed-forward block.

use super::operations::{AroundWork, BlockProcesses};
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, mul_assign};

/// Linear maps with activations between them.
pub(super) struct FeedForward {
    around: BlockProcesses,
    /// At least one.
    maps: Vec<Linear>,
    /// Its output multiplies that of the first map.
    gate: Option<Linear>,
}

/// Work space of a [`FeedForward`].
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    hidden: Matrix,
    next: Matrix,
}

impl FeedForward {
    /// The block of these tensors.
    pub(super) fn pack<'a>(block: parts::Block<CheckedTensor<'a>, parts::FeedForward<CheckedTensor<'a>>>) -> Self {
        let (around, parts::FeedForward { maps, gate }) = BlockProcesses::pack(block);
        Self { around, maps: maps.into_iter().map(Linear::pack).collect(), gate: gate.map(Linear::pack) }
    }

    /// x ← the block's output; `x` is `rows × d`.
    pub(super) fn apply(&self, x: &mut Matrix, work: &mut Work, around_work: &mut AroundWork) {
        let Work { input, hidden, next } = work;
        let input = self.around.begin(x, input, around_work);
        let rows = self.maps[0].rows(input, around_work.rows());
        self.maps[0].apply_to(rows, hidden);
        if let Some(gate) = &self.gate {
            gate.apply_to(rows, next);
            mul_assign(hidden.as_mut_slice(), next.as_slice());
        }
        // A block of one map has read its input, which `begin` may have left in `x` itself.
        let Some((last, inner)) = self.maps[1..].split_last() else {
            return self.around.end(None, hidden, x, around_work);
        };
        for map in inner {
            map.apply(hidden, next, around_work.rows());
            std::mem::swap(hidden, next);
        }
        self.around.end(Some(last), hidden, x, around_work);
    }
}

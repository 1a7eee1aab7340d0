//! Average attention in place of the decoder's self-attention.

use super::new_rows::NewRows;
use super::operations::{AroundWork, BlockProcesses};
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, add_assign, axpy, mul_assign};

/// Zhang, Xiong, Su 2018 (arXiv:1805.00631), as Marian has it:
///
/// ```text
/// g_t = (t · g_{t-1} + x_t) / (t + 1)                 mean of the inputs so far, t from 0
/// y_t = FFN(g_t)
/// out = σ(x_t · Wi + bi) ⊙ x_t + σ(y_t · Wf + bf) ⊙ y_t   (without gates: y_t)
/// ```
pub(super) struct AverageAttention {
    around: BlockProcesses,
    feed_forward: Vec<Linear>,
    /// From the block's input, and from the mean.
    gates: Option<[Linear; 2]>,
}

/// Work space of an [`AverageAttention`].
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    averaged: Matrix,
    hidden: Matrix,
    input_gate: Matrix,
    forget_gate: Matrix,
}

/// The means of the rows of two steps: rows × d.
pub(super) struct Means<'a> {
    /// The rows of the step before.
    pub(super) before: &'a Matrix,
    /// The rows of this step.
    pub(super) now: &'a mut Matrix,
}

impl AverageAttention {
    /// The block of these tensors.
    pub(super) fn pack<'a>(block: parts::Block<CheckedTensor<'a>, parts::AverageAttention<CheckedTensor<'a>>>) -> Self {
        let (around, parts::AverageAttention { feed_forward, gates }) = BlockProcesses::pack(block);
        let gates = gates.map(|gates| [gates.input, gates.forget].map(Linear::pack));
        Self { around, feed_forward: feed_forward.into_iter().map(Linear::pack).collect(), gates }
    }

    /// x ← the block's output. `means` gets the means of the `new` rows, from those of their parents; `position(r)` is
    /// t of row `r` of the new ones.
    pub(super) fn step(
        &self,
        x: &mut Matrix,
        new: NewRows<'_>,
        position: impl Fn(usize) -> usize,
        Means { before, now: means }: Means<'_>,
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, averaged, hidden, input_gate, forget_gate } = work;
        means.resize(new.first + x.rows(), x.cols());
        averaged.resize(x.rows(), x.cols());
        for (r, row) in new.rows.iter().enumerate() {
            let mean = means.row_mut(new.first + r);
            mean.copy_from_slice(x.row(r));
            if let Some(parent) = row.parent {
                let t = position(r) as f32;
                axpy(t, before.row(parent.row.index()), mean);
                mean.iter_mut().for_each(|m| *m /= t + 1.0);
            }
            averaged.row_mut(r).copy_from_slice(mean);
        }
        let seen = self.around.begin(averaged, input, around_work);
        hidden.resize(x.rows(), x.cols());
        match self.feed_forward.split_first() {
            None => hidden.as_mut_slice().copy_from_slice(seen.as_slice()),
            Some((first, others)) => {
                first.apply(seen, hidden, around_work.rows());
                for map in others {
                    map.apply(hidden, input, around_work.rows());
                    std::mem::swap(hidden, input);
                }
            }
        }
        if let Some([input_map, mean_map]) = &self.gates {
            input_map.apply(x, input_gate, around_work.rows());
            mean_map.apply(hidden, forget_gate, around_work.rows());
            mul_assign(input_gate.as_mut_slice(), x.as_slice());
            mul_assign(hidden.as_mut_slice(), forget_gate.as_slice());
            add_assign(hidden.as_mut_slice(), input_gate.as_slice());
        }
        self.around.end(None, hidden, x, around_work);
    }
}

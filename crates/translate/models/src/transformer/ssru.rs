//! The simpler simple recurrent unit in place of the decoder's self-attention.

use super::new_rows::NewRows;
use super::operations::{AroundWork, BlockProcesses};
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, lerp, relu_in_place};

/// Kim et al. 2019, §3.1 (Marian's `SSRU`):
///
/// ```text
/// f_t = σ(x_t · Wf + bf)
/// c_t = f_t ⊙ c_{t-1} + (1 - f_t) ⊙ (x_t · W),   c_0 = 0
/// h_t = relu(c_t)
/// ```
pub(super) struct Ssru {
    around: BlockProcesses,
    candidate: Linear,
    forget: Linear,
    projection: Option<Linear>,
    /// c_0
    start: Vec<f32>,
}

/// Work space of an [`Ssru`].
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    candidate: Matrix,
    forget: Matrix,
    output: Matrix,
}

impl Ssru {
    /// The block of these tensors.
    pub(super) fn pack<'a>(block: parts::Block<CheckedTensor<'a>, parts::Ssru<CheckedTensor<'a>>>) -> Self {
        let (around, parts::Ssru { candidate, forget, projection }) = BlockProcesses::pack(block);
        Self {
            around,
            start: vec![0.0; candidate.w.cols()],
            candidate: Linear::pack(candidate),
            forget: Linear::pack(forget),
            projection: projection.map(Linear::pack),
        }
    }

    /// x ← the block's output. `cells` get the cells c of the `new` rows, from those of their parents in `before`.
    pub(super) fn step(
        &self,
        x: &mut Matrix,
        new: NewRows<'_>,
        before: &Matrix,
        cells: &mut Matrix,
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, candidate, forget, output } = work;
        let input = self.around.begin(x, input, around_work);
        let input = self.candidate.rows(input, around_work.rows());
        self.candidate.apply_to(input, candidate);
        self.forget.apply_to(input, forget);
        cells.resize(new.first + x.rows(), x.cols());
        output.resize(x.rows(), x.cols());
        for (r, row) in new.rows.iter().enumerate() {
            let before = row.parent.map_or(&self.start[..], |parent| before.row(parent.row.index()));
            lerp(forget.row(r), candidate.row(r), before, cells.row_mut(new.first + r));
            output.row_mut(r).copy_from_slice(cells.row(new.first + r));
        }
        relu_in_place(output.as_mut_slice());
        self.around.end(self.projection.as_ref(), output, x, around_work);
    }
}

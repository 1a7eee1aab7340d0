//! The decoder's attention over the source.

use super::attention::{Attention, KeysValues};
use super::operations::AroundWork;
use metaphrase_base::{StepRow, Unit};
use metaphrase_kernels::{Matrix, Operand, Rows};

/// Work space of attention over the source.
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    queries: Matrix,
    attended: Matrix,
    weights: Vec<f32>,
}

impl Attention {
    /// Keys and values of the encoder's output (`words × d`), as the keys' map reads it: once per sentence.
    pub(super) fn prepare(&self, encoded: Operand<'_>, out: &mut KeysValues) {
        self.keys.apply_to(encoded, &mut out.keys);
        self.values.apply_to(encoded, &mut out.values);
    }

    /// x ← the block's output. `source(row)` are the prepared keys and values of the row's sentence. `on_weights` is called
    /// for each row with the weights of the first head.
    pub(super) fn apply<'s>(
        &self,
        x: &mut Matrix,
        rows: &[StepRow],
        source: impl Fn(&StepRow) -> &'s KeysValues,
        mut on_weights: impl FnMut(&StepRow, &[f32]),
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, queries, attended, weights } = work;
        let input = self.around.begin(x, input, around_work);
        self.queries.apply(input, queries, around_work.rows());
        let unit = Unit::Attention.timed();
        attended.resize(x.rows(), x.cols());
        for (r, row) in rows.iter().enumerate() {
            let source = source(row);
            let words = source.keys.rows();
            self.heads.attend(queries.row(r), source, &Rows::Range(0..words), weights, attended.row_mut(r));
            on_weights(row, &weights[..words]);
        }
        drop(unit);
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }
}

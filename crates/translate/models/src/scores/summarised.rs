//! The rows of a step of which the search needs little more than the best words. Each row has a summary, and the inputs
//! of the output layer are kept so that any logit can be computed.

use crate::device::DeviceLogits;
use crate::output::Output;
use core::fmt;
use core::ops::Range;
use metaphrase_base::StepDemand;
use metaphrase_kernels::{Matrix, ProductStorage, Summary};
use std::sync::Arc;

/// The most columns of the best continuations in the summary of a row. A row hardly ever has more of them; if it has,
/// its logits are computed. A longer list would cost more than it saves, because each insertion moves the numbers after
/// it.
const MOST_OF_A_ROW: usize = 15;

/// The number of excluded words in the summary of a row. Excluded words are rarely among the best, except for one, the
/// end of sentence or the unknown word. If there are more, the logits of the sentence are computed.
const EXCLUDED_OF_A_ROW: usize = 1;

/// The number of single logits for each row of a step that takes about as long as all logits together.
const MOST_SINGLES: usize = 4;

/// Whether summaries of `rows` rows answer nearly all questions of `demand`.
pub(super) fn suffice(demand: StepDemand, rows: usize) -> bool {
    let wide = if demand.best > MOST_OF_A_ROW { demand.rows_alone } else { 0 };
    let logits = demand.whole_rows || demand.more_rows;
    !logits && wide <= rows / 4 && demand.words <= MOST_SINGLES * rows
}

/// The number of columns of a summary: those that may be among the best, an excluded one, and the next one.
fn columns(demand: StepDemand) -> usize {
    demand.best.min(MOST_OF_A_ROW) + demand.excluded.min(EXCLUDED_OF_A_ROW) + 1
}

/// The rows of a step. The storage is reused by later steps.
#[derive(Default)]
pub(super) struct SummarisedRows {
    /// Has summaries and logits, if the model is on a device; the rest is unused then, except for `part`.
    device: Option<OnDevice>,
    output: Option<Arc<Output>>,
    /// The inputs of the output layer: rows × d.
    inputs: Matrix,
    summary: Summary,
    /// The inputs of the rows of a question: rows of the question × d.
    part_inputs: Matrix,
    /// Their logits: rows of the question × words.
    part: Matrix,
    /// The greatest number of rows of a step so far, for which `part` has room.
    most_rows: usize,
    storage: ProductStorage,
}

/// The logits that a device has.
struct OnDevice {
    logits: Box<dyn DeviceLogits>,
    demand: StepDemand,
    /// The rows whose logits are in `part`.
    read: Range<usize>,
}

impl SummarisedRows {
    /// Lets a device have the logits.
    pub(super) fn set_device(&mut self, logits: Box<dyn DeviceLogits>) {
        self.device = Some(OnDevice { logits, demand: StepDemand::default(), read: 0..0 });
    }

    /// Lets the device compute the rows of a step with as many of the greatest logits as `demand` needs.
    pub(super) fn compute_on_device(&mut self, demand: StepDemand, compute: impl FnOnce(usize, &mut dyn DeviceLogits)) {
        if let Some(device) = &mut self.device {
            (device.demand, device.read) = (demand, 0..0);
            compute(columns(demand), &mut *device.logits);
        }
    }

    /// Summarises the rows of a step.
    pub(super) fn begin(&mut self, output: &Arc<Output>, inputs: &Matrix, demand: StepDemand) {
        output.summarise(inputs, columns(demand), &mut self.summary, &mut self.storage);
        self.inputs.resize(inputs.rows(), inputs.cols());
        self.inputs.as_mut_slice().copy_from_slice(inputs.as_slice());
        self.output = Some(Arc::clone(output));
        // Room for the questions, so that none of them allocates.
        self.part_inputs.resize(inputs.rows(), inputs.cols());
        if inputs.rows() > self.most_rows {
            self.most_rows = inputs.rows();
            self.part.resize(inputs.rows(), output.words());
        }
    }

    pub(super) fn summary(&self) -> &Summary {
        self.device.as_ref().map_or(&self.summary, |device| device.logits.summary())
    }

    /// The logit in a column of a row.
    pub(super) fn logit(&mut self, row: usize, column: usize) -> f32 {
        if let Some(device) = &mut self.device {
            return device.logit(row, column, &mut self.part);
        }
        self.take_inputs(row..row + 1);
        let Self { output: Some(output), part_inputs, storage, .. } = self else { return f32::NEG_INFINITY };
        output.logit(part_inputs, column, storage)
    }

    /// Computes the logits of neighbouring rows.
    pub(super) fn compute(&mut self, rows: Range<usize>) {
        if let Some(device) = &mut self.device {
            return device.read(rows, &mut self.part);
        }
        self.take_inputs(rows);
        let Self { output, part_inputs, part, storage, .. } = self;
        if let Some(output) = output {
            output.logits(part_inputs, part, storage);
        }
    }

    /// The logits of a row; `number` counts from the first of the rows that [`compute`](Self::compute) computed last.
    pub(super) fn computed(&self, number: usize) -> &[f32] {
        self.part.row(number)
    }

    /// Computes the logits of all rows.
    pub(super) fn all_logits(&mut self, out: &mut Matrix) {
        if let Some(device) = &mut self.device {
            return device.logits.read(0..device.logits.rows(), out);
        }
        if let Some(output) = &self.output {
            output.logits(&self.inputs, out, &mut self.storage);
        }
    }

    fn take_inputs(&mut self, rows: Range<usize>) {
        let cols = self.inputs.cols();
        self.part_inputs.resize(rows.len(), cols);
        self.part_inputs.as_mut_slice().copy_from_slice(&self.inputs.as_slice()[rows.start * cols..rows.end * cols]);
    }
}

impl OnDevice {
    fn read(&mut self, rows: Range<usize>, part: &mut Matrix) {
        self.logits.read(rows.clone(), part);
        self.read = rows;
    }

    /// A logit. Its whole row comes with it, or all rows where the questions of a step are about many of them: a device
    /// takes longer to answer than to copy.
    fn logit(&mut self, row: usize, column: usize, part: &mut Matrix) -> f32 {
        if !self.read.contains(&row) {
            let rows = self.logits.rows();
            self.read(if 4 * self.demand.words >= rows { 0..rows } else { row..row + 1 }, part);
        }
        part.row(row - self.read.start)[column]
    }
}

impl fmt::Debug for SummarisedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SummarisedRows").field("summary", &self.summary).finish_non_exhaustive()
    }
}

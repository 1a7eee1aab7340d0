//! What stands before and after the blocks of a Transformer: skip connections, normalisations, highways.

use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, ProductStorage, add_assign, layer_norm, rms_norm};

/// One operation with its weights.
enum Step {
    /// y + x, where x is the input of the block.
    Add,
    /// (y - mean) / sqrt(variance + ε) ⊙ scale + bias.
    LayerNorm { scale: Vec<f32>, bias: Vec<f32> },
    /// y / sqrt(mean square + ε) ⊙ scale.
    RmsNorm { scale: Vec<f32> },
    /// g ⊙ y + (1 - g) ⊙ x with g = σ(x · Wh + bh).
    Highway(Linear),
}

/// A sequence of operations, as in Marian's `preProcess` and `postProcess`.
pub(super) struct Process {
    steps: Vec<Step>,
    epsilon: f32,
}

impl Process {
    /// The operations of these tensors.
    pub(super) fn pack(process: parts::Process<CheckedTensor<'_>>) -> Self {
        let step = |step: parts::Step<CheckedTensor<'_>>| match step {
            parts::Step::Add => Step::Add,
            parts::Step::LayerNorm { scale, bias } => {
                Step::LayerNorm { scale: scale.into_numbers(), bias: bias.into_numbers() }
            }
            parts::Step::RmsNorm { scale } => Step::RmsNorm { scale: scale.into_numbers() },
            parts::Step::Highway(map) => Step::Highway(Linear::pack(map)),
        };
        Self { steps: process.steps.into_iter().map(step).collect(), epsilon: process.epsilon }
    }

    /// Runs the operations on `y`; skip connections and highways lead from `x`, which is as large.
    pub(super) fn apply(&self, y: &mut Matrix, x: &Matrix, work: &mut HighwayWork) {
        self.run(&self.steps, y, x, work);
    }

    fn run(&self, steps: &[Step], y: &mut Matrix, x: &Matrix, HighwayWork { gate, rows }: &mut HighwayWork) {
        for step in steps {
            match step {
                Step::Add => add_assign(y.as_mut_slice(), x.as_slice()),
                Step::LayerNorm { scale, bias } => layer_norm(y.as_mut_slice(), scale, Some(bias), self.epsilon),
                Step::RmsNorm { scale } => rms_norm(y.as_mut_slice(), scale, None, self.epsilon),
                Step::Highway(map) => {
                    map.apply(x, gate, rows);
                    for ((y, &x), &g) in y.as_mut_slice().iter_mut().zip(x.as_slice()).zip(gate.as_slice()) {
                        *y = g * *y + (1.0 - g) * x;
                    }
                }
            }
        }
    }
}

/// The operations around a block.
pub(super) struct BlockProcesses {
    before: Process,
    after: Process,
}

/// Work space of [`Process`].
#[derive(Debug, Default)]
pub(super) struct HighwayWork {
    gate: Matrix,
    /// For the rows that any map reads.
    rows: ProductStorage,
}

/// Work space of [`BlockProcesses`].
#[derive(Debug, Default)]
pub(super) struct AroundWork {
    output: Matrix,
    highway: HighwayWork,
}

impl AroundWork {
    /// Work space of a [`Process`] that is not around a block.
    pub(super) const fn highway(&mut self) -> &mut HighwayWork {
        &mut self.highway
    }

    /// For the rows that the block's maps read.
    pub(super) const fn rows(&mut self) -> &mut ProductStorage {
        &mut self.highway.rows
    }
}

impl BlockProcesses {
    /// The operations around a block, and the block itself.
    pub(super) fn pack<'a, B>(block: parts::Block<CheckedTensor<'a>, B>) -> (Self, B) {
        (Self { before: Process::pack(block.before), after: Process::pack(block.after) }, block.body)
    }

    /// Whether the block sees its input as it is.
    pub(super) fn begins_plain(&self) -> bool {
        self.before.steps.is_empty()
    }

    /// The input as the block sees it: `x` itself, or `out` with the result of the operations before the block.
    pub(super) fn begin<'a>(&self, x: &'a Matrix, out: &'a mut Matrix, around_work: &mut AroundWork) -> &'a Matrix {
        if self.begins_plain() {
            return x;
        }
        out.resize(x.rows(), x.cols());
        out.as_mut_slice().copy_from_slice(x.as_slice());
        self.before.apply(out, x, &mut around_work.highway);
        out
    }

    /// Ends a block whose last map is `last`, on `h` (without one, `h` is the block's output as it stands): `x` was the
    /// block's input and becomes the output. A skip connection that comes first is part of the product.
    pub(super) fn end(&self, last: Option<&Linear>, h: &mut Matrix, x: &mut Matrix, work: &mut AroundWork) {
        let AroundWork { output, highway } = work;
        let steps = &self.after.steps[..];
        match (last, steps) {
            (Some(last), [Step::Add, rest @ ..]) => {
                last.apply_and_add(h, x, output, &mut highway.rows);
                self.after.run(rest, output, x, highway);
            }
            (Some(last), steps) => {
                last.apply(h, output, &mut highway.rows);
                self.after.run(steps, output, x, highway);
            }
            (None, steps) => {
                std::mem::swap(h, output);
                self.after.run(steps, output, x, highway);
            }
        }
        std::mem::swap(x, output);
    }
}

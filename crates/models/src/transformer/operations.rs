//! What stands before and after the blocks of a Transformer: skip connections, normalisations, highways.

use super::dense::Dense;
use crate::config::{Activation, Operation, Operations, TransformerConfig};
use crate::{ModelError, Weights};
use metaphrase_kernels::{Matrix, add_assign, layer_norm, rms_norm};

/// One operation with its weights.
enum Step {
    /// y + x, where x is the input of the block.
    Add,
    /// (y - mean) / sqrt(variance + ε) ⊙ scale + bias.
    LayerNorm { scale: Vec<f32>, bias: Vec<f32> },
    /// y / sqrt(mean square + ε) ⊙ scale.
    RmsNorm { scale: Vec<f32> },
    /// g ⊙ y + (1 - g) ⊙ x with g = σ(x · Wh + bh).
    Highway(Dense),
}

/// A sequence of operations, as in Marian's `preProcess` and `postProcess`.
pub(super) struct Process {
    steps: Vec<Step>,
    epsilon: f32,
}

/// Where a [`Process`] finds its weights, and their size.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessNames<'a> {
    /// Names begin with this: `{prefix}_ln_scale`, …
    pub(super) prefix: &'a str,
    /// Names of normalisations end with this: `_pre` before a block.
    pub(super) suffix: &'a str,
    /// Length of a row, d.
    pub(super) dim: usize,
    /// Added to variances and mean squares.
    pub(super) epsilon: f32,
}

impl<'a> ProcessNames<'a> {
    /// Names of a model with these settings.
    pub(super) const fn new(config: &TransformerConfig, prefix: &'a str, suffix: &'a str) -> Self {
        Self { prefix, suffix, dim: config.dim_emb, epsilon: config.layer_norm_epsilon }
    }
}

impl Process {
    /// Reads the weights of `operations`.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(
        weights: &Weights,
        operations: &Operations,
        names: ProcessNames<'_>,
    ) -> Result<Self, ModelError> {
        let ProcessNames { prefix, suffix, dim, epsilon } = names;
        let vector = |kind: &str| -> Result<Vec<f32>, ModelError> {
            let tensor = weights.tensor(&format!("{prefix}_{kind}{suffix}"))?.expect(&[1, dim])?;
            Ok(tensor.data.into_owned())
        };
        let step = |operation: &Operation| {
            Ok(match operation {
                Operation::Add => Step::Add,
                Operation::LayerNorm => Step::LayerNorm { scale: vector("ln_scale")?, bias: vector("ln_bias")? },
                Operation::RmsNorm => Step::RmsNorm { scale: vector("rms_scale")? },
                Operation::Highway => {
                    Step::Highway(Dense::load(weights, prefix, "h", dim, dim)?.with_activation(Activation::Sigmoid))
                }
            })
        };
        Ok(Self { steps: operations.0.iter().map(step).collect::<Result<_, _>>()?, epsilon })
    }

    /// The operations behind the last layer of the side `side` (`encoder` or `decoder`).
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load_top(weights: &Weights, side: &str, config: &TransformerConfig) -> Result<Self, ModelError> {
        let prefix = format!("{side}_top");
        Self::load(weights, &config.postprocess_top, ProcessNames::new(config, &prefix, ""))
    }

    /// Whether it does nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Runs the operations on `y`; skip connections and highways lead from `x`, which is as large.
    pub(super) fn apply(&self, y: &mut Matrix, x: &Matrix, gate: &mut Matrix) {
        self.run(&self.steps, y, x, gate);
    }

    fn run(&self, steps: &[Step], y: &mut Matrix, x: &Matrix, gate: &mut Matrix) {
        for step in steps {
            match step {
                Step::Add => add_assign(y.as_mut_slice(), x.as_slice()),
                Step::LayerNorm { scale, bias } => {
                    (0..y.rows()).for_each(|r| layer_norm(y.row_mut(r), scale, Some(bias), self.epsilon));
                }
                Step::RmsNorm { scale } => {
                    (0..y.rows()).for_each(|r| rms_norm(y.row_mut(r), scale, None, self.epsilon));
                }
                Step::Highway(map) => {
                    map.apply(x, gate);
                    for ((y, &x), &g) in y.as_mut_slice().iter_mut().zip(x.as_slice()).zip(gate.as_slice()) {
                        *y = g * *y + (1.0 - g) * x;
                    }
                }
            }
        }
    }
}

/// The operations around a block.
pub(super) struct Around {
    before: Process,
    after: Process,
}

/// Work space of [`Around`].
#[derive(Debug, Default)]
pub(super) struct End {
    output: Matrix,
    gate: Matrix,
}

impl End {
    /// Work space of a [`Process`] that is not around a block.
    pub(super) const fn gate(&mut self) -> &mut Matrix {
        &mut self.gate
    }
}

impl Around {
    /// The operations around the block whose tensors begin with `prefix`.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(weights: &Weights, config: &TransformerConfig, prefix: &str) -> Result<Self, ModelError> {
        Self::load_named(weights, config, prefix, prefix)
    }

    /// The same for the block that has different prefixes before and after it.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load_named(
        weights: &Weights,
        config: &TransformerConfig,
        before: &str,
        after: &str,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            before: Process::load(weights, &config.preprocess, ProcessNames::new(config, before, "_pre"))?,
            after: Process::load(weights, &config.postprocess, ProcessNames::new(config, after, ""))?,
        })
    }

    /// Whether the block sees its input as it is.
    pub(super) fn begins_plain(&self) -> bool {
        self.before.is_empty()
    }

    /// What the block sees of its input: `x` itself, or what the operations before it make of it, in `out`.
    pub(super) fn begin<'a>(&self, x: &'a Matrix, out: &'a mut Matrix, end: &mut End) -> &'a Matrix {
        if self.before.is_empty() {
            return x;
        }
        out.resize(x.rows(), x.cols());
        out.as_mut_slice().copy_from_slice(x.as_slice());
        self.before.apply(out, x, &mut end.gate);
        out
    }

    /// Ends a block whose last map is `last`, on `h` (without one, `h` is the block's output as it stands): `x` was the
    /// block's input and becomes the output. A skip connection that comes first is part of the product.
    pub(super) fn end(&self, last: Option<&Dense>, h: &mut Matrix, x: &mut Matrix, work: &mut End) {
        let End { output, gate } = work;
        let steps = &self.after.steps[..];
        match (last, steps) {
            (Some(last), [Step::Add, rest @ ..]) => {
                last.apply_and_add(h, x, output);
                self.after.run(rest, output, x, gate);
            }
            (Some(last), steps) => {
                last.apply(h, output);
                self.after.run(steps, output, x, gate);
            }
            (None, steps) => {
                std::mem::swap(h, output);
                self.after.run(steps, output, x, gate);
            }
        }
        std::mem::swap(x, output);
    }
}

//! The operations around blocks, and the feed-forward block.

use crate::pack::{Packer, Tensor};
use metaphrase_cuda::decoding::DeviceMap;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Elementwise, Normal, Normalisation, Shape, Storage};
use metaphrase_models::parts::transformer as parts;

/// One operation with its weights.
enum Step {
    /// y + x, where x is the input of the block.
    Add,
    /// scale · (y - mean) / √(variance + ε) + bias, or without mean and bias.
    Norm { scale: Matrix, bias: Option<Matrix>, normal: Normal },
    /// g ⊙ y + (1 - g) ⊙ x with g = σ(x · Wh + bh).
    Highway(DeviceMap),
}

/// A sequence of operations.
pub(crate) struct Process(Vec<Step>);

/// A block with the operations before and after it.
pub(crate) struct Block<B> {
    before: Process,
    pub(crate) body: B,
    after: Process,
}

/// Linear maps with activations between them; at least one.
pub(crate) struct FeedForward(Vec<DeviceMap>);

/// The input of a block as the block sees it.
pub(crate) enum BlockInput<'a> {
    /// The input as it is.
    Plain(&'a Matrix),
    /// The result of the operations before the block.
    Made(Matrix),
}

impl BlockInput<'_> {
    pub(crate) fn matrix(&self) -> &Matrix {
        match self {
            Self::Plain(matrix) => matrix,
            Self::Made(matrix) => matrix,
        }
    }

    pub(crate) fn give(self, cuda: &mut Cuda) {
        if let Self::Made(matrix) = self {
            cuda.give(matrix);
        }
    }
}

impl Process {
    pub(crate) fn pack(process: parts::Process<Tensor>, packer: &mut Packer) -> Self {
        let epsilon = process.epsilon;
        let step = |step| match step {
            parts::Step::Add => Step::Add,
            parts::Step::LayerNorm { scale, bias } => {
                let normal = Normal { epsilon, centred: true };
                Step::Norm { scale: packer.matrix(scale), bias: Some(packer.matrix(bias)), normal }
            }
            parts::Step::RmsNorm { scale } => {
                Step::Norm { scale: packer.matrix(scale), bias: None, normal: Normal { epsilon, centred: false } }
            }
            parts::Step::Highway(map) => Step::Highway(packer.map(map)),
        };
        Self(process.steps.into_iter().map(step).collect())
    }

    /// Whether there are operations that read the input of the block, x.
    pub(crate) fn reads_input(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::Add | Step::Highway(_)))
    }

    /// Whether nothing happens.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the operations on y; skip connections and highways lead from x.
    pub(crate) fn run(&self, cuda: &mut Cuda, y: Matrix, x: &Matrix) -> Matrix {
        Self::run_steps(&self.0, cuda, y, x)
    }

    fn run_steps(steps: &[Step], cuda: &mut Cuda, mut y: Matrix, x: &Matrix) -> Matrix {
        for step in steps {
            match step {
                Step::Add => cuda.add(&mut y, x),
                Step::Norm { scale, bias, normal } => {
                    let mut normalised = cuda.take(y.rows(), y.cols());
                    cuda.normalise(&y, scale, bias.as_ref(), *normal, &mut normalised);
                    cuda.give(std::mem::replace(&mut y, normalised));
                }
                Step::Highway(map) => {
                    let mut gate = cuda.take(y.rows(), y.cols());
                    let mut mixed = cuda.take(y.rows(), y.cols());
                    cuda.map(map, x, None, &mut gate);
                    cuda.mix(&gate, &y, x, &mut mixed);
                    cuda.give(gate);
                    cuda.give(std::mem::replace(&mut y, mixed));
                }
            }
        }
        y
    }
}

impl<B> Block<B> {
    pub(crate) fn pack<P>(
        block: parts::Block<Tensor, P>,
        packer: &mut Packer,
        body: impl FnOnce(P, &mut Packer) -> B,
    ) -> Self {
        Self {
            before: Process::pack(block.before, packer),
            body: body(block.body, packer),
            after: Process::pack(block.after, packer),
        }
    }

    /// The input as the block sees it.
    pub(crate) fn begin<'a>(&self, cuda: &mut Cuda, x: &'a Matrix) -> BlockInput<'a> {
        if self.before.is_empty() {
            return BlockInput::Plain(x);
        }
        let mut made = cuda.take(x.rows(), x.cols());
        let rest = match &self.before.0[..] {
            [Step::Norm { scale, bias, normal }, rest @ ..] => {
                cuda.normalise_rows(x, scale, bias.as_ref(), *normal, &mut made);
                rest
            }
            steps => {
                cuda.copy(x, &mut made);
                steps
            }
        };
        BlockInput::Made(Process::run_steps(rest, cuda, made, x))
    }

    /// The output of a block whose last map is `last`, on `h`; without one, `h` is what the block computes. `x` was the
    /// input. A skip connection that comes first is part of the product.
    pub(crate) fn end(&self, cuda: &mut Cuda, last: Option<&DeviceMap>, h: Matrix, x: Matrix) -> Matrix {
        let steps = &self.after.0[..];
        let (y, steps) = match last {
            None => (h, steps),
            Some(last) => {
                let mut y = cuda.take(x.rows(), last.outputs());
                let rest = match steps {
                    [Step::Add, rest @ ..] => {
                        cuda.map(last, &h, Some(&x), &mut y);
                        rest
                    }
                    steps => {
                        cuda.map(last, &h, None, &mut y);
                        steps
                    }
                };
                cuda.give(h);
                (y, rest)
            }
        };
        let y = Process::run_steps(steps, cuda, y, &x);
        cuda.give(x);
        y
    }
}

impl FeedForward {
    /// Without a gate: models with gates are refused before.
    pub(crate) fn pack(parts: parts::FeedForward<Tensor>, packer: &mut Packer) -> Self {
        Self(parts.maps.into_iter().map(|map| packer.map(map)).collect())
    }
}

impl Block<FeedForward> {
    /// The block's output.
    pub(crate) fn apply(&self, cuda: &mut Cuda, x: Matrix) -> Matrix {
        let begun = self.begin(cuda, &x);
        let (first, others) = self.body.0.split_first().expect("a feed-forward block has a map");
        let mut h = cuda.take(x.rows(), first.outputs());
        cuda.map(first, begun.matrix(), None, &mut h);
        begun.give(cuda);
        let Some((last, inner)) = others.split_last() else {
            return self.end(cuda, None, h, x);
        };
        for map in inner {
            let mut next = cuda.take(x.rows(), map.outputs());
            cuda.map(map, &h, None, &mut next);
            cuda.give(std::mem::replace(&mut h, next));
        }
        self.end(cuda, Some(last), h, x)
    }
}

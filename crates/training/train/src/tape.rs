//! Reverse-mode differentiation: a tape of operations on matrices.
//!
//! An operation computes its value at once and records the values that its derivative needs. [`Tape::backward`] then
//! runs over the tape from its end: each operation receives the derivative of the loss by its value, and adds its share
//! to the derivatives by its inputs and parameters.
//!
//! Matrices have a row for each word (all sentences one after the other) or each sentence: nothing is padded. One file
//! per kind of operation holds both directions; a [`Device`] computes them. Tests compare all derivatives
//! with differences.
//!
//! ```
//! use metaphrase_train::parameters::{Gradients, Init, Parameters};
//! use metaphrase_train::tape::{Activation, Tape};
//! use metaphrase_device::Host;
//! use metaphrase_kernels::Matrix;
//!
//! let mut parameters = Parameters::new(1);
//! let w = parameters.declare("W", 1, 1, Init::Constant(3.0));
//! let (mut gradients, mut host) = (Gradients::new(&parameters), Host::default());
//! let mut tape = Tape::new(&parameters, Some(&mut gradients), None, &mut host);
//! let x = tape.constant(&Matrix::from_vec(1, 1, vec![2.0]));
//! let y = tape.linear(x, w, None, Activation::None);
//! assert_eq!(tape.value(y).row(0), [6.0]);
//! tape.seed(y, Matrix::from_vec(1, 1, vec![1.0])); // dy/dy
//! tape.backward();
//! assert_eq!(gradients.matrices()[w.index()].row(0), [2.0]); // dy/dW = x
//! ```

mod additive_attention;
mod attention;
mod cells;
mod dropout;
mod elementwise;
mod linear;
mod loss;
mod normalise;
mod rows;
mod scan;
#[cfg(test)]
mod tests;

pub use additive_attention::AdditiveAttention;
pub use cells::GruInputs;
pub use loss::OutputLoss;
pub use metaphrase_device::{Activation, HeadsAttention, Spans, WordLoss, WordLosses};

use crate::parameters::{Gradients, Parameters};
use dropout::Masks;
use metaphrase_device::{Block, Device, Host, Shape};
use metaphrase_kernels::Matrix;

/// A value on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var(u32);

impl Var {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operation that computed a value, with the values that its derivative needs.
enum Op<M> {
    /// Has no derivative.
    Constant,
    Linear(linear::Linear),
    Elementwise(elementwise::Elementwise),
    Rows(rows::Rows),
    Normalise(normalise::Normalise),
    Dropout(dropout::Dropout),
    Attention(Box<attention::Attention<M>>),
    Additive(Box<additive_attention::AdditiveOp<M>>),
    Scan(scan::Scan),
    Cell(cells::Cell<M>),
}

/// A computation, and the values that its derivative needs.
pub struct Tape<'a, D: Device = Host> {
    parameters: &'a Parameters<D>,
    gradients: Option<&'a mut Gradients<D::Matrix>>,
    masks: Option<Masks>,
    device: &'a mut D,
    values: Vec<D::Matrix>,
    ops: Vec<Op<D::Matrix>>,
    /// Derivatives that are known before `backward`, from losses.
    grads: Vec<Option<D::Matrix>>,
}

impl<'a, D: Device> Tape<'a, D> {
    /// An empty tape. Without `gradients` it only computes; dropout happens with a `dropout_seed` alone.
    pub fn new(
        parameters: &'a Parameters<D>,
        gradients: Option<&'a mut Gradients<D::Matrix>>,
        dropout_seed: Option<u64>,
        device: &'a mut D,
    ) -> Self {
        let masks = dropout_seed.map(Masks::new);
        Self { parameters, gradients, masks, device, values: Vec::new(), ops: Vec::new(), grads: Vec::new() }
    }

    /// The value of `x`.
    #[must_use]
    pub fn value(&self, x: Var) -> &D::Matrix {
        &self.values[x.index()]
    }

    /// Rows and columns of `x`.
    #[must_use]
    pub fn shape(&self, x: Var) -> (usize, usize) {
        let value = self.value(x);
        (value.rows(), value.cols())
    }

    /// A value from outside.
    pub fn constant(&mut self, value: &Matrix) -> Var {
        let value = self.device.upload(value);
        self.push(value, Op::Constant)
    }

    /// Zeros.
    pub fn zeros(&mut self, rows: usize, cols: usize) -> Var {
        let value = self.device.zeros(rows, cols);
        self.push(value, Op::Constant)
    }

    /// Adds to the derivative of the loss by `x`; for losses that are computed outside.
    ///
    /// # Panics
    /// If it has not the shape of `x`.
    pub fn seed(&mut self, x: Var, grad: D::Matrix) {
        assert_eq!(self.shape(x), (grad.rows(), grad.cols()), "shape of a derivative");
        self.grads.resize_with(self.values.len(), || None);
        match &mut self.grads[x.index()] {
            Some(sum) => {
                self.device.add(sum, &grad);
                self.device.give(grad);
            }
            none => *none = Some(grad),
        }
    }

    /// The weights of an attention before dropout, query after query, for each the heads one after the other; nothing
    /// for other values.
    #[must_use]
    pub fn attention_weights(&mut self, x: Var) -> Matrix {
        match &self.ops[x.index()] {
            Op::Additive(op) => self.device.download(&op.weights),
            Op::Attention(op) => self.device.download(&op.weights),
            _ => Matrix::new(),
        }
    }

    /// Gives the derivatives of a loss by the weights of the attention `x`, in the order of the weights.
    ///
    /// # Panics
    /// If there are not as many as weights.
    pub fn guide_attention(&mut self, x: Var, derivatives: &Matrix) {
        let (guide, weights) = match &mut self.ops[x.index()] {
            Op::Additive(op) => (&mut op.guide, &op.weights),
            Op::Attention(op) => (&mut op.guide, &op.weights),
            _ => return,
        };
        assert_eq!(derivatives.cols(), weights.cols(), "derivatives by weights of attention");
        *guide = Some(self.device.upload(derivatives));
    }

    fn push(&mut self, value: D::Matrix, op: Op<D::Matrix>) -> Var {
        let var = Var(self.values.len() as u32);
        self.values.push(value);
        self.ops.push(op);
        var
    }

    /// Whether nothing asks for the derivative by `x`.
    fn is_constant(&self, x: Var) -> bool {
        self.ops[x.index()].is_constant()
    }

    /// Adds the derivatives of the loss by all parameters to the gradients that the tape was given.
    pub fn backward(mut self) {
        let Some(gradients) = self.gradients.take() else { return };
        self.grads.resize_with(self.values.len(), || None);
        for index in (0..self.values.len()).rev() {
            let Some(mut grad) = self.grads[index].take() else { continue };
            let mut backward = Backward {
                parameters: self.parameters,
                gradients,
                device: self.device,
                values: &self.values,
                ops: &self.ops,
                grads: &mut self.grads,
            };
            let own = Var(index as u32);
            match &self.ops[index] {
                Op::Constant => {}
                Op::Linear(op) => op.backward(own, &mut grad, &mut backward),
                Op::Elementwise(op) => {
                    op.backward(own, grad, &mut backward);
                    continue; // it has kept the derivative or given it back
                }
                Op::Dropout(op) => {
                    op.backward(grad, &mut backward);
                    continue;
                }
                Op::Rows(op) => op.backward(&grad, &mut backward),
                Op::Normalise(op) => op.backward(&grad, &mut backward),
                Op::Attention(op) => op.backward(&grad, &mut backward),
                Op::Additive(op) => op.backward(&grad, &mut backward),
                Op::Scan(op) => op.backward(own, &grad, &mut backward),
                Op::Cell(op) => op.backward(own, &grad, &mut backward),
            }
            self.device.give(grad);
        }
    }
}

impl<M> Op<M> {
    fn is_constant(&self) -> bool {
        matches!(self, Self::Constant)
    }
}

impl<D: Device> Drop for Tape<'_, D> {
    fn drop(&mut self) {
        let grads = self.grads.drain(..).flatten();
        self.values.drain(..).chain(grads).for_each(|matrix| self.device.give(matrix));
        for op in self.ops.drain(..) {
            let kept = match op {
                Op::Attention(op) => [Some(op.weights), op.guide],
                Op::Additive(op) => [Some(op.weights), op.guide],
                Op::Cell(cells::Cell::Gru(op)) => [Some(op.gates), None],
                _ => [None, None],
            };
            kept.into_iter().flatten().for_each(|matrix| self.device.give(matrix));
        }
    }
}

/// Everything that an operation needs in the backward pass.
struct Backward<'t, D: Device> {
    parameters: &'t Parameters<D>,
    gradients: &'t mut Gradients<D::Matrix>,
    device: &'t mut D,
    values: &'t [D::Matrix],
    ops: &'t [Op<D::Matrix>],
    grads: &'t mut [Option<D::Matrix>],
}

impl<D: Device> Backward<'_, D> {
    /// Lets `add` add to the derivative by `x`. Its argument is whether the matrix is fresh: then its numbers are
    /// unspecified and all of them have to be set.
    fn add_to(&mut self, x: Var, add: impl FnOnce(&mut D::Matrix, bool, &mut Self)) {
        if self.ops[x.index()].is_constant() {
            return;
        }
        let (mut grad, fresh) = match self.grads[x.index()].take() {
            Some(grad) => (grad, false),
            None => {
                let value = &self.values[x.index()];
                (self.device.take(value.rows(), value.cols()), true)
            }
        };
        add(&mut grad, fresh, self);
        self.grads[x.index()] = Some(grad);
    }

    /// The same for an operation that adds to parts of the derivative: a fresh derivative is zero.
    fn add_to_part(&mut self, x: Var, add: impl FnOnce(&mut D::Matrix, &mut Self)) {
        self.add_to(x, |sum, fresh, to| {
            if fresh {
                to.device.clear(sum);
            }
            add(sum, to);
        });
    }

    /// Adds a matrix to the derivative by `x`.
    fn add_matrix(&mut self, x: Var, grad: &D::Matrix) {
        self.add_to(x, |sum, fresh, to| if fresh { to.device.copy(grad, sum) } else { to.device.add(sum, grad) });
    }

    /// The same for a matrix that nobody reads afterwards.
    fn add_owned(&mut self, x: Var, grad: D::Matrix) {
        let is_new = self.grads[x.index()].is_none() && !self.ops[x.index()].is_constant();
        if is_new {
            self.grads[x.index()] = Some(grad);
            return;
        }
        self.add_matrix(x, &grad);
        self.device.give(grad);
    }

    /// Adds a block of a matrix to one of the derivative by `x`.
    fn add_block(&mut self, x: Var, grad: &D::Matrix, block: Block) {
        self.add_to(x, |sum, fresh, to| {
            if fresh && (block.rows, block.cols) == (sum.rows(), sum.cols()) {
                return to.device.copy_block(grad, sum, block);
            }
            if fresh {
                to.device.clear(sum);
            }
            to.device.add_block(grad, sum, block);
        });
    }
}

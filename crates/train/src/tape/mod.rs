//! Reverse-mode differentiation: a tape of operations on matrices.
//!
//! An operation computes its value at once and leaves behind what its derivative needs. [`Tape::backward`] then runs
//! over the tape from its end: each operation receives the derivative of the loss by its value and adds its share to
//! the derivatives by its inputs and parameters.
//!
//! Matrices have a row for each word (all sentences one after the other) or each sentence: nothing is padded. One file
//! per kind of operation holds both directions; tests compare all of them with differences.
//!
//! ```
//! use metaphrase_train::parameters::{Gradients, Init, Parameters};
//! use metaphrase_train::tape::{Activation, Tape, Workspace};
//! use metaphrase_kernels::Matrix;
//!
//! let mut parameters = Parameters::new(1);
//! let w = parameters.declare("W", 1, 1, Init::Constant(3.0));
//! let (mut gradients, mut workspace) = (Gradients::new(&parameters), Workspace::default());
//! let mut tape = Tape::new(&parameters, Some(&mut gradients), None, &mut workspace);
//! let x = tape.constant(Matrix::from_vec(1, 1, vec![2.0]));
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
mod pool;
mod rows;
mod scan;
#[cfg(test)]
mod tests;

pub use additive_attention::AdditiveAttention;
pub use attention::{HeadsAttention, Spans};
pub use cells::GruInputs;
pub use linear::Activation;
pub use loss::{OutputLoss, WordLosses};
pub use pool::Pool;

use crate::parameters::{Gradients, ParameterId, Parameters};
use crate::products::ProductWork;
use dropout::Masks;
use metaphrase_kernels::Matrix;

/// A value on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var(u32);

impl Var {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a thread keeps from one tape to the next, so that nothing is allocated when it is warm.
#[derive(Debug, Default)]
pub struct Workspace {
    pool: Pool,
    products: ProductWork,
}

impl Workspace {
    /// Numbers that its free matrices can hold.
    #[must_use]
    pub fn pooled(&self) -> usize {
        self.pool.capacity()
    }
}

/// How a value came about, with what its derivative needs.
enum Op {
    /// From outside: has no derivative, and its matrix is not the pool's.
    Given,
    /// Has no derivative.
    Constant,
    Linear(linear::Linear),
    Elementwise(elementwise::Elementwise),
    Rows(rows::Rows),
    Normalise(normalise::Normalise),
    Dropout(dropout::Dropout),
    Attention(Box<attention::Attention>),
    Additive(Box<additive_attention::Additive>),
    Scan(scan::Scan),
    Cell(cells::Cell),
}

/// A computation and what its derivative needs.
pub struct Tape<'a> {
    parameters: &'a Parameters,
    gradients: Option<&'a mut Gradients>,
    masks: Option<Masks>,
    workspace: &'a mut Workspace,
    values: Vec<Matrix>,
    ops: Vec<Op>,
    /// Derivatives that are known before `backward`, from losses.
    grads: Vec<Option<Matrix>>,
}

impl<'a> Tape<'a> {
    /// An empty tape. Without `gradients` it only computes; dropout happens with a `dropout_seed` alone.
    pub fn new(
        parameters: &'a Parameters,
        gradients: Option<&'a mut Gradients>,
        dropout_seed: Option<u64>,
        workspace: &'a mut Workspace,
    ) -> Self {
        let masks = dropout_seed.map(Masks::new);
        Self { parameters, gradients, masks, workspace, values: Vec::new(), ops: Vec::new(), grads: Vec::new() }
    }

    /// The value of `x`.
    #[must_use]
    pub fn value(&self, x: Var) -> &Matrix {
        &self.values[x.index()]
    }

    /// Rows and columns of `x`.
    #[must_use]
    pub fn shape(&self, x: Var) -> (usize, usize) {
        let value = self.value(x);
        (value.rows(), value.cols())
    }

    /// The parameters that the tape computes with.
    #[must_use]
    pub const fn parameters(&self) -> &'a Parameters {
        self.parameters
    }

    /// A value from outside.
    pub fn constant(&mut self, value: Matrix) -> Var {
        self.push(value, Op::Given)
    }

    /// A value without derivative whose numbers, unspecified at first, `write` sets.
    pub fn written(&mut self, rows: usize, cols: usize, write: impl FnOnce(&mut Matrix)) -> Var {
        let mut value = self.take(rows, cols);
        write(&mut value);
        self.push(value, Op::Constant)
    }

    /// Zeros.
    pub fn zeros(&mut self, rows: usize, cols: usize) -> Var {
        let value = self.workspace.pool.zeros(rows, cols);
        self.push(value, Op::Constant)
    }

    /// Adds to the derivative of the loss by `x`; for losses that are computed outside.
    ///
    /// # Panics
    /// If it has not the shape of `x`.
    pub fn seed(&mut self, x: Var, grad: Matrix) {
        assert_eq!(self.shape(x), (grad.rows(), grad.cols()), "shape of a derivative");
        self.grads.resize(self.values.len(), None);
        match &mut self.grads[x.index()] {
            Some(sum) => {
                metaphrase_kernels::add_assign(sum.as_mut_slice(), grad.as_slice());
                self.workspace.pool.give(grad);
            }
            none => *none = Some(grad),
        }
    }

    /// The weights of an attention before dropout, query after query, for each the heads one after the other; nothing
    /// for other values.
    #[must_use]
    pub fn attention_weights(&self, x: Var) -> &[f32] {
        match &self.ops[x.index()] {
            Op::Additive(op) => op.weights(),
            Op::Attention(op) => op.weights(),
            _ => &[],
        }
    }

    /// Says what a loss of the weights of the attention `x` has for derivatives by them, in their order.
    ///
    /// # Panics
    /// If there are not as many as weights.
    pub fn guide_attention(&mut self, x: Var, derivatives: Vec<f32>) {
        assert_eq!(derivatives.len(), self.attention_weights(x).len(), "derivatives by weights of attention");
        match &mut self.ops[x.index()] {
            Op::Additive(op) => op.guide = Some(derivatives),
            Op::Attention(op) => op.guide = Some(derivatives),
            _ => {}
        }
    }

    fn push(&mut self, value: Matrix, op: Op) -> Var {
        let var = Var(self.values.len() as u32);
        self.values.push(value);
        self.ops.push(op);
        var
    }

    fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        self.workspace.pool.take(rows, cols)
    }

    /// Adds the derivatives of the loss by all parameters to the gradients that the tape was given.
    pub fn backward(mut self) {
        let Some(gradients) = self.gradients.take() else { return };
        self.grads.resize(self.values.len(), None);
        for index in (0..self.values.len()).rev() {
            let Some(mut grad) = self.grads[index].take() else { continue };
            let mut backward = Backward {
                parameters: self.parameters,
                gradients,
                workspace: self.workspace,
                values: &self.values,
                ops: &self.ops,
                grads: &mut self.grads,
            };
            let own = Var(index as u32);
            match &self.ops[index] {
                Op::Given | Op::Constant => {}
                Op::Linear(op) => op.backward(own, &mut grad, &mut backward),
                Op::Elementwise(op) => op.backward(own, &mut grad, &mut backward),
                Op::Rows(op) => op.backward(&grad, &mut backward),
                Op::Normalise(op) => op.backward(&grad, &mut backward),
                Op::Dropout(op) => op.backward(&grad, &mut backward),
                Op::Attention(op) => op.backward(&grad, &mut backward),
                Op::Additive(op) => op.backward(&grad, &mut backward),
                Op::Scan(op) => op.backward(own, &grad, &mut backward),
                Op::Cell(op) => op.backward(own, &grad, &mut backward),
            }
            self.workspace.pool.give(grad);
        }
    }
}

impl Drop for Tape<'_> {
    fn drop(&mut self) {
        // What comes from outside would pile up in the pool, a bit with each tape.
        let values = self.values.drain(..).zip(&self.ops).filter(|(_, op)| !matches!(op, Op::Given));
        let grads = self.grads.drain(..).flatten();
        values.map(|(value, _)| value).chain(grads).for_each(|matrix| self.workspace.pool.give(matrix));
        for op in self.ops.drain(..) {
            let kept = match op {
                Op::Attention(op) => op.into_kept(),
                Op::Additive(op) => op.into_kept(),
                Op::Cell(op) => match op.into_kept() {
                    Some(kept) => kept,
                    None => continue,
                },
                _ => continue,
            };
            self.workspace.pool.give(kept);
        }
    }
}

/// What an operation needs on the way back.
struct Backward<'t> {
    parameters: &'t Parameters,
    gradients: &'t mut Gradients,
    workspace: &'t mut Workspace,
    values: &'t [Matrix],
    ops: &'t [Op],
    grads: &'t mut [Option<Matrix>],
}

impl Backward<'_> {
    fn value(&self, x: Var) -> &Matrix {
        &self.values[x.index()]
    }

    /// Whether anything asks for the derivative by `x`.
    fn wants(&self, x: Var) -> bool {
        !matches!(self.ops[x.index()], Op::Given | Op::Constant)
    }

    /// Lets `add` add to the derivative by `x`. It is told whether the matrix is fresh: then its numbers are unspecified
    /// and all of them have to be set.
    fn add_to(&mut self, x: Var, add: impl FnOnce(&mut Matrix, bool, &mut Self)) {
        if !self.wants(x) {
            return;
        }
        let (mut grad, fresh) = match self.grads[x.index()].take() {
            Some(grad) => (grad, false),
            None => {
                let value = self.value(x);
                let (rows, cols) = (value.rows(), value.cols());
                (self.workspace.pool.take(rows, cols), true)
            }
        };
        add(&mut grad, fresh, self);
        self.grads[x.index()] = Some(grad);
    }

    /// The same for an operation that adds to parts of the derivative: what is fresh is zero.
    fn add_to_part(&mut self, x: Var, add: impl FnOnce(&mut Matrix, &mut Self)) {
        self.add_to(x, |grad, fresh, backward| {
            if fresh {
                grad.as_mut_slice().fill(0.0);
            }
            add(grad, backward);
        });
    }

    /// The same for an operation that can say the derivative element by element, as a slice in the order of `x`.
    fn add_slice(&mut self, x: Var, slice: &[f32]) {
        self.add_to(x, |grad, fresh, _| {
            if fresh {
                grad.as_mut_slice().copy_from_slice(slice);
            } else {
                metaphrase_kernels::add_assign(grad.as_mut_slice(), slice);
            }
        });
    }

    /// Adds to some rows of the derivative by `x`, from row `from` on.
    fn add_rows(&mut self, x: Var, from: usize, rows: &Matrix) {
        self.add_to_part(x, |grad, _| {
            let start = from * rows.cols();
            let part = &mut grad.as_mut_slice()[start..start + rows.as_slice().len()];
            metaphrase_kernels::add_assign(part, rows.as_slice());
        });
    }

    /// Adds to the gradient of a `1 × n` parameter the sum of all rows.
    fn add_rows_to_parameter(&mut self, id: ParameterId, rows: &Matrix) {
        let sum = self.gradients.get_mut(id).as_mut_slice();
        for r in 0..rows.rows() {
            metaphrase_kernels::add_assign(sum, rows.row(r));
        }
    }
}

//! Sums, products and functions of single numbers.

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Activation, Device};

/// An operation element by element.
pub(super) enum Elementwise {
    /// a + b
    Add(Var, Var),
    /// a · b
    Mul(Var, Var),
    /// x + b in each row, b `1 × n`.
    AddRow(Var, ParameterId),
    /// f(x)
    Activate(Var, Activation),
    /// g · a + (1 - g) · b
    Mix { gate: Var, a: Var, b: Var },
}

impl<D: Device> Tape<'_, D> {
    /// a + b.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        let (rows, cols) = self.shape(a);
        let mut y = self.device.take(rows, cols);
        self.device.sum_of(&self.values[a.index()], &self.values[b.index()], &mut y);
        self.push(y, Op::Elementwise(Elementwise::Add(a, b)))
    }

    /// a · b, element by element.
    pub fn mul(&mut self, a: Var, b: Var) -> Var {
        let mut y = self.copy(a);
        self.device.mul(&mut y, &self.values[b.index()]);
        self.push(y, Op::Elementwise(Elementwise::Mul(a, b)))
    }

    /// x + b in each row.
    pub fn add_row(&mut self, x: Var, b: ParameterId) -> Var {
        let mut y = self.copy(x);
        self.device.add_row(&mut y, self.parameters.value(b));
        self.push(y, Op::Elementwise(Elementwise::AddRow(x, b)))
    }

    /// f(x).
    pub fn activate(&mut self, x: Var, f: Activation) -> Var {
        let mut y = self.copy(x);
        self.device.activate(f, &mut y);
        self.push(y, Op::Elementwise(Elementwise::Activate(x, f)))
    }

    /// gate · a + (1 - gate) · b.
    pub fn mix(&mut self, gate: Var, a: Var, b: Var) -> Var {
        let (rows, cols) = self.shape(gate);
        let mut y = self.device.take(rows, cols);
        let [gate_value, a_value, b_value] = [gate, a, b].map(|x| &self.values[x.index()]);
        self.device.mix(gate_value, a_value, b_value, &mut y);
        self.push(y, Op::Elementwise(Elementwise::Mix { gate, a, b }))
    }

    pub(super) fn copy(&mut self, x: Var) -> D::Matrix {
        let (rows, cols) = self.shape(x);
        let mut copy = self.device.take(rows, cols);
        self.device.copy(&self.values[x.index()], &mut copy);
        copy
    }
}

impl Elementwise {
    pub(super) fn backward<D: Device>(&self, own: Var, mut grad: D::Matrix, to: &mut Backward<'_, D>) {
        let values = to.values;
        let value = |x: Var| &values[x.index()];
        match *self {
            Self::Add(a, b) => {
                to.add_matrix(a, &grad);
                return to.add_owned(b, grad);
            }
            Self::Mul(a, b) => {
                to.add_to(a, |sum, fresh, to| to.device.add_product(&grad, value(b), sum, fresh));
                to.add_to(b, |sum, fresh, to| to.device.add_product(&grad, value(a), sum, fresh));
            }
            Self::AddRow(x, b) => {
                to.device.add_all_rows(&grad, to.gradients.get_mut(b));
                return to.add_owned(x, grad);
            }
            Self::Activate(x, f) => {
                to.device.derive(f, value(x), value(own), &mut grad);
                return to.add_owned(x, grad);
            }
            Self::Mix { gate, a, b } => {
                to.add_to(a, |sum, fresh, to| to.device.add_product(&grad, value(gate), sum, fresh));
                to.add_to_part(b, |sum, to| to.device.add_rest(&grad, value(gate), sum));
                to.add_to_part(gate, |sum, to| to.device.add_difference(&grad, value(a), value(b), sum));
            }
        }
        to.device.give(grad);
    }
}

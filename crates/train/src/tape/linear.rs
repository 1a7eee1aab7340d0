//! Linear maps.

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Activation, Device, Shape, Weight};

/// y = f(x · W + b)
pub(super) struct Linear {
    x: Var,
    w: ParameterId,
    transposed: bool,
    b: Option<ParameterId>,
    activation: Activation,
}

impl<D: Device> Tape<'_, D> {
    /// f(x · W + b), W `inputs × outputs`, b `1 × outputs`.
    pub fn linear(&mut self, x: Var, w: ParameterId, b: Option<ParameterId>, activation: Activation) -> Var {
        self.map(Linear { x, w, transposed: false, b, activation })
    }

    /// f(x · Wᵀ + b), W `outputs × inputs`.
    pub fn linear_transposed(&mut self, x: Var, w: ParameterId, b: Option<ParameterId>, activation: Activation) -> Var {
        self.map(Linear { x, w, transposed: true, b, activation })
    }

    fn map(&mut self, op: Linear) -> Var {
        let by_value = !matches!(op.activation, Activation::Swish | Activation::Gelu);
        assert!(by_value, "the way back of {:?} needs its input: call `activate` on the product", op.activation);
        let parameters = self.parameters;
        let w = Weight { parameter: parameters.parameter(op.w), transposed: op.transposed };
        let numbers = parameters.value(op.w);
        let outputs = if op.transposed { numbers.rows() } else { numbers.cols() };
        let mut y = self.device.take(self.shape(op.x).0, outputs);
        let bias = op.b.map(|b| parameters.value(b));
        self.device.linear(&self.values[op.x.index()], w, bias, op.activation, &mut y);
        self.push(y, Op::Linear(op))
    }
}

impl Linear {
    pub(super) fn backward<D: Device>(&self, own: Var, grad: &mut D::Matrix, to: &mut Backward<'_, D>) {
        let y = &to.values[own.index()];
        to.device.derive(self.activation, y, y, grad);
        if let Some(b) = self.b {
            to.device.add_all_rows(grad, to.gradients.get_mut(b));
        }
        let x = &to.values[self.x.index()];
        let (inputs, outputs) = if self.transposed { (&*grad, x) } else { (x, &*grad) };
        to.device.transposed_product_add(inputs, outputs, to.gradients.get_mut(self.w));
        let back = Weight { parameter: to.parameters.parameter(self.w), transposed: !self.transposed };
        to.add_to(self.x, |sum, fresh, to| to.device.product_add(grad, back, sum, fresh));
    }
}

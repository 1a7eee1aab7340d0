//! Linear maps.

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Activation, Device, Shape, Weight};

/// y = f(x · W + b)
pub(super) struct Linear {
    x: Var,
    w: ParameterId,
    b: Option<ParameterId>,
    activation: Activation,
}

impl<D: Device> Tape<'_, D> {
    /// f(x · W + b), W `inputs × outputs`, b `1 × outputs`.
    pub fn linear(&mut self, x: Var, w: ParameterId, b: Option<ParameterId>, activation: Activation) -> Var {
        let by_value = !matches!(activation, Activation::Swish | Activation::Gelu);
        assert!(by_value, "the derivative of {activation:?} needs the input: call `activate` on the product");
        let parameters = self.parameters;
        let mut y = self.device.take(self.shape(x).0, parameters.value(w).cols());
        let weight = Weight { parameter: parameters.parameter(w), transposed: false };
        let bias = b.map(|b| parameters.value(b));
        self.device.linear(&self.values[x.index()], weight, bias, activation, &mut y);
        self.push(y, Op::Linear(Linear { x, w, b, activation }))
    }

    /// The values that maps by `w` have read, in the order of the maps.
    pub(crate) fn inputs_of(&self, w: ParameterId) -> Vec<&D::Matrix> {
        let input = |op: &Op<D::Matrix>| match op {
            Op::Linear(linear) if linear.w == w => Some(linear.x),
            _ => None,
        };
        self.ops.iter().filter_map(input).map(|x| self.value(x)).collect()
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
        to.device.transposed_product_add(x, grad, to.gradients.get_mut(self.w));
        let back = Weight { parameter: to.parameters.parameter(self.w), transposed: true };
        to.add_to(self.x, |sum, fresh, to| to.device.product_add(grad, back, sum, fresh));
    }
}

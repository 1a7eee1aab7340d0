//! Layer normalisation and normalisation by the root mean square.

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Device, Normal};

/// y = scale · (x - mean) / √(variance + ε) + bias, per row; without the mean, division by the root mean square.
pub(super) struct Normalise {
    x: Var,
    scale: ParameterId,
    bias: Option<ParameterId>,
    normal: Normal,
}

impl<D: Device> Tape<'_, D> {
    /// scale · (x - mean) / √(variance + epsilon) + bias in each row.
    pub fn layer_norm(&mut self, x: Var, scale: ParameterId, bias: Option<ParameterId>, epsilon: f32) -> Var {
        self.normalise(Normalise { x, scale, bias, normal: Normal { epsilon, centred: true } })
    }

    /// scale · x / √(mean of squares + epsilon) in each row.
    pub fn rms_norm(&mut self, x: Var, scale: ParameterId, epsilon: f32) -> Var {
        self.normalise(Normalise { x, scale, bias: None, normal: Normal { epsilon, centred: false } })
    }

    fn normalise(&mut self, op: Normalise) -> Var {
        let (rows, cols) = self.shape(op.x);
        let mut y = self.device.take(rows, cols);
        let (scale, bias) = (self.parameters.value(op.scale), op.bias.map(|bias| self.parameters.value(bias)));
        self.device.normalise(&self.values[op.x.index()], scale, bias, op.normal, &mut y);
        self.push(y, Op::Normalise(op))
    }
}

impl Normalise {
    pub(super) fn backward<D: Device>(&self, grad: &D::Matrix, to: &mut Backward<'_, D>) {
        if let Some(bias) = self.bias {
            to.device.add_all_rows(grad, to.gradients.get_mut(bias));
        }
        let (x, scale) = (&to.values[self.x.index()], to.parameters.value(self.scale));
        to.add_to(self.x, |sum, fresh, to| {
            let scale_sum = to.gradients.get_mut(self.scale);
            to.device.normalise_backward([x, scale, grad], self.normal, sum, fresh, scale_sum);
        });
    }
}

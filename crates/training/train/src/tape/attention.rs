//! Multi-head attention.

use super::{Backward, Op, Tape, Var};
use metaphrase_device::{AttentionInputs, Device, HeadsAttention, Mask, Shape};

pub(super) struct Attention<M> {
    /// Queries, keys and values.
    inputs: [Var; 3],
    settings: HeadsAttention,
    mask: Option<Mask>,
    /// Per sentence and query `heads × seen` weights, before dropout, as one row.
    pub(super) weights: M,
    /// The derivatives of a loss of the weights, to be added.
    pub(super) guide: Option<M>,
}

impl<D: Device> Tape<'_, D> {
    /// For each head h of each query: softmax(scale · q_h · Kᵀ_h) · V_h over the keys that it sees.
    pub fn attention(&mut self, q: Var, k: Var, v: Var, settings: &HeadsAttention) -> Var {
        let mask = self.mask(settings.dropout);
        let mut weights = self.device.take(1, settings.weights());
        let mut y = self.device.take(self.shape(q).0, self.shape(v).1);
        let inputs = [q, k, v].map(|x| &self.values[x.index()]);
        self.device.attend(AttentionInputs { inputs, settings, mask }, &mut weights, &mut y);
        let op = Attention { inputs: [q, k, v], settings: settings.clone(), mask, weights, guide: None };
        self.push(y, Op::Attention(Box::new(op)))
    }
}

impl<M: Shape> Attention<M> {
    pub(super) fn backward<D: Device<Matrix = M>>(&self, grad: &M, to: &mut Backward<'_, D>) {
        let inputs = self.inputs.map(|x| &to.values[x.index()]);
        let mut by_inputs = inputs.map(|x| to.device.zeros(x.rows(), x.cols()));
        let attended = AttentionInputs { inputs, settings: &self.settings, mask: self.mask };
        to.device.attend_backward(attended, &self.weights, self.guide.as_ref(), grad, &mut by_inputs);
        for (x, by_input) in self.inputs.into_iter().zip(by_inputs) {
            to.add_owned(x, by_input);
        }
    }
}

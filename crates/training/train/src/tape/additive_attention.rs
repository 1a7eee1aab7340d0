//! Additive attention (Bahdanau et al. 2015).

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{AdditiveInputs, Device, Shape, Spans};
use std::ops::Range;

/// Row r of the queries attends to the rows `spans[r]` of keys and values.
#[derive(Debug, Clone)]
pub struct AdditiveAttention {
    /// `rows × n`: a map of the decoder's states.
    pub queries: Var,
    /// `words × n`: a map of the encoder's outputs.
    pub keys: Var,
    /// `words × m`, the encoder's output.
    pub values: Var,
    /// n numbers.
    pub v: ParameterId,
    /// Per row of the queries, the words of its sentence.
    pub spans: Spans,
}

impl AdditiveAttention {
    fn inputs<'a, D: Device>(&'a self, values: &'a [D::Matrix], v: &'a D::Matrix) -> AdditiveInputs<'a, D::Matrix> {
        let [queries, keys, values] = [self.queries, self.keys, self.values].map(|x| &values[x.index()]);
        AdditiveInputs { queries, keys, values, v, spans: &self.spans }
    }
}

pub(super) struct AdditiveOp<M> {
    settings: AdditiveAttention,
    /// The weights of all rows, one row after the other.
    pub(super) weights: M,
    /// The derivatives of a loss of the weights, to be added.
    pub(super) guide: Option<M>,
}

impl<D: Device> Tape<'_, D> {
    /// Σ_j w_j · values_j with w = softmax_j(v · tanh(query + key_j)), `rows × m`.
    pub fn additive_attention(&mut self, settings: AdditiveAttention) -> Var {
        let count = settings.spans.iter().map(Range::len).sum();
        let mut weights = self.device.take(1, count);
        let mut y = self.device.take(self.shape(settings.queries).0, self.shape(settings.values).1);
        let inputs = settings.inputs::<D>(&self.values, self.parameters.value(settings.v));
        self.device.additive(inputs, &mut weights, &mut y);
        self.push(y, Op::Additive(Box::new(AdditiveOp { settings, weights, guide: None })))
    }

    /// The attentions with the parameter `v`, in order, each with its weights.
    pub(crate) fn attentions_of(&self, v: ParameterId) -> Vec<(&AdditiveAttention, &D::Matrix)> {
        let mut attentions = Vec::new();
        for op in &self.ops {
            if let Op::Additive(op) = op
                && op.settings.v == v
            {
                attentions.push((&op.settings, &op.weights));
            }
        }
        attentions
    }
}

impl<M: Shape> AdditiveOp<M> {
    pub(super) fn backward<D: Device<Matrix = M>>(&self, grad: &M, to: &mut Backward<'_, D>) {
        let AdditiveAttention { queries, keys, values, v, spans } = &self.settings;
        let inputs = self.settings.inputs::<D>(to.values, to.parameters.value(*v));
        let mut energies = to.device.take(1, self.weights.cols());
        to.device.additive_energies(inputs, &self.weights, self.guide.as_ref(), grad, &mut energies);
        to.add_to_part(*values, |sum, to| to.device.add_to_additive_values(spans, &self.weights, grad, sum));
        let mut by_queries = to.device.zeros(inputs.queries.rows(), inputs.queries.cols());
        to.add_to_part(*keys, |sum, to| {
            let v_sum = to.gradients.get_mut(*v);
            to.device.add_to_additive_keys(inputs, &energies, sum, v_sum, &mut by_queries);
        });
        to.add_matrix(*queries, &by_queries);
        to.device.give(by_queries);
        to.device.give(energies);
    }
}

//! Additive attention (Bahdanau et al. 2015).

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{Matrix, axpy, dot, softmax_in_place, tanh_dot, tanh_in_place, vectorised};
use std::ops::Range;
use std::rc::Rc;

/// What attends to what: row r of the queries to the rows `spans[r]` of keys and values.
#[derive(Debug, Clone)]
pub struct AdditiveAttention {
    /// `rows × n`, what the decoder's state has become.
    pub queries: Var,
    /// `words × n`, what the encoder's output has become.
    pub keys: Var,
    /// `words × m`, the encoder's output.
    pub values: Var,
    /// n numbers.
    pub v: ParameterId,
    /// Per row of the queries, the words of its sentence.
    pub spans: Rc<[Range<usize>]>,
}

pub(super) struct Additive {
    settings: AdditiveAttention,
    /// The weights of all rows, one row after the other.
    weights: Matrix,
    /// What a loss of the weights themselves adds to the derivatives by them.
    pub(super) guide: Option<Vec<f32>>,
}

impl Tape<'_> {
    /// Σ_j w_j · values_j with w = softmax_j(v · tanh(query + key_j)), `rows × m`.
    pub fn additive_attention(&mut self, settings: AdditiveAttention) -> Var {
        let count = settings.spans.iter().map(Range::len).sum();
        let mut weights = self.take(1, count);
        let mut y = self.take(self.value(settings.queries).rows(), self.value(settings.values).cols());
        let [queries, keys, values] = [settings.queries, settings.keys, settings.values].map(|x| self.value(x));
        let v = self.parameters.value(settings.v).as_slice();
        let mut start = 0;
        for (r, span) in settings.spans.iter().enumerate() {
            let own = &mut weights.as_mut_slice()[start..start + span.len()];
            for (weight, j) in own.iter_mut().zip(span.clone()) {
                *weight = tanh_dot(queries.row(r), keys.row(j), v);
            }
            softmax_in_place(own);
            let out = y.row_mut(r);
            out.fill(0.0);
            for (&weight, j) in own.iter().zip(span.clone()) {
                axpy(weight, values.row(j), out);
            }
            start += span.len();
        }
        self.push(y, Op::Additive(Box::new(Additive { settings, weights, guide: None })))
    }
}

impl Additive {
    pub(super) fn weights(&self) -> &[f32] {
        self.weights.as_slice()
    }

    /// What goes back into the pool.
    pub(super) fn into_kept(self) -> Matrix {
        self.weights
    }

    pub(super) fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        let AdditiveAttention { queries, keys, values, v, spans } = &self.settings;
        let all = to.values;
        let [queries_value, keys_value, values_value] = [queries, keys, values].map(|x| &all[x.index()]);
        // Derivatives by the energies.
        let mut energies = to.workspace.pool.take(1, self.weights.cols());
        let mut start = 0;
        for (r, span) in spans.iter().enumerate() {
            let own = start..start + span.len();
            let (weights, energies) =
                (&self.weights.as_slice()[own.clone()], &mut energies.as_mut_slice()[own.clone()]);
            for (energy, j) in energies.iter_mut().zip(span.clone()) {
                *energy = dot(grad.row(r), values_value.row(j));
            }
            if let Some(guide) = &self.guide {
                metaphrase_kernels::add_assign(energies, &guide[own.clone()]);
            }
            let mean = dot(weights, energies);
            energies.iter_mut().zip(weights).for_each(|(e, &w)| *e = w * (*e - mean));
            start = own.end;
        }
        to.add_to_part(*values, |sum, _| {
            let mut weights = self.weights.as_slice().iter();
            for (r, span) in spans.iter().enumerate() {
                span.clone().zip(&mut weights).for_each(|(j, &weight)| axpy(weight, grad.row(r), sum.row_mut(j)));
            }
        });
        let v_value = to.parameters.value(*v).as_slice();
        let mut queries_grad = to.workspace.pool.zeros(queries_value.rows(), queries_value.cols());
        let mut inner = vec![0.0; queries_value.cols()];
        to.add_to_part(*keys, |keys_grad, to| {
            let v_grad = to.gradients.get_mut(*v).as_mut_slice();
            let mut energies = energies.as_slice().iter();
            for (r, span) in spans.iter().enumerate() {
                for (j, &energy) in span.clone().zip(&mut energies) {
                    inner.copy_from_slice(queries_value.row(r));
                    metaphrase_kernels::add_assign(&mut inner, keys_value.row(j));
                    tanh_in_place(&mut inner);
                    let (q, k) = (queries_grad.row_mut(r), keys_grad.row_mut(j));
                    vectorised(|| through_tanh(energy, &inner, v_value, (q, k, v_grad)));
                }
            }
        });
        to.add_slice(*queries, queries_grad.as_slice());
        to.workspace.pool.give(queries_grad);
        to.workspace.pool.give(energies);
    }
}

/// From the derivative by an energy to those by query, key and v; `tanh` is tanh(query + key).
#[inline(always)]
fn through_tanh(energy: f32, tanh: &[f32], v: &[f32], (q, k, v_grad): (&mut [f32], &mut [f32], &mut [f32])) {
    for ((((&t, &v), q), k), v_grad) in tanh.iter().zip(v).zip(q).zip(k).zip(v_grad) {
        let d = energy * v * (1.0 - t * t);
        *q += d;
        *k += d;
        *v_grad += energy * t;
    }
}

//! Additive attention (Bahdanau et al. 2015).

use crate::attention::Spans;
use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, add_assign, axpy, dot, softmax_in_place, tanh_dot, tanh_in_place, vectorised};

/// The inputs of an additive attention.
#[derive(Debug)]
pub struct AdditiveInputs<'a, M> {
    /// `rows × n`: a map of the decoder's states.
    pub queries: &'a M,
    /// `words × n`: a map of the encoder's outputs.
    pub keys: &'a M,
    /// `words × m`: the encoder's outputs.
    pub values: &'a M,
    /// n numbers.
    pub v: &'a M,
    /// For each row of the queries, the words of its sentence. Weights have the order of rows, then of words.
    pub spans: &'a Spans,
}

impl<M> Copy for AdditiveInputs<'_, M> {}

impl<M> Clone for AdditiveInputs<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

/// y_r = Σ_j w_rj · values_j with w_r = softmax_j(v · tanh(query_r + key_j)) over the span of row r.
pub trait AdditiveAttention: Storage {
    /// Computes the weights and y.
    fn additive(&mut self, inputs: AdditiveInputs<'_, Self::Matrix>, weights: &mut Self::Matrix, y: &mut Self::Matrix);

    /// Computes the derivatives by the energies, the inputs of the softmax. `guide`: further derivatives by the
    /// weights.
    fn additive_energies(
        &mut self,
        inputs: AdditiveInputs<'_, Self::Matrix>,
        weights: &Self::Matrix,
        guide: Option<&Self::Matrix>,
        grad: &Self::Matrix,
        energies: &mut Self::Matrix,
    );

    /// Adds the derivative by the values.
    fn add_to_additive_values(
        &mut self,
        spans: &Spans,
        weights: &Self::Matrix,
        grad: &Self::Matrix,
        sum: &mut Self::Matrix,
    );

    /// Adds the derivatives by keys, v and queries, given the derivatives by the energies.
    fn add_to_additive_keys(
        &mut self,
        inputs: AdditiveInputs<'_, Self::Matrix>,
        energies: &Self::Matrix,
        keys_sum: &mut Self::Matrix,
        v_sum: &mut Self::Matrix,
        queries_sum: &mut Self::Matrix,
    );
}

impl AdditiveAttention for Host {
    fn additive(&mut self, inputs: AdditiveInputs<'_, Matrix>, weights: &mut Matrix, y: &mut Matrix) {
        let AdditiveInputs { queries, keys, values, v, spans } = inputs;
        let mut start = 0;
        for (r, span) in spans.iter().enumerate() {
            let own = &mut weights.as_mut_slice()[start..start + span.len()];
            for (weight, j) in own.iter_mut().zip(span.clone()) {
                *weight = tanh_dot(queries.row(r), keys.row(j), v.as_slice());
            }
            softmax_in_place(own);
            let out = y.row_mut(r);
            out.fill(0.0);
            for (&weight, j) in own.iter().zip(span.clone()) {
                axpy(weight, values.row(j), out);
            }
            start += span.len();
        }
    }

    fn additive_energies(
        &mut self,
        inputs: AdditiveInputs<'_, Matrix>,
        weights: &Matrix,
        guide: Option<&Matrix>,
        grad: &Matrix,
        energies: &mut Matrix,
    ) {
        let mut start = 0;
        for (r, span) in inputs.spans.iter().enumerate() {
            let own = start..start + span.len();
            let (weights, energies) = (&weights.as_slice()[own.clone()], &mut energies.as_mut_slice()[own.clone()]);
            for (energy, j) in energies.iter_mut().zip(span.clone()) {
                *energy = dot(grad.row(r), inputs.values.row(j));
            }
            if let Some(guide) = guide {
                add_assign(energies, &guide.as_slice()[own.clone()]);
            }
            let mean = dot(weights, energies);
            energies.iter_mut().zip(weights).for_each(|(e, &w)| *e = w * (*e - mean));
            start = own.end;
        }
    }

    fn add_to_additive_values(&mut self, spans: &Spans, weights: &Matrix, grad: &Matrix, sum: &mut Matrix) {
        let mut weights = weights.as_slice().iter();
        for (r, span) in spans.iter().enumerate() {
            span.clone().zip(&mut weights).for_each(|(j, &weight)| axpy(weight, grad.row(r), sum.row_mut(j)));
        }
    }

    fn add_to_additive_keys(
        &mut self,
        inputs: AdditiveInputs<'_, Matrix>,
        energies: &Matrix,
        keys_sum: &mut Matrix,
        v_sum: &mut Matrix,
        queries_sum: &mut Matrix,
    ) {
        let AdditiveInputs { queries, keys, v, spans, .. } = inputs;
        let (v, v_sum) = (v.as_slice(), v_sum.as_mut_slice());
        let mut inner = vec![0.0; queries.cols()];
        let mut energies = energies.as_slice().iter();
        for (r, span) in spans.iter().enumerate() {
            for (j, &energy) in span.clone().zip(&mut energies) {
                inner.copy_from_slice(queries.row(r));
                add_assign(&mut inner, keys.row(j));
                tanh_in_place(&mut inner);
                let (q, k) = (queries_sum.row_mut(r), keys_sum.row_mut(j));
                vectorised(|| through_tanh(energy, &inner, v, q, k, v_sum));
            }
        }
    }
}

/// From the derivative by an energy to the derivatives by query, key and v; `tanh` is tanh(query + key).
#[inline(always)]
fn through_tanh(energy: f32, tanh: &[f32], v: &[f32], q: &mut [f32], k: &mut [f32], v_grad: &mut [f32]) {
    for ((((&t, &v), q), k), v_grad) in tanh.iter().zip(v).zip(q).zip(k).zip(v_grad) {
        let d = energy * v * (1.0 - t * t);
        *q += d;
        *k += d;
        *v_grad += energy * t;
    }
}

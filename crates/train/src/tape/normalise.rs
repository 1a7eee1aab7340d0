//! Layer normalisation (Ba et al. 2016) and normalisation by the root mean square (Zhang and Sennrich 2019).

use super::{Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{self as kernels, Matrix, vectorised};

/// y = scale · (x - mean) / √(variance + ε) + bias, per row; without the mean, division by the root mean square.
pub(super) struct Normalise {
    x: Var,
    scale: ParameterId,
    bias: Option<ParameterId>,
    epsilon: f32,
    centred: bool,
}

impl Tape<'_> {
    /// scale · (x - mean) / √(variance + epsilon) + bias in each row.
    pub fn layer_norm(&mut self, x: Var, scale: ParameterId, bias: Option<ParameterId>, epsilon: f32) -> Var {
        self.normalise(Normalise { x, scale, bias, epsilon, centred: true })
    }

    /// scale · x / √(mean of squares + epsilon) in each row.
    pub fn rms_norm(&mut self, x: Var, scale: ParameterId, epsilon: f32) -> Var {
        self.normalise(Normalise { x, scale, bias: None, epsilon, centred: false })
    }

    fn normalise(&mut self, op: Normalise) -> Var {
        let mut y = self.copy(op.x);
        let scale = self.parameters.value(op.scale).as_slice();
        let bias = op.bias.map(|bias| self.parameters.value(bias).as_slice());
        let normalise = if op.centred { kernels::layer_norm } else { kernels::rms_norm };
        (0..y.rows()).for_each(|r| normalise(y.row_mut(r), scale, bias, op.epsilon));
        self.push(y, Op::Normalise(op))
    }
}

impl Normalise {
    pub(super) fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        if let Some(bias) = self.bias {
            to.add_rows_to_parameter(bias, grad);
        }
        let (values, scale) = (to.values, to.parameters.value(self.scale).as_slice());
        let x = &values[self.x.index()];
        // x̂ of one row, and the derivative by it.
        let mut normal = vec![0.0; x.cols()];
        let mut inner = vec![0.0; x.cols()];
        to.add_to_part(self.x, |sum, to| {
            let scale_gradient = to.gradients.get_mut(self.scale).as_mut_slice();
            for r in 0..x.rows() {
                let (sum, x, grad) = (sum.row_mut(r), x.row(r), grad.row(r));
                vectorised(
                    #[inline(always)] // the compiler would rather call it, compiled portably
                    || self.row(x, grad, scale, (&mut normal, &mut inner), sum, scale_gradient),
                );
            }
        });
    }

    /// dx += 1/σ · (d - mean d - x̂ · mean(d · x̂)) with d = grad · scale.
    #[inline(always)]
    fn row(
        &self,
        x: &[f32],
        grad: &[f32],
        scale: &[f32],
        (normal, inner): (&mut [f32], &mut [f32]),
        sum: &mut [f32],
        scale_gradient: &mut [f32],
    ) {
        let n = x.len() as f32;
        let mean = if self.centred { total(x, x, |x, _| x) / n } else { 0.0 };
        let variance = total(x, x, |x, _| (x - mean) * (x - mean)) / n;
        let inverse = 1.0 / (variance + self.epsilon).sqrt();
        for ((normal, inner), ((&x, &grad), &scale)) in
            normal.iter_mut().zip(inner.iter_mut()).zip(x.iter().zip(grad).zip(scale))
        {
            *normal = (x - mean) * inverse;
            *inner = grad * scale;
        }
        let inner_mean = if self.centred { total(inner, inner, |d, _| d) / n } else { 0.0 };
        let product_mean = total(inner, normal, |d, x| d * x) / n;
        for ((sum, &d), &x) in sum.iter_mut().zip(&*inner).zip(&*normal) {
            *sum += inverse * (d - inner_mean - x * product_mean);
        }
        for ((sum, &grad), &x) in scale_gradient.iter_mut().zip(grad).zip(&*normal) {
            *sum += grad * x;
        }
    }
}

/// Σ f(a, b) in sixteen lanes, so that it can be computed side by side.
#[inline(always)]
fn total(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f32) -> f32 {
    let ((a_chunks, a_rest), (b_chunks, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut lanes = [0.0; 16];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for i in 0..16 {
            lanes[i] += f(a[i], b[i]);
        }
    }
    for ((lane, &a), &b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *lane += f(a, b);
    }
    lanes.iter().sum()
}

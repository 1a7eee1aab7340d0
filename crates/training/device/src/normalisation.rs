//! Layer normalisation (Ba et al. 2016) and normalisation by the root mean square (Zhang and Sennrich 2019).

use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Matrix, vectorised};

/// How rows are normalised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normal {
    /// Added to variances, or means of squares.
    pub epsilon: f32,
    /// Whether the mean is taken away.
    pub centred: bool,
}

/// y = scale · (x - mean) / √(variance + ε) + bias, per row; without the mean, division by the root mean square.
/// `scale` and `bias` are `1 × n`.
pub trait Normalisation: Storage {
    /// y ← the rows of x, normalised.
    fn normalise(
        &mut self,
        x: &Self::Matrix,
        scale: &Self::Matrix,
        bias: Option<&Self::Matrix>,
        normal: Normal,
        y: &mut Self::Matrix,
    );

    /// Adds the derivatives by x and by the scale, from x, the scale, and the derivative by y. What is fresh has no
    /// numbers yet.
    fn normalise_backward(
        &mut self,
        inputs: [&Self::Matrix; 3],
        normal: Normal,
        sum: &mut Self::Matrix,
        fresh: bool,
        scale_sum: &mut Self::Matrix,
    );
}

impl Normalisation for Host {
    fn normalise(&mut self, x: &Matrix, scale: &Matrix, bias: Option<&Matrix>, normal: Normal, y: &mut Matrix) {
        y.as_mut_slice().copy_from_slice(x.as_slice());
        let normalise = if normal.centred { kernels::layer_norm } else { kernels::rms_norm };
        let bias = bias.map(Matrix::as_slice);
        (0..y.rows()).for_each(|r| normalise(y.row_mut(r), scale.as_slice(), bias, normal.epsilon));
    }

    fn normalise_backward(
        &mut self,
        [x, scale, grad]: [&Matrix; 3],
        normal: Normal,
        sum: &mut Matrix,
        fresh: bool,
        scale_sum: &mut Matrix,
    ) {
        if fresh {
            sum.as_mut_slice().fill(0.0);
        }
        let mut work = RowWork { normal: vec![0.0; x.cols()], inner: vec![0.0; x.cols()] };
        let scale_sum = scale_sum.as_mut_slice();
        for r in 0..x.rows() {
            let (sum, x, grad) = (sum.row_mut(r), x.row(r), grad.row(r));
            vectorised(
                #[inline(always)] // the compiler would rather call it, compiled portably
                || normal.row(x, grad, scale.as_slice(), &mut work, sum, scale_sum),
            );
        }
    }
}

/// Work space for one row.
struct RowWork {
    /// x̂ of the row.
    normal: Vec<f32>,
    /// The derivative by x̂.
    inner: Vec<f32>,
}

impl Normal {
    /// dx += 1/σ · (d - mean d - x̂ · mean(d · x̂)) with d = grad · scale.
    #[inline(always)]
    fn row(
        self,
        x: &[f32],
        grad: &[f32],
        scale: &[f32],
        RowWork { normal, inner }: &mut RowWork,
        sum: &mut [f32],
        scale_sum: &mut [f32],
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
        for ((sum, &grad), &x) in scale_sum.iter_mut().zip(grad).zip(&*normal) {
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

//! Running sums over the words of a sentence.

use crate::attention::Spans;
use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, add_assign, axpy, vectorised};
use std::ops::Range;

/// Operations in which a word sees those before it; each row is in one span.
pub trait Scans: Storage {
    /// y_t ← f_t · y_{t-1} + (1 - f_t) · x_t over the rows of each span, with y = 0 before the first.
    fn leaky_sum(&mut self, f: &Self::Matrix, x: &Self::Matrix, spans: &Spans, y: &mut Self::Matrix);

    /// Computes the derivative by f, and adds the one by x; `inputs` are f, x and y.
    fn leaky_sum_backward(
        &mut self,
        inputs: [&Self::Matrix; 3],
        spans: &Spans,
        grad: &Self::Matrix,
        by_f: &mut Self::Matrix,
        sum: &mut Self::Matrix,
    );

    /// y_t ← the mean of the rows of x in the span up to row t.
    fn running_mean(&mut self, x: &Self::Matrix, spans: &Spans, y: &mut Self::Matrix);

    /// Adds the derivative by x.
    fn running_mean_backward(&mut self, spans: &Spans, grad: &Self::Matrix, sum: &mut Self::Matrix);
}

impl Scans for Host {
    fn leaky_sum(&mut self, f: &Matrix, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        let cols = y.cols();
        for span in spans.iter() {
            for t in span.clone() {
                let (before, now) = split(y, span, t, cols);
                let before = before.iter().copied().chain(std::iter::repeat(0.0));
                for (((now, &f), &x), before) in now.iter_mut().zip(f.row(t)).zip(x.row(t)).zip(before) {
                    *now = f * before + (1.0 - f) * x;
                }
            }
        }
    }

    fn leaky_sum_backward(
        &mut self,
        [f, x, y]: [&Matrix; 3],
        spans: &Spans,
        grad: &Matrix,
        by_f: &mut Matrix,
        sum: &mut Matrix,
    ) {
        // The derivative by y_t, of which f_t is handed to y_{t-1}.
        let mut carried = vec![0.0; grad.cols()];
        let zeros = vec![0.0; grad.cols()];
        for span in spans.iter() {
            carried.fill(0.0);
            for t in span.clone().rev() {
                let before = if t == span.start { &zeros } else { y.row(t - 1) };
                let inputs = f.row(t).iter().zip(x.row(t)).zip(before).zip(grad.row(t));
                let outputs = carried.iter_mut().zip(sum.row_mut(t)).zip(by_f.row_mut(t));
                vectorised(|| {
                    for ((((&f, &x), &before), &grad), ((carried, by_x), by_f)) in inputs.zip(outputs) {
                        let d = grad + *carried;
                        *by_x += d * (1.0 - f);
                        *by_f = d * (before - x);
                        *carried = d * f;
                    }
                });
            }
        }
    }

    fn running_mean(&mut self, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        let mut sum = vec![0.0; x.cols()];
        for span in spans.iter() {
            sum.fill(0.0);
            for (i, t) in span.clone().enumerate() {
                add_assign(&mut sum, x.row(t));
                let share = 1.0 / (i + 1) as f32;
                y.row_mut(t).iter_mut().zip(&sum).for_each(|(y, &sum)| *y = sum * share);
            }
        }
    }

    fn running_mean_backward(&mut self, spans: &Spans, grad: &Matrix, sum: &mut Matrix) {
        let mut carried = vec![0.0; grad.cols()];
        for span in spans.iter() {
            carried.fill(0.0);
            for (i, t) in span.clone().enumerate().rev() {
                axpy(1.0 / (i + 1) as f32, grad.row(t), &mut carried);
                add_assign(sum.row_mut(t), &carried);
            }
        }
    }
}

/// Row t and the one before it, which is empty for the first of a span.
fn split<'m>(y: &'m mut Matrix, span: &Range<usize>, t: usize, cols: usize) -> (&'m [f32], &'m mut [f32]) {
    let (head, tail) = y.as_mut_slice().split_at_mut(t * cols);
    let before = if t == span.start { &[][..] } else { &head[(t - 1) * cols..] };
    (before, &mut tail[..cols])
}

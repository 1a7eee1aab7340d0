//! Running sums over the words of a sentence.

use super::{Backward, Op, Spans, Tape, Var};
use metaphrase_kernels::{Matrix, vectorised};
use std::ops::Range;

/// An operation in which a word sees those before it.
pub(super) enum Scan {
    /// c_t = f_t · c_{t-1} + (1 - f_t) · x_t, with c = 0 before the first word.
    Leaky { forget: Var, x: Var, spans: Spans },
    /// The mean of x_0 … x_t.
    Mean { x: Var, spans: Spans },
}

impl Tape<'_> {
    /// c_t = forget_t · c_{t-1} + (1 - forget_t) · x_t over the rows of each span, from c = 0.
    pub fn leaky_sum(&mut self, forget: Var, x: Var, spans: &Spans) -> Var {
        let (rows, cols) = self.shape(x);
        let mut y = self.take(rows, cols);
        let [f, x_value] = [forget, x].map(|v| self.value(v));
        for span in spans.iter() {
            for t in span.clone() {
                let (before, now) = split(&mut y, span, t, cols);
                let before = before.iter().copied().chain(std::iter::repeat(0.0));
                for (((now, &f), &x), before) in now.iter_mut().zip(f.row(t)).zip(x_value.row(t)).zip(before) {
                    *now = f * before + (1.0 - f) * x;
                }
            }
        }
        self.push(y, Op::Scan(Scan::Leaky { forget, x, spans: spans.clone() }))
    }

    /// In each row the mean of the rows of its span up to this one.
    pub fn running_mean(&mut self, x: Var, spans: &Spans) -> Var {
        let (rows, cols) = self.shape(x);
        let mut y = self.take(rows, cols);
        let value = self.value(x);
        let mut sum = vec![0.0; cols];
        for span in spans.iter() {
            sum.fill(0.0);
            for (i, t) in span.clone().enumerate() {
                metaphrase_kernels::add_assign(&mut sum, value.row(t));
                let share = 1.0 / (i + 1) as f32;
                y.row_mut(t).iter_mut().zip(&sum).for_each(|(y, &sum)| *y = sum * share);
            }
        }
        self.push(y, Op::Scan(Scan::Mean { x, spans: spans.clone() }))
    }
}

/// Row t and the one before it, which is empty for the first of a span.
fn split<'m>(y: &'m mut Matrix, span: &Range<usize>, t: usize, cols: usize) -> (&'m [f32], &'m mut [f32]) {
    let (head, tail) = y.as_mut_slice().split_at_mut(t * cols);
    let before = if t == span.start { &[][..] } else { &head[(t - 1) * cols..] };
    (before, &mut tail[..cols])
}

impl Scan {
    pub(super) fn backward(&self, own: Var, grad: &Matrix, to: &mut Backward<'_>) {
        match self {
            Self::Leaky { forget, x, spans } => {
                let values = to.values;
                let [c, f, x_value] = [own, *forget, *x].map(|v| &values[v.index()]);
                // The derivative by c_t, of which f_t is handed to c_{t-1}.
                let mut carried = vec![0.0; grad.cols()];
                let zeros = vec![0.0; grad.cols()];
                let mut by_forget = to.workspace.pool.take(grad.rows(), grad.cols());
                to.add_to_part(*x, |by_x, _| {
                    for span in spans.iter() {
                        carried.fill(0.0);
                        for t in span.clone().rev() {
                            let before = if t == span.start { &zeros } else { c.row(t - 1) };
                            let inputs = f.row(t).iter().zip(x_value.row(t)).zip(before).zip(grad.row(t));
                            let outputs = carried.iter_mut().zip(by_x.row_mut(t)).zip(by_forget.row_mut(t));
                            vectorised(|| {
                                for ((((&f, &x), &before), &grad), ((carried, by_x), by_forget)) in inputs.zip(outputs)
                                {
                                    let d = grad + *carried;
                                    *by_x += d * (1.0 - f);
                                    *by_forget = d * (before - x);
                                    *carried = d * f;
                                }
                            });
                        }
                    }
                });
                to.add_slice(*forget, by_forget.as_slice());
                to.workspace.pool.give(by_forget);
            }
            Self::Mean { x, spans } => to.add_to_part(*x, |sum, _| {
                let mut carried = vec![0.0; grad.cols()];
                for span in spans.iter() {
                    carried.fill(0.0);
                    for (i, t) in span.clone().enumerate().rev() {
                        metaphrase_kernels::axpy(1.0 / (i + 1) as f32, grad.row(t), &mut carried);
                        metaphrase_kernels::add_assign(sum.row_mut(t), &carried);
                    }
                }
            }),
        }
    }
}

//! Running sums over the words of a sentence.

use super::{Backward, Op, Spans, Tape, Var};
use metaphrase_device::{Device, Shape};

/// An operation in which a word sees those before it.
pub(super) enum Scan {
    /// c_t = f_t · c_{t-1} + (1 - f_t) · x_t, with c = 0 before the first word.
    Leaky { forget: Var, x: Var, spans: Spans },
    /// The mean of x_0 … x_t.
    Mean { x: Var, spans: Spans },
}

impl<D: Device> Tape<'_, D> {
    /// c_t = forget_t · c_{t-1} + (1 - forget_t) · x_t over the rows of each span, from c = 0.
    pub fn leaky_sum(&mut self, forget: Var, x: Var, spans: &Spans) -> Var {
        let (rows, cols) = self.shape(x);
        let mut y = self.device.take(rows, cols);
        self.device.leaky_sum(&self.values[forget.index()], &self.values[x.index()], spans, &mut y);
        self.push(y, Op::Scan(Scan::Leaky { forget, x, spans: spans.clone() }))
    }

    /// In each row the mean of the rows of its span up to this one.
    pub fn running_mean(&mut self, x: Var, spans: &Spans) -> Var {
        let (rows, cols) = self.shape(x);
        let mut y = self.device.take(rows, cols);
        self.device.running_mean(&self.values[x.index()], spans, &mut y);
        self.push(y, Op::Scan(Scan::Mean { x, spans: spans.clone() }))
    }
}

impl Scan {
    pub(super) fn backward<D: Device>(&self, own: Var, grad: &D::Matrix, to: &mut Backward<'_, D>) {
        match self {
            Self::Leaky { forget, x, spans } => {
                let values = to.values;
                let inputs = [*forget, *x, own].map(|v| &values[v.index()]);
                let mut by_forget = to.device.take(grad.rows(), grad.cols());
                to.add_to_part(*x, |sum, to| {
                    to.device.leaky_sum_backward(inputs, spans, grad, &mut by_forget, sum);
                });
                to.add_matrix(*forget, &by_forget);
                to.device.give(by_forget);
            }
            Self::Mean { x, spans } => {
                to.add_to_part(*x, |sum, to| to.device.running_mean_backward(spans, grad, sum));
            }
        }
    }
}

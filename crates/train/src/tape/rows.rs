//! Choosing, joining and cutting rows and columns.

use super::{Backward, Op, Spans, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{Matrix, add_assign, axpy};
use std::ops::Range;
use std::rc::Rc;

/// An operation that moves numbers.
pub(super) enum Rows {
    /// Rows of a table, times a factor; where there is no id, zeros.
    Lookup { table: ParameterId, ids: Rc<[Option<u32>]>, factor: f32 },
    /// These rows of x, in this order.
    Gather { x: Var, rows: Rc<[u32]> },
    /// Adjacent rows of x.
    Slice { x: Var, rows: Range<usize> },
    /// Adjacent columns of x.
    Columns { x: Var, columns: Range<usize> },
    /// All rows of several values, one value after the other.
    Stack(Rc<[Var]>),
    /// Several values side by side.
    Join(Rc<[Var]>),
    /// A parameter of one row, in each row.
    Repeat(ParameterId),
    /// The means of adjacent rows of x.
    Means { x: Var, spans: Spans },
}

impl Tape<'_> {
    /// For each id, that row of `table` times `factor`; zeros where there is none.
    pub fn lookup(&mut self, table: ParameterId, ids: &[Option<u32>], factor: f32) -> Var {
        let parameters = self.parameters;
        let numbers = parameters.value(table);
        let mut y = self.take(ids.len(), numbers.cols());
        for (r, id) in ids.iter().enumerate() {
            let row = y.row_mut(r);
            row.fill(0.0);
            if let Some(id) = id {
                axpy(factor, numbers.row(*id as usize), row);
            }
        }
        self.push(y, Op::Rows(Rows::Lookup { table, ids: ids.into(), factor }))
    }

    /// These rows of `x`, in this order; a row may come several times.
    pub fn gather(&mut self, x: Var, rows: Rc<[u32]>) -> Var {
        let mut y = self.take(rows.len(), self.value(x).cols());
        let value = self.value(x);
        rows.iter().enumerate().for_each(|(to, &from)| y.row_mut(to).copy_from_slice(value.row(from as usize)));
        self.push(y, Op::Rows(Rows::Gather { x, rows }))
    }

    /// Adjacent rows of `x`.
    pub fn slice(&mut self, x: Var, rows: Range<usize>) -> Var {
        let cols = self.value(x).cols();
        if rows == (0..self.value(x).rows()) {
            return x;
        }
        let mut y = self.take(rows.len(), cols);
        y.as_mut_slice().copy_from_slice(&self.value(x).as_slice()[rows.start * cols..rows.end * cols]);
        self.push(y, Op::Rows(Rows::Slice { x, rows }))
    }

    /// Adjacent columns of `x`.
    pub fn columns(&mut self, x: Var, columns: Range<usize>) -> Var {
        let mut y = self.take(self.value(x).rows(), columns.len());
        let value = self.value(x);
        (0..value.rows()).for_each(|r| y.row_mut(r).copy_from_slice(&value.row(r)[columns.clone()]));
        self.push(y, Op::Rows(Rows::Columns { x, columns }))
    }

    /// The rows of all `parts`, one part after the other.
    ///
    /// # Panics
    /// If there are no parts.
    pub fn stack(&mut self, parts: &[Var]) -> Var {
        let rows = parts.iter().map(|&part| self.value(part).rows()).sum();
        let cols = self.value(parts[0]).cols();
        let mut y = self.take(rows, cols);
        let mut start = 0;
        for &part in parts {
            let part = self.value(part).as_slice();
            y.as_mut_slice()[start..start + part.len()].copy_from_slice(part);
            start += part.len();
        }
        self.push(y, Op::Rows(Rows::Stack(parts.into())))
    }

    /// The columns of all `parts`, side by side.
    ///
    /// # Panics
    /// If there are no parts.
    pub fn join(&mut self, parts: &[Var]) -> Var {
        let cols = parts.iter().map(|&part| self.value(part).cols()).sum();
        let rows = self.value(parts[0]).rows();
        let mut y = self.take(rows, cols);
        let mut start = 0;
        for &part in parts {
            let part = self.value(part);
            let columns = start..start + part.cols();
            (0..rows).for_each(|r| y.row_mut(r)[columns.clone()].copy_from_slice(part.row(r)));
            start = columns.end;
        }
        self.push(y, Op::Rows(Rows::Join(parts.into())))
    }

    /// For each span the mean of its rows.
    pub fn means(&mut self, x: Var, spans: &Spans) -> Var {
        let mut y = self.workspace.pool.zeros(spans.len(), self.value(x).cols());
        let value = self.value(x);
        for (r, span) in spans.iter().enumerate() {
            span.clone().for_each(|from| axpy(1.0 / span.len() as f32, value.row(from), y.row_mut(r)));
        }
        self.push(y, Op::Rows(Rows::Means { x, spans: spans.clone() }))
    }

    /// A parameter `1 × n` as `rows × n`.
    pub fn repeat(&mut self, x: ParameterId, rows: usize) -> Var {
        let value = self.parameters.value(x);
        let mut y = self.workspace.pool.take(rows, value.cols());
        (0..rows).for_each(|r| y.row_mut(r).copy_from_slice(value.row(0)));
        self.push(y, Op::Rows(Rows::Repeat(x)))
    }
}

impl Rows {
    pub(super) fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        match self {
            Self::Lookup { table, ids, factor } => {
                let gradient = to.gradients.get_mut(*table);
                for (r, id) in ids.iter().enumerate() {
                    if let Some(id) = id {
                        axpy(*factor, grad.row(r), gradient.row_mut(*id as usize));
                    }
                }
            }
            Self::Gather { x, rows } => to.add_to_part(*x, |sum, _| {
                rows.iter().enumerate().for_each(|(from, &to)| add_assign(sum.row_mut(to as usize), grad.row(from)));
            }),
            Self::Slice { x, rows } => to.add_to_part(*x, |sum, _| {
                let cols = grad.cols();
                add_assign(&mut sum.as_mut_slice()[rows.start * cols..rows.end * cols], grad.as_slice());
            }),
            Self::Columns { x, columns } => to.add_to_part(*x, |sum, _| {
                (0..grad.rows()).for_each(|r| add_assign(&mut sum.row_mut(r)[columns.clone()], grad.row(r)));
            }),
            Self::Stack(parts) => {
                let mut start = 0;
                for &part in parts.iter() {
                    let len = to.value(part).as_slice().len();
                    to.add_slice(part, &grad.as_slice()[start..start + len]);
                    start += len;
                }
            }
            Self::Join(parts) => {
                let mut start = 0;
                for &part in parts.iter() {
                    let columns = start..start + to.value(part).cols();
                    to.add_to(part, |sum, fresh, _| {
                        for r in 0..grad.rows() {
                            if fresh {
                                sum.row_mut(r).copy_from_slice(&grad.row(r)[columns.clone()]);
                            } else {
                                add_assign(sum.row_mut(r), &grad.row(r)[columns.clone()]);
                            }
                        }
                    });
                    start = columns.end;
                }
            }
            Self::Repeat(x) => to.add_rows_to_parameter(*x, grad),
            Self::Means { x, spans } => to.add_to_part(*x, |sum, _| {
                for (r, span) in spans.iter().enumerate() {
                    span.clone().for_each(|to| axpy(1.0 / span.len() as f32, grad.row(r), sum.row_mut(to)));
                }
            }),
        }
    }
}

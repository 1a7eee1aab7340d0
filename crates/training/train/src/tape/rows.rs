//! Choosing, joining and cutting rows and columns.

use super::{Backward, Op, Spans, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Block, Device, Shape};
use std::ops::Range;
use std::rc::Rc;

/// An operation that moves numbers.
pub(super) enum Rows {
    /// Rows of a table, times a factor; where there is no id, zeros.
    Lookup { table: ParameterId, ids: Rc<[Option<u32>]>, factor: f32 },
    /// These rows of x, in this order.
    Gather { x: Var, rows: Rc<[u32]> },
    /// Blocks of several values, which fill the new one.
    Blocks(Rc<[(Var, Block)]>),
    /// A parameter of one row, in each row.
    Repeat(ParameterId),
    /// The means of adjacent rows of x.
    Means { x: Var, spans: Spans },
}

impl<D: Device> Tape<'_, D> {
    /// For each id, that row of `table` times `factor`; zeros where there is none.
    pub fn lookup(&mut self, table: ParameterId, ids: &[Option<u32>], factor: f32) -> Var {
        let numbers = self.parameters.value(table);
        let mut y = self.device.take(ids.len(), numbers.cols());
        self.device.lookup(numbers, ids, factor, &mut y);
        self.push(y, Op::Rows(Rows::Lookup { table, ids: ids.into(), factor }))
    }

    /// These rows of `x`, in this order; a row may come several times.
    pub fn gather(&mut self, x: Var, rows: Rc<[u32]>) -> Var {
        let mut y = self.device.take(rows.len(), self.shape(x).1);
        self.device.gather(&self.values[x.index()], &rows, &mut y);
        let op = if self.is_constant(x) { Op::Constant } else { Op::Rows(Rows::Gather { x, rows }) };
        self.push(y, op)
    }

    /// Adjacent rows of `x`.
    pub fn slice(&mut self, x: Var, rows: Range<usize>) -> Var {
        let (all, cols) = self.shape(x);
        if rows == (0..all) {
            return x;
        }
        let block = Block { rows: rows.len(), cols, from: (rows.start, 0), to: (0, 0) };
        self.blocks(rows.len(), cols, [(x, block)].into())
    }

    /// Adjacent columns of `x`.
    pub fn columns(&mut self, x: Var, columns: Range<usize>) -> Var {
        let rows = self.shape(x).0;
        let block = Block { rows, cols: columns.len(), from: (0, columns.start), to: (0, 0) };
        self.blocks(rows, columns.len(), [(x, block)].into())
    }

    /// The rows of all `parts`, one part after the other.
    ///
    /// # Panics
    /// If there are no parts.
    pub fn stack(&mut self, parts: &[Var]) -> Var {
        let cols = self.shape(parts[0]).1;
        let mut height = 0;
        let mut place = |&part: &Var| {
            let rows = self.shape(part).0;
            height += rows;
            (part, Block { rows, cols, from: (0, 0), to: (height - rows, 0) })
        };
        let blocks = parts.iter().map(&mut place).collect();
        self.blocks(height, cols, blocks)
    }

    /// The columns of all `parts`, side by side.
    ///
    /// # Panics
    /// If there are no parts.
    pub fn join(&mut self, parts: &[Var]) -> Var {
        let rows = self.shape(parts[0]).0;
        let mut width = 0;
        let mut place = |&part: &Var| {
            let cols = self.shape(part).1;
            width += cols;
            (part, Block { rows, cols, from: (0, 0), to: (0, width - cols) })
        };
        let blocks = parts.iter().map(&mut place).collect();
        self.blocks(rows, width, blocks)
    }

    fn blocks(&mut self, rows: usize, cols: usize, blocks: Rc<[(Var, Block)]>) -> Var {
        let mut y = self.device.take(rows, cols);
        for &(x, block) in blocks.iter() {
            self.device.copy_block(&self.values[x.index()], &mut y, block);
        }
        let constant = blocks.iter().all(|&(x, _)| self.is_constant(x));
        self.push(y, if constant { Op::Constant } else { Op::Rows(Rows::Blocks(blocks)) })
    }

    /// For each span the mean of its rows.
    pub fn means(&mut self, x: Var, spans: &Spans) -> Var {
        let mut y = self.device.take(spans.len(), self.shape(x).1);
        self.device.means(&self.values[x.index()], spans, &mut y);
        self.push(y, Op::Rows(Rows::Means { x, spans: spans.clone() }))
    }

    /// A parameter `1 × n` as `rows × n`.
    pub fn repeat(&mut self, x: ParameterId, rows: usize) -> Var {
        let value = self.parameters.value(x);
        let mut y = self.device.take(rows, value.cols());
        self.device.repeat(value, &mut y);
        self.push(y, Op::Rows(Rows::Repeat(x)))
    }
}

impl Rows {
    pub(super) fn backward<D: Device>(&self, grad: &D::Matrix, to: &mut Backward<'_, D>) {
        match self {
            Self::Lookup { table, ids, factor } => {
                to.device.add_looked_up(grad, ids, *factor, to.gradients.get_mut(*table));
            }
            Self::Gather { x, rows } => to.add_to_part(*x, |sum, to| to.device.add_gathered(grad, rows, sum)),
            Self::Blocks(blocks) => blocks.iter().for_each(|&(x, block)| to.add_block(x, grad, block.back())),
            Self::Repeat(x) => to.device.add_all_rows(grad, to.gradients.get_mut(*x)),
            Self::Means { x, spans } => to.add_to_part(*x, |sum, to| to.device.add_to_means(grad, spans, sum)),
        }
    }
}

//! The logits of a step, computed at once or when they are asked for.

use crate::output::Output;
use core::cell::{Cell, OnceCell};
use core::fmt;
use core::ops::Range;
use metaphrase_kernels::{Matrix, ProductStorage};
use std::sync::Arc;

/// The logits of the rows of a step. Storage is kept from step to step.
#[derive(Default)]
pub(super) struct Logits {
    /// As wide as the widest row; empty while they wait.
    known: OnceCell<Matrix>,
    /// Storage for those that come, and for a part of those that wait.
    spare: Cell<Matrix>,
    storage: Cell<ProductStorage>,
    output: Option<Arc<Output>>,
    /// The inputs of the output layer, of logits that wait.
    inputs: Matrix,
    /// Those of some rows.
    some: Cell<Matrix>,
    /// How many single logits were computed.
    singles: Cell<usize>,
}

/// So many single logits for each row of a step take about as long as all logits together.
const MOST_SINGLES: usize = 4;

impl Logits {
    /// Lets the logits of `inputs` wait until they are asked for.
    pub(super) fn postpone(&mut self, output: &Arc<Output>, inputs: &Matrix) {
        if let Some(old) = self.known.take() {
            self.spare.set(old);
        }
        self.inputs.resize(inputs.rows(), inputs.cols());
        self.inputs.as_mut_slice().copy_from_slice(inputs.as_slice());
        self.output = Some(Arc::clone(output));
        self.singles.set(0);
        // So that no question allocates.
        self.some.get_mut().resize(inputs.rows(), inputs.cols());
    }

    /// Whether they wait.
    pub(super) fn wait(&self) -> bool {
        self.known.get().is_none()
    }

    /// The logits of all rows.
    pub(super) fn get(&self) -> &Matrix {
        self.known.get_or_init(|| {
            let (mut logits, mut storage) = (self.spare.take(), self.storage.take());
            if let Some(output) = &self.output {
                output.logits(&self.inputs, &mut logits, &mut storage);
            }
            self.storage.set(storage);
            logits
        })
    }

    /// The logit in a column of a row. If the logits wait, they go on waiting, until many were asked for one by one.
    pub(super) fn one(&self, row: usize, column: usize) -> f32 {
        let few = |_: &&Arc<Output>| self.singles.get() < MOST_SINGLES * self.inputs.rows();
        let Some(output) = self.output.as_ref().filter(|_| self.wait()).filter(few) else {
            return self.get().row(row)[column];
        };
        self.singles.update(|singles| singles + 1);
        self.with_inputs(row..row + 1, |input, storage| output.logit(input, column, storage))
    }

    /// What `compute` makes of the inputs of some rows and of storage for products.
    fn with_inputs<R>(&self, rows: Range<usize>, compute: impl FnOnce(&Matrix, &mut ProductStorage) -> R) -> R {
        let (mut some, mut storage) = (self.some.take(), self.storage.take());
        let cols = self.inputs.cols();
        some.resize(rows.len(), cols);
        some.as_mut_slice().copy_from_slice(&self.inputs.as_slice()[rows.start * cols..rows.end * cols]);
        let result = compute(&some, &mut storage);
        self.some.set(some);
        self.storage.set(storage);
        result
    }

    /// [`get`](Self::get), to be changed.
    pub(super) fn get_mut(&mut self) -> &mut Matrix {
        self.get();
        self.known.get_mut().expect("they were computed just now")
    }

    /// A matrix of any shape for the logits of a new step, which nobody postpones.
    pub(super) fn begin(&mut self) -> &mut Matrix {
        if self.wait() {
            _ = self.known.set(self.spare.take());
        }
        self.get_mut()
    }

    /// Computes the logits of some rows that wait, for [`of_part`](Self::of_part); the others go on waiting.
    pub(super) fn compute_part(&mut self, rows: Range<usize>) {
        if let Some(output) = &self.output {
            let mut part = self.spare.take();
            self.with_inputs(rows, |inputs, storage| output.logits(inputs, &mut part, storage));
            self.spare.set(part);
        }
    }

    /// A row of the part that was computed last.
    pub(super) fn of_part(&mut self, row: usize) -> &[f32] {
        self.spare.get_mut().row(row)
    }
}

impl fmt::Debug for Logits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logits").field("known", &self.known).finish_non_exhaustive()
    }
}

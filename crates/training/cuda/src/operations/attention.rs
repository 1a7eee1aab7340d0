//! Multi-head attention: `kernels/attention.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, optional, same};
use crate::arguments::Heads;
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Attention, AttentionInputs, HeadsAttention, Mask, Shape, Storage};

/// The tables of an attention that kernels read.
struct Plan {
    /// Four numbers per query: `struct Query` of the kernels.
    queries: Matrix,
    query_count: usize,
    heads: Heads,
}

/// A mask that drops nothing.
const NO_MASK: Mask = Mask { key: 0, threshold: 0, scale: 1.0 };

/// Row, first key, keys that are seen, and start of its weights, of each query.
fn query_table(settings: &HeadsAttention) -> Vec<u32> {
    let (mut table, mut start) = (Vec::new(), 0);
    for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
        for (i, row) in queries.clone().enumerate() {
            let seen = settings.seen(i, keys.len());
            table.extend([row, keys.start, seen, start].map(|number| number as u32));
            start += settings.heads * seen;
        }
    }
    table
}

/// Row, place in its sentence, and first and number of its sentence's queries, of each key.
fn key_table(settings: &HeadsAttention) -> Vec<u32> {
    let (mut table, mut first) = (Vec::new(), 0);
    for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
        let key_entry = |(place, row)| [row, place, first, queries.len()].map(|number| number as u32);
        table.extend(keys.clone().enumerate().flat_map(key_entry));
        first += queries.len();
    }
    table
}

impl Cuda {
    /// Asserts that spans and shapes fit, and brings the plan to the device.
    fn plan(&mut self, inputs: &AttentionInputs<'_, Matrix>, weights: &Matrix, y: &Matrix) -> Plan {
        let AttentionInputs { inputs: [q, k, v], settings, mask } = *inputs;
        let HeadsAttention { heads, .. } = *settings;
        assert_eq!(settings.queries.len(), settings.keys.len(), "sentences of an attention");
        assert!(settings.queries.iter().all(|span| span.end <= q.rows()), "queries of an attention");
        assert!(settings.keys.iter().all(|span| span.end <= k.rows()), "keys of an attention");
        assert!(q.cols().is_multiple_of(heads) && v.cols().is_multiple_of(heads), "columns of heads");
        is_shaped(k, v.rows(), q.cols());
        is_shaped(y, q.rows(), v.cols());
        is_shaped(weights, 1, settings.weights());
        let table = query_table(settings);
        Plan {
            query_count: table.len() / 4,
            queries: self.table(&table),
            heads: Heads {
                count: heads as u32,
                dim: (q.cols() / heads) as u32,
                width: (v.cols() / heads) as u32,
                factor: settings.factor(q.cols()),
                mask: mask.unwrap_or(NO_MASK),
            },
        }
    }
}

impl Plan {
    /// A block per head of this number of queries or keys.
    fn grid(&self, count: usize) -> Grid {
        let Heads { count: heads, dim, width, .. } = self.heads;
        Grid::rows(count * heads as usize, dim.max(width) as usize)
    }
}

impl Attention for Cuda {
    fn attend(&mut self, inputs: AttentionInputs<'_, Matrix>, weights: &mut Matrix, y: &mut Matrix) {
        let plan = self.plan(&inputs, weights, y);
        let [q, k, v] = inputs.inputs.map(Matrix::read);
        let grid = plan.grid(plan.query_count);
        // SAFETY: the plan's rows are those of the matrices, and its weights are within `weights`.
        self.run(|b| unsafe { b.attend(grid, q, k, v, plan.queries.ids(), plan.heads, weights.write(), y.write()) });
        self.give(plan.queries);
    }

    fn attend_backward(
        &mut self,
        inputs: AttentionInputs<'_, Matrix>,
        weights: &Matrix,
        guide: Option<&Matrix>,
        grad: &Matrix,
        [q_grad, k_grad, v_grad]: &mut [Matrix; 3],
    ) {
        let plan = self.plan(&inputs, weights, grad);
        let [q, k, v] = inputs.inputs;
        same([q, q_grad]);
        same([k, k_grad]);
        same([v, v_grad]);
        same([weights, guide.unwrap_or(weights)]);
        let keys = key_table(inputs.settings);
        let key_grid = plan.grid(keys.len() / 4);
        let keys = self.table(&keys);
        let mut derivatives = self.take(1, weights.cols());
        let [q, k, v, weights, grad] = [q, k, v, weights, grad].map(Matrix::read);
        let query_grid = plan.grid(plan.query_count);
        // SAFETY: as in `attend`; the derivatives are as many as the weights, and the tables name each other's entries.
        self.run(|b| unsafe {
            let (queries, guide) = (plan.queries.ids(), optional(guide));
            let (derivatives, q_grad) = (derivatives.write(), q_grad.write());
            b.attend_queries(query_grid, k, v, queries, plan.heads, weights, guide, grad, derivatives, q_grad)
        });
        // SAFETY: as above.
        self.run(|b| unsafe {
            let (queries, keys, derivatives) = (plan.queries.ids(), keys.ids(), derivatives.read());
            let (k_grad, v_grad) = (k_grad.write(), v_grad.write());
            b.attend_keys(key_grid, q, queries, keys, plan.heads, weights, derivatives, grad, k_grad, v_grad)
        });
        [plan.queries, keys, derivatives].into_iter().for_each(|matrix| self.give(matrix));
    }
}

//! Additive attention: `kernels/additive_attention.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, optional, same};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{AdditiveAttention, AdditiveInputs, Shape, Spans, Storage};

/// First word, number of words and start of the weights of each span; asserts that they fit.
fn table(spans: &Spans, words: usize, weights: &Matrix) -> Vec<u32> {
    let (mut table, mut start) = (Vec::new(), 0);
    for span in spans.iter() {
        assert!(span.end <= words, "words of an attention");
        table.extend([span.start, span.len(), start].map(|number| number as u32));
        start += span.len();
    }
    is_shaped(weights, 1, start);
    table
}

impl Cuda {
    /// Asserts that shapes fit, and brings the spans to the device.
    fn spans(&mut self, inputs: &AdditiveInputs<'_, Matrix>, weights: &Matrix) -> Matrix {
        let AdditiveInputs { queries, keys, values, v, spans } = *inputs;
        is_shaped(queries, spans.len(), keys.cols());
        assert_eq!(keys.rows(), values.rows(), "words of an attention");
        assert_eq!(v.len(), keys.cols(), "numbers of v");
        self.table(&table(spans, keys.rows(), weights))
    }
}

impl AdditiveAttention for Cuda {
    fn additive(&mut self, inputs: AdditiveInputs<'_, Matrix>, weights: &mut Matrix, y: &mut Matrix) {
        let spans = self.spans(&inputs, weights);
        let AdditiveInputs { queries, keys, values, v, .. } = inputs;
        let (n, m) = (keys.cols(), values.cols());
        is_shaped(y, queries.rows(), m);
        let grid = Grid::rows(queries.rows(), n.max(m));
        let [queries, keys, values, v] = [queries, keys, values, v].map(Matrix::read);
        // SAFETY: there is a span per query, of rows of keys and values, with weights of its own.
        self.run(|b| unsafe {
            let (weights, y) = (weights.write(), y.write());
            b.additive(grid, queries, keys, values, v, spans.ids(), n as u32, m as u32, weights, y)
        });
        self.give(spans);
    }

    fn additive_energies(
        &mut self,
        inputs: AdditiveInputs<'_, Matrix>,
        weights: &Matrix,
        guide: Option<&Matrix>,
        grad: &Matrix,
        energies: &mut Matrix,
    ) {
        let spans = self.spans(&inputs, weights);
        same([weights, energies, guide.unwrap_or(weights)]);
        let (rows, m) = (inputs.queries.rows(), inputs.values.cols());
        is_shaped(grad, rows, m);
        let values = inputs.values.read();
        // SAFETY: as in `additive`; there are as many energies as weights.
        self.run(|b| unsafe {
            let (weights, guide, grad) = (weights.read(), optional(guide), grad.read());
            let grid = Grid::rows(rows, m);
            b.additive_energies(grid, values, spans.ids(), m as u32, weights, guide, grad, energies.write())
        });
        self.give(spans);
    }

    fn add_to_additive_values(&mut self, spans: &Spans, weights: &Matrix, grad: &Matrix, sum: &mut Matrix) {
        is_shaped(grad, spans.len(), sum.cols());
        let (rows, words, m) = (spans.len() as u32, sum.rows(), sum.cols());
        let spans = self.table(&table(spans, words, weights));
        // SAFETY: there is a block per word, and a span per row of `grad`.
        self.run(|b| unsafe {
            let (weights, grad) = (weights.read(), grad.read());
            b.additive_values(Grid::rows(words, m), spans.ids(), rows, m as u32, weights, grad, sum.write())
        });
        self.give(spans);
    }

    fn add_to_additive_keys(
        &mut self,
        inputs: AdditiveInputs<'_, Matrix>,
        energies: &Matrix,
        keys_sum: &mut Matrix,
        v_sum: &mut Matrix,
        queries_sum: &mut Matrix,
    ) {
        let spans = self.spans(&inputs, energies);
        let AdditiveInputs { queries, keys, v, .. } = inputs;
        same([keys, keys_sum]);
        same([queries, queries_sum]);
        let (rows, words, n) = (queries.rows(), keys.rows(), keys.cols());
        let mut by_v = self.take(rows, n);
        let [q, k, v_numbers, e] = [queries, keys, v, energies].map(Matrix::read);
        // SAFETY: as in `additive`; there is a block per query.
        self.run(|b| unsafe {
            let (grid, spans) = (Grid::rows(rows, n), spans.ids());
            b.additive_queries(grid, q, k, v_numbers, spans, n as u32, e, queries_sum.write(), by_v.write())
        });
        // SAFETY: as in `additive`; there is a block per word.
        self.run(|b| unsafe {
            let (grid, spans) = (Grid::rows(words, n), spans.ids());
            b.additive_keys(grid, q, k, v_numbers, spans, rows as u32, n as u32, e, keys_sum.write())
        });
        self.column_sums(&by_v, None, v_sum);
        [spans, by_v].into_iter().for_each(|matrix| self.give(matrix));
    }
}

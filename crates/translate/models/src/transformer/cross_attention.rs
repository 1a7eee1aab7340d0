//! The decoder's attention over the source.

use super::attention::Form;
use super::operations::{AroundWork, BlockProcesses};
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_base::{StepRow, Unit};
use metaphrase_kernels::{AttentionWeights, KeysValues, Matrix, ProductStorage, Rows, attend};

/// A layer of attention over the source.
pub(super) struct CrossAttention {
    around: BlockProcesses,
    pub(super) form: Form,
    queries: Linear,
    projection: Option<Linear>,
}

/// The keys and values of the source in all layers, which one product makes of the encoder's output.
pub(super) struct SourceMap {
    /// Per layer: keys, then values.
    map: Linear,
    form: Form,
    layers: usize,
}

/// Work space of attention over the source.
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    queries: Matrix,
    attended: Matrix,
    weights: AttentionWeights,
}

impl CrossAttention {
    /// The layer of these tensors with `heads` heads, and its maps to keys and values.
    pub(super) fn pack<'a>(
        block: parts::Block<CheckedTensor<'a>, parts::Attention<CheckedTensor<'a>>>,
        heads: usize,
    ) -> (Self, [Linear; 2]) {
        let (around, parts::Attention { queries, keys, values, projection, .. }) = BlockProcesses::pack(block);
        let form = Form::new(heads, &queries);
        let layer = Self { around, form, queries: form.queries(queries), projection: projection.map(Linear::pack) };
        (layer, [keys, values].map(Linear::pack))
    }

    /// x ← the block's output. `source(row)` are the keys and values of the row's sentence. `on_weights` is called for
    /// each row with the weights.
    pub(super) fn apply<'s>(
        &self,
        x: &mut Matrix,
        rows: &[StepRow],
        source: impl Fn(&StepRow) -> &'s KeysValues,
        mut on_weights: impl FnMut(&StepRow, &AttentionWeights),
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, queries, attended, weights } = work;
        let input = self.around.begin(x, input, around_work);
        self.queries.apply(input, queries, around_work.rows());
        let unit = Unit::Attention.timed();
        attended.resize(x.rows(), self.form.heads.columns());
        for (r, row) in rows.iter().enumerate() {
            let source = source(row);
            attend(queries.row(r), source, &Rows::Range(0..source.len()), None, weights, attended.row_mut(r));
            on_weights(row, weights);
        }
        drop(unit);
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }
}

impl SourceMap {
    /// The map to the keys and values of these layers, at least one, by their maps to keys and to values in turn.
    pub(super) fn new(form: Form, maps: &[Linear]) -> Self {
        let layers = maps.len() / 2;
        let outputs = (0..layers).flat_map(|i| form.interleaved(2 * i).chain(form.in_order(2 * i + 1)));
        let map = Linear::gather(maps, &outputs.collect::<Vec<_>>());
        Self { map, form, layers }
    }

    /// Keys and values of no words.
    pub(super) fn no_words(&self) -> KeysValues {
        self.form.no_words()
    }

    /// `out` ← keys and values of the encoder's output (`words × d`) in all layers.
    pub(super) fn apply(&self, encoded: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
        self.map.apply(encoded, out, storage);
    }

    /// Takes the keys and values of a sentence, words `words` of those that were made, into those of its slot, a value
    /// for each layer.
    pub(super) fn fill(&self, made: &Matrix, words: Range<usize>, slot: &mut Vec<KeysValues>) {
        slot.resize_with(self.layers, || self.no_words());
        for (i, layer_words) in slot.iter_mut().enumerate() {
            layer_words.resize(words.len());
            for (to, from) in words.clone().enumerate() {
                let (keys, values) =
                    self.form.split(&made.row(from)[i * self.form.word_len()..][..self.form.word_len()]);
                layer_words.set(to, keys, values);
            }
        }
    }
}

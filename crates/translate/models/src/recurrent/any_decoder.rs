//! What the forms of a decoder have in common.

use super::attention::Source;
use super::cell::{Cell, LayerState};
use super::optimizations::{Optimizations, RareWords};
use super::stack::StackWork;
use crate::embedding::Embedding;
use metaphrase_base::StepRow;
use metaphrase_kernels::{Matrix, ProductStorage};

/// A decoder, but for embeddings and the output layer.
pub(super) trait AnyDecoder: Send + Sync {
    /// Number of layers that have a state.
    fn layers(&self) -> usize;

    /// The kind of cell of all layers.
    fn cell(&self) -> &Cell;

    /// Applies `optimizations`; `table` are the embeddings of `dim` numbers of the words.
    fn set_optimizations(&mut self, optimizations: Optimizations, table: &Embedding, dim: usize);

    /// Computes what depends on the source alone.
    fn prepare(&self, annotations: &Matrix, means: &Matrix, prepared: &mut SourceContext);

    /// One step: replaces the rows of `layers`, and computes `hidden`, the input of the output layer. `attended` is
    /// called with the sentence and the attention of each row.
    fn step(
        &self,
        given: &Inputs<'_>,
        layers: &mut [LayerState],
        hidden: &mut Matrix,
        work: &mut DecoderWork,
        attended: &mut dyn FnMut(&Source, &[f32]),
    );
}

/// The inputs of a step.
pub(super) struct Inputs<'a> {
    pub(super) rows: &'a [StepRow],
    /// For each row the embedding of its last word, `rows × dim_emb`.
    pub(super) words: &'a Matrix,
    /// For each row the slot of its sentence.
    pub(super) slots: &'a [usize],
    /// For each row the row of `parents` that it extends.
    pub(super) parent_of: &'a [u32],
    /// By layer: the states that are extended.
    pub(super) parents: &'a [LayerState],
    /// Sentences by slot.
    pub(super) sources: &'a [Source],
}

/// Values that depend on the source alone, for all sentences of a call.
#[derive(Debug, Default)]
pub(super) struct SourceContext {
    /// As the annotations.
    pub(super) keys: Matrix,
    /// As the annotations.
    pub(super) values: Matrix,
    /// As the means.
    pub(super) starts: Matrix,
    /// The annotations that one of several attentions sees, and their product.
    pub(super) part: Matrix,
    pub(super) product: Matrix,
    /// For the rows that products read.
    pub(super) rows: ProductStorage,
}

/// Work space of a step.
#[derive(Debug, Default)]
pub(super) struct DecoderWork {
    pub(super) rare: RareWords,
    pub(super) words: Matrix,
    /// `u` of parents.
    pub(super) states: Matrix,
    pub(super) queries: Matrix,
    pub(super) query: Vec<f32>,
    pub(super) contexts: Matrix,
    pub(super) weights: Vec<f32>,
    /// The context of each of several attentions.
    pub(super) parts: Vec<f32>,
    pub(super) inputs: Matrix,
    pub(super) below: Matrix,
    pub(super) top: Matrix,
    pub(super) stack: StackWork,
}

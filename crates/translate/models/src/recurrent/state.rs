//! Everything that a search of a recurrent model changes: encoded sentences, rows, work space.

use super::any_decoder::{AnyDecoder, DecoderWork, SourceContext};
use super::attention::Source;
use super::cell::LayerState;
use super::encoder::EncoderWork;
use super::layout::TimeMajor;
use crate::embedding::Embedding;
use crate::output::Lists;
use crate::ragged::RaggedArray;
use metaphrase_base::{Row, Sentence, Step, StepRow};
use metaphrase_kernels::{Matrix, add_assign, scale};

/// Encoded sentences by slot, the decoder's states of the last step's rows, and work space.
#[derive(Debug, Default)]
pub struct RecurrentState {
    /// By slot.
    pub(super) sources: Vec<Source>,
    /// By slot: the state of every layer before the first word.
    starts: Matrix,

    /// By layer: the states after the last step.
    pub(super) layers: Vec<LayerState>,
    /// By layer: the states after the step before it.
    before: Vec<LayerState>,
    /// By layer: the states after the last step while others are added to them.
    aside: Vec<LayerState>,
    /// By layer: the states that this step extends, each once.
    pub(super) parents: Vec<LayerState>,
    /// For each row its row in `parents`.
    pub(super) parent_of: Vec<u32>,
    /// For each row its slot.
    pub(super) slots: Vec<usize>,
    origins: Origins,
    /// The last word's embeddings.
    pub(super) words: Matrix,
    pub(super) hidden: Matrix,
    /// Attention of the rows of the last step; empty where the sentence is without.
    pub(super) attention: RaggedArray<f32>,
    pub(super) decoder_work: DecoderWork,
    pub(super) lists: Lists,

    // Values of one call of `encode`.
    pub(super) layout: TimeMajor,
    pub(super) embeddings: Matrix,
    pub(super) annotations: Matrix,
    pub(super) means: Matrix,
    pub(super) prepared: SourceContext,
    pub(super) encoder_work: EncoderWork,
}

/// The place of a state that rows of a step extend.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// A row of the last step.
    Row(usize),
    /// The start of the sentence in this slot.
    Start(usize),
}

/// The states that a step extends, each once.
#[derive(Debug, Default)]
struct Origins {
    origins: Vec<Origin>,
    /// For each row of the last step its place in `origins`, or [`Self::NONE`].
    places: Vec<u32>,
}

impl Origins {
    const NONE: u32 = u32::MAX;

    /// Notes the parents of `rows`, each once if they are `merged`; `parent_of` becomes their places.
    fn collect(&mut self, rows: &[StepRow], merged: bool, rows_before: usize, parent_of: &mut Vec<u32>) {
        self.origins.clear();
        self.places.clear();
        self.places.resize(rows_before, Self::NONE);
        parent_of.clear();
        for row in rows {
            let next = Row::new(self.origins.len()).0;
            let place = match row.parent {
                None => {
                    self.origins.push(Origin::Start(row.sentence.index()));
                    next
                }
                Some(parent) => {
                    let place = &mut self.places[parent.row.index()];
                    if *place == Self::NONE || !merged {
                        *place = next;
                        self.origins.push(Origin::Row(parent.row.index()));
                    }
                    *place
                }
            };
            parent_of.push(place);
        }
    }
}

impl RecurrentState {
    /// Lays out the sentences of a call and looks their words up.
    pub(super) fn arrange(&mut self, sentences: &[Sentence<'_>], table: &Embedding, dim_emb: usize) {
        self.layout.arrange(sentences.iter().map(|sentence| sentence.words.len()));
        self.embeddings.resize(self.layout.rows(), dim_emb);
        for (rank, sentence, _) in self.layout.sentences() {
            for (position, &word) in sentences[sentence].words.iter().enumerate() {
                table.read(word, self.embeddings.row_mut(self.layout.row(rank, position)));
            }
        }
    }

    /// The mean annotation of each sentence, by rank.
    pub(super) fn average(&mut self) {
        let sentences = self.layout.sentences().count();
        self.means.resize(sentences, self.annotations.cols());
        self.means.as_mut_slice().fill(0.0);
        for (rank, _, length) in self.layout.sentences() {
            let mean = self.means.row_mut(rank);
            for position in 0..length {
                add_assign(mean, self.annotations.row(self.layout.row(rank, position)));
            }
            if length > 0 {
                scale(1.0 / length as f32, mean);
            }
        }
    }

    /// Moves what was prepared into the slots of the sentences.
    pub(super) fn fill(&mut self, sentences: &[Sentence<'_>]) {
        let SourceContext { keys, values, starts, .. } = &self.prepared;
        for (rank, sentence, length) in self.layout.sentences() {
            let Sentence { slot, attention, .. } = sentences[sentence];
            let slot = slot.index();
            if slot >= self.sources.len() {
                self.sources.resize_with(slot + 1, Source::default);
            }
            if slot >= self.starts.rows() {
                self.starts.resize(slot + 1, starts.cols());
            }
            self.starts.row_mut(slot).copy_from_slice(starts.row(rank));
            let source = &mut self.sources[slot];
            source.attention = attention;
            source.keys.resize(length, keys.cols());
            source.values.resize(length, values.cols());
            for position in 0..length {
                let row = self.layout.row(rank, position);
                source.keys.row_mut(position).copy_from_slice(keys.row(row));
                source.values.row_mut(position).copy_from_slice(values.row(row));
            }
        }
    }

    /// Makes room in `layers` for the rows of a call: the rows that are there become those of the step before or, where
    /// rows are added to them, are set aside.
    pub(super) fn begin(&mut self, step: Step, decoder: &dyn AnyDecoder) {
        for layers in [&mut self.layers, &mut self.before, &mut self.parents, &mut self.aside] {
            layers.resize_with(decoder.layers(), LayerState::default);
        }
        match step {
            Step::New => {
                std::mem::swap(&mut self.layers, &mut self.before);
                self.attention.clear();
            }
            Step::Same => std::mem::swap(&mut self.layers, &mut self.aside),
        }
    }

    /// Puts the rows that were set aside before those that were added to them.
    pub(super) fn end(&mut self, step: Step) {
        if step == Step::Same {
            for (added, first) in self.layers.iter().zip(&mut self.aside) {
                first.output.append(&added.output);
                first.memory.append(&added.memory);
            }
            std::mem::swap(&mut self.layers, &mut self.aside);
        }
    }

    /// Notes the parents of `rows`, each once if they are `merged`, and gathers the parents' states and the words'
    /// embeddings.
    pub(super) fn look_up(
        &mut self,
        rows: &[StepRow],
        merged: bool,
        decoder: &dyn AnyDecoder,
        table: &Embedding,
        dim_emb: usize,
    ) {
        self.origins.collect(rows, merged, self.before[0].output.rows(), &mut self.parent_of);
        for (layer, parents) in self.before.iter().zip(&mut self.parents) {
            parents.resize(self.origins.origins.len(), decoder.cell());
            gather(&self.origins.origins, &layer.output, &self.starts, &mut parents.output);
            if parents.memory.rows() > 0 {
                gather(&self.origins.origins, &layer.memory, &self.starts, &mut parents.memory);
            }
        }
        self.slots.clear();
        self.slots.extend(rows.iter().map(|row| row.sentence.index()));
        self.words.resize(rows.len(), dim_emb);
        for (r, row) in rows.iter().enumerate() {
            match row.parent {
                Some(parent) => table.read(parent.word, self.words.row_mut(r)),
                // Marian: the first word is predicted from an embedding of zeros.
                None => self.words.row_mut(r).fill(0.0),
            }
        }
    }
}

/// A memory cell starts with the same state as the output.
fn gather(origins: &[Origin], rows: &Matrix, starts: &Matrix, out: &mut Matrix) {
    for (i, origin) in origins.iter().enumerate() {
        let from = match *origin {
            Origin::Row(row) => rows.row(row),
            Origin::Start(slot) => starts.row(slot),
        };
        out.row_mut(i).copy_from_slice(from);
    }
}

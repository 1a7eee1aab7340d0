//! The output layer for the words of shortlists: each sentence has its own, packed when the sentence enters its slot.

use super::Output;
use metaphrase_base::{SentId, Sentence, Shortlist, Unit};
use metaphrase_kernels::{Epilogue, Matrix, PackedMatrix, product};

/// The output layers of the sentences that have shortlists, by slot. Storage is kept from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    slots: Vec<List>,
    columns: Vec<u32>,
}

/// The output layer of one sentence.
#[derive(Debug, Default)]
struct List {
    /// `None` where all words may translate the sentence.
    shortlist: Option<Shortlist>,
    weights: PackedMatrix,
    bias: Vec<f32>,
}

impl Lists {
    /// Takes in the shortlists of sentences.
    pub(crate) fn admit(&mut self, output: &Output, sentences: &[Sentence<'_>]) {
        let _unit = Unit::Output.timed();
        let Self { slots, columns } = self;
        for sentence in sentences {
            let slot = sentence.slot.index();
            if slot >= slots.len() {
                slots.resize_with(slot + 1, List::default);
            }
            let list = &mut slots[slot];
            list.shortlist = sentence.shortlist.cloned();
            if let Some(shortlist) = sentence.shortlist {
                columns.clear();
                columns.extend(shortlist.words().iter().map(|word| word.0));
                output.weights.select(columns, &mut list.weights);
                list.bias.clear();
                list.bias.extend(output.bias.iter().flat_map(|bias| columns.iter().map(|&word| bias[word as usize])));
            }
        }
    }

    /// The shortlist of the sentence in a slot.
    pub(crate) fn of(&self, slot: SentId) -> Option<&Shortlist> {
        self.slots[slot.index()].shortlist.as_ref()
    }

    /// The logits of rows of the sentence in a slot, which has a shortlist: `rows × words of the list`.
    pub(crate) fn logits(&self, slot: SentId, inputs: &Matrix, out: &mut Matrix) {
        let List { weights, bias, .. } = &self.slots[slot.index()];
        let bias = Some(&bias[..]).filter(|bias| !bias.is_empty());
        product(inputs, weights, Epilogue { bias, ..Epilogue::default() }, out);
    }
}

//! The output layer for the words of shortlists: each sentence has its own, packed when the sentence enters its slot.

use super::Output;
use crate::linear::Linear;
use metaphrase_base::{SentId, Sentence, Shortlist, Unit};
use metaphrase_kernels::{Matrix, Operand};

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
    map: Linear,
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
                output.0.select(columns, &mut list.map);
            }
        }
    }

    /// The shortlist of the sentence in a slot.
    pub(crate) fn of(&self, slot: SentId) -> Option<&Shortlist> {
        self.slots[slot.index()].shortlist.as_ref()
    }

    /// The logits of rows of the sentence in a slot, which has a shortlist: `rows × words of the list`.
    pub(crate) fn logits(&self, slot: SentId, inputs: Operand<'_>, out: &mut Matrix) {
        self.slots[slot.index()].map.apply_to(inputs, out);
    }
}

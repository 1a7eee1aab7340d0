//! The output layer for the words of shortlists: each sentence has its own, packed before its first step.

use super::Output;
use crate::linear::Linear;
use metaphrase_base::{SentId, Sentence, Shortlist};
use metaphrase_kernels::{Matrix, Operand};
use std::sync::Arc;

/// The output layers of the sentences that have shortlists, by slot. Storage goes from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    slots: Vec<List>,
    /// Maps that no sentence has.
    free: Vec<Linear>,
    columns: Vec<u32>,
    gathered: Vec<f32>,
}

/// The output layer of one sentence.
#[derive(Debug, Default)]
struct List {
    /// `None` where all words may translate the sentence.
    shortlist: Option<Shortlist>,
    /// `None` before the first step: sentences that wait take no memory.
    map: Option<Linear>,
}

impl Lists {
    /// Takes in the shortlists of sentences.
    pub(crate) fn admit(&mut self, sentences: &[Sentence<'_>]) {
        for sentence in sentences {
            self.release(sentence.slot);
            let slot = sentence.slot.index();
            if slot >= self.slots.len() {
                self.slots.resize_with(slot + 1, List::default);
            }
            self.slots[slot].shortlist = sentence.shortlist.cloned();
        }
    }

    /// Frees the map of a slot.
    pub(crate) fn release(&mut self, slot: SentId) {
        let map = self.slots.get_mut(slot.index()).and_then(|list| list.map.take());
        self.free.extend(map);
    }

    /// The shortlist of the sentence in a slot.
    pub(crate) fn of(&self, slot: SentId) -> Option<&Shortlist> {
        self.slots[slot.index()].shortlist.as_ref()
    }

    /// The logits of rows of the sentence in a slot: `rows × words of the list`, or × all words.
    pub(crate) fn logits(&mut self, output: &Output, slot: SentId, inputs: Operand<'_>, out: &mut Matrix) {
        let Self { slots, free, columns, gathered } = self;
        let List { shortlist, map } = &mut slots[slot.index()];
        let Some(shortlist) = shortlist else { return output.map.apply_to(inputs, out) };
        let map = map.get_or_insert_with(|| {
            let mut map = free.pop().unwrap_or_default();
            columns.clear();
            columns.extend(shortlist.words().iter().map(|word| word.0));
            let by_word = output.by_word.get_or_init(|| Arc::new(output.map.by_output()));
            output.map.select(by_word, columns, &mut map, gathered);
            map
        });
        map.apply_to(inputs, out);
    }
}

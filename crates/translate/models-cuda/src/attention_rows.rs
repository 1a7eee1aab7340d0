//! The attention of the rows of a step, as the CPU reads it.

use crate::source::Sources;
use metaphrase_base::{Row, Step, StepRow};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::Storage;

/// Attention of the rows of the last step; empty where the sentence is without.
#[derive(Default)]
pub(crate) struct AttentionRows {
    values: Vec<f32>,
    /// Where each row begins, and the end of the last one.
    starts: Vec<usize>,
}

impl AttentionRows {
    /// Takes the weights of the rows of a call; the first `skipped` of a row are of words that its sentence has not.
    pub(crate) fn take(
        &mut self,
        cuda: &mut Cuda,
        step: Step,
        rows: &[StepRow],
        sources: &Sources,
        skipped: usize,
        weights: Option<Matrix>,
    ) {
        let Self { values, starts } = self;
        if step == Step::New {
            values.clear();
            starts.clear();
            starts.push(0);
        }
        let copied = weights.as_ref().map(|weights| cuda.download(weights));
        let mut left = copied.as_ref().map_or(&[][..], |copied| copied.as_slice());
        for row in rows {
            let source = sources.of(row.sentence);
            if source.attention {
                let (own, others) = left.split_at(source.count);
                left = others;
                let of_words = own.iter().copied().skip(skipped);
                values.extend(of_words.chain(std::iter::repeat(0.0)).take(source.length));
            }
            starts.push(values.len());
        }
        weights.into_iter().for_each(|weights| cuda.give(weights));
    }

    /// The attention of a row.
    pub(crate) fn of(&self, row: Row) -> &[f32] {
        let Self { values, starts } = self;
        match (starts.get(row.index()), starts.get(row.index() + 1)) {
            (Some(&start), Some(&end)) => &values[start..end],
            _ => &[],
        }
    }
}

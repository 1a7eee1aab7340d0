//! The logits of the rows of a call, on the device, and their summaries.

use crate::failure::Failure;
use crate::source::Sources;
use crate::units::timed;
use core::fmt;
use core::ops::Range;
use metaphrase_base::{StepRow, Unit};
use metaphrase_cuda::decoding::{DeviceMap, ListedRows, NO_ID};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};
use metaphrase_kernels::{Column, Matrix as HostMatrix, Summary};
use metaphrase_models::device::DeviceLogits;
use std::sync::Arc;

/// The logits of the last call.
pub(crate) struct Logits {
    /// Reads them.
    cuda: Cuda,
    /// Rows × the longest list of words; `None` before the first call.
    logits: Option<Matrix>,
    rows: usize,
    cols: usize,
    summary: Summary,
    /// Whether the device computed them.
    is_alive: bool,
    /// Summaries as the device writes them.
    copied: HostMatrix,
    failure: Arc<Failure>,
}

impl Logits {
    pub(crate) fn new(cuda: Cuda, failure: Arc<Failure>) -> Self {
        let (summary, copied) = (Summary::default(), HostMatrix::new());
        Self { cuda, logits: None, rows: 0, cols: 0, is_alive: false, summary, copied, failure }
    }

    /// Computes the logits of rows, `x` being the decoder's output, with `cuda`: of all words, or of those of the
    /// shortlists of the rows' sentences. The summary has the `most` greatest.
    pub(crate) fn compute_rows(
        &mut self,
        cuda: &mut Cuda,
        output: &DeviceMap,
        x: &Matrix,
        rows: &[StepRow],
        sources: &Sources,
        most: usize,
    ) {
        if rows.iter().all(|row| sources.of(row.sentence).shortlist.is_none()) {
            return self.compute(cuda, output, x, None, most);
        }
        let all_words: Vec<u32> = (0..output.outputs() as u32).collect();
        let same_sentence = |a: &StepRow, b: &StepRow| a.sentence == b.sentence;
        let list = |of_sentence: &[StepRow]| -> Option<Vec<u32>> {
            let shortlist = sources.of(of_sentence[0].sentence).shortlist.as_ref()?;
            Some(shortlist.words().iter().map(|word| word.0).collect())
        };
        let lists: Vec<Option<Vec<u32>>> = rows.chunk_by(same_sentence).map(list).collect();
        let mut end = 0;
        let listed = rows.chunk_by(same_sentence).zip(&lists).map(|(of_sentence, list)| {
            let first = end;
            end += of_sentence.len();
            ListedRows { rows: first..end, outputs: list.as_ref().unwrap_or(&all_words) }
        });
        let listed: Vec<_> = listed.collect();
        self.compute(cuda, output, x, Some(&listed), most);
    }

    /// Computes the logits of rows, `x` being the decoder's output, with `cuda`: of all words, or of those that `lists`
    /// has for each row. The summary has the `most` greatest.
    fn compute(
        &mut self,
        cuda: &mut Cuda,
        output: &DeviceMap,
        x: &Matrix,
        lists: Option<&[ListedRows<'_>]>,
        most: usize,
    ) {
        if let Some(old) = self.logits.take() {
            cuda.give(old);
        }
        let widest = |lists: &[ListedRows<'_>]| lists.iter().map(|list| list.outputs.len()).max().unwrap_or(0);
        self.rows = x.rows();
        self.cols = lists.map_or(output.outputs(), widest);
        let mut logits = cuda.take(self.rows, self.cols);
        let counts = timed(cuda, Unit::Output, |cuda| {
            let Some(lists) = lists else {
                cuda.map(output, x, None, &mut logits);
                return None;
            };
            cuda.map_lists(output, x, lists, &mut logits);
            let count = |list: &ListedRows<'_>| std::iter::repeat_n(list.outputs.len() as u32, list.rows.len());
            Some(lists.iter().flat_map(count).collect::<Vec<_>>())
        });
        let mut summaries = cuda.take(self.rows, 1 + 2 * most);
        // With the best words of each row.
        timed(cuda, Unit::Softmax, |cuda| cuda.summarise(&logits, counts.as_deref(), most, &mut summaries));
        cuda.download_rows(&summaries, 0..self.rows, &mut self.copied);
        cuda.give(summaries);
        self.logits = Some(logits);
        self.is_alive = self.failure.keep(cuda.check());
        self.take_summaries(most);
    }

    fn take_summaries(&mut self, most: usize) {
        let Self { summary, copied, rows, is_alive, .. } = self;
        summary.clear(most);
        for row in 0..*rows {
            if !*is_alive {
                summary.push(f32::NAN, std::iter::empty());
                continue;
            }
            let (normaliser, best) = copied.row(row).split_first().expect("a normaliser");
            let column = |pair: &[f32]| Column { value: pair[0], column: pair[1].to_bits() };
            let best = best.chunks_exact(2).map(column);
            summary.push(*normaliser, best.take_while(|best| best.column != NO_ID));
        }
    }
}

impl DeviceLogits for Logits {
    fn summary(&self) -> &Summary {
        &self.summary
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn read(&mut self, rows: Range<usize>, out: &mut HostMatrix) {
        out.resize(rows.len(), self.cols);
        if let Some(logits) = self.logits.as_ref().filter(|_| self.is_alive) {
            self.cuda.download_rows(logits, rows, out);
            self.is_alive = self.failure.keep(self.cuda.check());
        }
        if !self.is_alive {
            out.as_mut_slice().fill(f32::NAN);
        }
    }
}

impl fmt::Debug for Logits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logits").field("rows", &self.rows).field("cols", &self.cols).finish_non_exhaustive()
    }
}

//! The encoder: all words of all sentences as rows of one matrix, one sentence after the other, without padding.

use crate::blocks::{Block, FeedForward, Process};
use crate::decoder::SelfAttention;
use crate::input::{Embedded, Input, PositionTable};
use core::ops::Range;
use metaphrase_base::{Sentence, WordId};
use metaphrase_cuda::decoding::{AttendedWords, RowAttention, RowHeads, SeenWords};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};
use metaphrase_models::config::TransformerConfig;

/// The encoder of a Transformer.
pub(crate) struct Encoder {
    pub(crate) input: Input,
    pub(crate) frame: SourceFrame,
    pub(crate) heads: RowHeads,
    pub(crate) layers: Vec<EncoderLayer>,
    pub(crate) top: Process,
}

pub(crate) struct EncoderLayer {
    pub(crate) attention: Block<SelfAttention>,
    pub(crate) feed_forward: Block<FeedForward>,
}

/// The words that the encoder reads of a sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceFrame {
    /// A word before all others.
    start: Option<WordId>,
    /// The end of sentence is left out, unless there is nothing else.
    without_end: bool,
}

/// The encoder's output.
pub(crate) struct Encoded {
    /// Words of all sentences × d.
    pub(crate) words: Matrix,
    /// The rows of each sentence.
    pub(crate) sentences: Vec<Range<usize>>,
}

impl SourceFrame {
    pub(crate) fn new(config: &TransformerConfig) -> Self {
        Self { start: config.source_start.map(WordId), without_end: config.source_without_end }
    }

    /// The words before those of the sentence.
    pub(crate) fn before(self) -> usize {
        usize::from(self.start.is_some())
    }

    /// The words that are read.
    fn read(self, words: &[WordId]) -> impl Iterator<Item = u32> {
        let kept = match words {
            [kept @ .., _] if self.without_end && !kept.is_empty() => kept,
            _ => words,
        };
        self.start.into_iter().chain(kept.iter().copied()).map(|word| word.0)
    }
}

impl Encoder {
    pub(crate) fn encode(&self, cuda: &mut Cuda, table: &mut PositionTable, sentences: &[Sentence<'_>]) -> Encoded {
        let (mut words, mut places, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for sentence in sentences {
            let first = words.len();
            words.extend(self.frame.read(sentence.words));
            places.extend(0..(words.len() - first) as u32);
            ranges.push(first..words.len());
        }
        let own = |sentence: &Range<usize>| {
            let seen = SeenWords { memory: 0, first: sentence.start, count: sentence.len(), weights: None };
            std::iter::repeat_n(seen, sentence.len())
        };
        let seen = cuda.seen_rows(ranges.iter().flat_map(own).collect());
        let Embedded { mut x, kept } = self.input.apply(cuda, table, &words, &places);
        for layer in &self.layers {
            let block = &layer.attention;
            let begun = block.begin(cuda, &x);
            let made = &block.body.made;
            let mut q = cuda.take(x.rows(), made.outputs());
            cuda.map(made, begun.matrix(), None, &mut q);
            begun.give(cuda);
            let d = x.cols();
            let words = AttendedWords::Lines(&q);
            let attention =
                RowAttention { q: &q, words, columns: [d, 2 * d], seen: &seen, heads: self.heads, first_values: None };
            let mut h = cuda.take(x.rows(), d);
            cuda.attend_rows(&attention, &mut h, None);
            cuda.give(q);
            x = block.end(cuda, block.body.projection.as_ref(), h, x);
            x = layer.feed_forward.apply(cuda, x);
        }
        cuda.give_seen(seen);
        Encoded { words: Embedded::finish(kept, &self.top, cuda, x), sentences: ranges }
    }
}

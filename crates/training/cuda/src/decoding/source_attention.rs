//! The attention of recurrent networks over the words of sentences: `kernels/recurrent.cu`.

#![allow(unsafe_code)] // launches kernels

use super::attention::{Memories, SeenRows};
use crate::arguments::SourceAttentionArguments;
use crate::launch::Grid;
use crate::operations::{is_shaped, optional};
use crate::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};

/// An attention of rows, each over the words of its sentence: α = softmax(v · tanh(query + key)) (Bahdanau et al.
/// 2015), without v softmax(query · key); y = Σ α · value.
pub struct SourceAttention<'a> {
    /// A row has the queries of all attentions in its first columns.
    pub queries: &'a Matrix,
    /// A line per word: the keys of all attentions, then the values of all.
    pub words: &'a Memories,
    /// The words of each row.
    pub seen: &'a SeenRows,
    /// Number of attentions, whose results are added up.
    pub heads: usize,
    /// Columns of the keys of one attention.
    pub dim: usize,
    /// A number per column of the keys.
    pub v: Option<&'a Matrix>,
}

/// `BLOCK` and `TOGETHER` of the kernels.
const BLOCK: usize = 256;
const TOGETHER: usize = 4;

impl Cuda {
    /// y ← the attention of each row; and the weights of the rows that keep them, the means over all attentions. The
    /// words of a row are added in their order, so that a row does not depend on the others.
    pub fn attend_source(&mut self, attention: &SourceAttention<'_>, y: &mut Matrix, weights: Option<&mut Matrix>) {
        let &SourceAttention { queries, words, seen, heads, dim, v } = attention;
        let (rows, width) = (queries.rows(), y.cols());
        is_shaped(y, rows, width);
        if let Some(v) = v {
            is_shaped(v, 1, heads * dim);
        }
        assert!(heads > 0 && heads * dim <= queries.cols(), "queries of an attention");
        assert!(rows == 0 || words.cols() == heads * (dim + width), "keys and values of an attention");
        let longest = seen.check(words, rows, weights.as_ref().map(|weights| weights.len()));
        let mut scores = self.take(rows, heads * longest);
        let to = SourceAttentionArguments {
            queries: queries.read(),
            query_cols: queries.cols() as u32,
            memories: words.ids(),
            cols: words.cols() as u32,
            seen: seen.ids(),
            rows: rows as u32,
            heads: heads as u32,
            dim: dim as u32,
            width: width as u32,
            v: optional(v),
            scores: scores.write(),
            score_cols: scores.cols() as u32,
            weights: weights.map_or(std::ptr::null_mut(), Matrix::write),
            y: y.write(),
        };
        let blocks = rows.div_ceil(TOGETHER) * width.div_ceil(BLOCK);
        // SAFETY: lines, columns and room for weights exist, as was asserted; memories stay where they are.
        self.run(|b| unsafe { b.weigh_source(Grid::blocks(rows), to) });
        // SAFETY: as above; the weights have been computed.
        self.run(|b| unsafe { b.weigh_values(Grid::blocks(blocks), to) });
        self.give(scores);
    }
}

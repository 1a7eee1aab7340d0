//! Why training data can not be used.

use super::Report;
use std::io;
use std::path::PathBuf;

/// Why training data can not be used. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file that is not there or may not be read.
    #[error("`{}` can not be opened: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: io::Error,
    },
    /// A file that ends too early, such as a damaged `.gz`.
    #[error("`{}` can not be read beyond line {lines}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Lines that could be read.
        lines: usize,
        /// The fault.
        source: io::Error,
    },
    /// Files that belong together line by line and can not.
    #[error(
        "`{}` has {lines} lines, but `{}` has {other_lines}: line n of one must belong to line n of the other",
        path.display(), other.display()
    )]
    LineCounts {
        /// One of the files.
        path: PathBuf,
        /// Its lines.
        lines: usize,
        /// The other file.
        other: PathBuf,
        /// Its lines.
        other_lines: usize,
    },
    /// A line that is not an alignment.
    #[error("`{}`, line {line}: {fault}", path.display())]
    Alignment {
        /// The file of alignments.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The fault.
        fault: AlignmentFault,
    },
    /// A source whose terms can not be read.
    #[error("`{}`, line {line}: {fault}", path.display())]
    Terms {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The fault.
        fault: TermsFault,
    },
    /// A corpus of which nothing can be used.
    #[error("no sentence pair to train on: {0}")]
    NothingLeft(Report),
    /// A corpus that is too large.
    #[error("the corpus has more than {} sentence pairs, repetitions counted: make it smaller", u32::MAX)]
    TooManyPairs,
    /// A position of other data.
    #[error(
        "can not continue with batch {batch} of epoch {epoch}, which has {batches}: the data are not those of the \
         checkpoint"
    )]
    Position {
        /// The epoch, from 0.
        epoch: u64,
        /// The batch, from 0.
        batch: usize,
        /// Batches of that epoch.
        batches: usize,
    },
}

/// The fault of a line of alignments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AlignmentFault {
    /// A link that can not be read.
    #[error("expected links such as `0-0 1-2`, found `{0}`")]
    Link(String),
    /// A link to a word that is not there.
    #[error(
        "link `{source_word}-{target_word}`, but the sentences have {source_words} and {target_words} words, ends of \
         sentence counted; expected positions of words as the vocabulary segments them, from 0"
    )]
    Range {
        /// Source position.
        source_word: u32,
        /// Target position.
        target_word: u32,
        /// Length of the source sentence.
        source_words: usize,
        /// Length of the target sentence.
        target_words: usize,
    },
}

/// Why a source with terms can not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    /// The marks are not in order.
    #[error(transparent)]
    Order(#[from] metaphrase_text::MarkedTextError),
    /// The recipe names no marks, or such as the vocabulary lacks.
    #[error(
        "it has terms, but the recipe's `model.inline-terms` does not name three words of the source vocabulary that \
         mark them, such as [\"<0x01>\", \"<0x02>\", \"<0x03>\"]"
    )]
    NoMarks,
    /// The vocabulary has no word for text of a model.
    #[error(
        "it is tagged as the text of a model (U+0004), but the source vocabulary has no word `<0x04>`; train one with `byte-fallback`"
    )]
    NoTag,
    /// Terms shift the positions of an alignment.
    #[error("it has terms, which shift the positions of the words: leave out the file of alignments")]
    Alignment,
}

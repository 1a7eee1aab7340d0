//! Why a document can not be read.

/// Why a document can not be read, one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An end tag of XML inside another element.
    #[error(
        "line {line}: the end tag </{close}> stands where <{open}> is open; end <{open}> first, or read the text as HTML"
    )]
    Nesting {
        /// The line, from 1.
        line: usize,
        /// The name of the end tag.
        close: String,
        /// The name of the element that is open.
        open: String,
    },
    /// An end tag of XML without a start tag.
    #[error("line {line}: the end tag </{close}> ends nothing; write its start tag, or read the text as HTML")]
    NotOpen {
        /// The line, from 1.
        line: usize,
        /// The name of the end tag.
        close: String,
    },
    /// A start tag of XML without an end tag.
    #[error("line {line}: the element <{open}> has no end tag; write it, or read the text as HTML")]
    NotClosed {
        /// The line, from 1.
        line: usize,
        /// The name of the element.
        open: String,
    },
}

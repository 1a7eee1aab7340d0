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
    /// A text that is not UTF-8 and names no other encoding.
    #[error(
        "the text is not UTF-8 at byte {byte} and names no other encoding; say which one it has, as windows-1252, or convert it to UTF-8"
    )]
    Encoding {
        /// The byte, from 1.
        byte: usize,
    },
    /// A text whose bytes are not of its encoding.
    #[error("the text is not in {encoding}; say which encoding it has, or convert it to UTF-8")]
    NotInEncoding {
        /// The name of the encoding.
        encoding: &'static str,
    },
    /// A name that no encoding has.
    #[error(
        "the encoding {name} is not known; expected one such as utf-8, utf-16le, windows-1252, iso-8859-2 or shift_jis"
    )]
    UnknownEncoding {
        /// The name.
        name: String,
    },
    /// A line of a file that has another form.
    #[error("line {line}: expected {expected}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The expected content.
        expected: &'static str,
    },
    /// An archive that can not be read or written.
    #[error("the file is not an archive that can be read: {problem}; is its format the right one?")]
    Archive {
        /// The fault.
        problem: String,
    },
    /// An archive that unpacks to too much.
    #[error(
        "the archive has more than {limit} {what}; this is refused, since such a file may be made to fill the memory"
    )]
    TooLarge {
        /// The thing that exceeds the limit.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// A part of an archive that defines entities.
    #[error(
        "the part {part} of the archive defines entities; this is refused, since such a file may be made to fill the memory"
    )]
    Entities {
        /// The part's name.
        part: String,
    },
    /// A format that names the language of a translation.
    #[error("a file of format {format} names the language of each translation; give the code of the target language")]
    NoTargetLanguage {
        /// The format's name.
        format: &'static str,
    },
    /// An option that has no effect on a format.
    #[error("the option {option} changes nothing in a file of format {format}; it is for {others}")]
    OptionWithoutEffect {
        /// The option's name.
        option: &'static str,
        /// The format's name.
        format: &'static str,
        /// The names of the formats that it is for.
        others: String,
    },
    /// A column that a table does not have.
    #[error("the table has no column {column}; its first line names {known}")]
    Column {
        /// The name that was given.
        column: String,
        /// The names of its columns.
        known: String,
    },
    /// A file that is too long to be read at once.
    #[error("the file has more than {limit} bytes; divide it into smaller ones, or translate its lines")]
    TooLong {
        /// How much is allowed.
        limit: u64,
    },
    /// A file whose text cannot be reached.
    #[error("the text of the file cannot be read: {problem}")]
    Unreadable {
        /// The fault, and what to do.
        problem: String,
    },
    /// A file without text.
    #[error("the file of format {format} has no text to translate")]
    NothingToTranslate {
        /// The format's name.
        format: &'static str,
    },
    /// A file none of whose sentences was translated.
    #[error("no sentence of the file was translated; the messages about its sentences name the causes")]
    NothingTranslated,
}

//! How a text is read.

use crate::encoding::TextEncoding;
use crate::file_options::FileOptions;
use crate::keep::Keep;

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Each line is a sentence.
    Lines,
    /// Paragraphs of sentences.
    #[default]
    Text,
    /// A web page, or a part of one.
    Html,
    /// An XML document, or a part of one.
    Xml,
}

/// The boundaries of sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// Punctuation, and in plain text the end of a line.
    #[default]
    Sentences,
    /// Punctuation and empty lines: the lines of a paragraph were wrapped.
    Wrapped,
    /// The end of a line alone, in markup the end of a paragraph.
    Lines,
}

/// What becomes of the comments of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Comments {
    /// They stay as they are.
    #[default]
    Leave,
    /// They are translated.
    Translate,
}

/// How a text is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The form of the text.
    pub format: Format,
    /// The boundaries of sentences; `Lines` have sentences of their own.
    pub split: Split,
    /// The code of the text's language, as `de`; its abbreviations do not end sentences. Empty: English.
    pub language: String,
    /// The code of the translation's language, which the document names in place of its own. Empty: unknown.
    pub target: String,
    /// The encoding of a file; `None`: the one that it names, else UTF-8.
    pub encoding: Option<TextEncoding>,
    /// The longest line of subtitles, in characters; those of scripts without spaces count as two. 0: any.
    pub subtitle_width: usize,
    /// The comments of documents of Word, PowerPoint and OpenDocument.
    pub comments: Comments,
    /// The things that are copied unchanged.
    pub keep: Keep,
    /// Names of elements of markup whose content stays as it is, besides those of HTML such as `code`.
    pub copied: Vec<String>,
    /// Longer sentences are cut: characters, those of scripts without spaces count as three. `Lines` are not cut.
    pub longest: usize,
    /// What of a file is translated.
    pub files: FileOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::default(),
            split: Split::default(),
            language: String::new(),
            target: String::new(),
            encoding: None,
            subtitle_width: 42,
            comments: Comments::default(),
            keep: Keep::default(),
            copied: Vec::new(),
            longest: 600,
            files: FileOptions::default(),
        }
    }
}

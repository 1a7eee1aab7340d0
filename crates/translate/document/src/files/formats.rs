//! The table of formats: a format is a line here, and a file that reads it.

use super::message::Messages;
use super::pdf::PageText;
use super::reading::Reading;
use super::{already_translated, open_document, slides, with_values, word};
use super::{ass, csv, fluent, json, properties, qt, resx, rst, strings, stringsdict, yaml};
use super::{markdown, pdf, po, subtitles, tmx, values, xliff, xlsx};
use crate::block::Sentences;
use crate::escape::Escape;
use crate::markup::well_formed;
use crate::prepared::Read;
use crate::{Error, Format, SegmentedText};

/// Reads a text, or a part of an archive.
type ReadText = fn(String, &Reading<'_>) -> Result<SegmentedText, Error>;

/// Finds the messages of a file.
type FindMessages = fn(&str, &Reading<'_>) -> Result<Messages, Error>;

/// How a format is read.
pub(super) enum Reader {
    /// A text, which is translated in place.
    Text(ReadText),
    /// An archive whose parts are such texts.
    Archive(ReadText),
    /// A file of messages, each of which is a text.
    Messages(FindMessages),
    /// Pages whose text alone is translated.
    Pages(fn(Vec<u8>) -> Result<PageText, Error>),
}

/// A line of the table.
pub(super) struct FormatRow {
    summary: &'static str,
    ends: &'static [&'static str],
    media_type: &'static str,
    pub(super) reader: Reader,
}

macro_rules! formats {
    ($(#[doc = $summary:literal] $format:ident [$($end:literal)+] $media_type:literal $reader:expr;)+) => {
        /// A format of files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FileFormat {
            $(#[doc = $summary] $format,)+
        }

        const TABLE: &[FormatRow] = &[
            $(FormatRow { summary: $summary, ends: &[$($end),+], media_type: $media_type, reader: $reader },)+
        ];

        impl FileFormat {
            /// All formats.
            pub const ALL: &[Self] = &[$(Self::$format),+];
        }
    };
}

// The name of a format is the first of its files' ends.
formats! {
    /// Plain text
    Text ["txt" "text"] "text/plain" Reader::Text(|text, how| how.form(text, Format::Text));
    /// A web page: its sentences are translated, its tags stay
    Html ["html" "htm" "xhtml"] "text/html" Reader::Text(|text, how| how.form(text, Format::Html));
    /// An XML document: as HTML, but elements without text next to them end sentences; or strings of Android
    Xml ["xml"] "application/xml" Reader::Text(|text, how| how.form(text, Format::Xml));
    /// Markdown
    Markdown ["md" "markdown"] "text/markdown" Reader::Text(|text, how| Ok(markdown::read(text, how.options)));
    /// reStructuredText
    Rst ["rst"] "text/x-rst" Reader::Messages(rst::messages);
    /// Subtitles of SubRip
    Srt ["srt"] "application/x-subrip" Reader::Text(|text, how| {
        let blocks = subtitles::paragraphs(&text, subtitles::Kind::Srt, how.options, &how.flat());
        Ok(SegmentedText::from_blocks(text, blocks, Escape::None))
    });
    /// Subtitles of the web
    Vtt ["vtt"] "text/vtt" Reader::Text(|text, how| {
        let sentences = Sentences { escape: Escape::Markup, ..how.flat() };
        let blocks = subtitles::paragraphs(&text, subtitles::Kind::Vtt, how.options, &sentences);
        Ok(SegmentedText::from_blocks(text, blocks, Escape::Markup))
    });
    /// Messages of gettext
    Po ["po" "pot"] "text/x-gettext-translation" Reader::Text(|text, how| {
        let (messages, note) = po::messages(&text, how.options)?;
        Ok(messages.read(how.options)?.with_note(note))
    });
    /// Messages in XLIFF 1.2 or 2
    Xliff ["xliff" "xlf" "sdlxliff" "mqxliff" "mxliff"] "application/x-xliff+xml" Reader::Text(|text, how| {
        well_formed(&text)?;
        let (messages, left, all) = xliff::messages(&text, how.options);
        Ok(messages.read(how.options)?.with_note(already_translated(left, all)))
    });
    /// A translation memory: the entries without a text in the target language
    Tmx ["tmx"] "application/x-tmx+xml" Reader::Text(|text, how| {
        let (messages, left, all) = tmx::messages(&text, how.options)?;
        Ok(messages.read(how.options)?.with_note(already_translated(left, all)))
    });
    /// Texts of programs in JSON: of i18next, Vue, FormatJS, extensions of Chrome and the like
    Json ["json"] "application/json" Reader::Messages(json::messages);
    /// A value of JSON on each line, as data for machine learning
    Jsonl ["jsonl" "ndjson"] "application/jsonl" Reader::Messages(json::lines);
    /// Texts of Flutter
    Arb ["arb"] "application/json" Reader::Messages(json::arb);
    /// A catalogue of texts of Xcode
    Xcstrings ["xcstrings"] "application/json" Reader::Messages(json::catalogue);
    /// Values of YAML, as texts of Rails
    Yaml ["yaml" "yml"] "application/yaml" Reader::Messages(yaml::messages);
    /// Properties of Java
    Properties ["properties"] "text/x-java-properties" Reader::Messages(properties::messages);
    /// Texts of Apple's programs
    Strings ["strings"] "text/plain" Reader::Messages(strings::messages);
    /// Plural rules of Apple's programs
    Stringsdict ["stringsdict"] "application/xml" Reader::Messages(stringsdict::messages);
    /// Resources of .NET
    Resx ["resx" "resw"] "application/xml" Reader::Messages(resx::messages);
    /// Messages of Qt
    Ts ["ts"] "application/x-linguist" Reader::Messages(qt::messages);
    /// Messages of Fluent
    Ftl ["ftl"] "text/plain" Reader::Messages(fluent::messages);
    /// A table of values with commas or semicolons between them
    Csv ["csv"] "text/csv" Reader::Messages(csv::commas);
    /// A table of values with tabs between them
    Tsv ["tsv"] "text/tab-separated-values" Reader::Messages(csv::tabs);
    /// Subtitles of Advanced SubStation Alpha
    Ass ["ass" "ssa"] "text/x-ssa" Reader::Messages(ass::messages);
    /// A document of Word
    Docx ["docx"] "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        Reader::Archive(|text, how| office(text, &values::WORD, word, how));
    /// Slides of PowerPoint
    Pptx ["pptx"] "application/vnd.openxmlformats-officedocument.presentationml.presentation"
        Reader::Archive(|text, how| office(text, &values::DRAWING, slides, how));
    /// A workbook of Excel
    Xlsx ["xlsx"] "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" Reader::Archive(xlsx::read);
    /// A text in OpenDocument
    Odt ["odt"] "application/vnd.oasis.opendocument.text"
        Reader::Archive(|text, how| office(text, &values::OPEN_DOCUMENT, open_document, how));
    /// A spreadsheet in OpenDocument
    Ods ["ods"] "application/vnd.oasis.opendocument.spreadsheet"
        Reader::Archive(|text, how| office(text, &values::OPEN_DOCUMENT, open_document, how));
    /// Slides in OpenDocument
    Odp ["odp"] "application/vnd.oasis.opendocument.presentation"
        Reader::Archive(|text, how| office(text, &values::OPEN_DOCUMENT, open_document, how));
    /// A document in PDF: its text alone is translated
    Pdf ["pdf"] "application/pdf" Reader::Pages(pdf::read);
    /// A book
    Epub ["epub"] "application/epub+zip" Reader::Archive(|text, how| how.form(text, Format::Html));
}

/// A part of an office document.
fn office(text: String, names: &values::Names, read: Read, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    well_formed(&text)?;
    with_values(text, names, read, reading)
}

impl FileFormat {
    pub(super) fn row(self) -> &'static FormatRow {
        &TABLE[self as usize]
    }

    /// The format of files whose names end so: `docx`, `.DOCX`.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.trim_start_matches('.').to_lowercase();
        Self::ALL.iter().copied().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// Its name, which is the first end of its files' names.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.extensions()[0]
    }

    /// The ends of its files' names, without a full stop.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().ends
    }

    /// The type of its files in HTTP and in mail.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().media_type
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary.trim()
    }

    /// The end of the name of a translated file: another one where only its text is translated.
    #[must_use]
    pub fn translated_extension(self) -> Option<&'static str> {
        matches!(self.row().reader, Reader::Pages(_)).then_some("txt")
    }

    /// The most bytes of a file; archives may have pictures in them.
    #[must_use]
    pub fn largest(self) -> u64 {
        match self.row().reader {
            Reader::Archive(_) | Reader::Pages(_) => 1 << 30,
            Reader::Text(_) | Reader::Messages(_) => 128 << 20,
        }
    }

    /// Whether the file is an archive of files.
    #[must_use]
    pub fn is_archive(self) -> bool {
        matches!(self.row().reader, Reader::Archive(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_names_one_format() {
        for &format in FileFormat::ALL {
            for end in format.extensions() {
                assert_eq!(FileFormat::from_extension(&format!(".{}", end.to_uppercase())), Some(format), "{end}");
            }
        }
        assert_eq!(FileFormat::from_extension("exe"), None);
    }

    #[test]
    fn the_page_about_texts_has_all_formats() {
        let page = include_str!("../../../../../docs/text.md");
        for format in FileFormat::ALL {
            assert!(page.contains(&format!("`{}`", format.name())), "{format:?}");
        }
    }
}

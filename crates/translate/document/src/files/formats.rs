//! The table of formats: a format is a line here, and a file that reads it.

use super::{markdown, odf, office, po, subtitles, xliff};
use crate::block::Sentences;
use crate::markup::well_formed;
use crate::prepared::how;
use crate::split::Splitter;
use crate::write::Escape;
use crate::{Error, Format, Options, SegmentedText};

/// Reads a text, or a part of an archive.
type ReadText = fn(String, &Reading<'_>) -> Result<SegmentedText, Error>;

/// How a format is read.
pub(super) enum Reader {
    /// A text, which is translated in place.
    Text(ReadText),
    /// An archive whose parts are such texts.
    Archive(ReadText),
}

/// A line of the table.
pub(super) struct FormatRow {
    summary: &'static str,
    ends: &'static [&'static str],
    media_type: &'static str,
    pub(super) reader: Reader,
}

/// What a reader is told.
pub(super) struct Reading<'a> {
    pub(super) options: &'a Options,
    pub(super) splitter: &'a Splitter,
}

impl Reading<'_> {
    /// Sentences of paragraphs in which a new line is a blank.
    fn flat(&self) -> Sentences<'_> {
        Sentences { flat: Some(true), ..self.lines() }
    }

    /// Sentences of paragraphs in which a new line ends a sentence.
    fn lines(&self) -> Sentences<'_> {
        how(self.splitter, self.options)
    }

    /// A text that is read as a text of this form.
    fn form(&self, text: String, format: Format) -> Result<SegmentedText, Error> {
        SegmentedText::new(text, &Options { format, ..self.options.clone() })
    }
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
    /// An XML document: as HTML, but elements without text next to them end sentences
    Xml ["xml"] "application/xml" Reader::Text(|text, how| how.form(text, Format::Xml));
    /// Markdown
    Markdown ["md" "markdown"] "text/markdown" Reader::Text(|text, how| {
        let blocks = markdown::paragraphs(&text, &how.flat());
        Ok(SegmentedText::from_blocks(text, blocks, Escape::Markdown))
    });
    /// Subtitles of SubRip
    Srt ["srt"] "application/x-subrip" Reader::Text(|text, how| {
        let blocks = subtitles::paragraphs(&text, false, &how.flat());
        Ok(SegmentedText::from_blocks(text, blocks, Escape::None))
    });
    /// Subtitles of the web
    Vtt ["vtt"] "text/vtt" Reader::Text(|text, how| {
        let blocks = subtitles::paragraphs(&text, true, &how.flat());
        Ok(SegmentedText::from_blocks(text, blocks, Escape::Markup))
    });
    /// Messages of gettext
    Po ["po" "pot"] "text/x-gettext-translation" Reader::Text(|text, how| {
        let blocks = po::paragraphs(&text, &how.lines())?;
        Ok(SegmentedText::from_blocks(text, blocks, Escape::Quoted))
    });
    /// Messages in XLIFF 1.2 or 2
    Xliff ["xliff" "xlf"] "application/x-xliff+xml" Reader::Text(|text, how| {
        well_formed(&text)?;
        let blocks = xliff::paragraphs(&text, how.options, &how.flat())?;
        Ok(SegmentedText::from_blocks(text, blocks, Escape::Markup))
    });
    /// A document of Word
    Docx ["docx"] "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        Reader::Archive(|text, how| runs(text, |text| office::paragraphs(text, &office::WORD, &how.lines())));
    /// Slides of PowerPoint
    Pptx ["pptx"] "application/vnd.openxmlformats-officedocument.presentationml.presentation"
        Reader::Archive(|text, how| runs(text, |text| office::paragraphs(text, &office::SLIDES, &how.lines())));
    /// A text in OpenDocument
    Odt ["odt"] "application/vnd.oasis.opendocument.text"
        Reader::Archive(|text, how| runs(text, |text| odf::paragraphs(text, &how.lines())));
    /// Slides in OpenDocument
    Odp ["odp"] "application/vnd.oasis.opendocument.presentation"
        Reader::Archive(|text, how| runs(text, |text| odf::paragraphs(text, &how.lines())));
    /// A book
    Epub ["epub"] "application/epub+zip" Reader::Archive(|text, how| how.form(text, Format::Html));
}

/// A part of an office document.
fn runs(text: String, find: impl FnOnce(&str) -> Vec<crate::block::Block>) -> Result<SegmentedText, Error> {
    well_formed(&text)?;
    let blocks = find(&text);
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
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

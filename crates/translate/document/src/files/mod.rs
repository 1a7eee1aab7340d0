//! Files as people have them: their text is translated in place, the rest stays byte for byte.

mod archive;
mod markdown;
mod odf;
mod office;
mod po;
mod subtitles;
mod xliff;

use crate::block::{Notation, Sentences};
use crate::markup::well_formed;
use crate::prepared::how;
use crate::split::Splitter;
use crate::write::Escape;
use crate::{Answer, Error, Format, Options, SegmentedText, Source};
use archive::Archive;

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// Plain text.
    Text,
    /// A web page.
    Html,
    /// An XML document.
    Xml,
    /// Markdown.
    Markdown,
    /// Subtitles of SubRip.
    Srt,
    /// Subtitles of the web.
    Vtt,
    /// Messages of gettext.
    Po,
    /// Messages in XLIFF 1.2 or 2.
    Xliff,
    /// A document of Word.
    Docx,
    /// Slides of PowerPoint.
    Pptx,
    /// A text in OpenDocument.
    Odt,
    /// Slides in OpenDocument.
    Odp,
    /// A book.
    Epub,
}

impl FileFormat {
    /// All formats with the ends of their files' names; the first one is the format's name.
    pub const ALL: &[(Self, &[&str])] = &[
        (Self::Text, &["txt", "text"]),
        (Self::Html, &["html", "htm", "xhtml"]),
        (Self::Xml, &["xml"]),
        (Self::Markdown, &["md", "markdown"]),
        (Self::Srt, &["srt"]),
        (Self::Vtt, &["vtt"]),
        (Self::Po, &["po", "pot"]),
        (Self::Xliff, &["xliff", "xlf"]),
        (Self::Docx, &["docx"]),
        (Self::Pptx, &["pptx"]),
        (Self::Odt, &["odt"]),
        (Self::Odp, &["odp"]),
        (Self::Epub, &["epub"]),
    ];

    /// The format of files whose names end so: `docx`, `.DOCX`.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.trim_start_matches('.').to_lowercase();
        Self::ALL.iter().find(|(_, names)| names.contains(&extension.as_str())).map(|(format, _)| *format)
    }

    /// The end of its files' names.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(format, _)| *format == self).map_or("", |(_, names)| names[0])
    }

    /// Whether the file is an archive of files.
    #[must_use]
    pub fn is_archive(self) -> bool {
        matches!(self, Self::Docx | Self::Pptx | Self::Odt | Self::Odp | Self::Epub)
    }
}

/// A file whose sentences are found.
#[derive(Debug)]
pub struct SegmentedFile {
    texts: Vec<SegmentedText>,
    archive: Option<Archive>,
}

/// A translated file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranslatedFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// By sentence: how many things to copy its translation lacked; they were put where their neighbours' translations
    /// stand.
    pub inserted: Vec<usize>,
}

impl SegmentedFile {
    /// Finds the sentences of a file. The form of the text in `options` does not count.
    ///
    /// # Errors
    /// If the file is not of this format, is not UTF-8, unpacks to too much, defines entities of its own in an archive,
    /// or has nothing to translate.
    pub fn new(bytes: Vec<u8>, format: FileFormat, options: &Options) -> Result<Self, Error> {
        let file = if format.is_archive() {
            let (archive, parts) = Archive::open(bytes, format)?;
            let texts = parts.into_iter().map(|(format, text)| read(text, format, options));
            Self { texts: texts.collect::<Result<_, _>>()?, archive: Some(archive) }
        } else {
            let text = String::from_utf8(bytes)
                .map_err(|error| Error::Encoding { byte: error.utf8_error().valid_up_to() + 1 })?;
            Self { texts: vec![read(text, format, options)?], archive: None }
        };
        if file.is_empty() { Err(Error::NothingToTranslate { format: format.name() }) } else { Ok(file) }
    }

    /// Number of sentences to translate.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.iter().map(SegmentedText::len).sum()
    }

    /// Whether there is nothing to translate; no file that could be prepared is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.iter().all(SegmentedText::is_empty)
    }

    /// The sentences to translate, in order. Ranges are those of a part of an archive.
    pub fn sentences(&self) -> impl Iterator<Item = Source<'_>> {
        self.texts.iter().flat_map(SegmentedText::sentences)
    }

    /// The translated file. `answers`: by sentence; a sentence without an answer stays as it is.
    ///
    /// # Errors
    /// If there is no answer at all, or the archive can not be written.
    pub fn finish(&self, answers: &[Option<Answer>]) -> Result<TranslatedFile, Error> {
        if answers.iter().all(Option::is_none) {
            return Err(Error::NothingTranslated);
        }
        let (mut rest, mut texts, mut inserted) = (answers, Vec::new(), Vec::new());
        for text in &self.texts {
            let (own, others) = rest.split_at(text.len().min(rest.len()));
            rest = others;
            let finished = text.finish(own);
            texts.push(finished.text);
            inserted.extend(finished.inserted);
        }
        let bytes = match &self.archive {
            Some(archive) => archive.write(&texts)?,
            None => texts.concat().into_bytes(),
        };
        Ok(TranslatedFile { bytes, inserted })
    }
}

/// A text of a file or of a part of one.
fn read(text: String, format: FileFormat, options: &Options) -> Result<SegmentedText, Error> {
    let with = |format| SegmentedText::new(text.as_str(), &Options { format, ..options.clone() });
    if matches!(format, FileFormat::Docx | FileFormat::Pptx | FileFormat::Odt | FileFormat::Odp | FileFormat::Xliff) {
        well_formed(&text)?;
    }
    let splitter = Splitter::new(&options.language);
    let escape = match format {
        FileFormat::Markdown => Escape::Markdown,
        FileFormat::Po => Escape::Quoted,
        FileFormat::Vtt | FileFormat::Xliff => Escape::Markup,
        FileFormat::Docx | FileFormat::Pptx | FileFormat::Odt | FileFormat::Odp => Escape::Runs,
        _ => Escape::None,
    };
    let notation = if format == FileFormat::Po { Notation::Source } else { Notation::Prose };
    let own = |flat: Option<bool>| Sentences { flat, notation, escape, ..how(&splitter, options) };
    let blocks = match format {
        FileFormat::Text => return with(Format::Text),
        FileFormat::Html | FileFormat::Epub => return with(Format::Html),
        FileFormat::Xml => return with(Format::Xml),
        FileFormat::Markdown => markdown::paragraphs(&text, &own(Some(true))),
        FileFormat::Srt => subtitles::paragraphs(&text, false, &own(Some(true))),
        FileFormat::Vtt => subtitles::paragraphs(&text, true, &own(Some(true))),
        FileFormat::Po => po::paragraphs(&text, &own(None))?,
        FileFormat::Xliff => xliff::paragraphs(&text, options, &own(Some(true)))?,
        FileFormat::Docx => office::paragraphs(&text, &office::WORD, &own(None)),
        FileFormat::Pptx => office::paragraphs(&text, &office::SLIDES, &own(None)),
        FileFormat::Odt | FileFormat::Odp => odf::paragraphs(&text, &own(None)),
    };
    Ok(SegmentedText::from_blocks(text, blocks, escape))
}

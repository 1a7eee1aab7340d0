//! Files as people have them: their text is translated in place, the rest stays byte for byte.

pub(crate) mod accelerators;
mod archive;
mod edits;
pub(crate) mod icu;
pub(crate) mod markdown;
pub(crate) mod messages;
mod odf;
mod office;
mod plural_forms;
mod po;
pub(crate) mod subtitles;
pub(crate) mod values;
mod xliff;

use crate::block::Sentences;
use crate::markup::{Syntax, well_formed};
use crate::prepared::how;
use crate::split::Splitter;
use crate::write::Escape;
use crate::{Answer, Error, Format, Options, SegmentedText, Source, TextEncoding};
use archive::{Archive, Part};

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
        (Self::Xliff, &["xliff", "xlf", "sdlxliff", "mqxliff", "mxliff"]),
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
    format: FileFormat,
    /// Of a file that is no archive.
    encoding: TextEncoding,
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
    /// Messages about the file, each one sentence.
    pub notes: Vec<String>,
}

impl SegmentedFile {
    /// Finds the sentences of a file. The form of the text in `options` does not count.
    ///
    /// # Errors
    /// If the file is not of this format, is not in its encoding, unpacks to too much, defines entities of its own in an
    /// archive, or has nothing to translate.
    pub fn new(bytes: Vec<u8>, format: FileFormat, options: &Options) -> Result<Self, Error> {
        let file = if format.is_archive() {
            let (archive, parts) = Archive::open(bytes, format, options)?;
            let texts = parts.into_iter().map(|(part, text)| read_part(text, part, options));
            let texts = texts.collect::<Result<_, _>>()?;
            Self { format, encoding: TextEncoding::default(), texts, archive: Some(archive) }
        } else {
            let (text, encoding) = TextEncoding::decode(bytes, format, options.encoding)?;
            Self { format, encoding, texts: vec![read(text, format, options)?], archive: None }
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
        let mut notes: Vec<String> = self.texts.iter().filter_map(|text| text.note().map(str::to_owned)).collect();
        let bytes = match &self.archive {
            Some(archive) => archive.write(&texts)?,
            None => {
                let (bytes, note) = self.encoding.encode(texts.concat(), self.format);
                notes.extend(note);
                bytes
            }
        };
        Ok(TranslatedFile { bytes, inserted, notes })
    }
}

/// The message about messages that have a translation already.
fn already_translated(left: usize, all: usize) -> Option<String> {
    (left > 0).then(|| format!("{left} of {all} messages have a translation already and stay as they are"))
}

/// A part of an archive.
fn read_part(text: String, part: Part, options: &Options) -> Result<SegmentedText, Error> {
    let names = match part {
        Part::Main(format) => return read(text, format, options),
        Part::Styles => &values::WORD,
        Part::Drawing => &values::DRAWING,
        Part::Properties => &values::PROPERTIES,
    };
    well_formed(&text)?;
    let outside: Outside = match part {
        Part::Drawing => slides,
        _ => |text, _, _| Ok(SegmentedText::from_blocks(text, Vec::new(), Escape::Markup)),
    };
    with_values(text, names, outside, options)
}

/// Finds the sentences of a text, but not those in its attributes.
type Outside = fn(String, &Splitter, &Options) -> Result<SegmentedText, Error>;

/// A text with the texts in its attributes, and its language.
fn with_values(
    text: String,
    names: &values::Names,
    outside: Outside,
    options: &Options,
) -> Result<SegmentedText, Error> {
    let splitter = Splitter::new(&options.language);
    let how = Sentences { flat: Some(true), escape: Escape::Attribute, ..how(&splitter, options) };
    let values = values::blocks(&text, names, Syntax::Xml, options, &how);
    Ok(outside(text, &splitter, options)?.with_values(values, Escape::Attribute, options, outside))
}

/// A text of a file or of a part of one.
fn read(text: String, format: FileFormat, options: &Options) -> Result<SegmentedText, Error> {
    let with = |format| SegmentedText::new(text.as_str(), &Options { format, ..options.clone() });
    if matches!(format, FileFormat::Docx | FileFormat::Pptx | FileFormat::Odt | FileFormat::Odp | FileFormat::Xliff) {
        well_formed(&text)?;
    }
    let splitter = Splitter::new(&options.language);
    let escape = if format == FileFormat::Vtt { Escape::Markup } else { Escape::None };
    let own = |flat: Option<bool>| Sentences { flat, escape, ..how(&splitter, options) };
    let blocks = match format {
        FileFormat::Text => return with(Format::Text),
        FileFormat::Html | FileFormat::Epub => return with(Format::Html),
        FileFormat::Xml => return with(Format::Xml),
        FileFormat::Markdown => return Ok(markdown::read(text, options)),
        FileFormat::Srt => subtitles::paragraphs(&text, subtitles::Kind::Srt, options, &own(Some(true))),
        FileFormat::Vtt => subtitles::paragraphs(&text, subtitles::Kind::Vtt, options, &own(Some(true))),
        FileFormat::Po => {
            let (messages, left, all) = po::messages(&text, options)?;
            return Ok(messages.read(options)?.with_note(already_translated(left, all)));
        }
        FileFormat::Xliff => {
            let (messages, left, all) = xliff::messages(&text, options);
            return Ok(messages.read(options)?.with_note(already_translated(left, all)));
        }
        FileFormat::Docx => return with_values(text, &values::WORD, word, options),
        FileFormat::Pptx => return with_values(text, &values::DRAWING, slides, options),
        FileFormat::Odt | FileFormat::Odp => return with_values(text, &values::OPEN_DOCUMENT, open_document, options),
    };
    Ok(SegmentedText::from_blocks(text, blocks, escape))
}

fn word(text: String, splitter: &Splitter, options: &Options) -> Result<SegmentedText, Error> {
    let blocks =
        office::paragraphs(&text, &office::WORD, &Sentences { escape: Escape::Runs, ..how(splitter, options) });
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
}

fn slides(text: String, splitter: &Splitter, options: &Options) -> Result<SegmentedText, Error> {
    let blocks =
        office::paragraphs(&text, &office::SLIDES, &Sentences { escape: Escape::Runs, ..how(splitter, options) });
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
}

fn open_document(text: String, splitter: &Splitter, options: &Options) -> Result<SegmentedText, Error> {
    let how = Sentences { escape: Escape::Runs, ..how(splitter, options) };
    let blocks = odf::paragraphs(&text, options.comments, &how);
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
}

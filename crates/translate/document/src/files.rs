//! Files as people have them: their text is translated in place, the rest stays byte for byte.

pub(crate) mod accelerators;
mod android;
mod apostrophes;
mod archive;
mod ass;
mod bytes;
mod cells;
mod check;
mod codes;
mod csv;
mod edits;
mod elements;
mod fluent;
mod formats;
pub(crate) mod icu;
mod json;
pub(crate) mod markdown;
mod message;
mod message_file;
pub(crate) mod messages;
mod odf;
mod office;
pub(crate) mod page;
mod pdf;
mod plural_forms;
mod po;
mod properties;
mod qt;
mod reading;
mod resx;
pub(crate) mod rst;
mod strings;
mod stringsdict;
pub(crate) mod subtitles;
mod tmx;
pub(crate) mod values;
mod xliff;
mod xlsx;
mod yaml;

use crate::block::{LineEnds, Sentences};
use crate::escape::Escape;
use crate::languages::{self, Languages, Styles};
use crate::markup::{Syntax, well_formed};
use crate::prepared::{Around, Read, how};
use crate::split::Splitter;
use crate::{Answer, Error, Format, Options, SegmentedText, Source, TextEncoding};
use archive::{Archive, Part};
pub use formats::FileFormat;
use formats::Reader;
use message::Messages;
use message_file::MessageFile;
use pdf::PageText;
use reading::Reading;
use std::collections::HashSet;
use std::sync::Arc;

/// A file whose sentences are found.
#[derive(Debug)]
pub struct SegmentedFile {
    format: FileFormat,
    /// The encoding of a file that is one text.
    encoding: TextEncoding,
    texts: Vec<SegmentedText>,
    frame: Frame,
}

/// The rest of a file, around its texts.
#[derive(Debug)]
enum Frame {
    /// The file is one text.
    Nothing,
    Archive(Archive),
    Messages(MessageFile),
    /// The text is that of pages, about which there are messages.
    Pages(Vec<String>),
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
    /// If the file is not of this format, is not UTF-8, unpacks to too much, defines entities of its own in an archive,
    /// or has nothing to translate.
    pub fn new(bytes: Vec<u8>, format: FileFormat, options: &Options) -> Result<Self, Error> {
        options.check(format)?;
        if bytes.len() as u64 > format.largest() {
            return Err(Error::TooLong { limit: format.largest() });
        }
        if bytes.starts_with(b"bplist") {
            let problem =
                "it is a compiled property list of Apple's; translate the file among the sources of the program";
            return Err(Error::Unreadable { problem: problem.into() });
        }
        let splitter = Splitter::new(&options.language);
        let mut reading = Reading { options, splitter: &splitter, stays: HashSet::new(), styles: Arc::default() };
        let file = match &format.row().reader {
            Reader::Archive(_) => {
                let (archive, parts) = Archive::open(bytes, format, options)?;
                if format == FileFormat::Xlsx {
                    reading.stays = xlsx::names(parts.iter().map(|(_, text)| text.as_str()), &options.files)?;
                }
                if let Some((_, styles)) = parts.iter().find(|(_, text)| text.contains("<office:document-styles")) {
                    reading.styles = Arc::new(Styles::of_part(styles));
                }
                let texts = parts.into_iter().map(|(part, text)| read_part(text, part, &reading));
                Self::new_in(format, texts.collect::<Result<_, _>>()?, Frame::Archive(archive))
            }
            Reader::Text(read) => {
                let (text, encoding) = TextEncoding::decode(bytes, format, options.encoding)?;
                // Android's strings are XML, too.
                if format == FileFormat::Xml && android::is_strings(&text) {
                    let found = android::messages(&text, &reading)?;
                    Self::of_messages(format, text, encoding, found, &reading)?
                } else {
                    Self { encoding, ..Self::new_in(format, vec![read(text, &reading)?], Frame::Nothing) }
                }
            }
            Reader::Pages(read) => {
                let PageText { text, notes } = read(bytes)?;
                Self::new_in(format, vec![reading.form(text, Format::Text)?], Frame::Pages(notes))
            }
            Reader::Messages(find) => {
                let (text, encoding) = TextEncoding::decode(bytes, format, options.encoding)?;
                let found = find(&text, &reading)?;
                Self::of_messages(format, text, encoding, found, &reading)?
            }
        };
        if file.is_empty() { Err(Error::NothingToTranslate { format: format.name() }) } else { Ok(file) }
    }

    fn new_in(format: FileFormat, texts: Vec<SegmentedText>, frame: Frame) -> Self {
        Self { format, encoding: TextEncoding::default(), texts, frame }
    }

    fn of_messages(
        format: FileFormat,
        text: String,
        encoding: TextEncoding,
        found: Messages,
        reading: &Reading<'_>,
    ) -> Result<Self, Error> {
        let (file, texts) = MessageFile::new(text, found, reading)?;
        Ok(Self { encoding, ..Self::new_in(format, texts, Frame::Messages(file)) })
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
            // A message without words is its own translation.
            let translated = own.is_empty() || own.iter().any(Option::is_some);
            texts.push((finished.text, translated));
            inserted.extend(finished.inserted);
        }
        let mut notes = match &self.frame {
            Frame::Pages(notes) | Frame::Messages(MessageFile { notes, .. }) => notes.clone(),
            Frame::Nothing | Frame::Archive(_) => Vec::new(),
        };
        notes.extend(self.texts.iter().filter_map(|text| text.note().map(str::to_owned)));
        let mut foreign = Vec::new();
        for &(language, count) in self.texts.iter().flat_map(SegmentedText::foreign) {
            languages::add(&mut foreign, language, count);
        }
        notes.extend(languages::note(&foreign));
        let bytes = match &self.frame {
            Frame::Archive(archive) => {
                let legal =
                    |(text, _): (String, bool)| if text.contains("<sheets") { xlsx::legal_names(&text) } else { text };
                archive.write(&texts.into_iter().map(legal).collect::<Vec<_>>())?
            }
            Frame::Nothing | Frame::Pages(_) => {
                self.encoded(texts.into_iter().map(|(text, _)| text).collect(), &mut notes)
            }
            Frame::Messages(file) => {
                let translations = texts.iter().map(|(text, translated)| translated.then_some(text.as_str()));
                self.encoded(file.write(&translations.collect::<Vec<_>>()), &mut notes)
            }
        };
        Ok(TranslatedFile { bytes, inserted, notes })
    }

    /// A text in the encoding of the file.
    fn encoded(&self, text: String, notes: &mut Vec<String>) -> Vec<u8> {
        let (bytes, note) = self.encoding.encode(text, self.format);
        notes.extend(note);
        bytes
    }
}

/// The message about messages that have a translation already.
pub(crate) fn already_translated(left: usize, all: usize) -> Option<String> {
    (left > 0).then(|| format!("{left} of {all} messages have a translation already and stay as they are"))
}

/// A part of an archive.
fn read_part(text: String, part: Part, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    let names = match part {
        Part::Main(format) => {
            return match &format.row().reader {
                Reader::Archive(read) | Reader::Text(read) => read(text, reading),
                Reader::Messages(_) | Reader::Pages(_) => reading.form(text, Format::Text),
            };
        }
        Part::Styles => &values::WORD,
        Part::Drawing => &values::DRAWING,
        Part::Properties => &values::PROPERTIES,
    };
    well_formed(&text)?;
    let outside: Read = match part {
        Part::Drawing => slides,
        _ => |text, _, _, _| Ok(SegmentedText::from_blocks(text, Vec::new(), Escape::Markup)),
    };
    with_values(text, names, outside, reading)
}

/// A text with the texts in its attributes, and its language.
fn with_values(text: String, names: &values::Names, read: Read, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    let options = reading.options;
    let how = Sentences { line_ends: LineEnds::Blanks, escape: Escape::Attribute, ..reading.lines() };
    let find = |marking| Languages::find(&text, marking, &reading.styles, options);
    let languages = names.marking.map_or_else(Languages::default, find);
    let regions = languages.regions(&text);
    let mut values = values::blocks(&text, names, Syntax::Xml, options, &how);
    values.retain(|value| regions.at(value.range.start).is_none());
    let around = Around { read, languages: languages.clone() };
    let text = read(text, reading.splitter, options, &languages)?;
    Ok(text.with_values(values, Escape::Attribute, options, around).with_foreign(languages))
}

pub(crate) fn word(
    text: String,
    splitter: &Splitter,
    options: &Options,
    languages: &Languages,
) -> Result<SegmentedText, Error> {
    office_part(text, &office::WORD, &how(splitter, options), languages)
}

pub(crate) fn slides(
    text: String,
    splitter: &Splitter,
    options: &Options,
    languages: &Languages,
) -> Result<SegmentedText, Error> {
    office_part(text, &office::SLIDES, &how(splitter, options), languages)
}

/// A part of an office document whose elements have these names.
fn office_part(
    text: String,
    names: &office::Names,
    how: &Sentences<'_>,
    languages: &Languages,
) -> Result<SegmentedText, Error> {
    let how = Sentences { escape: Escape::Runs, ..*how };
    let blocks = office::paragraphs(&text, names, &languages.regions(&text), &how);
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
}

pub(crate) fn open_document(
    text: String,
    splitter: &Splitter,
    options: &Options,
    languages: &Languages,
) -> Result<SegmentedText, Error> {
    let how = Sentences { escape: Escape::Runs, ..how(splitter, options) };
    let regions = languages.regions(&text);
    let mut blocks = odf::paragraphs(&text, options.comments, &regions, &how);
    let staying = cells::staying(&text);
    blocks.retain(|block| regions.at(block.range.start).is_none() && !cells::has(&staying, block.range.start));
    Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs))
}

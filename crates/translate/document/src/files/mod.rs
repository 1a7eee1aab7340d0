//! Files as people have them: their text is translated in place, the rest stays byte for byte.

mod accelerator;
mod android;
mod apostrophes;
mod archive;
mod ass;
mod csv;
mod elements;
mod encoding;
mod fluent;
mod formats;
mod json;
mod markdown;
mod messages;
mod odf;
mod office;
mod pdf;
mod po;
mod properties;
mod qt;
mod resx;
mod strings;
mod stringsdict;
mod subtitles;
mod xliff;
mod xlsx;
mod yaml;

use crate::split::Splitter;
use crate::{Answer, Error, Format, Options, SegmentedText, Source};
use archive::Archive;
use encoding::{Encoding, Encodings};
pub use formats::FileFormat;
use formats::{Reader, Reading};
use messages::{MessageFile, Messages};
use pdf::PageText;
use std::collections::HashSet;

/// A file whose sentences are found.
#[derive(Debug)]
pub struct SegmentedFile {
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
}

impl SegmentedFile {
    /// Finds the sentences of a file. The form of the text in `options` does not count.
    ///
    /// # Errors
    /// If the file is not of this format, is not UTF-8, unpacks to too much, defines entities of its own in an archive,
    /// or has nothing to translate.
    pub fn new(bytes: Vec<u8>, format: FileFormat, options: &Options) -> Result<Self, Error> {
        let splitter = Splitter::new(&options.language);
        let mut reading = Reading { options, splitter: &splitter, stays: HashSet::new() };
        let file = match &format.row().reader {
            Reader::Archive(_) => {
                let (archive, parts) = Archive::open(bytes, format)?;
                if format == FileFormat::Xlsx {
                    reading.stays = xlsx::names(parts.iter().map(|(_, text)| text.as_str()), &options.files)?;
                }
                let texts = parts.into_iter().map(|(format, text)| read(text, format, &reading));
                Self { texts: texts.collect::<Result<_, _>>()?, frame: Frame::Archive(archive) }
            }
            Reader::Text(read) => {
                let (text, encoding) = Encodings::Utf8.decode(bytes)?;
                // Android's strings are XML, too.
                if format == FileFormat::Xml && android::is_strings(&text) {
                    let found = android::messages(&text, &reading)?;
                    Self::of_messages(text, encoding, found, &reading)?
                } else {
                    Self { texts: vec![read(text, &reading)?], frame: Frame::Nothing }
                }
            }
            Reader::Pages(read) => {
                let PageText { text, notes } = read(bytes)?;
                Self { texts: vec![reading.form(text, Format::Text)?], frame: Frame::Pages(notes) }
            }
            Reader::Messages(encodings, find) => {
                let (text, encoding) = encodings.decode(bytes)?;
                let found = find(&text, &reading)?;
                Self::of_messages(text, encoding, found, &reading)?
            }
        };
        if file.is_empty() { Err(Error::NothingToTranslate { format: format.name() }) } else { Ok(file) }
    }

    fn of_messages(text: String, encoding: Encoding, found: Messages, reading: &Reading<'_>) -> Result<Self, Error> {
        let (file, texts) = MessageFile::new(text, encoding, found, reading)?;
        Ok(Self { texts, frame: Frame::Messages(file) })
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

    /// Messages about parts of the file that could not be read, each one sentence.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        if let Frame::Pages(notes) = &self.frame { notes } else { &[] }
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
        let bytes = match &self.frame {
            Frame::Archive(archive) => {
                let legal =
                    |(text, _): (String, bool)| if text.contains("<sheets") { xlsx::legal_names(&text) } else { text };
                archive.write(&texts.into_iter().map(legal).collect::<Vec<_>>())?
            }
            Frame::Nothing | Frame::Pages(_) => {
                texts.into_iter().map(|(text, _)| text).collect::<String>().into_bytes()
            }
            Frame::Messages(file) => {
                let translations = texts.iter().map(|(text, translated)| translated.then_some(text.as_str()));
                file.write(&translations.collect::<Vec<_>>())
            }
        };
        Ok(TranslatedFile { bytes, inserted })
    }
}

/// A part of an archive.
fn read(text: String, format: FileFormat, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    match &format.row().reader {
        Reader::Archive(read) | Reader::Text(read) => read(text, reading),
        Reader::Messages(..) | Reader::Pages(_) => reading.form(text, Format::Text),
    }
}

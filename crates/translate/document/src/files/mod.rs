//! Files as people have them: their text is translated in place, the rest stays byte for byte.

mod archive;
mod formats;
mod markdown;
mod odf;
mod office;
mod po;
mod subtitles;
mod xliff;

use crate::split::Splitter;
use crate::{Answer, Error, Options, SegmentedText, Source};
use archive::Archive;
pub use formats::FileFormat;
use formats::{Reader, Reading};

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
        let splitter = Splitter::new(&options.language);
        let reading = Reading { options, splitter: &splitter };
        let file = match &format.row().reader {
            Reader::Archive(_) => {
                let (archive, parts) = Archive::open(bytes, format)?;
                let texts = parts.into_iter().map(|(format, text)| read(text, format, &reading));
                Self { texts: texts.collect::<Result<_, _>>()?, archive: Some(archive) }
            }
            Reader::Text(read) => Self { texts: vec![read(utf8(bytes)?, &reading)?], archive: None },
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

/// A part of an archive.
fn read(text: String, format: FileFormat, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    match &format.row().reader {
        Reader::Archive(read) | Reader::Text(read) => read(text, reading),
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| Error::Encoding { byte: error.utf8_error().valid_up_to() + 1 })
}

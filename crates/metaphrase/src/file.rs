//! Files of any format: their sentences are found, translated, and written in place.

use crate::text::{answers, notes_of, request, with_sentences_for};
use crate::{Error, FileFormat, Request, TextOptions, TranslateOptions, Translation, Translator};
use metaphrase_document::{Answer, SegmentedFile};

/// A file whose sentences are found; what [`PreparedText`](crate::PreparedText) is for texts. Nothing here reads or writes files.
///
/// ```
/// use metaphrase::{FileFormat, PreparedFile, TextOptions, Translator};
/// # fn main() -> Result<(), metaphrase::Error> {
/// let subtitles = b"1\n00:00:01,000 --> 00:00:02,000\nGood morning!\n".to_vec();
/// let prepared = PreparedFile::new(subtitles, FileFormat::Srt, &TextOptions::default())?;
/// let translator = Translator::bundled()?;
/// let translated = prepared.finish(translator.run(&translator.options(), prepared.requests())?)?;
/// assert_eq!(translated.bytes, b"1\n00:00:01,000 --> 00:00:02,000\nGuten Morgen!\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PreparedFile {
    prepared: SegmentedFile,
}

/// A translated file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileTranslation {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The engine's answers, in the order of the sentences.
    pub translations: Vec<Translation>,
    /// Messages about sentences, each one sentence that begins with the sentence's number, from 1.
    pub notes: Vec<String>,
}

impl PreparedFile {
    /// Finds the sentences of a file. The form of the text that the options tell does not count.
    ///
    /// # Errors
    /// [`Error::Document`] if the file is not of this format, is not UTF-8, unpacks to too much, or has nothing to translate.
    pub fn new(bytes: Vec<u8>, format: FileFormat, options: &TextOptions) -> Result<Self, Error> {
        Ok(Self { prepared: SegmentedFile::new(bytes, format, options)? })
    }

    /// Number of sentences to translate: one at least.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a file without sentences is refused")]
    pub fn len(&self) -> usize {
        self.prepared.len()
    }

    /// As [`PreparedText::needs_alignment`](crate::PreparedText::needs_alignment).
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        self.prepared.sentences().any(|source| source.aligned)
    }

    /// A request for each sentence, in order. Things to copy are its first required terms; a caller may add terms behind these.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.prepared.sentences().map(request).collect()
    }

    /// The translated file, from the answers to all requests in their order.
    ///
    /// # Errors
    /// [`Error::Answers`] if there are more or fewer answers than requests; [`Error::Document`] if no sentence was translated.
    pub fn finish(&self, translations: Vec<Translation>) -> Result<FileTranslation, Error> {
        let answers = answers(self.prepared.sentences(), self.len(), &translations, 0)?;
        self.put_together(&answers, translations)
    }

    fn put_together(
        &self,
        answers: &[Option<Answer>],
        translations: Vec<Translation>,
    ) -> Result<FileTranslation, Error> {
        let finished = self.prepared.finish(answers)?;
        let places = self.prepared.sentences().zip(finished.inserted);
        let numbered = translations.iter().zip(places).enumerate();
        let notes = numbered
            .flat_map(|(number, (translation, (source, inserted)))| {
                notes_of(number, translation, source.kept.len(), inserted)
            })
            .collect();
        Ok(FileTranslation { bytes: finished.bytes, translations, notes })
    }
}

impl Translator {
    /// Translates a file: [`PreparedFile::new`], the requests with alignments, [`PreparedFile::finish`].
    ///
    /// # Errors
    /// As [`PreparedFile::new`], [`PreparedFile::finish`] and [`stream`](Self::stream).
    pub fn translate_file(
        &self,
        options: &TranslateOptions,
        text: &TextOptions,
        bytes: Vec<u8>,
        format: FileFormat,
    ) -> Result<FileTranslation, Error> {
        let file = PreparedFile::new(bytes, format, &with_sentences_for(options, text))?;
        let (answers, translations) =
            self.stream_answers(options, file.prepared.sentences(), file.requests(), file.needs_alignment())?;
        file.put_together(&answers, translations)
    }
}

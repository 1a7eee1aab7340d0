//! Documents of any form: texts, web pages and files. Their sentences are found, translated, and put together again.

mod answers;
mod distinct;

use crate::{Error, FileFormat, Request, TextOptions, TranslateOptions, Translation, Translator};
pub(crate) use answers::answer_of;
use answers::{answer, answers, notes, request};
use distinct::Distinct;
use metaphrase_document::{Answer, SegmentedFile, SegmentedText, Source};
use std::ops::{ControlFlow, Range};

/// A document whose sentences are found: translate its [`requests`](Self::requests), and [`finish`](Self::finish) puts
/// the translated document together. Nothing here translates, so that a server can translate the sentences of many
/// documents in one batch, and nothing here reads or writes files.
///
/// ```
/// use metaphrase::{Document, FileFormat, TextOptions, Translator};
/// # fn main() -> Result<(), metaphrase::Error> {
/// let translator = Translator::bundled()?;
/// let document = Document::text("Good morning, {name}! How are you?", &TextOptions::default())?;
/// let options = translator.with_alignment(&translator.options());
/// let translated = document.finish(translator.run(&options, document.requests())?)?;
/// assert!(translated.text().contains("{name}"));
/// assert_eq!(translated.sentences.len(), 2);
///
/// let subtitles = b"1\n00:00:01,000 --> 00:00:02,000\nGood morning!\n".to_vec();
/// let document = Document::file(subtitles, FileFormat::Srt, &TextOptions::default())?;
/// let translated = document.finish(translator.run(&options, document.requests())?)?;
/// assert_eq!(translated.bytes, b"1\n00:00:01,000 --> 00:00:02,000\nGuten Morgen!\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Document(Content);

#[derive(Debug)]
enum Content {
    Text(SegmentedText),
    File(SegmentedFile),
}

/// A translated document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranslatedDocument {
    /// The document, with the white space, the markup and the things to copy of the input; text in the encoding of the
    /// input.
    pub bytes: Vec<u8>,
    /// The sentences that were translated, in order.
    pub sentences: Vec<DocumentSentence>,
    /// Messages about the document, such as parts that could not be read, each one sentence, and about its sentences,
    /// each one sentence that begins with the sentence's number, from 1.
    pub notes: Vec<String>,
    /// Sentences that were not translated again, as they are equal to earlier ones of the document.
    pub repeated: usize,
}

/// A sentence of a translated document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentSentence {
    /// Its bytes in the text that came in; empty for a file.
    pub source: Range<usize>,
    /// Its bytes in the translated text; empty for a file.
    pub target: Range<usize>,
    /// The engine's answer. A sentence with an error stays in the document as it is in the input.
    pub translation: Translation,
}

impl TranslatedDocument {
    /// The translated text; empty for an archive and for a file in another encoding than UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }
}

impl Document {
    /// Finds the sentences of a text, its markup, and the things that have to stay.
    ///
    /// # Errors
    /// [`Error::Document`] for XML whose tags do not belong together.
    pub fn text(input: impl Into<String>, options: &TextOptions) -> Result<Self, Error> {
        Ok(Self(Content::Text(SegmentedText::new(input, options)?)))
    }

    /// Finds the sentences of a file. The form of the text that the options name does not count.
    ///
    /// # Errors
    /// [`Error::Document`] if the file is not of this format, is not UTF-8, unpacks to too much, or has nothing to
    /// translate.
    pub fn file(bytes: Vec<u8>, format: FileFormat, options: &TextOptions) -> Result<Self, Error> {
        Ok(Self(Content::File(SegmentedFile::new(bytes, format, options)?)))
    }

    /// Number of sentences to translate.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Content::Text(text) => text.len(),
            Content::File(file) => file.len(),
        }
    }

    /// Whether there is nothing to translate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether markup and things to copy find their places by alignments: then the requests are best run with
    /// [`Translator::with_alignment`]. Without alignments the order of the words alone determines places.
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        self.sources().any(|source| source.aligned)
    }

    /// A request for each sentence, in order. Things to copy are its first required terms; a caller may add terms after
    /// these.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.sources().map(request).collect()
    }

    /// Puts the translated document together from the translations of all requests, in their order.
    ///
    /// # Errors
    /// [`Error::Answers`] if there are more or fewer translations than requests; [`Error::Document`] if no sentence of
    /// a file was translated.
    pub fn finish(&self, translations: Vec<Translation>) -> Result<TranslatedDocument, Error> {
        let answers = answers(self.sources(), self.len(), &translations, 0)?;
        self.put_together(&answers, translations)
    }

    /// The document put together from the hypotheses of this rank, from 0; a sentence with fewer hypotheses gives its
    /// last one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn alternative(&self, translations: &[Translation], rank: usize) -> Result<Vec<u8>, Error> {
        let answers = answers(self.sources(), self.len(), translations, rank)?;
        Ok(match &self.0 {
            Content::Text(text) => text.finish(&answers).text.into_bytes(),
            Content::File(file) => file.finish(&answers)?.bytes,
        })
    }

    /// The translation of one sentence of a text, without markup and with its things to copy; `None` if it was not
    /// translated. `number`: of the request, from 0.
    #[must_use]
    pub fn sentence(&self, number: usize, translation: &Translation) -> Option<String> {
        let Content::Text(text) = &self.0 else { return None };
        let source = text.source(number)?;
        Some(text.sentence(number, &answer(&source, translation, 0)?))
    }

    fn sources(&self) -> Box<dyn Iterator<Item = Source<'_>> + '_> {
        match &self.0 {
            Content::Text(text) => Box::new(text.sentences()),
            Content::File(file) => Box::new(file.sentences()),
        }
    }

    fn put_together(
        &self,
        answers: &[Option<Answer>],
        translations: Vec<Translation>,
    ) -> Result<TranslatedDocument, Error> {
        let (bytes, inserted, targets, notes_of_file) = match &self.0 {
            Content::Text(text) => {
                let finished = text.finish(answers);
                (finished.text.into_bytes(), finished.inserted, Some(finished.sentences), text.notes())
            }
            Content::File(file) => {
                let finished = file.finish(answers)?;
                (finished.bytes, finished.inserted, None, finished.notes)
            }
        };
        let mut document = TranslatedDocument { bytes, notes: notes_of_file, ..TranslatedDocument::default() };
        for (number, (translation, source)) in translations.into_iter().zip(self.sources()).enumerate() {
            document.notes.extend(notes(number, &translation, source.kept.len(), inserted[number]));
            let places = targets.as_ref().map(|targets| (source.range, targets[number].clone()));
            let (source, target) = places.unwrap_or_default();
            document.sentences.push(DocumentSentence { source, target, translation });
        }
        Ok(document)
    }
}

impl Translator {
    /// Translates a text of any form: [`Document::text`], the requests with alignments, [`Document::finish`].
    ///
    /// # Errors
    /// As [`Document::text`] and [`stream`](Self::stream).
    pub fn translate_text(
        &self,
        options: &TranslateOptions,
        text: &TextOptions,
        input: impl Into<String>,
    ) -> Result<TranslatedDocument, Error> {
        let text = self.naming_target(&options.for_sentences(text));
        self.translate_document(options, &Document::text(input, &text)?)
    }

    /// Translates a file: [`Document::file`], the requests with alignments, [`Document::finish`].
    ///
    /// # Errors
    /// As [`Document::file`], [`Document::finish`] and [`stream`](Self::stream).
    pub fn translate_file(
        &self,
        options: &TranslateOptions,
        text: &TextOptions,
        bytes: Vec<u8>,
        format: FileFormat,
    ) -> Result<TranslatedDocument, Error> {
        let text = self.naming_target(&options.for_sentences(text));
        self.translate_document(options, &Document::file(bytes, format, &text)?)
    }

    /// Translates the sentences of a document, equal ones once. Translations keep their attention only if the options
    /// ask for it.
    ///
    /// # Errors
    /// As [`Document::finish`] and [`stream`](Self::stream).
    pub fn translate_document(
        &self,
        options: &TranslateOptions,
        document: &Document,
    ) -> Result<TranslatedDocument, Error> {
        let aligned = if document.needs_alignment() { self.with_alignment(options) } else { options.clone() };
        // Draws of equal lines differ.
        let Distinct { requests, places } = match options.search.sampling {
            Some(_) => Distinct::all(document.requests()),
            None => Distinct::new(document.requests()),
        };
        let repeated = places.len() - requests.len();
        let sources: Vec<Source<'_>> = document.sources().collect();
        let mut sentences: Vec<Vec<usize>> = vec![Vec::new(); requests.len()];
        places.iter().enumerate().for_each(|(sentence, &place)| sentences[place].push(sentence));
        let mut answers: Vec<Option<Answer>> = vec![None; places.len()];
        let mut translations = vec![Translation::default(); places.len()];
        let mut next = sentences.iter();
        self.stream(&aligned, [requests], |mut translation| {
            let equal = next.next().map_or(&[][..], Vec::as_slice);
            equal.iter().for_each(|&sentence| answers[sentence] = answer(&sources[sentence], &translation, 0));
            if !options.search.attention {
                translation.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.attention = None);
            }
            equal.iter().for_each(|&sentence| translations[sentence] = translation.clone());
            ControlFlow::Continue(())
        })?;
        let translated = document.put_together(&answers, translations)?;
        Ok(TranslatedDocument { repeated, ..translated })
    }

    /// The options for reading a document that this translator translates: with the language of the translation, if the
    /// model names it.
    fn naming_target(&self, text: &TextOptions) -> TextOptions {
        let mut text = text.clone();
        if let Some([_, target]) = self.languages().filter(|_| text.target.is_empty()) {
            text.target.clone_from(target);
        }
        text
    }

    /// The options, with alignments if the model has them.
    #[must_use]
    pub fn with_alignment(&self, options: &TranslateOptions) -> TranslateOptions {
        let mut options = options.clone();
        // A phrase-based model aligns in any case.
        options.search.attention |= self.aligns_pieces();
        options
    }
}

impl TranslateOptions {
    /// The options for reading a document that is translated with these options: no sentence is longer than the model
    /// translates well.
    #[must_use]
    pub fn for_sentences(&self, text: &TextOptions) -> TextOptions {
        let longest = self.longest_sentence.filter(|&longest| longest > 0).unwrap_or(usize::MAX);
        TextOptions { longest: text.longest.min(longest), ..text.clone() }
    }
}

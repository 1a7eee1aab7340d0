//! Texts of any form: sentences are found, translated, and put together again.

use crate::spans::spans;
use crate::{Error, Hypothesis, Request, TextOptions, TranslateOptions, Translation, Translator};
use metaphrase_document::{Answer, Link, SegmentedText, Source};
use std::ops::{ControlFlow, Range};

/// Links with less weight are left out.
const LEAST: f32 = 0.02;

/// A text whose sentences are found: translate its [`requests`](Self::requests), and [`finish`](Self::finish) puts the translated text
/// together. Nothing here translates, so that a server can translate the sentences of many texts in one batch.
///
/// ```
/// use metaphrase::{PreparedText, TextOptions, Translator};
/// # fn main() -> Result<(), metaphrase::Error> {
/// let translator = Translator::bundled()?;
/// let prepared = PreparedText::new("Good morning, {name}! How are you?", &TextOptions::default())?;
/// let options = translator.with_alignment(&translator.options());
/// let translated = prepared.finish(translator.run(&options, prepared.requests())?)?;
/// assert!(translated.text.contains("{name}"));
/// assert_eq!(translated.sentences.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PreparedText {
    prepared: SegmentedText,
}

/// A translated text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTranslation {
    /// The text, with the white space, the markup and the things to copy of the input.
    pub text: String,
    /// The sentences that were translated, in order.
    pub sentences: Vec<TextSentence>,
    /// Messages about sentences, each one sentence that begins with the sentence's number, from 1.
    pub notes: Vec<String>,
}

/// A sentence of a translated text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextSentence {
    /// Its bytes in the input.
    pub source: Range<usize>,
    /// Its bytes in the translated text.
    pub target: Range<usize>,
    /// The engine's answer. A sentence with an error stays in the text as it is in the input.
    pub translation: Translation,
}

impl PreparedText {
    /// Finds the sentences of a text, its markup, and the things that have to stay.
    ///
    /// # Errors
    /// [`Error::Document`] for XML whose tags do not belong together.
    pub fn new(input: impl Into<String>, options: &TextOptions) -> Result<Self, Error> {
        Ok(Self { prepared: SegmentedText::new(input, options)? })
    }

    /// Number of sentences to translate.
    #[must_use]
    pub fn len(&self) -> usize {
        self.prepared.len()
    }

    /// Whether there is nothing to translate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prepared.is_empty()
    }

    /// Whether markup and things to copy find their places by alignments: then the requests are best run with
    /// [`Translator::with_alignment`]. Without alignments the order of the words is all that tells places.
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        self.prepared.sentences().any(|source| source.aligned)
    }

    /// A request for each sentence, in order. Things to copy are its first required terms; a caller may add terms behind these.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.prepared.sentences().map(request).collect()
    }

    /// Puts the translated text together from the answers to all requests, in their order.
    ///
    /// # Errors
    /// [`Error::Answers`] if there are more or fewer answers than requests.
    pub fn finish(&self, translations: Vec<Translation>) -> Result<TextTranslation, Error> {
        let answers = answers(self.prepared.sentences(), self.len(), &translations, 0)?;
        Ok(self.put_together(&answers, translations))
    }

    fn put_together(&self, answers: &[Option<Answer>], translations: Vec<Translation>) -> TextTranslation {
        let finished = self.prepared.finish(answers);
        let mut notes = Vec::new();
        let places = self.prepared.sentences().zip(finished.sentences.iter().zip(&finished.inserted));
        let mut sentences = Vec::with_capacity(translations.len());
        for (number, (translation, (source, (target, inserted)))) in translations.into_iter().zip(places).enumerate() {
            notes.extend(notes_of(number, &translation, source.kept.len(), *inserted));
            sentences.push(TextSentence { source: source.range, target: target.clone(), translation });
        }
        TextTranslation { text: finished.text, sentences, notes }
    }

    /// The text put together from the hypotheses of this rank, from 0; a sentence with fewer hypotheses gives its last one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn alternative(&self, translations: &[Translation], rank: usize) -> Result<String, Error> {
        Ok(self.prepared.finish(&answers(self.prepared.sentences(), self.len(), translations, rank)?).text)
    }

    /// The translation of one sentence, without markup and with its things to copy; `None` if it was not translated. `number`: of
    /// the request, from 0.
    #[must_use]
    pub fn sentence(&self, number: usize, translation: &Translation) -> Option<String> {
        let source = self.prepared.source(number)?;
        Some(self.prepared.sentence(number, &answer(&source, translation, 0)?))
    }
}

impl Translator {
    /// Translates a text of any form: [`PreparedText::new`], the requests with alignments, [`PreparedText::finish`].
    ///
    /// # Errors
    /// As [`PreparedText::new`] and [`stream`](Self::stream).
    pub fn translate_text(
        &self,
        options: &TranslateOptions,
        text: &TextOptions,
        input: impl Into<String>,
    ) -> Result<TextTranslation, Error> {
        let prepared = PreparedText::new(input, &with_sentences_for(options, text))?;
        let (answers, translations) = self.stream_answers(
            options,
            prepared.prepared.sentences(),
            prepared.requests(),
            prepared.needs_alignment(),
        )?;
        Ok(prepared.put_together(&answers, translations))
    }

    /// The options, with alignments if the model has them.
    #[must_use]
    pub fn with_alignment(&self, options: &TranslateOptions) -> TranslateOptions {
        let mut options = options.clone();
        // A phrase-based model aligns in any case.
        options.search.attention |= self.aligns_pieces();
        options
    }

    /// Translates the sentences of a text as they arrive: its answers in bytes, and the translations, which keep their attention only
    /// if the options ask for it.
    pub(crate) fn stream_answers<'a>(
        &self,
        options: &TranslateOptions,
        mut sources: impl Iterator<Item = Source<'a>>,
        requests: Vec<Request>,
        needs_alignment: bool,
    ) -> Result<(Vec<Option<Answer>>, Vec<Translation>), Error> {
        let aligned = if needs_alignment { self.with_alignment(options) } else { options.clone() };
        let (mut answers, mut translations) = (Vec::new(), Vec::new());
        self.stream(&aligned, [requests], |mut translation| {
            answers.push(sources.next().and_then(|source| answer(&source, &translation, 0)));
            if !options.search.attention {
                translation.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.attention = None);
            }
            translations.push(translation);
            ControlFlow::Continue(())
        })?;
        Ok((answers, translations))
    }
}

/// The options of a text with sentences that the model translates well.
pub(crate) fn with_sentences_for(options: &TranslateOptions, text: &TextOptions) -> TextOptions {
    let longest = options.longest_sentence.filter(|&longest| longest > 0).unwrap_or(usize::MAX);
    TextOptions { longest: text.longest.min(longest), ..text.clone() }
}

pub(crate) fn request(source: Source<'_>) -> Request {
    let mut request = Request::translate(source.text.as_ref());
    for kept in source.kept {
        request = request.require([&source.text[kept.range.clone()]]);
    }
    request
}

/// Messages about a sentence, whose translation lacked `inserted` of `kept` things to copy.
pub(crate) fn notes_of(number: usize, translation: &Translation, kept: usize, inserted: usize) -> Vec<String> {
    let said = |note: &String| format!("sentence {}: {note}", number + 1);
    let mut notes: Vec<String> =
        translation.notes.iter().chain(&translation.missing_numbers_note()).map(said).collect();
    if inserted > 0 {
        notes.push(said(&format!(
            "{inserted} of its {kept} things to copy were put in beside the words that stand beside them in the source"
        )));
    }
    notes
}

/// The answers of this rank, from 0, to all sentences, of which `expected` are there.
///
/// # Errors
/// [`Error::Answers`] if there are more or fewer translations than sentences.
pub(crate) fn answers<'a>(
    sources: impl Iterator<Item = Source<'a>>,
    expected: usize,
    translations: &[Translation],
    rank: usize,
) -> Result<Vec<Option<Answer>>, Error> {
    let found = translations.len();
    if expected != found {
        return Err(Error::Answers { expected, found });
    }
    Ok(sources.zip(translations).map(|(source, translation)| answer(&source, translation, rank)).collect())
}

/// The hypothesis of a rank, with its alignment to the sentence in bytes.
fn answer(source: &Source<'_>, translation: &Translation, rank: usize) -> Option<Answer> {
    if translation.error.is_some() {
        return None;
    }
    let hypothesis = translation.hypotheses.get(rank).or(translation.hypotheses.last())?;
    let target = spans(&hypothesis.pieces, &hypothesis.text);
    let links = if !source.aligned {
        Vec::new()
    } else {
        links(&spans(&translation.source_pieces, &source.text), &target, hypothesis)
    };
    Some(Answer { kept: kept(source, hypothesis, &target), text: hypothesis.text.clone(), links })
}

fn links(source: &[Range<usize>], target: &[Range<usize>], hypothesis: &Hypothesis) -> Vec<Link> {
    let link = |from: usize, to: usize, weight: f32| {
        let (source, target) = (source.get(from)?.clone(), target.get(to)?.clone());
        Some(Link { source, target, weight })
    };
    match &hypothesis.attention {
        None => hypothesis.links.iter().filter_map(|&(from, to)| link(from, to, 1.0)).collect(),
        Some(attention) => {
            let rows = attention.weights.chunks_exact(attention.source_len.max(1)).enumerate();
            let weights =
                rows.flat_map(|(to, row)| row.iter().enumerate().map(move |(from, &weight)| (from, to, weight)));
            weights.filter(|link| link.2 >= LEAST).filter_map(|(from, to, weight)| link(from, to, weight)).collect()
        }
    }
}

/// By thing to copy: where it stands in the text. What is written there exactly counts before what the vocabulary made of it.
fn kept(source: &Source<'_>, hypothesis: &Hypothesis, target: &[Range<usize>]) -> Vec<Option<Range<usize>>> {
    let mut found: Vec<Option<Range<usize>>> = Vec::with_capacity(source.kept.len());
    for (number, kept) in source.kept.iter().enumerate() {
        let shown = &source.text[kept.range.clone()];
        let met = hypothesis.met.iter().find(|met| met.term == number).and_then(|met| {
            let spans = target.get(met.first..met.first + met.pieces)?;
            Some(spans.first()?.start..spans.last()?.end)
        });
        let near =
            met.as_ref().map_or(hypothesis.text.len() * kept.range.start / source.text.len().max(1), |met| met.start);
        let free = |place: &Range<usize>| {
            found.iter().flatten().all(|other| other.end <= place.start || place.end <= other.start)
        };
        let exact = hypothesis.text.match_indices(shown).map(|(at, _)| at..at + shown.len()).filter(free);
        let exact = exact.min_by_key(|place| place.start.abs_diff(near));
        found.push(exact.or_else(|| met.filter(|place| !place.is_empty() && free(place))));
    }
    found
}

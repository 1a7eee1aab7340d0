//! A text whose sentences are being translated.

use crate::detect::DetectedLanguage;
use crate::error::Failure;
use crate::text::not_finished;
use crate::translation_request::TranslationRequest;
use metaphrase::{Document, Met, RequiredTerm, TranslatedDocument, Translation};

/// A text whose sentences are in flight.
pub struct PendingText {
    /// The code of its language.
    pub source: String,
    /// The detected language, unless the client named it.
    pub detected: Option<DetectedLanguage>,
    /// Whether the text is in none of the source languages, and stays as it is.
    pub is_foreign: bool,
    /// How many of its sentences are not translated again, as they came before.
    pub repeated: usize,
    /// The code of the language by way of which it is translated, if no model does so directly.
    pub through: Option<String>,
    /// The text as it came; empty for a file.
    pub(crate) input: String,
    /// `None`: the text stays as it is.
    pub(crate) document: Option<Document>,
    /// A request for each sentence, until they are [taken](Self::requests).
    pub(crate) requests: Vec<metaphrase::Request>,
    /// By sentence: its source, as the model reads it.
    pub(crate) sources: Vec<String>,
    /// By sentence: the number of things to copy, which are its first terms.
    pub(crate) kept: Vec<usize>,
    pub(crate) prefix: String,
    pub(crate) answers: Vec<Option<Translation>>,
}

/// A translated sentence.
pub struct SentenceDone<'a> {
    /// Its source, as the model read it.
    pub source: &'a str,
    /// Its translation.
    pub translation: &'a Translation,
    /// How many of its first terms are things to copy.
    kept: usize,
}

impl SentenceDone<'_> {
    /// The terms of the client, in the order of the sentence, each with its place in the best translation if it is
    /// there.
    #[must_use]
    pub fn terms(&self) -> Vec<(&RequiredTerm, Option<Met>)> {
        let best = self.translation.hypotheses.first();
        let met = |number: usize| best.and_then(|best| best.met.iter().find(|met| met.term == number).copied());
        let numbered = self.translation.terms.iter().enumerate().skip(self.kept);
        let mut terms: Vec<_> = numbered.map(|(number, term)| (term, met(number))).collect();
        terms.sort_by_key(|(term, _)| term.source.as_ref().map(|place| place.start));
        terms
    }
}

impl PendingText {
    /// A document in this language; without one the text stays as it is.
    pub(crate) fn new(source: String, document: Option<Document>) -> Self {
        let requests = document.as_ref().map(Document::requests).unwrap_or_default();
        Self {
            source,
            detected: None,
            is_foreign: false,
            repeated: 0,
            through: None,
            input: String::new(),
            document,
            sources: requests.iter().map(|request| request.source.clone()).collect(),
            requests,
            kept: Vec::new(),
            prefix: String::new(),
            answers: Vec::new(),
        }
    }

    /// Takes the request for each sentence, with its terms.
    pub(crate) fn requests(&mut self, ask: &TranslationRequest) -> Vec<metaphrase::Request> {
        let mut requests = std::mem::take(&mut self.requests);
        for request in &mut requests {
            self.kept.push(request.terms.required.len());
            request.terms.required.extend(ask.require.iter().map(RequiredTerm::new));
            request.terms.avoided.extend(ask.avoid.iter().cloned());
            request.prefix.clone_from(&ask.prefix);
        }
        requests
    }

    /// The text, as it came.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// Whether anything in the text is of some language: its language was named, or found to be one or none of the
    /// known ones.
    pub(crate) fn has_words(&self) -> bool {
        self.is_foreign || self.detected.as_ref().is_none_or(|detected| detected.confidence > 0.0)
    }

    /// The number of sentences.
    #[must_use]
    pub fn sentences(&self) -> usize {
        self.answers.len()
    }

    /// A sentence whose translation is there.
    #[must_use]
    pub fn sentence(&self, number: usize) -> Option<SentenceDone<'_>> {
        let (translation, kept) = (self.answers.get(number)?.as_ref()?, *self.kept.get(number)?);
        Some(SentenceDone { source: self.sources.get(number)?, translation, kept })
    }

    /// The whole text.
    ///
    /// # Errors
    /// [`Failure::Worker`] if a sentence is not there.
    pub fn finish(&self) -> Result<TranslatedDocument, Failure> {
        match &self.document {
            Some(document) => document.finish(self.translations()).map_err(not_finished),
            None => Ok(TranslatedDocument { bytes: self.input.clone().into_bytes(), ..TranslatedDocument::default() }),
        }
    }

    /// The translations that are there.
    fn translations(&self) -> Vec<Translation> {
        self.answers.iter().flatten().cloned().collect()
    }

    /// Further translations of the whole text, each different from all before it.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn alternatives(&self) -> Result<Vec<String>, Failure> {
        let Some(document) = &self.document else { return Ok(Vec::new()) };
        let answers = self.translations();
        let ranks = answers.iter().map(|answer| answer.hypotheses.len()).max().unwrap_or(1);
        let mut texts: Vec<String> = Vec::with_capacity(ranks);
        for rank in 0..ranks {
            let text = document.alternative(&answers, rank).map_err(not_finished)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Ok(texts.split_off(1))
    }
}

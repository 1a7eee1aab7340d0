//! What a translation got wrong, found by comparing it with its source.

use crate::{Error, Request, TranslateOptions, Translation};
use metaphrase_text::numbers::missing_numbers;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender};

/// Compares the answers of one caller with their sources.
#[derive(Clone)]
pub(crate) struct NumberCheck {
    languages: Option<[String; 2]>,
    /// The options without the check.
    pub(crate) options: TranslateOptions,
}

impl NumberCheck {
    /// `None` if the options do not ask for it. Pieces are no text to compare.
    pub(crate) fn new(options: &TranslateOptions, languages: Option<&[String; 2]>) -> Option<Self> {
        let options = (options.check_numbers && !options.pieces)
            .then(|| TranslateOptions { check_numbers: false, ..options.clone() })?;
        Some(Self { languages: languages.cloned(), options })
    }

    /// The translation, with the numbers of its source that it lacks.
    pub(crate) fn checked(&self, source: &str, mut translation: Translation) -> Translation {
        if let Some(best) = translation.hypotheses.first() {
            let languages = self.languages.as_ref().map(|[from, to]| (&**from, &**to));
            translation.missing_numbers = missing_numbers(source, &best.text, languages);
        }
        translation
    }

    /// The answer to one request.
    pub(crate) fn answered(&self, source: &str, answer: Result<Translation, Error>) -> Result<Translation, Error> {
        answer.map(|translation| self.checked(source, translation))
    }

    /// Sends the sources of a chunk to [`sink`](Self::sink).
    pub(crate) fn send(chunk: Vec<Request>, sources: &Sender<String>) -> Vec<Request> {
        for request in &chunk {
            // Nobody listens when the caller left.
            let _ = sources.send(request.source.clone());
        }
        chunk
    }

    /// Hands on the translations of `sources`, which come in their order.
    pub(crate) fn sink(
        self,
        sources: Receiver<String>,
        mut sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> impl FnMut(Translation) -> ControlFlow<()> {
        move |translation| match sources.try_recv() {
            Ok(source) => sink(self.checked(&source, translation)),
            Err(_) => sink(translation),
        }
    }
}

impl Translation {
    /// A sentence about the [`missing_numbers`](Self::missing_numbers), if there are any.
    #[must_use]
    pub fn missing_numbers_note(&self) -> Option<String> {
        let texts: Vec<String> = self.missing_numbers.iter().map(|missing| format!("\"{}\"", missing.text)).collect();
        (!texts.is_empty()).then(|| format!("the translation lacks {}", texts.join(", ")))
    }
}

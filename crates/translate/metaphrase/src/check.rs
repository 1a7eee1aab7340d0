//! Errors of a translation that a comparison with its source shows.

use crate::{TranslateOptions, Translation};
use metaphrase_text::numbers::missing_numbers;

/// Compares translations with their sources.
#[derive(Clone)]
pub(crate) struct NumberCheck {
    languages: Option<[String; 2]>,
}

impl NumberCheck {
    /// `None` if the options do not request it, or if lines are pieces, which are no text to compare.
    pub(crate) fn new(options: &TranslateOptions, languages: Option<&[String; 2]>) -> Option<Self> {
        (options.check_numbers && !options.pieces).then(|| Self { languages: languages.cloned() })
    }

    /// The translation, with the numbers of its source that it lacks.
    pub(crate) fn checked(&self, source: &str, mut translation: Translation) -> Translation {
        if let Some(best) = translation.hypotheses.first() {
            let languages = self.languages.as_ref().map(|[from, to]| (&**from, &**to));
            translation.missing_numbers = missing_numbers(source, &best.text, languages);
        }
        translation
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

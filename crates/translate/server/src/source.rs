//! The language that a text is translated from: named by the client, or detected.

use crate::app::App;
use crate::detect::{DetectedLanguage, Verdict, detect};
use crate::error::Failure;
use crate::language;

/// The language that a text is translated from.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceLanguage {
    /// Its code.
    pub code: String,
    /// What was found, if the language was detected; of a text in no known language, confidence 0.
    pub detected: Option<DetectedLanguage>,
    /// Whether the text is in another language than the models read.
    pub is_foreign: bool,
}

/// A text is taken for one in the target language from this confidence on. Below it, a client that wants a translation
/// knows better, if another language is possible.
const SURE: f64 = 0.9;
/// The least confidence of such a language.
const POSSIBLE: f64 = 0.02;

impl App {
    /// The language that a client names, or that a text is in.
    ///
    /// # Errors
    /// [`Failure::Language`] for a language that no model reads, unless it is the target.
    pub fn source_language(&self, code: Option<&str>, text: &str, target: &str) -> Result<SourceLanguage, Failure> {
        let Some(code) = code else { return Ok(self.detected_language(text, target)) };
        let known = self.models.pairs().sources();
        let found = language::find(code, known).or_else(|| same_language(code, target).then_some(target));
        let code = found.ok_or_else(|| Failure::Language(code.to_owned()))?.to_owned();
        Ok(SourceLanguage { code, detected: None, is_foreign: false })
    }

    fn detected_language(&self, text: &str, target: &str) -> SourceLanguage {
        let known = self.models.pairs().sources();
        // A text in the target language needs no model that reads it.
        let mut possible = known.to_vec();
        if !possible.iter().any(|code| code == target) {
            possible.push(target.to_owned());
        }
        let found = detect(text, &possible);
        let translates = |code: &str| code != target && self.models.pairs().has(code, target);
        let best = found.languages.first().filter(|_| found.verdict == Verdict::Known);
        let other = found.languages.iter().find(|one| translates(&one.language) && one.confidence >= POSSIBLE);
        let chosen = match best {
            Some(best) if best.language == target && best.confidence < SURE => Some(other.unwrap_or(best)),
            best => best,
        };
        let detected = chosen.cloned().unwrap_or_else(|| {
            let first = known.iter().find(|code| translates(code)).or(known.first());
            DetectedLanguage { language: first.cloned().unwrap_or_default(), confidence: 0.0 }
        });
        let is_foreign = found.verdict == Verdict::Foreign;
        SourceLanguage { code: detected.language.clone(), detected: Some(detected), is_foreign }
    }

    /// Why a text in an unknown language is not translated.
    pub fn no_known_language(&self) -> Failure {
        Failure::NoKnownLanguage(self.models.pairs().sources().iter().map(|code| language::names(code).0).collect())
    }
}

/// Whether two codes name one language.
pub fn same_language(code: &str, other: &str) -> bool {
    language::find(code, &[other.to_owned()]).is_some()
}

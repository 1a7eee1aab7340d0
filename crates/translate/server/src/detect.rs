//! The language of a text, among the languages at hand, or none of them.
//!
//! Letters show the script; within the Latin script, words and characters of some forty languages are compared
//! ([`latin`]), within the others trigrams. All these languages compete, not the known ones alone: so a text can be in
//! none of the known ones.

mod characters;
mod latin;
mod scripts;
mod tags;

use latin::LatinModel;
use scripts::{Letters, Script};
use tags::without_tags;

/// A language that a text may be in.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct DetectedLanguage {
    /// Its code.
    pub language: String,
    /// The probability that the text is in this language, from 0 to 1.
    pub confidence: f64,
}

/// What is known about the language of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// All known languages, the most probable one first.
    pub languages: Vec<DetectedLanguage>,
    /// How the text relates to them.
    pub verdict: Verdict,
}

/// How a text relates to the known languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is in one of them.
    Known,
    /// It is in another language. All confidences are 0.
    Foreign,
    /// It has no words: numbers, signs, nothing. All confidences are 0.
    NoWords,
}

/// The bytes of a text that are looked at.
const LOOKED_AT: usize = 1200;
/// The bytes of a text with tags in which these are looked for.
const READ: usize = 50_000;

/// A text is in another language where that is more probable than this.
const FOREIGN: f64 = 0.6;
/// The same for a text of one or two words, which may be names.
const FOREIGN_SHORT: f64 = 0.7;

/// The probability of each of the `known` languages for a text.
#[must_use]
pub fn detect(text: &str, known: &[String]) -> Detection {
    let text = &without_tags(&text[..text.floor_char_boundary(READ)]);
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let letters = Letters::count(text);
    let shares = match letters.script() {
        None => None,
        Some(Script::Latin) => LatinModel::get().probabilities(text, known),
        Some(script) => Some(scripts::probabilities(text, script, &letters, known)),
    };
    let foreign = if text.split_whitespace().nth(2).is_some() { FOREIGN } else { FOREIGN_SHORT };
    let verdict = match &shares {
        None => Verdict::NoWords,
        Some(shares) if 1.0 - shares.iter().sum::<f64>() > foreign => Verdict::Foreign,
        Some(_) => Verdict::Known,
    };
    let shares = shares.filter(|_| verdict == Verdict::Known).unwrap_or_else(|| vec![0.0; known.len()]);
    let language = |(code, share): (&String, f64)| DetectedLanguage { language: code.clone(), confidence: share };
    let mut languages: Vec<DetectedLanguage> = known.iter().zip(shares).map(language).collect();
    languages.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    Detection { languages, verdict }
}

/// A text in another script than the Latin one is certain to be in a language with this probability.
const CERTAIN: f64 = 0.95;
/// The same for the Latin script, in which words and spelling are compared.
const CERTAIN_LATIN: f64 = 0.9999;
/// The fewest words, or characters of scripts without spaces, by which a language is certain.
const FEWEST_WORDS: usize = 10;
const FEWEST_CHARACTERS: usize = 20;

/// The code of the language of a text that is certain to be in another language than `expected`. `None` for a short
/// text, for one that may be in several languages, and where nothing is known about the words of `expected`.
#[must_use]
pub fn another_language(text: &str, expected: &str) -> Option<&'static str> {
    let latin = || LatinModel::get().languages();
    let is_expected = |code: &str| code == base(expected) || code == latin::same(base(expected));
    if !latin().chain(scripts::languages()).any(is_expected) {
        return None;
    }
    let letters = Letters::count(text);
    let script = letters.script()?;
    let (known, is_long, certain): (Vec<&'static str>, bool, f64) = match script {
        Script::Latin => (latin().collect(), text.split_whitespace().count() >= FEWEST_WORDS, CERTAIN_LATIN),
        _ => (scripts::languages().collect(), letters.outside_latin() >= FEWEST_CHARACTERS, CERTAIN),
    };
    let names: Vec<String> = known.iter().map(|&code| code.to_owned()).collect();
    let best = detect(text, &names).languages.into_iter().next()?;
    let code = known.into_iter().find(|code| *code == best.language)?;
    (is_long && best.confidence >= certain && !is_expected(code)).then_some(code)
}

/// The code without a country or a script.
fn base(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}

#[cfg(test)]
mod tests;

//! Phrases as words of a vocabulary.

use metaphrase_base::WordId;
use metaphrase_text::comparable;
use metaphrase_text::vocab::Vocabulary;
use unicode_normalization::UnicodeNormalization;

/// Why a phrase can not be required.
pub(super) enum PhraseProblem {
    Empty,
    Unknown,
    /// The vocabulary writes another phrase.
    Differs(String),
}

/// The words of a phrase, as they would be inside a sentence, and the form in which the vocabulary writes the phrase,
/// where that is another one. The two differ in Unicode's compatibility forms alone, as `m²` and `m2`.
pub(super) fn segment(phrase: &str, target: &Vocabulary) -> Result<(Vec<WordId>, Option<String>), PhraseProblem> {
    let mut words = Vec::new();
    let composed: String = phrase.nfc().collect();
    // The vocabulary may have the phrase only as it was given.
    for form in [composed.as_str(), phrase] {
        target.encode(form, &mut words);
        words.pop();
        if words.is_empty() {
            return Err(PhraseProblem::Empty);
        }
        if !words.iter().any(|&word| target.is_unknown(word)) {
            break;
        }
    }
    if words.iter().any(|&word| target.is_unknown(word)) {
        return Err(PhraseProblem::Unknown);
    }
    let written = target.decode(&words);
    if comparable(&written) != comparable(phrase) {
        return Err(PhraseProblem::Differs(written));
    }
    let differs = canonical(&written) != canonical(phrase);
    Ok((words, differs.then_some(written)))
}

/// A text in normal form D, without blanks.
fn canonical(text: &str) -> String {
    text.nfd().filter(|c| !c.is_whitespace()).collect()
}

/// The note on a prefix, given as text, that the `words` of the vocabulary write in another way; `None` if they are
/// equal.
pub(crate) fn changed_prefix(prefix: &str, words: &[WordId], target: &Vocabulary) -> Option<String> {
    if words.iter().any(|&word| target.is_unknown(word)) {
        return Some(
            "the prefix has characters that the model's vocabulary cannot express: each becomes its unknown word"
                .into(),
        );
    }
    let written = target.decode(words);
    // A prefix that is cut off has a note of its own.
    let same = canonical(prefix).starts_with(&canonical(&written));
    (!same).then(|| format!("the model's vocabulary writes the prefix as '{written}'"))
}

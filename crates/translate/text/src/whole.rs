//! Phrases as whole words of a text, in any Unicode form.

use crate::without_spaces;
use metaphrase_base::{PhraseStatus, ReadText};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Phrases that are looked for as whole words: no letter, digit or combining mark joins the phrase before its first or
/// after its last character. In scripts without spaces a word may begin and end at any character.
///
/// Case counts. Unicode forms do not: texts and phrases are compared in compatibility decomposition (NFKD), with one
/// blank for each run of white space. A text can be read in pieces, whose bytes may divide its characters.
///
/// ```
/// use metaphrase_text::WholeWords;
///
/// let phrases = WholeWords::new(["Haus", "cafe\u{301}"]);
/// assert_eq!(phrases.numbers_in("(Haus) und Haustür"), [0]);
/// assert_eq!(phrases.numbers_in("Hausbau, ein café"), [1]);
/// assert!(WholeWords::new(["cafe"]).numbers_in("ein cafe\u{301}").is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct WholeWords {
    phrases: Vec<String>,
}

/// The form in which texts are compared: NFKD, single blanks between words and none around them.
#[must_use]
pub fn comparable(text: &str) -> String {
    let decomposed: String = text.nfkd().collect();
    decomposed.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl WholeWords {
    /// Looks for these phrases. A phrase without words is never found.
    pub fn new<S: AsRef<str>>(phrases: impl IntoIterator<Item = S>) -> Self {
        Self { phrases: phrases.into_iter().map(|phrase| comparable(phrase.as_ref())).collect() }
    }

    /// The numbers of the phrases that stand in `text`, from 0.
    #[must_use]
    pub fn numbers_in(&self, text: &str) -> Vec<usize> {
        if self.phrases.is_empty() {
            return Vec::new(); // to decompose the text is a third of all work on texts
        }
        let text = format!(" {}", comparable(text));
        let stands = |phrase: &&String| {
            starts_of_words(&text)
                .map(|start| match_at(&text[start..], phrase))
                .any(|found| matches!(found, Match::Whole | Match::Open))
        };
        self.phrases.iter().enumerate().filter(|(_, phrase)| stands(phrase)).map(|(number, _)| number).collect()
    }

    /// Reads `more` after a text that ends with `tail`: the tail that an earlier call returned, empty at the start.
    #[must_use]
    pub fn read(&self, tail: &[u8], more: &[u8]) -> ReadText {
        let bytes = [if tail.is_empty() { b" " } else { tail }, more].concat();
        let (characters, rest) = decode(&bytes);
        let mut text: String = characters.nfkd().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        while text.contains("  ") {
            text = text.replace("  ", " ");
        }
        let mut read = ReadText::default();
        let mut kept = None;
        for start in starts_of_words(&text) {
            for found in self.phrases.iter().map(|phrase| match_at(&text[start..], phrase)) {
                match found {
                    Match::None => continue,
                    Match::Whole => read.status = PhraseStatus::Phrase,
                    Match::Open if read.status == PhraseStatus::Nothing => read.status = PhraseStatus::Open,
                    Match::Open | Match::Begun => {}
                }
                if found != Match::Whole && kept.is_none() {
                    kept = Some(start);
                }
            }
        }
        read.tail = match (kept, text.chars().next_back()) {
            (Some(start), _) => format!(" {}", &text[start..]).into(),
            // Whether a word goes on is all that counts.
            (None, Some(last)) if !parts(last, 'x') => b"x".into(),
            (None, _) => b" ".into(),
        };
        read.tail.extend_from_slice(rest);
        read
    }
}

/// How a phrase stands at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    None,
    /// The text ends before the phrase does.
    Begun,
    /// The text ends with the phrase, whose last character a further one may join.
    Open,
    Whole,
}

fn match_at(text: &str, phrase: &str) -> Match {
    let Some(last) = phrase.chars().next_back() else { return Match::None };
    match text.strip_prefix(phrase).map(|after| after.chars().next()) {
        Some(None) if parts(last, 'x') => Match::Whole,
        Some(None) => Match::Open,
        Some(Some(next)) if parts(last, next) => Match::Whole,
        None if phrase.starts_with(text) => Match::Begun,
        Some(Some(_)) | None => Match::None,
    }
}

/// The places of a text, but its first, at which a word may begin.
fn starts_of_words(text: &str) -> impl Iterator<Item = usize> {
    let pairs = text.chars().zip(text.char_indices().skip(1));
    pairs.filter(|&(before, (_, c))| parts(before, c) && !c.is_whitespace()).map(|(_, (place, _))| place)
}

/// Whether a word may end with `before` and another begin with the next character `c`.
fn parts(before: char, c: char) -> bool {
    let joins = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && !without_spaces(c);
    // The vowels and final consonants of a Korean syllable.
    let attached = is_combining_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}');
    !(attached || (joins(before) && joins(c)))
}

/// The characters of `bytes`, U+FFFD for bytes that are no part of one, and the bytes of a character that is not
/// complete.
fn decode(bytes: &[u8]) -> (String, &[u8]) {
    let mut text = String::new();
    let mut rest = bytes;
    loop {
        match str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return (text, &[]);
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                text.push_str(str::from_utf8(valid).unwrap_or_default());
                let Some(invalid) = error.error_len() else { return (text, after) };
                text.push('\u{fffd}');
                rest = &after[invalid..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text contains a phrase if it is read in these pieces.
    fn has_phrase(phrases: &WholeWords, pieces: &[&[u8]]) -> bool {
        let mut text = ReadText::default();
        let mut found = false;
        for piece in pieces {
            text = phrases.read(&text.tail, piece);
            found |= text.status == PhraseStatus::Phrase;
        }
        found || text.status == PhraseStatus::Open
    }

    #[test]
    fn words_are_whole() {
        let has = |phrase: &str, text: &str| !WholeWords::new([phrase]).numbers_in(text).is_empty();
        for text in ["Haus", "das Haus.", "„Haus“", "Haus-Tür", "(Haus)", "ein  Haus\u{a0}steht"] {
            assert!(has("Haus", text), "{text}");
        }
        for text in ["Haustür", "Hochhaus", "haus", "Haus2", "Haus\u{308}", ""] {
            assert!(!has("Haus", text), "{text}");
        }
        assert!(has("in  der", "mitten in\u{a0}der Stadt") && !has("in der", "in derselben Stadt"));
        assert!(has("C++", "C++17") && has("銀行", "日本銀行の") && has("café", "ein cafe\u{301}"));
        assert!(!has("cafe", "ein café") && !has("가", "각") && has("가", "가"));
        assert!(has("ﬁx", "ein fix") && !has("", "a") && !has(" ", "a b"));
    }

    /// The results do not depend on the division of a text into pieces.
    #[test]
    fn pieces_of_a_text_say_what_the_text_says() {
        let phrases = ["Haus", "in der", "cafe", "café", "日本", "C++", "über", "a a b"];
        let texts = [
            "das Haus",
            "Haustür",
            "(Haus)",
            "in in der",
            "in derb",
            "ein café",
            "ein cafe\u{301}",
            "cafe",
            "日本銀行",
            "C++17",
            "hinüber über",
            "a a a b",
            "a a ab",
            "x  in  der y",
            "Häuser",
            "ü\u{fffd}ber",
        ];
        for phrase in phrases {
            let phrases = WholeWords::new([phrase]);
            for text in texts {
                let whole = !phrases.numbers_in(text).is_empty();
                let bytes = text.as_bytes();
                assert_eq!(has_phrase(&phrases, &[bytes]), whole, "{phrase} in {text}");
                assert_eq!(has_phrase(&phrases, &bytes.chunks(1).collect::<Vec<_>>()), whole, "{phrase} in {text}");
                for at in 0..bytes.len() {
                    let (a, b) = bytes.split_at(at);
                    assert_eq!(has_phrase(&phrases, &[a, b]), whole, "{phrase} in {text}, divided at {at}");
                }
            }
        }
    }
}

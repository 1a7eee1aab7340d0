//! Marks at the start of a line: numbers and bullets of lists, marks of speakers.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The most marks of one line, as in `- [ ] 1) text`.
const MOST: usize = 4;

/// A mark, with the white space after it.
static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let marks = [
        // Bullets that are nothing else, and those that are signs of other things, too.
        r"[•◦▪▫■□●○►▶➤➢‣⁃∙·❖✓✔✗✘☐☑☒→⇒➔➜»›§¶]+\s*",
        r"(?:[-–—―*+#]|-{2,}|={2,}|~{2,}|#{1,6}|\*{1,3}|<!--|&)\s+",
        r"[①-⒛ⓐ-ⓩ❶-❿➀-➓Ⅰ-Ⅿⅰ-ⅿ]+[.)]?\s*",
        r"(?:>\s?){1,6}",
        // A sentence that goes on after a pause.
        r"(?:\.{3}|…)\s?",
        // Numbers and letters.
        r"\(?\d{1,3}\)\s*",
        r"\d{1,3}(?:\.\d{1,3}){2,4}\.?\s+",
        r"\d{1,3}\.\s+",
        r"\(?(?:[A-Za-z]|[ivx]{1,4}|[IVX]{1,4})\)\s+",
        // A capital letter with a full stop is an initial, and `I.` may be the word.
        r"(?:[a-z]|[ivx]{2,5}|[IVX]{2,5})\.\s+",
        r"\[[ xX]?\]\s+",
    ];
    Regex::new(&format!("^(?:{})", marks.join("|"))).ok()
});

/// A sentence without the marks before it, if it begins its line. A number with a full stop is the first word of some
/// languages' dates and ordinals: it stays in a sentence that goes on with a small letter or a month's name.
pub(crate) fn after_marks(text: &str, sentence: Range<usize>) -> Range<usize> {
    let before = text[..sentence.start].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    if !before.is_empty() && !before.ends_with('\n') {
        return sentence;
    }
    let mut start = sentence.start;
    for _ in 0..MOST {
        let rest = &text[start..sentence.end];
        let Some(mark) = MARK.as_ref().and_then(|mark| mark.find(rest)).filter(|mark| !mark.is_empty()) else { break };
        let after = &rest[mark.end()..];
        if is_ordinal(mark.as_str(), after)
            || is_abbreviation(mark.as_str(), after)
            || !after.contains(char::is_alphabetic)
        {
            break;
        }
        start += mark.end();
    }
    let end = if start > sentence.start { before_signs(text, start..sentence.end) } else { sentence.end };
    start..end
}

/// Signs at the end of a line that answer those at its start, as in `### Title ###`.
static CLOSING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s+(?:#{1,6}|-->|-{2,}|={2,}|~{2,}|\*{2,3})$").ok());

/// The end of a sentence before such signs.
fn before_signs(text: &str, sentence: Range<usize>) -> usize {
    if !text[sentence.end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') && sentence.end < text.len() {
        return sentence.end;
    }
    let found = CLOSING.as_ref().and_then(|signs| signs.find(&text[sentence.clone()]));
    found.map_or(sentence.end, |signs| sentence.start + signs.start())
}

/// Whether a letter with a full stop before this text is a part of an abbreviation, as in `z. B.`.
fn is_abbreviation(mark: &str, after: &str) -> bool {
    let is_letter =
        mark.trim_end().strip_suffix('.').is_some_and(|letter| letter.bytes().all(|c| c.is_ascii_lowercase()));
    let mut next = after.chars();
    is_letter && (!next.next().is_some_and(char::is_uppercase) || next.next() == Some('.'))
}

/// The bytes of the mark with which a line begins an item of a list or of a quotation; 0 without one. Signs that stand
/// inside sentences, too, begin none.
pub(crate) fn begins_item(line: &str) -> usize {
    let Some(mark) = MARK.as_ref().and_then(|mark| mark.find(line)) else { return 0 };
    let after = &line[mark.end()..];
    let is_inside = mark.as_str().starts_with(['§', '¶', '»', '›', '.', '…', '&'])
        || (mark.as_str().starts_with(['–', '—', '―']) && !after.starts_with(char::is_uppercase));
    if is_inside || is_ordinal(mark.as_str(), after) { 0 } else { mark.len() }
}

/// Whether a number with a full stop before this text counts something.
fn is_ordinal(mark: &str, after: &str) -> bool {
    const MONTHS: &[&str] = &[
        "Jan", "Feb", "Mär", "Mar", "Apr", "Mai", "Maj", "Jun", "Jul", "Aug", "Sep", "Okt", "Oct", "Nov", "Dez", "Dec",
    ];
    let plain = mark.trim_end().strip_suffix('.').is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()));
    let next = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    plain
        && (next.starts_with(|c: char| c.is_lowercase() || c.is_numeric())
            || next.len() < 12 && MONTHS.iter().any(|month| next.starts_with(month)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_outside() {
        for (mark, text) in [
            ("2) ", "Then, go in."),
            (">> ", "Hello"),
            ("• ", "Eggs"),
            ("•", "Eggs"),
            ("→ ", "Next"),
            ("§ ", "Law"),
            ("a) ", "Press the button."),
            ("(b) ", "Wait."),
            ("- [ ] ", "To do"),
            ("[x] ", "Done"),
            ("1. ", "First, open."),
            ("– ", "Tea"),
            ("* ", "Bread"),
            ("1.2.3 ", "Overview"),
            ("iv) ", "Four"),
            (">>", "JOHN: Hi"),
            ("(12) ", "Twelve"),
            ("i. ", "Open it."),
            ("XII. ", "The garden"),
            ("① ", "Open"),
            ("⑵", "Close"),
            ("<!-- ", "A note"),
            ("--- ", "Cut here"),
            ("", "J. Smith"),
            ("", "I. Am here"),
            ("", "z. B. am Montag"),
            ("", "d. h. morgen"),
            ("# ", "Title"),
            ("- 1) ", "Both"),
            ("", "1. Mai war schön"),
            ("", "2. und 3. Platz"),
            ("", "-5 degrees"),
            ("", "J. Smith came"),
            ("", "(see below) and"),
            ("", "2024. The year"),
            ("", "1.5 million"),
            ("", "*bold* text"),
            ("", "e) "),
            ("", "5 > 3 of them"),
            ("", "I) think"),
        ] {
            let line = format!("{mark}{text}");
            let found = &line[after_marks(&line, 0..line.len())];
            if line == "I) think" {
                assert_eq!(found, "think");
            } else {
                assert_eq!(found, text, "{line}");
            }
        }
        let text = "### Title ###\n--- cut ---";
        assert_eq!((&text[after_marks(text, 0..13)], &text[after_marks(text, 14..25)]), ("Title", "cut"));
        let text = "One.\n  2) Two. 3) Three";
        assert_eq!(&text[after_marks(text, 7..14)], "Two.");
        assert_eq!(after_marks(text, 15..23), 15..23);
    }
}

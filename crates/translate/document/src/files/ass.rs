//! Subtitles of Advanced SubStation Alpha, and its ancestor SSA: the texts of `Dialogue` lines. Codes stay, and a text
//! of several lines gets as many lines again, of nearly the same length.

use super::message::{Message, MessageForm, Messages};
use super::reading::Reading;
use crate::Error;
use std::ops::Range;

/// The texts of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let mut messages = Vec::new();
    let (mut at, mut in_events) = (0, false);
    // Fields of a line of dialogue; the text is the last one, and may have commas in it.
    let mut fields = 10;
    for line in text.split_inclusive('\n') {
        // Lines may be indented.
        let content = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let start = at + line.len() - content.len();
        at += line.len();
        let content = content.trim_end_matches(['\n', '\r']);
        let name = |name: &str| content.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if content.starts_with('[') {
            in_events = name("[Events]");
        } else if in_events && name("Format:") {
            fields = content.split(',').count();
        } else if in_events && name("Dialogue:") {
            let skipped: usize = content.split(',').take(fields - 1).map(|field| field.len() + 1).sum();
            if skipped < content.len() {
                speeches(text, start + skipped..start + content.len(), &mut messages);
            }
        }
    }
    Ok(Messages { messages, ..Messages::default() })
}

/// The most breaks of a translated text; no screen has room for more.
const BREAKS: usize = 20;

/// The text of a subtitle, or where lines begin with dashes, the text of each speaker.
fn speeches(text: &str, range: Range<usize>, messages: &mut Vec<Message>) {
    let raw = &text[range.clone()];
    // Vectors of a drawing are no text.
    if is_drawing(raw) {
        return;
    }
    let mut starts = vec![range.start];
    for (at, _) in raw.match_indices("\\N").chain(raw.match_indices("\\n")) {
        let next = raw[at + 2..].trim_start();
        if next.starts_with(['-', '–', '—']) {
            starts.push(range.end - next.len());
        }
    }
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([range.end]);
    for (number, (&start, end)) in starts.iter().zip(ends).enumerate() {
        let part = &text[start..end];
        let part = if number + 1 < starts.len() {
            part.trim_end().trim_end_matches("\\N").trim_end_matches("\\n")
        } else {
            part
        };
        let spoken = if starts.len() > 1 { part.trim_start_matches(['-', '–', '—', ' ']) } else { part };
        let (start, end) = (start + part.len() - spoken.len(), start + part.len());
        let breaks = (spoken.matches("\\N").count() + spoken.matches("\\n").count()).min(BREAKS);
        let shown = spoken.replace("\\N", " ").replace("\\n", " ").replace("\\h", "\u{a0}");
        let message = Message::new(start..end, shown, move |text| encode(text, breaks));
        messages.push(Message { form: MessageForm::Codes, ..message });
    }
}

/// Whether a code turns drawing on: `{\p1}`.
fn is_drawing(raw: &str) -> bool {
    let on = |(at, code): (usize, &str)| raw[at + code.len()..].starts_with(|c: char| matches!(c, '1'..='9'));
    raw.match_indices("\\p").any(on)
}

/// The text with as many breaks as the source has, where its parts have nearly the same length.
fn encode(text: &str, breaks: usize) -> String {
    let text = text.trim().replace('\u{a0}', "\\h");
    // By blank outside of codes: its byte, and the characters that are shown before it.
    let (mut blanks, mut shown, mut inside) = (Vec::new(), 0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            ' ' if !inside => blanks.push((at, shown)),
            _ => {}
        }
        shown += usize::from(!inside && c != '}');
    }
    let mut chosen: Vec<usize> = Vec::new();
    for part in 1..=breaks {
        let middle = shown * part / (breaks + 1);
        let after = chosen.last().copied().unwrap_or(0);
        let free = blanks.iter().filter(|blank| blank.0 > after);
        chosen.extend(free.min_by_key(|blank| blank.1.abs_diff(middle)).map(|blank| blank.0));
    }
    let (mut written, mut last) = (String::with_capacity(text.len() + 2 * breaks), 0);
    for at in chosen {
        written.push_str(&text[last..at]);
        written.push_str("\\N");
        last = at + 1;
    }
    written.push_str(&text[last..]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_nearly_the_same_length() {
        assert_eq!(encode("eins zwei drei vier", 1), "eins zwei\\Ndrei vier");
        assert_eq!(encode("{\\pos(10, 20)}eins zwei", 1), "{\\pos(10, 20)}eins\\Nzwei");
        assert_eq!(encode("eins", 2), "eins");
        assert_eq!(encode("a b c d e f", 2), "a b\\Nc d\\Ne f");
    }
}

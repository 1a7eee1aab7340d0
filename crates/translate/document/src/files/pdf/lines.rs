//! Letters at places as lines, and lines as paragraphs.

/// A letter of a page: its text, where it begins and ends on the line, the height of the line from the top of the page,
/// and the size of its font, all in points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Letter {
    pub(super) text: String,
    pub(super) x: f64,
    pub(super) end: f64,
    pub(super) y: f64,
    pub(super) size: f64,
}

/// A line of a page, or the part of one in a column.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    text: String,
    x: f64,
    end: f64,
    y: f64,
    size: f64,
}

/// The text of pages: paragraphs with an empty line between them.
pub(super) fn paragraphs(pages: Vec<Vec<Letter>>) -> String {
    let mut text = String::new();
    for page in pages {
        let lines = lines(&page);
        let right = lines.iter().map(|line| line.end).fold(0.0, f64::max);
        for (number, line) in lines.iter().enumerate() {
            let content = line.text.trim();
            let previous = number.checked_sub(1).map(|previous| &lines[previous]);
            let goes_on = match previous {
                Some(previous) => continues(previous, line, right),
                // A sentence goes on after the end of a page.
                None => {
                    content.starts_with(char::is_lowercase)
                        && text.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-'))
                }
            };
            if goes_on {
                append(&mut text, content);
            } else {
                text.push_str(if text.is_empty() { "" } else { "\n\n" });
                text.push_str(content);
            }
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The lines of a page. A gap that is as wide as three letters divides a line: it lies between columns.
fn lines(letters: &[Letter]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for letter in letters {
        let shown = characters(&letter.text);
        let same = lines.last_mut().filter(|line| {
            let size = line.size.max(letter.size);
            let gap = letter.x - line.end;
            (letter.y - line.y).abs() < 0.5 * size && gap > -size && gap < 3.0 * size
        });
        let Some(line) = same else {
            if !shown.trim().is_empty() {
                let Letter { x, end, y, size, .. } = *letter;
                lines.push(Line { text: shown, x, end, y, size });
            }
            continue;
        };
        // Many programs draw no blanks.
        let blank = letter.x - line.end > 0.18 * letter.size && !shown.starts_with(' ') && !line.text.ends_with(' ');
        line.text.push_str(if blank { " " } else { "" });
        line.text.push_str(&shown);
        line.end = line.end.max(letter.end);
        // A line has the size and the height of its largest letters, not of a note's mark.
        if letter.size > line.size && !shown.trim().is_empty() {
            (line.size, line.y) = (letter.size, letter.y);
        }
    }
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// The characters of a letter: joined letters apart, blanks of all kinds as a blank, no control characters.
fn characters(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => shown.push_str("ff"),
            '\u{fb01}' => shown.push_str("fi"),
            '\u{fb02}' => shown.push_str("fl"),
            '\u{fb03}' => shown.push_str("ffi"),
            '\u{fb04}' => shown.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => shown.push_str("st"),
            c if c.is_whitespace() => shown.push(' '),
            c if c.is_control() => {}
            c => shown.push(c),
        }
    }
    shown
}

/// Whether a line goes on with the paragraph of the line before it. `right`: where the longest line of the page ends.
fn continues(previous: &Line, line: &Line, right: f64) -> bool {
    let size = previous.size.max(line.size);
    let step = line.y - previous.y;
    let near = step > 0.3 * size && step < 1.7 * size;
    let same_size = (previous.size - line.size).abs() < 0.12 * size;
    let overlaps = line.x < previous.end && previous.x < line.end;
    let end = previous.text.trim_end();
    // A short line that ends a sentence ends its paragraph.
    let width = (right - previous.x).max(size);
    let short = previous.end < previous.x + 0.75 * width.min(line.end.max(previous.end) - previous.x);
    let ends = end.ends_with(['.', '!', '?', ':', '…', '”', '"', '»']);
    let indented = line.x > previous.x + 0.8 * size;
    let lower = line.text.trim_start().starts_with(char::is_lowercase);
    near && same_size && overlaps && !begins_item(&line.text) && (lower || !(short || (ends && indented)))
}

/// Whether a line begins with the mark of a list.
fn begins_item(text: &str) -> bool {
    let text = text.trim_start();
    let mark = text.split(' ').next().unwrap_or_default();
    let number = mark.trim_end_matches(['.', ')']);
    let numbered = number.len() < mark.len() && number.len() <= 3 && number.chars().all(|c| c.is_ascii_digit());
    text.starts_with(['•', '◦', '▪', '‣', '●', '○', '■', '–', '—', '\u{f0b7}'])
        || mark == "-"
        || mark == "*"
        || numbered
}

/// Appends a line to a paragraph; a word that was divided is whole again.
fn append(text: &mut String, line: &str) {
    let before = text.trim_end().len();
    text.truncate(before);
    let word = text.strip_suffix(['-', '\u{ad}']).is_some_and(|text| text.ends_with(char::is_alphabetic));
    if word && line.starts_with(char::is_lowercase) {
        text.pop();
    } else {
        text.push(' ');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The letters of a text at a place, each as wide as half its size.
    fn drawn(text: &str, x: f64, y: f64, size: f64) -> Vec<Letter> {
        let letter = |(number, c): (usize, char)| {
            let x = x + 0.5 * size * number as f64;
            Letter { text: c.to_string(), x, end: x + 0.5 * size, y, size }
        };
        text.chars().enumerate().filter(|(_, c)| *c != '_').map(letter).collect()
    }

    #[test]
    fn lines_are_paragraphs() {
        let page = [
            drawn("A heading", 10.0, 10.0, 20.0),
            drawn("The first line of a text_that is long and inter-", 10.0, 40.0, 10.0),
            drawn("esting, as it goes on to here, and then ends.", 10.0, 52.0, 10.0),
            drawn("• one ﬁne item", 10.0, 64.0, 10.0),
            drawn("• two", 10.0, 76.0, 10.0),
            drawn("Another paragraph goes on after the end of the", 10.0, 100.0, 10.0),
        ];
        let next =
            [drawn("page", 10.0, 10.0, 10.0), drawn("left", 10.0, 40.0, 10.0), drawn("right", 200.0, 40.0, 10.0)];
        let expected = "A heading\n\nThe first line of a text that is long and interesting, as it goes on to here, and then ends.\n\n• one fine item\n\n• two\n\nAnother paragraph goes on after the end of the page\n\nleft\n\nright\n";
        assert_eq!(paragraphs(vec![page.concat(), next.concat()]), expected);
    }
}

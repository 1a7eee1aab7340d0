//! Tables of values with commas or tabs between them. The first line names the columns.

use super::codes::is_code;
use super::message::{Message, MessagePlace, Messages};
use super::reading::Reading;
use crate::{Entries, Error, FileOptions};
use std::ops::Range;

/// Names of columns that programs read.
const KEYS: &[&str] = &["id", "key", "keys", "identifier", "uuid", "code", "location", "url"];

/// The texts of a table whose values commas divide, or semicolons.
pub(crate) fn commas(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    let head = text.lines().next().unwrap_or_default();
    let count = |sign: char| Rows { text: head, at: 0, sign }.next().map_or(0, |row| row.len());
    messages(text, if count(';') > count(',') { ';' } else { ',' }, reading)
}

/// The texts of a table whose values tabs divide.
pub(crate) fn tabs(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    messages(text, '\t', reading)
}

fn messages(text: &str, sign: char, reading: &Reading<'_>) -> Result<Messages, Error> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut rows = Rows { text, at: start, sign };
    let head: Vec<String> = rows.next().unwrap_or_default().iter().map(|cell| decode(&text[cell.clone()])).collect();
    let columns = columns(&reading.options.files, &head)?;
    let all = reading.options.files.entries == Entries::All;
    let mut messages = Vec::new();
    for row in rows {
        let is_key =
            |&column: &usize| head.get(column).is_some_and(|name| KEYS.contains(&name.trim().to_lowercase().as_str()));
        let texts = || (0..row.len()).filter(|column| !is_key(column)).map(|column| (column, column)).collect();
        let chosen = columns.clone().unwrap_or_else(texts);
        for (source, target) in chosen {
            let (Some(source), Some(target)) = (row.get(source), row.get(target)) else { continue };
            let decoded = decode(&text[source.clone()]);
            let place = if source == target { MessagePlace::Source } else { MessagePlace::Target };
            let free = place == MessagePlace::Source || all || decode(&text[target.clone()]).trim().is_empty();
            // A cell that begins with `=` is a formula.
            let stays = decoded.trim().is_empty()
                || (decoded.starts_with('=') && decoded.len() > 1)
                || (columns.is_none() && is_code(&decoded));
            if free && !stays {
                let quoted = text[target.clone()].starts_with('"');
                let message = Message::new(target.clone(), decoded, move |text| encode(text, sign, quoted));
                messages.push(Message { place, ..message });
            }
        }
    }
    Ok(Messages { messages, ..Messages::default() })
}

/// The chosen columns: of the text and of its translation. `None`: all with texts. The columns `source` and `target`
/// are those that translators' programs write.
fn columns(options: &FileOptions, head: &[String]) -> Result<Option<Vec<(usize, usize)>>, Error> {
    let find = |name: &str| {
        let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = head.iter().position(|column| column.trim() == name);
        found.or(number.filter(|&number| number < head.len()))
    };
    let column = |given: &String| {
        let names = find(given).map(|column| (column, column));
        let pair = || given.split_once('=').and_then(|(text, translation)| Some((find(text)?, find(translation)?)));
        let wrong = || Error::Column { column: given.clone(), known: head.join(", ") };
        names.or_else(pair).ok_or_else(wrong)
    };
    if options.columns.is_empty() {
        let place = |name: &str| head.iter().position(|column| column.trim() == name);
        return Ok(place("source").zip(place("target")).map(|pair| vec![pair]));
    }
    Ok(Some(options.columns.iter().map(column).collect::<Result<_, _>>()?))
}

/// The rows of a table: the bytes of each cell.
struct Rows<'t> {
    text: &'t str,
    at: usize,
    sign: char,
}

impl Iterator for Rows<'_> {
    type Item = Vec<Range<usize>>;

    fn next(&mut self) -> Option<Vec<Range<usize>>> {
        if self.at >= self.text.len() {
            return None;
        }
        let mut cells = Vec::new();
        loop {
            let cell = self.cell();
            self.at = cell.end;
            cells.push(cell);
            let rest = &self.text[self.at..];
            if rest.starts_with(self.sign) {
                self.at += 1;
                continue;
            }
            self.at += if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
            return Some(cells);
        }
    }
}

impl Rows<'_> {
    /// The cell that begins here.
    fn cell(&self) -> Range<usize> {
        let rest = &self.text[self.at..];
        let ends = |c: char| c == self.sign || matches!(c, '\n' | '\r');
        let plain = || rest.find(ends).unwrap_or(rest.len());
        let quoted = rest.strip_prefix('"').and_then(|inner| {
            let mut at = 0;
            loop {
                at += inner[at..].find('"')? + 1;
                if !inner[at..].starts_with('"') {
                    break;
                }
                at += 1;
            }
            // Another character after the quotation mark: it is text.
            (inner[at..].is_empty() || inner[at..].starts_with(ends)).then_some(at + 1)
        });
        self.at..self.at + quoted.unwrap_or_else(plain)
    }
}

fn decode(raw: &str) -> String {
    let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    inner.map_or_else(|| raw.to_owned(), |inner| inner.replace("\"\"", "\""))
}

fn encode(text: &str, sign: char, quoted: bool) -> String {
    if quoted || text.contains([sign, '\n', '\r']) || text.starts_with('"') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_cells() {
        let text = "a,\"b, \"\"c\"\"\nd\",\r\n\"e\" f,\"g\n";
        let rows: Vec<Vec<String>> = Rows { text, at: 0, sign: ',' }
            .map(|row| row.into_iter().map(|cell| decode(&text[cell])).collect())
            .collect();
        assert_eq!(rows, [vec!["a", "b, \"c\"\nd", ""], vec!["\"e\" f", "\"g"]]);
        assert_eq!(encode("a, b", ',', false), "\"a, b\"");
        assert_eq!(encode("a \"b\"", ',', false), "a \"b\"");
    }
}

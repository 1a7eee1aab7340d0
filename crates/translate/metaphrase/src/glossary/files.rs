//! Glossaries in files as people have them: lines with tabs, CSV, TBX, TMX, Excel.

use super::file_error::GlossaryFileError;
use super::file_format::GlossaryFormat;
use super::table::{Row, entries_of_rows, named_columns};
use super::{Case, Glossary, GlossaryError, workbook, xml};
use std::borrow::Cow;

/// The entries of a glossary file: source terms, each with its target terms, any of which will do.
///
/// ```
/// use metaphrase::{Case, GlossaryFile};
///
/// let file = GlossaryFile::read("en;de\nhouse;Gebäude\n".as_bytes(), Some(["en", "de"]))?;
/// assert_eq!(file.entries, [("house".to_owned(), vec!["Gebäude".to_owned()])]);
/// assert_eq!(file.glossary(Case::Ignore)?.find("my house"), [["Gebäude"]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlossaryFile {
    /// The form of the file.
    pub format: GlossaryFormat,
    /// The entries; empty for [`GlossaryFormat::Tabs`], where the text itself is the glossary.
    pub entries: Vec<(String, Vec<String>)>,
    /// The text of [`GlossaryFormat::Tabs`].
    pub text: String,
}

impl GlossaryFile {
    /// Reads a file; its content determines the form. `languages`: the codes of the source and the target, for files
    /// that have several; a file with two languages may do without.
    ///
    /// # Errors
    /// [`GlossaryFileError`] for a file in none of the forms, or without entries in these languages.
    pub fn read(bytes: &[u8], languages: Option<[&str; 2]>) -> Result<Self, GlossaryFileError> {
        if bytes.starts_with(b"PK\x03\x04") {
            let entries = entries_of_rows(workbook::rows(bytes)?, languages)?;
            return Ok(Self { format: GlossaryFormat::Xlsx, entries, text: String::new() });
        }
        let text = decoded(bytes)?;
        if text.trim_start().starts_with('<') {
            let (format, entries) = xml::entries(&text, languages)?;
            return Ok(Self { format, entries, text: String::new() });
        }
        let Some(separator) = separator(&text).or_else(|| names_columns(&text, languages).then_some('\t')) else {
            return Ok(Self { format: GlossaryFormat::Tabs, entries: Vec::new(), text: text.into_owned() });
        };
        let entries = entries_of_rows(csv_rows(&text, separator)?, languages)?;
        Ok(Self { format: GlossaryFormat::Csv(separator), entries, text: String::new() })
    }

    /// The glossary of the entries.
    ///
    /// # Errors
    /// [`GlossaryError`] for the first entry without a source term or without a target term.
    pub fn glossary(self, case: Case) -> Result<Glossary, GlossaryError> {
        match self.format {
            GlossaryFormat::Tabs => Glossary::parse(&self.text, case),
            _ => Glossary::from_entries(self.entries, case),
        }
    }
}

/// The text of a file in UTF-8 or, with a byte order mark, UTF-16.
fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, GlossaryFileError> {
    let units = |unit: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, ..] => Ok(units(u16::from_le_bytes).into()),
        [0xfe, 0xff, ..] => Ok(units(u16::from_be_bytes).into()),
        _ => {
            let text = std::str::from_utf8(bytes);
            let text = text.map_err(|error| GlossaryFileError::Encoding(error.valid_up_to() + 1))?;
            Ok(text.trim_start_matches('\u{feff}').into())
        }
    }
}

/// The character that separates the fields of a text; `None` for tabs. It is a comma or a semicolon that all of the
/// first lines have.
fn separator(text: &str) -> Option<char> {
    const LOOKED_AT: usize = 20;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.take(LOOKED_AT).collect();
    if lines.is_empty() || lines.iter().any(|line| line.contains('\t')) {
        return None;
    }
    // Lines inside quotation marks may have no separator.
    let quoted = lines.iter().any(|line| line.trim_start().starts_with('"'));
    let count = |separator: char| lines.iter().filter(|line| line.contains(separator)).count();
    let enough = if quoted { lines.len().div_ceil(2) } else { lines.len() };
    // A semicolon is the rarer one within terms.
    [';', ','].into_iter().find(|&separator| count(separator) >= enough)
}

/// Whether the first line of a text with tabs names the columns: by words, or by these languages. Other codes may be
/// terms, as "it" and "es" are.
fn names_columns(text: &str, languages: Option<[&str; 2]>) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or_default();
    let cells: Vec<String> = first.split('\t').map(|cell| cell.trim().to_owned()).collect();
    named_columns(&cells, languages.or(Some(["", ""]))).is_ok_and(|columns| columns.is_some())
}

fn csv_rows(text: &str, separator: char) -> Result<Vec<Row>, GlossaryFileError> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(separator as u8).comment(Some(b'#'));
    let broken = |error: csv::Error| GlossaryFileError::Broken { format: "CSV", problem: error.to_string() };
    let mut rows = Vec::new();
    for (number, record) in reader.from_reader(text.as_bytes()).records().enumerate() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(number as u64 + 1, csv::Position::line);
        let cells = record.iter().map(|cell| cell.trim().to_owned()).collect();
        rows.push(Row { number: usize::try_from(line).unwrap_or(number + 1), cells });
    }
    Ok(rows)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

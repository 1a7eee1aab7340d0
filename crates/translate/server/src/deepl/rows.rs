//! Entries of DeepL's glossaries: lines of two fields with tabs or commas between them.

use crate::error::Failure;
use crate::v1::{OneOrMore, TermBody};

/// The entries of a text in the format `tsv` or `csv`.
///
/// # Errors
/// [`Failure::Bad`] for another format, and for a line without two fields.
pub fn entries(text: &str, format: &str) -> Result<Vec<TermBody>, Failure> {
    let rows: Vec<Vec<String>> = match format {
        "tsv" => text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect(),
        "csv" => csv(text),
        _ => return Err(Failure::Bad(format!("the format of entries `{format}` is neither tsv nor csv"))),
    };
    let filled = rows.into_iter().enumerate().filter(|(_, row)| row.iter().any(|field| !field.trim().is_empty()));
    filled
        .map(|(number, row)| {
            let mut fields = row.into_iter().map(|field| field.trim().to_owned());
            match (fields.next(), fields.next()) {
                (Some(source), Some(target)) if !source.is_empty() && !target.is_empty() => {
                    Ok(TermBody { source, target: OneOrMore::One(target) })
                }
                _ => Err(Failure::Bad(format!("line {} of the entries has no two fields", number + 1))),
            }
        })
        .collect()
}

/// Fields with commas between them; one in quotation marks may contain commas, line breaks, and marks that are doubled.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    row.push(field);
    rows.push(row);
    rows
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_from_tabs_and_from_commas() {
        for (text, format) in [("a b\tc\n\nd\te, \"f\"\r\n", "tsv"), ("a b,c\r\n\r\nd,\"e, \"\"f\"\"\",EN,DE\n", "csv")]
        {
            let found: Vec<_> =
                entries(text, format).unwrap().into_iter().map(|term| (term.source, term.target.into_vec())).collect();
            assert_eq!(found, [("a b".into(), vec!["c".into()]), ("d".into(), vec!["e, \"f\"".into()])], "{format}");
        }
        assert!(entries("a", "tsv").is_err() && entries("a,", "csv").is_err() && entries("a\tb", "xml").is_err());
    }
}

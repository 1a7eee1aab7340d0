//! Tables of terms: which columns are the source and the target.

use super::file_error::GlossaryFileError;

/// A row of a table.
pub struct Row {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its cells, without white space around them.
    pub cells: Vec<String>,
}

/// Names of the column of source terms, in small letters.
const SOURCES: [&str; 8] = ["source", "source term", "source_term", "src", "term", "from", "quelle", "ausgangssprache"];
/// Names of the column of target terms.
const TARGETS: [&str; 11] = [
    "target",
    "target term",
    "target_term",
    "trg",
    "tgt",
    "translation",
    "to",
    "ziel",
    "zielsprache",
    "übersetzung",
    "target terms",
];
/// English and own names of languages that stand above columns.
const NAMES: [(&str, &str); 24] = [
    ("english", "en"),
    ("englisch", "en"),
    ("german", "de"),
    ("deutsch", "de"),
    ("french", "fr"),
    ("français", "fr"),
    ("spanish", "es"),
    ("español", "es"),
    ("italian", "it"),
    ("italiano", "it"),
    ("portuguese", "pt"),
    ("português", "pt"),
    ("dutch", "nl"),
    ("nederlands", "nl"),
    ("polish", "pl"),
    ("polski", "pl"),
    ("japanese", "ja"),
    ("chinese", "zh"),
    ("russian", "ru"),
    ("czech", "cs"),
    ("swedish", "sv"),
    ("danish", "da"),
    ("französisch", "fr"),
    ("spanisch", "es"),
];

/// The source and the target columns.
pub struct Columns {
    source: usize,
    targets: Vec<usize>,
    has_header: bool,
}

/// The entries of a table. Its first row may name the columns.
pub fn entries_of_rows(
    rows: Vec<Row>,
    languages: Option<[&str; 2]>,
) -> Result<Vec<(String, Vec<String>)>, GlossaryFileError> {
    let filled: Vec<Row> = rows.into_iter().filter(|row| row.cells.iter().any(|cell| !cell.is_empty())).collect();
    let Some(first) = filled.first() else { return Ok(Vec::new()) };
    let columns = match named_columns(&first.cells, languages)? {
        Some(columns) => columns,
        None => unnamed_columns(&filled),
    };
    let mut entries = Vec::with_capacity(filled.len());
    for row in filled.into_iter().skip(usize::from(columns.has_header)) {
        let cell = |column: usize| row.cells.get(column).cloned().unwrap_or_default();
        let source = cell(columns.source);
        let targets: Vec<String> =
            columns.targets.iter().map(|&column| cell(column)).filter(|target| !target.is_empty()).collect();
        let problem = if source.is_empty() { "has no source term" } else { "has no target term" };
        match (source.is_empty(), targets.is_empty()) {
            (false, false) => entries.push((source, targets)),
            // A table with named columns has terms that are not translated yet.
            _ if columns.has_header => {}
            _ => return Err(GlossaryFileError::Row { row: row.number, problem }),
        }
    }
    Ok(entries)
}

/// The columns that a first row names; `None` if it is a row of terms.
pub fn named_columns(header: &[String], languages: Option<[&str; 2]>) -> Result<Option<Columns>, GlossaryFileError> {
    let names: Vec<String> = header.iter().map(|cell| cell.to_lowercase()).collect();
    let one_of = |list: &[&str]| names.iter().position(|name| list.contains(&name.as_str()));
    if let (Some(source), Some(target)) = (one_of(&SOURCES), one_of(&TARGETS)) {
        return Ok(Some(Columns { source, targets: vec![target], has_header: true }));
    }
    let codes: Vec<Option<String>> = names.iter().map(|name| language(name)).collect();
    let named: Vec<usize> = (0..codes.len()).filter(|&column| codes[column].is_some()).collect();
    if named.len() < 2 || named[0] > 1 {
        return Ok(None);
    }
    let found = || named.iter().filter_map(|&column| codes[column].clone()).collect::<Vec<String>>();
    let Some([source, target]) = languages else {
        return match named[..] {
            [source, target] => Ok(Some(Columns { source, targets: vec![target], has_header: true })),
            _ => Err(GlossaryFileError::ManyLanguages(found())),
        };
    };
    let column = |code: &str| named.iter().copied().find(|&column| codes[column].as_deref() == Some(&*base(code)));
    match (column(source), column(target)) {
        (Some(source), Some(target)) => Ok(Some(Columns { source, targets: vec![target], has_header: true })),
        _ => Err(GlossaryFileError::Languages { wanted: format!("{source} and {target}"), found: found() }),
    }
}

/// The columns of a table without names: source, target, alternatives. A third and a fourth column of language codes
/// are none, as in the files of DeepL.
fn unnamed_columns(rows: &[Row]) -> Columns {
    let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let has_codes = |column: usize| {
        rows.iter().all(|row| row.cells.get(column).is_none_or(|cell| cell.is_empty() || is_code(&cell.to_lowercase())))
    };
    let last = if width == 4 && has_codes(2) && has_codes(3) { 2 } else { width };
    Columns { source: 0, targets: (1..last).collect(), has_header: false }
}

/// The language that a column's name stands for: a code, perhaps with a country, or a name.
fn language(name: &str) -> Option<String> {
    let named = NAMES.iter().find(|(known, _)| *known == name).map(|(_, code)| (*code).to_owned());
    named.or_else(|| is_code(name).then(|| base(name)))
}

/// Codes of languages, in small letters.
const CODES: &str = "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mk \
    ml mn mr ms mt nb nl nn no pl pt ro ru sk sl sq sr sv sw ta te th tl tr uk ur vi zh";

fn is_code(name: &str) -> bool {
    let mut parts = name.split(['-', '_']);
    let known = parts.next().is_some_and(|code| CODES.split_whitespace().any(|known| known == code));
    known && parts.all(|part| (2..=4).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The code without its country, in small letters.
pub fn base(code: &str) -> String {
    code.split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

//! The first sheet of an Excel workbook.

use super::file_error::GlossaryFileError;
use super::table::Row;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The most bytes that a part of a workbook unpacks to.
const LARGEST: usize = 64 << 20;
/// Columns that are read.
const WIDEST: usize = 64;

fn broken(problem: impl ToString) -> GlossaryFileError {
    GlossaryFileError::Broken { format: "Excel workbook", problem: problem.to_string() }
}

/// The rows of the first sheet.
pub fn rows(bytes: &[u8]) -> Result<Vec<Row>, GlossaryFileError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let Some(workbook) = part(&mut archive, "xl/workbook.xml")? else {
        return Err(broken("it is a zip archive without `xl/workbook.xml`"));
    };
    let relations = part(&mut archive, "xl/_rels/workbook.xml.rels")?.unwrap_or_default();
    let sheet = first_sheet(&workbook, &relations)?;
    let strings = match part(&mut archive, "xl/sharedStrings.xml")? {
        Some(text) => shared_strings(&text)?,
        None => Vec::new(),
    };
    let Some(sheet) = part(&mut archive, &sheet)? else { return Err(broken(format!("it has no part `{sheet}`"))) };
    sheet_rows(&sheet, &strings)
}

/// A part of the archive; `None` if it is absent.
fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Option<String>, GlossaryFileError> {
    let Some(number) = archive.index_for_name(name) else { return Ok(None) };
    let mut bytes = Vec::new();
    let file = archive.by_index(number).map_err(broken)?;
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() > LARGEST {
        return Err(GlossaryFileError::TooLarge(LARGEST));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| broken(format!("its part `{name}` is not UTF-8")))
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.into_owned())
}

/// Calls `visit` with each event of a text and with the name of its element.
fn each_event(text: &str, mut visit: impl FnMut(&Event<'_>, &str)) -> Result<(), GlossaryFileError> {
    let mut reader = Reader::from_str(text);
    loop {
        let event = reader.read_event().map_err(broken)?;
        let name = match &event {
            Event::Eof => return Ok(()),
            Event::Start(element) | Event::Empty(element) => element.local_name().as_ref().to_owned(),
            Event::End(element) => element.local_name().as_ref().to_owned(),
            _ => String::new(),
        };
        visit(&event, &name);
    }
}

/// The text of an event, as far as it has some.
fn text_of(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Text(text) => Some(text.to_string()),
        Event::CData(data) => Some(data.to_string()),
        Event::GeneralRef(reference) => match reference.resolve_char_ref().ok()? {
            Some(c) => Some(c.to_string()),
            None => resolve_predefined_entity(reference).map(str::to_owned),
        },
        _ => None,
    }
}

/// The name of the part of the first sheet.
fn first_sheet(workbook: &str, relations: &str) -> Result<String, GlossaryFileError> {
    let (mut id, mut target) = (None, None);
    each_event(workbook, |event, name| {
        if let (Event::Start(element) | Event::Empty(element), "sheet", None) = (event, name, &id) {
            id = attribute(element, "id");
        }
    })?;
    each_event(relations, |event, name| {
        if let (Event::Start(element) | Event::Empty(element), "Relationship") = (event, name)
            && id.is_some()
            && attribute(element, "Id") == id
        {
            target = attribute(element, "Target");
        }
    })?;
    let target = target.unwrap_or_else(|| "worksheets/sheet1.xml".into());
    Ok(target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned))
}

/// The strings that cells refer to; phonetic hints are left out.
fn shared_strings(text: &str) -> Result<Vec<String>, GlossaryFileError> {
    let (mut strings, mut inside, mut hint) = (Vec::new(), false, false);
    each_event(text, |event, name| match (event, name) {
        (Event::Start(_), "si") => strings.push(String::new()),
        (Event::Empty(_), "si") => strings.push(String::new()),
        (Event::Start(_), "rPh") => hint = true,
        (Event::End(_), "rPh") => hint = false,
        (Event::Start(_), "t") => inside = true,
        (Event::End(_), "t") => inside = false,
        _ => {
            if let (Some(text), Some(last), true, false) = (text_of(event), strings.last_mut(), inside, hint) {
                last.push_str(&text);
            }
        }
    })?;
    Ok(strings)
}

/// A cell while it is read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    text: String,
}

fn sheet_rows(text: &str, strings: &[String]) -> Result<Vec<Row>, GlossaryFileError> {
    let (mut rows, mut cell, mut inside): (Vec<Row>, Cell, bool) = (Vec::new(), Cell::default(), false);
    each_event(text, |event, name| match (event, name) {
        (Event::Start(element) | Event::Empty(element), "row") => {
            let number = attribute(element, "r").and_then(|number| number.parse().ok());
            let number = number.unwrap_or(rows.len() + 1);
            rows.push(Row { number, cells: Vec::new() });
        }
        (Event::Start(element), "c") => {
            let next = rows.last().map_or(0, |row| row.cells.len());
            let column = attribute(element, "r").and_then(|place| column(&place)).unwrap_or(next);
            cell = Cell { column, kind: attribute(element, "t").unwrap_or_default(), text: String::new() };
        }
        (Event::End(_), "c") => {
            if let Some(row) = rows.last_mut().filter(|_| cell.column < WIDEST) {
                let shared = cell.text.trim().parse().ok().and_then(|number: usize| strings.get(number));
                let text = if cell.kind == "s" { shared.map_or("", String::as_str) } else { &cell.text };
                row.cells.resize(row.cells.len().max(cell.column + 1), String::new());
                row.cells[cell.column] = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
        }
        (Event::Start(_), "v" | "t") => inside = true,
        (Event::End(_), "v" | "t") => inside = false,
        _ => {
            if let (Some(text), true) = (text_of(event), inside) {
                cell.text.push_str(&text);
            }
        }
    })?;
    Ok(rows)
}

/// The column of a cell's place, from 0: `B2` is in column 1.
fn column(place: &str) -> Option<usize> {
    let letters = place.chars().take_while(char::is_ascii_uppercase);
    let column = letters.fold(0_usize, |sum, c| sum.saturating_mul(26).saturating_add(c as usize - 'A' as usize + 1));
    column.checked_sub(1)
}

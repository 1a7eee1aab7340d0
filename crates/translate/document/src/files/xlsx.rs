//! Workbooks of Excel: the texts of cells, comments and shapes. Formulas and numbers stay.
//!
//! The names of a table's columns and of a pivot table's fields are those of cells: a cell with such a text stays, as
//! Excel repairs a workbook where they differ.

use super::elements::{Element, Elements, text_of};
use super::reading::Reading;
use super::{office, values};
use crate::block::{Block, LineEnds, Sentences};
use crate::escape::Escape;
use crate::markup::{Paragraphs, Syntax, references};
use crate::regions::Regions;
use crate::{Error, FileOptions, SegmentedText};
use std::collections::HashSet;

/// The longest name of a sheet, in units of UTF-16.
const LONGEST_NAME: usize = 31;

/// A workbook with more sheets keeps their names: each is looked for in all parts.
const MOST_SHEETS: usize = 256;

/// Whether a part has text, or names that decide what is translated.
pub(crate) fn is_read(name: &str) -> bool {
    let Some(name) = name.strip_prefix("xl/").and_then(|name| name.strip_suffix(".xml")) else { return false };
    let starts = ["worksheets/sheet", "comments", "threadedComments/", "drawings/drawing", "tables/", "charts/chart"];
    let pivot = name.starts_with("pivotCache/pivotCacheDefinition");
    matches!(name, "sharedStrings" | "workbook") || pivot || starts.iter().any(|start| name.starts_with(start))
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Texts of a workbook that stay, as they name columns, or sheets to which other parts refer.
pub(crate) fn names<'t>(
    parts: impl Iterator<Item = &'t str> + Clone,
    options: &FileOptions,
) -> Result<HashSet<String>, Error> {
    let (mut names, mut sheets) = (HashSet::new(), 0);
    for part in parts.clone().filter(|part| ["<f", "<formula", "<filter", ":f"].iter().any(|tag| part.contains(tag))) {
        compared(part, &mut names)?;
    }
    let tags = ["tableColumn", "cacheField", "sheets"];
    for part in parts.clone().filter(|part| tags.iter().any(|tag| part.contains(tag))) {
        for element in Elements::new(part)?.all() {
            let Some(name) = element.attribute("name").and_then(text_of) else { continue };
            match local(element.name) {
                "tableColumn" | "cacheField" => drop(names.insert(name)),
                "sheet" if options.sheet_names => {
                    sheets += 1;
                    if sheets > MOST_SHEETS || parts.clone().any(|part| refers(part, &name)) {
                        names.insert(sheet_key(&name));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(names)
}

/// Adds the texts that formulas, lists of choices, rules and filters name: a cell with such a text is compared with it.
fn compared(part: &str, names: &mut HashSet<String>) -> Result<(), Error> {
    for element in Elements::new(part)?.all() {
        if local(element.name) == "filter" {
            names.extend(element.attribute("val").and_then(text_of));
        }
        if !matches!(local(element.name), "f" | "formula" | "formula1" | "formula2") {
            continue;
        }
        let Some(formula) = text_of(&part[element.inner.clone()]) else { continue };
        // Between quotation marks, which are doubled inside a text: every second part.
        for text in formula.split('"').skip(1).step_by(2).filter(|text| text.contains(char::is_alphabetic)) {
            names.insert(text.to_owned());
            if local(element.name) == "formula1" {
                names.extend(text.split(',').map(|choice| choice.trim().to_owned()));
            }
        }
    }
    Ok(())
}

/// The entry of a sheet's name among the texts that stay; no cell has such a text.
fn sheet_key(name: &str) -> String {
    format!("{name}!")
}

/// Whether a part refers to a sheet: `Sheet1!A1`, `'My sheet'!A1`, `sheet="My sheet"`.
fn refers(part: &str, sheet: &str) -> bool {
    let escaped = super::message::to_xml(sheet);
    ["!", "'!", "&apos;!", "&#39;!"].iter().any(|sign| part.contains(&format!("{escaped}{sign}")))
        || part.contains(&format!("sheet=\"{escaped}\""))
}

/// A part.
pub(crate) fn read(text: String, reading: &Reading<'_>) -> Result<SegmentedText, Error> {
    let elements = Elements::new(&text)?;
    let root = elements.all().next().map(|root| root.name);
    let prefixed = root.is_some_and(|root| root.starts_with("x:"));
    let (mut blocks, escape) = match root.map(local) {
        Some("wsDr" | "chartSpace") => {
            let blocks = office::paragraphs(&text, &office::SLIDES, &Regions::default(), &reading.lines());
            return Ok(SegmentedText::from_blocks(text, blocks, Escape::Runs));
        }
        Some("workbook") if reading.options.files.sheet_names => (sheets(&text, &elements, reading), Escape::Attribute),
        Some("sst" | "worksheet" | "comments" | "ThreadedComments") => {
            let names = if prefixed { &office::PREFIXED_CELLS } else { &office::CELLS };
            let rich =
                names.iter().flat_map(|names| office::paragraphs(&text, names, &Regions::default(), &reading.lines()));
            (rich.chain(plain(&text, &elements, reading)).collect(), Escape::Markup)
        }
        _ => (Vec::new(), Escape::Markup),
    };
    if root.map(local) == Some("worksheet") {
        blocks.extend(values::blocks(&text, &values::SHEET, Syntax::Xml, reading.options, &reading.lines()));
    }
    let stays = staying(&text, &elements, reading);
    blocks.retain(|block| !stays.iter().any(|stays| stays.contains(&block.range.start)));
    blocks.sort_by_key(|block| block.range.start);
    drop(elements);
    Ok(SegmentedText::from_blocks(text, blocks, escape))
}

/// The elements that hold a text.
fn holders<'e, 't>(elements: &'e Elements<'t>) -> impl Iterator<Item = Element<'t>> + use<'e, 't> {
    let mut end = 0;
    let found = elements.all().filter(|element| matches!(local(element.name), "si" | "is" | "text"));
    found.filter(move |element| {
        // Only a broken file has such elements inside each other.
        let apart = element.range.start >= end;
        end = end.max(element.range.end);
        apart
    })
}

/// The places of texts that stay.
fn staying(text: &str, elements: &Elements<'_>, reading: &Reading<'_>) -> Vec<std::ops::Range<usize>> {
    if reading.stays.is_empty() {
        return Vec::new();
    }
    let shown = |holder: &Element<'_>| -> String {
        let texts = elements.inside(holder).filter(|element| local(element.name) == "t");
        texts.filter_map(|element| text_of(&text[element.inner])).collect()
    };
    holders(elements).filter(|holder| reading.stays.contains(&shown(holder))).map(|holder| holder.range).collect()
}

/// Texts without runs.
fn plain(text: &str, elements: &Elements<'_>, reading: &Reading<'_>) -> Vec<Block> {
    let how = Sentences { line_ends: LineEnds::Message, ..reading.lines() };
    let mut paragraphs = Paragraphs::new(&how);
    for holder in holders(elements) {
        let mut children = elements.children(&holder).filter(|child| local(child.name) != "rPh").peekable();
        // A comment in a thread has its text without more elements.
        let inner = match children.peek() {
            None => holder.inner.clone(),
            Some(child) if local(child.name) == "t" => child.inner.clone(),
            Some(_) => continue,
        };
        references(&mut paragraphs, text, inner.clone(), Syntax::Xml);
        paragraphs.end(inner.end);
    }
    paragraphs.finish(text.len())
}

/// The names of sheets.
fn sheets(text: &str, elements: &Elements<'_>, reading: &Reading<'_>) -> Vec<Block> {
    let how = reading.lines();
    let mut paragraphs = Paragraphs::new(&how);
    for sheet in elements.all().filter(|element| local(element.name) == "sheet") {
        let Some(name) = sheet.attribute("name") else { continue };
        let stays = text_of(name).is_none_or(|name| reading.stays.contains(&sheet_key(&name)));
        let start = sheet.range.start + (name.as_ptr() as usize - sheet.tag.as_ptr() as usize);
        if !stays && !name.is_empty() {
            references(&mut paragraphs, text, start..start + name.len(), Syntax::Xml);
            paragraphs.end(start + name.len());
        }
    }
    paragraphs.finish(text.len())
}

/// Makes the names of sheets legal: no forbidden signs, at most 31 characters, each once.
pub(crate) fn legal_names(workbook: &str) -> String {
    let Ok(elements) = Elements::new(workbook) else { return workbook.to_owned() };
    let (mut written, mut last, mut known) = (String::with_capacity(workbook.len()), 0, HashSet::new());
    let sheets = elements.all().filter(|element| local(element.name) == "sheet");
    for sheet in sheets {
        let Some(name) = sheet.attribute("name") else { continue };
        let start = sheet.range.start + (name.as_ptr() as usize - sheet.tag.as_ptr() as usize);
        let Some(shown) = text_of(name) else { continue };
        let legal = legal_name(&shown, &mut known);
        if legal != shown {
            written.push_str(&workbook[last..start]);
            Escape::Attribute.push(&mut written, &legal);
            last = start + name.len();
        }
    }
    written + &workbook[last..]
}

fn legal_name(name: &str, known: &mut HashSet<String>) -> String {
    let allowed = |c: &char| !matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\') && !c.is_control();
    let name: String = name.chars().filter(allowed).collect();
    let name = name.trim_matches(['\'', ' ']);
    let cut = |length: usize| {
        let mut units = 0;
        let fits = |c: &char| {
            units += c.len_utf16();
            units <= length
        };
        name.chars().take_while(fits).collect::<String>().trim_end().to_owned()
    };
    let mut legal = cut(LONGEST_NAME);
    let mut number = known.len() + 1;
    while legal.is_empty() || !known.insert(legal.to_lowercase()) {
        let end = format!(" ({number})");
        legal = format!("{}{end}", cut(LONGEST_NAME - end.len())).trim_start().to_owned();
        number += 1;
    }
    legal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sheets_are_legal() {
        let workbook = "<workbook><sheets><sheet name=\"Ein/Aus [2024]: was?\" id=\"1\"/><sheet name=\"Haus\"/><sheet name=\"haus\"/><sheet name=\"Ein sehr langer Name eines Blattes, der nicht passt\"/><sheet name=\"??\"/></sheets></workbook>";
        let expected = "<workbook><sheets><sheet name=\"EinAus 2024 was\" id=\"1\"/><sheet name=\"Haus\"/><sheet name=\"haus (3)\"/><sheet name=\"Ein sehr langer Name eines Blat\"/><sheet name=\"(5)\"/></sheets></workbook>";
        assert_eq!(legal_names(workbook), expected);
    }
}

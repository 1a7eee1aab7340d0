//! Cells of spreadsheets and tables in OpenDocument that stay: formulas, numbers and dates, and texts that formulas,
//! filters and lists of choices name.

use crate::markup::{Kind, Syntax, Token, attribute, ends, plain_text, scan};
use std::collections::HashSet;
use std::ops::Range;

/// The attributes in which a text stands that is compared with those of cells.
const COMPARED: &[(&str, &str)] = &[
    ("table:table-cell", "table:formula"),
    ("table:content-validation", "table:condition"),
    ("style:map", "style:condition"),
    ("calcext:condition", "calcext:value"),
];

/// The attributes whose value is a text that cells have.
const NAMED: &[(&str, &str)] = &[
    ("table:filter-condition", "table:value"),
    ("table:filter-set-item", "table:value"),
    ("table:data-pilot-field", "table:source-field-name"),
    ("table:data-pilot-member", "table:name"),
];

/// The bytes of the cells of a part that stay, in order.
pub(crate) fn staying(text: &str) -> Vec<Range<usize>> {
    if !text.contains("<table:table-cell") {
        return Vec::new();
    }
    let tokens = scan(text, Syntax::Xml);
    let ends = ends(&tokens);
    let named = named(text, &tokens);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        let (Kind::Open(name, false), Some(end)) = (&token.kind, ends[number]) else { continue };
        let inside_other = found.last().is_some_and(|last| token.range.start < last.end);
        if inside_other || !matches!(name.as_str(), "table:table-cell" | "table:covered-table-cell") {
            continue;
        }
        let tag = &text[token.range.clone()];
        let is_text = attribute(tag, "office:value-type").is_none_or(|kind| kind == "string");
        let is_formula = attribute(tag, "table:formula").is_some();
        if !is_text || is_formula || (!named.is_empty() && named.contains(&shown(text, &tokens[number..end]))) {
            found.push(token.range.start..tokens[end].range.end);
        }
    }
    found
}

/// Whether a byte stands in one of these cells.
pub(crate) fn has(cells: &[Range<usize>], byte: usize) -> bool {
    let next = cells.partition_point(|cell| cell.end <= byte);
    cells.get(next).is_some_and(|cell| cell.contains(&byte))
}

/// The text of a cell, as a formula compares it.
fn shown(text: &str, tokens: &[Token]) -> String {
    let texts = tokens.iter().filter(|token| token.kind == Kind::Text);
    texts.map(|token| plain_text(&text[token.range.clone()], Syntax::Xml)).collect::<String>().trim().to_owned()
}

/// The texts that formulas, conditions, filters and pivot tables name.
fn named(text: &str, tokens: &[Token]) -> HashSet<String> {
    let mut named = HashSet::new();
    for token in tokens {
        let Kind::Open(name, _) = &token.kind else { continue };
        let tag = &text[token.range.clone()];
        let values = |known: &[(&str, &str)]| -> Vec<String> {
            let keys = known.iter().filter(|(element, _)| element == name);
            keys.filter_map(|(_, key)| attribute(tag, key)).map(|value| plain_text(value, Syntax::Xml)).collect()
        };
        named.extend(values(NAMED));
        for condition in values(COMPARED) {
            // Between quotation marks, which are doubled inside a text: every second part.
            let texts = condition.split('"').skip(1).step_by(2);
            named.extend(texts.filter(|text| text.contains(char::is_alphabetic)).map(|text| text.trim().to_owned()));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay() {
        let cell = |attributes: &str, shown: &str| {
            format!("<table:table-cell{attributes}><text:p>{shown}</text:p></table:table-cell>")
        };
        let cells = [
            cell("", "House"),
            cell(" office:value-type=\"string\"", "Yes"),
            cell(" office:value-type=\"date\"", "Monday, 4 March"),
            cell(" table:formula=\"of:=IF([.A1]=&quot;Yes&quot;;1;2)\" office:value-type=\"string\"", "Garden"),
        ];
        let text = cells.concat();
        let found: Vec<&str> = staying(&text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, [cells[1].as_str(), &cells[2], &cells[3]]);
        assert!(has(&staying(&text), cells[0].len() + 3) && !has(&staying(&text), 3));
    }
}

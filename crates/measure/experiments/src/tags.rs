//! Tags of `phpdoc-de-en`'s tagged paragraphs in translations, and their places in the reference.

use crate::setup::{Setup, read_lines, round};
use anyhow::Result;
use metaphrase::{Document, Request, Split, TextFormat, TextOptions, Translation};
use serde::Serialize;
use std::collections::HashMap;

/// Name and text of an element.
type Element = (String, String);

#[derive(Serialize)]
struct Row {
    direction: String,
    paragraphs: usize,
    /// Elements of the sources.
    elements: usize,
    /// Paragraphs whose translation has the tags of the source, each as often.
    kept: usize,
    /// Paragraphs whose translation is well-formed.
    well_formed: usize,
    /// The share of the elements of one-sentence references that get the same words in the reference's text, by
    /// attention and equal words.
    placed_by_attention: f64,
    /// The same by equal words and the order of words alone.
    placed_by_order: f64,
    compared: usize,
}

/// Both directions with the bundled models.
pub fn run(setup: &Setup) -> Result<()> {
    let rows = [["en", "de"], ["de", "en"]].map(|[from, to]| direction(setup, from, to));
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_>>()?;
    println!("{}", serde_json::to_string_pretty(&rows)?);
    setup.write("tags", &rows)
}

fn direction(setup: &Setup, from: &str, to: &str) -> Result<Row> {
    let read = |side: &str| read_lines(&setup.data(format!("phpdoc-de-en/tagged.{side}.gz")));
    let (sources, references) = (read(from)?, read(to)?);
    let translator = metaphrase::Translator::builder().model(format!("{from}-{to}")).threads(1).build()?;
    let options = translator.with_alignment(&translator.options());
    let how = TextOptions { format: TextFormat::Html, language: from.into(), ..TextOptions::default() };
    let whole = TextOptions { split: Split::Lines, longest: usize::MAX, ..how.clone() };
    let (mut row, mut right) = (
        Row {
            direction: format!("{from}-{to}"),
            paragraphs: sources.len(),
            elements: 0,
            kept: 0,
            well_formed: 0,
            placed_by_attention: 0.0,
            placed_by_order: 0.0,
            compared: 0,
        },
        [0, 0],
    );
    for (source, reference) in sources.iter().zip(&references) {
        let translated = translator.translate_text(&options, &how, source.as_str())?;
        let translated = translated.text();
        let (given, found) = (elements(source), elements(translated));
        row.elements += given.as_ref().map_or(0, Vec::len);
        row.well_formed += usize::from(found.is_some());
        row.kept += usize::from(tags(source) == tags(translated));
        let prepared = Document::text(source.as_str(), &whole)?;
        let (Some(expected), [request]) = (elements(reference), &prepared.requests()[..]) else { continue };
        let scored = translator.run(&options, vec![Request::score(request.source.clone(), plain(reference))])?;
        let mut unaligned: Vec<Translation> = scored.clone();
        unaligned
            .iter_mut()
            .flat_map(|translation| &mut translation.hypotheses)
            .for_each(|hypothesis| hypothesis.attention = None);
        for (number, translations) in [scored, unaligned].into_iter().enumerate() {
            right[number] += equal(&expected, &elements(prepared.finish(translations)?.text()).unwrap_or_default());
        }
        row.compared += expected.len();
    }
    let share = |right: usize| round(right as f64 / row.compared.max(1) as f64, 3);
    (row.placed_by_attention, row.placed_by_order) = (share(right[0]), share(right[1]));
    Ok(row)
}

/// The text without tags.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('<').enumerate() {
        plain.push_str(if number == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) });
    }
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Tags in alphabetical order.
fn tags(text: &str) -> Vec<&str> {
    let mut tags: Vec<&str> = text.split('<').skip(1).filter_map(|part| Some(part.split_once('>')?.0)).collect();
    tags.sort_unstable();
    tags
}

/// Name and text of each element; `None` if the tags are not nested.
fn elements(text: &str) -> Option<Vec<Element>> {
    let (mut found, mut open): (Vec<Element>, Vec<Element>) = (Vec::new(), Vec::new());
    for part in text.split('<').skip(1) {
        let (tag, after) = part.split_once('>')?;
        match tag.strip_prefix('/') {
            Some(name) => {
                let (opened, inner) = open.pop()?;
                if opened != name {
                    return None;
                }
                open.last_mut().into_iter().for_each(|(_, outer)| outer.push_str(&inner));
                found.push((opened, inner.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            None if tag.ends_with('/') => {}
            None => open.push((tag.split_whitespace().next()?.to_owned(), String::new())),
        }
        open.last_mut().into_iter().for_each(|(_, inner)| inner.push_str(&plain(after)));
    }
    open.is_empty().then_some(found)
}

/// How many of the expected elements are among the found ones.
fn equal(expected: &[Element], found: &[Element]) -> usize {
    let mut left: HashMap<&Element, usize> = HashMap::new();
    for element in found {
        *left.entry(element).or_default() += 1;
    }
    let mut equal = 0;
    for element in expected {
        if let Some(left) = left.get_mut(element).filter(|left| **left > 0) {
            *left -= 1;
            equal += 1;
        }
    }
    equal
}

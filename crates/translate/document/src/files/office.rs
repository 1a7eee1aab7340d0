//! Documents of Word and slides of PowerPoint: paragraphs of runs, each with its own form.
//!
//! The form that most of a paragraph's text has is the form of its text; other runs are elements with a form of their
//! own.

mod fields;
mod foreign;

use crate::block::{Block, Sentences, Wrap};
use crate::escape::Escape;
use crate::marks::{Form, is_mark};
use crate::markup::{Kind, Syntax, Token, ends, plain_text, scan};
use crate::regions::Regions;
use fields::fields;
use std::collections::HashMap;
use std::ops::Range;

/// The names of a format's elements.
pub(crate) struct Names {
    paragraph: &'static str,
    run: &'static str,
    form: &'static str,
    text: &'static str,
    /// Children of a run, or of a paragraph, that end a line or a column.
    breaks: &'static [&'static str],
    /// Elements around runs.
    around: &'static [&'static str],
}

/// Word.
pub(crate) const WORD: Names = Names {
    paragraph: "w:p",
    run: "w:r",
    form: "w:rPr",
    text: "w:t",
    breaks: &["w:br", "w:tab", "w:cr", "w:ptab"],
    around: &["w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:sdt", "w:sdtContent"],
};

/// PowerPoint.
pub(crate) const SLIDES: Names =
    Names { paragraph: "a:p", run: "a:r", form: "a:rPr", text: "a:t", breaks: &["a:br"], around: &[] };

/// Texts of Excel that have runs: of the shared strings, inside cells, and in comments.
pub(crate) const CELLS: [Names; 3] =
    [cells(["si", "r", "rPr", "t"]), cells(["is", "r", "rPr", "t"]), cells(["text", "r", "rPr", "t"])];

/// The same with the prefix that some programs write.
pub(crate) const PREFIXED_CELLS: [Names; 3] = [
    cells(["x:si", "x:r", "x:rPr", "x:t"]),
    cells(["x:is", "x:r", "x:rPr", "x:t"]),
    cells(["x:text", "x:r", "x:rPr", "x:t"]),
];

const fn cells([paragraph, run, form, text]: [&'static str; 4]) -> Names {
    Names { paragraph, run, form, text, breaks: &[], around: &[] }
}

/// A part of a paragraph, and the bytes of the run or the tag that it comes from.
struct LocatedPiece<'t> {
    piece: Piece<'t>,
    at: Range<usize>,
}

enum Piece<'t> {
    /// Text of a form.
    Text {
        form: &'t str,
        text: String,
        origin: Range<usize>,
    },
    /// Something at a place, as it is written inside a paragraph; whether a line ends there.
    Marker {
        raw: String,
        breaks: bool,
        field: Option<Field>,
    },
    /// A field, as it is written, and what readers see of it: a number of a page, the name of a figure.
    Field {
        raw: String,
        shown: String,
    },
    /// An element around runs, and its end.
    Open(&'t str),
    Close(&'t str),
}

/// A part of a field of Word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Begin,
    /// The runs after it are shown.
    Separate,
    End,
}

/// The paragraphs of a part.
pub(crate) fn paragraphs(text: &str, names: &Names, regions: &Regions, how: &Sentences<'_>) -> Vec<Block> {
    let tokens = scan(text, Syntax::Xml);
    let ends = ends(&tokens);
    let (pieces, blocks) = (Vec::new(), Vec::new());
    let mut reader = Reader { text, tokens: &tokens, ends: &ends, names, regions, how, pieces, blocks };
    // Ranges of tokens that are still to be read, the first one last; whether they are the content of a paragraph.
    let mut waiting = vec![(0..tokens.len(), false)];
    while let Some((range, inside)) = waiting.pop() {
        let rest = if inside { reader.content(range) } else { reader.next_paragraph(range) };
        waiting.extend(rest.into_iter().rev());
        reader.flush();
    }
    reader.blocks.sort_by_key(|block| block.range.start);
    reader.blocks
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    ends: &'a [Option<usize>],
    names: &'a Names,
    regions: &'a Regions,
    how: &'a Sentences<'a>,
    pieces: Vec<LocatedPiece<'a>>,
    blocks: Vec<Block>,
}

type Ranges = Vec<(Range<usize>, bool)>;

impl<'a> Reader<'a> {
    fn name(&self, number: usize) -> &'a str {
        match &self.tokens[number].kind {
            Kind::Open(name, _) => name,
            _ => "",
        }
    }

    /// The last token of the element that begins here.
    fn end(&self, number: usize) -> usize {
        self.ends[number].unwrap_or(number)
    }

    fn raw(&self, first: usize, last: usize) -> &'a str {
        &self.text[self.tokens[first].range.start..self.tokens[last].range.end]
    }

    /// Looks for the next paragraph.
    fn next_paragraph(&self, range: Range<usize>) -> Ranges {
        let found =
            range.clone().find(|&number| self.name(number) == self.names.paragraph && self.ends[number].is_some());
        found.map_or_else(Vec::new, |start| {
            vec![(start + 1..self.end(start), true), (self.end(start) + 1..range.end, false)]
        })
    }

    /// Reads the content of a paragraph. Stops at something that holds paragraphs itself: these ranges are still to be
    /// read.
    fn content(&mut self, range: Range<usize>) -> Ranges {
        let mut number = range.start;
        let mut around: Vec<usize> = Vec::new();
        while number < range.end {
            while around.pop_if(|start| self.ends[*start] == Some(number)).is_some() {
                self.push(Piece::Close(self.raw(number, number)), number, number);
            }
            let (name, last) = (self.name(number), self.end(number).min(range.end - 1));
            if name.is_empty() {
                number += 1;
                continue;
            }
            let holds = (number + 1..last).any(|inner| self.name(inner) == self.names.paragraph);
            if holds && around.is_empty() {
                return vec![(number + 1..last, false), (last + 1..range.end, true)];
            }
            if self.names.around.contains(&name) && !holds && last > number {
                self.push(Piece::Open(self.raw(number, number)), number, number);
                around.push(number);
                number += 1;
                continue;
            }
            if name == self.names.run && !holds && last > number {
                self.run(number, last);
            } else {
                let breaks = self.names.breaks.contains(&name);
                let raw = self.raw(number, last).to_owned();
                let shown = if FIELDS.contains(&name) { self.shown(number, last) } else { String::new() };
                let piece = if shown.is_empty() {
                    Piece::Marker { raw, breaks, field: None }
                } else {
                    Piece::Field { raw, shown }
                };
                self.push(piece, number, last);
            }
            number = last + 1;
        }
        Vec::new()
    }

    /// The text inside an element.
    fn shown(&self, start: usize, end: usize) -> String {
        let mut shown = String::new();
        for number in (start..end).filter(|&number| self.name(number) == self.names.text) {
            let inner = self.tokens[number].range.end..self.tokens[self.end(number).min(end)].range.start;
            if inner.start <= inner.end {
                shown.push_str(&plain_text(&self.text[inner], Syntax::Xml));
            }
        }
        shown
    }

    /// Reads a run.
    fn run(&mut self, start: usize, end: usize) {
        let mut form = "";
        let mut number = start + 1;
        while number < end {
            let (name, last) = (self.name(number), self.end(number).min(end - 1));
            let written = |raw: &str| format!("<{0}>{form}{raw}</{0}>", self.names.run);
            if name == self.names.form {
                form = self.raw(number, last);
            } else if name == self.names.text {
                let inner =
                    self.tokens[number].range.end..self.tokens[last].range.start.max(self.tokens[number].range.end);
                let text = plain_text(&self.text[inner.clone()], Syntax::Xml);
                self.push(Piece::Text { form, text, origin: inner }, start, end);
            } else if name == "w:noBreakHyphen" {
                let (text, origin) = ("\u{2011}".to_owned(), self.tokens[number].range.clone());
                self.push(Piece::Text { form, text, origin }, start, end);
            } else if name == "w:softHyphen" {
                // It shows only where a line ends, and the lines of the translation end elsewhere.
            } else if !name.is_empty() {
                let breaks = self.names.breaks.contains(&name);
                let raw = written(self.raw(number, last));
                let is = |kind: &str| name == "w:fldChar" && raw.contains(&format!("w:fldCharType=\"{kind}\""));
                let fields = [("begin", Field::Begin), ("separate", Field::Separate), ("end", Field::End)];
                let field = fields.into_iter().find(|(kind, _)| is(kind)).map(|(_, field)| field);
                self.push(Piece::Marker { raw, breaks, field }, start, end);
            }
            number = last + 1;
        }
    }

    fn push(&mut self, piece: Piece<'a>, first: usize, last: usize) {
        self.pieces.push(LocatedPiece { piece, at: self.tokens[first].range.start..self.tokens[last].range.end });
    }

    /// Makes a paragraph from the pieces.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let pieces = foreign::apart(fields(self.text, pieces), self.regions, self.names);
        self.blocks.extend(with_text(&pieces).and_then(|pieces| block(pieces, self.names, self.how)));
    }
}

/// Elements that are fields.
const FIELDS: &[&str] = &["w:fldSimple", "a:fld"];

/// The pieces from the first text to the last one, with the elements around them and all pieces of their runs.
fn with_text<'p, 't>(pieces: &'p [LocatedPiece<'t>]) -> Option<&'p [LocatedPiece<'t>]> {
    let is_text = |found: &LocatedPiece<'_>| matches!(found.piece, Piece::Text { .. });
    let mut first = pieces.iter().position(is_text)?;
    let mut last = pieces.iter().rposition(is_text)?;
    let opened = |to: usize| {
        let mut open = Vec::new();
        for (number, found) in pieces[..to].iter().enumerate() {
            match found.piece {
                Piece::Open(_) => open.push(number),
                Piece::Close(_) => drop(open.pop()),
                _ => {}
            }
        }
        open
    };
    if let Some(&outer) = opened(first).first() {
        first = outer;
    }
    let mut depth = opened(last).len();
    while depth > 0 && last + 1 < pieces.len() {
        last += 1;
        depth -= usize::from(matches!(pieces[last].piece, Piece::Close(_)));
        depth += usize::from(matches!(pieces[last].piece, Piece::Open(_)));
    }
    while first > 0 && pieces[first - 1].at == pieces[first].at {
        first -= 1;
    }
    while last + 1 < pieces.len() && pieces[last + 1].at == pieces[last].at {
        last += 1;
    }
    Some(&pieces[first..=last])
}

/// The paragraph of pieces.
fn block(pieces: &[LocatedPiece<'_>], names: &Names, how: &Sentences<'_>) -> Option<Block> {
    let range = pieces.first()?.at.start..pieces.last()?.at.end;
    let base = base_form(pieces);
    let text = |form: &str| Wrap {
        before: format!("<{}>{form}<{}>", names.run, open_text(names)),
        after: format!("</{}></{}>", names.text, names.run),
    };
    let mut block = Block::new(range.start);
    block.wrap = text(base);
    let mut around: Vec<usize> = Vec::new();
    let mut run: Option<(usize, &str)> = None;
    for piece in pieces.iter().map(|found| &found.piece) {
        let same = matches!((piece, &run), (Piece::Text { form, .. }, Some((_, open))) if form == open);
        let raised = matches!(piece, Piece::Text { form, text, .. }
            if is_raised(form) && is_mark(text, Form::Raised, &block.text));
        if (raised || !same)
            && let Some((element, _)) = run.take()
        {
            block.close(element, format!("</{}>", names.run));
        }
        let parent = around.last().copied();
        match piece {
            Piece::Text { form, text, .. } if raised => _ = block.open(written_run(form, text, names), parent),
            Piece::Text { form, text, origin } => {
                if *form != base && run.is_none() {
                    let element = block.open(format!("<{}>{form}", names.run), parent);
                    block.elements[element].wrap =
                        Wrap { before: format!("<{}>", open_text(names)), after: format!("</{}>", names.text) };
                    run = Some((element, form));
                }
                block.push(text, origin.clone());
            }
            Piece::Field { raw, shown } => block.push_copied(shown, &between_runs(raw, base, names), 0..0),
            Piece::Marker { raw, breaks, .. } => {
                block.open(raw.as_str(), parent);
                if *breaks {
                    block.push("\n", 0..0);
                }
            }
            Piece::Open(raw) => {
                let element = block.open(*raw, parent);
                block.elements[element].wrap = text(base);
                around.push(element);
            }
            Piece::Close(raw) => {
                if let Some(element) = around.pop() {
                    block.close(element, *raw);
                }
            }
        }
    }
    if let Some((element, _)) = run {
        block.close(element, format!("</{}>", names.run));
    }
    block.end(range.end, how);
    block.sentences.iter().any(|sentence| sentence.has_words).then_some(block)
}

/// A field inside the text of a run, which ends before it and goes on in a run of this form.
fn between_runs(raw: &str, form: &str, names: &Names) -> String {
    let (run, text) = (names.run, names.text);
    format!("</{text}></{run}>{raw}<{run}>{form}<{}>", open_text(names))
}

/// The form that most of the text has.
fn base_form<'p>(pieces: &'p [LocatedPiece<'_>]) -> &'p str {
    let mut sums: HashMap<&str, usize> = HashMap::new();
    for found in pieces {
        if let Piece::Text { form, text, .. } = &found.piece {
            *sums.entry(form).or_default() += text.len();
        }
    }
    sums.into_iter().max_by_key(|&(form, sum)| (sum, std::cmp::Reverse(form))).map_or("", |(form, _)| form)
}

/// A run as it is written.
fn written_run(form: &str, text: &str, names: &Names) -> String {
    let mut written = String::new();
    Escape::Runs.push(&mut written, text);
    format!("<{0}>{form}<{1}>{written}</{2}></{0}>", names.run, open_text(names), names.text)
}

fn open_text(names: &Names) -> String {
    let keeps = if matches!(names.text, "w:t" | "t" | "x:t") { " xml:space=\"preserve\"" } else { "" };
    format!("{}{keeps}", names.text)
}

/// Whether the text of a run with this form stands higher than other text.
fn is_raised(form: &str) -> bool {
    let up = |value: &str| value.starts_with(|c: char| matches!(c, '1'..='9'));
    form.contains("w:vertAlign w:val=\"superscript\"") || form.split("baseline=\"").nth(1).is_some_and(up)
}

//! Texts in another language than that of the document around them, which stay as they are.
//!
//! Attributes of a document name the languages of its elements. A text in neither the language that is translated nor
//! the language of the whole document is a quotation, a title, or a version for other readers.

mod styles;

use crate::Options;
use crate::markup::{Kind, Syntax, Token, attribute, ends, is_block, scan};
use crate::regions::{Mark, Regions};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
pub(crate) use styles::Styles;

/// How a format names the languages of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marking {
    /// By attributes of elements of HTML or XML.
    Markup(Syntax),
    /// By `w:lang` in the form of a run of Word.
    Word,
    /// By `lang` of the form of a run of PowerPoint.
    Slides,
    /// By styles of OpenDocument.
    OpenDocument,
}

/// Which of the elements that name a language stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Languages {
    marking: Option<Marking>,
    /// By element that names a language, in order: its language, if its text stays.
    foreign: Vec<Option<&'static str>>,
    /// The languages of the texts that stay, and the numbers of these texts.
    pub(crate) counts: Vec<(&'static str, usize)>,
    /// Styles of another part of a document.
    styles: Arc<Styles>,
}

impl Languages {
    /// The languages that a document names. Nothing stays if the language of the source is unknown, if nothing else is
    /// left, or if a document of an office has more text in foreign languages than in others: programs mark text with
    /// the language of the keyboard.
    ///
    /// `styles`: those of other parts of the document.
    pub(crate) fn find(text: &str, marking: Marking, styles: &Arc<Styles>, options: &Options) -> Self {
        let Some(source) = primary(&options.language).filter(|_| marking.is_in(text)) else { return Self::default() };
        let tokens = scan(text, marking.syntax());
        let ends = ends(&tokens);
        let marks = marking.marks(text, &tokens, &ends, styles);
        let mut own = vec![source];
        own.extend(marks.iter().filter(|mark| mark.is_root).filter_map(|mark| mark.language));
        let is_foreign = |mark: &Mark| mark.language.filter(|code| !own.contains(code));
        let foreign: Vec<Option<&'static str>> = marks.iter().map(is_foreign).collect();
        if foreign.iter().all(Option::is_none) {
            return Self::default();
        }
        let regions = Regions::new(&tokens, &marks, &foreign);
        let (mut letters, mut counts, mut before) = ((0, 0), Vec::new(), None);
        for token in &tokens {
            let here = regions.at(token.range.start);
            match &token.kind {
                Kind::Open(name, _) if marking.begins_text(name) => before = None,
                Kind::Text | Kind::Cdata => {
                    let count = text[token.range.clone()].chars().filter(|c| c.is_alphabetic()).count();
                    if count == 0 {
                        continue;
                    }
                    if let Some(language) = here.filter(|_| here != before) {
                        add(&mut counts, language, 1);
                    }
                    before = here;
                    *(if here.is_some() { &mut letters.1 } else { &mut letters.0 }) += count;
                }
                _ => {}
            }
        }
        let trusts = matches!(marking, Marking::Markup(_)) || letters.0 >= letters.1;
        let stays = letters.0 > 0 && letters.1 > 0 && trusts;
        let styles = Arc::clone(styles);
        if stays { Self { marking: Some(marking), foreign, counts, styles } } else { Self::default() }
    }

    /// Texts that stay, which were counted elsewhere.
    pub(crate) fn of_counts(counts: Vec<(&'static str, usize)>) -> Self {
        Self { counts, ..Self::default() }
    }

    /// Where the texts that stay are. `text`: the document, in which languages may have other codes.
    pub(crate) fn regions(&self, text: &str) -> Regions {
        let Some(marking) = self.marking else { return Regions::default() };
        let tokens = scan(text, marking.syntax());
        let ends = ends(&tokens);
        Regions::new(&tokens, &marking.marks(text, &tokens, &ends, &self.styles), &self.foreign)
    }
}

/// Adds texts to the count of its language.
pub(crate) fn add(counts: &mut Vec<(&'static str, usize)>, language: &'static str, more: usize) {
    match counts.iter_mut().find(|(known, _)| *known == language) {
        Some((_, count)) => *count += more,
        None => counts.push((language, more)),
    }
}

/// The message about texts in other languages.
pub(crate) fn note(counts: &[(&'static str, usize)]) -> Option<String> {
    let part = |&(language, count): &(&str, usize)| {
        let name = known().find(|(code, _, _)| *code == language).map_or(language, |(_, name, _)| name);
        format!("{count} {} in {name}", if count == 1 { "text" } else { "texts" })
    };
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let stay = if all == 1 { "stays as it is" } else { "stay as they are" };
    (!counts.is_empty()).then(|| format!("{} {stay}", counts.iter().map(part).collect::<Vec<_>>().join(", ")))
}

/// Whether a part of a sentence has several words: programs mark single ones, such as names, as they like.
pub(crate) fn is_phrase(text: &str) -> bool {
    text.trim().contains(char::is_whitespace)
}

impl Marking {
    fn syntax(self) -> Syntax {
        match self {
            Self::Markup(syntax) => syntax,
            Self::Word | Self::Slides | Self::OpenDocument => Syntax::Xml,
        }
    }

    /// Whether a text may name languages: reading its elements takes longer.
    fn is_in(self, text: &str) -> bool {
        match self {
            Self::Markup(_) => text.as_bytes().windows(4).any(|name| name.eq_ignore_ascii_case(b"lang")),
            Self::Word => text.contains("w:lang"),
            Self::Slides => text.contains("lang="),
            // The styles may stand in another part.
            Self::OpenDocument => text.contains("style-name"),
        }
    }

    /// Whether a text begins with this element, for the count of texts.
    fn begins_text(self, name: &str) -> bool {
        match self {
            Self::Markup(Syntax::Html) => is_block(name),
            Self::Markup(Syntax::Xml) => false,
            Self::Word => name == "w:p",
            Self::Slides => name == "a:p",
            Self::OpenDocument => matches!(name, "text:p" | "text:h"),
        }
    }

    /// The elements that name the language of their text, in order.
    fn marks(self, text: &str, tokens: &[Token], ends: &[Option<usize>], styles: &Styles) -> Vec<Mark> {
        match self {
            Self::Markup(syntax) => marks_of_markup(text, syntax, tokens, ends),
            Self::Word => marks_of_runs(text, &RUNS_OF_WORD, tokens, ends),
            Self::Slides => marks_of_runs(text, &RUNS_OF_SLIDES, tokens, ends),
            Self::OpenDocument => marks_of_styles(text, tokens, ends, styles),
        }
    }
}

fn marks_of_markup(text: &str, syntax: Syntax, tokens: &[Token], ends: &[Option<usize>]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut is_first = true;
    for (number, token) in tokens.iter().enumerate() {
        let Kind::Open(name, _) = &token.kind else { continue };
        let is_root = match syntax {
            Syntax::Html => matches!(name.as_str(), "html" | "body"),
            Syntax::Xml => is_first,
        };
        is_first = false;
        let tag = &text[token.range.clone()];
        if let Some(code) = attribute(tag, "lang").or_else(|| attribute(tag, "xml:lang")) {
            let tokens = number..ends[number].unwrap_or(number);
            marks.push(Mark { tokens, language: primary(code), is_root });
        }
    }
    marks
}

/// How a run names its language.
struct RunNames {
    run: &'static str,
    /// The element with the language, inside the run.
    form: &'static str,
    language: &'static str,
}

const RUNS_OF_WORD: RunNames = RunNames { run: "w:r", form: "w:lang", language: "w:val" };
const RUNS_OF_SLIDES: RunNames = RunNames { run: "a:r", form: "a:rPr", language: "lang" };

fn marks_of_runs(text: &str, names: &RunNames, tokens: &[Token], ends: &[Option<usize>]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    // The run that is open and its end.
    let mut run = 0..0;
    for (number, token) in tokens.iter().enumerate() {
        let Kind::Open(name, _) = &token.kind else { continue };
        if name == names.run {
            run = number..ends[number].unwrap_or(number);
        } else if name == names.form
            && number < run.end
            && marks.last().is_none_or(|last| last.tokens.start < run.start)
        {
            let code = attribute(&text[token.range.clone()], names.language).unwrap_or_default();
            marks.push(Mark { tokens: run.clone(), language: primary(code), is_root: false });
        }
    }
    marks
}

fn marks_of_styles(text: &str, tokens: &[Token], ends: &[Option<usize>], others: &Styles) -> Vec<Mark> {
    let own = Styles::read(text, tokens);
    let mut marks = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        let Kind::Open(name, _) = &token.kind else { continue };
        if !matches!(name.as_str(), "text:p" | "text:h" | "text:span") {
            continue;
        }
        let style = attribute(&text[token.range.clone()], "text:style-name");
        if let Some(language) = style.and_then(|style| own.language(style, others)) {
            let tokens = number..ends[number].unwrap_or(number);
            marks.push(Mark { tokens, language: Some(language), is_root: false });
        }
    }
    marks
}

/// The elements of HTML in another language than the source, with these tokens of a text: their bytes and languages.
pub(crate) fn foreign_elements(text: &str, tokens: &[Token], source: &str) -> Vec<(Range<usize>, &'static str)> {
    let Some(source) = primary(source) else { return Vec::new() };
    let ends = ends(tokens);
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    for mark in marks_of_markup(text, Syntax::Html, tokens, &ends) {
        let range = tokens[mark.tokens.start].range.start..tokens[mark.tokens.end].range.end;
        let inside_other = found.last().is_some_and(|(last, _)| range.start < last.end);
        if let Some(language) = mark.language.filter(|language| *language != source && !inside_other) {
            found.push((range, language));
        }
    }
    found
}

/// The languages that are known: code, name, and other codes, of three letters, of old, or of varieties.
const KNOWN: &str = include_str!("languages.txt");

fn known() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let columns = |line: &'static str| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next().unwrap_or_default()))
    };
    KNOWN.lines().filter_map(columns)
}

/// The codes of known languages in their short forms, by all their codes.
static CODES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let codes = |(code, _, others): (&'static str, &'static str, &'static str)| {
        std::iter::once(code).chain(others.split_whitespace()).map(move |other| (other, code))
    };
    known().flat_map(codes).collect()
});

/// The code of a language without country and script, in its short form; `None`: no language is known by it.
fn primary(code: &str) -> Option<&'static str> {
    let code = code.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    CODES.get(&*code).copied()
}

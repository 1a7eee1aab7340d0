//! TBX and TMX: entries with terms in several languages.

use super::file_error::GlossaryFileError;
use super::file_format::GlossaryFormat;
use super::table::base;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// The names of the elements of a format.
struct Names {
    format: GlossaryFormat,
    /// An entry.
    entry: [&'static str; 2],
    /// The terms of a language in an entry.
    language: [&'static str; 2],
    /// A term.
    term: &'static str,
    /// A term with its properties.
    group: [&'static str; 3],
}

const TBX: Names = Names {
    format: GlossaryFormat::Tbx,
    entry: ["termEntry", "conceptEntry"],
    language: ["langSet", "langSec"],
    term: "term",
    group: ["tig", "ntig", "termSec"],
};
const TMX: Names = Names {
    format: GlossaryFormat::Tmx,
    entry: ["tu", "tu"],
    language: ["tuv", "tuv"],
    term: "seg",
    group: ["", "", ""],
};

/// Elements of TMX whose content is code of another format, and no text.
const CODE: [&str; 6] = ["bpt", "ept", "it", "ph", "ut", "sub"];

/// An entry while it is read.
#[derive(Default)]
struct Concept {
    /// Terms with the codes of their languages.
    terms: Vec<(String, String)>,
    language: String,
    /// The term that is being read.
    term: Option<String>,
    /// Elements of code around the place.
    inside_code: usize,
    /// The number of terms before the group that is being read.
    group: usize,
    /// The text of a note about a term.
    note: Option<String>,
    is_deprecated: bool,
}

/// The format, and the source terms with their target terms.
type Entries = (GlossaryFormat, Vec<(String, Vec<String>)>);

/// The entries of a TBX or TMX text.
pub fn entries(text: &str, languages: Option<[&str; 2]>) -> Result<Entries, GlossaryFileError> {
    let (names, concepts) = read(text)?;
    let pair = match languages {
        Some([source, target]) => [base(source), base(target)],
        None => two_languages(&concepts)?,
    };
    let mut entries = Vec::new();
    for terms in &concepts {
        let in_language =
            |code: &str| terms.iter().filter(|(language, _)| language == code).map(|(_, term)| term.clone()).collect();
        let (sources, targets): (Vec<String>, Vec<String>) = (in_language(&pair[0]), in_language(&pair[1]));
        if !targets.is_empty() {
            entries.extend(sources.into_iter().map(|source| (source, targets.clone())));
        }
    }
    if entries.is_empty() {
        let wanted = format!("terms in {} and in {}", pair[0], pair[1]);
        return Err(GlossaryFileError::Languages { wanted, found: codes(&concepts) });
    }
    Ok((names.format, entries))
}

/// All languages, in the order in which they appear.
fn codes(concepts: &[Vec<(String, String)>]) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for (code, _) in concepts.iter().flatten() {
        if !codes.contains(code) && codes.len() < 100 {
            codes.push(code.clone());
        }
    }
    codes
}

fn two_languages(concepts: &[Vec<(String, String)>]) -> Result<[String; 2], GlossaryFileError> {
    let codes = codes(concepts);
    match <[String; 2]>::try_from(codes) {
        Ok(pair) => Ok(pair),
        Err(codes) if codes.len() < 2 => {
            Err(GlossaryFileError::Languages { wanted: "terms in two languages".into(), found: codes })
        }
        Err(codes) => Err(GlossaryFileError::ManyLanguages(codes)),
    }
}

/// The terms of an entry, each with the code of its language.
type Entry = Vec<(String, String)>;

/// The terms of each entry, with the codes of their languages.
fn read(text: &str) -> Result<(&'static Names, Vec<Entry>), GlossaryFileError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut names: Option<&'static Names> = None;
    let (mut concepts, mut concept) = (Vec::new(), Concept::default());
    loop {
        let at = reader.buffer_position();
        let broken = |problem: String| GlossaryFileError::Broken {
            format: if names.is_some_and(|names| names.format == GlossaryFormat::Tmx) { "TMX" } else { "TBX" },
            problem: format!("at byte {at}: {problem}"),
        };
        let event = reader.read_event().map_err(|error| broken(error.to_string()))?;
        match (event, names) {
            (Event::Eof, Some(names)) => return Ok((names, concepts)),
            (Event::Eof, None) => return Err(broken("it has no element".into())),
            (Event::Start(element), None) => names = Some(format(&element)?),
            (Event::Start(element), Some(names)) => concept.open(names, &element),
            (Event::End(element), Some(names)) => {
                let name = element.local_name().as_ref().to_owned();
                if concept.close(names, &name) {
                    concepts.push(std::mem::take(&mut concept).terms);
                }
            }
            (Event::Text(text), _) => concept.write(&text),
            (Event::CData(data), _) => concept.write(&data),
            (Event::GeneralRef(reference), _) => {
                let character = reference.resolve_char_ref().map_err(|error| broken(error.to_string()))?;
                match (character, resolve_predefined_entity(&reference)) {
                    (Some(c), _) => concept.write(c.encode_utf8(&mut [0; 4])),
                    (None, Some(text)) => concept.write(text),
                    (None, None) => return Err(broken(format!("the entity `{}` is not known", &*reference))),
                }
            }
            _ => {}
        }
    }
}

/// The format of a root element.
fn format(root: &BytesStart<'_>) -> Result<&'static Names, GlossaryFileError> {
    match root.local_name().as_ref() {
        "martif" | "tbx" | "TBX" => Ok(&TBX),
        "tmx" => Ok(&TMX),
        other => Err(GlossaryFileError::Root(other.chars().take(60).collect())),
    }
}

/// The value of an attribute, whatever its prefix is.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.into_owned())
}

impl Concept {
    fn open(&mut self, names: &Names, element: &BytesStart<'_>) {
        let name = element.local_name().as_ref().to_owned();
        if names.entry.contains(&&*name) {
            *self = Self::default();
        } else if names.language.contains(&&*name) {
            self.language = attribute(element, "lang").map(|code| base(&code)).unwrap_or_default();
        } else if names.group.contains(&&*name) {
            (self.group, self.is_deprecated) = (self.terms.len(), false);
        } else if name == names.term {
            self.term = Some(String::new());
        } else if name == "termNote" {
            self.note = attribute(element, "type").filter(|kind| kind == "administrativeStatus").map(|_| String::new());
        } else if self.term.is_some() && CODE.contains(&&*name) {
            self.inside_code += 1;
        }
    }

    /// The end of an element; true for the end of an entry.
    fn close(&mut self, names: &Names, name: &str) -> bool {
        if name == names.term {
            let term = self.term.take().unwrap_or_default();
            let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
            if !term.is_empty() && !self.language.is_empty() {
                self.terms.push((self.language.clone(), term));
            }
            self.inside_code = 0;
        } else if name == "termNote" {
            let status = self.note.take().unwrap_or_default();
            self.is_deprecated |= status.contains("deprecated") || status.contains("superseded");
        } else if names.group.contains(&name) && self.is_deprecated {
            self.terms.truncate(self.group);
            self.is_deprecated = false;
        } else if self.term.is_some() && CODE.contains(&name) {
            self.inside_code = self.inside_code.saturating_sub(1);
        }
        names.entry.contains(&name)
    }

    fn write(&mut self, text: &str) {
        if let Some(note) = &mut self.note {
            note.push_str(text);
        } else if let Some(term) = self.term.as_mut().filter(|_| self.inside_code == 0) {
            term.push_str(text);
        }
    }
}

//! Where the keys of a recipe stand, for sentences about them.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Something in a recipe that can not be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    path: PathBuf,
    place: Place,
    problem: String,
}

/// Where a key was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In the recipe, at this line, counted from 1.
    Line(usize),
    /// In the recipe, but not at one line: the key is missing.
    Recipe,
    /// In a setting in addition to the recipe.
    Setting(String),
}

impl Fault {
    /// Faults in the order of their lines.
    pub(super) fn order(&self) -> impl Ord + use<> {
        self.place.clone()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = (self.path.display(), &self.problem);
        match &self.place {
            Place::Line(line) => write!(f, "{path}, line {line}: {problem}"),
            Place::Recipe => write!(f, "{path}: {problem}"),
            Place::Setting(setting) => write!(f, "the setting `{setting}`: {problem}"),
        }
    }
}

impl std::error::Error for Fault {}

/// Where the keys of a recipe stand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    path: PathBuf,
    /// The offset of each line of the recipe.
    lines: Vec<usize>,
    /// Where the recipe ends, and the settings begin one after the other.
    end: usize,
    settings: Vec<String>,
    /// The offset of each key, such as `data.train[0].source`.
    keys: BTreeMap<String, usize>,
}

/// Recipes with the same settings are equal, whatever their places.
impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    /// The lines of a recipe, and the settings that follow it.
    pub(super) fn new(path: &Path, text: &str, settings: &[String]) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let (path, end) = (path.to_owned(), text.len());
        Self { path, lines, end, settings: settings.to_vec(), keys: BTreeMap::new() }
    }

    /// The length of the recipe, in bytes.
    pub(super) fn text_length(&self) -> usize {
        self.end
    }

    /// Notes the places of all keys; those that were not written have none.
    pub(super) fn note(&mut self, table: &DeTable<'_>) {
        self.note_in("", table);
    }

    fn note_in(&mut self, around: &str, table: &DeTable<'_>) {
        for (name, value) in table.iter().filter(|(name, _)| !name.span().is_empty()) {
            let key = join(around, name.get_ref());
            self.keys.insert(key.clone(), name.span().start);
            self.note_value(&key, value.get_ref());
        }
    }

    fn note_value(&mut self, key: &str, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => self.note_in(key, table),
            DeValue::Array(array) => {
                for (index, value) in array.iter().enumerate() {
                    let key = format!("{key}[{index}]");
                    self.keys.insert(key.clone(), value.span().start);
                    self.note_value(&key, value.get_ref());
                }
            }
            _ => {}
        }
    }

    /// A problem of a key; a key that was not written has the place of its table.
    pub(crate) fn fault(&self, key: &str, problem: String) -> Fault {
        let mut known = key;
        while !known.is_empty() && !self.keys.contains_key(known) {
            known = &known[..known.rfind(['.', '[']).unwrap_or(0)];
        }
        let place = self.keys.get(known).map_or(Place::Recipe, |&offset| self.place(offset));
        Fault { path: self.path.clone(), place, problem }
    }

    /// A problem of a part of the text or of the settings.
    pub(super) fn fault_at(&self, span: Option<Range<usize>>, problem: String) -> Fault {
        let place = span.map_or(Place::Recipe, |span| self.place(span.start));
        Fault { path: self.path.clone(), place, problem }
    }

    fn place(&self, offset: usize) -> Place {
        let mut start = self.end + 1;
        for setting in self.settings.iter().filter(|_| offset > self.end) {
            start += setting.len() + 1;
            if offset < start {
                return Place::Setting(setting.clone());
            }
        }
        Place::Line(self.lines.partition_point(|&start| start <= offset))
    }
}

/// The key of `name` in the table `around`.
pub(super) fn join(around: &str, name: &str) -> String {
    if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") }
}

//! The text of a recipe, where each key knows its line, so that all faults are reported at once.

use super::places::{Fault, Places, join};
use super::{Recipe, defaults};
use metaphrase_settings::{Error, from_table};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Values for keys that are missing, so that the search for faults can go on. They are never trained with.
const PLACEHOLDERS: &str = r#"
data = { train = [{ source = "", target = "" }], dev = { source = "", target = "" } }
train = [{ source = "", target = "" }]
dev = { source = "", target = "" }
source = ""
target = ""
vocabulary = { files = { source = "", target = "" } }
kind = "words"
size = 100
model = { architecture = { recurrent = {} } }
architecture = { recurrent = {} }
training = { updates = 1 }
updates = 1
to = 1000000000
from = 1
"#;

/// The largest number of reported faults.
const MOST: usize = 100;

/// A recipe in which faults are looked for.
struct Document<'t> {
    table: DeTable<'t>,
    places: Places,
    faults: Vec<Fault>,
    /// Keys with a fault, whose values were removed or made up.
    touched: Vec<String>,
}

/// Reads the text of a recipe, and `settings` such as `training.seed=2`, which replace or add values.
///
/// # Errors
/// All faults, in the order of their lines.
pub(super) fn read(path: &Path, text: &str, settings: &[String]) -> Result<Recipe, Vec<Fault>> {
    // A setting begins where the text before it ends, so that an offset is a place in one of them.
    let mut end = text.len() + 1;
    let padded: Vec<String> = settings
        .iter()
        .map(|setting| {
            let padded = format!("{:end$}{setting}", "");
            end = padded.len() + 1;
            padded
        })
        .collect();
    let mut places = Places::new(path, text, settings);
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut faults: Vec<Fault> = errors.into_iter().map(|error| fault(&places, error)).collect();
    let mut table = table.into_inner();
    for (setting, padded) in settings.iter().zip(&padded) {
        match DeTable::parse(padded) {
            Ok(change) => {
                let names = setting.split('=').next().unwrap_or_default().split('.').count();
                set_in(&mut table, change.into_inner(), names);
            }
            Err(error) => faults.push(fault(&places, error)),
        }
    }
    if !faults.is_empty() {
        // A line's further faults of syntax follow from its first.
        faults.sort_by_key(Fault::order);
        faults.dedup_by_key(|fault| fault.order());
        return Err(faults);
    }
    defaults::fill("", &mut table);
    places.note(&table);
    Document { table, places, faults, touched: Vec::new() }.recipe()
}

/// Sets the values of `change` in `table`, under `names` names, one inside the other; old values are replaced.
fn set_in<'t>(table: &mut DeTable<'t>, change: DeTable<'t>, names: usize) {
    for (key, change) in change {
        match (table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut), change.get_ref()) {
            (Some(DeValue::Table(old)), DeValue::Table(_)) if names > 1 => {
                let DeValue::Table(new) = change.into_inner() else { continue };
                set_in(old, new, names - 1);
            }
            _ => {
                // The key's place is that of the change, too.
                table.remove(key.get_ref().as_ref());
                table.insert(key, change);
            }
        }
    }
}

impl Document<'_> {
    fn recipe(mut self) -> Result<Recipe, Vec<Fault>> {
        let mut recipe = None;
        while recipe.is_none() && self.touched.len() < MOST {
            match from_table::<Recipe>(&self.table, 0..self.places.text_length()) {
                Ok(found) => recipe = Some(found),
                Err(error) if self.mend(&error) => {}
                Err(_) => break,
            }
        }
        for (key, problem) in recipe.iter().flat_map(Recipe::problems) {
            // A value that was made up, or that is known to be wrong, has no further faults.
            if !self.touched.iter().any(|touched| is_in(touched, &key) || is_in(&key, touched)) {
                self.faults.push(self.places.fault(&key, problem));
                self.touched.push(key);
            }
        }
        self.faults.sort_by_key(Fault::order);
        match recipe {
            Some(recipe) if self.faults.is_empty() => Ok(Recipe { places: self.places, ..recipe }),
            _ => Err(self.faults),
        }
    }

    /// Notes an error and removes the key that it is about, or adds the key that is missing. Whether that was possible.
    fn mend(&mut self, error: &Error) -> bool {
        let at = error.span().and_then(|span| locate(&self.table, &span, "")).unwrap_or_default();
        let message = error.message().to_owned();
        let mut lines = message.splitn(3, '`');
        let (kind, name, rest) = (lines.next(), lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        if kind == Some("missing field ") {
            let key = join(&at, name);
            if !self.touched.iter().any(|touched| is_in(&key, touched)) {
                self.faults.push(self.places.fault(&key, format!("the key `{key}` is missing")));
            }
            self.touched.push(key);
            return insert(&mut self.table, &at, name);
        }
        // A table that lacks the keys that were removed from it is no fault of its own.
        if at.is_empty() || !self.touched.iter().any(|touched| is_in(touched, &at)) {
            let problem = match kind {
                _ if at.is_empty() => message.clone(),
                Some("unknown field ") => format!("unknown key `{at}`{rest}"),
                _ => format!("`{at}`: {message}"),
            };
            self.faults.push(self.places.fault(&at, problem));
        }
        let removed = remove(&mut self.table, &at);
        defaults::fill("", &mut self.table);
        self.touched.push(at);
        removed
    }
}

/// Whether a key is `around` or lies in it.
fn is_in(key: &str, around: &str) -> bool {
    key.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The key whose name or value has this span: the innermost.
fn locate(table: &DeTable<'_>, span: &Range<usize>, around: &str) -> Option<String> {
    table.iter().filter(|(name, _)| !name.span().is_empty()).fold(None, |found, (name, value)| {
        let key = join(around, name.get_ref());
        let inside = locate_in(value, span, &key);
        inside.or_else(|| (name.span() == *span).then_some(key)).or(found)
    })
}

fn locate_in(value: &Spanned<DeValue<'_>>, span: &Range<usize>, key: &str) -> Option<String> {
    let inside = match value.get_ref() {
        DeValue::Table(table) => locate(table, span, key),
        DeValue::Array(array) => {
            let elements = array.iter().enumerate();
            elements.fold(None, |found, (at, value)| locate_in(value, span, &format!("{key}[{at}]")).or(found))
        }
        _ => None,
    };
    inside.or_else(|| (value.span() == *span).then(|| key.to_owned()))
}

/// Changes the table of this key, if there is one.
fn change<'t, T>(table: &mut DeTable<'t>, key: &str, f: impl FnOnce(&mut DeTable<'t>) -> T) -> Option<T> {
    if key.is_empty() {
        return Some(f(table));
    }
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let (name, indices) = first.split_once('[').unwrap_or((first, ""));
    let mut value = table.get_mut(name)?.get_mut();
    for index in indices.split(['[', ']']).filter_map(|index| index.parse::<usize>().ok()) {
        let DeValue::Array(array) = value else { return None };
        value = array.get_mut(index)?.get_mut();
    }
    match value {
        DeValue::Table(table) => change(table, rest, f),
        _ => None,
    }
}

/// Removes a key; an array goes with an element that is wrong.
fn remove(table: &mut DeTable<'_>, key: &str) -> bool {
    let (around, last) = key.rsplit_once('.').unwrap_or(("", key));
    let name = last.split('[').next().unwrap_or_default();
    change(table, around, |table| table.remove(name).is_some()).unwrap_or(false)
}

/// Gives a missing key some value.
fn insert(table: &mut DeTable<'_>, around: &str, name: &str) -> bool {
    let Ok(placeholders) = DeTable::parse(PLACEHOLDERS) else { return false };
    let Some(value) = placeholders.get_ref().get(name) else { return false };
    let (name, value) = (Spanned::new(0..0, Cow::Owned(name.to_owned())), value.clone());
    let inserted = change(table, around, |table| table.insert(name, value)).is_some();
    defaults::fill("", table);
    inserted
}

/// A fault of syntax.
fn fault(places: &Places, error: toml::de::Error) -> Fault {
    let error = Error::from(error);
    places.fault_at(error.span(), error.message().to_owned())
}

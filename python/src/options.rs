//! The options of a call: keywords with the names of the fields of `TranslateOptions`.

use crate::errors;
use crate::glossary::{glossary, kind, table};
use metaphrase::{
    Choice, Device, Dictionary, OptionKind, OptionValue, Precision, TranslateOption, TranslateOptions, Translator,
    WordId,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// The options of a call.
#[derive(Clone)]
pub struct CallOptions {
    pub translate: TranslateOptions,
}

/// The names of a function's keywords, for messages.
pub struct Names {
    /// The type of its options in `metaphrase.options`.
    pub kind: &'static str,
    /// Other keywords of the function.
    pub own: &'static [&'static str],
}

impl Names {
    /// The options of a call and these other keywords.
    pub const fn call(own: &'static [&'static str]) -> Self {
        Self { kind: "CallOptions", own }
    }
}

impl CallOptions {
    /// These options with the changes of a function's keywords.
    pub fn with(&self, names: &Names, translator: &Translator, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = self.clone();
        let Some(keywords) = keywords else { return Ok(options) };
        let mut changes = Vec::new();
        for (key, value) in keywords {
            let key: String = key.extract()?;
            let Some(option) = TranslateOption::named(&key) else {
                return Err(errors::unknown_option(keywords.py(), &key, names.kind, names.own));
            };
            match plain(&key, option.kind(), &value)? {
                Some(value) => changes.push((option, value)),
                None => options.set(translator, &key, &value)?,
            }
        }
        options.translate.change(changes).map_err(errors::options)?;
        Ok(options)
    }

    /// Sets an option whose value this package makes.
    fn set(&mut self, translator: &Translator, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let options = &mut self.translate;
        match key {
            "glossary" => options.glossaries = if value.is_none() { Vec::new() } else { vec![glossary(value)?] },
            "replace_unknown" => options.replace_unknown = dictionary(value)?,
            "excluded" => options.search.excluded = words(translator, value)?,
            _ => return Err(errors::options(format!("{key} cannot be set from Python"))),
        }
        Ok(())
    }
}

/// A value of a kind that the libraries define; `None` for the other kinds.
fn plain(key: &str, kind: OptionKind, value: &Bound<'_, PyAny>) -> PyResult<Option<OptionValue>> {
    let none = matches!(
        kind,
        OptionKind::Count { optional: true }
            | OptionKind::Number { optional: true }
            | OptionKind::Name { optional: true, .. }
            | OptionKind::Text
    );
    if none && value.is_none() {
        return Ok(Some(OptionValue::None));
    }
    Ok(Some(match kind {
        OptionKind::Switch => OptionValue::Switch(get(key, value)?),
        OptionKind::Count { .. } => OptionValue::Count(get(key, value)?),
        OptionKind::Number { .. } => OptionValue::Number(get(key, value)?),
        OptionKind::Double => OptionValue::Double(get(key, value)?),
        OptionKind::Numbers => OptionValue::Numbers(get(key, value)?),
        OptionKind::Name { .. } | OptionKind::Text => OptionValue::Text(get(key, value)?),
        OptionKind::Foreign => return Ok(None),
    }))
}

/// The value of an option. An error names the option.
pub fn get<'py, T>(key: &str, value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let extracted: PyResult<T> = value.extract::<T>().map_err(Into::into);
    extracted.map_err(|error| errors::options(format!("{key} is {}: {}", shown(value), error.value(value.py()))))
}

/// A member of a closed set.
pub fn named<T: Choice>(key: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    choice(key, &get::<String>(key, value)?)
}

/// The precision of a model's products by its name; `None` for `auto`, the one that the model recommends.
pub fn precision(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Precision>> {
    match get::<String>(key, value)?.as_str() {
        "auto" => Ok(None),
        name => choice(key, name).map(Some),
    }
}

/// The device that computes a model: `cpu`, `cuda:0`, or `cuda:0,1`.
pub fn device(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Device> {
    get::<String>(key, value)?.parse::<Device>().map_err(|error| errors::options(format!("{key}: {error}")))
}

/// A member of a closed set by its name.
pub fn choice<T: Choice>(key: &str, name: &str) -> PyResult<T> {
    T::from_name(name).map_err(|error| errors::options(format!("{key} is {name:?}: {error}")))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| kind(value), |text| text.to_string_lossy().chars().take(60).collect())
}

/// The replacements of unknown words. `True`: the source words themselves; a path or a dictionary: the translations in
/// it.
fn dictionary(value: &Bound<'_, PyAny>) -> PyResult<Option<Dictionary>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(replace) = value.cast::<PyBool>() {
        return Ok(replace.is_true().then(Dictionary::default));
    }
    Dictionary::parse(&table(value, "the dictionary")?).map(Some).map_err(errors::input)
}

/// Target words of the model by their names.
fn words(translator: &Translator, value: &Bound<'_, PyAny>) -> PyResult<Vec<WordId>> {
    let names: Vec<String> = get("excluded", value)?;
    let [_, target] = translator
        .vocabularies()
        .ok_or_else(|| errors::options("excluded is for neural models; a phrase-based model has no vocabulary"))?;
    let word = |name: String| {
        target
            .id(&name)
            .ok_or_else(|| errors::options(format!("excluded: {name:?} is not a word of the target vocabulary")))
    };
    names.into_iter().map(word).collect()
}

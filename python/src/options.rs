//! The options of a call: keywords with the names of the façade's fields.

use crate::errors;
use crate::glossary::{glossary, kind, table};
use metaphrase::{
    Choice, Dictionary, EvidenceOptions, GraphUnits, Precision, SearchOptions, Theta, TranslateOptions, Translator,
    WordId,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// How lines are translated.
#[derive(Clone)]
pub struct CallOptions {
    pub translate: TranslateOptions,
}

/// The names of a function's keywords, for messages.
pub struct Names {
    /// The type of its options in `metaphrase.options`.
    pub kind: &'static str,
    /// Its further keywords.
    pub own: &'static [&'static str],
}

impl Names {
    /// The options of a call, and these keywords.
    pub const fn of_call(own: &'static [&'static str]) -> Self {
        Self { kind: "CallOptions", own }
    }
}

impl CallOptions {
    /// These options, changed by keywords of a function.
    pub fn with(&self, names: &Names, translator: &Translator, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = self.clone();
        let Some(keywords) = keywords else { return Ok(options) };
        let mut temperature = None;
        for (key, value) in keywords {
            let key: String = key.extract()?;
            if key == "temperature" {
                temperature = Some(get(&key, &value)?);
            } else if !options.set(translator, &key, &value)? {
                return Err(errors::unknown_option(keywords.py(), &key, names.kind, names.own));
            }
        }
        options.finish(keywords, temperature)?;
        Ok(options)
    }

    /// What depends on several keywords.
    fn finish(&mut self, keywords: &Bound<'_, PyDict>, temperature: Option<f32>) -> PyResult<()> {
        let search = &mut self.translate.search;
        match (temperature, &mut search.sampling) {
            (Some(temperature), Some(sampling)) => *sampling = sampling.at(temperature),
            (Some(_), None) => return Err(errors::options("temperature is for sampling; give sampling, too")),
            (None, _) => {}
        }
        // As on the command line: a beam or a normalisation that is asked for holds for lines with terms, too.
        if keywords.contains("beam_size")? && !keywords.contains("beam_size_constrained")? {
            search.beam_size_constrained = None;
        }
        if keywords.contains("normalize")? && !keywords.contains("normalize_constrained")? {
            search.normalize_constrained = Some(search.normalize);
        }
        Ok(())
    }

    /// Sets one option; gives whether it is an option of a call.
    fn set(&mut self, translator: &Translator, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let options = &mut self.translate;
        match key {
            "glossary" => options.glossaries = if value.is_none() { Vec::new() } else { vec![glossary(value)?] },
            "allow_unk" => options.allow_unk = get(key, value)?,
            "allow_special" => options.allow_special = get(key, value)?,
            "pieces" => options.pieces = get(key, value)?,
            "max_source_length" => options.max_source_length = get(key, value)?,
            "longest_sentence" => options.longest_sentence = get(key, value)?,
            "check_numbers" => options.check_numbers = get(key, value)?,
            "seed" => options.seed = get(key, value)?,
            "replace_unknown" => options.replace_unknown = dictionary(value)?,
            "excluded" => options.search.excluded = words(translator, value)?,
            "search_graph" => options.search_graph = graph_units(value)?,
            _ => {
                return Ok(search_option(&mut options.search, key, value)?
                    || evidence_option(&mut options.evidence, key, value)?);
            }
        }
        Ok(true)
    }
}

fn graph_units(value: &Bound<'_, PyAny>) -> PyResult<Option<GraphUnits>> {
    match get::<Option<String>>("search_graph", value)?.as_deref() {
        None => Ok(None),
        Some("words") => Ok(Some(GraphUnits::WrittenWords)),
        Some("pieces") => Ok(Some(GraphUnits::Pieces)),
        Some(other) => Err(errors::options(format!("search_graph is {other:?}; expected words or pieces"))),
    }
}

fn search_option(search: &mut SearchOptions, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match key {
        "strategy" => search.strategy = named(key, value)?,
        "merge_words" => search.merge_words = get(key, value)?,
        "beam_size" => search.beam_size = get(key, value)?,
        "beam_size_constrained" => search.beam_size_constrained = get(key, value)?,
        "n_best" => search.n_best = get(key, value)?,
        "normalize" => search.normalize = get(key, value)?,
        "normalize_constrained" => search.normalize_constrained = get(key, value)?,
        "word_penalty" => search.word_penalty = get(key, value)?,
        "max_length_factor" => search.max_length_factor = get(key, value)?,
        "max_target_length" => search.max_target_length = get::<Option<usize>>(key, value)?.unwrap_or(usize::MAX),
        "stop" => search.stop = named(key, value)?,
        "beam_width" => search.beam_width = get(key, value)?,
        "prune_threshold" => search.prune_threshold = get(key, value)?,
        "rest_costs" => search.rest_costs = get(key, value)?,
        "stop_margin" => search.stop_margin = get(key, value)?,
        "no_repeat_ngram_size" => search.no_repeat_ngram_size = get(key, value)?,
        "ends_beside" => search.ends_beside = get(key, value)?,
        "attention" => search.attention = get(key, value)?,
        "sampling" => {
            let text: Option<String> = get(key, value)?;
            let sampling = text.map(|text| text.parse().map_err(|error| errors::options(format!("sampling: {error}"))));
            search.sampling = sampling.transpose()?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn evidence_option(evidence: &mut EvidenceOptions, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match key {
        "evidence_theta" => {
            let [word, orders @ ..]: [f64; 5] = get(key, value)?;
            evidence.theta = Theta { word, orders };
        }
        "evidence_weight" => evidence.weight = get(key, value)?,
        "evidence_scale" => evidence.scale = get(key, value)?,
        "evidence_order" => evidence.order = get(key, value)?,
        "evidence_written_words" => evidence.written_words = get(key, value)?,
        "evidence_prune" => evidence.prune = get(key, value)?,
        "evidence_rescore" => evidence.rescore = get(key, value)?,
        "evidence_best_paths" => evidence.best_paths = get(key, value)?,
        "evidence_own" => evidence.own = get(key, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The value of an option, or a sentence that names the option.
pub fn get<'py, T>(key: &str, value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let found: PyResult<T> = value.extract::<T>().map_err(Into::into);
    found.map_err(|error| errors::options(format!("{key} is {}: {}", shown(value), error.value(value.py()))))
}

/// A member of a closed set.
pub fn named<T: Choice>(key: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    choice(key, &get::<String>(key, value)?)
}

/// The numbers of a model's products by their name; `None` for `auto`, those that the model recommends.
pub fn numbers(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Precision>> {
    match get::<String>(key, value)?.as_str() {
        "auto" => Ok(None),
        name => choice(key, name).map(Some),
    }
}

/// A member of a closed set by its name.
pub fn choice<T: Choice>(key: &str, name: &str) -> PyResult<T> {
    T::from_name(name).map_err(|error| errors::options(format!("{key} is {name:?}: {error}")))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| kind(value), |text| text.to_string_lossy().chars().take(60).collect())
}

/// `True`: the source words themselves; a path or a dictionary: their translations there.
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

//! The options of a translator: its models, their companions, and the use of the machine.

use crate::errors;
use crate::options::{device, get, named, precision};
use metaphrase::{
    Device, Optimizations, Package, PhraseOptions, Precision, ShortlistOptions, Translator, TranslatorBuilder,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::path::{Path, PathBuf};

/// The value of `shortlist` for none, also with a model that comes with one.
const NO_SHORTLIST: &str = "none";

/// The options of a translator.
#[derive(Default)]
pub struct Setup {
    models: Vec<PathBuf>,
    weights: Option<Vec<f32>>,
    precision: Option<Precision>,
    vocabularies: Vec<PathBuf>,
    raw_scores: bool,
    optimizations: Optimizations,
    language_model: Option<(PathBuf, f32)>,
    shortlist: Option<PathBuf>,
    shortlist_options: ShortlistOptions,
    evidence_model: Option<PathBuf>,
    evidence_languages: Option<(String, String)>,
    evidence_capitalized: Option<bool>,
    phrase_model: Option<PathBuf>,
    phrase_options: PhraseOptions,
    phrase_keywords: bool,
    device: Device,
    threads: Option<usize>,
    batch_tokens: Option<usize>,
    latency: bool,
}

impl Setup {
    /// Reads the model or models and the keywords that are options of a translator. Also returns the other keywords.
    pub fn read<'py>(
        model: Option<&Bound<'py, PyAny>>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Self, Option<Bound<'py, PyDict>>)> {
        let mut setup = Self::default();
        match model {
            None => {}
            Some(list) if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() => {
                setup.models = get("model", list)?;
            }
            Some(one) if !one.is_none() => setup.models = vec![get("model", one)?],
            Some(_) => {}
        }
        let Some(keywords) = keywords else { return Ok((setup, None)) };
        let others = PyDict::new(keywords.py());
        for (key, value) in keywords {
            let name: String = key.extract()?;
            let is_own =
                setup.set(&name, &value)? || setup.set_companion(&name, &value)? || setup.set_phrase(&name, &value)?;
            if !is_own {
                others.set_item(key, value)?;
            }
        }
        Ok((setup, Some(others)))
    }

    /// Sets an option of the models or of the machine; returns whether `key` is one.
    fn set(&mut self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match key {
            "weights" => self.weights = get(key, value)?,
            "precision" => self.precision = precision(key, value)?,
            "vocabularies" => self.vocabularies = get::<Option<_>>(key, value)?.unwrap_or_default(),
            "raw_scores" => self.raw_scores = get(key, value)?,
            "frequent_words" => self.optimizations.frequent_words = get(key, value)?,
            "prepared_context" => self.optimizations.prepared_context = get(key, value)?,
            "merged_states" => self.optimizations.merged_states = get(key, value)?,
            "device" => self.device = device(key, value)?,
            "threads" => self.threads = get(key, value)?,
            "batch_tokens" => self.batch_tokens = get(key, value)?,
            "latency" => self.latency = get(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets an option of a companion of the models; returns whether `key` is one.
    fn set_companion(&mut self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match key {
            "language_model" => self.language_model = get(key, value)?,
            "shortlist" => self.shortlist = get(key, value)?,
            "shortlist_first" => self.shortlist_options.first = get(key, value)?,
            "shortlist_words" => self.shortlist_options.words = get(key, value)?,
            "shortlist_threshold" => self.shortlist_options.threshold = get(key, value)?,
            "evidence_model" => self.evidence_model = get(key, value)?,
            "evidence_languages" => self.evidence_languages = get(key, value)?,
            "evidence_capitalized" => self.evidence_capitalized = get(key, value)?,
            "phrase_model" => self.phrase_model = get(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets an option of the phrase-based search; returns whether `key` is one.
    fn set_phrase(&mut self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let options = &mut self.phrase_options;
        match key {
            "coverages" => options.coverages = get(key, value)?,
            "hypotheses" => options.hypotheses = get(key, value)?,
            "options" => options.options = get(key, value)?,
            "presort" => options.presort = named(key, value)?,
            "look_ahead" => options.look_ahead = named(key, value)?,
            "distortion_limit" => options.distortion_limit = get(key, value)?,
            "unknown_words" => options.unknown_words = named(key, value)?,
            _ => return Ok(false),
        }
        self.phrase_keywords = true;
        Ok(true)
    }

    /// Reads all files.
    pub fn build(self) -> PyResult<Translator> {
        if self.phrase_keywords && self.phrase_model.is_none() && self.evidence_model.is_none() {
            return Err(errors::options("options of a phrase-based search were given without a phrase-based model"));
        }
        if self.shortlist.is_none() && self.shortlist_options != ShortlistOptions::default() {
            return Err(errors::options("options of a shortlist were given without shortlist, its file"));
        }
        let builder = self.machine(Translator::builder());
        let builder = self.neural(builder)?;
        self.companions(builder).build().map_err(errors::raise)
    }

    fn machine(&self, mut builder: TranslatorBuilder) -> TranslatorBuilder {
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(tokens) = self.batch_tokens {
            builder = builder.batch_tokens(tokens);
        }
        builder.device(self.device).latency(self.latency)
    }

    fn neural(&self, mut builder: TranslatorBuilder) -> PyResult<TranslatorBuilder> {
        if self.vocabularies.len() > 2 || (!self.vocabularies.is_empty() && self.models.len() != 1) {
            return Err(errors::options("vocabularies is for one model file, and has one or two files"));
        }
        if self.models.is_empty() && self.phrase_model.is_none() {
            return Err(errors::raise(metaphrase::Error::NoModel));
        }
        for model in &self.models {
            let package = match &self.vocabularies[..] {
                [] => Package::find(model),
                vocabularies => Package::files(model, vocabularies),
            };
            let package =
                package.map_err(errors::raise)?.with_raw_scores(self.raw_scores).with_optimizations(self.optimizations);
            builder = builder.package(package.with_precision(self.precision));
        }
        if let Some(weights) = &self.weights {
            builder = builder.weights(&**weights);
        }
        Ok(builder)
    }

    fn companions(self, mut builder: TranslatorBuilder) -> TranslatorBuilder {
        if let Some((path, weight)) = self.language_model {
            builder = builder.language_model(path, weight);
        }
        builder = match self.shortlist {
            Some(path) if path == Path::new(NO_SHORTLIST) => builder.without_shortlist(),
            Some(path) => builder.shortlist(path, self.shortlist_options),
            None => builder,
        };
        if let Some(path) = self.evidence_model {
            builder = builder.evidence_model(path);
        }
        if let Some((source, target)) = self.evidence_languages {
            builder = builder.evidence_languages(source, target);
        }
        if let Some(capitalized) = self.evidence_capitalized {
            builder = builder.evidence_capitalized(capitalized);
        }
        if let Some(path) = self.phrase_model {
            builder = builder.phrase_model(path);
        }
        if self.phrase_keywords {
            builder = builder.phrase_options(self.phrase_options);
        }
        builder
    }
}

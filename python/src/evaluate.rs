//! BLEU, chrF and TER with the numbers and signatures of sacreBLEU.

use crate::errors;
use crate::options::get;
use crate::pickle::ReduceResult;
use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, CorpusStats, DEFAULT_SAMPLES, DEFAULT_SEED, Metric, MetricName, References,
    Sampling, Signature, Smoothing, Ter, TerOptions, confidence,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The score of a text by one metric.
#[pyclass(frozen, get_all, module = "metaphrase")]
pub struct Score {
    /// The name of the metric in sacreBLEU.
    name: String,
    /// The score, from 0 to 100; TER has no upper bound.
    value: f64,
    /// The settings that the score depends on, in sacreBLEU's notation.
    signature: String,
    /// The text after the score, such as the precisions of BLEU.
    details: String,
    /// The mean of bootstrap samples and half the width of their 95 % interval, with `confidence`.
    interval: Option<(f64, f64)>,
    line: String,
}

#[pymethods]
impl Score {
    fn __float__(&self) -> f64 {
        self.value
    }

    fn __str__(&self) -> &str {
        &self.line
    }

    /// The score from a pickle.
    #[staticmethod]
    fn _of(
        name: String,
        value: f64,
        signature: String,
        details: String,
        interval: Option<(f64, f64)>,
        line: String,
    ) -> Self {
        Self { name, value, signature, details, interval, line }
    }

    #[expect(clippy::type_complexity, reason = "the arguments of `_of`")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> ReduceResult<'py, (String, f64, String, String, Option<(f64, f64)>, String)> {
        let Self { name, value, signature, details, interval, line } = slf.get();
        let fields = (name.clone(), *value, signature.clone(), details.clone(), *interval, line.clone());
        Ok((slf.get_type().getattr("_of")?, fields))
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Score {}>", self.line)
    }
}

/// The settings of the metrics.
struct Settings {
    bleu: BleuOptions,
    chrf: ChrfOptions,
    ter: TerOptions,
    confidence: bool,
    samples: usize,
    seed: u64,
}

impl Settings {
    fn read(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut settings = Self {
            bleu: BleuOptions::default(),
            chrf: ChrfOptions::default(),
            ter: TerOptions::default(),
            confidence: false,
            samples: DEFAULT_SAMPLES,
            seed: DEFAULT_SEED,
        };
        for (key, value) in keywords.into_iter().flatten() {
            let key: String = key.extract()?;
            if !settings.set(&key, &value)? {
                return Err(errors::unknown_option(value.py(), &key, "MetricOptions", &["metrics"]));
            }
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match key {
            "lowercase" => {
                self.bleu.lowercase = get(key, value)?;
                self.chrf.lowercase |= self.bleu.lowercase;
            }
            "tokenize" => self.bleu.tokenizer = get::<String>(key, value)?.parse().map_err(errors::options)?,
            "smooth" => {
                let text: String = get(key, value)?;
                let (name, number) = text.split_once(':').map_or((&*text, None), |(name, number)| (name, Some(number)));
                let number = number.map(str::parse).transpose().map_err(|_| {
                    errors::options(format!("smooth is {text:?}; expected a name, or a name, a colon and a number"))
                })?;
                self.bleu.smoothing = Smoothing::from_name(name, number).map_err(errors::options)?;
            }
            "chrf_char_order" => self.chrf.char_order = get(key, value)?,
            "chrf_word_order" => self.chrf.word_order = get(key, value)?,
            "chrf_beta" => self.chrf.beta = get(key, value)?,
            "chrf_whitespace" => self.chrf.whitespace = get(key, value)?,
            "chrf_lowercase" => self.chrf.lowercase = get(key, value)?,
            "chrf_eps_smoothing" => self.chrf.eps_smoothing = get(key, value)?,
            "ter_normalized" => self.ter.normalized = get(key, value)?,
            "ter_no_punct" => self.ter.no_punct = get(key, value)?,
            "ter_asian_support" => self.ter.asian_support = get(key, value)?,
            "ter_case_sensitive" => self.ter.case_sensitive = get(key, value)?,
            "confidence" => self.confidence = get(key, value)?,
            "samples" => self.samples = get(key, value)?,
            "seed" => self.seed = get(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn metric(&self, name: MetricName) -> PyResult<Box<dyn Metric + Send + Sync>> {
        let chrf = |word_order| Chrf::new(ChrfOptions { word_order, ..self.chrf.clone() }).map_err(errors::options);
        Ok(match name {
            MetricName::Bleu => Box::new(Bleu::new(self.bleu).map_err(errors::options)?),
            MetricName::Chrf => Box::new(chrf(self.chrf.word_order)?),
            MetricName::ChrfPlusPlus => Box::new(chrf(2)?),
            MetricName::Ter => Box::new(Ter::new(self.ter)),
        })
    }
}

/// Scores translations against references. The names of the scores are those of the metrics: `bleu`, `chrf`, `chrf++`,
/// `ter`.
#[pyfunction]
#[pyo3(signature = (hypotheses, references, metrics=None, **options))]
pub fn evaluate<'py>(
    py: Python<'py>,
    hypotheses: Vec<String>,
    references: &Bound<'py, PyAny>,
    metrics: Option<Vec<String>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = Settings::read(options)?;
    let one = references.try_iter()?.next().transpose()?.is_none_or(|first| first.is_instance_of::<PyString>());
    let sets: Vec<Vec<String>> = if one { vec![references.extract()?] } else { references.extract()? };
    let names = metrics.unwrap_or_else(|| ["bleu", "chrf", "ter"].map(str::to_owned).into());
    let metrics = names.iter().map(|name| settings.metric(crate::options::choice("metrics", name)?));
    let metrics = metrics.collect::<PyResult<Vec<_>>>()?;
    let scores = py.detach(|| {
        let references = References::new(&sets).map_err(errors::input)?;
        metrics.iter().map(|metric| score(&**metric, &settings, &hypotheses, &references)).collect::<PyResult<Vec<_>>>()
    })?;
    let by_name = PyDict::new(py);
    for (name, score) in names.iter().zip(scores) {
        by_name.set_item(name, Bound::new(py, score)?)?;
    }
    Ok(by_name)
}

fn score(
    metric: &dyn Metric,
    settings: &Settings,
    hypotheses: &[String],
    references: &References<'_>,
) -> PyResult<Score> {
    let stats = CorpusStats::collect(metric, hypotheses, references).map_err(errors::input)?;
    let mut score = metric.score(&stats.sums());
    // One sample means no samples, as in sacreBLEU.
    let samples = (settings.confidence && settings.samples > 1).then_some(settings.samples);
    score.interval = samples.and_then(|samples| confidence(metric, &stats, samples, settings.seed));
    let sampling =
        samples.map(|samples| Sampling { bootstrap: Some(samples), randomization: None, seed: settings.seed });
    let signature = Signature::new(metric, references.per_line(), sampling).long();
    let line = score.format(1, &signature);
    let interval = score.interval.map(|interval| (interval.mean, interval.half_width));
    Ok(Score { name: score.name, value: score.value, signature, details: score.details, interval, line })
}

//! From texts to the output of sacreBLEU's command line.

use std::borrow::Cow;

use crate::json::{self, Value};
use crate::{
    Comparison, CorpusStats, DEFAULT_SEED, Error, Metric, References, Sampling, Score, Signature, confidence,
    paired_bootstrap, paired_randomization,
};

/// How results are printed; the defaults are those of sacreBLEU, but for the format.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Lines or JSON.
    pub format: Format,
    /// Number of digits after the decimal point.
    pub width: usize,
    /// Whether the signature is the short one (lines only).
    pub short_signature: bool,
    /// Whether only the number is printed (lines only).
    pub score_only: bool,
    /// The number of bootstrap samples that confidence intervals are estimated from; `None`: there are no intervals.
    pub confidence: Option<usize>,
    /// The seed of all samples.
    pub seed: u64,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            format: Format::Text,
            width: 1,
            short_signature: false,
            score_only: false,
            confidence: None,
            seed: DEFAULT_SEED,
        }
    }
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line for each score, sacreBLEU's `-f text`.
    Text,
    /// An object for each score, sacreBLEU's default.
    Json,
}

/// A paired significance test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// [`paired_bootstrap`] with this number of samples.
    Bootstrap(usize),
    /// [`paired_randomization`] with this number of trials.
    Randomization(usize),
}

/// A system's name and its lines.
pub type NamedSystem<'a, S> = (&'a str, &'a [S]);

/// The scores of one text under all metrics: the output of `sacrebleu REF... -i HYP -m ...` without the last line end.
///
/// # Errors
/// If hypotheses and references have different numbers of lines.
pub fn evaluate<S: AsRef<str>>(
    metrics: &[Box<dyn Metric>],
    hypotheses: &[S],
    references: &References<'_>,
    options: &ReportOptions,
) -> Result<String, Error> {
    let mut results = Vec::with_capacity(metrics.len());
    for metric in in_order(metrics) {
        let stats = CorpusStats::collect(metric, hypotheses, references)?;
        let mut score = metric.score(&stats.sums());
        // One sample means no samples: sacreBLEU's own reading of the number.
        let samples = options.confidence.filter(|&samples| samples > 1);
        score.interval = samples.and_then(|samples| confidence(metric, &stats, samples, options.seed));
        let sampling = samples.map(|n| Sampling { bootstrap: Some(n), randomization: None, seed: options.seed });
        let signature = Signature::new(metric, references.per_line(), sampling);
        results.push(print(&score, &signature, options));
    }
    Ok(match (options.format, &results[..]) {
        (_, [one]) => one.clone(),
        (Format::Json, _) => format!("[\n{}\n]", results.join(",\n")),
        (Format::Text, _) => aligned(&results).join("\n"),
    })
}

/// The score of each line under one metric, as `sacrebleu --sentence-level` prints it. Set BLEU's `effective_order`, as
/// that program does.
///
/// # Errors
/// If hypotheses and references have different numbers of lines.
pub fn evaluate_sentences<S: AsRef<str>>(
    metric: &dyn Metric,
    hypotheses: &[S],
    references: &References<'_>,
    options: &ReportOptions,
) -> Result<Vec<String>, Error> {
    let stats = CorpusStats::collect(metric, hypotheses, references)?;
    let signature = Signature::new(metric, references.per_line(), None);
    Ok(stats.rows().map(|row| print(&metric.score(row), &signature, options)).collect())
}

/// Compares the first system with each other one.
///
/// The output of `sacrebleu --paired-bs` or `--paired-ar` as JSON (sacreBLEU itself fails on the f32 numbers of chrF
/// and TER); as text, for each metric its signature and a line for each system: score, bootstrap mean and interval, p
/// (with `*` where it is below 0.05).
///
/// # Errors
/// If there is no system, or if systems and references have different numbers of lines.
pub fn compare<S: AsRef<str>>(
    metrics: &[Box<dyn Metric>],
    systems: &[NamedSystem<'_, S>],
    references: &References<'_>,
    test: Test,
    options: &ReportOptions,
) -> Result<String, Error> {
    let names: Vec<Cow<'_, str>> = systems
        .iter()
        .enumerate()
        .map(|(i, (name, _))| if i == 0 { format!("Baseline: {name}").into() } else { (*name).into() })
        .collect();
    let mut columns = Vec::with_capacity(metrics.len());
    for metric in in_order(metrics) {
        let stats: Vec<CorpusStats> = systems
            .iter()
            .map(|(_, lines)| CorpusStats::collect(metric, lines, references))
            .collect::<Result<_, _>>()?;
        let stats: Vec<&CorpusStats> = stats.iter().collect();
        let (compared, sampling) = run(metric, &stats, test, options)?;
        columns.push((metric.name(), Signature::new(metric, references.per_line(), Some(sampling)), compared));
    }
    Ok(match options.format {
        Format::Json => {
            let objects: Vec<String> = names
                .iter()
                .enumerate()
                .map(|(i, name)| {
                    let mut fields = vec![("system".to_owned(), Value::Text(name.to_string()))];
                    fields.extend(columns.iter().map(|(metric, _, compared)| (metric.clone(), to_json(&compared[i]))));
                    format!("    {}", json::object(&fields, 4, 4))
                })
                .collect();
            format!("[\n{}\n]", objects.join(",\n"))
        }
        Format::Text => {
            let tables = columns.iter().map(|(metric, signature, compared)| {
                let signature = if options.short_signature { signature.short() } else { signature.long() };
                format!("{metric}|{signature}\n{}", to_lines(&names, compared, options.width))
            });
            tables.collect::<Vec<_>>().join("\n\n")
        }
    })
}

/// The comparison of one metric, and how it was made.
fn run(
    metric: &dyn Metric,
    systems: &[&CorpusStats],
    test: Test,
    options: &ReportOptions,
) -> Result<(Vec<Comparison>, Sampling), Error> {
    let seed = options.seed;
    Ok(match test {
        Test::Bootstrap(n) => {
            let sampling = Sampling { bootstrap: Some(n), randomization: None, seed };
            (paired_bootstrap(metric, systems, n, seed)?, sampling)
        }
        Test::Randomization(n) => {
            let bootstrap = options.confidence;
            let sampling = Sampling { bootstrap, randomization: Some(n), seed };
            (paired_randomization(metric, systems, n, bootstrap, seed)?, sampling)
        }
    })
}

/// Metrics by name, as sacreBLEU prints them.
fn in_order(metrics: &[Box<dyn Metric>]) -> Vec<&dyn Metric> {
    let mut metrics: Vec<&dyn Metric> = metrics.iter().map(AsRef::as_ref).collect();
    metrics.sort_by_key(|metric| metric.name().to_uppercase());
    metrics
}

fn print(score: &Score, signature: &Signature, options: &ReportOptions) -> String {
    match options.format {
        Format::Json => score.to_json(options.width, signature),
        Format::Text if options.score_only => score.format_value(options.width),
        Format::Text if options.short_signature => score.format(options.width, &signature.short()),
        Format::Text => score.format(options.width, &signature.long()),
    }
}

/// The lines with their first `=` in the same column.
fn aligned(lines: &[String]) -> Vec<String> {
    let place = |line: &str| line.split_once('=').map_or(0, |(left, _)| left.chars().count());
    let widest = lines.iter().map(|line| place(line)).max().unwrap_or(0);
    lines
        .iter()
        .map(|line| match place(line) {
            0 => line.clone(),
            own => format!("{:1$}{line}", "", widest - own),
        })
        .collect()
}

/// sacreBLEU's object for one system under one metric, with all digits.
fn to_json(compared: &Comparison) -> Value {
    let number = |x: Option<f64>| x.map_or(Value::Null, Value::Number);
    Value::Object(vec![
        ("score".to_owned(), Value::Number(compared.score)),
        ("p_value".to_owned(), number(compared.p_value)),
        ("mean".to_owned(), number(compared.interval.map(|interval| interval.mean))),
        ("ci".to_owned(), number(compared.interval.map(|interval| interval.half_width))),
    ])
}

/// A line for each system.
fn to_lines(names: &[Cow<'_, str>], compared: &[Comparison], width: usize) -> String {
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let lines = names.iter().zip(compared).map(|(name, compared)| {
        let mut line = format!("  {name:widest$}  {:.width$}", compared.score);
        if let Some(interval) = compared.interval {
            line += &format!(" ({:.width$} ± {:.width$})", interval.mean, interval.half_width);
        }
        if let Some(p) = compared.p_value {
            line += &format!(" (p = {p:.4}){}", if p > 0.05 { "" } else { "*" });
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

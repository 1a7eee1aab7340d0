//! The notation of evaluation jobs that tests, the example and `testdata/metrics/jobs.py` share.

use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, CorpusStats, Format, Metric, References, ReportOptions, Sampling, Signature,
    Smoothing, Ter, TerOptions, Test, compare, evaluate, evaluate_sentences, paired_bootstrap, paired_randomization,
};

/// The option `key` among words as `key=value` or `key`.
pub(crate) fn option<'a>(words: &'a str, key: &str) -> Option<&'a str> {
    words.split_whitespace().find_map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        (name == key).then_some(value)
    })
}

/// The number after `key=`, or a default.
pub(crate) fn number<T: std::str::FromStr>(words: &str, key: &str, default: T) -> T {
    option(words, key).map_or(default, |value| value.parse().ok().expect(key))
}

/// The metric that `words` describe, as `bleu tok=intl lc`.
pub(crate) fn metric(words: &str) -> Box<dyn Metric> {
    let has = |key| option(words, key).is_some();
    match words.split_whitespace().next() {
        Some("bleu") => {
            let value = option(words, "value").map(|value| value.parse().expect("value"));
            let options = BleuOptions {
                tokenizer: option(words, "tok").unwrap_or("13a").parse().expect("tok"),
                lowercase: has("lc"),
                smoothing: Smoothing::from_name(option(words, "smooth").unwrap_or("exp"), value).expect("smooth"),
                max_order: number(words, "order", 4),
                effective_order: has("eff"),
            };
            Box::new(Bleu::new(options).expect("order"))
        }
        Some("chrf") => {
            let options = ChrfOptions {
                char_order: number(words, "char", 6),
                word_order: number(words, "word", 0),
                beta: number(words, "beta", 2),
                lowercase: has("lc"),
                whitespace: has("space"),
                eps_smoothing: has("eps"),
            };
            Box::new(Chrf::new(options).expect("orders"))
        }
        Some("ter") => Box::new(Ter::new(TerOptions {
            normalized: has("norm"),
            no_punct: has("nopunct"),
            asian_support: has("asian"),
            case_sensitive: has("case"),
        })),
        name => panic!("unknown metric {name:?}"),
    }
}

/// Runs a job, as `jobs.run` in Python: METRIC key=value ... + METRIC ... / key=value ...
pub(crate) fn run(job: &str, systems: &[&Vec<String>], references: &References<'_>) -> String {
    let (metrics, options) = job.split_once('/').unwrap_or((job, ""));
    let metrics: Vec<Box<dyn Metric>> = metrics.split(" + ").map(metric).collect();
    let has = |key| option(options, key).is_some();
    let report = ReportOptions {
        format: if option(options, "form") == Some("json") { Format::Json } else { Format::Text },
        width: number(options, "width", 1),
        short_signature: has("short"),
        score_only: has("only"),
        confidence: option(options, "ci").map(|samples| samples.parse().expect("ci")),
        seed: number(options, "seed", 12345),
    };
    let test = match (number(options, "bs", 0), number(options, "ar", 0)) {
        (0, 0) => None,
        (0, trials) => Some(Test::Randomization(trials)),
        (samples, _) => Some(Test::Bootstrap(samples)),
    };
    if let (Some(test), Format::Json) = (test, report.format) {
        let names: Vec<String> = (0..systems.len()).map(|i| i.to_string()).collect();
        let named: Vec<_> = names.iter().map(String::as_str).zip(systems.iter().map(|lines| &lines[..])).collect();
        return compare(&metrics, &named, references, test, &report).expect(job);
    }
    if has("bs") || has("ar") {
        return metrics
            .iter()
            .map(|metric| paired(metric.as_ref(), options, &report, systems, references))
            .collect::<Vec<_>>()
            .join("\n");
    }
    if has("sentences") {
        return evaluate_sentences(metrics[0].as_ref(), systems[0], references, &report).expect(job).join("\n");
    }
    evaluate(&metrics, systems[0], references, &report).expect(job)
}

/// A line for each system: name, score, mean, interval, p, with all digits, and the signature.
fn paired(
    metric: &dyn Metric,
    options: &str,
    report: &ReportOptions,
    systems: &[&Vec<String>],
    references: &References<'_>,
) -> String {
    let stats: Vec<_> =
        systems.iter().map(|lines| CorpusStats::collect(metric, lines, references).expect("lines")).collect();
    let stats: Vec<_> = stats.iter().collect();
    let (bootstrap, trials) = (number(options, "bs", 0), number(options, "ar", 0));
    let (compared, sampling) = if bootstrap > 0 {
        let sampling = Sampling { bootstrap: Some(bootstrap), randomization: None, seed: report.seed };
        (paired_bootstrap(metric, &stats, bootstrap, report.seed), sampling)
    } else {
        let sampling = Sampling { bootstrap: report.confidence, randomization: Some(trials), seed: report.seed };
        (paired_randomization(metric, &stats, trials, report.confidence, report.seed), sampling)
    };
    let signature = Signature::new(metric, references.per_line(), Some(sampling)).long();
    let lines = compared.expect("test").into_iter().map(|system| {
        let numbers = [
            Some(system.score),
            system.interval.map(|i| i.mean),
            system.interval.map(|i| i.half_width),
            system.p_value,
        ];
        let numbers = numbers.map(|x| x.map_or("-".to_owned(), |x| format!("{x:.20}")));
        format!("{} {} {signature}", metric.name(), numbers.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

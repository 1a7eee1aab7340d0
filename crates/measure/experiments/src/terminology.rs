//! The four lists of terms of `terminology-en-de`, both ways, with the terms and without, at the default options.

use crate::setup::{MeasuredRun, Setup, measure, read_lines, round};
use anyhow::Result;
use metaphrase::{Case, Glossary, Request, RequiredTerm, Terms, Translation, required_terms};
use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, CorpusStats, DEFAULT_SAMPLES, DEFAULT_SEED, Metric, References,
    paired_bootstrap,
};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Row {
    list: &'static str,
    model: &'static str,
    /// Whether terms are required as they are listed or in a form that fits, as those of a glossary are by default.
    forms: &'static str,
    sentences: usize,
    terms: usize,
    /// Share of the terms that stand in the free translations.
    produced_without: f64,
    /// Share of the terms that stand in the translations with terms.
    produced: f64,
    missing: usize,
    bleu_without: f64,
    bleu: f64,
    /// The probability of this difference by chance (paired bootstrap), here and below.
    bleu_p: f64,
    /// chrF of the words around the terms that all of both translations and the reference have.
    chrf_around_without: f64,
    chrf_around: f64,
    chrf_around_p: f64,
    /// Translations that are half again as long as the free one.
    long: usize,
    /// Translations whose log-probability is below 2.5 times that of the free one.
    improbable: usize,
    seconds_without: f64,
    seconds: f64,
}

/// The lines of a list in one direction.
struct List {
    /// The requests with the terms as they are listed.
    exact: Vec<Request>,
    /// The requests with the forms that the terms of a glossary may have.
    inflected: Vec<Request>,
    references: Vec<String>,
}

/// Shares of terms, BLEU, text around the terms, garbage and time.
pub fn run(setup: &Setup) -> Result<()> {
    let mut rows = Vec::new();
    for model in ["en-de", "de-en"] {
        let translator = setup.load(Some(Path::new("models").join(model).as_path()), false)?;
        for name in ["iate.414", "iate.581", "wikt.727", "wikt.975"] {
            let list = read(setup, name, model == "de-en")?;
            let free = list.exact.iter().map(|request| Request::translate(&*request.source)).collect();
            let options = translator.options();
            let without = measure(&translator, &options, free)?;
            for (forms, requests) in [("exact", &list.exact), ("inflected", &list.inflected)] {
                let with = measure(&translator, &options, requests.clone())?;
                rows.push(row([name, model, forms], &list, &without, &with)?);
                println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
            }
        }
    }
    setup.write("terminology", &rows)
}

/// Reads a list; `reversed`: from German to English.
fn read(setup: &Setup, name: &str, reversed: bool) -> Result<List> {
    let path = setup.data(format!("terminology-en-de/{name}.tsv.gz"));
    let mut list = List { exact: Vec::new(), inflected: Vec::new(), references: Vec::new() };
    let languages = if reversed { ["de", "en"] } else { ["en", "de"] };
    for line in read_lines(&path)? {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, english, german, terms @ ..] = &fields[..] else { continue };
        let (source, reference) = if reversed { (german, english) } else { (english, german) };
        let terms = terms.iter().filter_map(|term| {
            let (english, german) = term.split_once(" ||| ")?;
            Some(if reversed { (german, english) } else { (english, german) })
        });
        let place = |own: &str| source.find(own).map(|at| at..at + own.len());
        let required = |(own, target)| RequiredTerm { source: place(own), ..RequiredTerm::new([target]) };
        let request = |required| {
            let terms = Terms { required, avoided: Vec::new() };
            Request { terms, ..Request::translate(*source) }
        };
        list.exact.push(request(terms.clone().map(required).collect()));
        let entries = terms.map(|(own, target)| (own.to_owned(), vec![target.to_owned()]));
        let glossary = Glossary::from_entries(entries, Case::Ignore)?;
        list.inflected.push(request(required_terms(Vec::new(), &[&glossary], source, Some(languages))));
        list.references.push((*reference).to_owned());
    }
    Ok(list)
}

fn row(
    [list_name, model, forms]: [&'static str; 3],
    list: &List,
    without: &MeasuredRun,
    with: &MeasuredRun,
) -> Result<Row> {
    let terms: usize = list.exact.iter().map(|request| request.terms.required.len()).sum();
    let produced = |run: &MeasuredRun| {
        let has = |(request, found): (&Request, &Translation)| {
            request.terms.required.iter().filter(|term| found.text().contains(&term.targets[0])).count()
        };
        list.exact.iter().zip(&run.translations).map(has).sum::<usize>() as f64 / terms as f64
    };
    let pairs = || with.translations.iter().zip(&without.translations);
    let log_prob = |found: &Translation| found.hypotheses.first().map_or(0.0, |best| best.log_prob);
    let around = around(list, [without, with])?;
    let texts = [without, with].map(|run| run.translations.iter().map(|found| found.text().to_owned()).collect());
    let bleu = compared(&Bleu::new(BleuOptions::default())?, &texts, &list.references)?;
    Ok(Row {
        list: list_name,
        model,
        forms,
        sentences: list.exact.len(),
        terms,
        produced_without: round(produced(without), 4),
        produced: round(produced(with), 4),
        missing: with.translations.iter().map(|found| found.missing.len()).sum(),
        bleu_without: round(bleu.without, 1),
        bleu: round(bleu.with, 1),
        bleu_p: round(bleu.p, 3),
        chrf_around_without: round(around.without, 1),
        chrf_around: round(around.with, 1),
        chrf_around_p: round(around.p, 3),
        long: pairs().filter(|(with, free)| 2 * with.text().len() > 3 * free.text().len()).count(),
        improbable: pairs().filter(|(with, free)| log_prob(with) < 2.5 * log_prob(free)).count(),
        seconds_without: round(without.seconds, 1),
        seconds: round(with.seconds, 1),
    })
}

/// A score without terms and with them.
struct Compared {
    without: f64,
    with: f64,
    /// The probability of this difference by chance.
    p: f64,
}

fn compared(metric: &dyn Metric, [without, with]: &[Vec<String>; 2], references: &[String]) -> Result<Compared> {
    let references = [references];
    let references = References::new(&references)?;
    let stats = [without, with].map(|lines| CorpusStats::collect(metric, lines, &references));
    let [without, with] = stats;
    let tested = paired_bootstrap(metric, &[&without?, &with?], DEFAULT_SAMPLES, DEFAULT_SEED)?;
    Ok(Compared { without: tested[0].score, with: tested[1].score, p: tested[1].p_value.unwrap_or(f64::NAN) })
}

/// chrF of the three words before and after each term that both runs and the reference have, of both runs.
fn around(list: &List, runs: [&MeasuredRun; 2]) -> Result<Compared> {
    let (mut found, mut references) = ([Vec::new(), Vec::new()], Vec::new());
    for (number, request) in list.exact.iter().enumerate() {
        for term in &request.terms.required {
            let window = |text: &str| window(text, &term.targets[0]);
            let texts = runs.map(|run| window(run.translations[number].text()));
            if let ([Some(without), Some(with)], Some(reference)) = (texts, window(&list.references[number])) {
                found[0].push(without);
                found[1].push(with);
                references.push(reference);
            }
        }
    }
    compared(&Chrf::new(ChrfOptions::default())?, &found, &references)
}

/// The three words before a term and the three after it.
fn window(text: &str, term: &str) -> Option<String> {
    let at = text.find(term)?;
    let before: Vec<&str> = text[..at].split_whitespace().collect();
    let after = text[at + term.len()..].split_whitespace().take(3);
    Some(before[before.len().saturating_sub(3)..].iter().copied().chain(after).collect::<Vec<_>>().join(" "))
}

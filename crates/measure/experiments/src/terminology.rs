//! The four lists of terms of `terminology-en-de` with and without constraints.

use crate::setup::{Setup, measure, read_lines, round};
use anyhow::Result;
use metaphrase::{Request, RequiredTerm, Terms};
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    list: &'static str,
    sentences: usize,
    terms: usize,
    constrained: bool,
    beam: usize,
    /// Share of the target terms that stand in the translations.
    produced: f64,
    missing: usize,
    bleu: f64,
    seconds: f64,
}

/// Shares of terms, BLEU and time, beams 6 and 12.
pub fn run(setup: &Setup) -> Result<()> {
    let translator = setup.translator()?;
    let mut rows = Vec::new();
    for list in ["iate.414", "iate.581", "wikt.727", "wikt.975"] {
        let path = setup.data(format!("terminology-en-de/{list}.tsv.gz"));
        let (mut requests, mut references) = (Vec::new(), Vec::new());
        for line in read_lines(&path)? {
            let fields: Vec<&str> = line.split('\t').collect();
            let [_, source, reference, terms @ ..] = &fields[..] else { continue };
            let required = terms.iter().filter_map(|term| {
                let (own, target) = term.split_once(" ||| ")?;
                let place = source.find(own).map(|at| at..at + own.len());
                Some(RequiredTerm { source: place, targets: vec![target.to_owned()] })
            });
            let terms = Terms { required: required.collect(), avoided: Vec::new() };
            requests.push(Request { terms, ..Request::translate(*source) });
            references.push((*reference).to_owned());
        }
        let terms: usize = requests.iter().map(|request| request.terms.required.len()).sum();
        for (constrained, beam) in [(false, 6), (true, 6), (true, 12)] {
            let mut options = translator.options();
            options.search.beam_size = beam;
            options.search.beam_size_constrained = None;
            options.search.prune_threshold = Some(20.0);
            let given =
                |request: &Request| if constrained { request.clone() } else { Request::translate(&request.source) };
            let measured = measure(&translator, &options, requests.iter().map(given).collect())?;
            let has = |(request, text): (&Request, &str)| {
                request.terms.required.iter().filter(|term| text.contains(&term.targets[0])).count()
            };
            let texts = measured.translations.iter().map(metaphrase::Translation::text);
            let produced: usize = requests.iter().zip(texts).map(has).sum();
            rows.push(Row {
                list,
                sentences: requests.len(),
                terms,
                constrained,
                beam,
                produced: round(produced as f64 / terms as f64, 4),
                missing: measured.translations.iter().map(|translation| translation.missing.len()).sum(),
                bleu: round(measured.bleu(&references)?, 1),
                seconds: round(measured.seconds, 1),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("terminology", &rows)
}

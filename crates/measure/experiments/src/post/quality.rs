//! BLEU by beam, by pruning and by the model's score.

use super::{Draw, SETS, bare, missing, options, requests, text};
use crate::setup::{Setup, measure, round};
use anyhow::Result;
use metaphrase::{Request, RestCosts, Stop, Strategy};
use serde::Serialize;

#[derive(Serialize)]
struct Quality {
    set: &'static str,
    beam: usize,
    /// Exponent of the length normalisation; none: the default.
    normalize: Option<f32>,
    bleu: f64,
    /// Sum over the sentences: figure 8 is BLEU by model score.
    log_prob: f64,
    constraints: usize,
    missing: usize,
    seconds: f64,
}

/// BLEU and log-probability by beam and set: ranked without length normalisation, with it, and by our default,
/// which is between.
pub fn figure_5(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut rows = Vec::new();
    for (set, draw) in SETS {
        let all = &[1, 2, 5, 10, 20, 30][..];
        for (normalize, beams) in [(None, all), (Some(0.0), &[10]), (Some(1.0), &[10])] {
            for &beam in beams {
                let mut options = options(&translator, Strategy::Beam, beam);
                options.search.normalize_constrained = normalize;
                if matches!(draw, Draw::None) {
                    options.search.normalize = normalize.unwrap_or(options.search.normalize);
                }
                let requests = requests(&text, draw);
                let constraints = requests.iter().map(|request| request.terms.required.len()).sum();
                let measured = measure(&translator, &options, requests)?;
                let bleu = round(measured.bleu(&text.reference)?, 1);
                let log_prob = round(measured.log_prob(), 1);
                let (missing, seconds) = (missing(&measured), round(measured.seconds, 2));
                rows.push(Quality { set, beam, normalize, bleu, log_prob, constraints, missing, seconds });
                println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
            }
        }
    }
    setup.write("post-fig5", &rows)
}

#[derive(Serialize)]
struct PruningRow {
    search: &'static str,
    set: &'static str,
    threshold: f32,
    bleu: f64,
    seconds: f64,
    rows: usize,
    missing: usize,
}

/// BLEU and work by pruning threshold, beam 10: as our search is, without its rest costs, and as in the paper, that is
/// with scores divided by length, and until the whole beam has finished.
pub fn table_3(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut rows = Vec::new();
    let sets = [SETS[0], SETS[1], SETS[2], SETS[3], SETS[4], SETS[7]];
    let searches = [
        ("default", RestCosts::Narrow, None, None),
        ("always rest costs", RestCosts::Always, None, None),
        ("no rest costs", RestCosts::Never, None, None),
        ("paper", RestCosts::Never, Some(1.0), Some(Stop::Wait)),
    ];
    for (search, (set, draw)) in searches.iter().flat_map(|search| sets.map(|set| (search, set))) {
        let &(search, rest_costs, normalize, stop) = search;
        for threshold in [3.0, 5.0, 10.0, 20.0, 30.0, f32::INFINITY] {
            let mut options = options(&translator, Strategy::Beam, 10);
            options.search.prune_threshold = Some(threshold);
            (options.search.rest_costs, options.search.normalize_constrained) = (rest_costs, normalize);
            options.search.stop = stop.unwrap_or(options.search.stop);
            let measured = measure(&translator, &options, requests(&text, draw))?;
            rows.push(PruningRow {
                search,
                set,
                threshold,
                bleu: round(measured.bleu(&text.reference)?, 1),
                seconds: round(measured.seconds, 2),
                rows: measured.counts().rows,
                missing: missing(&measured),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("post-table3", &rows)
}

#[derive(Serialize)]
struct Aversion {
    set: &'static str,
    bleu: f64,
    /// Sum over the sentences.
    log_prob: f64,
    /// Share of the words of the constraints that the free translations have anyway.
    present: f64,
}

/// BLEU by the model's log-probability, beam 10: none, each set of constraints, and the reference.
pub fn figure_8(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let options = options(&translator, Strategy::Beam, 10);
    let free = measure(&translator, &options, requests(&text, Draw::None))?;
    let mut rows = Vec::new();
    for (set, draw) in SETS {
        let all = requests(&text, draw);
        let measured = measure(&translator, &options, all.clone())?;
        let (mut words, mut present) = (0, 0);
        for (request, translation) in all.iter().zip(&free.translations) {
            let found: Vec<&str> = translation.text().split_whitespace().map(bare).collect();
            let constraints = request.terms.phrases().flat_map(|phrase| phrase.split_whitespace().map(bare));
            for word in constraints {
                words += 1;
                present += usize::from(found.contains(&word));
            }
        }
        rows.push(Aversion {
            set,
            bleu: round(measured.bleu(&text.reference)?, 1),
            log_prob: round(measured.log_prob(), 1),
            present: round(f64::from(present as u32) / f64::from(words.max(1) as u32), 3),
        });
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    let pairs = text.source.iter().zip(&text.reference);
    let scored = measure(&translator, &translator.options(), pairs.map(|(s, r)| Request::score(s, r)).collect())?;
    rows.push(Aversion { set: "reference", bleu: 100.0, log_prob: round(scored.log_prob(), 1), present: 1.0 });
    println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    setup.write("post-fig8", &rows)
}

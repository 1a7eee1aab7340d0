//! The worked examples of the paper, by the bundled models.

use super::{Draw, missing, options, requests, text};
use crate::setup::{Setup, measure, round};
use anyhow::Result;
use metaphrase::{Request, RestCosts, Stop, Strategy};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Example {
    constraints: Vec<&'static str>,
    /// By the number of pieces, as the paper ranks.
    score: f64,
    text: String,
}

/// A sentence with each of these lists of constraints, beam 10.
fn examples(setup: &Setup, model: &str, source: &str, lists: &[&[&'static str]]) -> Result<Vec<Example>> {
    let directory = setup.model.clone().unwrap_or_else(|| Path::new("models").join(model));
    let translator = setup.load(Some(&directory), false)?;
    let mut options = options(&translator, Strategy::Beam, 10);
    options.search.normalize_constrained = Some(1.0);
    let request =
        |list: &&[&str]| list.iter().fold(Request::translate(source), |request, term| request.require([*term]));
    let found = translator.run(&options, lists.iter().map(request).collect())?;
    let example = |(list, found): (&&[&'static str], &metaphrase::Translation)| {
        let score = found.hypotheses.first().map_or(f64::NEG_INFINITY, |best| f64::from(best.score));
        let example = Example { constraints: list.to_vec(), score: round(score, 3), text: found.text().to_owned() };
        println!("{:.3}  {:?}  {}", example.score, example.constraints, example.text);
        example
    };
    Ok(lists.iter().zip(&found).map(example).collect())
}

/// A sentence with no constraint, with either of two, with both.
pub fn figure_1(setup: &Setup) -> Result<()> {
    let lists: [&[&str]; 4] = [&[], &["errichten"], &["Keiner"], &["Keiner", "errichten"]];
    let rows = examples(setup, "en-de", "No one has the intention of building a wall.", &lists)?;
    setup.write("post-fig1", &rows)
}

/// The paper's sentence with its constraints: words that mean the same, and words that do not.
pub fn figure_6(setup: &Setup) -> Result<()> {
    let lists: [&[&str]; 11] = [
        &[],
        &["is said to"],
        &["of them"],
        &["participant"],
        &["is thought to"],
        &["considered"],
        &["Hamburg"],
        &["powerful"],
        &["powerful", "is said to"],
        &["powerful", "is said to", "participant"],
        &["weak"],
    ];
    let source = "Einer soll ein hochrangiges Mitglied aus Berlin gewesen sein.";
    setup.write("post-fig6", &examples(setup, "de-en", source, &lists)?)
}

#[derive(Serialize)]
struct Waiting {
    search: &'static str,
    threshold: f32,
    stop: &'static str,
    bleu: f64,
    seconds: f64,
    /// Steps of the search, and the longest translations in pieces: how long the search went on after its result.
    steps: usize,
    pieces: usize,
    /// Hypotheses that the model scored.
    rows: usize,
    missing: usize,
    /// The hypotheses of the sentence that took most steps per piece of its result: log-probability and text.
    worst: Vec<(f64, String)>,
}

/// What is in the beam while it waits: four words in a row required, the paper's search with and without pruning, and
/// our rule of stopping (§6.4).
pub fn figure_9(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut rows = Vec::new();
    for (search, threshold, stop) in [
        ("paper", 20.0, Stop::Wait),
        ("paper, unpruned", f32::INFINITY, Stop::Wait),
        ("ends when none can win", 20.0, Stop::Shrink),
        ("ends when none can win, unpruned", f32::INFINITY, Stop::Shrink),
    ] {
        let mut options = options(&translator, Strategy::Beam, 10);
        options.search.prune_threshold = Some(threshold);
        (options.search.stop, options.search.rest_costs) = (stop, RestCosts::Never);
        options.search.normalize_constrained = Some(1.0);
        let requests = requests(&text, Draw::Phrase(4));
        let measured = measure(&translator, &options, requests.clone())?;
        let per_piece = |(_, found): &(Request, &metaphrase::Translation)| {
            found.hypotheses.first().map_or(0, |best| 100 * found.counts.steps / best.piece_log_probs.len().max(1))
        };
        let worst = requests.into_iter().zip(&measured.translations).max_by_key(per_piece);
        options.search.n_best = 10;
        let lists = translator.run(&options, worst.into_iter().map(|(request, _)| request).collect())?;
        let hypotheses = lists.iter().flat_map(|found| &found.hypotheses);
        rows.push(Waiting {
            search,
            threshold,
            stop: metaphrase::Choice::name(stop),
            bleu: round(measured.bleu(&text.reference)?, 1),
            seconds: round(measured.seconds, 2),
            steps: measured.translations.iter().map(|found| found.counts.steps).sum(),
            pieces: measured.pieces(),
            rows: measured.counts().rows,
            missing: missing(&measured),
            worst: hypotheses.map(|best| (round(f64::from(best.log_prob), 2), best.text.clone())).collect(),
        });
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    setup.write("post-fig9", &rows)
}

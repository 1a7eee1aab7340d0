//! Scoring and searching with a model in tests, and the tiny models of the repository.
#![allow(dead_code, reason = "each test uses its part")]

use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
use metaphrase_models::{Model, Scores, State};
use metaphrase_search::{Options, Outcome, Searcher, Task};
use std::path::PathBuf;

/// A folder of tiny models in `testdata/models`.
pub fn fixtures(folder: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/models")).join(folder)
}

/// Log-probability of each word of `target` (end of sentence included), a sentence alone.
pub fn word_scores(model: &Model, source: &[WordId], target: &[WordId]) -> Vec<f32> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    word_scores_in(model, SentId(0), (source, target), &mut state, &mut scores)
}

/// The same in a slot of a state that may have been used before.
pub fn word_scores_in(
    model: &Model,
    slot: SentId,
    (source, target): (&[WordId], &[WordId]),
    state: &mut State,
    scores: &mut Scores,
) -> Vec<f32> {
    model.encode(&[Sentence { given_target: true, ..Sentence::new(slot, source) }], state);
    let mut parent = None;
    let mut out = Vec::new();
    for &word in target {
        model.step(Step::New, StepDemand::ANYTHING, &[StepRow { sentence: slot, parent }], state, scores);
        out.push(scores.score(Row(0), word));
        parent = Some(Parent { row: Row(0), word });
    }
    model.release(slot, state);
    out
}

/// Marian's search: the beam shrinks when a hypothesis ends, the unknown word is never chosen.
pub fn marian_options(model: &Model, beam_size: usize, normalize: f32) -> Options {
    let excluded = model.config().never.iter().copied().map(WordId).collect();
    Options { beam_size, n_best: beam_size, normalize, excluded, ..Options::default() }
}

/// Log-probability of each of `targets`, in batches.
pub fn score(model: &Model, sources: &[Vec<WordId>], targets: &[Vec<WordId>]) -> Vec<f32> {
    let options = marian_options(model, 1, 0.0).check(model).expect("usable options");
    let task = |(i, (source, target)): (usize, (&Vec<WordId>, &Vec<WordId>))| Task {
        prefix: target.clone(),
        ..Task::new(i, source.clone(), &options)
    };
    let mut tasks = sources.iter().zip(targets).enumerate().map(task);
    let mut scores = vec![f32::NAN; sources.len()];
    Searcher::new(model, 256).run(|| tasks.next(), |outcome| scores[outcome.tag] = outcome.hypotheses[0].log_prob);
    scores
}

/// Outcomes in the order of `sources`, of which up to `batch_tokens` words share a step.
pub fn search(model: &Model, options: &Options, batch_tokens: usize, sources: &[Vec<WordId>]) -> Vec<Outcome<usize>> {
    let options = options.clone().check(model).expect("usable options");
    let mut tasks = sources.iter().enumerate().map(|(i, source)| Task::new(i, source.clone(), &options));
    let mut outcomes = Vec::new();
    Searcher::new(model, batch_tokens).run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|outcome| outcome.tag);
    outcomes
}

/// A line of one of Marian's n-best lists.
#[derive(Debug)]
pub struct NBestLine {
    /// Number of the sentence.
    pub sentence: usize,
    /// The translation.
    pub text: String,
    /// Soft alignment, if there is one: for each target word the weight of each source word.
    pub alignment: Vec<Vec<f32>>,
    /// `F0`, the sum of log-probabilities.
    pub log_prob: f32,
    /// The last field, what orders the list.
    pub score: f32,
}

/// Reads `sentence ||| text [||| alignment] ||| F0= log_prob ||| score`.
pub fn read_n_best(text: &str) -> Vec<NBestLine> {
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
            let number = |field: &str| field.trim_start_matches("F0= ").parse().expect("a number");
            let [sentence, text, alignment @ .., log_prob, score] = &fields[..] else { panic!("{line}") };
            let weights = |word: &str| word.split(',').map(|w| w.parse().expect("a weight")).collect();
            NBestLine {
                sentence: sentence.parse().expect("a number"),
                text: (*text).to_owned(),
                alignment: alignment.first().map_or(Vec::new(), |a| a.split(' ').map(weights).collect()),
                log_prob: number(log_prob),
                score: number(score),
            }
        })
        .collect()
}

//! Running a search over a few sentences.

#![allow(dead_code, reason = "each test uses its part")]

use metaphrase_base::{SentenceScorer, StepModel, WordId};
use metaphrase_search::{Constraints, Options, Outcome, Searcher, Task};
use metaphrase_testkit::FakeModel;
use std::sync::Arc;

#[derive(Clone)]
pub struct Sentence {
    pub id: usize,
    pub source: Vec<WordId>,
    pub prefix: Vec<WordId>,
    pub seed: u64,
    pub constraints: Option<Constraints>,
    pub scorer: Option<Arc<dyn SentenceScorer>>,
}

pub fn words(words: &[u32]) -> Vec<WordId> {
    words.iter().copied().map(WordId).collect()
}

pub fn sentence(source: &[u32]) -> Sentence {
    Sentence { id: 0, source: words(source), prefix: Vec::new(), seed: 5, constraints: None, scorer: None }
}

/// Outcomes in the order of the sentences' ids.
pub fn search<M: StepModel>(model: &M, options: &Options, batch: usize, sentences: &[Sentence]) -> Vec<Outcome<usize>> {
    let options = options.clone().check(model).expect("usable options");
    let task = |s: &Sentence| Task {
        prefix: s.prefix.clone(),
        seed: s.seed,
        constraints: s.constraints.clone(),
        scorer: s.scorer.clone(),
        ..Task::new(s.id, s.source.clone(), &options)
    };
    let mut tasks = sentences.iter().map(task);
    let mut outcomes = Vec::new();
    Searcher::new(model, batch).run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|o| o.tag);
    outcomes
}

pub fn one(model: &FakeModel, options: &Options, sentence: &Sentence) -> Outcome<usize> {
    one_of(model, options, sentence)
}

pub fn one_of<M: StepModel>(model: &M, options: &Options, sentence: &Sentence) -> Outcome<usize> {
    search(model, options, 1, core::slice::from_ref(sentence)).remove(0)
}

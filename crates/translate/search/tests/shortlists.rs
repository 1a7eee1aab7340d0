//! A shortlist bounds the words of a translation, but not the words that the task itself requires.

use crate::common::words;
use metaphrase_base::{ScoreBuffer, SentenceScorer, Shortlist, StepModel, WordId, WordScore, WordScores};
use metaphrase_search::{Constraints, Hypothesis, Informed, Options, Searcher, Strategy, Task};
use metaphrase_testkit::FakeModel;
use std::sync::Arc;

fn one<M: StepModel>(model: &M, strategy: Strategy, change: impl FnOnce(&mut Task<()>)) -> Vec<Hypothesis> {
    let options = Options { strategy, n_best: 3, normalize_constrained: Some(1.0), ..Options::default() };
    let mut task = Task::new((), words(&[1, 2, 3, 0]), &options.check(model).unwrap());
    task.shortlist = Some(Shortlist::new(words(&[2, 3, 5])));
    change(&mut task);
    let (mut task, mut found) = (Some(task), None);
    Searcher::new(model, 1).run(|| task.take(), |outcome| found = Some(outcome.hypotheses));
    found.unwrap()
}

const STRATEGIES: [Strategy; 5] =
    [Strategy::Beam, Strategy::Grid, Strategy::States, Strategy::CUBE, Strategy::ACCELERATED_CUBE];

#[test]
fn translations_are_made_of_the_list_and_of_what_is_asked_for() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 12, 3.0);
        for strategy in STRATEGIES {
            let only = |found: Vec<Hypothesis>, more: &[u32]| {
                assert!(!found.is_empty());
                let allowed = [words(&[2, 3, 5]), words(more)].concat();
                assert!(found.iter().flat_map(|found| &found.words).all(|word| allowed.contains(word)), "{found:?}");
                found
            };
            assert!(only(one(&model, strategy, |_| {}), &[]).iter().any(|found| found.complete), "the end is listed");
            let found = only(one(&model, strategy, |task| task.prefix = words(&[7, 9])), &[7, 9]);
            assert!(found.iter().all(|found| found.words.starts_with(&words(&[7, 9]))));
            let given = words(&[4, 8, 0]);
            let found = only(one(&model, strategy, |task| task.prefix.clone_from(&given)), &[4, 8]);
            assert!(found[0].complete && found[0].log_prob.is_finite());
            let terms = Constraints::new(&[vec![words(&[10, 11]), words(&[6])]], None, None).unwrap();
            let found = only(one(&model, strategy, |task| task.constraints = Some(terms.clone())), &[10, 11, 6]);
            assert!(found.iter().all(|found| terms.find(&found.words)[0].is_some()), "{found:?}");
        }
    }
}

/// Rewards word 9, which only it knows.
#[derive(Debug)]
struct Evidence;

impl SentenceScorer for Evidence {
    fn start(&self) -> u32 {
        0
    }

    fn after(&self, _: u32, _: WordId) -> u32 {
        0
    }

    fn words(&self) -> &[WordId] {
        &[WordId(9)]
    }

    fn scores<'a>(&'a self, _: u32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        buffer.listed = vec![WordScore { word: WordId(9), score: 20.0 }];
        WordScores::Sparse { base: 0.0, listed: &buffer.listed }
    }
}

#[test]
fn words_that_a_scorer_knows_are_listed() {
    let informed = Informed::new(Arc::new(FakeModel::random(3, 12, 3.0)));
    for strategy in STRATEGIES {
        let best = &one(&informed, strategy, |task| task.scorer = Some(Arc::new(Evidence)))[0];
        assert!(best.words.contains(&WordId(9)), "{best:?}");
    }
}

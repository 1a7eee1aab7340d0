//! First-word look-ahead saves language model computations and changes nothing else.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use metaphrase_phrase::{Counters, Decoder, LookAhead, PhraseModel, Presort, SearchOptions, Translation, Workspace};
use metaphrase_testkit::Outcome;
use tiny::Random;

fn first_word_look_ahead_changes_no_output() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let source = tiny::sentence(&mut random, 12);
        let sentences = [source.as_slice()];
        for (coverages, hypotheses) in [(1, 1), (2, 3), (5, 2), (8, 8)] {
            let (plain, _) = search(&model, &sentences, coverages, hypotheses, LookAhead::None);
            let (ahead, _) = search(&model, &sentences, coverages, hypotheses, LookAhead::FirstWord);
            assert_eq!(plain, ahead, "seed {seed}");
        }
    }
}

fn look_ahead_saves_computations_with_a_real_model() -> Outcome {
    let folder = common::moses_model()?;
    let model = PhraseModel::read_moses(&folder).unwrap();
    let lines = common::lines(&folder.join("source.de"));
    let sentences: Vec<Vec<&str>> =
        lines.iter().take(100).map(|line| line.split_ascii_whitespace().collect()).collect();
    let sentences: Vec<&[&str]> = sentences.iter().map(Vec::as_slice).collect();
    for size in [1, 4, 8] {
        let (plain, without) = search(&model, &sentences, size, size, LookAhead::None);
        let (ahead, first) = search(&model, &sentences, size, size, LookAhead::FirstWord);
        assert_eq!(plain, ahead);
        assert_eq!(without.expansions, first.expansions);
        assert!(first.lm_computations < without.lm_computations, "{first:?}, {without:?}");
        let (_, phrase) = search(&model, &sentences, size, size, LookAhead::PhraseOnly);
        assert!(phrase.lm_computations < first.lm_computations / 2, "{phrase:?}, {first:?}");
    }
    Ok(())
}

/// The order of options and the place where a list is left agree: otherwise sorting makes the search look at more of
/// them.
fn presorting_saves_work_with_a_real_model() -> Outcome {
    let folder = common::moses_model()?;
    let model = PhraseModel::read_moses(&folder).unwrap();
    let lines = common::lines(&folder.join("source.de"));
    let work = |presort| {
        let look_ahead = LookAhead::None;
        let options = SearchOptions { options: None, presort, look_ahead, ..SearchOptions::default() };
        let decoder = Decoder::new(&model, options).unwrap();
        let mut workspace = Workspace::default();
        let mut total = Counters::default();
        for line in lines.iter().take(50) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            total += decoder.translate(&words, &mut workspace).1;
        }
        total
    };
    let (none, full) = (work(Presort::None), work(Presort::Full));
    assert!(full.considered < none.considered / 3, "{full:?}, {none:?}");
    assert!(full.lm_requests < none.lm_requests / 3, "{full:?}, {none:?}");
    assert!(full.lm_computations <= full.lm_requests && full.expansions < none.expansions, "{full:?}, {none:?}");
    Ok(())
}

metaphrase_testkit::tests![
    first_word_look_ahead_changes_no_output,
    look_ahead_saves_computations_with_a_real_model,
    presorting_saves_work_with_a_real_model,
];

fn search(
    model: &PhraseModel,
    sentences: &[&[&str]],
    coverages: usize,
    hypotheses: usize,
    look_ahead: LookAhead,
) -> (Vec<Translation>, Counters) {
    // With full pre-sorting little is left to be saved.
    let presort = Presort::Exact;
    let options = SearchOptions { coverages, hypotheses, presort, look_ahead, ..SearchOptions::default() };
    let decoder = Decoder::new(model, options).unwrap();
    let mut workspace = Workspace::default();
    let mut total = Counters::default();
    let translations = sentences.iter().map(|words| {
        let (translation, counters) = decoder.translate(words, &mut workspace);
        total += counters;
        translation
    });
    (translations.collect(), total)
}

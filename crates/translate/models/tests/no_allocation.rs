//! A model that is warm translates without touching the heap.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::fixtures;
use metaphrase_base::{
    Candidate, Parent, Row, SentId, Sentence, Shortlist, Step, StepDemand, StepModel, StepRow, StepScores, WordId,
};
use metaphrase_models::{Model, Precision, Scores, State, load};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const BEAM: usize = 4;

/// Translates `sentences` for as many steps as the first one has words, and gives their slots back.
fn translate(model: &Model, sentences: &[Sentence<'_>], state: &mut State, scores: &mut Scores, work: &mut Work) {
    let demand = StepDemand { best: BEAM, rows_alone: sentences.len(), excluded: 1, ..StepDemand::default() };
    model.encode(sentences, state);
    work.rows.clear();
    work.rows.extend(sentences.iter().map(|sentence| StepRow { sentence: sentence.slot, parent: None }));
    for _ in 0..sentences[0].words.len() {
        model.step(Step::New, demand, &work.rows, state, scores);
        std::mem::swap(&mut work.rows, &mut work.before);
        work.rows.clear();
        let mut first = 0;
        for group in work.before.chunk_by(|a, b| a.sentence == b.sentence) {
            let rows = first..first + group.len();
            scores.top(rows.clone(), &[0.0; BEAM][..rows.len()], BEAM, &[WordId(1)], &mut work.best);
            work.rows.extend(work.best.iter().map(|best| StepRow {
                sentence: group[0].sentence,
                parent: Some(Parent { row: best.row, word: best.word }),
            }));
            assert!(!model.attention(state, Row::new(first)).is_empty());
            first = rows.end;
        }
    }
    sentences.iter().for_each(|sentence| model.release(sentence.slot, state));
}

#[derive(Default)]
struct Work {
    rows: Vec<StepRow>,
    before: Vec<StepRow>,
    best: Vec<Candidate>,
}

#[test]
fn steps_of_a_warm_model_allocate_nothing() {
    let transformers = ["post-relu-tied-all", "pre-gelu-tied-src", "ssru-pre-projection", "aan-gate"];
    let recurrent = ["amun", "nematus-norm-deep", "s2s-gru-alternating", "s2s-lstm-uni-tied", "s2s-mlstm-norm"];
    let transformers = transformers.map(|name| ("transformer", name));
    for (folder, name) in transformers.into_iter().chain(recurrent.map(|name| ("recurrent", name))) {
        let (config, weights) = load(&fixtures(folder).join(format!("{name}.npz"))).unwrap();
        for precision in [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8] {
            let model = Model::with_precision(config.clone(), &weights, precision).unwrap();
            assert_no_allocation(&model, precision, name);
        }
    }
}

/// Translates until all buffers have reached their largest size, and then once again.
fn assert_no_allocation(model: &Model, precision: Precision, name: &str) {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let words = u32::try_from(model.config().source_words).unwrap() - 2;
    let long: Vec<_> = (0..30).map(|i| WordId(2 + i % words)).chain([WordId(0)]).collect();
    let short = &long[25..];
    let mut work = Work::default();
    let sentence = |slot, words| Sentence { attention: true, ..Sentence::new(SentId(slot), words) };
    let three = |middle| [sentence(0, &long), sentence(1, middle), sentence(2, &long)];
    let list = Shortlist::new((0..words / 2).map(|word| WordId(2 * word)).collect());
    let listed = |words| three(words).map(|sentence| Sentence { shortlist: Some(&list), ..sentence });
    // Twice, as there are two of some buffers, which change places in each step.
    for _ in 0..2 {
        translate(model, &three(&long), &mut state, &mut scores, &mut work);
        translate(model, &listed(&long), &mut state, &mut scores, &mut work);
    }
    if precision != Precision::F32 {
        // How many words hypotheses share, and so the size of the history, depends on the scores.
        translate(model, &three(short), &mut state, &mut scores, &mut work);
    }
    let heap = Region::new(ALLOCATOR);
    translate(model, &three(short), &mut state, &mut scores, &mut work);
    translate(model, &listed(short), &mut state, &mut scores, &mut work);
    translate(model, &[sentence(0, short), sentence(1, short)], &mut state, &mut scores, &mut work);
    let change = heap.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0), "{name}, {precision:?}");
}

//! A warm search allocates nothing per step: only when a sentence enters or leaves the batch.

use metaphrase::Translator;
use metaphrase_base::{Row, SentId, StepModel, StepRow, WordId};
use metaphrase_models::Model;
use metaphrase_search::{Options, Searcher, Stop, Task};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::cell::Cell;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocations() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

thread_local! {
    /// Allocations at the start of the last step; `None` if a sentence entered or left since.
    static AT_LAST_STEP: Cell<Option<usize>> = const { Cell::new(None) };
    /// Steps seen, and allocations from one step to the next.
    static SEEN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// A model that watches what is allocated between its steps, in itself and in the search.
struct Watched<'m>(&'m Model);

impl StepModel for Watched<'_> {
    type State = <Model as StepModel>::State;
    type Scores = <Model as StepModel>::Scores;

    fn target_words(&self) -> usize {
        self.0.target_words()
    }

    fn end_of_sentence(&self) -> WordId {
        self.0.end_of_sentence()
    }

    fn new_state(&self) -> Self::State {
        self.0.new_state()
    }

    fn new_scores(&self) -> Self::Scores {
        self.0.new_scores()
    }

    fn encode(&self, slots: &[SentId], sentences: &[&[WordId]], state: &mut Self::State) {
        AT_LAST_STEP.set(None);
        self.0.encode(slots, sentences, state);
    }

    fn release(&self, slot: SentId, state: &mut Self::State) {
        AT_LAST_STEP.set(None);
        self.0.release(slot, state);
    }

    fn step(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores) {
        let now = allocations();
        if let Some(before) = AT_LAST_STEP.replace(Some(now)) {
            let (steps, allocated) = SEEN.get();
            SEEN.set((steps + 1, allocated + now - before));
        }
        self.0.step(rows, state, scores);
    }

    fn step_more(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores) {
        self.0.step_more(rows, state, scores);
    }

    fn has_attention(&self) -> bool {
        self.0.has_attention()
    }

    fn keep_attention(&self, keep: bool, state: &mut Self::State) {
        self.0.keep_attention(keep, state);
    }

    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
        self.0.attention(state, row)
    }
}

#[test]
fn nothing_is_allocated_from_step_to_step() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en-de");
    let model = Model::load(&folder).expect("the bundled model");
    let translator = Translator::bundled().expect("the bundled model");
    let text = ["The house is old, but the garden behind it is new.", "Good morning!", "Where were you when I called?"];
    let sources: Vec<Vec<WordId>> = text.iter().map(|line| translator.segment(line)).collect();
    let model = Watched(&model);
    for stop in [Stop::Shrink, Stop::Fill] {
        let options = Options { stop, ..Options::default() }.check(&model).expect("options");
        let mut searcher = Searcher::new(&model, 64);
        // Buffers grow to what their slot has seen; after a few rounds every slot has seen every sentence.
        for round in 0..6 {
            SEEN.set((0, 0));
            AT_LAST_STEP.set(None);
            let mut tasks = sources.iter().cycle().take(30).map(|source| Task::new((), source.clone(), &options));
            searcher.run(|| tasks.next(), drop);
            let (steps, allocated) = SEEN.get();
            assert!(steps > 20, "{steps} steps");
            assert!(round < 5 || allocated == 0, "{allocated} allocations in {steps} steps");
        }
    }
}

//! A warm search allocates nothing per step: only when a sentence enters or leaves the batch.

use metaphrase::Translator;
use metaphrase_base::{SentId, Sentence, Step, StepDemand, StepModel, StepRow, WordId};
use metaphrase_models::Model;
use metaphrase_ngram::AllWords;
use metaphrase_search::{Fused, Options, Searcher, Stop, Task};
use metaphrase_testkit::{Delegate, Delegating, Pairs};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

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
struct Watched<M>(M);

impl<M: StepModel> Delegate for Watched<M> {
    type Model = M;

    fn model(&self) -> &M {
        &self.0
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut M::State) {
        AT_LAST_STEP.set(None);
        self.0.encode(sentences, state);
    }

    fn release(&self, slot: SentId, state: &mut M::State) {
        AT_LAST_STEP.set(None);
        self.0.release(slot, state);
    }

    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut M::State, scores: &mut M::Scores) {
        let now = allocations();
        if let Some(before) = AT_LAST_STEP.replace(Some(now)) {
            let (steps, allocated) = SEEN.get();
            SEEN.set((steps + 1, allocated + now - before));
        }
        self.0.step(step, demand, rows, state, scores);
    }
}

/// A language model whose words stand for those of the bundled model by turns.
fn language_model(words: usize) -> AllWords {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/ngram/lmplz.arpa");
    let model = metaphrase_ngram::Model::open(path.as_ref()).expect("a language model");
    let known = model.vocabulary().len();
    AllWords::new(model, (0..words).map(|word| WordId::new(word % known)).collect())
}

/// Searches the same sentences again and again; the last time nothing is allocated from step to step.
fn assert_nothing_is_allocated(name: &str, model: impl StepModel, sources: &[Vec<WordId>]) {
    let model = Delegating(Watched(model));
    for stop in [Stop::Shrink, Stop::FILL, Stop::Collect] {
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
            assert!(round < 5 || allocated == 0, "{name}: {allocated} allocations in {steps} steps");
        }
    }
}

fn bundled_model() -> Model {
    Model::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models/en-de")).expect("the bundled model")
}

fn nothing_is_allocated_from_step_to_step() {
    let model = Arc::new(bundled_model());
    let translator = Translator::bundled().expect("the bundled model");
    let text = ["The house is old, but the garden behind it is new.", "Good morning!", "Where were you when I called?"];
    let sources: Vec<Vec<WordId>> = text.iter().map(|line| translator.segment(line)).collect();
    let words = model.facts().target_words;
    // Ten exceptions for each pair of last digits.
    let pairs = Pairs::new(words as u32, -0.1, |last, word| (last.unwrap_or(0) % 10 + word == 100).then_some(0.5));
    let dense = || Fused::new(Arc::clone(&model), language_model(words), 0.2);
    assert_nothing_is_allocated("language model", dense(), &sources);
    assert_nothing_is_allocated("language model, sparse scorer", Fused::new(Arc::new(dense()), pairs, 0.5), &sources);
    assert_nothing_is_allocated("alone", bundled_model(), &sources);
}

metaphrase_testkit::tests![nothing_is_allocated_from_step_to_step];

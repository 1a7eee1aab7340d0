//! Iglesias et al. 2018. Tables 1 and 2 and figure 1 have files of their own; here are figures 2 and 3: what it brings
//! to step all hypotheses of a beam together, and all sentences of a batch.

mod oracle;
mod phrase_based;
pub mod speed;
pub mod steps;
pub mod table1;
mod tuning;

pub use phrase_based::Words;

use crate::memory;
use crate::setup::{Setup, Text, cpu_seconds, round};
use anyhow::{Result, ensure};
use metaphrase::Translator;
use metaphrase_base::{Step, StepDemand, StepModel, StepRow, WordId};
use metaphrase_models::{Model, Scores, State};
use metaphrase_search::{CheckedOptions, Searcher, Task};
use metaphrase_testkit::{Delegate, Delegating};
use serde::Serialize;
use std::path::Path;

/// Each measurement takes turns with the others so often; the fastest counts.
pub const TURNS: usize = 3;
/// The beam of figure 3.
const BEAM: usize = 4;

/// A model that computes one row after the other, as a decoder without batching does.
struct OneByOne<'a>(&'a Model);

impl Delegate for OneByOne<'_> {
    type Model = Model;

    fn model(&self) -> &Model {
        self.0
    }

    /// The first row begins the step, each other row is added to it.
    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut State, scores: &mut Scores) {
        let demand = StepDemand { more_rows: true, ..demand };
        for (number, row) in rows.chunks(1).enumerate() {
            self.0.step(if number == 0 { step } else { Step::Same }, demand, row, state, scores);
        }
    }
}

/// The model without threads, and the sentences as it reads them.
pub struct TestSet {
    pub model: Model,
    sources: Vec<Vec<WordId>>,
    /// Words of the text.
    words: usize,
}

impl TestSet {
    pub fn new(path: &Path, text: &Text) -> Result<Self> {
        let translator = Translator::builder().model(path).threads(1).batch_tokens(1).build()?;
        let sources: Vec<_> = text.source.iter().map(|line| translator.segment(line)).filter(|s| s.len() > 1).collect();
        let words = text.source.iter().map(|line| line.split_whitespace().count()).sum();
        let model = Model::load(path)?;
        Ok(Self { model, sources, words })
    }

    pub fn options(&self, beam_size: usize) -> Result<CheckedOptions> {
        let excluded = self.model.config().never.iter().map(|&word| WordId(word)).collect();
        let options = metaphrase::SearchOptions { beam_size, excluded, ..metaphrase::SearchOptions::default() };
        Ok(options.check(&self.model)?)
    }

    /// Translates the sentences in their order, with the model or one that delegates to it.
    pub fn search<M: StepModel>(&self, model: &M, options: &CheckedOptions, batch_tokens: usize) -> SearchRun {
        let order: Vec<usize> = (0..self.sources.len()).collect();
        search(model, &self.sources, &order, options, batch_tokens)
    }
}

/// A search of the whole text.
pub struct SearchRun {
    /// The words of the translation of each sentence.
    pub translations: Vec<Vec<WordId>>,
    pub seconds: f64,
    /// The largest memory of the process during the search, its model included, in MB; `None` where the system does not
    /// report it. The process keeps what an earlier search took, so sizes have to ascend.
    pub megabytes: Option<f64>,
}

/// Translates the sentences in the order of `order`.
fn search<M: StepModel>(
    model: &M,
    sources: &[Vec<WordId>],
    order: &[usize],
    options: &CheckedOptions,
    batch_tokens: usize,
) -> SearchRun {
    memory::forget_peak();
    let begun = cpu_seconds();
    let mut translations = vec![Vec::new(); sources.len()];
    let mut order = order.iter();
    let next = || order.next().map(|&number| Task::new(number, sources[number].clone(), options));
    Searcher::new(model, batch_tokens).run(next, |mut outcome| {
        translations[outcome.tag] = outcome.hypotheses.drain(..).next().map(|best| best.words).unwrap_or_default();
    });
    let seconds = cpu_seconds() - begun;
    SearchRun { translations, seconds, megabytes: memory::peak().map(|megabytes| round(megabytes, 1)) }
}

/// The fastest of two searches of the same.
pub fn faster(best: Option<SearchRun>, other: SearchRun) -> Option<SearchRun> {
    Some(match best {
        Some(best) if best.seconds <= other.seconds => best,
        _ => other,
    })
}

#[derive(Serialize)]
struct ByBeam {
    system: &'static str,
    beam: usize,
    words_per_second: f64,
    seconds: f64,
    /// How many times faster than one hypothesis at a time.
    speed_up: f64,
}

/// Figure 2: the hypotheses of one sentence together, and one after the other, by the size of the beam.
pub fn figure_2(setup: &Setup) -> Result<()> {
    let given = TestSet::new(&setup.model_directory(), &setup.text()?)?;
    let mut rows = Vec::new();
    for beam in 1..=12 {
        let options = given.options(beam)?;
        let [mut together, mut alone] = [None, None];
        for _ in 0..TURNS {
            together = faster(together, given.search(&given.model, &options, 1));
            alone = faster(alone, given.search(&Delegating(OneByOne(&given.model)), &options, 1));
        }
        let (Some(together), Some(alone)) = (together, alone) else { continue };
        ensure!(together.translations == alone.translations, "the translations depend on what is stepped together");
        for (system, searched) in [("all hypotheses together", &together), ("one hypothesis at a time", &alone)] {
            rows.push(ByBeam {
                system,
                beam,
                words_per_second: round(given.words as f64 / searched.seconds, 1),
                seconds: round(searched.seconds, 3),
                speed_up: round(alone.seconds / searched.seconds, 3),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("iglesias-fig2", &rows)
}

#[derive(Serialize)]
struct ByBatch {
    order: &'static str,
    /// Sentences that share a step, on average: the batch has as many source pieces.
    sentences: usize,
    batch_tokens: usize,
    words_per_second: f64,
    seconds: f64,
    memory_mb: Option<f64>,
    /// How many times faster than one sentence at a time in the same order.
    speed_up: f64,
}

/// Figure 3: sentences together, by their number, in the order of the text and sorted by length.
pub fn figure_3(setup: &Setup) -> Result<()> {
    let given = TestSet::new(&setup.model_directory(), &setup.text()?)?;
    let options = given.options(BEAM)?;
    let pieces: usize = given.sources.iter().map(Vec::len).sum();
    let as_it_is: Vec<usize> = (0..given.sources.len()).collect();
    let mut sorted = as_it_is.clone();
    sorted.sort_by_key(|&number| std::cmp::Reverse(given.sources[number].len()));
    let orders = [("sorted by length", sorted), ("in the order of the text", as_it_is)];
    let mut rows: Vec<ByBatch> = Vec::new();
    let mut translations: Option<Vec<Vec<WordId>>> = None;
    let mut single = [None; 2];
    for sentences in [1, 2, 4, 7, 8, 16, 32, 64] {
        let batch_tokens = if sentences == 1 { 1 } else { (sentences * pieces).div_ceil(given.sources.len().max(1)) };
        let mut best = [None, None];
        for _ in 0..TURNS {
            for ((_, order), best) in orders.iter().zip(&mut best) {
                *best = faster(best.take(), search(&given.model, &given.sources, order, &options, batch_tokens));
            }
        }
        for (((order, _), searched), single) in orders.iter().zip(best.into_iter().flatten()).zip(&mut single) {
            let first = translations.get_or_insert_with(|| searched.translations.clone());
            ensure!(*first == searched.translations, "the translations depend on the batch");
            rows.push(ByBatch {
                order,
                sentences,
                batch_tokens,
                words_per_second: round(given.words as f64 / searched.seconds, 1),
                seconds: round(searched.seconds, 3),
                memory_mb: searched.megabytes,
                speed_up: round(*single.get_or_insert(searched.seconds) / searched.seconds, 3),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("iglesias-fig3", &rows)
}

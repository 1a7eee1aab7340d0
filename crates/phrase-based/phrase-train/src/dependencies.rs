//! The settings and inputs that the files of each stage depend on.
//!
//! Options are taken apart name by name, so that a new option does not compile before it is recorded. Numbers of
//! threads and sizes of memory are left out: the files do not depend on them.

use crate::DevSet;
use crate::error::Error;
use crate::files;
use crate::folder::ModelFolder;
use crate::options::TrainOptions;
use crate::record::{StageRecord, checksum_of};
use crate::text::{source_checksum, target_checksum};
use metaphrase_align::{Corpus, ExtractOptions};
use metaphrase_ngram::EstimateOptions;
use metaphrase_phrase::SearchOptions;
use metaphrase_tune::{MertOptions, Method, MiraOptions};

/// The checksums of both sides of the training text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texts {
    source: u64,
    target: u64,
}

impl Texts {
    pub(crate) fn new(corpus: &Corpus) -> Self {
        Self { source: source_checksum(corpus), target: target_checksum(corpus) }
    }

    fn both(self) -> [(&'static str, u64); 2] {
        [("source text", self.source), ("target text", self.target)]
    }
}

/// Word alignment.
pub(crate) fn align(texts: Texts, options: &TrainOptions) -> StageRecord {
    let metaphrase_align::Options { diagonal_iterations, hmm_iterations, symmetrization, max_words, threads: _ } =
        &options.align;
    let settings = [
        ("lower case", options.lowercase.to_string()),
        ("diagonal iterations", diagonal_iterations.to_string()),
        ("HMM iterations", hmm_iterations.to_string()),
        ("symmetrization", format!("{symmetrization:?}")),
        ("longest sentence", max_words.to_string()),
    ];
    StageRecord::new(settings, texts.both())
}

/// Phrase tables.
pub(crate) fn extract(folder: &ModelFolder, texts: Texts, options: &TrainOptions) -> Result<StageRecord, Error> {
    let ExtractOptions { max_length, smoothing, min_probability, candidates, memory: _, threads: _ } = &options.extract;
    let settings = [
        ("longest phrase", max_length.to_string()),
        ("smoothing", format!("{smoothing:?}")),
        ("least probability", min_probability.to_string()),
        ("candidates", candidates.to_string()),
    ];
    Ok(StageRecord::new(settings, texts.both().into_iter().chain(folder.inputs(&[files::LINKS])?)))
}

/// The language model that is estimated from the target text.
pub(crate) fn language_model(texts: Texts, options: &TrainOptions) -> StageRecord {
    let EstimateOptions { order, prune, fallback, skip_symbols, memory: _, temporary: _, threads: _ } =
        &options.estimate;
    let settings = [
        ("order", order.to_string()),
        ("pruning", format!("{prune:?}")),
        ("discounts", fallback.map_or("of the text".into(), |discounts| format!("{:?}", discounts.0))),
        ("symbols in the text", if *skip_symbols { "left out" } else { "refused" }.into()),
    ];
    StageRecord::new(settings, [("target text", texts.target)])
}

/// Compiled tables and the compiled language model.
pub(crate) fn compile(folder: &ModelFolder, options: &TrainOptions) -> Result<StageRecord, Error> {
    let tables = folder.inputs(&[files::PHRASE_TABLE, files::REORDERING_TABLE])?;
    Ok(StageRecord::new([], tables.into_iter().chain([language_model_file(folder, options)?])))
}

/// The model with the weights that tuning begins with.
pub(crate) fn untuned(options: &TrainOptions) -> StageRecord {
    StageRecord::new(model(options), [])
}

/// Tuning.
pub(crate) fn tune(folder: &ModelFolder, dev: Option<&DevSet>, options: &TrainOptions) -> Result<StageRecord, Error> {
    let inputs = if options.compile {
        folder.inputs(&[files::COMPILED_TABLES, files::COMPILED_LANGUAGE_MODEL])?
    } else {
        let tables = folder.inputs(&[files::PHRASE_TABLE, files::REORDERING_TABLE])?;
        tables.into_iter().chain([language_model_file(folder, options)?]).collect()
    };
    let Some(dev) = dev else { return Ok(StageRecord::new(model(options), inputs)) };
    let search = &options.tune.search;
    let SearchOptions { coverages, hypotheses, options: width, presort, look_ahead, unknown_words, .. } = search;
    let settings = [
        ("method", method(&options.tune.method)),
        ("rounds", options.tune.rounds.to_string()),
        ("translations of a sentence", options.tune.n_best.to_string()),
        ("coverages", coverages.to_string()),
        ("hypotheses", hypotheses.to_string()),
        ("options of a phrase", width.map_or("all".into(), |width| width.to_string())),
        ("presorting", format!("{presort:?}")),
        ("look-ahead", format!("{look_ahead:?}")),
        ("unknown words", format!("{unknown_words:?}")),
    ];
    let inputs = inputs.into_iter().chain([("development set", dev.checksum())]);
    Ok(StageRecord::new(model(options).into_iter().chain(settings), inputs))
}

/// Settings of the model that is tuned.
fn model(options: &TrainOptions) -> Vec<(&'static str, String)> {
    let language_model = options.language_model.as_ref().map_or("estimated".into(), |path| path.display().to_string());
    vec![
        ("compiled", options.compile.to_string()),
        ("language model", language_model),
        ("distortion limit", options.distortion_limit.to_string()),
    ]
}

/// The text of the language model, with its checksum.
fn language_model_file(folder: &ModelFolder, options: &TrainOptions) -> Result<(&'static str, u64), Error> {
    let path = options.language_model.clone().unwrap_or_else(|| folder.file(files::LANGUAGE_MODEL));
    Ok(("language model", checksum_of(&path)?))
}

fn method(method: &Method) -> String {
    match method {
        Method::Mert(MertOptions { restarts, directions, seed, threads: _ }) => {
            format!("MERT, {restarts} restarts, {directions} directions, seed {seed}")
        }
        Method::Mira(MiraOptions { step, passes, decay, seed }) => {
            format!("MIRA, step {step}, {passes} passes, decay {decay}, seed {seed}")
        }
    }
}

//! A training run: data, updates, validations, checkpoints.

use crate::checkpoint::{self, CheckpointError, State};
use crate::curves::curves;
use crate::data::{Batches, Corpus, CorpusFiles, DataError, Limits};
use crate::log::{self, Log};
use crate::networks::NetworkError;
use crate::recipe::{Metric, Recipe};
use crate::tape::WordLosses;
use crate::text_lines::lines;
use crate::validation::{Dev, ValidationError, bleu, translate};
use crate::vocabulary::VocabularyTrainingError;
use crate::{Cuda, DeviceError, Trainer, UpdateError};
use metaphrase_kernels::Matrix;
use metaphrase_models::{
    Architecture, Config, Model, ModelError, Precision, Vocabularies, VocabularyFiles, Weights, save,
};
use metaphrase_text::vocab::{Vocabulary, VocabularyError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How a run uses the machine.
pub struct Execution {
    /// Threads; the bits of the result depend on their number, unless a device computes.
    pub threads: usize,
    /// What computes updates instead of the threads, to which validation is left.
    pub device: Option<Cuda>,
    /// Continue the run that is in the output directory.
    pub resume: bool,
}

/// What a run tells while it goes on.
pub trait Observer {
    /// A sentence about what was read or is done.
    fn message(&mut self, text: &str);
    /// An update is done.
    fn progress(&mut self, progress: &Progress);
    /// A validation is done.
    fn validated(&mut self, validation: &Validated);
}

/// Some updates, up to this one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Progress {
    /// Updates so far, of `of`.
    pub update: u64,
    /// The last update of the run.
    pub of: u64,
    /// Epochs that are complete.
    pub epoch: u64,
    /// Loss per target word.
    pub loss: f64,
    /// Norm of the gradient.
    pub gradient_norm: f32,
    /// Learning rate.
    pub rate: f32,
    /// Target words since the last progress.
    pub words: usize,
    /// Seconds of training so far.
    pub seconds: f64,
    /// Mean of ln Z over the words, and its standard deviation.
    pub log_z: (f64, f64),
}

/// A validation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Validated {
    /// Updates so far.
    pub update: u64,
    /// Cross-entropy per target word, in nats.
    pub cross_entropy: f64,
    /// BLEU of the translation.
    pub bleu: f64,
    /// Mean of ln Z over the words, and its standard deviation.
    pub log_z: (f64, f64),
    /// Whether it is the best so far.
    pub best: bool,
    /// Seconds of training so far.
    pub seconds: f64,
}

/// Why a run ended.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The training data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A vocabulary.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// A vocabulary that was to be trained.
    #[error(transparent)]
    VocabularyTraining(#[from] VocabularyTrainingError),
    /// The network's settings.
    #[error("the network can not be trained: {0}")]
    Network(#[from] NetworkError),
    /// An update.
    #[error("{0}; the last good checkpoint is kept")]
    Update(#[from] UpdateError),
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A validation.
    #[error(transparent)]
    Validation(#[from] ValidationError),
    /// A model that was to be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The directory of the run.
    #[error("{path}: {problem}")]
    Output {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// Follows a recipe; models, checkpoint and log go to the directory `output`. Returns the best validation.
///
/// # Errors
/// [`TrainError`]; what was written before stays and can be resumed.
pub fn train(
    recipe: &Recipe,
    output: &Path,
    execution: Execution,
    observer: &mut dyn Observer,
) -> Result<Option<(f64, u64)>, TrainError> {
    let mut run = Run::start(recipe, output, execution, observer)?;
    run.updates(observer)?;
    Ok(run.state.best)
}

struct Run<'a> {
    recipe: &'a Recipe,
    output: &'a Path,
    threads: usize,
    config: Config,
    /// The files of source and target vocabulary.
    vocabularies: (PathBuf, PathBuf),
    source: Vocabulary,
    target: Vocabulary,
    trainer: Trainer,
    batches: Batches,
    dev_batches: Corpus,
    dev: Dev,
    state: State,
    log: Log,
    begun: Instant,
    /// Seconds before this start.
    before: f64,
    /// Keeps other processes from the directory.
    _lock: Option<File>,
}

impl<'a> Run<'a> {
    fn start(
        recipe: &'a Recipe,
        output: &'a Path,
        Execution { threads, device, resume }: Execution,
        observer: &mut dyn Observer,
    ) -> Result<Self, TrainError> {
        let problem = |problem: String| TrainError::Output { path: output.to_owned(), problem };
        let found = checkpoint::newest(output);
        let text = toml::to_string(recipe).map_err(|e| problem(e.to_string()))?;
        match (resume, &found) {
            (false, Some(_)) => {
                return Err(problem("there is a run already; continue it with --resume or name another".into()));
            }
            (false, None) if has_others_files(output) => {
                return Err(problem("there are files of something else; name a new directory".into()));
            }
            (true, None) => return Err(problem("there is no checkpoint to resume".into())),
            _ => fs::create_dir_all(output.join("models")).map_err(|e| problem(e.to_string()))?,
        }
        let lock = lock(output).map_err(problem)?;
        fs::write(output.join("recipe.toml"), &text).map_err(|e| problem(e.to_string()))?;

        let vocabularies = recipe.vocabulary.prepare(&recipe.data.train, output, resume, threads)?;
        let source = Vocabulary::open(&vocabularies.0)?;
        let target = Vocabulary::open(&vocabularies.1)?;
        let config = config(recipe, &source, &target);
        config.check(&output.join("recipe.toml"))?;
        let mut trainer = Trainer::new(&config, recipe.training.update, recipe.training.seed, threads)?;
        let count: usize = trainer.parameters().iter().map(|(_, p)| p.as_slice().len()).sum();
        observer.message(&format!("{count} parameters in {} tensors", trainer.parameters().len()));

        let (corpus, report) = Corpus::read(&recipe.data.train, &source, &target, recipe.data.limits, threads)?;
        observer.message(&format!("training data: {report}"));
        let all = Limits { max_source_words: 1000, max_target_words: 1000 };
        let dev_files = std::slice::from_ref(&recipe.data.dev);
        let (dev_batches, report) = Corpus::read(dev_files, &source, &target, all, threads)?;
        observer.message(&format!("development data: {report}"));
        let dev = Dev::read(&recipe.data.dev).map_err(|e| problem(e.to_string()))?;

        trainer.start_from(&corpus.target_counts(config.target_words));
        let data = corpus.fingerprint();
        let mut batches = Batches::new(corpus, recipe.training.batch, recipe.training.seed);
        let on_device = device.is_some();
        let mut state = State { threads, on_device, recipe: text, data, ..State::default() };
        if let Some(found) = found {
            let old = checkpoint::read(&found, &mut trainer)?;
            if old.data != data {
                let path = output.to_owned();
                let problem = "its checkpoint was trained on other data; begin a new run".to_owned();
                return Err(TrainError::Output { path, problem });
            }
            batches.seek(old.position)?;
            let [before, now] = [&old, &state].map(State::computed_by);
            if before != now {
                observer.message(&format!(
                    "the run was computed by {before} and goes on with {now}: its numbers will differ in their last bits"
                ));
            }
            if old.recipe != state.recipe {
                observer.message("the recipe has changed since the checkpoint");
            }
            state = State { threads, on_device, recipe: state.recipe, ..old };
            observer.message(&format!("resumed after update {}", state.updates));
        }
        if let Some(device) = device {
            let name = device.name().to_owned();
            let difference = trainer.move_to(device)?;
            observer.message(&format!(
                "updates on {name}: gradients of a small batch are the CPU's, to {difference:.0e} of the largest"
            ));
        }
        let log = Log::open(output, state.updates).map_err(|e| problem(format!("the log: {e}")))?;
        let (before, begun) = (state.seconds, Instant::now());
        Ok(Self {
            recipe,
            output,
            threads,
            config,
            vocabularies,
            source,
            target,
            trainer,
            batches,
            dev_batches,
            dev,
            state,
            log,
            begun,
            before,
            _lock: lock,
        })
    }

    fn updates(&mut self, observer: &mut dyn Observer) -> Result<(), TrainError> {
        let of = self.recipe.training.updates;
        while self.state.updates < of {
            let batch = self.batches.next_batch();
            let update = self.trainer.update(&batch)?;
            self.state.updates += 1;
            self.state.position = self.batches.position();
            self.state.seconds = self.before + self.begun.elapsed().as_secs_f64();
            let words = batch.target.words().len();
            let progress = Progress {
                update: self.state.updates,
                of,
                epoch: self.state.position.epoch,
                loss: update.losses.loss / words as f64,
                gradient_norm: update.step.gradient_norm,
                rate: update.step.rate,
                words,
                seconds: self.state.seconds,
                log_z: mean_and_deviation(&update.losses.log_z),
            };
            observer.progress(&progress);
            self.log.progress(&progress).map_err(|e| self.output_error(&e))?;
            if self.state.updates.is_multiple_of(self.recipe.validation.every.max(1)) || self.state.updates == of {
                let validated = self.validate()?;
                observer.validated(&validated);
                self.log.validated(&validated).map_err(|e| self.output_error(&e))?;
                self.draw();
                checkpoint::write(self.output, &self.trainer, &self.state)?;
                let patience = self.recipe.validation.patience;
                if patience > 0 && self.state.stalled >= patience {
                    observer.message(&format!("no better value in {patience} validations: the run ends"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn output_error(&self, error: &std::io::Error) -> TrainError {
        TrainError::Output { path: self.log.path().to_owned(), problem: error.to_string() }
    }

    /// Draws the curves. A picture that can not be written is no reason to stop.
    fn draw(&self) {
        let Ok(entries) = log::read(self.output) else { return };
        let (new, picture) = (self.output.join(".curves.tmp"), self.output.join("curves.svg"));
        let _ = fs::write(&new, curves(&[("", entries)])).and_then(|()| fs::rename(&new, &picture));
    }

    /// Measures the model on the development set, writes it, and keeps it as the best if it is.
    fn validate(&mut self) -> Result<Validated, TrainError> {
        self.trainer.fetch().map_err(DeviceError::from)?;
        // What is measured and written are the smoothed parameters, if there are any.
        self.trainer.swap_smoothed();
        let validated = self.measure_and_write();
        self.trainer.swap_smoothed();
        validated
    }

    fn measure_and_write(&mut self) -> Result<Validated, TrainError> {
        let mut losses = WordLosses::default();
        for batch in self.dev_batches.once(self.recipe.training.batch.size) {
            let of_batch = self.trainer.evaluate(&batch);
            losses.log_probs.extend(of_batch.log_probs);
            losses.log_z.extend(of_batch.log_z);
        }
        let log_prob: f64 = losses.log_probs.iter().map(|&p| f64::from(p)).sum();
        let weights = weights(self.output, self.trainer.parameters())?;
        let model = Model::new(self.config.clone(), &weights)?;
        let Self { source, target, dev, .. } = self;
        let translations = translate(&model, &dev.source, source, target, &self.recipe.validation, self.threads)?;
        let mut validated = Validated {
            update: self.state.updates,
            cross_entropy: -log_prob / losses.log_probs.len().max(1) as f64,
            bleu: bleu(&translations, &self.dev.target)?,
            log_z: mean_and_deviation(&losses.log_z),
            best: false,
            seconds: self.state.seconds,
        };
        let (value, better): (f64, fn(f64, f64) -> bool) = match self.recipe.validation.metric {
            Metric::Bleu => (validated.bleu, |new, old| new > old),
            Metric::CrossEntropy => (validated.cross_entropy, |new, old| new < old),
        };
        validated.best = self.state.best.is_none_or(|(old, _)| better(value, old));
        let models = self.output.join("models");
        self.save(&weights, &models.join(format!("update-{}", self.state.updates)))?;
        if validated.best {
            self.save(&weights, &self.output.join("best"))?;
            (self.state.best, self.state.stalled) = (Some((value, self.state.updates)), 0);
        } else {
            self.state.stalled += 1;
        }
        remove_old(&models, self.recipe.validation.keep);
        Ok(validated)
    }

    /// Writes a model directory; one that is there is replaced when the new one is whole.
    fn save(&self, weights: &Weights, to: &Path) -> Result<(), TrainError> {
        let side = |words: &PathBuf| VocabularyFiles { words: words.clone(), segmenter: None };
        let vocabularies = Vocabularies { source: side(&self.vocabularies.0), target: side(&self.vocabularies.1) };
        let new = to.with_extension("new");
        let _ = fs::remove_dir_all(&new);
        save((&self.config, weights), &vocabularies, &new, Precision::F32)?;
        let output = |e: std::io::Error| TrainError::Output { path: to.to_owned(), problem: e.to_string() };
        let old = to.with_extension("old");
        let _ = fs::remove_dir_all(&old);
        if to.exists() {
            fs::rename(to, &old).map_err(output)?;
        }
        fs::rename(&new, to).map_err(output)?;
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

/// Whether a directory has anything but what a run leaves that ended before its first checkpoint.
fn has_others_files(output: &Path) -> bool {
    let Ok(entries) = fs::read_dir(output) else { return false };
    let ours = ["recipe.toml", "log.jsonl", "models", "best", "curves.svg", "vocabulary.", "source.", "target.", "."];
    let is_ours = |name: &str| ours.iter().any(|our| name.starts_with(our));
    entries.flatten().any(|entry| !is_ours(&entry.file_name().to_string_lossy()))
}

/// The directory, locked until this is dropped or the process ends in whatever way; none where files can not be locked.
fn lock(output: &Path) -> Result<Option<File>, String> {
    let Ok(directory) = File::open(output) else { return Ok(None) };
    match directory.try_lock() {
        Ok(()) => Ok(Some(directory)),
        Err(TryLockError::Error(_)) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            Err("another process is training here; wait until it ends or name another directory".to_owned())
        }
    }
}

/// The settings of the model that comes out.
fn config(recipe: &Recipe, source: &Vocabulary, target: &Vocabulary) -> Config {
    let mut architecture = recipe.model.architecture.clone();
    if let Architecture::Transformer(network) = &mut architecture {
        network.normalised_keys = true; // as it is trained
    }
    Config {
        source_words: source.len(),
        target_words: target.len(),
        end_of_sentence: target.eos().0,
        never: target.unk().map(|unk| unk.0).into_iter().collect(),
        decoding: recipe.model.decoding,
        architecture,
    }
}

/// The parameters as a model reads them.
fn weights(path: &Path, parameters: &crate::parameters::Parameters) -> Result<Weights, ModelError> {
    let tensor = |(name, m): (&str, &Matrix)| (name.to_owned(), vec![m.rows(), m.cols()], m.as_slice().to_vec());
    Weights::from_tensors(path, parameters.iter().map(tensor))
}

/// Leaves the newest `keep` models.
fn remove_old(models: &Path, keep: usize) {
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("update-")?.parse::<u64>().ok();
    let Ok(entries) = fs::read_dir(models) else { return };
    let mut all: Vec<_> = entries.flatten().filter_map(|e| Some((number(&e.path())?, e.path()))).collect();
    all.sort();
    let old = all.len().saturating_sub(keep.max(1));
    for (_, path) in &all[..old] {
        // Nothing depends on it: what could not be removed only takes room.
        let _ = fs::remove_dir_all(path);
    }
}

fn mean_and_deviation(values: &[f32]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let variance = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

impl Dev {
    fn read(files: &CorpusFiles) -> std::io::Result<Self> {
        Ok(Self { source: lines(&files.source)?, target: lines(&files.target)? })
    }
}

//! A training run: data, updates, validations, checkpoints.

use crate::checkpoint::{self, State};
use crate::data::{Batches, Corpus, CorpusFiles, Limits, TextVocabularies};
use crate::error::TrainError;
use crate::log::Log;
use crate::networks::Network;
use crate::observer::{Observer, Progress, ValidationReport};
use crate::output::Output;
use crate::parameters::Parameters;
use crate::recipe::{Data, Metric, Recipe, RecipeError};
use crate::run_vocabularies::RunVocabularies;
use crate::start::start_from;
use crate::tape::WordLosses;
use crate::trial::{DeviceError, trial};
use crate::validation::{Dev, LONGEST, bleu, mean_and_deviation, translate};
use crate::{Trainer, TrainerSettings, Update};
use metaphrase_device::{Device, Host};
use metaphrase_models::{Architecture, Config, Model, Weights};
use metaphrase_settings::to_toml;
use metaphrase_text::TermMarks;
use std::path::Path;
use std::time::Instant;

/// How a run uses the machine.
pub struct Execution<D> {
    /// The shards that compute updates: [`Host::threads`], or a single GPU. The last bits of the result depend on their
    /// number.
    pub shards: Vec<D>,
    /// The threads that read data and translate in validations.
    pub threads: usize,
    /// Continue the run in the output directory.
    pub resume: bool,
}

/// Follows a recipe; models, checkpoint and log go to the directory `output`. Returns the best validation and its
/// update.
///
/// # Errors
/// [`TrainError`]; earlier models and checkpoints stay and can be resumed.
pub fn train<D: Device>(
    recipe: &Recipe,
    output: &Path,
    execution: Execution<D>,
    observer: &mut dyn Observer,
) -> Result<Option<(f64, u64)>, TrainError> {
    recipe.check_files()?;
    let mut run = Run::start(recipe, output, execution, observer)?;
    run.updates(observer)?;
    Ok(run.state.best)
}

/// [`train`] with everything on this number of threads of the CPU. It is compiled here, at the level that training
/// needs, and not with its callers.
///
/// # Errors
/// As [`train`].
pub fn train_on_cpu(
    recipe: &Recipe,
    output: &Path,
    threads: usize,
    resume: bool,
    observer: &mut dyn Observer,
) -> Result<Option<(f64, u64)>, TrainError> {
    train(recipe, output, Execution { shards: Host::threads(threads), threads, resume }, observer)
}

struct Run<'a, D: Device> {
    recipe: &'a Recipe,
    output: Output,
    threads: usize,
    config: Config,
    vocabularies: RunVocabularies,
    trainer: Trainer<D>,
    batches: Batches,
    dev_batches: Corpus,
    dev: Dev,
    state: State,
    log: Log,
    begun: Instant,
    /// Seconds before this start.
    before: f64,
}

impl<'a, D: Device> Run<'a, D> {
    fn start(
        recipe: &'a Recipe,
        output: &Path,
        Execution { mut shards, threads, resume }: Execution<D>,
        observer: &mut dyn Observer,
    ) -> Result<Self, TrainError> {
        let error = |problem: String| TrainError::Output { path: output.to_owned(), problem };
        let text = to_toml(recipe).map_err(|e| error(e.to_string()))?;
        let mut output = Output::claim(output, &text, resume)?;
        let vocabularies = RunVocabularies::open(recipe, &mut output, threads)?;
        let config = config(recipe, &vocabularies)?;
        let mut parameters = Parameters::new(recipe.training.seed);
        let network = Network::declare(&config, &mut parameters)?;
        let count: usize = parameters.iter().map(|(_, p)| p.as_slice().len()).sum();
        observer.message(&format!("{count} parameters in {} tensors", parameters.len()));
        let (corpus, dev_batches) = read_data(recipe, &vocabularies, threads, observer)?;
        let dev = Dev::read(&recipe.data.dev, &vocabularies.source, observer).map_err(|e| output.error(e))?;
        match &recipe.model.start_from {
            Some(model) => start_from(model, &vocabularies, &network, &mut parameters, observer)?,
            None => network.start_from(&corpus.target_counts(config.target_words), &mut parameters),
        }
        let settings = recipe.training.update;
        let on_device = tried_out(&mut shards[0], &network, &parameters, settings, observer)?;
        let (data, dev_text) = (corpus.fingerprint(), Some(dev.checksum()));
        let words = Some(vocabularies.checksum().map_err(|e| output.error(format!("the vocabularies: {e}")))?);
        let state =
            State { threads, on_device, recipe: text, data, dev: dev_text, vocabularies: words, ..State::default() };
        let mut trainer = Trainer::on(shards, network, &parameters, settings, recipe.training.seed);
        let mut batches = Batches::new(corpus, recipe.training.batch, recipe.training.seed);
        let state = match output.checkpoint.take() {
            Some(checkpoint) => {
                let old = checkpoint::read(&checkpoint, &mut trainer)?;
                let state = resumed(old, state, observer).map_err(|problem| output.error(problem))?;
                batches.seek(state.position)?;
                state
            }
            None => state,
        };
        let log = Log::open(output.path(), state.updates).map_err(|e| output.error(format!("the log: {e}")))?;
        output.keep();
        let (before, begun) = (state.seconds, Instant::now());
        Ok(Self {
            recipe,
            output,
            threads,
            config,
            vocabularies,
            trainer,
            batches,
            dev_batches,
            dev,
            state,
            log,
            begun,
            before,
        })
    }

    fn updates(&mut self, observer: &mut dyn Observer) -> Result<(), TrainError> {
        let training = self.recipe.training;
        // The time at the end of an update or of a validation, so that none ends the run after it was looked at.
        while training.over(self.state.updates, self.state.seconds) < 1.0 {
            let (update, words) = self.update()?;
            let over = training.over(self.state.updates, self.state.seconds);
            let progress = Progress {
                update: self.state.updates,
                of: (self.state.updates as f64 / over.min(1.0)).round() as u64,
                epoch: self.state.position.epoch,
                loss: update.losses.loss / words as f64,
                gradient_norm: update.step.gradient_norm,
                rate: update.step.rate,
                words,
                seconds: self.state.seconds,
                log_z: mean_and_deviation(&update.losses.log_z),
            };
            observer.progress(&progress);
            self.log.progress(&progress).map_err(|e| self.log_error(&e))?;
            if self.state.updates.is_multiple_of(self.recipe.validation.every.max(1)) || over >= 1.0 {
                let validated = self.validate()?;
                observer.validated(&validated);
                self.log.validated(&validated).map_err(|e| self.log_error(&e))?;
                self.output.draw();
                self.state.seconds = self.seconds();
                checkpoint::write(self.output.path(), &mut self.trainer, &self.state)?;
                let patience = self.recipe.validation.patience;
                if patience > 0 && self.state.stalled >= patience {
                    observer.message(&format!("no better value in {patience} validations: the run ends"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// An update, and how many target words it has seen.
    fn update(&mut self) -> Result<(Update, usize), TrainError> {
        let training = self.recipe.training;
        self.trainer.go_to(training.over(self.state.updates + 1, self.seconds()));
        let batches: Vec<_> = (0..training.update.accumulate).map(|_| self.batches.next_batch()).collect();
        let update = self.trainer.update_by(&batches)?;
        self.state.updates += 1;
        self.state.position = self.batches.position();
        self.state.seconds = self.seconds();
        Ok((update, batches.iter().map(|batch| batch.target.all().len()).sum()))
    }

    /// Seconds of the run so far.
    fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    fn log_error(&self, error: &std::io::Error) -> TrainError {
        TrainError::Output { path: self.log.path().to_owned(), problem: error.to_string() }
    }

    /// Measures the model on the development set, writes it, and keeps it as the best if it is.
    fn validate(&mut self) -> Result<ValidationReport, TrainError> {
        // The smoothed parameters are measured and written, if there are any.
        self.trainer.swap_smoothed();
        let validated = self.measure_and_write();
        self.trainer.swap_smoothed();
        validated
    }

    fn measure_and_write(&mut self) -> Result<ValidationReport, TrainError> {
        let mut losses = WordLosses::default();
        for batch in self.dev_batches.once(self.recipe.training.batch.size) {
            let batch_losses = self.trainer.evaluate(&batch).map_err(DeviceError::from)?;
            losses.log_probs.extend(batch_losses.log_probs);
            losses.log_z.extend(batch_losses.log_z);
        }
        let log_prob: f64 = losses.log_probs.iter().map(|&p| f64::from(p)).sum();
        let tensors = self.trainer.download().map_err(DeviceError::from)?.into_iter();
        let tensors = tensors.map(|(name, m)| (name, vec![m.rows(), m.cols()], m.as_slice().to_vec()));
        let weights = Weights::from_tensors(self.output.path(), tensors)?;
        let model = Model::new(self.config.clone(), &weights)?;
        let (RunVocabularies { source, target, .. }, dev) = (&self.vocabularies, &self.dev);
        let translations = translate(&model, &dev.source, source, target, &self.recipe.validation, self.threads)?;
        let mut validated = ValidationReport {
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
        let keep = self.recipe.validation.keep;
        let files = &self.vocabularies.files;
        self.output.save(&self.config, &weights, files, self.state.updates, validated.best, keep)?;
        if validated.best {
            (self.state.best, self.state.stalled) = (Some((value, self.state.updates)), 0);
        } else {
            self.state.stalled += 1;
        }
        Ok(validated)
    }
}

/// Whether updates are computed by a device other than the CPU, which is tried out first.
fn tried_out<D: Device>(
    device: &mut D,
    network: &Network,
    parameters: &Parameters,
    settings: TrainerSettings,
    observer: &mut dyn Observer,
) -> Result<bool, TrainError> {
    let Some(name) = device.name().map(str::to_owned) else { return Ok(false) };
    let share = trial(device, network, parameters, settings)?;
    observer.message(&format!(
        "updates on {name}: gradients of a small batch are the CPU's, to {share:.0e} of the largest"
    ));
    Ok(true)
}

/// The settings of the model that the run writes.
fn config(recipe: &Recipe, vocabularies: &RunVocabularies) -> Result<Config, RecipeError> {
    let RunVocabularies { source, target, .. } = vocabularies;
    let mut architecture = recipe.model.architecture.clone();
    if let Architecture::Transformer(network) = &mut architecture {
        network.normalised_keys = true; // as it is trained
    }
    let config = Config {
        source_words: source.len(),
        target_words: target.len(),
        end_of_sentence: target.eos().0,
        never: target.unk().map(|unk| unk.0).into_iter().collect(),
        languages: recipe.data.train.first().and_then(CorpusFiles::languages),
        language_words: None,
        inline_terms: recipe.model.inline_terms.clone(),
        unlearned_letters: String::new(),
        decoding: recipe.model.decoding,
        architecture,
    };
    config.problem().map_or(Ok(config), |problem| Err(recipe.fault("vocabulary", problem)))
}

/// Reads the training data, and the development data as batches.
fn read_data(
    recipe: &Recipe,
    RunVocabularies { source, target, .. }: &RunVocabularies,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(Corpus, Corpus), TrainError> {
    let Data { train, dev, limits } = &recipe.data;
    let names = recipe.model.inline_terms.as_ref();
    let term_marks = names.and_then(|names| TermMarks::new(names, source));
    let vocabularies = TextVocabularies { source, target, term_marks };
    let (corpus, report) = Corpus::read(train, vocabularies, *limits, threads)?;
    observer.message(&format!("training data: {report}"));
    let all = Limits { max_source_words: LONGEST, max_target_words: LONGEST };
    let (dev, report) = Corpus::read(std::slice::from_ref(dev), vocabularies, all, threads)?;
    observer.message(&format!("development data: {report}"));
    Ok((corpus, dev))
}

/// The state of a run that goes on from an old state, or why it can not.
fn resumed(old: State, new: State, observer: &mut dyn Observer) -> Result<State, &'static str> {
    if old.vocabularies.is_some_and(|old| Some(old) != new.vocabularies) {
        return Err("its checkpoint was trained with other vocabularies; begin a new run");
    }
    if old.data != new.data {
        return Err("its checkpoint was trained on other data; begin a new run");
    }
    if old.dev.is_some_and(|old| Some(old) != new.dev) {
        observer
            .message("the development set has changed since the checkpoint: values before and after do not compare");
    }
    let [before, now] = [&old, &new].map(State::computed_by);
    if before != now {
        observer.message(&format!(
            "the run was computed by {before} and goes on with {now}: its numbers will differ in their last bits"
        ));
    }
    if old.recipe != new.recipe {
        observer.message("the recipe has changed since the checkpoint");
    }
    observer.message(&format!("resumed after update {}", old.updates));
    Ok(State {
        threads: new.threads,
        on_device: new.on_device,
        recipe: new.recipe,
        dev: new.dev,
        vocabularies: new.vocabularies,
        ..old
    })
}

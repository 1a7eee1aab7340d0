//! The models: loaded at their first use, unloaded when memory is scarce, and loaded again when their files change.

mod pairs;

use crate::cache::ModelIds;
use crate::error::Failure;
use crate::metrics::Metrics;
use crate::model_spec::{ModelSpec, is_phrase_based, pair_name};
use crate::scheduler::{AnswerFn, Engine};
use crate::stamp::{Stamp, stamp};
use metaphrase::{Cancel, Device, Error, Precision, Request, TranslateOptions, Translator};
use pairs::LanguagePairs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How models use the machine.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Threads of each model.
    pub threads: usize,
    /// The device that computes the models.
    pub device: Device,
    /// Tokens that share a step, for each thread.
    pub batch_tokens: usize,
    /// The numbers of the models' products; `None`: those that each model recommends.
    pub precision: Option<Precision>,
    /// The most bytes of the files of all loaded models; the least recently used model is unloaded.
    pub memory: Option<u64>,
}

/// All models, by their languages.
pub struct Models {
    /// As they were named, each with the place of its files.
    specs: Vec<(ModelSpec, usize)>,
    slots: Vec<ModelSlot>,
    pairs: LanguagePairs,
    options: ModelOptions,
    metrics: Arc<Metrics>,
    uses: AtomicU64,
    /// How often a model was loaded for a pair of languages.
    loads: AtomicU64,
}

/// The place of a model, for all of its pairs of languages.
struct ModelSlot {
    path: PathBuf,
    /// Its name for clients.
    name: String,
    held: Mutex<SlotState>,
    /// One thread loads the files at a time.
    loading: tokio::sync::Mutex<()>,
    /// The number of the last use.
    used: AtomicU64,
}

#[derive(Default)]
struct SlotState {
    loaded: Option<LoadedFiles>,
    /// Files that could not be loaded.
    broken: Option<Stamp>,
    /// The files at the last check: a change counts if it lasts until the next check.
    seen: Option<Stamp>,
}

/// The files of a model in memory.
struct LoadedFiles {
    model: Arc<LoadedModel>,
    stamp: Stamp,
    /// Sizes of the files.
    bytes: u64,
    /// By source and target language: the model in this direction.
    pairs: HashMap<(String, String), Arc<LoadedModel>>,
}

/// A model in memory, from one language to another.
pub struct LoadedModel {
    /// `None` while it is dropped.
    translator: Option<Arc<Translator>>,
    /// The number of the model, or those of both models of a pivot.
    ids: ModelIds,
}

/// The public state of a model.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ModelState {
    /// The codes of the source languages.
    pub sources: Vec<String>,
    /// The codes of the target languages.
    pub targets: Vec<String>,
    /// The languages in short.
    pub name: String,
    /// Whether it is in memory.
    pub loaded: bool,
    /// The sizes of its files in bytes, if it is in memory.
    pub bytes: Option<u64>,
    /// A sentence if its newest files cannot be loaded; the log has the reason.
    pub problem: Option<String>,
}

impl LoadedModel {
    fn new(translator: Translator, number: u64) -> Arc<Self> {
        Arc::new(Self { translator: Some(Arc::new(translator)), ids: [number, 0] })
    }

    /// Both models, one after the other.
    fn pivot(first: &Self, last: &Self) -> Self {
        let legs = first.translator.clone().zip(last.translator.clone());
        let translator = legs.map(|(first, last)| Arc::new(Translator::pivot(first, last)));
        Self { translator, ids: [first.ids[0], last.ids[0]] }
    }

    /// Whether translations can have alignments in pieces.
    #[must_use]
    pub fn aligns(&self) -> bool {
        self.translator.as_ref().is_some_and(|translator| translator.aligns_pieces())
    }

    /// The model's default options.
    #[must_use]
    pub fn options(&self) -> TranslateOptions {
        self.translator.as_ref().map(|translator| translator.options()).unwrap_or_default()
    }

    /// The translator between these languages.
    fn between(&self, source: &str, target: &str) -> Result<Translator, String> {
        let translator = self.translator.as_ref().ok_or_else(|| "it is not in memory any more".to_owned())?;
        translator.between(source, target).map_err(|error| error.to_string())
    }
}

impl Engine for LoadedModel {
    fn models(&self) -> Option<ModelIds> {
        Some(self.ids)
    }

    fn submit(
        &self,
        options: &TranslateOptions,
        request: Request,
        cancel: &Cancel,
        answer: AnswerFn,
    ) -> Result<(), Error> {
        match &self.translator {
            Some(translator) => translator.submit(options, request, cancel, answer),
            None => Err(Error::WorkerFailed),
        }
    }
}

impl Drop for LoadedModel {
    /// A thread of the model itself may drop the last reference with its last answer, and can not wait for itself.
    fn drop(&mut self) {
        let translator = self.translator.take();
        let _ = std::thread::Builder::new().name("unload".into()).spawn(move || drop(translator));
    }
}

/// The interval of the checks for changed files.
const LOOK: Duration = Duration::from_secs(2);

impl Models {
    /// No model is loaded yet.
    pub fn new(specs: Vec<ModelSpec>, options: ModelOptions, metrics: Arc<Metrics>) -> Self {
        let mut slots: Vec<ModelSlot> = Vec::new();
        let mut places: HashMap<PathBuf, usize> = HashMap::new();
        let mut place = |spec: &ModelSpec| {
            *places.entry(spec.path.clone()).or_insert_with(|| {
                slots.push(ModelSlot::new(spec));
                slots.len() - 1
            })
        };
        let placed = |spec: ModelSpec| {
            let place = place(&spec);
            (spec, place)
        };
        let specs: Vec<(ModelSpec, usize)> = specs.into_iter().map(placed).collect();
        let pairs = LanguagePairs::new(specs.iter().map(|(spec, place)| (spec, *place)));
        Self { specs, slots, pairs, options, metrics, uses: AtomicU64::new(0), loads: AtomicU64::new(0) }
    }

    /// The pairs of languages.
    #[must_use]
    pub fn pairs(&self) -> &LanguagePairs {
        &self.pairs
    }

    /// The state of all models.
    #[must_use]
    pub fn states(&self) -> Vec<ModelState> {
        let state = |(spec, place): &(ModelSpec, usize)| {
            let held = self.slots[*place].held();
            ModelState {
                sources: spec.sources.clone(),
                targets: spec.targets.clone(),
                name: spec.name(),
                loaded: held.loaded.is_some(),
                bytes: held.loaded.as_ref().map(|files| files.bytes),
                problem: held.broken.as_ref().map(|_| Failure::Model(spec.name()).to_string()),
            }
        };
        self.specs.iter().map(state).collect()
    }

    /// The model from one language to another, loaded if it is not in memory; or two models with a language between.
    ///
    /// # Errors
    /// [`Failure::Pair`] if there is none, [`Failure::Model`] if it can not be loaded.
    pub async fn get(&self, source: &str, target: &str) -> Result<Arc<LoadedModel>, Failure> {
        let Some(between) = self.pairs.between(source, target) else { return self.model(source, target).await };
        let (first, last) = (self.model(source, between).await?, self.model(between, target).await?);
        Ok(Arc::new(LoadedModel::pivot(&first, &last)))
    }

    async fn model(&self, source: &str, target: &str) -> Result<Arc<LoadedModel>, Failure> {
        let none = || Failure::Pair { from: source.to_owned(), to: target.to_owned() };
        let slot = &self.slots[self.pairs.place(source, target).ok_or_else(none)?];
        slot.used.store(1 + self.uses.fetch_add(1, Relaxed), Relaxed);
        if let Some(model) = self.loaded(slot, source, target) {
            return model;
        }
        let _one = slot.loading.lock().await;
        if let Some(model) = self.loaded(slot, source, target) {
            return model;
        }
        if self.load(slot).await.is_err() {
            return Err(Failure::Model(pair_name(source, target)));
        }
        self.make_room(slot);
        self.loaded(slot, source, target).unwrap_or_else(|| Err(Failure::Model(pair_name(source, target))))
    }

    /// The model of a pair, if the files are in memory.
    fn loaded(&self, slot: &ModelSlot, source: &str, target: &str) -> Option<Result<Arc<LoadedModel>, Failure>> {
        let mut held = slot.held();
        let files = held.loaded.as_mut()?;
        let pair = (source.to_owned(), target.to_owned());
        if let Some(model) = files.pairs.get(&pair) {
            return Some(Ok(Arc::clone(model)));
        }
        Some(match files.model.between(source, target) {
            Ok(translator) => {
                let model = LoadedModel::new(translator, 1 + self.loads.fetch_add(1, Relaxed));
                files.pairs.insert(pair, Arc::clone(&model));
                Ok(model)
            }
            Err(problem) => {
                let (name, path) = (pair_name(source, target), slot.path.display());
                tracing::error!("the model {name}, {path}, cannot be used: {problem}");
                Err(Failure::Model(name))
            }
        })
    }

    /// Loads the files of a slot. Clients only learn that it failed; the log has the reason, which names files.
    async fn load(&self, slot: &ModelSlot) -> Result<(), LoadFailed> {
        let (path, options) = (slot.path.clone(), self.options.clone());
        let stamp = stamp(&path);
        let bytes = stamp.iter().map(|(_, size, _)| size).sum();
        let translator = tokio::task::spawn_blocking(move || open(&path, &options)).await;
        let translator = translator.map_err(|_| "loading the model failed".to_owned()).and_then(|loaded| loaded);
        let mut held = slot.held();
        match translator {
            Ok(translator) => {
                held.broken = None;
                let model = LoadedModel::new(translator, 0);
                held.loaded = Some(LoadedFiles { model, stamp, bytes, pairs: HashMap::new() });
                Ok(())
            }
            Err(problem) => {
                tracing::error!("the model {}, {}, cannot be loaded: {problem}", slot.name, slot.path.display());
                held.broken = Some(stamp);
                Err(LoadFailed)
            }
        }
    }

    /// Unloads the least recently used models until the rest fits into the memory. `new` stays.
    fn make_room(&self, new: &ModelSlot) {
        let bytes = |slot: &ModelSlot| slot.held().loaded.as_ref().map(|files| files.bytes);
        let mut held: Vec<_> = self.slots.iter().filter_map(|slot| Some((slot, bytes(slot)?))).collect();
        held.sort_by_key(|(slot, _)| slot.used.load(Relaxed));
        let mut sum: u64 = held.iter().map(|(_, bytes)| bytes).sum();
        let mut count = held.len();
        for (slot, bytes) in held {
            if std::ptr::eq(slot, new) || sum <= self.options.memory.unwrap_or(u64::MAX) {
                continue;
            }
            // Work that it has is finished first.
            count -= usize::from(slot.held().loaded.take().is_some());
            sum -= bytes;
            tracing::info!("the model {} is unloaded: {} MB of files", slot.name, megabytes(bytes));
        }
        self.metrics.models.store(count as u64, Relaxed);
        let (name, size, all) = (&new.name, megabytes(bytes(new).unwrap_or(0)), megabytes(sum));
        tracing::info!("the model {name} is loaded: {size} MB of files; all {count} models in memory have {all} MB");
    }

    /// Loads models again whose files have changed; never returns. The old model is used until the new files are
    /// loaded, and if they can not be loaded.
    pub async fn watch(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            self.look().await;
        }
    }

    /// Looks once at the files of all models in memory.
    pub async fn look(&self) {
        for slot in &self.slots {
            if slot.held().loaded.is_none() {
                continue;
            }
            let path = slot.path.clone();
            let Ok(now) = tokio::task::spawn_blocking(move || stamp(&path)).await else { continue };
            if !slot.has_changed(now) {
                continue;
            }
            let _one = slot.loading.lock().await;
            match self.load(slot).await {
                Ok(()) => {
                    self.make_room(slot);
                    self.metrics.reloads.fetch_add(1, Relaxed);
                    tracing::info!("the model {} has changed and is loaded again", slot.path.display());
                }
                Err(LoadFailed) => _ = self.metrics.failed_reloads.fetch_add(1, Relaxed),
            }
        }
    }
}

/// Files that cannot be loaded; the log has the reason.
struct LoadFailed;

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// The translator of the model at `path`.
fn open(path: &Path, options: &ModelOptions) -> Result<Translator, String> {
    let builder = Translator::builder().threads(options.threads).batch_tokens(options.batch_tokens);
    let builder = if is_phrase_based(path) {
        builder.phrase_model(path)
    } else {
        builder.device(options.device).precision(options.precision).model(path)
    };
    builder.build().map_err(|error| error.to_string())
}

impl ModelSlot {
    fn new(spec: &ModelSpec) -> Self {
        Self {
            path: spec.path.clone(),
            name: spec.name(),
            held: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            used: AtomicU64::new(0),
        }
    }

    fn held(&self) -> MutexGuard<'_, SlotState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the files, which are `now` like this, differ from those in memory since the last time.
    fn has_changed(&self, now: Stamp) -> bool {
        let mut held = self.held();
        let Some(loaded) = &held.loaded else { return false };
        let lasts = held.seen.as_ref() == Some(&now);
        let known = now == loaded.stamp || held.broken.as_ref() == Some(&now);
        held.seen = Some(now);
        lasts && !known
    }
}

#[cfg(test)]
mod tests;

//! The models: loaded at their first use, unloaded when memory is scarce, and loaded again when their files change.

use crate::cache::ModelIds;
use crate::error::Failure;
use crate::language;
use crate::metrics::Metrics;
use crate::model_spec::{ModelSpec, is_phrase_based};
use crate::scheduler::{AnswerFn, Engine};
use crate::stamp::{Stamp, stamp};
use metaphrase::{Cancel, Device, Error, Precision, Request, TranslateOptions, Translator};
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
    slots: Vec<ModelSlot>,
    /// By source and target: the first slot of this pair.
    places: HashMap<String, HashMap<String, usize>>,
    options: ModelOptions,
    metrics: Arc<Metrics>,
    uses: AtomicU64,
    /// How often a model was loaded.
    loads: AtomicU64,
}

/// The place of a model.
struct ModelSlot {
    spec: ModelSpec,
    held: Mutex<SlotState>,
    /// One thread loads the files at a time, also for the other pairs of a model.
    loading: Arc<tokio::sync::Mutex<()>>,
    /// The number of the last use.
    used: AtomicU64,
}

#[derive(Default)]
struct SlotState {
    loaded: Option<Arc<LoadedModel>>,
    /// Files that could not be loaded.
    broken: Option<Stamp>,
    /// The files at the last check: a change counts if it lasts until the next check.
    seen: Option<Stamp>,
}

/// A model in memory.
pub struct LoadedModel {
    /// `None` while it is dropped.
    translator: Option<Arc<Translator>>,
    /// The number of the model, or those of both models of a pivot.
    ids: ModelIds,
    stamp: Stamp,
    /// Sizes of its files; 0 if another pair's model has the same weights in memory.
    bytes: u64,
}

/// The public state of a model.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ModelState {
    /// The source language's code.
    pub source: String,
    /// The target language's code.
    pub target: String,
    /// The two together.
    pub name: String,
    /// Whether it is in memory.
    pub loaded: bool,
    /// A sentence if its newest files cannot be loaded; the log has the reason.
    pub problem: Option<String>,
}

impl LoadedModel {
    /// Both models, one after the other.
    fn pivot(first: &Self, last: &Self) -> Self {
        let legs = first.translator.clone().zip(last.translator.clone());
        let translator = legs.map(|(first, last)| Arc::new(Translator::pivot(first, last)));
        Self { translator, ids: [first.ids[0], last.ids[0]], stamp: Stamp::new(), bytes: 0 }
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
        let mut loading: HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>> = HashMap::new();
        let mut places: HashMap<String, HashMap<String, usize>> = HashMap::new();
        for (place, spec) in specs.iter().enumerate() {
            places.entry(spec.source.clone()).or_default().entry(spec.target.clone()).or_insert(place);
        }
        let slot = |spec: ModelSpec| ModelSlot {
            loading: Arc::clone(loading.entry(spec.path.clone()).or_default()),
            spec,
            held: Mutex::default(),
            used: AtomicU64::new(0),
        };
        Self {
            slots: specs.into_iter().map(slot).collect(),
            places,
            options,
            metrics,
            uses: AtomicU64::new(0),
            loads: AtomicU64::new(0),
        }
    }

    /// The codes of all source languages, in the order of the models.
    #[must_use]
    pub fn sources(&self) -> Vec<String> {
        unique(self.slots.iter().map(|slot| &slot.spec.source))
    }

    /// The codes of all target languages.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        unique(self.slots.iter().map(|slot| &slot.spec.target))
    }

    /// All codes, each with the languages that it is translated to: first those of its models, then those by a pivot
    /// language.
    #[must_use]
    pub fn languages(&self) -> Vec<(String, Vec<String>)> {
        let codes = unique(self.slots.iter().flat_map(|slot| [&slot.spec.source, &slot.spec.target]));
        let all = self.targets();
        let targets = |code: &String| {
            let models = self.slots.iter().filter(|slot| slot.spec.source == *code).map(|slot| &slot.spec.target);
            unique(models.chain(all.iter().filter(|target| self.between(code, target).is_some())))
        };
        let mut languages: Vec<_> = codes.iter().map(|code| (code.clone(), targets(code))).collect();
        languages.sort_by_key(|(code, _)| language::names(code).0);
        languages
    }

    /// The languages of the first model.
    #[must_use]
    pub fn first(&self) -> Option<(&str, &str)> {
        self.slots.first().map(|slot| (&*slot.spec.source, &*slot.spec.target))
    }

    /// The state of all models.
    #[must_use]
    pub fn states(&self) -> Vec<ModelState> {
        let state = |slot: &ModelSlot| {
            let (name, held) = (slot.spec.name(), slot.held());
            let problem = held.broken.as_ref().map(|_| Failure::Model(name.clone()).to_string());
            let (source, target) = (slot.spec.source.clone(), slot.spec.target.clone());
            ModelState { source, target, name, loaded: held.loaded.is_some(), problem }
        };
        self.slots.iter().map(state).collect()
    }

    /// Whether there is a way between these languages.
    #[must_use]
    pub fn has(&self, source: &str, target: &str) -> bool {
        self.slot(source, target).is_some() || self.between(source, target).is_some()
    }

    /// The pivot language between two languages without a model; of several, the first one in the order of the models.
    #[must_use]
    pub fn between(&self, source: &str, target: &str) -> Option<&str> {
        if source == target || self.slot(source, target).is_some() {
            return None;
        }
        let mut legs = self.slots.iter().filter(|slot| slot.spec.source == source).map(|slot| &*slot.spec.target);
        legs.find(|between| self.slot(between, target).is_some())
    }

    fn slot(&self, source: &str, target: &str) -> Option<&ModelSlot> {
        self.places.get(source)?.get(target).map(|&place| &self.slots[place])
    }

    /// The model from one language to another, loaded if it is not in memory; or two models with a language between.
    ///
    /// # Errors
    /// [`Failure::Pair`] if there is none, [`Failure::Model`] if it can not be loaded.
    pub async fn get(&self, source: &str, target: &str) -> Result<Arc<LoadedModel>, Failure> {
        let Some(between) = self.between(source, target) else { return self.model(source, target).await };
        let (first, last) = (self.model(source, between).await?, self.model(between, target).await?);
        Ok(Arc::new(LoadedModel::pivot(&first, &last)))
    }

    async fn model(&self, source: &str, target: &str) -> Result<Arc<LoadedModel>, Failure> {
        let none = || Failure::Pair { from: source.to_owned(), to: target.to_owned() };
        let slot = self.slot(source, target).ok_or_else(none)?;
        slot.used.store(1 + self.uses.fetch_add(1, Relaxed), Relaxed);
        if let Some(loaded) = slot.loaded() {
            return Ok(loaded);
        }
        let _one = slot.loading.lock().await;
        if let Some(loaded) = slot.loaded() {
            return Ok(loaded);
        }
        let loaded = self.load(slot).await?;
        slot.held().loaded = Some(Arc::clone(&loaded));
        self.make_room(slot);
        Ok(loaded)
    }

    /// Loads the model of a slot. The client only learns that it failed; the log has the reason, which names files.
    async fn load(&self, slot: &ModelSlot) -> Result<Arc<LoadedModel>, Failure> {
        let (spec, options) = (slot.spec.clone(), self.options.clone());
        let stamp = stamp(&spec.path);
        let shared = self.of_another_pair(slot, &stamp);
        let bytes = if shared.is_some() { 0 } else { stamp.iter().map(|(_, size, _)| size).sum() };
        let translator = tokio::task::spawn_blocking(move || {
            let translator = match shared {
                Some(translator) => translator,
                None => Arc::new(open(&spec.path, &options)?),
            };
            translator.between(&spec.source, &spec.target).map_err(|error| error.to_string())
        });
        let translator = translator.await.map_err(|_| "loading the model failed".to_owned()).and_then(|loaded| loaded);
        let mut held = slot.held();
        match translator {
            Ok(translator) => {
                held.broken = None;
                let ids = [1 + self.loads.fetch_add(1, Relaxed), 0];
                Ok(Arc::new(LoadedModel { translator: Some(Arc::new(translator)), ids, stamp, bytes }))
            }
            Err(problem) => {
                let (name, path) = (slot.spec.name(), slot.spec.path.display());
                tracing::error!("the model {name}, {path}, cannot be loaded: {problem}");
                held.broken = Some(stamp);
                Err(Failure::Model(slot.spec.name()))
            }
        }
    }

    /// The translator of another pair with the same files, whose weights are in memory.
    fn of_another_pair(&self, slot: &ModelSlot, stamp: &Stamp) -> Option<Arc<Translator>> {
        let others = self.slots.iter().filter(|other| !std::ptr::eq(*other, slot) && other.spec.path == slot.spec.path);
        let loaded = others.filter_map(ModelSlot::loaded).find(|loaded| loaded.stamp == *stamp && !stamp.is_empty());
        loaded?.translator.clone()
    }

    /// Unloads the least recently used models until the rest fits into the memory. `new` stays, with all pairs of its
    /// model.
    fn make_room(&self, new: &ModelSlot) {
        let mut held: Vec<_> = self.slots.iter().filter_map(|slot| Some((slot, slot.loaded()?.bytes))).collect();
        held.sort_by_key(|(slot, _)| slot.used.load(Relaxed));
        let mut sum: u64 = held.iter().map(|(_, bytes)| bytes).sum();
        let mut count = held.len();
        for (slot, bytes) in held {
            let stays = slot.spec.path == new.spec.path || bytes == 0;
            if stays || sum <= self.options.memory.unwrap_or(u64::MAX) {
                continue;
            }
            // Work that it has is finished first. The other pairs of the model have the same weights.
            for pair in self.slots.iter().filter(|pair| pair.spec.path == slot.spec.path) {
                count -= usize::from(pair.held().loaded.take().is_some());
            }
            sum -= bytes;
        }
        self.metrics.models.store(count as u64, Relaxed);
    }

    /// Loads models again whose files have changed; runs for ever. The old model is used until the new files are
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
            let Some(loaded) = slot.loaded() else { continue };
            let path = slot.spec.path.clone();
            let Ok(now) = tokio::task::spawn_blocking(move || stamp(&path)).await else { continue };
            let changed = {
                let mut held = slot.held();
                let lasts = held.seen.as_ref() == Some(&now);
                let known = now == loaded.stamp || held.broken.as_ref() == Some(&now);
                held.seen = Some(now);
                lasts && !known
            };
            if !changed {
                continue;
            }
            let _one = slot.loading.lock().await;
            match self.load(slot).await {
                Ok(new) => {
                    slot.held().loaded = Some(new);
                    self.make_room(slot);
                    self.metrics.reloads.fetch_add(1, Relaxed);
                    tracing::info!("the model {} has changed and is loaded again", slot.spec.path.display());
                }
                Err(_) => _ = self.metrics.failed_reloads.fetch_add(1, Relaxed),
            }
        }
    }
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
    fn held(&self) -> MutexGuard<'_, SlotState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loaded(&self) -> Option<Arc<LoadedModel>> {
        self.held().loaded.clone()
    }
}

fn unique<'a>(codes: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    codes.for_each(|code| {
        if !found.contains(code) {
            found.push(code.clone());
        }
    });
    found
}

#[cfg(test)]
mod tests;

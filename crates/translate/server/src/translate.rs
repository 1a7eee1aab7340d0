//! Texts of a request in flight: what all three interfaces do.

use crate::app::{App, Client};
use crate::detect::{Detected, detect};
use crate::error::Failure;
use crate::language;
use crate::models::Loaded;
use crate::pending::PendingText;
use crate::scheduler::{Engine, Lane, Running, Work, deadline};
use crate::text::{apart, options, read_file, read_text};
use axum::body::Bytes;
use metaphrase::{Document, FileFormat, FileOptions, Glossary, TextFormat, TextOptions, TranslateOptions, Translation};
use std::sync::Arc;

/// Milliseconds for the translation of a file.
const FILE_TIME: u64 = 24 * 3600 * 1000;

/// Texts to translate.
pub struct Ask {
    /// The texts.
    pub texts: Vec<String>,
    /// The code of their language; `None`: it is detected, of each text by itself.
    pub source: Option<String>,
    /// The code of the target language.
    pub target: String,
    /// What they are written in.
    pub format: TextFormat,
    /// Whether texts are split into sentences; otherwise each paragraph is one.
    pub split: bool,
    /// Elements of HTML and XML whose content stays as it is.
    pub ignored: Vec<String>,
    /// Terms: those of an earlier glossary count where both have some.
    pub glossaries: Vec<Arc<Glossary>>,
    /// What each sentence's translation contains: one of the alternatives of each.
    pub require: Vec<Vec<String>>,
    /// What no translation contains.
    pub avoid: Vec<String>,
    /// What each sentence's translation begins with.
    pub prefix: String,
    /// Further translations of each sentence.
    pub alternatives: usize,
    /// Whether these differ in the first word after the prefix.
    pub distinct: bool,
    /// Whether alignments are needed.
    pub attention: bool,
    /// Whether the numbers are looked for that a translation lacks: for interfaces that show them.
    pub check_numbers: bool,
    /// Milliseconds until nobody needs the answer any more.
    pub deadline: Option<u64>,
    /// A file in place of texts. It may be longer and take longer than they.
    pub file: Option<(FileFormat, Bytes)>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            source: None,
            target: String::new(),
            format: TextFormat::Text,
            split: true,
            ignored: Vec::new(),
            glossaries: Vec::new(),
            require: Vec::new(),
            avoid: Vec::new(),
            prefix: String::new(),
            alternatives: 0,
            distinct: false,
            attention: false,
            check_numbers: false,
            deadline: None,
            file: None,
        }
    }
}

/// Texts whose sentences are in flight.
pub struct Pending {
    texts: Vec<PendingText>,
    /// By number of the request: text and sentence.
    places: Vec<(usize, usize)>,
    running: Running,
    alternatives: usize,
    distinct: bool,
    /// Characters of all texts.
    pub characters: usize,
}

impl App {
    /// Sends the sentences of texts to the models.
    ///
    /// # Errors
    /// [`Failure`] for languages without a model, for what is over a limit, and if the queue is full.
    pub async fn translate(self: &Arc<Self>, client: &Client, ask: Ask) -> Result<Pending, Failure> {
        let mut characters = self.check(&ask)?;
        let target = self.target(&ask.target)?;
        let mut file = None;
        if let Some((format, bytes)) = &ask.file {
            let read = self.file(&ask, *format, bytes).await?;
            if read.source == target {
                return Err(Failure::Bad(format!("Source and target language are both `{target}`")));
            }
            characters = read.sources.iter().map(|source| source.chars().count()).sum();
            file = Some(read);
        }
        let (app, to) = (Arc::clone(self), target.clone());
        let prepare = move || app.inputs(&ask, file, &to).map(|inputs| (ask, inputs));
        let (ask, inputs) = apart(characters, prepare).await?;
        let mut texts = Vec::with_capacity(inputs.len());
        let (mut lanes, mut lane_models): (Vec<Lane>, Vec<(String, Arc<Loaded>)>) = (Vec::new(), Vec::new());
        let (mut requests, mut places) = (Vec::new(), Vec::new());
        for (mut pending, sentences) in inputs {
            if !pending.sources.is_empty() {
                pending.through = self.models.between(&pending.source, &target).map(str::to_owned);
                let known = lane_models.iter().position(|(source, _)| *source == pending.source);
                let lane = match known {
                    Some(lane) => lane,
                    None => {
                        let model = self.models.get(&pending.source, &target).await?;
                        lanes.push(lane(&model, &ask));
                        lane_models.push((pending.source.clone(), model));
                        lanes.len() - 1
                    }
                };
                let aligned = pending.document.as_ref().is_some_and(Document::needs_alignment);
                let aligns = aligned && lane_models[lane].1.aligns();
                lanes[lane].options.search.attention |= aligns;
                for request in sentences {
                    places.push((texts.len(), pending.answers.len()));
                    pending.answers.push(None);
                    requests.push((lane, request));
                }
            }
            texts.push(pending);
        }
        let counted = characters as i64;
        self.take_quota(client, counted).await?;
        let most = if ask.file.is_some() { FILE_TIME } else { self.config.limits.deadline };
        let milliseconds = ask.deadline.unwrap_or(u64::MAX).min(most);
        let work = Work { client: client.id.clone(), lanes, requests, deadline: deadline(milliseconds) };
        let running = self.scheduler.start(work).inspect_err(|_| self.store.count(client.key.number, -counted))?;
        Ok(Pending { texts, places, running, alternatives: ask.alternatives, distinct: ask.distinct, characters })
    }

    /// The texts, and the file, with the requests of their sentences.
    fn inputs(&self, ask: &Ask, file: Option<PendingText>, target: &str) -> Result<Vec<Input>, Failure> {
        let texts = ask.texts.iter().map(|text| self.text(ask, text, target));
        let with_requests = |text: Result<PendingText, Failure>| {
            let mut text = text?;
            let requests = text.requests(ask);
            Ok((text, requests))
        };
        texts.chain(file.map(Ok)).map(with_requests).collect()
    }

    /// A text whose sentences are found, if it is not in the target language already.
    fn text(&self, ask: &Ask, text: &str, target: &str) -> Result<PendingText, Failure> {
        let (source, detected) = self.source(ask.source.as_deref(), text)?;
        if !self.models.has(&source, target) && source != target {
            return Err(Failure::Pair { from: source, to: target.to_owned() });
        }
        let document = match detected {
            Some(_) if source == target => None,
            _ => Some(read_text(text, &options(&source, (ask.format, ask.split), &ask.ignored))?),
        };
        let pending = PendingText { input: text.to_owned(), detected, ..PendingText::new(source, document) };
        Ok(PendingText { prefix: ask.prefix.trim().to_owned(), ..pending })
    }

    /// A file whose sentences are found. Its language is detected from the first of them.
    async fn file(&self, ask: &Ask, format: FileFormat, bytes: &Bytes) -> Result<PendingText, Failure> {
        let files = FileOptions { target_language: self.target(&ask.target)?, ..FileOptions::default() };
        let read = |language: String| {
            let options = options(&language, (ask.format, ask.split), &ask.ignored);
            let (bytes, options) = (bytes.to_vec(), TextOptions { files: files.clone(), ..options });
            let read = tokio::task::spawn_blocking(move || read_file(bytes, format, &options));
            async { read.await.map_err(|_| Failure::File("the file could not be read".into()))? }
        };
        let first = read(ask.source.clone().unwrap_or_default()).await?;
        let first_sentences = first.requests().into_iter().take(50);
        let sample: String = first_sentences.flat_map(|request| [request.source, "\n".into()]).collect();
        let (source, detected) = self.source(ask.source.as_deref(), &sample)?;
        let document = if detected.is_some() { read(source.clone()).await? } else { first };
        Ok(PendingText { detected, ..PendingText::new(source, Some(document)) })
    }

    /// The characters of the texts, if the request is within the limits.
    fn check(&self, ask: &Ask) -> Result<usize, Failure> {
        let limits = &self.config.limits;
        let characters = ask.texts.iter().map(|text| text.chars().count()).sum();
        for (what, found, limit) in [
            ("texts", ask.texts.len(), limits.texts),
            ("characters", characters, limits.characters),
            ("alternatives", ask.alternatives, limits.alternatives),
        ] {
            if found > limit {
                return Err(Failure::TooLarge { what, found, limit });
            }
        }
        Ok(characters)
    }

    /// The code of the target language that a client means.
    ///
    /// # Errors
    /// [`Failure::Language`] if no model translates to it.
    pub fn target(&self, code: &str) -> Result<String, Failure> {
        let known = self.models.targets();
        language::find(code, &known).map(str::to_owned).ok_or_else(|| Failure::Language(code.to_owned()))
    }

    /// The code of the source language that a client means, or that a text is in.
    fn source(&self, code: Option<&str>, text: &str) -> Result<(String, Option<Detected>), Failure> {
        let known = self.models.sources();
        match code {
            Some(code) => {
                let found = language::find(code, &known).ok_or_else(|| Failure::Language(code.to_owned()))?;
                Ok((found.to_owned(), None))
            }
            None => {
                let found = detect(text, &known).into_iter().next();
                let found = found.ok_or_else(|| Failure::Worker("no model is there".into()))?;
                Ok((found.language.clone(), Some(found)))
            }
        }
    }
}

/// A text, and the requests of its sentences.
type Input = (PendingText, Vec<metaphrase::Request>);

/// A model and the options of a request.
fn lane(model: &Arc<Loaded>, ask: &Ask) -> Lane {
    let mut options = TranslateOptions { check_numbers: ask.check_numbers, ..model.options() };
    options.glossaries.clone_from(&ask.glossaries);
    let search = &mut options.search;
    // Of more hypotheses than were asked for, enough begin with different words.
    search.n_best = 1 + if ask.distinct { 3 * ask.alternatives } else { ask.alternatives };
    search.beam_size = search.beam_size.max(search.n_best);
    search.beam_size_constrained = search.beam_size_constrained.map(|beam| beam.max(search.n_best));
    search.attention = ask.attention && model.aligns();
    Lane { engine: Arc::clone(model) as Arc<dyn Engine>, options }
}

impl Pending {
    /// The texts.
    #[must_use]
    pub fn texts(&self) -> &[PendingText] {
        &self.texts
    }

    /// The next sentence whose translation is there: its text and its number; `None` when all are there.
    ///
    /// # Errors
    /// As [`Running::next`].
    pub async fn next(&mut self) -> Result<Option<(usize, usize)>, Failure> {
        let Some((number, mut translation)) = self.running.next().await? else { return Ok(None) };
        if let Some(error) = translation.error.take() {
            return Err(Failure::Worker(error));
        }
        let (text, sentence) = self.places.get(number).copied().unwrap_or_default();
        let pending = &mut self.texts[text];
        if self.distinct {
            keep_distinct(&mut translation, &pending.prefix);
        }
        translation.hypotheses.truncate(1 + self.alternatives);
        pending.answers[sentence] = Some(translation);
        Ok(Some((text, sentence)))
    }

    /// Waits for all sentences.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn all(mut self) -> Result<Vec<PendingText>, Failure> {
        while self.next().await?.is_some() {}
        Ok(self.texts)
    }
}

/// Keeps the hypotheses whose first word after the prefix no better one has.
fn keep_distinct(translation: &mut Translation, prefix: &str) {
    let mut known: Vec<String> = Vec::new();
    translation.hypotheses.retain(|hypothesis| {
        let text = hypothesis.text.trim_start();
        let rest = text.strip_prefix(prefix).unwrap_or(text);
        let first = rest.split_whitespace().next().unwrap_or_default().to_owned();
        let new = !known.contains(&first);
        if new {
            known.push(first);
        }
        new
    });
}

//! From the texts of a request to their translations, for all interfaces.

use crate::app::{App, Client};
use crate::error::Failure;
use crate::language;
use crate::models::LoadedModel;
use crate::pending::PendingText;
use crate::scheduler::{Engine, JobHandle, Lane, Work, deadline};
use crate::source::SourceLanguage;
use crate::text::{apart, read_file, read_text};
use crate::translation_request::TranslationRequest;
use axum::body::Bytes;
use metaphrase::{Document, FileFormat, TranslateOptions, Translation};
use std::sync::Arc;

/// Milliseconds for the translation of a file.
const FILE_TIME: u64 = 24 * 3600 * 1000;

/// Texts whose sentences are in flight.
pub struct PendingTexts {
    texts: Vec<PendingText>,
    /// By number of the request: text and sentence.
    places: Vec<(usize, usize)>,
    running: JobHandle,
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
    pub async fn translate(
        self: &Arc<Self>,
        client: &Client,
        ask: TranslationRequest,
    ) -> Result<PendingTexts, Failure> {
        let mut characters = self.check(&ask)?;
        let target = self.target(&ask.target)?;
        let mut file = None;
        if let Some((format, bytes)) = &ask.file {
            let read = self.file(&ask, &target, *format, bytes).await?;
            if read.source == target {
                let name = language::names(&target).0;
                return Err(Failure::Bad(format!("the file is in the target language, {name}, already")));
            }
            characters = read.sources.iter().map(|source| source.chars().count()).sum();
            file = Some(read);
        }
        let (app, to) = (Arc::clone(self), target.clone());
        let prepare = move || app.inputs(&ask, file, &to).map(|inputs| (ask, inputs));
        let (ask, inputs) = apart(characters, prepare).await?;
        let mut texts = Vec::with_capacity(inputs.len());
        let (mut lanes, mut lane_models): (Vec<Lane>, Vec<(String, Arc<LoadedModel>)>) = (Vec::new(), Vec::new());
        let (mut requests, mut places) = (Vec::new(), Vec::new());
        for (mut pending, sentences) in inputs {
            if !pending.sources.is_empty() {
                pending.through = self.models.pairs().between(&pending.source, &target).map(str::to_owned);
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
        for (text, _) in running.repeated.iter().filter_map(|number| places.get(*number)) {
            texts[*text].repeated += 1;
        }
        Ok(PendingTexts { texts, places, running, alternatives: ask.alternatives, distinct: ask.distinct, characters })
    }

    /// The texts, and the file, with the requests of their sentences.
    fn inputs(&self, ask: &TranslationRequest, file: Option<PendingText>, target: &str) -> Result<Vec<Input>, Failure> {
        let texts = ask.texts.iter().map(|text| self.text(ask, text, target));
        let with_requests = |text: Result<PendingText, Failure>| {
            let mut text = text?;
            let requests = text.requests(ask);
            Ok::<_, Failure>((text, requests))
        };
        let inputs: Vec<Input> = texts.chain(file.map(Ok)).map(with_requests).collect::<Result<_, _>>()?;
        // If other texts can be translated, a foreign one comes back unchanged, and a header reports it.
        let mut with_words = inputs.iter().filter(|(text, _)| text.has_words()).peekable();
        if with_words.peek().is_some() && with_words.all(|(text, _)| text.is_foreign) {
            return Err(self.no_known_language());
        }
        Ok(inputs)
    }

    /// A text whose sentences are found, if it is not in the target language already.
    fn text(&self, ask: &TranslationRequest, text: &str, target: &str) -> Result<PendingText, Failure> {
        let SourceLanguage { code, detected, is_foreign } =
            self.source_language(ask.source.as_deref(), text, target)?;
        if !self.models.pairs().has(&code, target) && code != target {
            return Err(Failure::Pair { from: code, to: target.to_owned() });
        }
        let stays = is_foreign || code == target;
        let document = if stays { None } else { Some(read_text(text, &ask.text_options(&code, target))?) };
        let prefix = ask.prefix.trim().to_owned();
        let input = text.to_owned();
        Ok(PendingText { input, detected, is_foreign, prefix, ..PendingText::new(code, document) })
    }

    /// A file whose sentences are found. Its language is detected from the first of them.
    async fn file(
        &self,
        ask: &TranslationRequest,
        target: &str,
        format: FileFormat,
        bytes: &Bytes,
    ) -> Result<PendingText, Failure> {
        let read = |language: String| {
            let (bytes, options) = (bytes.to_vec(), ask.text_options(&language, target));
            let read = tokio::task::spawn_blocking(move || read_file(bytes, format, &options));
            async { read.await.map_err(|_| Failure::File("the file could not be read".into()))? }
        };
        let first = read(ask.source.clone().unwrap_or_default()).await?;
        let first_sentences = first.requests().into_iter().take(50);
        let sample: String = first_sentences.flat_map(|request| [request.source, "\n".into()]).collect();
        let found = self.source_language(ask.source.as_deref(), &sample, target)?;
        if found.is_foreign {
            return Err(self.no_known_language());
        }
        let document = if found.detected.is_some() { read(found.code.clone()).await? } else { first };
        Ok(PendingText { detected: found.detected, ..PendingText::new(found.code, Some(document)) })
    }

    /// The characters of the texts, if the request is within the limits.
    fn check(&self, ask: &TranslationRequest) -> Result<usize, Failure> {
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
        let known = self.models.pairs().targets();
        language::find(code, known).map(str::to_owned).ok_or_else(|| Failure::Language(code.to_owned()))
    }
}

/// A text, and the requests of its sentences.
type Input = (PendingText, Vec<metaphrase::Request>);

/// A model and the options of a request.
fn lane(model: &Arc<LoadedModel>, ask: &TranslationRequest) -> Lane {
    let mut options = TranslateOptions { check_numbers: ask.check_numbers, ..model.options() };
    options.glossaries.clone_from(&ask.glossaries);
    let search = &mut options.search;
    // Among three times the hypotheses, enough begin with different words.
    search.n_best = 1 + if ask.distinct { 3 * ask.alternatives } else { ask.alternatives };
    search.beam_size = search.beam_size.max(search.n_best);
    search.beam_size_constrained = search.beam_size_constrained.map(|beam| beam.max(search.n_best));
    search.attention = ask.attention && model.aligns();
    Lane { engine: Arc::clone(model) as Arc<dyn Engine>, options }
}

impl PendingTexts {
    /// The texts.
    #[must_use]
    pub fn texts(&self) -> &[PendingText] {
        &self.texts
    }

    /// The next sentence whose translation is there: its text and its number; `None` when all are there.
    ///
    /// # Errors
    /// As [`JobHandle::next`].
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

/// The numbers, from 1, of the texts that came back as they were sent, as they are in none of the source languages.
#[must_use]
pub fn untranslated(texts: &[PendingText]) -> Vec<usize> {
    (1..).zip(texts).filter(|(_, text)| text.is_foreign).map(|(number, _)| number).collect()
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

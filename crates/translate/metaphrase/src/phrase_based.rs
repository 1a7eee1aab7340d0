//! The phrase-based engine: a model of Moses, and the threads that search with it.

use crate::constraints::present;
use crate::engine::{AlignmentUnit, Engine, EngineFacts, Plan, Session};
use crate::lengths::cut_off;
use crate::neural::NOT_FINITE;
use crate::reply::Reply;
use crate::{Error, Hypothesis, PhraseOptions, Request, SearchOptions, TranslateOptions, Translation};
use metaphrase_base::pipeline::{Queue, Workers};
use metaphrase_phrase::{Decoder, Duplicates, PhraseModel, ReadyModel, Results, Target, Workspace};
use std::path::Path;

/// A phrase-based translator: its threads own the model.
pub(crate) struct PhraseBased(Workers<Job>);

/// A line for the threads.
struct Job {
    request: Request,
    n_best: usize,
    max_source_length: usize,
    reply: Reply,
}

impl PhraseBased {
    /// Reads a model. Without options the search has its defaults and the model's own distortion limit.
    pub(crate) fn new(path: &Path, options: Option<PhraseOptions>, threads: usize) -> Result<Self, Error> {
        let model = PhraseModel::read_moses(path)?;
        let distortion_limit = model.distortion_limit;
        let options = options.unwrap_or_else(|| PhraseOptions { distortion_limit, ..PhraseOptions::default() });
        let model = ReadyModel::new(model, options)?;
        let worker = move |queue: &Queue<Job>| {
            let mut workspace = Workspace::default();
            // A caller that left needs no translation.
            for job in queue.iter().filter(|job| job.reply.is_wanted()) {
                let answer = answer(
                    &model.decoder(if job.n_best > 1 { Results::Many } else { Results::Best }),
                    &job,
                    &mut workspace,
                );
                job.reply.finish(answer);
            }
        };
        Ok(Self(Workers::new("translate", threads, worker)))
    }
}

/// Lines with one set of options.
struct PhraseBasedSession<'e> {
    workers: &'e Workers<Job>,
    n_best: usize,
    max_source_length: usize,
}

impl Engine for PhraseBased {
    fn facts(&self) -> EngineFacts {
        EngineFacts { alignment: Some(AlignmentUnit::Words), ..EngineFacts::default() }
    }

    fn session<'e>(&'e self, options: &TranslateOptions) -> Result<Box<dyn Session + 'e>, Error> {
        let neural = SearchOptions { n_best: 1, attention: false, ..options.search.clone() };
        if neural != SearchOptions::default() || options.search.n_best == 0 {
            return Err(Error::PhraseBased { what: "a search option other than an n-best size of 1 or more" });
        }
        self.0.ready()?;
        if let Some(language) = &options.source_language {
            return Err(Error::NoSourceLanguages { language: language.clone() });
        }
        if let Some(language) = &options.target_language {
            return Err(Error::NoTargetLanguages { language: language.clone() });
        }
        let (n_best, max_source_length) = (options.search.n_best, options.max_source_length.max(1));
        Ok(Box::new(PhraseBasedSession { workers: &self.0, n_best, max_source_length }))
    }
}

impl Session for PhraseBasedSession<'_> {
    fn submit(&self, plan: Plan, reply: Reply) {
        let Self { workers, n_best, max_source_length } = *self;
        workers.push(Job { request: plan.request, n_best, max_source_length, reply });
    }

    /// A translation has about as many words as the source; each word is a string of its own and stands twice in the
    /// text.
    fn weight(&self, plan: &Plan) -> usize {
        let translations = plan.request.source.len().saturating_mul(16).saturating_mul(self.n_best);
        plan.request.size().saturating_add(translations)
    }
}

/// The translation of a request.
fn answer(decoder: &Decoder<'_>, job: &Job, workspace: &mut Workspace) -> Translation {
    let Job { request, n_best, max_source_length, .. } = job;
    if request.target.is_some() {
        let error = "a phrase-based model does not score given translations; use a neural model";
        return Translation::failed(error, request.terms.required.len());
    }
    let mut words: Vec<&str> = request.source.split_ascii_whitespace().collect();
    if words.is_empty() {
        return Translation::of_nothing(&request.terms);
    }
    let mut notes = Vec::new();
    if words.len() > *max_source_length {
        notes.push(cut_off("source", words.len(), "words", *max_source_length));
        words.truncate(*max_source_length);
    }
    if !request.terms.is_empty() || !request.prefix.is_empty() {
        notes.push("a phrase-based model takes neither terms nor a prefix; they are left out".into());
    }
    let mut found = match n_best {
        1 => vec![decoder.translate(&words, workspace).0],
        count => decoder.n_best(&words, *count, Duplicates::Drop, workspace).0,
    };
    found.retain(|found| found.score.is_finite());
    let error = found.is_empty().then(|| NOT_FINITE.to_owned());
    notes.extend(error.clone());
    let hypotheses: Vec<Hypothesis> = found.iter().map(|found| hypothesis(decoder, &words, found)).collect();
    Translation {
        error,
        present: present(&request.terms.avoided, &hypotheses),
        hypotheses,
        missing: (0..request.terms.required.len()).collect(),
        source_pieces: words.iter().map(ToString::to_string).collect(),
        notes,
        ..Translation::default()
    }
}

fn hypothesis(decoder: &Decoder<'_>, source: &[&str], found: &metaphrase_phrase::Translation) -> Hypothesis {
    let model = decoder.model();
    let mut pieces = Vec::new();
    for phrase in &found.phrases {
        let mark = if phrase.target == Target::Unknown { decoder.options().unknown_words.mark() } else { "" };
        let words = model.words(source, std::slice::from_ref(phrase));
        pieces.extend(words.into_iter().map(|word| format!("{mark}{word}")));
    }
    Hypothesis {
        text: pieces.join(" "),
        score: found.score,
        log_prob: found.score,
        complete: true,
        links: model.alignment(source, &found.phrases),
        pieces,
        ..Hypothesis::default()
    }
}

//! The phrase-based engine: a model of Moses, and the memory of its searches.

use crate::{Error, Hypothesis, PhraseOptions, Request, SearchOptions, TranslateOptions, Translation};
use metaphrase_phrase::{Decoder, PhraseModel, ReadyModel, Workspace, for_each_sentence};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A phrase-based translator.
pub(crate) struct PhraseBased {
    model: ReadyModel,
    threads: usize,
    /// Memory of finished calls, one for each thread, for the next call.
    spare: Mutex<Vec<Workspace>>,
}

impl PhraseBased {
    /// Reads a model. Without options the search has its defaults and the model's own distortion limit.
    pub(crate) fn new(path: &Path, options: Option<PhraseOptions>, threads: usize) -> Result<Self, Error> {
        let model = PhraseModel::read_moses(path)?;
        let distortion_limit = model.distortion_limit;
        let options = options.unwrap_or_else(|| PhraseOptions { distortion_limit, ..PhraseOptions::default() });
        Ok(Self { model: ReadyModel::new(model, options)?, threads, spare: Mutex::default() })
    }

    /// See [`Translator::stream`](crate::Translator::stream).
    pub(crate) fn stream(
        &self,
        options: &TranslateOptions,
        chunks: impl Iterator<Item = Vec<Request>>,
        mut sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let neural = SearchOptions { n_best: 1, attention: false, ..options.search.clone() };
        if neural != SearchOptions::default() || options.search.n_best == 0 {
            return Err(Error::PhraseBased { what: "a search option other than an n-best size of 1 or more" });
        }
        let decoder = self.model.decoder(options.search.n_best > 1);
        let mut workspaces = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        workspaces.resize_with(self.threads, Workspace::default);
        'stream: for chunk in chunks {
            let work = |line: usize, workspace: &mut Workspace| answer(&decoder, &chunk[line], options, workspace);
            for translation in for_each_sentence(chunk.len(), &mut workspaces, work) {
                if sink(translation).is_break() {
                    break 'stream;
                }
            }
        }
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = workspaces;
        Ok(())
    }
}

/// The translation of a request.
fn answer(
    decoder: &Decoder<'_>,
    request: &Request,
    options: &TranslateOptions,
    workspace: &mut Workspace,
) -> Translation {
    if request.target.is_some() {
        let note = "a phrase-based model does not score given translations; use a neural model".into();
        return Translation { notes: vec![note], ..Translation::default() };
    }
    let mut words: Vec<&str> = request.source.split_ascii_whitespace().collect();
    if words.is_empty() {
        return Translation::of_nothing(&request.terms);
    }
    let mut notes = Vec::new();
    let limit = options.max_source_length.max(1);
    if words.len() > limit {
        notes.push(format!(
            "the source has {} words and is cut off after {limit}; split it into sentences",
            words.len()
        ));
        words.truncate(limit);
    }
    if !request.terms.is_empty() || !request.prefix.is_empty() {
        notes.push("a phrase-based model takes neither terms nor a prefix; they are left out".into());
    }
    let (found, _) = match options.search.n_best {
        1 => {
            let (best, counters) = decoder.translate(&words, workspace);
            (vec![best], counters)
        }
        count => decoder.n_best(&words, count, true, workspace),
    };
    let model = decoder.model();
    let hypothesis = |found: metaphrase_phrase::Translation| {
        let pieces: Vec<String> = model.words(&words, &found.phrases).into_iter().map(str::to_owned).collect();
        Hypothesis {
            text: pieces.join(" "),
            score: found.score,
            log_prob: found.score,
            complete: true,
            links: model.alignment(&words, &found.phrases),
            pieces,
            ..Hypothesis::default()
        }
    };
    Translation {
        hypotheses: found.into_iter().map(hypothesis).collect(),
        missing: (0..request.terms.required.len()).collect(),
        source_pieces: words.iter().map(ToString::to_string).collect(),
        notes,
        ..Translation::default()
    }
}

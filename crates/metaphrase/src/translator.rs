//! The translator: one interface to neural and phrase-based models.

use crate::check::NumberCheck;
use crate::neural::Neural;
use crate::parts::{Collected, Divider, joined};
use crate::phrase_based::PhraseBased;
use crate::pivot::Pivot;
use crate::reply::{Answer, Call};
use crate::{Cancel, Error, EvidenceCounter, Glossary, Request, TranslateOptions, Translation, TranslatorBuilder};
use metaphrase_base::{StepModel, WordId};
use metaphrase_document::Splitter;
use metaphrase_text::vocab::Vocabulary;
use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};

/// Translates text. `Send + Sync`: any number of threads may call it at once. Their lines share batches, and no result
/// depends on that.
///
/// ```no_run
/// use metaphrase::Translator;
/// # fn main() -> Result<(), metaphrase::Error> {
/// let translator = Translator::builder().model("models/en-de").build()?;
/// let translations = translator.translate(&["Good morning!", "How are you?"])?;
/// assert_eq!(translations.len(), 2);
/// println!("{}", translations[0].text());
/// # Ok(())
/// # }
/// ```
///
/// A phrase-based model has the same interface; it takes n-best sizes, but no other option of the search, no terms, no
/// prefix and no given translations.
pub struct Translator {
    pub(crate) engine: Engine,
    pub(crate) glossary: Option<Glossary>,
    /// Finds the sentences of long lines; made when the first one comes.
    pub(crate) splitter: OnceLock<Splitter>,
}

/// Requests, chunk by chunk.
type Chunks<'c> = &'c mut (dyn Iterator<Item = Vec<Request>> + Send);

/// What takes translations in order, until it breaks.
type Sink<'s> = &'s mut dyn FnMut(Translation) -> ControlFlow<()>;

/// What translates.
pub(crate) enum Engine {
    Neural(Neural),
    PhraseBased(Box<PhraseBased>),
    Pivot(Pivot),
}

impl Translator {
    /// Chooses models, threads and so on.
    pub fn builder() -> TranslatorBuilder {
        TranslatorBuilder::default()
    }

    /// The English-German model that comes with the program, with as many threads as the machine has processors.
    ///
    /// # Errors
    /// [`Error`] if the model is damaged, which is a defect of this library.
    pub fn bundled() -> Result<Self, Error> {
        Self::builder().package(crate::Package::bundled()).build()
    }

    /// A translator by way of a third language: `last` translates what `first` gives. The options and the n-best list are those of
    /// `last`; `first` gives its best translation with its own options. Required terms, phrases to avoid and the prefix hold in the
    /// translation of `last`; a term that stands in the source as it is, as a placeholder does, is required of `first`, too.
    /// Alignments of both become one, notes say which leg they are about, scores are those of `last`. Evidence is for `last`.
    ///
    /// ```no_run
    /// use metaphrase::Translator;
    /// use std::sync::Arc;
    /// # fn main() -> Result<(), metaphrase::Error> {
    /// let first = Arc::new(Translator::builder().model("de-en").build()?);
    /// let last = Arc::new(Translator::builder().model("models/en-fr").build()?);
    /// println!("{}", Translator::pivot(first, last).translate(&["Guten Morgen!"])?[0].text());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn pivot(first: Arc<Self>, last: Arc<Self>) -> Self {
        Self { engine: Engine::Pivot(Pivot::new(first, last)), glossary: None, splitter: OnceLock::new() }
    }

    /// The translator with this glossary in place of an earlier one.
    #[must_use]
    pub fn with_glossary(self, glossary: Glossary) -> Self {
        Self { glossary: Some(glossary), ..self }
    }

    /// The default options of the model.
    #[must_use]
    pub fn options(&self) -> TranslateOptions {
        match &self.engine {
            Engine::Pivot(pivot) => pivot.last.options(),
            Engine::Neural(neural) => neural.options(),
            Engine::PhraseBased(_) => TranslateOptions::default(),
        }
    }

    /// Whether translations can have word alignments.
    #[must_use]
    pub fn has_alignment(&self) -> bool {
        match &self.engine {
            Engine::Neural(neural) => neural.shared.model.facts().attention,
            Engine::PhraseBased(_) => true,
            Engine::Pivot(pivot) => pivot.has_alignment(),
        }
    }

    /// Whether these are alignments of pieces, as attention gives them. Those of a phrase-based model are of words.
    #[must_use]
    pub fn aligns_pieces(&self) -> bool {
        self.has_alignment() && self.vocabularies().is_some()
    }

    /// The codes of the source and the target language, if the (first) model names them.
    #[must_use]
    pub fn languages(&self) -> Option<&[String; 2]> {
        match &self.engine {
            Engine::Neural(neural) => neural.shared.model.config().languages.as_ref(),
            Engine::PhraseBased(_) => None,
            Engine::Pivot(pivot) => pivot.languages.as_ref(),
        }
    }

    /// The words of the source and of the target of the neural models; a phrase-based model has no vocabularies.
    #[must_use]
    pub fn vocabularies(&self) -> Option<[Arc<Vocabulary>; 2]> {
        match &self.engine {
            Engine::Neural(neural) => Some([Arc::clone(&neural.shared.source), Arc::clone(&neural.shared.target)]),
            Engine::PhraseBased(_) => None,
            Engine::Pivot(pivot) => {
                let ([source, _], [_, target]) = (pivot.first.vocabularies()?, pivot.last.vocabularies()?);
                Some([source, target])
            }
        }
    }

    /// The source words of a line, end of sentence included, as the neural model numbers them. A phrase-based model does
    /// not number words: the list is empty.
    #[must_use]
    pub fn segment(&self, line: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        match &self.engine {
            Engine::Neural(neural) => neural.shared.source.encode(line, &mut words),
            Engine::PhraseBased(_) => {}
            Engine::Pivot(pivot) => return pivot.first.segment(line),
        }
        words
    }

    /// The words of a phrase of the target language, as it stands inside a sentence; as [`segment`](Self::segment)
    /// otherwise, without the end of sentence.
    #[must_use]
    pub fn segment_target(&self, phrase: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        match &self.engine {
            Engine::Neural(neural) => neural.shared.target.encode(phrase, &mut words),
            Engine::PhraseBased(_) => {}
            Engine::Pivot(pivot) => return pivot.last.segment_target(phrase),
        }
        words.pop();
        words
    }

    /// Counts the target pieces of the neural model in evidence of other systems; `None` for a phrase-based model.
    #[must_use]
    pub fn evidence_counter(&self) -> Option<&EvidenceCounter> {
        match &self.engine {
            Engine::Neural(neural) => Some(&neural.shared.counter),
            Engine::PhraseBased(_) => None,
            Engine::Pivot(pivot) => pivot.last.evidence_counter(),
        }
    }

    /// Translates lines with the default options of the model; one translation for each line, in order.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub fn translate<S: AsRef<str>>(&self, lines: &[S]) -> Result<Vec<Translation>, Error> {
        let requests = lines.iter().map(|line| Request::translate(line.as_ref())).collect();
        self.run(&self.options(), requests)
    }

    /// Answers requests; one translation for each, in order.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub fn run(&self, options: &TranslateOptions, requests: Vec<Request>) -> Result<Vec<Translation>, Error> {
        let mut translations = Vec::with_capacity(requests.len());
        self.stream(options, [requests], |translation| {
            translations.push(translation);
            ControlFlow::Continue(())
        })?;
        Ok(translations)
    }

    /// Answers requests as they come, chunk by chunk; `sink` gets one translation for each request, in order,
    /// until it breaks. A chunk is translated as soon as it is there, its longest lines first: large chunks make
    /// good batches, small ones come back soon. No more than some thousand requests and the next chunk are in memory:
    /// when a line takes long, reading waits for it.
    ///
    /// # Errors
    /// [`Error::Options`] and [`Error::PhraseBased`] for options that can not work with this model, before anything is
    /// translated; [`Error::Threads`] and [`Error::Forked`] if there are no threads in this process;
    /// [`Error::WorkerFailed`] if a thread panicked.
    pub fn stream<I>(
        &self,
        options: &TranslateOptions,
        chunks: I,
        sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error>
    where
        I: IntoIterator<Item = Vec<Request>>,
        I::IntoIter: Send,
    {
        let (mut chunks, mut sink) = (chunks.into_iter(), sink);
        self.stream_checked(options, &mut chunks, &mut sink)
    }

    /// As [`stream`](Self::stream). Compiled once, not once for each caller.
    fn stream_checked(&self, options: &TranslateOptions, chunks: Chunks<'_>, sink: Sink<'_>) -> Result<(), Error> {
        let Some(check) = NumberCheck::new(options, self.languages()) else {
            return self.stream_parts(options, chunks, sink);
        };
        let (sender, sources) = channel();
        let options = check.options.clone();
        let mut chunks = chunks.map(move |chunk| NumberCheck::send(chunk, &sender));
        self.stream_parts(&options, &mut chunks, &mut check.sink(sources, sink))
    }

    /// As [`stream`](Self::stream), long lines in parts.
    fn stream_parts(&self, options: &TranslateOptions, chunks: Chunks<'_>, sink: Sink<'_>) -> Result<(), Error> {
        let Some(divider) = self.divider(options) else {
            return self.stream_wholes(options, chunks, sink);
        };
        let (gaps, divided) = channel();
        let mut chunks = chunks.map(move |chunk| divider.divide_all(chunk, &gaps));
        self.stream_wholes(options, &mut chunks, &mut joined(divided, sink))
    }

    /// As [`stream`](Self::stream), each line as a whole.
    fn stream_wholes(&self, options: &TranslateOptions, chunks: Chunks<'_>, sink: Sink<'_>) -> Result<(), Error> {
        let chunks = chunks.map(|chunk| self.with_terms(chunk));
        match &self.engine {
            Engine::Neural(neural) => neural.stream(options, chunks, sink),
            Engine::PhraseBased(phrase_based) => phrase_based.stream(options, chunks, sink),
            Engine::Pivot(pivot) => pivot.stream(options, chunks, sink),
        }
    }

    /// Divides long lines, if the options want that. Each leg of a way by a third language does it for itself.
    fn divider(&self, options: &TranslateOptions) -> Option<Divider<'_>> {
        let splitter = || {
            let language = self.languages().map_or("en", |[source, _]| source);
            self.splitter.get_or_init(|| Splitter::new(language))
        };
        match &self.engine {
            Engine::Pivot(_) => None,
            _ => Divider::new(options, splitter, self.glossary.as_ref()),
        }
    }

    /// Answers one request on the translator's threads: for programs that schedule requests themselves, as servers do. The
    /// call returns when the request is on its way, and does not wait for room: the caller bounds the number of requests on
    /// their way. `answer` is called once, on any thread, and may submit further requests. After [`Cancel::cancel`] the work
    /// stops, inside the search too, and `answer` gets [`Error::Cancelled`]; if the thread panicked, [`Error::WorkerFailed`].
    ///
    /// ```
    /// use metaphrase::{Cancel, Request, Translator};
    /// use std::sync::mpsc::channel;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let translator = Translator::bundled()?;
    /// let (sender, answers) = channel();
    /// let answer = move |translation| _ = sender.send(translation);
    /// translator.submit(&translator.options(), Request::translate("Good morning!"), &Cancel::new(), answer)?;
    /// println!("{}", answers.recv()??.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`stream`](Self::stream) for options that can not work; `answer` is dropped then.
    pub fn submit(
        &self,
        options: &TranslateOptions,
        request: Request,
        cancel: &Cancel,
        answer: impl FnOnce(Result<Translation, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let Some(check) = NumberCheck::new(options, self.languages()) else {
            return self.submit_parts(options, request, cancel, Box::new(answer));
        };
        let (options, source) = (check.options.clone(), request.source.clone());
        let answer = Box::new(move |found| answer(check.answered(&source, found)));
        self.submit_parts(&options, request, cancel, answer)
    }

    /// As [`submit`](Self::submit), a long line in parts.
    fn submit_parts(
        &self,
        options: &TranslateOptions,
        request: Request,
        cancel: &Cancel,
        answer: Answer,
    ) -> Result<(), Error> {
        let Some(divider) = self.divider(options) else {
            return self.submit_whole(options, request, cancel, answer);
        };
        let (mut parts, gaps) = divider.divide(request);
        if parts.len() == 1
            && let Some(whole) = parts.pop()
        {
            return self.submit_whole(options, whole, cancel, answer);
        }
        let collected = Collected::new(parts.len(), gaps, answer);
        for (number, part) in parts.into_iter().enumerate() {
            let collected = Arc::clone(&collected);
            self.submit_whole(options, part, cancel, Box::new(move |answer| collected.put(number, answer)))?;
        }
        Ok(())
    }

    /// As [`submit`](Self::submit), the line as a whole.
    fn submit_whole(
        &self,
        options: &TranslateOptions,
        mut request: Request,
        cancel: &Cancel,
        answer: Answer,
    ) -> Result<(), Error> {
        if let Some(glossary) = &self.glossary {
            glossary.add_to(&mut request.terms, &request.source);
        }
        if let Engine::Pivot(pivot) = &self.engine {
            return pivot.submit(options, request, cancel, answer);
        }
        let call = Call::new(cancel.clone(), answer);
        match &self.engine {
            Engine::Pivot(_) => Ok(()),
            Engine::Neural(neural) => neural.submit(options, &request, call),
            Engine::PhraseBased(phrase_based) => phrase_based.submit(options, &request, call),
        }
    }

    /// Whether requests with these options can be answered.
    pub(crate) fn ready(&self, options: &TranslateOptions) -> Result<(), Error> {
        match &self.engine {
            Engine::Neural(neural) => neural.ready(options).map(drop),
            Engine::PhraseBased(phrase_based) => phrase_based.ready(options).map(drop),
            Engine::Pivot(pivot) => pivot.ready(options),
        }
    }

    /// The requests, with the terms of the glossary that stand in their sources.
    fn with_terms(&self, mut requests: Vec<Request>) -> Vec<Request> {
        if let Some(glossary) = &self.glossary {
            for request in &mut requests {
                glossary.add_to(&mut request.terms, &request.source);
            }
        }
        requests
    }
}

//! The translator: one interface to neural and phrase-based models.

use crate::engine::{AlignmentUnit, Engine, EngineFacts};
use crate::pivot::Pivot;
use crate::plan::Planner;
use crate::reply::AnswerFn;
use crate::stream::stream;
use crate::{Cancel, Error, EvidenceCounter, Glossary, Request, TranslateOptions, Translation, TranslatorBuilder};
use metaphrase_base::WordId;
use metaphrase_document::Splitter;
use metaphrase_text::vocab::Vocabulary;
use std::ops::ControlFlow;
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
    /// Shared by the translators for other languages of one model.
    engine: Arc<dyn Engine>,
    facts: EngineFacts,
    glossary: Option<Glossary>,
    /// Those of the default options.
    source_language: Option<String>,
    target_language: Option<String>,
    /// Finds the sentences of long lines; made when the first one comes.
    splitter: OnceLock<Splitter>,
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

    /// A translator through a third language: `last` translates the translations of `first`. The options and the n-best
    /// list are those of `last`; `first` gives its best translation with its own options. Required terms, phrases to
    /// avoid and the prefix hold in the translation of `last`; a term that stands in the source as it is, as a
    /// placeholder does, is required of `first`, too. The alignments of both legs become one. Notes name their leg.
    /// Scores are those of `last`, which also gets the evidence.
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
        Self::from_engine(Box::new(Pivot::new(first, last)))
    }

    /// A translator with an engine of any kind; `docs/extending.md` writes one.
    #[must_use]
    pub fn from_engine(engine: Box<dyn Engine>) -> Self {
        Self::new(engine.facts(), engine.into())
    }

    fn new(facts: EngineFacts, engine: Arc<dyn Engine>) -> Self {
        let (glossary, source_language, target_language) = (None, None, None);
        Self { engine, facts, glossary, source_language, target_language, splitter: OnceLock::new() }
    }

    /// A translator between these languages in its default options, with the model and the threads of this one: for a
    /// model of several ([`EngineFacts::source_languages`], [`EngineFacts::target_languages`]). A language that the
    /// model does not need is left out.
    ///
    /// # Errors
    /// [`Error::SourceLanguage`] and [`Error::TargetLanguage`] if the model does not know a language, with those that
    /// it knows.
    pub fn between(&self, source: &str, target: &str) -> Result<Self, Error> {
        let told = |known: &[String], language: &str| (!known.is_empty()).then(|| language.to_owned());
        let translator = Self {
            source_language: told(&self.facts.source_languages, source),
            target_language: told(&self.facts.target_languages, target),
            glossary: self.glossary.clone(),
            ..Self::new(self.facts.clone(), Arc::clone(&self.engine))
        };
        translator.check(&translator.options())?;
        Ok(translator)
    }

    /// The translator with this glossary in place of an earlier one.
    #[must_use]
    pub fn with_glossary(self, glossary: Glossary) -> Self {
        Self { glossary: Some(glossary), ..self }
    }

    /// The translator with this target language in its default options, for a model of several
    /// ([`EngineFacts::target_languages`]).
    ///
    /// # Errors
    /// [`Error::TargetLanguage`] if the model does not know the language, with those that it knows;
    /// [`Error::NoTargetLanguages`] if the model has none to choose from.
    pub fn with_target_language(self, language: impl Into<String>) -> Result<Self, Error> {
        let translator = Self { target_language: Some(language.into()), ..self };
        translator.check(&translator.options())?;
        Ok(translator)
    }

    /// The default options of the model.
    #[must_use]
    pub fn options(&self) -> TranslateOptions {
        let options = self.engine.options();
        let source_language = self.source_language.clone().or(options.source_language);
        let target_language = self.target_language.clone().or(options.target_language);
        TranslateOptions { source_language, target_language, ..options }
    }

    /// The facts about the engine.
    #[must_use]
    pub fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    /// Whether translations can have word alignments.
    #[must_use]
    pub fn has_alignment(&self) -> bool {
        self.facts.alignment.is_some()
    }

    /// Whether alignments are of pieces, as attention gives them. Those of a phrase-based model are of words.
    #[must_use]
    pub fn aligns_pieces(&self) -> bool {
        self.facts.alignment == Some(AlignmentUnit::Pieces)
    }

    /// The codes of the source and the target language, if the (first) model names them.
    #[must_use]
    pub fn languages(&self) -> Option<&[String; 2]> {
        self.facts.languages.as_ref()
    }

    /// The words of the source and of the target of the neural models; a phrase-based model has no vocabularies.
    #[must_use]
    pub fn vocabularies(&self) -> Option<[Arc<Vocabulary>; 2]> {
        let EngineFacts { source_vocabulary, target_vocabulary, .. } = &self.facts;
        Some([source_vocabulary.clone()?, target_vocabulary.clone()?])
    }

    /// The source words of a line, end of sentence included, as the neural model numbers them. A phrase-based model
    /// does not number words: the list is empty.
    #[must_use]
    pub fn segment(&self, line: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        if let Some(vocabulary) = &self.facts.source_vocabulary {
            vocabulary.encode(line, &mut words);
        }
        words
    }

    /// The words of a phrase of the target language, as it stands inside a sentence, without the end of sentence.
    /// Otherwise as [`segment`](Self::segment).
    #[must_use]
    pub fn segment_target(&self, phrase: &str) -> Vec<WordId> {
        let mut words = Vec::new();
        if let Some(vocabulary) = &self.facts.target_vocabulary {
            vocabulary.encode(phrase, &mut words);
        }
        words.pop();
        words
    }

    /// Counts the target pieces of the neural model in evidence of other systems; `None` for a phrase-based model.
    #[must_use]
    pub fn evidence_counter(&self) -> Option<&EvidenceCounter> {
        self.facts.evidence_counter.as_ref()
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
        let without_extra = |chunk: Vec<Request>| chunk.into_iter().map(|request| (request, ())).collect();
        let mut sink = sink;
        let mut chunks = chunks.into_iter().map(without_extra);
        stream(&self.planner(options)?, &mut chunks, &mut |(), translation| sink(translation))
    }

    /// As [`stream`](Self::stream); each request comes with a value that `sink` gets together with the translation.
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    pub fn stream_with<T, I>(
        &self,
        options: &TranslateOptions,
        chunks: I,
        mut sink: impl FnMut(T, Translation) -> ControlFlow<()>,
    ) -> Result<(), Error>
    where
        T: Send + 'static,
        I: IntoIterator<Item = Vec<(Request, T)>>,
        I::IntoIter: Send,
    {
        stream(&self.planner(options)?, &mut chunks.into_iter(), &mut sink)
    }

    /// Answers one request on the translator's threads, for programs that schedule requests themselves, as servers do.
    /// The call returns once the request is queued. It does not wait for capacity: the caller bounds the number of
    /// requests in flight. `answer` is called once, on any thread, and may submit further requests. After
    /// [`Cancel::cancel`] the work stops, inside the search too, and `answer` gets [`Error::Cancelled`]; if the thread
    /// panicked, [`Error::WorkerFailed`].
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
        let planner = self.planner(options)?;
        planner.submit([(planner.plan(request, &mut 0), Box::new(answer) as AnswerFn)], cancel);
        Ok(())
    }

    /// Whether requests with these options can be answered.
    pub(crate) fn check(&self, options: &TranslateOptions) -> Result<(), Error> {
        self.engine.session(options).map(drop)
    }

    fn planner<'t>(&'t self, options: &'t TranslateOptions) -> Result<Planner<'t>, Error> {
        Planner::new(&*self.engine, &self.facts, self.glossary.as_ref(), &self.splitter, options)
    }
}

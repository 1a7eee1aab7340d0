//! The neural engine: a model, its vocabularies and the threads that search with them.

mod context;
mod evidence_scores;
mod free_search;
mod inline_terms;
mod job;
mod lost;
mod outcome;
mod plain_words;
mod pool;
mod prepare;
mod term_agreement;
mod term_attempts;
mod term_forms;
mod term_search;

use crate::device::{Device, OpenDevice};
use crate::engine::{AlignmentUnit, Engine, EngineFacts, Plan, Session};
use crate::evidence::{EvidenceModel, EvidenceModelFiles};
use crate::languages::{LanguageMarks, Languages};
use crate::reply::Reply;
use crate::{Error, EvidenceCounter, Package, Request, SearchOptions, ShortlistOptions, TranslateOptions, Translation};
use context::Context;
use metaphrase_base::{StepModel, UnitTimes, WordId};
use metaphrase_models::{Config, Model};
use metaphrase_search::{CheckedOptions, Fused, WrittenWords};
use metaphrase_shortlist::Shortlists;
use metaphrase_text::TermMarks;
use metaphrase_text::vocab::Vocabulary;
pub(crate) use outcome::NOT_FINITE;
pub(crate) use pool::Machine;
use pool::{Pool, pool};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use term_search::{FirstSearches, may_search_freely};

/// A neural model, and the threads that search with it.
pub(crate) struct Neural {
    pool: Pool,
    context: Arc<Context>,
}

/// The optional parts that are loaded together with the models.
pub(crate) struct Attachments<'a> {
    /// The file of a language model, and its weight.
    pub(crate) language_model: Option<(&'a Path, f32)>,
    /// The file of a shortlist, and the options of its use.
    pub(crate) shortlist: Option<(PathBuf, ShortlistOptions)>,
    /// A phrase-based model that gives evidence.
    pub(crate) evidence: Option<EvidenceModelFiles>,
    /// The time of each unit of work is added to these.
    pub(crate) unit_times: Option<Arc<UnitTimes>>,
}

/// The vocabularies of the source and of the target.
type Vocabularies = (Arc<Vocabulary>, Arc<Vocabulary>);

impl Neural {
    /// Loads the packages and their attachments. The threads start with the first request.
    pub(crate) fn new(
        packages: &[Package],
        weights: Option<&[f32]>,
        attachments: Attachments<'_>,
        machine: Machine,
    ) -> Result<Self, Error> {
        let (models, (source, target)) = load(packages, weights, machine.device)?;
        let models: Arc<[Arc<Model>]> = models.into_iter().map(Arc::new).collect();
        let model = Arc::clone(&models[0]);
        let written = {
            let all = || (0..target.len()).map(WordId::new);
            let continues: Vec<bool> = all().map(|word| target.continues(word)).collect();
            let open: Vec<bool> = all().map(|word| target.is_open(word)).collect();
            WrittenWords::new(continues, open)
        };
        let open = |(path, options): (PathBuf, _)| Shortlists::open(&path, options, [&source, &target]);
        let shortlists = attachments.shortlist.map(open).transpose()?;
        let mut counter = EvidenceCounter::of(Arc::clone(&target));
        let evidence = match &attachments.evidence {
            Some(files) => EvidenceModel::open(files, &mut counter)?,
            None => None,
        };
        let unit_times = attachments.unit_times;
        let names = model.config().inline_terms.as_ref();
        let inline_terms = names.and_then(|names| TermMarks::new(names, &source));
        let languages = Languages::new(model.config().language_words.as_ref(), &source);
        let context = Arc::new(Context {
            model,
            models: Arc::clone(&models),
            source,
            target,
            languages,
            written,
            counter,
            evidence,
            shortlists,
            inline_terms,
            unit_times,
        });
        let pool = match attachments.language_model {
            None => pool(&models, &context, machine),
            Some((path, weight)) => {
                let words = context.model.config().target_words;
                let scorer = crate::language_model::open(path, weight, &context.target, words)?;
                let scorer = Arc::new(scorer);
                let fused = |model: &Arc<Model>| Arc::new(Fused::new(Arc::clone(model), Arc::clone(&scorer), weight));
                pool(&models.iter().map(fused).collect::<Vec<_>>(), &context, machine)
            }
        };
        Ok(Self { pool, context })
    }
}

/// Lines with one set of options.
struct NeuralSession<'e> {
    neural: &'e Neural,
    options: TranslateOptions,
    search: CheckedOptions,
    /// The words that choose the languages.
    languages: LanguageMarks,
    /// The options of the first search, if lines are searched twice.
    first_search: Option<CheckedOptions>,
    /// The options of first searches of lines with terms.
    term_searches: Option<FirstSearches>,
    freely: bool,
}

impl Engine for Neural {
    fn facts(&self) -> EngineFacts {
        let Context { model, source, target, counter, languages, .. } = &*self.context;
        EngineFacts {
            languages: model.config().languages.clone(),
            source_languages: languages.sources(),
            target_languages: languages.targets(),
            source_vocabulary: Some(Arc::clone(source)),
            target_vocabulary: Some(Arc::clone(target)),
            unlearned_letters: model.config().unlearned_letters.clone(),
            alignment: model.facts().attention.then_some(AlignmentUnit::Pieces),
            evidence_counter: Some(counter.clone()),
            takes_whole_lines: false,
        }
    }

    /// The options that the model recommends, over our defaults.
    fn options(&self) -> TranslateOptions {
        let decoding = &self.context.model.config().decoding;
        let mut options = TranslateOptions::default();
        let search = &mut options.search;
        search.beam_size = decoding.beam_size.unwrap_or(search.beam_size);
        search.normalize = decoding.normalize.unwrap_or(search.normalize);
        // Terms need hypotheses that lack them and hypotheses that have them.
        search.beam_size_constrained = Some(search.beam_size.max(10));
        search.word_penalty = decoding.word_penalty.unwrap_or(search.word_penalty);
        search.max_length_factor = decoding.max_length_factor.unwrap_or(search.max_length_factor);
        options.longest_sentence = decoding.longest_sentence;
        options
    }

    fn session<'e>(&'e self, options: &TranslateOptions) -> Result<Box<dyn Session + 'e>, Error> {
        let Context { model, target, .. } = &*self.context;
        let search = options.search(target).check(&**model)?;
        options.check()?;
        let (from, to) = (options.source_language.as_deref(), options.target_language.as_deref());
        let languages = self.context.languages.marks(from, to)?;
        let first_search = |n_best| {
            let search = options.search(target);
            let beam_size_constrained = search.beam_size_constrained.map(|beam| beam.max(n_best));
            let beam_size = search.beam_size.max(n_best);
            // First searches keep the best hypotheses, also where the answers are drawn.
            let search = SearchOptions { sampling: None, attention: false, explored: false, ..search };
            SearchOptions { beam_size, beam_size_constrained, n_best, ..search }.check(&**model)
        };
        let first_search = options.evidence.own.map(first_search).transpose()?;
        let term_searches = FirstSearches::new(options, &search, model)?;
        self.pool.ready()?;
        let (options, freely) = (options.clone(), may_search_freely(options, &search));
        Ok(Box::new(NeuralSession { neural: self, options, search, languages, first_search, term_searches, freely }))
    }
}

impl NeuralSession<'_> {
    /// The words that choose the languages of a line.
    fn languages_of(&self, request: &Request) -> Result<LanguageMarks, Error> {
        let (from, to) = (request.source_language.as_deref(), request.target_language.as_deref());
        if from.is_none() && to.is_none() {
            return Ok(self.languages);
        }
        let from = from.or(self.options.source_language.as_deref());
        let to = to.or(self.options.target_language.as_deref());
        self.neural.context.languages.marks(from, to)
    }
}

impl Session for NeuralSession<'_> {
    fn submit(&self, plan: Plan, reply: Reply) {
        let context = &self.neural.context;
        let _clock = context.unit_times.as_ref().map(UnitTimes::measure);
        let languages = match self.languages_of(&plan.request) {
            Ok(languages) => languages,
            Err(error) => {
                let terms = plan.request.terms.required.len();
                return reply.finish(Translation::failed(&error.to_string(), terms));
            }
        };
        match context.task(&self.options, &self.search, &plan, languages, reply) {
            Ok((mut task, words)) => {
                let (options, request) = (&self.options, &plan.request);
                context.add_evidence(&mut task, options, request, self.first_search.as_ref());
                let first = self.term_searches.as_ref();
                context.add_term_search(&mut task, options, request, words, first, self.freely);
                self.neural.pool.push(task);
            }
            Err(reply) => reply.finish(Translation::of_nothing(&plan.request.terms)),
        }
    }

    /// Counts three bytes of text as a piece: few texts have shorter ones.
    fn weight(&self, plan: &Plan) -> usize {
        let Plan { request, .. } = plan;
        let pieces = |text: &str| (text.len() / 3 + 1).min(self.options.max_source_length);
        let source = pieces(&request.source);
        let prefix = pieces(request.target.as_ref().unwrap_or(&request.prefix));
        // Each piece is a string with its score, and has attention to each source piece.
        let attention = if self.search.attention { source * size_of::<f32>() } else { 0 };
        let limit = self.search.limit(source, prefix);
        let hypotheses = limit.saturating_mul(64 + attention).saturating_mul(self.search.n_best);
        let explored = if self.search.explored { 2 * 96 * self.search.beam_size } else { 0 };
        let evidence = request.evidence.as_ref().map_or(0, |evidence| evidence.size());
        let own = request.size().saturating_add(64 * (source + prefix)).saturating_add(evidence);
        own.saturating_add(hypotheses).saturating_add(limit.saturating_mul(explored))
    }
}

/// The model for the CPU, or for each of the GPUs; and its vocabularies.
fn load(packages: &[Package], weights: Option<&[f32]>, device: Device) -> Result<(Vec<Model>, Vocabularies), Error> {
    let mut models = Vec::new();
    let mut words = None;
    for device in OpenDevice::open(device)? {
        let (model, vocabularies) = load_on(&device, packages, weights)?;
        models.push(model);
        words.get_or_insert(vocabularies);
    }
    Ok((models, words.ok_or(Error::NoModel)?))
}

/// One model, or an ensemble with its weights, on a device; and the vocabularies, which all its models share.
fn load_on(device: &OpenDevice, packages: &[Package], weights: Option<&[f32]>) -> Result<(Model, Vocabularies), Error> {
    let (first, others) = packages.split_first().ok_or(Error::NoModel)?;
    let (model, vocabularies) = open(first, device)?;
    if others.is_empty() && weights.is_none() {
        return Ok((model, vocabularies));
    }
    let mut models = vec![model];
    for package in others {
        let (model, (source, target)) = open(package, device)?;
        // Models of other languages mostly have other words, too. The ensemble names the languages.
        let languages = [&models[0], &model].map(|model| model.config().languages.as_ref());
        let other_languages = matches!(languages, [Some(ours), Some(theirs)] if ours != theirs);
        for (side, ours, theirs) in [("source", &vocabularies.0, source), ("target", &vocabularies.1, target)] {
            if !other_languages && !same_words(ours, &theirs) {
                return Err(Error::EnsembleVocabulary { first: first.name(), other: package.name(), side });
            }
        }
        models.push(model);
    }
    let equal = vec![1.0 / models.len() as f32; models.len()];
    Ok((Model::ensemble(models, weights.unwrap_or(&equal))?, vocabularies))
}

/// The model of a package and its vocabularies.
fn open(package: &Package, device: &OpenDevice) -> Result<(Model, Vocabularies), Error> {
    // Large vocabularies, weights that are used where they lie in the file, and their checksum take about as long.
    std::thread::scope(|scope| {
        let load = |config: Config| scope.spawn(move || package.load_vocabularies(&config));
        let begun = package.settings().map(load);
        let (config, weights, comparison) = package.begin_model()?;
        let vocabularies = begun.unwrap_or_else(|| load(config.clone()));
        let model = package.model(config, &weights, device);
        // A damaged file is the reason for what else is wrong with it.
        package.finish(comparison)?;
        let (source, target) = vocabularies.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        // Marian's model files do not name the word that ends a sentence; their vocabularies do.
        Ok((model?.with_end_of_sentence(target.eos()), (source, target)))
    })
}

/// Whether the words are the same, and the special ones among them.
fn same_words(a: &Vocabulary, b: &Vocabulary) -> bool {
    let special = |v: &Vocabulary| (v.len(), v.eos(), v.unk(), v.special_words());
    special(a) == special(b) && (0..a.len()).map(WordId::new).all(|word| a.word(word) == b.word(word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::{Cancel, Translator};
    use metaphrase_base::Sentence;
    use metaphrase_models::State;
    use metaphrase_testkit::{Delegate, Delegating};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    fn tiny(file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny").join(file)
    }

    /// The result of `load` for the tiny model with a vocabulary of `words` words whose end of sentence has the id
    /// `end`.
    fn with_vocabulary<T>(words: u32, end: u32, load: impl FnOnce(Package) -> Result<T, Error>) -> Result<T, Error> {
        let entry = |id: u32| match id {
            _ if id == end => format!("\"</s>\": {id}\n"),
            _ if id == u32::from(end != 1) => format!("\"<unk>\": {id}\n"),
            _ => format!("w{id}: {id}\n"),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocabulary.yml");
        std::fs::write(&path, (0..words).map(entry).collect::<String>()).unwrap();
        Package::files(tiny("model.npz"), &[&path]).and_then(load)
    }

    #[test]
    fn the_vocabulary_says_which_word_ends_a_sentence() {
        let translator = |package| Translator::builder().package(package).threads(1).batch_tokens(1).build();
        let words = Model::load(&tiny("")).unwrap().config().target_words as u32;
        for end in [0, 1, 5] {
            let model = with_vocabulary(words, end, |package| open(&package, &OpenDevice::Cpu)).unwrap().0;
            assert_eq!(model.config().end_of_sentence, end);
            let translator = with_vocabulary(words, end, translator).unwrap();
            assert_eq!(translator.segment("w7").last().unwrap().0, end);
            assert!(translator.translate(&["w7 w8 nothing"]).is_ok());
        }
        // A longer list is cut to the model's words, but not before its end of sentence.
        assert!(with_vocabulary(words + 10, 0, translator).is_ok());
        let refused = with_vocabulary(words + 10, words + 3, translator).err().unwrap().to_string();
        assert!(refused.contains("give the vocabulary that belongs to the model"), "{refused}");
        assert!(with_vocabulary(6, 0, translator).is_err() || words < 70);
    }

    #[test]
    fn models_of_nothing_are_refused() {
        let refused = |builder: crate::TranslatorBuilder| builder.build().err().unwrap().to_string();
        let sentence = "no model was given; name a model's directory, or a bundled model such as `en-de`";
        assert_eq!(refused(Translator::builder()), sentence);
        assert_eq!(refused(Translator::builder().weights([])), sentence);
        let weights = refused(Translator::builder().model("en-de").weights([0.5, 0.5]));
        assert!(weights.starts_with("these models can not form an ensemble: "), "{weights}");
    }

    /// A model that panics when it reads a word.
    struct Panicking(Arc<Model>, WordId);

    impl Delegate for Panicking {
        type Model = Model;

        fn model(&self) -> &Model {
            &self.0
        }

        fn encode(&self, sentences: &[Sentence<'_>], state: &mut State) {
            assert!(sentences.iter().all(|sentence| !sentence.words.contains(&self.1)), "as the test wants");
            self.0.encode(sentences, state);
        }
    }

    #[test]
    fn a_thread_that_panics_answers_its_sentences_and_goes_on() {
        let attachments = Attachments { language_model: None, shortlist: None, evidence: None, unit_times: None };
        let machine = Machine { device: Device::Cpu, threads: 1, batch_tokens: Some(1), latency: false };
        let mut neural = Neural::new(&[Package::bundled()], None, attachments, machine).unwrap();
        let bad = neural.context.source.pieces("Zebra")[0].clone();
        let bad = neural.context.source.id(&bad).unwrap();
        let model = Arc::new(Delegating(Panicking(Arc::clone(&neural.context.model), bad)));
        neural.pool = pool(&[model], &neural.context, machine);
        let translator = Translator::from_engine(Box::new(neural));
        let (sender, answers) = channel();
        for (number, line) in ["Good morning!", "Zebra", "Good morning!"].into_iter().enumerate() {
            let sender = sender.clone();
            let answer = move |answer: Result<Translation, Error>| _ = sender.send((number, answer));
            translator.submit(&translator.options(), Request::translate(line), &Cancel::new(), answer).unwrap();
        }
        let answers: Vec<_> = answers.into_iter().take(3).collect();
        for (number, answer) in &answers {
            assert_eq!(answer.is_ok(), *number != 1, "{answer:?}");
            assert!(*number != 1 || matches!(answer, Err(Error::WorkerFailed)));
        }
        assert_eq!(translator.translate(&["Good morning!"]).unwrap()[0].text(), "Guten Morgen!");
        assert!(matches!(translator.translate(&["Zebra"]), Err(Error::WorkerFailed)));
    }

    /// A copy of a model that counts its sentences, and waits until another copy reads one, too.
    struct Copied(Arc<Model>, Arc<Barrier>, Arc<AtomicUsize>);

    impl Delegate for Copied {
        type Model = Model;

        fn model(&self) -> &Model {
            &self.0
        }

        fn encode(&self, sentences: &[Sentence<'_>], state: &mut State) {
            self.2.fetch_add(sentences.len(), Ordering::Relaxed);
            self.1.wait();
            self.0.encode(sentences, state);
        }
    }

    #[test]
    fn threads_take_the_copies_of_a_model_in_turns() {
        let attachments = Attachments { language_model: None, shortlist: None, evidence: None, unit_times: None };
        let machine = Machine { device: Device::Cpu, threads: 2, batch_tokens: Some(1), latency: false };
        let mut neural = Neural::new(&[Package::bundled()], None, attachments, machine).unwrap();
        let (barrier, counts) = (Arc::new(Barrier::new(2)), [(); 2].map(|()| Arc::new(AtomicUsize::new(0))));
        let copy = |count: &Arc<AtomicUsize>| {
            let model = Arc::clone(&neural.context.model);
            Arc::new(Delegating(Copied(model, Arc::clone(&barrier), Arc::clone(count))))
        };
        neural.pool = pool(&counts.each_ref().map(copy), &neural.context, machine);
        let translated = Translator::from_engine(Box::new(neural)).translate(&["Good morning!"; 2]).unwrap();
        assert_eq!(translated.iter().map(Translation::text).collect::<Vec<_>>(), ["Guten Morgen!"; 2]);
        assert_eq!(counts.map(|count| count.load(Ordering::Relaxed)), [1, 1]);
    }
}

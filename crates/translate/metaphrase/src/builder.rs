//! The builder of a translator.

use crate::engine::Engine;
use crate::evidence::EvidenceModelFiles;
use crate::neural::{Attachments, Machine, Neural};
use crate::phrase_based::PhraseBased;
use crate::{Device, Error, Glossary, Package, PhraseOptions, Precision, ShortlistOptions, Translator, UnitTimes};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;

/// Makes a [`Translator`]: its models, its other sources of scores, and its use of the machine.
///
/// ```
/// use metaphrase::{Case, Glossary, Translator};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let glossary = Glossary::parse("house\tGebäude\n", Case::Ignore)?;
/// let translator = Translator::builder().model("en-de").glossary(glossary).threads(2).build()?;
/// assert!(translator.translate(&["The house is old."])?[0].text().contains("Gebäude"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "`build` makes the translator"]
pub struct TranslatorBuilder {
    models: Vec<NeuralModel>,
    weights: Option<Vec<f32>>,
    precision: Option<Precision>,
    language_model: Option<(PathBuf, f32)>,
    shortlist: ShortlistChoice,
    glossary: Option<Glossary>,
    evidence: Option<EvidenceModelFiles>,
    phrase_model: Option<PathBuf>,
    phrase_options: Option<PhraseOptions>,
    machine: Machine,
    unit_times: Option<Arc<UnitTimes>>,
}

/// A model of the builder.
#[derive(Debug, Clone)]
enum NeuralModel {
    Path(PathBuf),
    Package(Package),
}

/// Which shortlist a translator has.
#[derive(Debug, Clone)]
enum ShortlistChoice {
    /// The shortlist that comes with a single model, if there is one.
    Recommended,
    None,
    File(PathBuf, ShortlistOptions),
}

impl Default for TranslatorBuilder {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            weights: None,
            precision: None,
            language_model: None,
            shortlist: ShortlistChoice::Recommended,
            glossary: None,
            evidence: None,
            phrase_model: None,
            phrase_options: None,
            machine: Machine {
                threads: available_parallelism().map_or(1, usize::from),
                device: Device::Cpu,
                batch_tokens: None,
                latency: false,
            },
            unit_times: None,
        }
    }
}

impl TranslatorBuilder {
    /// Adds a neural model: a path that [`Package::find`] takes, or the name of a bundled model, `en-de` or `de-en`.
    ///
    /// Several models vote, whatever their architectures, if their vocabularies are the same: the score of a word is
    /// the sum of the models' log-probabilities, each times the model's [weight](Self::weights). Default options and
    /// alignments are the first model's.
    pub fn model(mut self, path: impl AsRef<Path>) -> Self {
        self.models.push(NeuralModel::Path(path.as_ref().to_owned()));
        self
    }

    /// Adds a neural model from a package, which was found before or whose files are named one by one.
    pub fn package(mut self, package: Package) -> Self {
        self.models.push(NeuralModel::Package(package));
        self
    }

    /// The weight of each model of an ensemble, in the order in which the models were added; each above 0. Without this
    /// call each of `n` models counts `1/n`.
    pub fn weights(mut self, weights: impl Into<Vec<f32>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// The numbers that the models of [`model`](Self::model) compute with. With `None`, and without this call, each
    /// model uses the numbers that it recommends, or `f32` if it recommends none. A package has a setting of its own
    /// ([`Package::with_precision`]).
    pub fn precision(mut self, precision: impl Into<Option<Precision>>) -> Self {
        self.precision = precision.into();
        self
    }

    /// Adds a language model over the target pieces, ARPA text or a compiled file (shallow fusion): the score of a word
    /// is the log-probability of the neural models plus `weight` times the log-probability of the language model.
    /// Scores and log-probabilities of translations are these sums.
    pub fn language_model(mut self, path: impl AsRef<Path>, weight: f32) -> Self {
        self.language_model = Some((path.as_ref().to_owned(), weight));
        self
    }

    /// Looks for the translation of a line among the words of its shortlist alone, which saves most of the work of the
    /// output layer. The file is Marian's `lex.s2t` or binary shortlist, or our own of `metaphrase shortlist`. The list
    /// of a line depends on the line alone, so a translation is the same in any batch. Words of terms, of a prefix and
    /// of a given translation are always listed, so are the words that a language model or another scorer needs;
    /// probabilities are normalised over the list. Without this call a model that was published with a shortlist, as
    /// those of Firefox are, uses that one, unless it is one of an ensemble.
    pub fn shortlist(mut self, path: impl AsRef<Path>, options: ShortlistOptions) -> Self {
        self.shortlist = ShortlistChoice::File(path.as_ref().to_owned(), options);
        self
    }

    /// Looks for translations among all words, also with a model that was published with a shortlist.
    pub fn without_shortlist(mut self) -> Self {
        self.shortlist = ShortlistChoice::None;
        self
    }

    /// Requires the translations of a glossary wherever its source terms stand in a request. In [`Met::term`] and
    /// [`Translation::missing`] the terms of the request count first, then those of the glossary.
    ///
    /// [`Met::term`]: crate::Met::term
    /// [`Translation::missing`]: crate::Translation::missing
    pub fn glossary(mut self, glossary: Glossary) -> Self {
        self.glossary = Some(glossary);
        self
    }

    /// Lets a phrase-based model of Moses, a directory with a `moses.ini` or such a file, translate each line first:
    /// the n-grams of its lattice raise the scores of the neural models' words (Iglesias et al. 2018). Requests with
    /// evidence of their own do not need the model. [`TranslateOptions::evidence`](crate::TranslateOptions::evidence)
    /// specifies how evidence counts, and [`phrase_options`](Self::phrase_options) how the model is searched.
    pub fn evidence_model(mut self, path: impl AsRef<Path>) -> Self {
        self.evidence.get_or_insert_default().model = Some(path.as_ref().to_owned());
        self
    }

    /// The languages of the evidence model, as `de` and `en`. Lines are split into words as by
    /// `metaphrase tokenize --escape`. The words of its translations are joined again, as are those of the evidence in
    /// requests. Without this call spaces separate the words of both.
    pub fn evidence_languages(mut self, source: impl Into<String>, target: impl Into<String>) -> Self {
        self.evidence.get_or_insert_default().languages = Some((source.into(), target.into()));
        self
    }

    /// Whether translations of the evidence model begin with a capital letter that its words lack, as for a model of
    /// truecased text.
    pub fn evidence_capitalized(mut self, capitalize: bool) -> Self {
        self.evidence.get_or_insert_default().capitalize = capitalize;
        self
    }

    /// Translates with a phrase-based model of Moses, a directory with a `moses.ini` or such a file, instead of neural
    /// models. Its lines are words with spaces between them, in the form in which the model was trained.
    pub fn phrase_model(mut self, path: impl AsRef<Path>) -> Self {
        self.phrase_model = Some(path.as_ref().to_owned());
        self
    }

    /// How the phrase-based model is searched. Without this call the search has its defaults and the distortion limit
    /// of the model. `keep_recombined` has no effect here: it follows from the size of the n-best list.
    pub fn phrase_options(mut self, options: PhraseOptions) -> Self {
        self.phrase_options = Some(options);
        self
    }

    /// Number of worker threads, which share the model; 0 counts as 1. The default is the machine's number of
    /// processors.
    pub fn threads(mut self, threads: usize) -> Self {
        self.machine.threads = threads.max(1);
        self
    }

    /// The device that computes the neural models; the default is this CPU. Vocabularies, searches and other models
    /// stay on the CPU, where at most four threads search for a GPU.
    pub fn device(mut self, device: Device) -> Self {
        self.machine.device = device;
        self
    }

    /// The batch of each thread: the sum of the source lengths, in pieces, that may share a step of a neural model.
    /// With 1 each sentence is translated alone. The default is [`Device::batch_tokens`]. It changes the speed and
    /// never a translation.
    pub fn batch_tokens(mut self, tokens: usize) -> Self {
        self.machine.batch_tokens = Some(tokens);
        self
    }

    /// Translates one sentence after the other, each on all threads together: the shortest time for a sentence. It pays
    /// for models with layers of 512 and more, whose weights the threads share out. By default each thread translates
    /// sentences of its own, which takes less time for many sentences. It changes the speed and never a translation.
    pub fn latency(mut self, latency: bool) -> Self {
        self.machine.latency = latency;
        self
    }

    /// Measures where the time of neural translations goes: all threads add to these times. It costs some per cent of
    /// the time; without this call nothing is measured.
    pub fn unit_times(mut self, times: Arc<UnitTimes>) -> Self {
        self.unit_times = Some(times);
        self
    }

    /// Reads all files. The threads start with the first translation, so a process may fork between the two.
    ///
    /// # Errors
    /// [`Error`] for files that can not be read or do not belong together, and for parts that do not go together.
    pub fn build(self) -> Result<Translator, Error> {
        let engine: Box<dyn Engine> = match &self.phrase_model {
            Some(path) => {
                self.check_phrase_based()?;
                Box::new(PhraseBased::new(path, self.phrase_options, self.machine.threads)?)
            }
            None => Box::new(self.neural()?),
        };
        let translator = Translator::from_engine(engine);
        Ok(match self.glossary {
            Some(glossary) => translator.with_glossary(glossary),
            None => translator,
        })
    }

    fn neural(&self) -> Result<Neural, Error> {
        let find = |model: &NeuralModel| match model {
            NeuralModel::Path(path) => Package::find(path).map(|package| package.with_precision(self.precision)),
            NeuralModel::Package(package) => Ok(package.clone()),
        };
        let packages = self.models.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let language_model = self.language_model.as_ref().map(|(path, weight)| (path.as_path(), *weight));
        let shortlist = match (&self.shortlist, &packages[..]) {
            (ShortlistChoice::File(path, options), _) => Some((path.clone(), *options)),
            (ShortlistChoice::Recommended, [package]) => package.shortlist(),
            (ShortlistChoice::Recommended | ShortlistChoice::None, _) => None,
        };
        let options = self.phrase_options.clone();
        let evidence = self.evidence.as_ref().map(|files| EvidenceModelFiles { options, ..files.clone() });
        let attachments = Attachments { language_model, shortlist, evidence, unit_times: self.unit_times.clone() };
        Neural::new(&packages, self.weights.as_deref(), attachments, self.machine)
    }

    /// Refuses settings that only neural models have.
    fn check_phrase_based(&self) -> Result<(), Error> {
        for (given, what) in [
            (!self.models.is_empty(), "a neural model"),
            (self.weights.is_some(), "a list of ensemble weights"),
            (self.language_model.is_some(), "a second language model"),
            (matches!(self.shortlist, ShortlistChoice::File(..)), "a shortlist"),
            (self.glossary.is_some(), "a glossary"),
            (self.evidence.is_some(), "evidence of another phrase-based model"),
            (self.machine.latency, "`latency`, which divides the layers of a neural model"),
            (self.machine.device != Device::Cpu, "a device other than the CPU"),
        ] {
            if given {
                return Err(Error::PhraseBased { what });
            }
        }
        Ok(())
    }
}

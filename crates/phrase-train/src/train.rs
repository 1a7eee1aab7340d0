//! The stages of training, one after the other.

use crate::dev::DevSet;
use crate::error::Error;
use crate::tuning::{TuneOptions, tune};
use crate::{files, settings, text, weights};
use metaphrase_align::{Alignment, Corpus, ExtractOptions, Extracted, extract};
use metaphrase_base::MadeFolder;
use metaphrase_ngram::Model as LanguageModel;
use metaphrase_ngram::{Discounts, EstimateOptions, EstimateReport, estimate};
use metaphrase_phrase::{FeatureNames, MosesIni, PhraseModel, PhraseTable, reweighted};
use metaphrase_tune::{Round, Tuned};
use std::fmt;
use std::path::{Path, PathBuf};

/// How to train.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// How words are aligned.
    pub align: metaphrase_align::Options,
    /// Whether they are aligned in lower case; the tables keep the case.
    pub lowercase: bool,
    /// How tables are made.
    pub extract: ExtractOptions,
    /// The file of a language model; `None`: one is estimated from the target text.
    pub language_model: Option<PathBuf>,
    /// How the language model is estimated.
    pub estimate: EstimateOptions,
    /// Whether tables and language model are compiled: `moses.ini` then names the compiled files. They give the same
    /// translations as the text, and are read at once.
    pub compile: bool,
    /// How many source words a jump may pass.
    pub distortion_limit: usize,
    /// How weights are tuned; the distortion limit is the one above.
    pub tune: TuneOptions,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            align: metaphrase_align::Options::default(),
            lowercase: true,
            extract: ExtractOptions::default(),
            language_model: None,
            // Texts of a few thousand sentences may have no n-gram that occurs a certain number of times.
            estimate: EstimateOptions { fallback: Some(Discounts([0.5, 1.0, 1.5])), ..EstimateOptions::default() },
            compile: true,
            distortion_limit: 6,
            tune: TuneOptions::default(),
        }
    }
}

/// A part of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Word alignment: `alignment.gz`.
    Align,
    /// Phrase tables and the like.
    Extract,
    /// The language model: `lm.arpa.gz`.
    LanguageModel,
    /// Tables and language model in the form that is mapped into memory: `tables.bin`, `lm.bin`.
    Compile,
    /// Weights: `moses.ini`.
    Tune,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Align => "word alignment",
            Self::Extract => "phrase tables",
            Self::LanguageModel => "language model",
            Self::Compile => "compiled tables",
            Self::Tune => "tuning",
        })
    }
}

/// A report of a training on its progress.
#[derive(Debug)]
pub enum Event<'a> {
    /// A stage begins.
    Begin(Stage),
    /// A stage is left out: its files are there.
    Kept(Stage),
    /// A pass of word alignment begins.
    Align(metaphrase_align::Progress),
    /// Tables were made.
    Extracted(Extracted),
    /// The language model was made.
    Estimated(&'a EstimateReport),
    /// A round of tuning is done.
    Round(&'a Round),
}

/// Trains a model in a directory, which is made if it does not exist. Without a development set its weights stay those that
/// Moses' training begins with. With `resume` the files of an earlier run of the same texts and settings are not made
/// again. Returns the result of tuning, if there is a development set.
///
/// | file | content |
/// |---|---|
/// | `moses.ini` | the model: features, files, weights; this file is the last one |
/// | `phrase-table.gz`, `reordering-table.…`, `lex.…`, `candidates.…` | see [`metaphrase_align::extract`] |
/// | `lm.arpa.gz` | the language model, unless there was one |
/// | `tables.bin`, `lm.bin` | tables and language model, compiled |
/// | `alignment.gz` | the links of each sentence pair |
/// | `moses.untuned.ini` | the model before tuning |
/// | `moses.text.ini` | the model with the tables as text, for Moses |
/// | `training.txt` | the texts and settings of the training |
///
/// # Errors
/// The errors of the stages; a file is written as a whole or not at all.
pub fn train(
    corpus: &Corpus,
    dev: Option<&DevSet>,
    options: &TrainOptions,
    folder: &Path,
    resume: bool,
    observer: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Tuned>, Error> {
    let made = MadeFolder::create(folder).map_err(|cause| Error::write(folder, cause))?;
    settings::check_in(folder, &settings::of(corpus, options), resume)?;
    let mut training = Training { corpus, options, folder, observer };
    let tables = training.tables();
    // Before there are links, nothing is worth to be continued.
    if tables.is_ok() || training.has(&[files::LINKS]) {
        made.keep();
    }
    tables?;
    training.language_model()?;
    training.compile()?;
    training.weights(dev)
}

struct Training<'a, 'o> {
    corpus: &'a Corpus,
    options: &'a TrainOptions,
    folder: &'a Path,
    observer: &'o mut dyn FnMut(Event<'_>),
}

impl Training<'_, '_> {
    fn tell(&mut self, event: Event<'_>) {
        (self.observer)(event);
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.file(name).is_file())
    }

    /// Phrase and reordering table, after the links that they are made from.
    fn tables(&mut self) -> Result<(), Error> {
        if self.has(&[files::PHRASE_TABLE, files::REORDERING_TABLE]) {
            self.tell(Event::Kept(Stage::Align));
            self.tell(Event::Kept(Stage::Extract));
            return Ok(());
        }
        let links = self.links()?;
        self.tell(Event::Begin(Stage::Extract));
        let extracted = extract(self.corpus, &links, &self.options.extract, self.folder)?;
        self.tell(Event::Extracted(extracted));
        Ok(())
    }

    fn links(&mut self) -> Result<Vec<Alignment>, Error> {
        let path = self.file(files::LINKS);
        if path.is_file() {
            self.tell(Event::Kept(Stage::Align));
            return files::read_links(&path);
        }
        self.tell(Event::Begin(Stage::Align));
        let lowercased = self.options.lowercase.then(|| text::lowercased(self.corpus));
        let corpus = lowercased.as_ref().unwrap_or(self.corpus);
        let observer = &mut *self.observer;
        let links = metaphrase_align::align(corpus, &self.options.align, &mut |pass| observer(Event::Align(pass)))?;
        files::write_links(&path, &links)?;
        Ok(links)
    }

    fn language_model(&mut self) -> Result<(), Error> {
        let path = self.file(files::LANGUAGE_MODEL);
        if self.options.language_model.is_some() || path.is_file() {
            self.tell(Event::Kept(Stage::LanguageModel));
            return Ok(());
        }
        self.tell(Event::Begin(Stage::LanguageModel));
        let mut target = text::TargetText::new(self.corpus);
        let name = Path::new("the target text");
        let report =
            files::write(&path, |mut file| Ok(estimate(&mut target, name, &self.options.estimate, &mut file, &path)?))?;
        self.tell(Event::Estimated(&report));
        Ok(())
    }

    fn compile(&mut self) -> Result<(), Error> {
        let (tables, language_model) = (self.file(files::COMPILED_TABLES), self.file(files::COMPILED_LANGUAGE_MODEL));
        if !self.options.compile {
            return Ok(());
        }
        if tables.is_file() && language_model.is_file() {
            self.tell(Event::Kept(Stage::Compile));
            return Ok(());
        }
        self.tell(Event::Begin(Stage::Compile));
        let text = self.ini(false)?;
        let [phrases, reordering] = [files::PHRASE_TABLE, files::REORDERING_TABLE].map(|name| self.file(name));
        let table = PhraseTable::read(&phrases, text.weights.translation.len(), Some(&reordering))?;
        files::write_with(&tables, |file| table.write(file))?;
        drop(table);
        let model = LanguageModel::open(&self.folder.join(text.language_model))?;
        files::write_with(&language_model, |file| model.write(file))
    }

    fn weights(&mut self, dev: Option<&DevSet>) -> Result<Option<Tuned>, Error> {
        let (untuned, tuned) = (self.file(files::UNTUNED), self.file(files::TUNED));
        if tuned.is_file() {
            self.tell(Event::Kept(Stage::Tune));
            return Ok(None);
        }
        let ini = self.ini(self.options.compile)?.to_string();
        files::write_text(&untuned, &header(None, &ini))?;
        let Some(dev) = dev else {
            self.write_of_text(None, |ini| ini)?;
            files::write_text(&tuned, &header(None, &ini))?;
            return Ok(None);
        };
        self.tell(Event::Begin(Stage::Tune));
        let mut model = PhraseModel::read_moses(&untuned)?;
        let mut options = self.options.tune.clone();
        options.search.distortion_limit = model.distortion_limit;
        let observer = &mut *self.observer;
        let found = tune(&mut model, dev, &options, &mut |round| observer(Event::Round(round)))?;
        let with_weights = |ini: String| reweighted(&ini, model.names(), &model.weights, None);
        self.write_of_text(Some(&found), with_weights)?;
        files::write_text(&tuned, &header(Some(&found), &with_weights(ini)))?;
        Ok(Some(found))
    }

    /// Beside a model of compiled tables, the same model of the text that they were compiled from.
    fn write_of_text(&self, tuned: Option<&Tuned>, with_weights: impl Fn(String) -> String) -> Result<(), Error> {
        if !self.options.compile {
            return Ok(());
        }
        let ini = with_weights(self.ini(false)?.to_string());
        files::write_text(&self.file(files::OF_TEXT), &header(tuned, &ini))
    }

    /// The model of compiled tables or of text, with the weights of the beginning. Its files lie beside it, so that the
    /// directory can be moved.
    fn ini(&self, compiled: bool) -> Result<MosesIni, Error> {
        let language_model = match &self.options.language_model {
            _ if compiled => files::COMPILED_LANGUAGE_MODEL.into(),
            Some(path) => path.canonicalize().map_err(|cause| Error::read(path, cause))?,
            None => files::LANGUAGE_MODEL.into(),
        };
        Ok(MosesIni {
            phrase_table: if compiled { files::COMPILED_TABLES } else { files::PHRASE_TABLE }.into(),
            reordering: Some(files::REORDERING_TABLE.into()),
            language_model,
            names: FeatureNames::of_moses(true),
            weights: weights::of_moses(),
            distortion_limit: Some(self.options.distortion_limit),
            table_limit: None,
        })
    }
}

/// The text of a `moses.ini` with a few words in front.
fn header(tuned: Option<&Tuned>, ini: &str) -> String {
    let weights = match tuned {
        Some(tuned) => format!("tuned: BLEU {:.2} on the development set", tuned.score),
        None => "not tuned".into(),
    };
    format!(
        "# A model made by metaphrase phrase train. Moses reads models of text, {OF_TEXT} if there is one; it looks for their \
         files where it is run: run it here.\n# Weights are {weights}.\n\n{ini}",
        OF_TEXT = files::OF_TEXT
    )
}

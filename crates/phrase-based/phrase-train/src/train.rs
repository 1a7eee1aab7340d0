//! The stages of training, one after the other.

use crate::dependencies::Texts;
use crate::dev::DevSet;
use crate::error::{Error, RECORD};
use crate::folder::{ModelFolder, StageStatus};
use crate::options::TrainOptions;
use crate::record::StageRecord;
use crate::tuning::tune;
use crate::{dependencies, files, text, weights};
use metaphrase_align::{Alignment, Corpus, ExtractionReport, extract};
use metaphrase_base::MadeFolder;
use metaphrase_ngram::Model as LanguageModel;
use metaphrase_ngram::{EstimateReport, estimate};
use metaphrase_phrase::{FeatureNames, MosesIni, PhraseModel, PhraseTable, reweighted};
use metaphrase_tune::{Round, TunedWeights};
use std::fmt;
use std::path::Path;

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
    /// A stage is skipped: its files are there.
    Kept(Stage),
    /// The files of a stage are made anew, for this reason.
    Outdated(Stage, &'a str),
    /// A pass of word alignment begins.
    Align(metaphrase_align::Progress),
    /// Tables were made.
    Extracted(ExtractionReport),
    /// The language model was made.
    Estimated(&'a EstimateReport),
    /// A round of tuning is done.
    Round(&'a Round),
}

/// Trains a model in a directory, which is made if it does not exist. Without a development set its weights stay those
/// that Moses' training begins with. A directory with other files is refused. With `resume` the files of an earlier run
/// are not made again, if they depend on the same texts and settings and are as they were written. Returns the result
/// of tuning, if there is a development set.
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
/// | `stages.toml` | settings, inputs and files of each stage |
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
) -> Result<Option<TunedWeights>, Error> {
    let model = ModelFolder::open(folder, resume)?;
    let made =
        MadeFolder::create(folder, files::names().chain([RECORD])).map_err(|cause| Error::write(folder, cause))?;
    let mut training = Training { corpus, texts: Texts::new(corpus), options, folder: model, observer };
    let tables = training.tables();
    // Before there are links, nothing is worth to be continued.
    if tables.is_ok() || training.folder.has_stages() {
        made.keep();
    }
    tables?;
    training.language_model()?;
    training.compile()?;
    training.weights(dev)
}

/// The model before tuning, which is no stage of its own for an observer.
const UNTUNED_MODEL: &str = "untuned-model";

impl Stage {
    /// The name in the record.
    fn key(self) -> &'static str {
        match self {
            Self::Align => "align",
            Self::Extract => "extract",
            Self::LanguageModel => "language-model",
            Self::Compile => "compile",
            Self::Tune => "tune",
        }
    }
}

struct Training<'a, 'o> {
    corpus: &'a Corpus,
    texts: Texts,
    options: &'a TrainOptions,
    folder: ModelFolder,
    observer: &'o mut dyn FnMut(Event<'_>),
}

impl Training<'_, '_> {
    fn report(&mut self, event: Event<'_>) {
        (self.observer)(event);
    }

    /// Whether the files of a stage are there; reports why not, if the stage has been done before.
    fn is_done(&mut self, stage: Stage, now: &StageRecord) -> bool {
        match self.folder.standing(stage.key(), now) {
            StageStatus::Done => self.report(Event::Kept(stage)),
            StageStatus::New => return false,
            StageStatus::Outdated(reason) => {
                self.report(Event::Outdated(stage, &reason));
                return false;
            }
        }
        true
    }

    /// Whether a stage has to be done, which begins then.
    fn begins(&mut self, stage: Stage, now: &StageRecord) -> bool {
        let begins = !self.is_done(stage, now);
        if begins {
            self.report(Event::Begin(stage));
        }
        begins
    }

    /// Phrase and reordering table, after the links that they are made from.
    fn tables(&mut self) -> Result<(), Error> {
        let links = self.links()?;
        let now = dependencies::extract(&self.folder, self.texts, self.options)?;
        if !self.begins(Stage::Extract, &now) {
            return Ok(());
        }
        let links = links.map_or_else(|| files::read_links(&self.folder.file(files::LINKS)), Ok)?;
        let (corpus, options) = (self.corpus, &self.options.extract);
        let write = |part: &Path| Ok(extract(corpus, &links, options, part)?);
        let extracted = self.folder.make(Stage::Extract.key(), now, write)?;
        self.report(Event::Extracted(extracted));
        Ok(())
    }

    /// Makes the links; `None` if they were there.
    fn links(&mut self) -> Result<Option<Vec<Alignment>>, Error> {
        let now = dependencies::align(self.texts, self.options);
        if !self.begins(Stage::Align, &now) {
            return Ok(None);
        }
        let lowercased = self.options.lowercase.then(|| text::lowercased(self.corpus));
        let corpus = lowercased.as_ref().unwrap_or(self.corpus);
        let observer = &mut *self.observer;
        let links = metaphrase_align::align(corpus, &self.options.align, &mut |pass| observer(Event::Align(pass)))?;
        let write = |part: &Path| files::write_links(&part.join(files::LINKS), &links);
        self.folder.make(Stage::Align.key(), now, write)?;
        Ok(Some(links))
    }

    fn language_model(&mut self) -> Result<(), Error> {
        if self.options.language_model.is_some() {
            self.report(Event::Kept(Stage::LanguageModel));
            return Ok(());
        }
        let now = dependencies::language_model(self.texts, self.options);
        if !self.begins(Stage::LanguageModel, &now) {
            return Ok(());
        }
        let (mut target, name) = (text::TargetText::new(self.corpus), Path::new("the target text"));
        let (path, options) = (self.folder.file(files::LANGUAGE_MODEL), &self.options.estimate);
        let report = self.folder.make(Stage::LanguageModel.key(), now, |part| {
            let part = part.join(files::LANGUAGE_MODEL);
            files::write(&part, |mut file| Ok(estimate(&mut target, name, options, &mut file, &path)?))
        })?;
        self.report(Event::Estimated(&report));
        Ok(())
    }

    fn compile(&mut self) -> Result<(), Error> {
        if !self.options.compile {
            return Ok(());
        }
        let now = dependencies::compile(&self.folder, self.options)?;
        if !self.begins(Stage::Compile, &now) {
            return Ok(());
        }
        let text = self.ini(false)?;
        let [phrases, reordering] = [files::PHRASE_TABLE, files::REORDERING_TABLE].map(|name| self.folder.file(name));
        let language_model = self.folder.path().join(&text.language_model);
        self.folder.make(Stage::Compile.key(), now, |part| {
            let table = PhraseTable::read(&phrases, text.weights.translation.len(), Some(&reordering))?;
            files::write_with(&part.join(files::COMPILED_TABLES), |file| table.write(file))?;
            drop(table);
            let model = LanguageModel::open(&language_model)?;
            files::write_with(&part.join(files::COMPILED_LANGUAGE_MODEL), |file| model.write(file))
        })
    }

    fn weights(&mut self, dev: Option<&DevSet>) -> Result<Option<TunedWeights>, Error> {
        let ini = self.ini(self.options.compile)?.to_string();
        let now = dependencies::untuned(self.options);
        if self.folder.standing(UNTUNED_MODEL, &now) != StageStatus::Done {
            let write = |part: &Path| files::write_text(&part.join(files::UNTUNED), &header(None, &ini));
            self.folder.make(UNTUNED_MODEL, now, write)?;
        }
        let now = dependencies::tune(&self.folder, dev, self.options)?;
        if self.is_done(Stage::Tune, &now) {
            return Ok(None);
        }
        let Some(dev) = dev else {
            self.write_models(now, None, &ini, str::to_owned)?;
            return Ok(None);
        };
        self.report(Event::Begin(Stage::Tune));
        let mut model = PhraseModel::read_moses(&self.folder.file(files::UNTUNED))?;
        let mut options = self.options.tune.clone();
        options.search.distortion_limit = model.distortion_limit;
        let observer = &mut *self.observer;
        let found = tune(&mut model, dev, &options, &mut |round| observer(Event::Round(round)))?;
        let with_weights = |ini: &str| reweighted(ini, model.names(), &model.weights, None);
        self.write_models(now, Some(&found), &ini, with_weights)?;
        Ok(Some(found))
    }

    /// Writes the model; with compiled tables, the same model of the text that they were compiled from as well.
    fn write_models(
        &mut self,
        now: StageRecord,
        tuned: Option<&TunedWeights>,
        ini: &str,
        with_weights: impl Fn(&str) -> String,
    ) -> Result<(), Error> {
        let text_ini = if self.options.compile { Some(self.ini(false)?.to_string()) } else { None };
        self.folder.make(Stage::Tune.key(), now, |part| {
            for (name, ini) in [(files::OF_TEXT, text_ini.as_deref()), (files::TUNED, Some(ini))] {
                let Some(ini) = ini else { continue };
                files::write_text(&part.join(name), &header(tuned, &with_weights(ini)))?;
            }
            Ok(())
        })
    }

    /// The model of compiled tables or of text, with the weights of the beginning. Its files lie next to it, so that
    /// the directory can be moved.
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
            names: FeatureNames::moses_defaults(),
            weights: weights::moses_defaults(),
            distortion_limit: Some(self.options.distortion_limit),
            table_limit: None,
        })
    }
}

/// The text of a `moses.ini` with a few words in front.
fn header(tuned: Option<&TunedWeights>, ini: &str) -> String {
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

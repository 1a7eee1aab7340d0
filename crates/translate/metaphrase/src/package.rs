//! Models as files: how they are found, loaded, inspected and converted.

use crate::bundled::{self, Bundled};
use crate::device::OpenDevice;
use crate::model_languages::{Clues, ModelLanguages};
use crate::packed::{OnDisk, has_archive_name};
use crate::vocabulary_files::{open, open_words, prepare};
use crate::{Error, ShortlistOptions};
use metaphrase_models::config::LanguagePlaces;
use metaphrase_models::{
    Comparison, Config, Model, ModelError, ModelFiles, Optimizations, Precision, ShortlistFile, StoredPrecision,
    Vocabularies, VocabularyFiles, Weights,
};
use metaphrase_text::vocab::Vocabulary;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model and its vocabularies, found but not loaded.
#[derive(Debug, Clone)]
pub struct Package {
    origin: Origin,
    raw_scores: bool,
    precision: Option<Precision>,
    optimizations: Optimizations,
}

#[derive(Debug, Clone)]
enum Origin {
    /// A model in the program itself.
    Bundled(&'static Bundled),
    Files(Box<Files>),
}

impl Package {
    /// The English-German model that comes with the program.
    #[must_use]
    pub const fn bundled() -> Self {
        Self::with(&bundled::MODELS[0])
    }

    /// The names of the models that come with the program, which [`find`](Self::find) takes. The crate on crates.io has
    /// none.
    pub fn bundled_names() -> impl Iterator<Item = &'static str> {
        bundled::MODELS.iter().filter(|model| model.is_there()).map(|model| model.name)
    }

    const fn with(model: &'static Bundled) -> Self {
        Self::new(Origin::Bundled(model))
    }

    const fn new(origin: Origin) -> Self {
        Self { origin, raw_scores: false, precision: None, optimizations: Optimizations::DEFAULT }
    }

    fn of(files: Files) -> Self {
        Self::new(Origin::Files(Box::new(files)))
    }

    /// The model in a directory or in an archive (`.zip`, `.argosmodel`, `.tar.gz`, `.tar`): our own, Hugging Face's,
    /// OPUS-MT's (with a `decoder.yml`), CTranslate2's, a package of Argos Translate, or a `model.npz` or `.bin` of
    /// Marian's with its vocabularies. If no file has that name, `en-de` and `de-en` are the models that come with the
    /// program.
    ///
    /// An archive is unpacked to a temporary folder each time.
    ///
    /// # Errors
    /// If there is no model, or more than one.
    pub fn find(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if let Some(model) = Bundled::named(path) {
            return Ok(Self::with(model));
        }
        Self::on_disk(OnDisk::open(path)?)
    }

    /// Whether there is a file at `path` with the name of an archive, which [`find`](Self::find) may find a model in.
    #[must_use]
    pub fn is_archive(path: impl AsRef<Path>) -> bool {
        has_archive_name(path.as_ref())
    }

    /// The model of these files.
    pub(crate) fn on_disk(place: OnDisk) -> Result<Self, Error> {
        let find = || {
            let model = ModelFiles::find(&place.path)?;
            let vocabularies = model.vocabularies()?;
            Ok::<_, ModelError>((model, vocabularies))
        };
        let (model, Vocabularies { source, target }) = find().map_err(|error| place.renamed(error))?;
        Ok(Self::of(Files { model, source, target, place: Some(place) }))
    }

    /// A model file with its vocabularies: one for both languages, or the source's and the target's. Those of
    /// CTranslate2 are the SentencePiece models that divide text into the words of its lists.
    ///
    /// # Errors
    /// If the file is no model, or if there are not one or two vocabularies.
    pub fn files<P: AsRef<Path>>(model: impl AsRef<Path>, vocabularies: &[P]) -> Result<Self, Error> {
        let (source, target) = match vocabularies {
            [both] => (both, both),
            [source, target] => (source, target),
            _ => return Err(Error::VocabularyCount(vocabularies.len())),
        };
        let model = ModelFiles::find(model.as_ref())?;
        let Vocabularies { source, target } = model.named_vocabularies(source.as_ref(), target.as_ref())?;
        Ok(Self::of(Files { model, source, target, place: None }))
    }

    /// The same model with words scored by its output layer alone, without the softmax: for models that were trained to
    /// normalise themselves (Zhang et al. 2018, §3.3), where it saves time.
    #[must_use]
    pub fn with_raw_scores(mut self, raw: bool) -> Self {
        self.raw_scores = raw;
        self
    }

    /// The same model with these optimizations, if it is a recurrent one. For measurements, and for more speed where
    /// there is memory for the products of frequent words.
    #[must_use]
    pub fn with_optimizations(mut self, optimizations: Optimizations) -> Self {
        self.optimizations = optimizations;
        self
    }

    /// The same model computing in this precision, whatever its file holds. With `None`, and without this call, it
    /// computes in the precision that its makers recommend, or in `f32` if they recommend none or if it is on a GPU.
    /// Weights that the file has as integers of 8 bits are used as they are in [`Precision::Int8`].
    #[must_use]
    pub fn with_precision(mut self, precision: impl Into<Option<Precision>>) -> Self {
        self.precision = precision.into();
        self
    }

    /// The languages between which the model translates, as its settings, its vocabulary and the names of its files and
    /// its directory show; the weights are not read.
    ///
    /// # Errors
    /// [`Error::LanguagesUnknown`] if these do not name them, and those of files that can not be read.
    pub fn languages(&self) -> Result<ModelLanguages, Error> {
        match &self.origin {
            Origin::Bundled(model) => {
                let (source, target) = model.name.split_once('-').unwrap_or_default();
                Ok(ModelLanguages { sources: vec![source.to_owned()], targets: vec![target.to_owned()] })
            }
            Origin::Files(files) => files.languages().map_err(|error| files.renamed(error)),
        }
    }

    /// The name of the model in messages.
    pub(crate) fn name(&self) -> String {
        match &self.origin {
            Origin::Bundled(model) => format!("the bundled model {}", model.name),
            Origin::Files(files) => files.model.model.display().to_string(),
        }
    }

    /// The shortlist that comes with the model, and how much of it its makers use.
    pub(crate) fn shortlist(&self) -> Option<(PathBuf, ShortlistOptions)> {
        let Origin::Files(files) = &self.origin else { return None };
        let ShortlistFile { path, first, words, threshold } = files.model.shortlist.clone()?;
        Some((path, ShortlistOptions { first, words, threshold }))
    }

    /// The shortlist and the vocabularies of a model that is not part of the program.
    pub(crate) fn vocabulary_files(&self) -> Option<(Option<&ShortlistFile>, Vocabularies)> {
        let Origin::Files(files) = &self.origin else { return None };
        let (source, target) = (files.source.clone(), files.target.clone());
        Some((files.model.shortlist.as_ref(), Vocabularies { source, target }))
    }

    /// The model of `config` and `weights`, which belong to this package, on a device.
    pub(crate) fn model(&self, config: Config, weights: &Weights, device: &OpenDevice) -> Result<Model, Error> {
        let model = device.model(config, weights, self.precision)?.with_optimizations(self.optimizations);
        Ok(if self.raw_scores { model.with_raw_scores() } else { model })
    }

    pub(crate) fn open_model(&self) -> Result<(Config, Weights), Error> {
        let (config, weights, comparison) = self.begin_model()?;
        self.finish(comparison)?;
        Ok((config, weights))
    }

    /// As [`open_model`](Self::open_model), while the weights may still be compared with their checksum:
    /// [`finish`](Self::finish) has to follow.
    pub(crate) fn begin_model(&self) -> Result<(Config, Weights, Comparison), Error> {
        match &self.origin {
            Origin::Bundled(model) => {
                Ok(model.model().map(|(config, weights)| (config, weights, Comparison::default()))?)
            }
            Origin::Files(files) => files.model.begin().map_err(|error| files.renamed(error)),
        }
    }

    /// Waits for the comparison of the weights of this package.
    pub(crate) fn finish(&self, comparison: Comparison) -> Result<(), Error> {
        match (&self.origin, comparison.finish()) {
            (Origin::Files(files), Err(error)) => Err(files.renamed(error)),
            (_, result) => Ok(result?),
        }
    }

    /// The settings of the model, where they are known before its tensors are read.
    pub(crate) fn settings(&self) -> Option<Config> {
        match &self.origin {
            Origin::Bundled(_) => None,
            Origin::Files(files) => files.model.settings(),
        }
    }

    /// Loads the vocabularies, source and target, and checks them against the model's settings.
    pub(crate) fn load_vocabularies(&self, config: &Config) -> Result<(Arc<Vocabulary>, Arc<Vocabulary>), Error> {
        match &self.origin {
            Origin::Bundled(model) => {
                let both = Arc::new(model.vocabulary()?);
                Ok((Arc::clone(&both), both))
            }
            Origin::Files(files) => files.load_vocabularies(config).map_err(|error| files.renamed(error)),
        }
    }
}

impl Files {
    fn load_vocabularies(&self, config: &Config) -> Result<(Arc<Vocabulary>, Arc<Vocabulary>), Error> {
        let Files { model, source, target, .. } = self;
        // A target vocabulary of a package has the word of its language.
        let named = config.language_words.as_ref().filter(|named| named.places != LanguagePlaces::Target);
        let words = named.map(|languages| &languages.words);
        let open = |files, side, expected| open(files, side, words, expected, &model.model);
        let source_words = open(source, "source", config.source_words)?;
        // BPE units are those of tokens, which depend on the language.
        let is_one = source == target && !source.has_codes();
        if is_one && config.source_words == config.target_words {
            return Ok((Arc::clone(&source_words), source_words));
        }
        Ok((source_words, open(target, "target", config.target_words)?))
    }

    fn languages(&self) -> Result<ModelLanguages, Error> {
        let Self { model, source, target, .. } = self;
        let named = model.languages()?;
        let listed = named.words.as_ref().is_some_and(|words| !words.words.is_empty());
        let vocabulary = if listed { None } else { Some(open_words(source, "source", None)?) };
        let files = [&*model.model, &source.words, &target.words];
        let directory = &model.directory;
        let clues = Clues { named: &named, vocabulary: vocabulary.as_ref(), files: &files, directory };
        clues.languages().ok_or_else(|| Error::LanguagesUnknown { model: self.shown(directory) })
    }

    /// The path that the user knows.
    fn shown(&self, path: &Path) -> PathBuf {
        self.place.as_ref().map_or_else(|| path.to_owned(), |place| place.renamed_path(path))
    }

    /// The error with the path that the user knows.
    fn renamed(&self, error: impl Into<Error>) -> Error {
        match &self.place {
            Some(place) => place.renamed(error),
            None => error.into(),
        }
    }
}

#[derive(Debug, Clone)]
struct Files {
    model: ModelFiles,
    source: VocabularyFiles,
    target: VocabularyFiles,
    /// Keeps the files of an archive; `None` where the files are named one by one.
    place: Option<OnDisk>,
}

/// The description of a model, as [`inspect`] gives it. It prints as text for people: format, settings, tensors,
/// vocabularies, problems.
#[derive(Debug, Clone)]
pub struct Report {
    /// The file or directory with the tensors.
    pub model: PathBuf,
    /// The number of files with a checksum, which all agree; `None` if the model has no checksums.
    pub checksums: Option<usize>,
    /// One sentence for each part of the model that does not fit the others.
    pub problems: Vec<String>,
    text: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Describes the model at `path`, or the bundled one of this name, and checks that its tensors, settings and
/// vocabularies fit together.
///
/// # Errors
/// [`Error`] if the model can not be opened at all.
pub fn inspect(path: impl AsRef<Path>) -> Result<Report, Error> {
    let place = OnDisk::open_any(path.as_ref())?;
    let mut report = inspect_files(&place.path).map_err(|error| place.renamed(error))?;
    report.text = place.renamed_text(&report.text);
    report.problems.iter_mut().for_each(|problem| *problem = place.renamed_text(problem));
    report.model = PathBuf::from(place.renamed_text(&report.model.to_string_lossy()));
    Ok(report)
}

fn inspect_files(path: &Path) -> Result<Report, Error> {
    let mut report = metaphrase_models::inspect(path)?;
    if let Ok(Vocabularies { source, target }) = &report.vocabularies {
        let sides = [("source", source, report.config.source_words), ("target", target, report.config.target_words)];
        let languages = report.config.language_words.as_ref().map(|languages| &languages.words);
        let problem = |(side, files, words)| open(files, side, languages, words, &report.model).err();
        let problems: Vec<String> = sides.into_iter().filter_map(problem).map(|error| error.to_string()).collect();
        report.problems.extend(problems);
    }
    let text = report.to_string();
    let metaphrase_models::Report { model, checksums, problems, .. } = report;
    Ok(Report { model, checksums, problems, text })
}

/// Converts the model at `from`, of any format that can be read, or the bundled one of this name, to our own directory
/// `to`, which is absent or empty and is written whole or not at all.
///
/// # Errors
/// [`Error`] if the model can not be read or the directory can not be written.
pub fn convert(from: impl AsRef<Path>, to: impl AsRef<Path>, precision: StoredPrecision) -> Result<(), Error> {
    let place = OnDisk::open_any(from.as_ref())?;
    let converted = metaphrase_models::convert_prepared(&place.path, to.as_ref(), precision, &prepare);
    converted.map_err(|error| place.renamed(error))
}

//! Which files make up a model: from a path that a user gives to the model, its vocabularies and the
//! recommendations for decoding.

mod ctranslate2;
mod decoder_yml;
mod foreign;
mod hugging_face;
mod languages;
mod moses_scripts;
mod shortlists;
mod vocabularies;

pub(crate) use foreign::check_file;
pub use languages::NamedLanguages;
pub use moses_scripts::MosesScripts;
pub use shortlists::ShortlistFile;

use crate::config::DecoderDefaults;
use crate::formats::ctranslate2::WordLists;
use crate::formats::{Format, directory};
use crate::{Comparison, Config, ModelError, Precision, Weights};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The codes of BPE in packages of Argos Translate.
const BPE_MODEL: &str = "bpe.model";

/// The files of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFiles {
    /// The format of the model.
    pub format: Format,
    /// The file with the tensors; the directory for formats that are directories.
    pub model: PathBuf,
    /// The directory that the files are in.
    pub directory: PathBuf,
    /// A candidate list (shortlist) that the model's makers recommend.
    pub shortlist: Option<ShortlistFile>,
    /// The recommendations of a `decoder.yml`; [`load`](Self::load) puts it into [`Config::decoding`].
    pub decoding: DecoderDefaults,
    /// The languages that a package names; [`load`](Self::load) puts them into [`Config::languages`].
    languages: Option<[String; 2]>,
    /// The word that a package begins all translations with.
    target_prefix: Option<String>,
    /// Vocabularies named by `decoder.yml` or `config.toml`; otherwise they are looked for by name.
    named: Option<Vocabularies>,
    /// Whether the model comes with a file of options for decoding.
    has_options: bool,
}

/// What Firefox decodes its models with, which are published without a file of options.
const STUDENT: DecoderDefaults = DecoderDefaults {
    beam_size: Some(1),
    normalize: Some(1.0),
    word_penalty: Some(0.0),
    max_length_factor: Some(2.0),
    longest_sentence: None,
    precision: None,
};

/// The vocabularies of a model; both are the same file where the languages share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabularies {
    /// The source language's.
    pub source: VocabularyFiles,
    /// The target language's.
    pub target: VocabularyFiles,
}

/// The files that turn text of one language into word ids and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularyFiles {
    /// Words and their ids: a SentencePiece model (`.spm`), or a list (`.yml`, `.json`, `.txt`).
    pub words: PathBuf,
    /// The SentencePiece model that divides text into words, or the codes of BPE (`.bpe`), where `words` is a list that
    /// comes with one.
    pub segmenter: Option<PathBuf>,
    /// The ids of the pieces, where `words` is a SentencePiece model.
    pub numbering: Numbering,
    /// The same pieces in a file that is read faster, if there is one.
    pub prepared: Option<PreparedPieces>,
}

/// A file of prepared pieces, which is compared with its checksum already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedPieces {
    /// The file.
    pub path: PathBuf,
    /// The checksums of the files that it has to be made from.
    pub originals: Vec<u64>,
}

/// How a model numbers the pieces of a SentencePiece model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// As the SentencePiece model itself.
    #[default]
    Own,
    /// After `<s>`, `<pad>`, `</s>` and `<unk>`, as fairseq does.
    Fairseq,
}

impl VocabularyFiles {
    /// Whether codes of BPE divide tokens of Moses' into the words of a list.
    #[must_use]
    pub fn has_codes(&self) -> bool {
        let is_codes = |path: &PathBuf| path.ends_with(BPE_MODEL) || has_extension(&path.to_string_lossy(), &["bpe"]);
        self.segmenter.as_ref().is_some_and(is_codes)
    }

    /// Whether a `tokenizer.json` divides text into the words of a list.
    #[must_use]
    pub fn has_tokenizer(&self) -> bool {
        self.segmenter.as_ref().is_some_and(|path| has_extension(&path.to_string_lossy(), &["json"]))
    }
}

impl From<PathBuf> for VocabularyFiles {
    /// The vocabulary that is one file.
    fn from(words: PathBuf) -> Self {
        Self { words, segmenter: None, numbering: Numbering::Own, prepared: None }
    }
}

impl ModelFiles {
    /// Finds the model at `path`: a file of tensors, a `decoder.yml`, or a directory that holds one model in
    /// any known format.
    ///
    /// # Errors
    /// If there is no model or more than one, with a list of the models found.
    pub fn find(path: &Path) -> Result<Self, ModelError> {
        let metadata = std::fs::metadata(path).map_err(|e| ModelError::io(path, "read", e))?;
        if metadata.is_dir() { Self::in_directory(path) } else { Self::from_file(path) }
    }

    fn from_file(path: &Path) -> Result<Self, ModelError> {
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        match path.file_name().and_then(|name| name.to_str()).unwrap_or_default() {
            directory::MANIFEST => Self::own(directory),
            "config.json" if !ctranslate2::is_directory(directory, &file_names(directory)?) => {
                Ok(Self::plain(Format::HuggingFace, directory, directory))
            }
            "config.json" => Self::in_directory(directory),
            _ if ctranslate2::is_model(path) => Ok(Self::plain(Format::CTranslate2, directory, directory)),
            name if has_extension(name, &["yml", "yaml"]) => decoder_yml::read(path, directory),
            name if has_extension(name, &["safetensors"]) || name == "pytorch_model.bin" => {
                Self::in_directory(directory)
            }
            _ => {
                check_file(path)?;
                Self::marian(path, directory)
            }
        }
    }

    fn in_directory(directory: &Path) -> Result<Self, ModelError> {
        let names = file_names(directory)?;
        let has = |name: &str| names.iter().any(|n| n == name);
        if has(directory::MANIFEST) {
            return Self::own(directory);
        }
        if let Some(settings) = decoder_yml::choose(&names) {
            return decoder_yml::read(&directory.join(settings), directory);
        }
        if let Some(model) = marian_model(directory, &names)? {
            let path = directory.join(model);
            check_file(&path)?;
            return Self::marian(&path, directory);
        }
        if ctranslate2::is_directory(directory, &names) {
            return Ok(Self::plain(Format::CTranslate2, directory, directory));
        }
        if ctranslate2::is_argos(directory, &names) {
            return ctranslate2::argos(directory);
        }
        foreign::check_directory(directory, &names)?;
        if has("config.json") {
            return Ok(Self::plain(Format::HuggingFace, directory, directory));
        }
        let problem = format!(
            "there is no model here: none of config.toml, decoder.yml, model.npz, another .npz or Marian .bin, config.json, model.bin of CTranslate2 ({})",
            foreign::folder_inside(directory, &names)
        );
        Err(ModelError::settings(directory, problem))
    }

    /// A file of tensors without a file of options. A `.bin` is used with the shortlist next to it.
    fn marian(path: &Path, directory: &Path) -> Result<Self, ModelError> {
        let format = Format::from_file(path)?;
        let shortlist = match format {
            Format::MarianBin => shortlists::find(directory, &file_names(directory)?),
            _ => None,
        };
        Ok(Self { shortlist, ..Self::plain(format, path, directory) })
    }

    fn own(directory: &Path) -> Result<Self, ModelError> {
        let manifest = directory::read_manifest(directory)?;
        let side = |side: &directory::Side| {
            let words = directory::file(directory, &side.vocabulary)?;
            let segmenter = side.segmenter.as_ref().map(|name| directory::file(directory, name)).transpose()?;
            let prepared = side.prepared(directory)?;
            Ok::<_, ModelError>(VocabularyFiles { words, segmenter, numbering: side.numbering, prepared })
        };
        let named = match manifest.source.zip(manifest.target) {
            Some((source, target)) => {
                let files = side(&source)?;
                let target = if target == source { files.clone() } else { side(&target)? };
                Some(Vocabularies { source: files, target })
            }
            None => None,
        };
        let shortlist = manifest.shortlist.map(|settings| {
            let directory::ShortlistSettings { file, first, words, threshold } = settings;
            Ok::<_, ModelError>(ShortlistFile { path: directory::file(directory, &file)?, first, words, threshold })
        });
        let shortlist = shortlist.transpose()?;
        Ok(Self { named, shortlist, ..Self::plain(Format::Directory, directory, directory) })
    }

    fn plain(format: Format, model: &Path, directory: &Path) -> Self {
        Self {
            format,
            model: model.to_owned(),
            directory: directory.to_owned(),
            shortlist: None,
            decoding: DecoderDefaults::default(),
            languages: None,
            target_prefix: None,
            named: None,
            has_options: false,
        }
    }

    /// Opens the model. Integers of 8 bits in a file of Marian's are for products of integers: `int8` is their
    /// precision, if the model's makers name no other, and greedy search, if they name no beam.
    ///
    /// # Errors
    /// As [`load`](crate::load).
    pub fn load(&self) -> Result<(Config, Weights), ModelError> {
        let (config, weights, comparison) = self.begin()?;
        comparison.finish().map(|()| (config, weights))
    }

    /// As [`load`](Self::load), while the weights may still be compared with their checksum.
    ///
    /// # Errors
    /// As [`load`](crate::load), but for weights with another checksum.
    pub fn begin(&self) -> Result<(Config, Weights, Comparison), ModelError> {
        let (mut config, weights, comparison) = self.format.read(&self.model)?;
        config.decoding = self.decoding.or(config.decoding);
        config.languages = self.languages.clone().or(config.languages);
        if let Some(prefix) = &self.target_prefix {
            config.language_words = Some(ctranslate2::language_words(&self.directory, prefix)?);
        }
        if self.format == Format::MarianBin && weights.has_integers() {
            config.decoding.precision.get_or_insert(Precision::Int8);
            if !self.has_options {
                config.decoding = config.decoding.or(STUDENT);
            }
        }
        Ok((config, weights, comparison))
    }

    /// The settings of the model, where they are in a file that is read before its tensors: in our own directories.
    #[must_use]
    pub fn settings(&self) -> Option<Config> {
        let own = self.format == Format::Directory;
        own.then(|| directory::read_manifest(&self.directory).ok()).flatten().map(|manifest| manifest.model)
    }

    /// The vocabularies whose files a user names. Those of CTranslate2 are the SentencePiece models that divide text
    /// into the words of its lists.
    ///
    /// # Errors
    /// If the lists of CTranslate2 are not there.
    pub fn named_vocabularies(&self, source: &Path, target: &Path) -> Result<Vocabularies, ModelError> {
        if self.format == Format::CTranslate2 {
            let lists = WordLists::find(&self.directory)?;
            return Ok(ctranslate2::with_segmenters(lists, source.to_owned(), target.to_owned()));
        }
        let file = |path: &Path| VocabularyFiles::from(path.to_owned());
        Ok(Vocabularies { source: file(source), target: file(target) })
    }

    /// The vocabularies, as named by the model's makers or else by the usual file names.
    ///
    /// # Errors
    /// If none is found, or if it is not clear which belongs to which language.
    pub fn vocabularies(&self) -> Result<Vocabularies, ModelError> {
        match &self.named {
            Some(vocabularies) => Ok(vocabularies.clone()),
            None if self.format == Format::CTranslate2 => ctranslate2::vocabularies(&self.directory),
            None if self.format == Format::HuggingFace => hugging_face::vocabularies(&self.directory),
            None => vocabularies::find(&self.directory, &file_names(&self.directory)?),
        }
    }
}

/// The one model of Marian's among the files, if there is one: `model.npz` before others.
fn marian_model<'n>(directory: &Path, names: &'n [String]) -> Result<Option<&'n str>, ModelError> {
    let training = |name: &str| name.contains(".optimizer.") || name.contains(".orig.");
    let npz: Vec<&str> =
        names.iter().map(String::as_str).filter(|n| has_extension(n, &["npz"]) && !training(n)).collect();
    let packed_again =
        |name: &str| unpacked_name(name) != name && names.iter().any(|other| other == unpacked_name(name));
    if let Some(model) = npz.iter().find(|&&name| name == "model.npz") {
        return Ok(Some(model));
    }
    // Shortlists end in .bin too, so the content decides.
    let bin = names.iter().map(String::as_str).filter(|name| {
        has_extension(unpacked_name(name), &["bin"])
            && !packed_again(name)
            && matches!(Format::from_file(&directory.join(name)), Ok(Format::MarianBin))
    });
    let models: Vec<&str> = npz.into_iter().chain(bin).collect();
    match models[..] {
        [] => Ok(None),
        [model] => Ok(Some(model)),
        _ => {
            let problem = format!("there is more than one model: {}; name the file", models.join(", "));
            Err(ModelError::settings(directory, problem))
        }
    }
}

/// The names of the files in a directory, sorted. Names that are not UTF-8 are left out.
fn file_names(directory: &Path) -> Result<Vec<String>, ModelError> {
    let unreadable = |e| ModelError::io(directory, "read", e);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.path().is_file()
            && let Ok(name) = entry.file_name().into_string()
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The files of a directory, for messages.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len() {
        0 => "it has no files".to_owned(),
        count if count <= SHOWN => format!("it has {}", names.join(", ")),
        count => format!("it has {} and {} more", names[..SHOWN].join(", "), count - SHOWN),
    }
}

/// The name of a file without the `.gz` of one that gzip packed.
pub(crate) fn unpacked_name(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

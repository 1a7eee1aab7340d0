//! Our own model directory: `config.toml`, `model.safetensors` and the vocabularies, described in
//! `docs/formats/model-directory.md`.

use super::safetensors;
use super::written::{self, join_scales, outputs};
use crate::buffer::{Buffer, Slice};
use crate::files::{Numbering, PreparedPieces};
use crate::{Comparison, Config, ModelError, Weights};
use metaphrase_base::{Checksums, Choice, MappedFile, Named, inside};
use metaphrase_settings::{from_toml, to_toml};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The name of the file of settings in a model directory of our own.
pub const MANIFEST: &str = "config.toml";
const WEIGHTS: &str = "model.safetensors";

/// The version of the directory's layout that floats are written in.
const VERSION_FLOATS: u32 = 1;

/// The first version with integers, whose factors readers of version 1 would take for tensors.
const VERSION_FACTORS: u32 = 2;

/// The version that integers are written in, and the newest that is read. Its integers are panels.
const VERSION_INTEGERS: u32 = 3;

/// The content of `config.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The version of the layout.
    pub(crate) version: u32,
    /// The files of the vocabularies, where the directory has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Side>,
    /// The file of a shortlist, which translations are restricted to by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shortlist: Option<ShortlistSettings>,
    /// The model's settings.
    pub(crate) model: Config,
}

/// The files of one language, as names within the directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Side {
    /// Words and their ids.
    pub(crate) vocabulary: String,
    /// The SentencePiece model that divides text into words, if the vocabulary is not one itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) segmenter: Option<String>,
    /// How the model numbers the pieces of the vocabulary.
    #[serde(default, skip_serializing_if = "is_own")]
    pub(crate) numbering: Numbering,
}

fn is_own(numbering: &Numbering) -> bool {
    *numbering == Numbering::Own
}

/// The shortlist of a model; a number that is missing is that of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ShortlistSettings {
    /// The name of the file within the directory.
    pub(crate) file: String,
    /// The number of the most frequent target words, which are in every list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first: Option<usize>,
    /// The number of words of each source word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<usize>,
    /// Words are left out if their probability is not above this threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) threshold: Option<f32>,
}

/// How matrices are stored. Vectors (biases, normalisation) are always `f32`: they are small, and precision
/// matters most in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StoredPrecision {
    /// 32-bit floats.
    #[default]
    F32,
    /// IEEE half precision; weights beyond ±65,504 are refused.
    F16,
    /// The upper half of a 32-bit float.
    Bf16,
    /// Integers of 8 bits, with a factor for each output of a map and for each word of a table.
    Int8,
}

impl StoredPrecision {
    /// The version of the layout of a directory with such matrices.
    pub(crate) const fn version(self) -> u32 {
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => VERSION_FLOATS,
            Self::Int8 => VERSION_INTEGERS,
        }
    }
}

impl Choice for StoredPrecision {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::F32, "f32", "32-bit floats"),
        Named::new(Self::F16, "f16", "IEEE half precision, half the space"),
        Named::new(Self::Bf16, "bf16", "the upper half of a 32-bit float, half the space"),
        Named::new(Self::Int8, "int8", "8-bit integers, a quarter of the space; for translation with precision int8"),
    ];
}

pub(crate) fn read_manifest(directory: &Path) -> Result<Manifest, ModelError> {
    let path = directory.join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|e| ModelError::io(&path, "read", e))?;
    parse_manifest(&path, &text)
}

/// The version is read first, so that a newer file is refused for being newer.
pub(crate) fn parse_manifest(path: &Path, text: &str) -> Result<Manifest, ModelError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let problem = |e: metaphrase_settings::Error| ModelError::settings(path, format!("line {}: {e}", e.line(text)));
    let Version { version } = from_toml(text).map_err(problem)?;
    if !(VERSION_FLOATS..=VERSION_INTEGERS).contains(&version) {
        let what = format!("version {version} of the model directory");
        let reads = format!("this program reads versions {VERSION_FLOATS} to {VERSION_INTEGERS}");
        return Err(ModelError::unsupported(path, what, reads));
    }
    from_toml(text).map_err(problem)
}

/// A file that the manifest names. It has to be in the directory, and intact if the directory has its checksum.
pub(crate) fn file(directory: &Path, name: &str) -> Result<PathBuf, ModelError> {
    let Some(path) = inside(directory, Path::new(name)) else {
        let problem =
            format!("it names `{name}`, which is not in the directory; copy the file there and name the copy");
        return Err(ModelError::settings(&directory.join(MANIFEST), problem));
    };
    if let Some(checksums) = checksums(directory)? {
        let content = MappedFile::open(&path).map_err(|e| ModelError::io(&path, "read", e))?;
        verify(&checksums, name, &path, &content)?;
    }
    Ok(path)
}

/// The checksums of a directory. Directories that were written before there were any have none.
pub(crate) fn checksums(directory: &Path) -> Result<Option<Checksums>, ModelError> {
    Checksums::read(directory).map_err(|e| ModelError::io(&directory.join(Checksums::FILE), "read", e))
}

fn verify(checksums: &Checksums, name: &str, path: &Path, content: &[u8]) -> Result<(), ModelError> {
    let damaged = |problem| ModelError::Damaged { path: path.to_owned(), problem };
    checksums.check(name, content).map_err(damaged)
}

/// Opens a directory. Weights that are used where they lie are compared with their checksum meanwhile. Others are
/// packed one after the other, and their pages leave memory; the checksum would bring the pages back.
pub(crate) fn read(directory: &Path) -> Result<(Config, Weights, Comparison), ModelError> {
    let (manifest, checksums) = (read_manifest(directory)?, checksums(directory)?);
    let path = directory.join(WEIGHTS);
    let tensors = Slice::whole(Buffer::map(&path)?);
    let comparison = match checksums {
        Some(checksums) if manifest.version >= VERSION_INTEGERS => {
            let (path, tensors) = (path.clone(), tensors.clone());
            Comparison::begin(move || verify(&checksums, WEIGHTS, &path, tensors.bytes()))?
        }
        checksums => {
            let (config, weights) = model(&path, manifest, &tensors, checksums.as_ref())?;
            return Ok((config, weights, Comparison::default()));
        }
    };
    match model(&path, manifest, &tensors, None) {
        Ok((config, weights)) => Ok((config, weights, comparison)),
        // A damaged file is the reason for what else is wrong with it.
        Err(error) => comparison.finish().and(Err(error)),
    }
}

/// The model from its manifest and the content of its file of weights, `path`, which is compared with its checksum.
pub(crate) fn model(
    path: &Path,
    manifest: Manifest,
    tensors: &Slice,
    checksums: Option<&Checksums>,
) -> Result<(Config, Weights), ModelError> {
    if let Some(checksums) = checksums {
        verify(checksums, WEIGHTS, path, tensors.bytes())?;
    }
    let mut tensors = safetensors::read(path, tensors)?;
    if manifest.version >= VERSION_FACTORS {
        join_scales(path, &mut tensors)?;
    }
    Ok((manifest.model, Weights::new(path, tensors)))
}

/// Writes `config.toml` and `model.safetensors` into a directory that exists; who gives it its name puts them on disk.
pub(crate) fn write(
    directory: &Path,
    manifest: &Manifest,
    weights: &Weights,
    precision: StoredPrecision,
) -> Result<(), ModelError> {
    let path = directory.join(MANIFEST);
    let text = to_toml(manifest).map_err(|e| ModelError::settings(&path, format!("can not be written: {e}")))?;
    std::fs::write(&path, text).map_err(|e| ModelError::io(&path, "write", e))?;

    let path = directory.join(WEIGHTS);
    let mut tensors = Vec::new();
    for (name, stored) in weights.stored() {
        tensors.extend(outputs(weights.path(), name, stored, precision)?);
    }
    written::write(&path, tensors, "metaphrase")
}

/// The name of the file of prepared pieces of a vocabulary.
pub(crate) fn prepared_name(vocabulary: &str) -> String {
    format!("{vocabulary}.pieces")
}

impl Side {
    /// The names of the files that the pieces are made from.
    pub(crate) fn originals(&self) -> impl Iterator<Item = &str> {
        [Some(&self.vocabulary), self.segmenter.as_ref()].into_iter().flatten().map(String::as_str)
    }

    /// The prepared pieces of the vocabulary, if the checksums list them and the files that they are made from.
    pub(crate) fn prepared(&self, directory: &Path) -> Result<Option<PreparedPieces>, ModelError> {
        let name = prepared_name(&self.vocabulary);
        let Some(checksums) = checksums(directory)?.filter(|checksums| checksums.get(&name).is_some()) else {
            return Ok(None);
        };
        let originals = self.originals().filter_map(|name| checksums.get(name)).collect();
        Ok(Some(PreparedPieces { path: file(directory, &name)?, originals }))
    }
}

/// Writes the checksums of the weights, of the files of the vocabularies and of the shortlist, which are all in the
/// directory; `prepared` are the names of files of prepared pieces.
pub(crate) fn write_checksums(directory: &Path, manifest: &Manifest, prepared: &[String]) -> Result<(), ModelError> {
    let path = directory.join(Checksums::FILE);
    let sides = manifest.source.iter().chain(&manifest.target);
    let named = sides.flat_map(Side::originals).chain(prepared.iter().map(String::as_str));
    let shortlist = manifest.shortlist.as_ref().map(|shortlist| &shortlist.file);
    let names = named.chain(shortlist.map(String::as_str)).chain([WEIGHTS]);
    Checksums::from_files(directory, names)
        .and_then(|checksums| std::fs::write(&path, checksums.to_string()))
        .map_err(|e| ModelError::io(&path, "write", e))
}

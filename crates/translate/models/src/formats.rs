//! The formats of model files and directories.

pub(crate) mod bin;
pub(crate) mod ctranslate2;
pub(crate) mod directory;
pub(crate) mod hugging_face;
pub(crate) mod marian;
pub(crate) mod nematus;
pub(crate) mod npz;
mod pickle;
mod pytorch;
pub(crate) mod safetensors;
pub(crate) mod written;
pub(crate) mod zip;

use crate::buffer::{Buffer, Slice};
use crate::{Comparison, Config, ModelError, ModelFiles, Weights};
use metaphrase_base::{Checksums, unpacked_start};
use std::fmt;
use std::path::Path;

/// A format of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Marian's and Nematus' `.npz`.
    MarianNpz,
    /// Marian's `.bin`.
    MarianBin,
    /// Hugging Face's, a directory.
    HuggingFace,
    /// CTranslate2's, a directory.
    CTranslate2,
    /// Our own directory.
    Directory,
}

impl Format {
    /// The format of a file of tensors, by its first bytes; gzip may have packed it.
    pub(crate) fn from_file(path: &Path) -> Result<Self, ModelError> {
        let start = unpacked_start(path, 8).map_err(|e| ModelError::io(path, "read", e))?;
        if start.len() < 8 {
            return Err(ModelError::malformed(path, "model", "it has fewer than eight bytes"));
        }
        Self::from_bytes(&start)
            .ok_or_else(|| ModelError::malformed(path, "model", "it is neither an .npz archive nor a .bin of Marian"))
    }

    /// The format of the file that starts like this, for the formats that are one file.
    pub(crate) fn from_bytes(start: &[u8]) -> Option<Self> {
        if start.starts_with(b"PK") {
            Some(Self::MarianNpz)
        } else if bin::is_bin(start) {
            Some(Self::MarianBin)
        } else {
            None
        }
    }

    /// Opens a file or directory of this format. A comparison of the weights with their checksum may not be finished.
    pub(crate) fn read(self, path: &Path) -> Result<(Config, Weights, Comparison), ModelError> {
        let mut comparison = Comparison::default();
        let (config, weights) = match self {
            Self::MarianNpz => marian::read_npz(path, &Slice::whole(Buffer::open(path)?))?,
            Self::MarianBin => marian::read_bin(path, &Slice::whole(Buffer::open(path)?))?,
            Self::HuggingFace => hugging_face::read(path)?,
            Self::CTranslate2 => ctranslate2::read(path)?,
            Self::Directory => {
                let (config, weights, begun) = directory::read(path)?;
                comparison = begun;
                (config, weights)
            }
        };
        let settings = match self {
            Self::MarianNpz | Self::MarianBin => path.to_owned(),
            Self::HuggingFace => path.join("config.json"),
            Self::CTranslate2 => path.join(ctranslate2::MODEL),
            Self::Directory => path.join(directory::MANIFEST),
        };
        let (config, weights) = checked(&settings, config, weights)?;
        Ok((config, weights, comparison))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MarianNpz => "Marian npz",
            Self::MarianBin => "Marian bin",
            Self::HuggingFace => "Hugging Face",
            Self::CTranslate2 => "CTranslate2",
            Self::Directory => "Metaphrase model directory",
        })
    }
}

/// Opens the model at `path`, a file or directory of any known format: its settings and its weights.
///
/// Files are mapped into memory: while the model is in use they may be replaced (by renaming another over
/// them), but must not be changed in place.
///
/// # Errors
/// If there is no model, if it is damaged, or if it is of a kind that is not implemented.
pub fn load(path: &Path) -> Result<(Config, Weights), ModelError> {
    ModelFiles::find(path)?.load()
}

/// Opens a model directory of ours that is part of the program: the text of its `config.toml`, the bytes of its
/// `model.safetensors`, and its checksums. `name` stands for the files in messages.
///
/// # Errors
/// As [`load`].
pub fn load_static(
    name: &Path,
    config: &str,
    tensors: &'static [u8],
    checksums: &Checksums,
) -> Result<(Config, Weights), ModelError> {
    let manifest = directory::parse_manifest(name, config)?;
    let tensors = Slice::whole(Buffer::Static(tensors));
    let (config, weights) = directory::model(name, manifest, &tensors, Some(checksums))?;
    checked(name, config, weights)
}

/// A model whose settings make sense; `path` is the file that the settings come from.
pub(crate) fn checked(path: &Path, config: Config, weights: Weights) -> Result<(Config, Weights), ModelError> {
    config.check(path)?;
    Ok((config, weights))
}

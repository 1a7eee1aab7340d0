//! Models from memory instead of files: for embedding, and for fuzzing the readers.
//!
//! `name` stands for the file in messages. The errors are those of [`load`](crate::load).

use crate::buffer::{Buffer, Slice};
use crate::formats::{Format, checked, ctranslate2 as ct2, directory, hugging_face, marian};
use crate::{Config, ModelError, Weights};
use std::path::Path;

/// A model of Marian's from the bytes of its `.npz` or `.bin`.
///
/// # Errors
/// If the bytes are damaged, or those of a model that is not implemented.
pub fn marian(name: &Path, bytes: Vec<u8>) -> Result<(Config, Weights), ModelError> {
    let format = Format::from_bytes(&bytes);
    let bytes = Slice::whole(Buffer::Bytes(bytes));
    let (config, weights) = match format {
        Some(Format::MarianBin) => marian::read_bin(name, &bytes)?,
        _ => marian::read_npz(name, &bytes)?,
    };
    checked(name, config, weights)
}

/// A model from the text of `config.toml` and the bytes of `model.safetensors`.
///
/// # Errors
/// If either is damaged or of a newer version.
pub fn directory(name: &Path, manifest: &str, tensors: Vec<u8>) -> Result<(Config, Weights), ModelError> {
    let tensors = Slice::whole(Buffer::Bytes(tensors));
    let (config, weights) = directory::model(name, directory::parse_manifest(name, manifest)?, &tensors, None)?;
    checked(name, config, weights)
}

/// A MarianMT model of Hugging Face's from the text of `config.json` and the bytes of `model.safetensors`.
///
/// # Errors
/// If either is damaged, or describes a model that is not implemented.
pub fn hugging_face(name: &Path, config: &[u8], tensors: Vec<u8>) -> Result<(Config, Weights), ModelError> {
    let tensors = Slice::whole(Buffer::Bytes(tensors));
    let (config, weights) = hugging_face::model(name, config, &tensors)?;
    checked(name, config, weights)
}

/// A model of CTranslate2 from the bytes of `model.bin`, of `config.json`, which older models do not have, and of the
/// list of the words of both languages, in JSON.
///
/// # Errors
/// If any is damaged, or describes a model that is not implemented.
pub fn ctranslate2(
    name: &Path,
    tensors: Vec<u8>,
    config: Option<&[u8]>,
    words: &[u8],
) -> Result<(Config, Weights), ModelError> {
    let tensors = Slice::whole(Buffer::Bytes(tensors));
    let (config, weights) = ct2::model(name, &tensors, config, words)?;
    checked(name, config, weights)
}

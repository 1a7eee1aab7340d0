//! Marian's models: tensors with their settings among them, from either of its file formats.

use super::{bin, nematus, npz};
use crate::buffer::Slice;
use crate::config::{inferred, marian as settings};
use crate::stored::StoredTensor;
use crate::{Config, ModelError, Weights};
use std::collections::BTreeMap;
use std::path::Path;

/// The settings stand in an array of this name.
const SETTINGS: &str = "special:model.yml";

/// Reads an `.npz` model of Marian or Nematus.
pub(crate) fn read_npz(path: &Path, bytes: &Slice) -> Result<(Config, Weights), ModelError> {
    model(path, npz::read(path, bytes)?)
}

/// Reads a `.bin` model of Marian.
pub(crate) fn read_bin(path: &Path, bytes: &Slice) -> Result<(Config, Weights), ModelError> {
    model(path, bin::read(path, bytes)?)
}

/// Settings and canonical names for the tensors of a file.
pub(crate) fn model(path: &Path, mut tensors: BTreeMap<String, StoredTensor>) -> Result<(Config, Weights), ModelError> {
    let yml = tensors.remove(SETTINGS).map(|yml| text(path, &yml)).transpose()?;
    // Arrays with such a name are not tensors.
    tensors.retain(|name, _| !name.starts_with("special:"));
    for tensor in tensors.values_mut() {
        if let [length] = tensor.shape[..] {
            tensor.shape = vec![1, length];
        }
    }
    if nematus::uses_names(&tensors) {
        let tied_source = match &yml {
            Some(yml) => settings::ties_source_table(yml),
            None => !tensors.contains_key("Wemb_dec"),
        };
        tensors = nematus::rename(tensors, tied_source);
    }
    let weights = Weights::new(path, tensors);
    let config = match yml {
        Some(yml) => settings::config(&yml, &weights)?,
        None => inferred::config(&weights)?,
    };
    Ok((config, weights))
}

/// The settings' text: bytes, ended by zeros.
fn text(path: &Path, yml: &StoredTensor) -> Result<String, ModelError> {
    let bytes = yml.bytes.bytes();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]);
    text.map(str::to_owned).map_err(|_| ModelError::settings(path, format!("`{SETTINGS}` is not text")))
}

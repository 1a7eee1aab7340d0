//! Files and directories that hold models, and how to open them.

pub(crate) mod bin;
pub(crate) mod marian;
pub(crate) mod nematus;
pub(crate) mod npz;
pub(crate) mod zip;

use crate::buffer::{Buffer, Slice};
use crate::{Config, ModelError, Weights};
use std::path::Path;

/// Opens the model at `path`, a file or directory of any known format: its settings and its weights.
///
/// Files are mapped into memory: while the model is in use they may be replaced (by renaming another over
/// them), but must not be changed in place.
///
/// # Errors
/// If there is no model, if it is damaged, or if it is of a kind that is not implemented.
pub fn load(path: &Path) -> Result<(Config, Weights), ModelError> {
    let path = if path.is_dir() { path.join("model.npz") } else { path.to_owned() };
    let bytes = Slice::whole(Buffer::map(&path)?);
    if bin::is_bin(bytes.bytes()) { marian::read_bin(&path, &bytes) } else { marian::read_npz(&path, &bytes) }
}

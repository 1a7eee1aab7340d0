//! The English-German model that comes with the program: see `models/en-de/README.md` for its origin.

use crate::Error;
use metaphrase_models::{Config, Weights};
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};

const CONFIG: &str = include_str!("../../../models/en-de/config.toml");
const VOCABULARY: &[u8] = include_bytes!("../../../models/en-de/source.spm");

/// Tensors are read in place, so they have to lie as in a memory map.
#[repr(align(64))]
struct Aligned<T: ?Sized>(T);

static WEIGHTS: &Aligned<[u8]> = &Aligned(*include_bytes!("../../../models/en-de/model.safetensors"));

pub(crate) fn model() -> Result<(Config, Weights), Error> {
    Ok(metaphrase_models::load_static("the bundled model".as_ref(), CONFIG, &WEIGHTS.0)?)
}

pub(crate) fn vocabulary() -> Result<Vocabulary, Error> {
    Ok(Vocabulary::from_bytes(VocabularyFormat::SentencePiece, VOCABULARY)?)
}

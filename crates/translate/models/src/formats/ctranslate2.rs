//! Directories of CTranslate2: `model.bin`, `config.json` and lists of words, described in
//! `docs/formats/ctranslate2.md`.
//!
//! ```text
//! model.bin ──▶ variables ──▶ Variables ─┬─▶ network ──▶ TransformerConfig
//! config.json, words ──▶ special ────────┘              tensors ──▶ Weights
//! ```

mod network;
mod special;
mod tensors;
mod variables;

use super::hugging_face;
use crate::buffer::{Buffer, Slice};
use crate::config::{Architecture, DecoderDefaults, LanguageWords, Positions};
use crate::stored::Encoding;
use crate::{Config, ModelError, Precision, Weights};
use network::Network;
use special::Special;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tensors::Tensors;
use variables::Variables;

pub(crate) use special::WordLists;

/// The name of the file of tensors.
pub(crate) const MODEL: &str = "model.bin";
/// The name of the file of settings, which newer models have.
pub(crate) const SETTINGS: &str = "config.json";

/// The name of the format in messages.
const FORMAT: &str = "CTranslate2 model";

/// Search as CTranslate2 does it unless an option changes that.
const BEAM_SIZE: usize = 2;
const LENGTH_PENALTY: f32 = 1.0;

/// Whether a file starts as a model of CTranslate2 does, from the second version of the format on: a small number, the
/// length of a name, and the name of a specification.
pub(crate) fn is_model(start: &[u8]) -> bool {
    let specifications: [&[u8]; 4] = [b"Transformer", b"Whisper", b"Wav2Vec2", b"Moonshine"];
    let version = start.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes));
    let name = start.get(6..).unwrap_or_default();
    (1..=64).contains(&version) && specifications.iter().any(|specification| name.starts_with(specification))
}

/// The files of a model.
struct Files {
    variables: Variables,
    /// The file of settings, for messages, and its content if it is there.
    settings: PathBuf,
    json: Option<Vec<u8>>,
    words: special::Words,
}

impl Files {
    fn open(directory: &Path) -> Result<Self, ModelError> {
        let path = directory.join(MODEL);
        crate::files::check_file(&path)?;
        let variables = Variables::parse(&path, &Slice::whole(Buffer::map(&path)?))?;
        let settings = directory.join(SETTINGS);
        let json = match std::fs::read(&settings) {
            Ok(json) => Some(json),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(ModelError::io(&settings, "read", error)),
        };
        Ok(Self { variables, settings, json, words: WordLists::find(directory)?.read()? })
    }
}

/// Reads the model in `directory`.
pub(crate) fn read(directory: &Path) -> Result<(Config, Weights), ModelError> {
    let files = Files::open(directory)?;
    let language_words = language_words(directory, &files)?;
    let (config, weights) = model_of(&files.settings, files.variables, files.json.as_deref(), &files.words)?;
    Ok((Config { language_words, ..config }, weights))
}

/// The words that name languages to the model in `directory`, if it is one of several.
pub(crate) fn languages(directory: &Path) -> Result<Option<LanguageWords>, ModelError> {
    language_words(directory, &Files::open(directory)?)
}

fn language_words(directory: &Path, files: &Files) -> Result<Option<LanguageWords>, ModelError> {
    let mut variables = files.variables.clone();
    let special = Special::read(&files.settings, &mut variables, files.json.as_deref())?;
    let network = Network::read(&mut variables, special.layer_norm_epsilon)?;
    if has_buckets(&network) {
        // The words of languages, where there are several, are in the vocabulary (`<2de>`).
        return Ok(Some(LanguageWords::in_vocabulary()));
    }
    if network.starts_from_zeros || !special.starts_with_end() || !Arc::ptr_eq(&files.words.source, &files.words.target)
    {
        return Ok(None);
    }
    let layers = (network.config.encoder_depth, network.config.decoder_depth);
    hugging_face::language_words(directory, &files.words.target, layers)
}

/// Whether a network is one of T5's.
fn has_buckets(network: &Network) -> bool {
    matches!(network.config.positions, Positions::Buckets { .. })
}

/// The model of the bytes of its files; `words` is the list of the words of both languages, in JSON.
pub(crate) fn model(
    name: &Path,
    tensors: &Slice,
    json: Option<&[u8]>,
    words: &[u8],
) -> Result<(Config, Weights), ModelError> {
    let variables = Variables::parse(name, tensors)?;
    let source: Arc<[String]> = special::parse_list(name, words)?.into();
    let words = special::Words { target: Arc::clone(&source), source };
    model_of(name, variables, json, &words)
}

/// Settings and tensors of the model with these variables; `settings` is the file of `json`, for messages.
fn model_of(
    settings: &Path,
    mut variables: Variables,
    json: Option<&[u8]>,
    words: &special::Words,
) -> Result<(Config, Weights), ModelError> {
    let special = Special::read(settings, &mut variables, json)?;
    let integers = variables.encoding("decoder/embeddings/weight");
    let mut network = Network::read(&mut variables, special.layer_norm_epsilon)?;
    let tensors = Tensors::read(&mut variables, &network)?;
    variables.check_all_used()?;
    let ids = special.ids(settings, words, network.starts_from_zeros)?;
    network.config.start_word = ids.start;
    network.config.source_start = ids.source_start;
    network.config.source_without_end = special.source_without_end() && !has_buckets(&network);
    let precision = match integers {
        Some(Encoding::I8) => Some(Precision::Int8),
        Some(Encoding::I16) => Some(Precision::Int16),
        _ => None,
    };
    let decoding = DecoderDefaults {
        beam_size: Some(BEAM_SIZE),
        normalize: Some(LENGTH_PENALTY),
        precision,
        ..DecoderDefaults::default()
    };
    let config = Config {
        source_words: network.source_words,
        target_words: network.target_words,
        end_of_sentence: ids.end,
        never: ids.never,
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding,
        architecture: Architecture::Transformer(network.config),
    };
    Ok((config, Weights::new(variables.path(), tensors.0)))
}

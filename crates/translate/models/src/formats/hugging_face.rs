//! Hugging Face's directories of MarianMT, M2M-100, NLLB-200, SMaLL-100 and mBART-50: `config.json` and
//! `model.safetensors` or `pytorch_model.bin`, whole or in shards.
//!
//! Their tensors are Marian's under other names, with matrices turned (`outputs × inputs`) and vectors of one
//! dimension. The vocabulary of MarianMT has one more word, `<pad>`, from which decoding starts. Its embedding is
//! mostly zeros, which is Marian's start from a zero vector; a model that was trained further may have other numbers
//! there.

mod languages;
mod names;
mod t5;

use super::{pytorch, safetensors};
use crate::buffer::{Buffer, Slice};
use crate::config::hugging_face::{Family, Generation, Settings};
use crate::config::{Architecture, LanguageWords, Positions};
use crate::files::{NamedLanguages, check_file};
use crate::stored::{Encoding, StoredTensor};
use crate::transformer::position_vectors;
use crate::{Config, ModelError, Weights};
pub(crate) use languages::in_list as language_words;
use metaphrase_base::inside;
use names::{as_marian, canonical};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The bias of a word that has no probability: far below all others, but still a number, so that zero times
/// it is zero.
const NO_PROBABILITY: f32 = -1e9;

/// Stored tables of positions come from computations in various precisions, or were rounded to 16 bits.
const POSITION_TOLERANCE: f32 = 2e-3;

const SHARED: &str = "model.shared.weight";
const ENCODER_TABLE: &str = "model.encoder.embed_tokens.weight";
const DECODER_TABLE: &str = "model.decoder.embed_tokens.weight";
const OUTPUT_TABLE: &str = "lm_head.weight";
const ENCODER_POSITIONS: &str = "model.encoder.embed_positions.weight";
const DECODER_POSITIONS: &str = "model.decoder.embed_positions.weight";

/// The first rows of mBART's tables of positions, which no word has.
const UNUSED_POSITIONS: usize = 2;

/// The canonical name of the output layer's bias.
const OUTPUT_BIAS: &str = "decoder_ff_logit_out_b";

/// Reads the model in `directory`.
pub(crate) fn read(directory: &Path) -> Result<(Config, Weights), ModelError> {
    let path = directory.join("config.json");
    let json = std::fs::read(&path).map_err(|e| ModelError::io(&path, "read", e))?;
    let family = Family::from_json(&path, &json)?;
    let mut tensors = BTreeMap::new();
    for shard in shards(directory)? {
        check_file(&shard)?;
        let bytes = Slice::whole(Buffer::map(&shard)?);
        let is_pytorch = shard.extension().is_some_and(|extension| extension == "bin");
        tensors.extend(if is_pytorch { pytorch::read(&shard, &bytes)? } else { safetensors::read(&shard, &bytes)? });
    }
    let whole = ["model.safetensors", "pytorch_model.bin"].map(|name| directory.join(name));
    let model = whole.iter().find(|path| path.is_file()).unwrap_or(&whole[0]);
    let (mut config, weights, own) = of_family(family, &path, &json, model, tensors)?;
    let generation = generation(directory)?.or(own.as_ref().map(|own| own.generation).unwrap_or_default());
    config.decoding = generation.defaults();
    match own {
        Some(_) if family == Family::Marian => config.languages = languages::pair(directory),
        Some(settings) => {
            config.language_words = Some(languages::words(directory, &settings, generation.forced_bos_token_id)?);
        }
        // Where there are several, their words are in the vocabulary (`<2de>`).
        None => config.language_words = Some(LanguageWords::in_vocabulary()),
    }
    Ok((config, weights))
}

/// What the settings in `directory` say about languages.
pub(crate) fn languages(directory: &Path) -> Result<NamedLanguages, ModelError> {
    let path = directory.join("config.json");
    let json = std::fs::read(&path).map_err(|e| ModelError::io(&path, "read", e))?;
    let none = NamedLanguages::default();
    Ok(match Family::from_json(&path, &json)? {
        Family::Marian => NamedLanguages { pair: languages::pair(directory), ..none },
        Family::T5 => NamedLanguages { words: Some(LanguageWords::in_vocabulary()), ..none },
        Family::M2m100 | Family::Mbart => {
            let settings = Settings::parse(&path, &json)?;
            let first = generation(directory)?.or(settings.generation).forced_bos_token_id;
            NamedLanguages { words: Some(languages::words(directory, &settings, first)?), ..none }
        }
    })
}

/// The model of a family, and the settings of all families but T5's.
fn of_family(
    family: Family,
    path: &Path,
    json: &[u8],
    model: &Path,
    tensors: BTreeMap<String, StoredTensor>,
) -> Result<(Config, Weights, Option<Settings>), ModelError> {
    if family == Family::T5 {
        let (config, weights) = t5::model(path, model, &crate::config::t5::Settings::parse(path, json)?, tensors)?;
        return Ok((config, weights, None));
    }
    let settings = Settings::parse(path, json)?;
    let (config, weights) = model_of(path, model, &settings, tensors)?;
    Ok((config, weights, Some(settings)))
}

/// The model from its settings and tensors in one file.
pub(crate) fn model(path: &Path, json: &[u8], tensors: &Slice) -> Result<(Config, Weights), ModelError> {
    let (config, weights, _) =
        of_family(Family::from_json(path, json)?, path, json, path, safetensors::read(path, tensors)?)?;
    Ok((config, weights))
}

/// Newer models keep recommendations in a file of their own.
fn generation(directory: &Path) -> Result<Generation, ModelError> {
    let path = directory.join("generation_config.json");
    if !path.is_file() {
        return Ok(Generation::default());
    }
    let json = std::fs::read(&path).map_err(|e| ModelError::io(&path, "read", e))?;
    serde_json::from_slice(&json).map_err(|e| ModelError::settings(&path, format!("can not be read: {e}")))
}

/// The files that hold the tensors.
fn shards(directory: &Path) -> Result<Vec<PathBuf>, ModelError> {
    #[derive(Deserialize)]
    struct Index {
        weight_map: BTreeMap<String, String>,
    }
    const WHOLE: [&str; 2] = ["model.safetensors", "pytorch_model.bin"];
    const INDICES: [&str; 2] = ["model.safetensors.index.json", "pytorch_model.bin.index.json"];
    let files = |names: [&str; 2]| names.map(|name| directory.join(name)).into_iter().find(|path| path.is_file());
    if let Some(whole) = files(WHOLE) {
        return Ok(vec![whole]);
    }
    let Some(index) = files(INDICES) else {
        let problem = "it has a `config.json`, but no `model.safetensors` or `pytorch_model.bin`";
        return Err(ModelError::settings(directory, problem));
    };
    let json = std::fs::read(&index).map_err(|e| ModelError::io(&index, "read", e))?;
    let index: Index =
        serde_json::from_slice(&json).map_err(|e| ModelError::settings(&index, format!("can not be read: {e}")))?;
    let files: BTreeSet<String> = index.weight_map.into_values().collect();
    let shard = |file: &String| {
        let problem = || ModelError::settings(directory, format!("the shard `{file}` is not in the directory"));
        inside(directory, Path::new(file)).ok_or_else(problem)
    };
    files.iter().map(shard).collect()
}

/// Settings and canonical tensors from the stored ones.
fn model_of(
    settings_path: &Path,
    path: &Path,
    settings: &Settings,
    mut stored: BTreeMap<String, StoredTensor>,
) -> Result<(Config, Weights), ModelError> {
    let positions = positions(path, settings, &mut stored)?;
    name_tied_tables(settings, &mut stored);
    let output_is_table = settings.tie_word_embeddings || !stored.contains_key(OUTPUT_TABLE);
    let mut config = settings.config(settings_path, positions, output_is_table)?;
    let mut tensors = BTreeMap::new();
    for (name, tensor) in stored {
        if let Some(name) = canonical(&name, settings, output_is_table) {
            tensors.insert(name.clone(), as_marian(&name, tensor));
        }
    }
    let table = if settings.share_encoder_decoder_embeddings { "Wemb" } else { "decoder_Wemb" };
    let pad = settings.pad_token_id as usize;
    let is_marian = settings.family() == Family::Marian;
    if let Architecture::Transformer(network) = &mut config.architecture {
        network.start_word =
            if is_marian { start_word(path, table, &tensors, settings)? } else { Some(settings.start_word()) };
        network.output_bias = is_marian || tensors.contains_key(OUTPUT_BIAS);
    }
    if is_marian {
        mask_padding(path, &mut tensors, pad, config.target_words)?;
    }
    Ok((config, Weights::new(path, tensors)))
}

/// A file holds one copy of tied tables, under any of their names.
fn name_tied_tables(settings: &Settings, stored: &mut BTreeMap<String, StoredTensor>) {
    let (first, others) = match (settings.share_encoder_decoder_embeddings, settings.tie_word_embeddings) {
        (true, true) => (SHARED, &[ENCODER_TABLE, DECODER_TABLE, OUTPUT_TABLE][..]),
        (true, false) => (SHARED, &[ENCODER_TABLE, DECODER_TABLE][..]),
        (false, true) => (DECODER_TABLE, &[OUTPUT_TABLE][..]),
        (false, false) => return,
    };
    if !stored.contains_key(first)
        && let Some(table) = others.iter().find_map(|&name| stored.get(name).cloned())
    {
        stored.insert(first.into(), table);
    }
}

/// The word that decoding starts from, unless its embedding is zeros, from which all our models start.
fn start_word(
    path: &Path,
    table: &str,
    tensors: &BTreeMap<String, StoredTensor>,
    settings: &Settings,
) -> Result<Option<u32>, ModelError> {
    let missing = || ModelError::MissingTensor { path: path.to_owned(), tensor: table.to_owned() };
    let stored = tensors.get(table).ok_or_else(missing)?;
    let [rows, cols] = stored.shape[..] else { return Err(ModelError::tensor(path, table, "is not a matrix")) };
    let start = settings.start_word();
    for (name, word) in [("pad_token_id", settings.pad_token_id), ("decoder_start_token_id", start)] {
        if word as usize >= rows {
            return Err(ModelError::tensor(path, table, format!("has {rows} rows and none for {name} {word}")));
        }
    }
    let numbers = stored.to_f32();
    let vector = &numbers[start as usize * cols..][..cols];
    Ok(vector.iter().any(|&number| number != 0.0).then_some(start))
}

/// Takes `<pad>` out of the softmax, as Marian, which does not have the word, does.
fn mask_padding(
    path: &Path,
    tensors: &mut BTreeMap<String, StoredTensor>,
    pad: usize,
    words: usize,
) -> Result<(), ModelError> {
    let mut bias = match tensors.get(OUTPUT_BIAS) {
        Some(bias) => bias.to_f32().into_owned(),
        None => vec![0.0; words],
    };
    let length = bias.len();
    let too_short =
        || ModelError::tensor(path, OUTPUT_BIAS, format!("has {length} numbers and none for pad_token_id {pad}"));
    *bias.get_mut(pad).ok_or_else(too_short)? = NO_PROBABILITY;
    let bytes = Slice::whole(Buffer::Floats(bias));
    let bias = StoredTensor { shape: vec![1, length], encoding: Encoding::F32, transposed: false, scales: None, bytes };
    tensors.insert(OUTPUT_BIAS.into(), bias);
    Ok(())
}

/// How the network knows positions. Tables of MarianMT, where they are stored, must be the sinusoids that the
/// architecture computes; those of mBART lose the rows that no word has.
fn positions(
    path: &Path,
    settings: &Settings,
    stored: &mut BTreeMap<String, StoredTensor>,
) -> Result<Positions, ModelError> {
    let tables = [ENCODER_POSITIONS, DECODER_POSITIONS];
    match settings.family() {
        // T5 does not come here.
        Family::Marian | Family::T5 => {
            let mut positions = Positions::SinusoidalHuggingFace;
            for name in tables {
                let Some(table) = stored.remove(name) else { continue };
                let kinds = [Positions::SinusoidalHuggingFace, Positions::SinusoidalMarian];
                let Some(kind) = kinds.into_iter().find(|kind| is_sinusoid(&table, *kind)) else {
                    let advice = "only sinusoids of MarianMT and Marian are";
                    return Err(ModelError::unsupported(path, format!("the table of positions `{name}`"), advice));
                };
                positions = kind;
            }
            Ok(positions)
        }
        Family::M2m100 => {
            tables.iter().for_each(|name| drop(stored.remove(*name)));
            // Words come after the position of padding, which no word has.
            Ok(Positions::SinusoidalShifted { offset: settings.pad_token_id as usize + 1 })
        }
        Family::Mbart => {
            for name in tables {
                if let Some(table) = stored.get_mut(name) {
                    *table = without_unused(path, name, table)?;
                }
            }
            Ok(Positions::TrainedBySide)
        }
    }
}

/// A table of positions without its unused rows.
fn without_unused(path: &Path, name: &str, table: &StoredTensor) -> Result<StoredTensor, ModelError> {
    let bytes = table.bytes.bytes().len();
    match table.shape[..] {
        [rows, dim] if rows > UNUSED_POSITIONS => {
            let unused = UNUSED_POSITIONS * dim * table.encoding.width();
            let rest = table.bytes.part(unused..bytes);
            let rest = rest.ok_or_else(|| ModelError::tensor(path, name, "it is shorter than its shape says"))?;
            Ok(StoredTensor { shape: vec![rows - UNUSED_POSITIONS, dim], bytes: rest, ..table.clone() })
        }
        _ => Err(ModelError::tensor(path, name, "it is no table of three or more positions")),
    }
}

/// Whether a table of positions has these sinusoids.
fn is_sinusoid(table: &StoredTensor, kind: Positions) -> bool {
    let [rows, dim] = table.shape[..] else { return false };
    if dim % 2 != 0 {
        return false;
    }
    let Some(expected) = position_vectors(kind, dim, rows) else { return false };
    let near = |(value, expected): (&f32, &f32)| (value - expected).abs() <= POSITION_TOLERANCE;
    table.to_f32().iter().zip(expected.as_slice()).all(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinusoids_are_recognised() {
        let table = |data: [f32; 4]| {
            let bytes = Slice::whole(Buffer::Floats(data.to_vec()));
            StoredTensor { shape: vec![2, 2], encoding: Encoding::F32, transposed: false, scales: None, bytes }
        };
        assert!(is_sinusoid(&table([0.0, 1.0, 0.8415, 0.5403]), Positions::SinusoidalHuggingFace));
        assert!(!is_sinusoid(&table([0.0, 1.0, 0.8, 0.5403]), Positions::SinusoidalHuggingFace));
    }
}

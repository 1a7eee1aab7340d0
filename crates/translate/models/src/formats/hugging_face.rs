//! Hugging Face's MarianMT directories: `config.json` and `model.safetensors` or `pytorch_model.bin`, whole or in
//! shards.
//!
//! Their tensors are Marian's under other names, with matrices turned (`outputs × inputs`) and vectors of one
//! dimension. The vocabulary has one more word, `<pad>`, from which decoding starts. Its embedding is mostly zeros,
//! which is Marian's start from a zero vector; a model that was trained further may have other numbers there.

use super::{pytorch, safetensors};
use crate::buffer::{Buffer, Slice};
use crate::config::hugging_face::{Generation, Settings};
use crate::config::{Architecture, Positions};
use crate::files::check_file;
use crate::stored::{Encoding, StoredTensor};
use crate::{Config, ModelError, Weights};
use metaphrase_base::inside;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The bias of a word that has no probability: far below all others, but still a number, so that zero times
/// it is zero.
const NO_PROBABILITY: f32 = -1e9;

/// Stored tables of positions come from computations in various precisions, or were rounded to 16 bits.
const POSITION_TOLERANCE: f64 = 2e-3;

const SHARED: &str = "model.shared.weight";
const ENCODER_TABLE: &str = "model.encoder.embed_tokens.weight";
const DECODER_TABLE: &str = "model.decoder.embed_tokens.weight";
const OUTPUT_TABLE: &str = "lm_head.weight";

/// The canonical name of the output layer's bias.
const OUTPUT_BIAS: &str = "decoder_ff_logit_out_b";

/// Reads the model in `directory`.
pub(crate) fn read(directory: &Path) -> Result<(Config, Weights), ModelError> {
    let path = directory.join("config.json");
    let json = std::fs::read(&path).map_err(|e| ModelError::io(&path, "read", e))?;
    let settings = Settings::parse(&path, &json)?;
    let mut tensors = BTreeMap::new();
    for shard in shards(directory)? {
        check_file(&shard)?;
        let bytes = Slice::whole(Buffer::map(&shard)?);
        let is_pytorch = shard.extension().is_some_and(|extension| extension == "bin");
        tensors.extend(if is_pytorch { pytorch::read(&shard, &bytes)? } else { safetensors::read(&shard, &bytes)? });
    }
    let whole = ["model.safetensors", "pytorch_model.bin"].map(|name| directory.join(name));
    let model = whole.iter().find(|path| path.is_file()).unwrap_or(&whole[0]);
    let (mut config, weights) = model_of(&path, model, &settings, tensors)?;
    config.decoding = generation(directory)?.or(settings.generation).defaults();
    config.languages = languages(directory);
    Ok((config, weights))
}

/// The languages that the tokeniser's settings name, if they name them.
fn languages(directory: &Path) -> Option<[String; 2]> {
    #[derive(Deserialize)]
    struct Tokenizer {
        source_lang: String,
        target_lang: String,
    }
    let json = std::fs::read(directory.join("tokenizer_config.json")).ok()?;
    let Tokenizer { source_lang, target_lang } = serde_json::from_slice(&json).ok()?;
    Some([source_lang, target_lang])
}

/// The model from its settings and tensors in one file.
pub(crate) fn model(path: &Path, json: &[u8], tensors: &Slice) -> Result<(Config, Weights), ModelError> {
    let settings = Settings::parse(path, json)?;
    model_of(path, path, &settings, safetensors::read(path, tensors)?)
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
    let positions = positions(path, &mut stored)?;
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
    if let Architecture::Transformer(network) = &mut config.architecture {
        network.start_word = start_word(path, table, &tensors, settings)?;
    }
    mask_padding(path, &mut tensors, pad, config.target_words)?;
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

/// Tables of positions, where they are stored, must be the sinusoids that the architecture computes.
fn positions(path: &Path, stored: &mut BTreeMap<String, StoredTensor>) -> Result<Positions, ModelError> {
    for name in ["model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"] {
        if let Some(table) = stored.remove(name)
            && !is_sinusoid(&table)
        {
            let advice = "only MarianMT's sinusoids are";
            return Err(ModelError::unsupported(path, format!("the table of positions `{name}`"), advice));
        }
    }
    Ok(Positions::SinusoidalHuggingFace)
}

fn is_sinusoid(table: &StoredTensor) -> bool {
    let [_, dim] = table.shape[..] else { return false };
    if dim % 2 != 0 {
        return false;
    }
    let half = dim / 2;
    table.to_f32().iter().enumerate().all(|(at, &value)| {
        let (position, k) = (at / dim, at % dim);
        let angle = position as f64 * 10000_f64.powf(-2.0 * (k % half) as f64 / dim as f64);
        let expected = if k < half { angle.sin() } else { angle.cos() };
        (f64::from(value) - expected).abs() <= POSITION_TOLERANCE
    })
}

/// Matrices turned, vectors as one row; embedding tables and the output layer are `words × dimension` in both.
fn as_marian(name: &str, mut tensor: StoredTensor) -> StoredTensor {
    match tensor.shape[..] {
        [length] => tensor.shape = vec![1, length],
        [outputs, inputs] if !name.ends_with("Wemb") && !name.ends_with("_Wt") && name != OUTPUT_BIAS => {
            tensor.shape = vec![inputs, outputs];
            tensor.transposed = true;
        }
        _ => {}
    }
    tensor
}

/// The canonical name of a tensor; `None` for copies of tied tables and for arrays that are not tensors of the model.
fn canonical(name: &str, settings: &Settings, output_is_table: bool) -> Option<String> {
    let shared = settings.share_encoder_decoder_embeddings;
    match name {
        SHARED => return shared.then(|| "Wemb".into()),
        ENCODER_TABLE => return (!shared).then(|| "encoder_Wemb".into()),
        DECODER_TABLE => return (!shared).then(|| "decoder_Wemb".into()),
        OUTPUT_TABLE => return (!output_is_table).then(|| "decoder_ff_logit_out_Wt".into()),
        "final_logits_bias" => return Some(OUTPUT_BIAS.into()),
        _ => {}
    }
    let (side, rest) = name.strip_prefix("model.")?.split_once(".layers.")?;
    let (layer, rest) = rest.split_once('.')?;
    let layer = layer.parse::<usize>().ok()?.checked_add(1)?;
    let part = match rest.rsplit_once('.')? {
        ("fc1", "weight") => "ffn_W1".to_owned(),
        ("fc1", "bias") => "ffn_b1".to_owned(),
        ("fc2", "weight") => "ffn_W2".to_owned(),
        ("fc2", "bias") => "ffn_b2".to_owned(),
        ("final_layer_norm", kind) => format!("ffn_ffn_{}", normalisation(kind)?),
        ("self_attn_layer_norm", kind) => format!("self_Wo_{}", normalisation(kind)?),
        ("encoder_attn_layer_norm", kind) => format!("context_Wo_{}", normalisation(kind)?),
        (projection, kind) => attention(projection, kind)?,
    };
    Some(format!("{side}_l{layer}_{part}"))
}

/// `self_attn.q_proj`, `weight` is `self_Wq`.
fn attention(projection: &str, kind: &str) -> Option<String> {
    let (block, projection) = projection.split_once('.')?;
    let block = match block {
        "self_attn" => "self",
        "encoder_attn" => "context",
        _ => return None,
    };
    let letter = match projection {
        "q_proj" => 'q',
        "k_proj" => 'k',
        "v_proj" => 'v',
        "out_proj" => 'o',
        _ => return None,
    };
    let kind = match kind {
        "weight" => 'W',
        "bias" => 'b',
        _ => return None,
    };
    Some(format!("{block}_{kind}{letter}"))
}

fn normalisation(kind: &str) -> Option<&'static str> {
    match kind {
        "weight" => Some("ln_scale"),
        "bias" => Some("ln_bias"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_become_canonical() {
        let settings = Settings::default();
        for (stored, expected) in [
            ("model.shared.weight", Some("Wemb")),
            ("lm_head.weight", None),
            ("model.decoder.embed_tokens.weight", None),
            ("model.encoder.layers.0.self_attn.out_proj.bias", Some("encoder_l1_self_bo")),
            ("model.decoder.layers.11.encoder_attn.q_proj.weight", Some("decoder_l12_context_Wq")),
            ("model.decoder.layers.0.encoder_attn_layer_norm.bias", Some("decoder_l1_context_Wo_ln_bias")),
            ("model.encoder.layers.2.fc2.weight", Some("encoder_l3_ffn_W2")),
            ("model.encoder.layers.2.final_layer_norm.weight", Some("encoder_l3_ffn_ffn_ln_scale")),
            ("model.encoder.layers.x.fc2.weight", None),
            ("model.encoder.layernorm_embedding.weight", None),
        ] {
            assert_eq!(canonical(stored, &settings, true).as_deref(), expected, "{stored}");
        }
    }

    #[test]
    fn sinusoids_are_recognised() {
        let table = |data: [f32; 4]| {
            let bytes = Slice::whole(Buffer::Floats(data.to_vec()));
            StoredTensor { shape: vec![2, 2], encoding: Encoding::F32, transposed: false, scales: None, bytes }
        };
        assert!(is_sinusoid(&table([0.0, 1.0, 0.8415, 0.5403])));
        assert!(!is_sinusoid(&table([0.0, 1.0, 0.8, 0.5403])));
    }
}

//! Directories of Marian: `model.npz` with its settings, `decoder.yml`, vocabularies.

use super::npz::{self, Array};
use super::{ExportedModel, filled, pieces};
use crate::config::{Activation, Architecture, DecoderLayer, Operation, Positions, TransformerConfig};
use crate::formats::directory::StoredPrecision;
use crate::{Config, ModelError};
use std::fmt::Write;
use std::path::Path;

/// ε of Marian is 1e-6; up to ten times of it changes no translation.
const GREATEST_EPSILON: f32 = 1.1e-5;

/// Writes the files of a directory.
pub(super) fn write(model: &ExportedModel<'_>, folder: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    let other = precision != StoredPrecision::F32;
    let what = "a precision other than f32 in a model for Marian";
    ModelError::refuse(model.path(), &[(other, what, "convert it with marian-conv afterwards")])?;
    let settings = settings(model.config, network(model, "Marian")?)?;
    let names = vocabularies(model, folder)?;
    let path = folder.join("decoder.yml");
    std::fs::write(&path, decoder_yml(model.config, "model.npz", &names))
        .map_err(|e| ModelError::io(&path, "write", e))?;
    let bytes = settings.into_bytes().into_iter().chain([0]).collect::<Vec<u8>>();
    let settings = Array { name: "special:model.yml".into(), kind: "|i1", shape: vec![bytes.len()], bytes };
    let mut arrays = vec![settings];
    for (name, shape) in model.weights.expected(model.config) {
        let numbers = model.weights.numbers(&name, shape)?;
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        arrays.push(Array { name, kind: "<f4", shape: shape.to_vec(), bytes });
    }
    npz::write(&folder.join("model.npz"), arrays.into_iter())
}

/// The settings of a network that Marian computes, too. `program`: the one that the model is written for, which has
/// Marian's networks.
pub(super) fn network<'a>(model: &ExportedModel<'a>, program: &str) -> Result<&'a TransformerConfig, ModelError> {
    let Architecture::Transformer(network) = &model.config.architecture else {
        let what = format!("a recurrent network in a model for {program}");
        return Err(ModelError::unsupported(model.path(), what, "it must be a Transformer"));
    };
    check(model, network, program)?;
    Ok(network)
}

/// Refuses what Marian computes otherwise.
fn check(model: &ExportedModel<'_>, network: &TransformerConfig, program: &str) -> Result<(), ModelError> {
    let marian_positions = match network.positions {
        Positions::SinusoidalMarian => network.scale_embeddings,
        Positions::Trained | Positions::None => !network.scale_embeddings,
        _ => false,
    };
    let attends = network.decoder_layer == DecoderLayer::SelfAttention;
    let normalises = [Operation::LayerNorm, Operation::RmsNorm].iter().any(|norm| network.preprocess.0.contains(norm));
    let starts = network.start_word.is_some() || network.source_start.is_some() || network.source_without_end;
    let refused = [
        (
            attends && normalises && network.normalised_keys,
            "a decoder that makes its keys of normalised inputs (pre-norm models are trained so here)",
            "Marian makes them of inputs before their normalisation when it translates",
        ),
        (!marian_positions, "positions or scales of embeddings of another kind", "they must be those of Marian"),
        (starts, "a word before the first one, or sentences without their end", "Marian starts from zeros"),
        (network.gated_ffn || network.dim_head.is_some(), "gates or heads of a size of their own", "Marian has none"),
        (network.activation == Activation::GeluTanh, "gelu by tanh", "it can be relu, swish, gelu or sigmoid"),
        (network.layer_norm_epsilon > GREATEST_EPSILON, "a greater ε of normalisation than Marian's", "it is 1e-6"),
        (model.config.end_of_sentence != 0, "an end of sentence other than word 0", "Marian's vocabularies begin so"),
    ];
    let refused = refused.map(|(found, what, advice)| (found, format!("{what} in a model for {program}"), advice));
    let refused: Vec<_> = refused.iter().map(|(found, what, advice)| (*found, what.as_str(), *advice)).collect();
    ModelError::refuse(model.path(), &refused)
}

/// The text of `special:model.yml`.
pub(super) fn settings(config: &Config, network: &TransformerConfig) -> Result<String, ModelError> {
    let mut lines = vec![
        ("type", "transformer".to_owned()),
        ("dim-vocabs", format!("[{}, {}]", config.source_words, config.target_words)),
        ("dim-emb", network.dim_emb.to_string()),
        ("enc-depth", network.encoder_depth.to_string()),
        ("dec-depth", network.decoder_depth.to_string()),
        ("transformer-heads", network.heads.to_string()),
        ("transformer-dim-ffn", network.encoder_ffn.dim.to_string()),
        ("transformer-ffn-depth", network.encoder_ffn.depth.to_string()),
        ("transformer-decoder-dim-ffn", network.decoder_ffn.dim.to_string()),
        ("transformer-decoder-ffn-depth", network.decoder_ffn.depth.to_string()),
        ("transformer-ffn-activation", activation(network.activation).to_owned()),
        ("transformer-preprocess", quoted(&network.preprocess)),
        ("transformer-postprocess", quoted(&network.postprocess)),
        ("transformer-postprocess-emb", quoted(&network.postprocess_emb)),
        ("transformer-postprocess-top", quoted(&network.postprocess_top)),
        ("transformer-no-projection", (!network.attention_projection).to_string()),
        ("transformer-tied-layers", format!("{:?}", network.tied_layers)),
        ("transformer-guided-alignment-layer", network.alignment_layer.to_string()),
        ("transformer-train-position-embeddings", (network.positions == Positions::Trained).to_string()),
        ("transformer-disable-position-embeddings", (network.positions == Positions::None).to_string()),
        ("tied-embeddings-all", all_tied(network).to_string()),
        ("tied-embeddings-src", (network.tied_embeddings.source_target && !all_tied(network)).to_string()),
        ("tied-embeddings", (network.tied_embeddings.target_output && !all_tied(network)).to_string()),
        ("output-omit-bias", (!network.output_bias).to_string()),
        ("input-types", "[]".to_owned()),
        ("layer-normalization", "false".to_owned()),
        ("right-left", "false".to_owned()),
        ("skip", "false".to_owned()),
        ("ulr", "false".to_owned()),
        ("lemma-dim-emb", "0".to_owned()),
        ("factors-dim-emb", "0".to_owned()),
        ("factors-combine", "sum".to_owned()),
        ("bert-train-type-embeddings", "true".to_owned()),
        ("bert-type-vocab-size", "2".to_owned()),
        ("dim-rnn", "1024".to_owned()),
        ("enc-type", "bidirectional".to_owned()),
        ("enc-cell", "gru".to_owned()),
        ("enc-cell-depth", "1".to_owned()),
        ("dec-cell-base-depth", "2".to_owned()),
        ("dec-cell-high-depth", "1".to_owned()),
        ("version", "v1.12.0".to_owned()),
    ];
    lines.extend(so_far(&network.decoder_layer));
    let mut text = String::new();
    // Writing to a string can not fail.
    lines.iter().for_each(|(key, value)| _ = writeln!(text, "{key}: {value}"));
    Ok(text)
}

fn all_tied(network: &TransformerConfig) -> bool {
    network.tied_embeddings.source_target && network.tied_embeddings.target_output
}

fn quoted(operations: &crate::config::Operations) -> String {
    format!("\"{}\"", String::from(operations.clone()))
}

/// The settings of the part that looks at the translation so far.
fn so_far(layer: &DecoderLayer) -> Vec<(&'static str, String)> {
    let (kind, cell, projection) = match layer {
        DecoderLayer::SelfAttention => ("self-attention", "gru", false),
        DecoderLayer::Ssru { projection } => ("rnn", "ssru", *projection),
        DecoderLayer::AverageAttention(_) => ("average-attention", "gru", false),
    };
    let mut lines = vec![
        ("transformer-decoder-autoreg", kind.to_owned()),
        ("dec-cell", cell.to_owned()),
        ("transformer-rnn-projection", projection.to_string()),
    ];
    if let DecoderLayer::AverageAttention(average) = layer {
        lines.extend([
            ("transformer-dim-aan", average.ffn.dim.to_string()),
            ("transformer-aan-depth", average.ffn.depth.to_string()),
            ("transformer-aan-activation", activation(average.activation).to_owned()),
            ("transformer-aan-nogate", (!average.gate).to_string()),
        ]);
    }
    lines
}

fn activation(activation: Activation) -> &'static str {
    match activation {
        Activation::Relu => "relu",
        Activation::Swish => "swish",
        // Gelu by tanh has been refused.
        Activation::Gelu | Activation::GeluTanh => "gelu",
        Activation::Sigmoid => "sigmoid",
    }
}

/// Writes the vocabularies, and answers their names: SentencePiece models as they are, or lists next to them.
fn vocabularies(model: &ExportedModel<'_>, folder: &Path) -> Result<[String; 2], ModelError> {
    let sides = [&model.vocabularies.source, &model.vocabularies.target];
    let one = sides[0] == sides[1];
    if sides.iter().all(|files| files.segmenter.is_none() && pieces(files).is_some()) {
        let names = if one { ["vocab.spm"; 2] } else { ["source.spm", "target.spm"] };
        model.copy_pieces(folder, names)?;
        return Ok(names.map(str::to_owned));
    }
    let names = if one && model.shares_words() {
        ["vocab.yml".to_owned(), "vocab.yml".to_owned()]
    } else {
        ["vocab.src.yml".to_owned(), "vocab.trg.yml".to_owned()]
    };
    let (config, words) = (model.config, model.words);
    let lists = [(&words.source, config.source_words), (&words.target, config.target_words)];
    for (name, (words, count)) in names.iter().zip(lists) {
        let mut text = String::new();
        for (id, word) in filled(words, count).iter().enumerate() {
            // A string of JSON is one of YAML. Writing to a string can not fail.
            _ = writeln!(text, "{}: {id}", serde_json::json!(word));
        }
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| ModelError::io(&path, "write", e))?;
    }
    if sides.iter().all(|files| files.segmenter.is_some()) {
        model.copy_pieces(folder, ["source.spm", "target.spm"])?;
    }
    Ok(names)
}

/// The options of search, and which files belong together.
pub(super) fn decoder_yml(config: &Config, weights: &str, [source, target]: &[String; 2]) -> String {
    let decoding = &config.decoding;
    let mut text = format!("relative-paths: true\nmodels:\n  - {weights}\nvocabs:\n  - {source}\n  - {target}\n");
    let options = [
        ("beam-size", decoding.beam_size.map(|size| size.to_string())),
        ("normalize", decoding.normalize.map(|power| power.to_string())),
        ("word-penalty", decoding.word_penalty.map(|penalty| penalty.to_string())),
        ("max-length-factor", decoding.max_length_factor.map(|factor| factor.to_string())),
    ];
    for (key, value) in options.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        // Writing to a string can not fail.
        _ = writeln!(text, "{key}: {value}");
    }
    text
}

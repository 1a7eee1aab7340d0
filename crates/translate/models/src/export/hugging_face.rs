//! Directories of Hugging Face's MarianMT. Its ε of normalisation is 1e-5. The vocabulary has one more word, `<pad>`,
//! whose embedding is zeros, from which decoding starts.

use super::parts::{Attentive, Norm, Order, norm_of};
use super::{ExportedModel, filled, write_json};
use crate::ModelError;
use crate::config::{Activation, DecoderDefaults, Operation, Positions};
use crate::formats::directory::StoredPrecision;
use crate::formats::written::{self, Output};
use crate::parts::transformer::{Attention, Block, Dense, FeedForward, SoFar};
use crate::stored::transpose;
use crate::transformer::position_vectors;
use crate::weights::CheckedTensor;
use half::{bf16, f16};
use safetensors::Dtype;
use serde_json::json;
use std::path::Path;

const PROGRAM: &str = "MarianMT";

/// Rows of the tables of positions.
const POSITIONS: usize = 1024;

const PADDING: &str = "<pad>";

/// The bias of a word that has no probability.
const NO_PROBABILITY: f32 = -1e9;

/// ε of normalisation in MarianMT, and a little more.
const GREATEST_EPSILON: f32 = 1.1e-5;

type Tensor<'a> = CheckedTensor<'a>;

/// The words of both sides, as many on one as on the other.
struct Words {
    source: Vec<String>,
    target: Vec<String>,
    padding: usize,
}

/// Writes the files of a directory.
pub(super) fn write(model: &ExportedModel<'_>, folder: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    let network = Attentive::of(model, PROGRAM)?;
    let dtype = match precision {
        StoredPrecision::F32 => Dtype::F32,
        StoredPrecision::F16 => Dtype::F16,
        StoredPrecision::Bf16 => Dtype::BF16,
        StoredPrecision::Int8 => {
            let what = "int8 in a model for MarianMT";
            return Err(ModelError::unsupported(model.path(), what, "it can be f32, f16 or bf16"));
        }
    };
    check(model, &network)?;
    if !model.copy_pieces(folder, ["source.spm", "target.spm"])? {
        let what = "a vocabulary without SentencePiece models in a model for MarianMT";
        return Err(ModelError::unsupported(model.path(), what, "MarianMT divides text with them"));
    }
    let words = Words::of(model);
    let mut tensors = Tensors { dtype, list: Vec::new() };
    tensors.words(model, &network, &words)?;
    for (i, layer) in network.parts.encoder.layers.iter().enumerate() {
        let scope = format!("model.encoder.layers.{i}");
        tensors.attention(&format!("{scope}.self_attn"), &layer.attention);
        tensors.feed_forward(&scope, &layer.feed_forward);
    }
    for (i, &weights) in network.parts.order.iter().enumerate() {
        let (scope, layer) = (format!("model.decoder.layers.{i}"), &network.parts.decoder.layers[weights]);
        if let SoFar::Attention(attention) = &layer.so_far {
            tensors.attention(&format!("{scope}.self_attn"), attention);
        }
        tensors.attention(&format!("{scope}.encoder_attn"), &layer.context);
        tensors.feed_forward(&scope, &layer.feed_forward);
    }
    written::write(&folder.join("model.safetensors"), tensors.list, "pt")?;
    settings(model, &network, &words, dtype, folder)
}

/// Refuses what MarianMT computes otherwise.
fn check(model: &ExportedModel<'_>, network: &Attentive<'_>) -> Result<(), ModelError> {
    let settings = network.settings;
    let sinusoids = matches!(settings.positions, Positions::SinusoidalMarian | Positions::SinusoidalHuggingFace);
    let after = network.order == Order::After && network.norm == Operation::LayerNorm;
    let only = settings.postprocess_emb.0.is_empty() && settings.postprocess_top.0.is_empty();
    let starts = settings.source_start.is_some() || settings.source_without_end;
    let activation = matches!(settings.activation, Activation::Relu | Activation::Swish | Activation::Gelu);
    let refused = [
        (!after, "normalisation before each block", "MarianMT normalises after each block"),
        (!only, "normalisation of embeddings or after the last layer", "MarianMT has none"),
        (!sinusoids, "positions that are no sinusoids", "those of MarianMT are"),
        (starts, "a word before each source, or sources without their end", "MarianMT reads the end alone"),
        (!activation, "an activation of another kind", "it can be relu, swish or gelu"),
        (settings.layer_norm_epsilon > GREATEST_EPSILON, "a greater ε of normalisation", "that of MarianMT is 1e-5"),
    ];
    let refused = refused.map(|(found, what, advice)| (found, format!("{what} in a model for MarianMT"), advice));
    let refused: Vec<_> = refused.iter().map(|(found, what, advice)| (*found, what.as_str(), *advice)).collect();
    ModelError::refuse(model.path(), &refused)
}

impl Words {
    fn of(model: &ExportedModel<'_>) -> Self {
        let count = model.config.source_words.max(model.config.target_words);
        let mut source = filled(&model.words.source, count);
        let mut target = filled(&model.words.target, count);
        let place = |words: &[String]| words.iter().position(|word| word == PADDING);
        let padding = match (place(&source), place(&target)) {
            (Some(one), Some(other)) if one == other => one,
            _ => {
                source.push(PADDING.to_owned());
                target.push(PADDING.to_owned());
                count
            }
        };
        Self { source, target, padding }
    }
}

struct Tensors<'a> {
    dtype: Dtype,
    list: Vec<(String, Output<'a>)>,
}

impl Tensors<'_> {
    fn add(&mut self, name: String, shape: Vec<usize>, numbers: &[f32]) {
        let dtype = if shape.len() == 2 { self.dtype } else { Dtype::F32 };
        let bytes = match dtype {
            Dtype::F16 => numbers.iter().flat_map(|&number| f16::from_f32(number).to_le_bytes()).collect(),
            Dtype::BF16 => numbers.iter().flat_map(|&number| bf16::from_f32(number).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        self.list.push((name, Output::Bytes { shape, dtype, bytes }));
    }

    /// Embeddings, positions and the output layer. Words that the model does not have get zeros.
    fn words(&mut self, model: &ExportedModel<'_>, network: &Attentive<'_>, words: &Words) -> Result<(), ModelError> {
        let (tables, settings, count) = (&network.parts.words, network.settings, words.target.len());
        let mut table = |name: &str, tensor: &Tensor<'_>| {
            let mut numbers = tensor.numbers().into_owned();
            numbers.resize(count * settings.dim_emb, 0.0);
            self.add(name.to_owned(), vec![count, settings.dim_emb], &numbers);
        };
        if settings.tied_embeddings.source_target {
            table("model.shared.weight", &tables.source);
        } else {
            table("model.encoder.embed_tokens.weight", &tables.source);
            table("model.decoder.embed_tokens.weight", &tables.target);
        }
        if !settings.tied_embeddings.target_output {
            table("lm_head.weight", &tables.output);
        }
        let mut bias = match &tables.output_bias {
            Some(bias) => bias.numbers().into_owned(),
            None => vec![0.0; model.config.target_words],
        };
        bias.resize(count, NO_PROBABILITY);
        // Its settings forbid padding; a great number would be infinite in 16 bits.
        bias[words.padding] = 0.0;
        self.list.push(("final_logits_bias".to_owned(), floats(vec![1, count], &bias)));
        let vectors = position_vectors(settings.positions, settings.dim_emb, POSITIONS);
        for side in ["encoder", "decoder"] {
            let Some(vectors) = &vectors else { continue };
            let name = format!("model.{side}.embed_positions.weight");
            self.list.push((name, floats(vec![POSITIONS, settings.dim_emb], vectors.as_slice())));
        }
        Ok(())
    }

    fn map(&mut self, name: &str, map: &Dense<Tensor<'_>>) {
        let (inputs, outputs) = (map.w.rows(), map.w.cols());
        self.add(format!("{name}.weight"), vec![outputs, inputs], &transpose(&map.w.numbers(), inputs, outputs));
        let bias = map.b.as_ref().map_or_else(|| vec![0.0; outputs], |bias| bias.numbers().into_owned());
        self.add(format!("{name}.bias"), vec![outputs], &bias);
    }

    fn norm(&mut self, name: &str, norm: Option<Norm<'_, '_>>) {
        let Some((scale, Some(bias))) = norm else { return };
        self.add(format!("{name}.weight"), vec![scale.cols()], &scale.numbers());
        self.add(format!("{name}.bias"), vec![bias.cols()], &bias.numbers());
    }

    fn attention(&mut self, name: &str, block: &Block<Tensor<'_>, Attention<Tensor<'_>>>) {
        let body = &block.body;
        for (projection, map) in [("q_proj", &body.queries), ("k_proj", &body.keys), ("v_proj", &body.values)] {
            self.map(&format!("{name}.{projection}"), map);
        }
        if let Some(projection) = &body.projection {
            self.map(&format!("{name}.out_proj"), projection);
        }
        self.norm(&format!("{name}_layer_norm"), norm_of(block));
    }

    fn feed_forward(&mut self, name: &str, block: &Block<Tensor<'_>, FeedForward<Tensor<'_>>>) {
        for (i, map) in block.body.maps.iter().enumerate() {
            self.map(&format!("{name}.fc{}", i + 1), map);
        }
        self.norm(&format!("{name}.final_layer_norm"), norm_of(block));
    }
}

fn floats<'a>(shape: Vec<usize>, numbers: &[f32]) -> Output<'a> {
    Output::Bytes { shape, dtype: Dtype::F32, bytes: numbers.iter().flat_map(|number| number.to_le_bytes()).collect() }
}

/// The files of settings.
fn settings(
    model: &ExportedModel<'_>,
    network: &Attentive<'_>,
    words: &Words,
    dtype: Dtype,
    folder: &Path,
) -> Result<(), ModelError> {
    let (settings, end, padding) = (network.settings, model.config.end_of_sentence, words.padding);
    let activation = match settings.activation {
        Activation::Swish => "swish",
        Activation::Gelu => "gelu",
        _ => "relu",
    };
    let dtype = match dtype {
        Dtype::F16 => "float16",
        Dtype::BF16 => "bfloat16",
        _ => "float32",
    };
    let start = settings.start_word.map_or(padding, |word| word as usize);
    let count = words.target.len();
    let config = json!({
        "architectures": ["MarianMTModel"], "model_type": "marian", "is_encoder_decoder": true,
        "vocab_size": count, "decoder_vocab_size": count, "d_model": settings.dim_emb,
        "encoder_layers": settings.encoder_depth, "decoder_layers": settings.decoder_depth,
        "num_hidden_layers": settings.encoder_depth,
        "encoder_attention_heads": settings.heads, "decoder_attention_heads": settings.heads,
        "encoder_ffn_dim": settings.encoder_ffn.dim, "decoder_ffn_dim": settings.decoder_ffn.dim,
        "activation_function": activation, "scale_embedding": settings.scale_embeddings,
        "max_position_embeddings": POSITIONS, "static_position_embeddings": true,
        "normalize_before": false, "normalize_embedding": false, "add_final_layer_norm": false,
        "share_encoder_decoder_embeddings": settings.tied_embeddings.source_target,
        "tie_word_embeddings": settings.tied_embeddings.target_output,
        "bos_token_id": end, "eos_token_id": end, "forced_eos_token_id": end, "pad_token_id": padding,
        "decoder_start_token_id": start, "torch_dtype": dtype,
    });
    write_json(&folder.join("config.json"), &config)?;
    let DecoderDefaults { beam_size, normalize, .. } = model.config.decoding;
    let never: Vec<[usize; 1]> = model.config.never.iter().map(|&word| [word as usize]).collect();
    let never: Vec<_> = never.into_iter().filter(|word| *word != [padding]).chain([[padding]]).collect();
    let generation = json!({
        "bad_words_ids": never, "num_beams": beam_size.unwrap_or(6), "length_penalty": normalize.unwrap_or(1.0),
        "bos_token_id": end, "eos_token_id": end, "forced_eos_token_id": end, "pad_token_id": padding,
        "decoder_start_token_id": start, "max_length": 512,
    });
    write_json(&folder.join("generation_config.json"), &generation)?;
    tokenizer(model, words, folder)
}

/// The settings of the tokeniser, and the lists of words.
fn tokenizer(model: &ExportedModel<'_>, words: &Words, folder: &Path) -> Result<(), ModelError> {
    let end = model.config.end_of_sentence;
    let separate = words.source != words.target;
    let [source, target] = model.config.languages.clone().unwrap_or_default();
    let tokenizer = json!({
        "tokenizer_class": "MarianTokenizer", "separate_vocabs": separate, "source_lang": source,
        "target_lang": target, "model_max_length": 512,
        "eos_token": words.target[end as usize], "unk_token": "<unk>", "pad_token": PADDING,
    });
    write_json(&folder.join("tokenizer_config.json"), &tokenizer)?;
    let list = |words: &[String]| {
        let entries = words.iter().enumerate().map(|(id, word)| (word.clone(), json!(id)));
        serde_json::Value::Object(entries.collect())
    };
    write_json(&folder.join("vocab.json"), &list(&words.source))?;
    if separate {
        write_json(&folder.join("target_vocab.json"), &list(&words.target))?;
    }
    Ok(())
}

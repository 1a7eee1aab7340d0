//! Directories of CTranslate2: the opposite of [`crate::formats::ctranslate2`], described in
//! `docs/formats/ctranslate2.md`.

mod variables;

use super::parts::{Attentive, Order, norm, norm_of};
use super::{ExportedModel, filled, write_json};
use crate::ModelError;
use crate::config::{Activation, Positions, TransformerConfig};
use crate::formats::ctranslate2::{MODEL, SETTINGS};
use crate::formats::directory::StoredPrecision;
use crate::parts::transformer::{Attention, Block, FeedForward, Side, SoFar};
use crate::transformer::position_vectors;
use crate::weights::CheckedTensor;
use serde_json::json;
use std::path::Path;
use variables::Variables;

const PROGRAM: &str = "CTranslate2";

/// Rows of a table of positions. CTranslate2 reads sources of at most 1,024 words, unless an option changes that.
const POSITIONS: usize = 2048;

const START: &str = "<s>";
const END: &str = "</s>";
const UNKNOWN: &str = "<unk>";

type Tensor<'a> = CheckedTensor<'a>;

/// Writes the files of a directory.
pub(super) fn write(model: &ExportedModel<'_>, folder: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    let network = Attentive::of(model, PROGRAM)?;
    check(model, &network)?;
    let mut variables = Variables::new(precision);
    words(&network, &mut variables)?;
    let (encoder, decoder) = (&network.parts.encoder, &network.parts.decoder);
    for (i, layer) in encoder.layers.iter().enumerate() {
        let scope = format!("encoder/layer_{i}");
        self_attention(&mut variables, &format!("{scope}/self_attention"), &layer.attention)?;
        feed_forward(&mut variables, &format!("{scope}/ffn"), &layer.feed_forward)?;
    }
    for (i, &weights) in network.parts.order.iter().enumerate() {
        let (scope, layer) = (format!("decoder/layer_{i}"), &decoder.layers[weights]);
        if let SoFar::Attention(attention) = &layer.so_far {
            self_attention(&mut variables, &format!("{scope}/self_attention"), attention)?;
        }
        cross_attention(&mut variables, &format!("{scope}/attention"), &layer.context)?;
        feed_forward(&mut variables, &format!("{scope}/ffn"), &layer.feed_forward)?;
    }
    around(&mut variables, "encoder", encoder);
    around(&mut variables, "decoder", decoder);
    settings(&network, &mut variables);
    variables.write(&folder.join(MODEL))?;
    vocabularies(model, network.settings, folder)
}

/// Refuses what CTranslate2 computes otherwise.
fn check(model: &ExportedModel<'_>, network: &Attentive<'_>) -> Result<(), ModelError> {
    let settings = network.settings;
    let raw_keys = network.order == Order::Before
        && !settings.normalised_keys
        && !matches!(settings.positions, Positions::Relative { .. });
    let buckets = matches!(settings.positions, Positions::Buckets { .. });
    let refused = [
        (
            raw_keys,
            "a decoder that makes its keys of inputs before their normalisation in a model for CTranslate2",
            "convert it to a directory of Metaphrase, set `normalised-keys = true` in its config.toml if \
             translations as in training are wanted, and write that",
        ),
        (buckets, "numbers for buckets of distances in a model for CTranslate2", "use its own converter for T5"),
    ];
    ModelError::refuse(model.path(), &refused)
}

/// Embeddings, positions and the output layer.
fn words(network: &Attentive<'_>, to: &mut Variables) -> Result<(), ModelError> {
    let tables = &network.parts.words;
    to.table("encoder/embeddings_0/weight", &tables.source)?;
    to.table("decoder/embeddings/weight", &tables.target)?;
    to.table("decoder/projection/weight", &tables.output)?;
    if let Some(bias) = &tables.output_bias {
        to.vectors("decoder/projection/bias", &[Some(bias)], &[bias.cols()]);
    }
    let settings = network.settings;
    let sides = [("encoder", &network.parts.encoder.positions), ("decoder", &network.parts.decoder.positions)];
    for (side, trained) in sides {
        let name = format!("{side}/position_encodings/encodings");
        let dim = settings.dim_emb;
        match (trained, settings.positions) {
            (_, Positions::Relative { .. } | Positions::Buckets { .. }) => {}
            (Some(trained), _) => {
                // The last row serves all later positions.
                let mut numbers = trained.table.numbers().into_owned();
                let last = numbers[(trained.rows - 1) * dim..].to_vec();
                (trained.rows..POSITIONS).for_each(|_| numbers.extend_from_slice(&last));
                to.floats(&name, &[numbers.len() / dim, dim], &numbers);
            }
            (None, positions) => {
                let vectors = position_vectors(positions, dim, POSITIONS);
                let numbers = vectors.map_or_else(|| vec![0.0; POSITIONS * dim], |all| all.as_slice().to_vec());
                to.floats(&name, &[POSITIONS, dim], &numbers);
            }
        }
    }
    Ok(())
}

fn self_attention(
    to: &mut Variables,
    scope: &str,
    block: &Block<Tensor<'_>, Attention<Tensor<'_>>>,
) -> Result<(), ModelError> {
    let body = &block.body;
    to.maps(&format!("{scope}/linear_0"), &[&body.queries, &body.keys, &body.values])?;
    if let Some(projection) = &body.projection {
        to.maps(&format!("{scope}/linear_1"), &[projection])?;
    }
    if let Some(relative) = &body.relative {
        for (kind, table) in [("keys", &relative.keys), ("values", &relative.values)] {
            let name = format!("{scope}/relative_position_{kind}");
            to.floats(&name, &[table.rows(), table.cols()], &table.numbers());
        }
    }
    to.norm(&format!("{scope}/layer_norm"), norm_of(block));
    Ok(())
}

fn cross_attention(
    to: &mut Variables,
    scope: &str,
    block: &Block<Tensor<'_>, Attention<Tensor<'_>>>,
) -> Result<(), ModelError> {
    let body = &block.body;
    to.maps(&format!("{scope}/linear_0"), &[&body.queries])?;
    to.maps(&format!("{scope}/linear_1"), &[&body.keys, &body.values])?;
    if let Some(projection) = &body.projection {
        to.maps(&format!("{scope}/linear_2"), &[projection])?;
    }
    to.norm(&format!("{scope}/layer_norm"), norm_of(block));
    Ok(())
}

fn feed_forward(
    to: &mut Variables,
    scope: &str,
    block: &Block<Tensor<'_>, FeedForward<Tensor<'_>>>,
) -> Result<(), ModelError> {
    for (i, map) in block.body.maps.iter().enumerate() {
        to.maps(&format!("{scope}/linear_{i}"), &[map])?;
    }
    to.norm(&format!("{scope}/layer_norm"), norm_of(block));
    Ok(())
}

/// The normalisations of a side.
fn around<L>(to: &mut Variables, side: &str, parts: &Side<Tensor<'_>, L>) {
    to.norm(&format!("{side}/layernorm_embedding"), norm(&parts.after_embedding));
    to.norm(&format!("{side}/layer_norm"), norm(&parts.top));
}

/// Settings that are variables.
fn settings(network: &Attentive<'_>, to: &mut Variables) {
    let settings = network.settings;
    let activation = match settings.activation {
        Activation::Relu => 0,
        Activation::GeluTanh => 1,
        Activation::Swish => 2,
        Activation::Gelu => 3,
        Activation::Sigmoid => 6,
    };
    for side in ["encoder", "decoder"] {
        to.flag(&format!("{side}/pre_norm"), i8::from(network.order == Order::Before));
        to.flag(&format!("{side}/activation"), activation);
        to.flag(&format!("{side}/scale_embeddings"), i8::from(settings.scale_embeddings));
        to.short(&format!("{side}/num_heads"), settings.heads);
    }
    to.flag("encoder/embeddings_merge", 0);
    to.flag("decoder/start_from_zero_embedding", i8::from(settings.start_word.is_none()));
    to.short("decoder/alignment_layer", settings.alignment_layer - 1);
    to.short("decoder/alignment_heads", 1);
}

/// `config.json`, the lists of words, and what divides text into them.
fn vocabularies(model: &ExportedModel<'_>, settings: &TransformerConfig, folder: &Path) -> Result<(), ModelError> {
    let source = filled(&model.words.source, model.config.source_words);
    let target = filled(&model.words.target, model.config.target_words);
    let end = &target[model.config.end_of_sentence as usize];
    let has = |word: &str| source.iter().any(|known| known == word) && target.iter().any(|known| known == word);
    let advice = "CTranslate2 knows them by these names";
    let names = [
        (
            end != END || !has(END),
            "a vocabulary whose sentences do not end with `</s>` in a model for CTranslate2",
            advice,
        ),
        (!has(UNKNOWN), "a vocabulary without `<unk>` in a model for CTranslate2", advice),
    ];
    ModelError::refuse(model.path(), &names)?;
    let word = |id: u32, words: &[String]| words.get(id as usize).cloned().unwrap_or_default();
    let start = settings.start_word.map_or_else(|| END.to_owned(), |id| word(id, &target));
    let begin = settings.source_start.map(|id| word(id, &source));
    let config = json!({
        "unk_token": UNKNOWN,
        "bos_token": begin.clone().unwrap_or_else(|| START.to_owned()),
        "eos_token": END,
        "decoder_start_token": start,
        "add_source_bos": begin.is_some(),
        "add_source_eos": !settings.source_without_end,
        "layer_norm_epsilon": settings.layer_norm_epsilon,
        "multi_query_attention": false,
    });
    write_json(&folder.join(SETTINGS), &config)?;
    if source == target {
        write_json(&folder.join("shared_vocabulary.json"), &json!(target))?;
    } else {
        write_json(&folder.join("source_vocabulary.json"), &json!(source))?;
        write_json(&folder.join("target_vocabulary.json"), &json!(target))?;
    }
    let one = model.vocabularies.source == model.vocabularies.target;
    let names = if one { ["sentencepiece.model"; 2] } else { ["source.spm", "target.spm"] };
    model.copy_pieces(folder, names).map(|_| ())
}

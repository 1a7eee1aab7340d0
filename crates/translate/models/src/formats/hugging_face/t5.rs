//! The tensors of T5, mT5 and MADLAD-400.
//!
//! Their maps have no biases, which are zeros here; their queries are not divided by the root of a head's size, so the
//! map of queries is multiplied by it; and where the output layer is the table of words, its input is multiplied by
//! 1/√d, which the scale of the last normalisation takes over.

use super::names::turned;
use crate::buffer::{Buffer, Slice};
use crate::config::t5::Settings;
use crate::stored::{Encoding, StoredTensor};
use crate::{Config, ModelError, Weights};
use std::collections::BTreeMap;
use std::path::Path;

const SHARED: &str = "shared.weight";
const OUTPUT: &str = "lm_head.weight";

/// Settings and canonical tensors from the stored ones.
pub(super) fn model(
    settings_path: &Path,
    path: &Path,
    settings: &Settings,
    mut stored: BTreeMap<String, StoredTensor>,
) -> Result<(Config, Weights), ModelError> {
    if !stored.contains_key(SHARED)
        && let Some(table) =
            ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight"].iter().find_map(|name| stored.remove(*name))
    {
        stored.insert(SHARED.into(), table);
    }
    let scale = settings.output_scale();
    // A copy of the table of words.
    let output_is_table = scale != 1.0 || !stored.contains_key(OUTPUT);
    let config = settings.config(settings_path, output_is_table)?;
    let mut tensors = BTreeMap::new();
    for (name, tensor) in stored {
        let Some(name) = canonical(&name, output_is_table) else { continue };
        let tensor = as_ours(&name, tensor);
        let factor = if name.ends_with("_self_Wq") || name.ends_with("_context_Wq") {
            (settings.d_kv as f32).sqrt()
        } else if name == "decoder_top_rms_scale" {
            scale
        } else {
            1.0
        };
        if let Some(bias) = bias(&name) {
            let outputs = tensor.shape.last().copied().unwrap_or(0);
            tensors.insert(bias, floats(vec![1, outputs], vec![0.0; outputs]));
        }
        tensors.insert(name, if factor == 1.0 { tensor } else { scaled(&tensor, factor) });
    }
    Ok((config, Weights::new(path, tensors)))
}

/// The name of the bias of a map.
fn bias(name: &str) -> Option<String> {
    let (prefix, map) = name.rsplit_once("_W")?;
    matches!(map, "q" | "k" | "v" | "o" | "1" | "2" | "g").then(|| format!("{prefix}_b{map}"))
}

/// A tensor times a factor.
fn scaled(tensor: &StoredTensor, factor: f32) -> StoredTensor {
    let numbers = tensor.to_f32().iter().map(|number| number * factor).collect();
    floats(tensor.shape.clone(), numbers)
}

fn floats(shape: Vec<usize>, numbers: Vec<f32>) -> StoredTensor {
    let bytes = Slice::whole(Buffer::Floats(numbers));
    StoredTensor { shape, encoding: Encoding::F32, transposed: false, scales: None, bytes }
}

fn as_ours(name: &str, tensor: StoredTensor) -> StoredTensor {
    turned(tensor, ["Wemb", "_Wt", "_relative_bias"].iter().any(|end| name.ends_with(end)))
}

/// The canonical name of a tensor; `None` for copies and for arrays that are not tensors of the model.
fn canonical(name: &str, output_is_table: bool) -> Option<String> {
    match name {
        SHARED => return Some("Wemb".into()),
        OUTPUT => return (!output_is_table).then(|| "decoder_ff_logit_out_Wt".into()),
        _ => {}
    }
    let (side, rest) = name.split_once('.')?;
    if side != "encoder" && side != "decoder" {
        return None;
    }
    if rest == "final_layer_norm.weight" {
        return Some(format!("{side}_top_rms_scale"));
    }
    let mut parts = rest.strip_prefix("block.")?.strip_suffix(".weight")?.splitn(4, '.');
    let layer = parts.next()?.parse::<usize>().ok()?.checked_add(1)?;
    let (_, number, part) = (parts.next()?, parts.next()?, parts.next()?);
    let block = match (side, number) {
        (_, "0") => "self",
        ("decoder", "1") => "context",
        ("encoder", "1") | ("decoder", "2") => "ffn",
        _ => return None,
    };
    let own = match (block, part.split_once('.')) {
        ("ffn", None) if part == "layer_norm" => "ffn_rms_scale_pre",
        (_, None) if part == "layer_norm" => "Wo_rms_scale_pre",
        ("self", Some(("SelfAttention", "relative_attention_bias"))) => {
            return (layer == 1).then(|| format!("{side}_relative_bias"));
        }
        ("self", Some(("SelfAttention", map))) | ("context", Some(("EncDecAttention", map))) => match map {
            "q" => "Wq",
            "k" => "Wk",
            "v" => "Wv",
            "o" => "Wo",
            _ => return None,
        },
        ("ffn", Some(("DenseReluDense", "wi" | "wi_0"))) => "W1",
        ("ffn", Some(("DenseReluDense", "wi_1"))) => "Wg",
        ("ffn", Some(("DenseReluDense", "wo"))) => "W2",
        _ => return None,
    };
    Some(format!("{side}_l{layer}_{block}_{own}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_become_canonical() {
        for (stored, expected) in [
            ("shared.weight", Some("Wemb")),
            ("decoder.embed_tokens.weight", None),
            ("encoder.block.0.layer.0.SelfAttention.o.weight", Some("encoder_l1_self_Wo")),
            ("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", Some("encoder_relative_bias")),
            ("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", None),
            ("decoder.block.11.layer.1.EncDecAttention.q.weight", Some("decoder_l12_context_Wq")),
            ("decoder.block.1.layer.1.layer_norm.weight", Some("decoder_l2_context_Wo_rms_scale_pre")),
            ("encoder.block.1.layer.1.DenseReluDense.wi_1.weight", Some("encoder_l2_ffn_Wg")),
            ("decoder.block.1.layer.2.DenseReluDense.wo.weight", Some("decoder_l2_ffn_W2")),
            ("decoder.block.1.layer.2.layer_norm.weight", Some("decoder_l2_ffn_ffn_rms_scale_pre")),
            ("decoder.final_layer_norm.weight", Some("decoder_top_rms_scale")),
            ("lm_head.weight", None),
        ] {
            assert_eq!(canonical(stored, true).as_deref(), expected, "{stored}");
        }
        assert_eq!(canonical("lm_head.weight", false).as_deref(), Some("decoder_ff_logit_out_Wt"));
        assert_eq!(bias("encoder_l2_ffn_Wg").as_deref(), Some("encoder_l2_ffn_bg"));
        assert_eq!(bias("encoder_l1_self_Wo_rms_scale_pre"), None);
    }
}

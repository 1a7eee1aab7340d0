//! The names and layouts of the tensors of MarianMT and of its relatives: M2M-100, NLLB-200, mBART.

use super::{DECODER_POSITIONS, DECODER_TABLE, ENCODER_POSITIONS, ENCODER_TABLE, OUTPUT_BIAS, OUTPUT_TABLE, SHARED};
use crate::config::hugging_face::{Family, Settings};
use crate::stored::StoredTensor;

/// Embedding tables and the output layer are `words × dimension` in both.
pub(super) fn as_marian(name: &str, tensor: StoredTensor) -> StoredTensor {
    turned(tensor, ["Wemb", "_Wt", "Wpos"].iter().any(|end| name.ends_with(end)) || name == OUTPUT_BIAS)
}

/// Matrices turned, vectors as one row; tables stay as they are.
pub(super) fn turned(mut tensor: StoredTensor, is_table: bool) -> StoredTensor {
    match tensor.shape[..] {
        [length] => tensor.shape = vec![1, length],
        [outputs, inputs] if !is_table => {
            tensor.shape = vec![inputs, outputs];
            tensor.transposed = true;
        }
        _ => {}
    }
    tensor
}

/// The canonical name of a tensor; `None` for copies of tied tables and for arrays that are not tensors of the model.
pub(super) fn canonical(name: &str, settings: &Settings, output_is_table: bool) -> Option<String> {
    let (shared, family) = (settings.share_encoder_decoder_embeddings, settings.family());
    match name {
        SHARED => return shared.then(|| "Wemb".into()),
        ENCODER_TABLE => return (!shared).then(|| "encoder_Wemb".into()),
        DECODER_TABLE => return (!shared).then(|| "decoder_Wemb".into()),
        OUTPUT_TABLE => return (!output_is_table).then(|| "decoder_ff_logit_out_Wt".into()),
        "final_logits_bias" => return (family != Family::M2m100).then(|| OUTPUT_BIAS.into()),
        ENCODER_POSITIONS => return Some("encoder_Wpos".into()),
        DECODER_POSITIONS => return Some("decoder_Wpos".into()),
        _ => {}
    }
    let name = name.strip_prefix("model.")?;
    let Some((side, rest)) = name.split_once(".layers.") else { return side_norm(name) };
    let (layer, rest) = rest.split_once('.')?;
    let layer = layer.parse::<usize>().ok()?.checked_add(1)?;
    // Normalisations before a block have another name than those after it.
    let before = if family == Family::Marian { "" } else { "_pre" };
    let part = match rest.rsplit_once('.')? {
        ("fc1", "weight") => "ffn_W1".to_owned(),
        ("fc1", "bias") => "ffn_b1".to_owned(),
        ("fc2", "weight") => "ffn_W2".to_owned(),
        ("fc2", "bias") => "ffn_b2".to_owned(),
        ("final_layer_norm", kind) => format!("ffn_ffn_{}{before}", normalisation(kind)?),
        ("self_attn_layer_norm", kind) => format!("self_Wo_{}{before}", normalisation(kind)?),
        ("encoder_attn_layer_norm", kind) => format!("context_Wo_{}{before}", normalisation(kind)?),
        (projection, kind) => attention(projection, kind)?,
    };
    Some(format!("{side}_l{layer}_{part}"))
}

/// The normalisation of the embeddings or of the last layer of a side.
fn side_norm(name: &str) -> Option<String> {
    let (side, rest) = name.split_once('.')?;
    let (norm, kind) = rest.split_once('.')?;
    let kind = normalisation(kind)?;
    match norm {
        "layernorm_embedding" => Some(format!("{side}_emb_{kind}_pre")),
        "layer_norm" => Some(format!("{side}_top_{kind}")),
        _ => None,
    }
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
            ("model.encoder.layernorm_embedding.scale", None),
        ] {
            assert_eq!(canonical(stored, &settings, true).as_deref(), expected, "{stored}");
        }
        let mbart = Settings { model_type: "mbart".into(), ..Settings::default() };
        for (stored, expected) in [
            ("model.encoder.layers.2.final_layer_norm.weight", "encoder_l3_ffn_ffn_ln_scale_pre"),
            ("model.decoder.layers.0.self_attn_layer_norm.bias", "decoder_l1_self_Wo_ln_bias_pre"),
            ("model.encoder.layernorm_embedding.weight", "encoder_emb_ln_scale_pre"),
            ("model.decoder.layer_norm.bias", "decoder_top_ln_bias"),
            ("model.decoder.embed_positions.weight", "decoder_Wpos"),
        ] {
            assert_eq!(canonical(stored, &mbart, true).as_deref(), Some(expected), "{stored}");
        }
    }
}

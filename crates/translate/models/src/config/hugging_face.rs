//! Settings of Hugging Face's models, as their `config.json` has them.

use super::{
    Activation, Architecture, Config, DecoderDefaults, DecoderLayer, FeedForward, Operations, Positions,
    TiedEmbeddings, TransformerConfig,
};
use crate::ModelError;
use crate::config::operations::Operation;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

settings! {
    /// The keys of `config.json` that decoding depends on. Defaults are those of `MarianConfig`.
    pub(crate) struct Settings {
        model_type: String = "marian".into(),
        vocab_size: usize = 58101,
        decoder_vocab_size: Option<usize> = None,
        d_model: usize = 1024,
        encoder_layers: usize = 12,
        decoder_layers: usize = 12,
        encoder_attention_heads: usize = 16,
        decoder_attention_heads: usize = 16,
        encoder_ffn_dim: usize = 4096,
        decoder_ffn_dim: usize = 4096,
        activation_function: String = "gelu".into(),
        scale_embedding: bool = false,
        eos_token_id: u32 = 0,
        pad_token_id: u32 = 58100,
        decoder_start_token_id: Option<u32> = None,
        share_encoder_decoder_embeddings: bool = true,
        tie_word_embeddings: bool = true,
        normalize_before: bool = false,
        normalize_embedding: bool = false,
        add_final_layer_norm: bool = false,
        #[serde(flatten)]
        generation: Generation = Generation::default(),
    }
}

/// Recommendations for search, in `generation_config.json` or, in older models, `config.json`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Generation {
    num_beams: Option<usize>,
    length_penalty: Option<f32>,
    /// The first word of all translations, which names their language.
    pub(crate) forced_bos_token_id: Option<u32>,
}

/// The models that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// MarianMT.
    Marian,
    /// M2M-100, NLLB-200 and SMaLL-100.
    M2m100,
    /// mBART-50.
    Mbart,
    /// T5, mT5, MADLAD-400.
    T5,
}

impl Family {
    /// The family of a `model_type`.
    pub(crate) fn from_model_type(model_type: &str) -> Option<Self> {
        match model_type {
            "marian" => Some(Self::Marian),
            "m2m_100" => Some(Self::M2m100),
            "mbart" => Some(Self::Mbart),
            "t5" | "mt5" => Some(Self::T5),
            _ => None,
        }
    }

    /// The family that a `config.json` names.
    pub(crate) fn from_json(path: &Path, json: &[u8]) -> Result<Self, ModelError> {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(default)]
            model_type: Option<String>,
        }
        let kind: Kind =
            serde_json::from_slice(json).map_err(|e| ModelError::settings(path, format!("can not be read: {e}")))?;
        let model_type = kind.model_type.as_deref().unwrap_or("marian");
        Self::from_model_type(model_type).ok_or_else(|| {
            let what = format!("the model_type `{}`", model_type.chars().take(40).collect::<String>());
            ModelError::unsupported(path, what, "it can be marian, m2m_100, mbart, t5 or mt5")
        })
    }

    /// The settings that a file without them stands for, where they are not MarianMT's.
    fn defaults(self) -> Value {
        match self {
            Self::Marian | Self::T5 => json!({}),
            Self::M2m100 => json!({
                "vocab_size": 128_112, "activation_function": "relu", "scale_embedding": true,
                "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2,
            }),
            Self::Mbart => json!({
                "vocab_size": 50265, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2,
            }),
        }
    }
}

impl Settings {
    pub(crate) fn parse(path: &Path, json: &[u8]) -> Result<Self, ModelError> {
        let unreadable = |e: serde_json::Error| ModelError::settings(path, format!("can not be read: {e}"));
        let read: serde_json::Map<String, Value> = serde_json::from_slice(json).map_err(unreadable)?;
        let family = Family::from_json(path, json)?;
        let mut settings = family.defaults();
        if let Value::Object(settings) = &mut settings {
            settings.extend(read.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let settings = Self::deserialize(settings).map_err(unreadable)?;
        let heads = settings.encoder_attention_heads != settings.decoder_attention_heads;
        let marian = family == Family::Marian;
        let pre_norm = marian && (settings.normalize_before || settings.add_final_layer_norm);
        let refused = [
            (heads, "different numbers of heads in encoder and decoder", "they must be equal"),
            (pre_norm, "normalize_before", "MarianMT normalises after each block"),
            (marian && settings.normalize_embedding, "normalize_embedding", "MarianMT does not normalise embeddings"),
        ];
        ModelError::refuse(path, &refused)?;
        Ok(settings)
    }

    /// The family of the model.
    pub(crate) fn family(&self) -> Family {
        Family::from_model_type(&self.model_type).unwrap_or(Family::Marian)
    }

    /// The word that decoding starts from.
    pub(crate) fn start_word(&self) -> u32 {
        self.decoder_start_token_id.unwrap_or(self.pad_token_id)
    }

    /// The settings as a [`Config`]. `positions` have been found from the tensors.
    pub(crate) fn config(
        &self,
        path: &Path,
        positions: Positions,
        output_is_table: bool,
    ) -> Result<Config, ModelError> {
        let feed_forward = |dim| FeedForward { dim, depth: 2 };
        let target_words = match self.decoder_vocab_size {
            Some(words) if !self.share_encoder_decoder_embeddings => words,
            _ => self.vocab_size,
        };
        let family = self.family();
        let marian = family == Family::Marian;
        let norm_if = |present: bool| Operations(if present { vec![Operation::LayerNorm] } else { Vec::new() });
        let postprocess = if marian { vec![Operation::Add, Operation::LayerNorm] } else { vec![Operation::Add] };
        let transformer = TransformerConfig {
            dim_emb: self.d_model,
            heads: self.encoder_attention_heads,
            dim_head: None,
            encoder_depth: self.encoder_layers,
            decoder_depth: self.decoder_layers,
            encoder_ffn: feed_forward(self.encoder_ffn_dim),
            decoder_ffn: feed_forward(self.decoder_ffn_dim),
            activation: activation(path, &self.activation_function)?,
            gated_ffn: false,
            preprocess: norm_if(!marian),
            postprocess: Operations(postprocess),
            postprocess_emb: norm_if(family == Family::Mbart),
            postprocess_top: norm_if(!marian),
            decoder_layer: DecoderLayer::SelfAttention,
            tied_embeddings: TiedEmbeddings {
                source_target: self.share_encoder_decoder_embeddings,
                target_output: output_is_table,
            },
            tied_layers: Vec::new(),
            positions,
            scale_embeddings: self.scale_embedding,
            alignment_layer: self.decoder_layers,
            attention_projection: true,
            layer_norm_epsilon: 1e-5,
            output_bias: family != Family::M2m100,
            normalised_keys: !marian,
            start_word: None,
            source_start: None,
            source_without_end: false,
        };
        Ok(Config {
            source_words: self.vocab_size,
            target_words,
            end_of_sentence: self.eos_token_id,
            never: vec![if marian { super::marian::UNKNOWN } else { UNKNOWN }, self.pad_token_id],
            languages: None,
            language_words: None,
            inline_terms: None,
            unlearned_letters: String::new(),
            decoding: DecoderDefaults::default(),
            architecture: Architecture::Transformer(transformer),
        })
    }
}

/// The unknown word of models that come from fairseq.
const UNKNOWN: u32 = 3;

impl Generation {
    /// The recommendations here; those of `other` where one is missing here.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            num_beams: self.num_beams.or(other.num_beams),
            length_penalty: self.length_penalty.or(other.length_penalty),
            forced_bos_token_id: self.forced_bos_token_id.or(other.forced_bos_token_id),
        }
    }

    /// Hugging Face divides by length to the power of `length_penalty`, 1 by default.
    pub(crate) fn defaults(&self) -> DecoderDefaults {
        DecoderDefaults {
            beam_size: self.num_beams,
            normalize: Some(self.length_penalty.unwrap_or(1.0)),
            ..DecoderDefaults::default()
        }
    }
}

fn activation(path: &Path, name: &str) -> Result<Activation, ModelError> {
    match name {
        "relu" => Ok(Activation::Relu),
        "swish" | "silu" => Ok(Activation::Swish),
        "gelu" => Ok(Activation::Gelu),
        _ => {
            let advice = "it can be relu, swish, silu or gelu";
            Err(ModelError::unsupported(path, format!("activation_function `{name}`"), advice))
        }
    }
}

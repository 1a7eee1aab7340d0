//! Settings of Hugging Face's MarianMT models, as their `config.json` has them.

use super::{
    Activation, Architecture, Config, DecoderDefaults, DecoderLayer, FeedForward, Operations, Positions,
    TiedEmbeddings, TransformerConfig,
};
use crate::ModelError;
use crate::config::operations::Operation;
use serde::Deserialize;
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
}

impl Settings {
    pub(crate) fn parse(path: &Path, json: &[u8]) -> Result<Self, ModelError> {
        let settings: Self =
            serde_json::from_slice(json).map_err(|e| ModelError::settings(path, format!("can not be read: {e}")))?;
        let heads = settings.encoder_attention_heads != settings.decoder_attention_heads;
        let other = settings.model_type != "marian";
        let pre_norm = settings.normalize_before || settings.add_final_layer_norm;
        let refused = [
            (other, "a model_type other than marian", "of Hugging Face's models MarianMT can be read"),
            (heads, "different numbers of heads in encoder and decoder", "they must be equal"),
            (pre_norm, "normalize_before", "MarianMT normalises after each block"),
            (settings.normalize_embedding, "normalize_embedding", "MarianMT does not normalise embeddings"),
        ];
        ModelError::refuse(path, &refused)?;
        Ok(settings)
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
        let transformer = TransformerConfig {
            dim_emb: self.d_model,
            heads: self.encoder_attention_heads,
            encoder_depth: self.encoder_layers,
            decoder_depth: self.decoder_layers,
            encoder_ffn: feed_forward(self.encoder_ffn_dim),
            decoder_ffn: feed_forward(self.decoder_ffn_dim),
            activation: activation(path, &self.activation_function)?,
            preprocess: Operations::default(),
            postprocess: Operations(vec![Operation::Add, Operation::LayerNorm]),
            postprocess_emb: Operations::default(),
            postprocess_top: Operations::default(),
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
            output_bias: true,
            normalised_keys: false,
            start_word: None,
            source_start: None,
            source_without_end: false,
        };
        Ok(Config {
            source_words: self.vocab_size,
            target_words,
            end_of_sentence: self.eos_token_id,
            never: vec![super::marian::UNKNOWN, self.pad_token_id],
            languages: None,
            inline_terms: None,
            decoding: DecoderDefaults::default(),
            architecture: Architecture::Transformer(transformer),
        })
    }
}

impl Generation {
    /// The recommendations here; those of `other` where one is missing here.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            num_beams: self.num_beams.or(other.num_beams),
            length_penalty: self.length_penalty.or(other.length_penalty),
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

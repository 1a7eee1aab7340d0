//! Settings of T5 and of its relatives (mT5, MADLAD-400), as their `config.json` has them.

use super::{
    Activation, Architecture, Config, DecoderDefaults, DecoderLayer, FeedForward, Operation, Operations, Positions,
    TiedEmbeddings, TransformerConfig,
};
use crate::ModelError;
use std::path::Path;

settings! {
    /// The keys of `config.json` that decoding depends on. Defaults are those of `T5Config`.
    pub(crate) struct Settings {
        model_type: String = "t5".into(),
        vocab_size: usize = 32128,
        d_model: usize = 512,
        d_kv: usize = 64,
        d_ff: usize = 2048,
        num_layers: usize = 6,
        num_decoder_layers: Option<usize> = None,
        num_heads: usize = 8,
        relative_attention_num_buckets: usize = 32,
        relative_attention_max_distance: usize = 128,
        layer_norm_epsilon: f32 = 1e-6,
        feed_forward_proj: Option<String> = None,
        tie_word_embeddings: Option<bool> = None,
        scale_decoder_outputs: Option<bool> = None,
        pad_token_id: Option<u32> = None,
        eos_token_id: Option<u32> = None,
        decoder_start_token_id: Option<u32> = None,
    }
}

impl Settings {
    pub(crate) fn parse(path: &Path, json: &[u8]) -> Result<Self, ModelError> {
        serde_json::from_slice(json).map_err(|e| ModelError::settings(path, format!("can not be read: {e}")))
    }

    /// The factor of the input of the output layer, which is the table of words.
    pub(crate) fn output_scale(&self) -> f32 {
        // mT5 has an output layer of its own, whatever its settings say.
        let scaled = self.scale_decoder_outputs.or(self.tie_word_embeddings).unwrap_or(true);
        if scaled && self.model_type == "t5" { (self.d_model as f32).powf(-0.5) } else { 1.0 }
    }

    /// The settings as a [`Config`]; the output layer may be the table of words.
    pub(crate) fn config(&self, path: &Path, output_is_table: bool) -> Result<Config, ModelError> {
        let feed_forward = FeedForward { dim: self.d_ff, depth: 2 };
        let decoder_depth = self.num_decoder_layers.unwrap_or(self.num_layers);
        let usual = if self.model_type == "mt5" { "gated-gelu" } else { "relu" };
        let (activation, gated_ffn) = activation(path, self.feed_forward_proj.as_deref().unwrap_or(usual))?;
        let norm = || Operations(vec![Operation::RmsNorm]);
        let pad = self.pad_token_id.unwrap_or(0);
        let transformer = TransformerConfig {
            dim_emb: self.d_model,
            heads: self.num_heads,
            dim_head: Some(self.d_kv),
            encoder_depth: self.num_layers,
            decoder_depth,
            encoder_ffn: feed_forward,
            decoder_ffn: feed_forward,
            activation,
            gated_ffn,
            preprocess: norm(),
            postprocess: Operations(vec![Operation::Add]),
            postprocess_emb: Operations::default(),
            postprocess_top: norm(),
            decoder_layer: DecoderLayer::SelfAttention,
            tied_embeddings: TiedEmbeddings { source_target: true, target_output: output_is_table },
            tied_layers: Vec::new(),
            positions: Positions::Buckets {
                buckets: self.relative_attention_num_buckets,
                distance: self.relative_attention_max_distance,
            },
            scale_embeddings: false,
            alignment_layer: decoder_depth,
            attention_projection: true,
            layer_norm_epsilon: self.layer_norm_epsilon,
            output_bias: false,
            normalised_keys: true,
            start_word: Some(self.decoder_start_token_id.unwrap_or(pad)),
            source_start: None,
            source_without_end: false,
        };
        Ok(Config {
            source_words: self.vocab_size,
            target_words: self.vocab_size,
            end_of_sentence: self.eos_token_id.unwrap_or(1),
            never: vec![pad],
            languages: None,
            language_words: None,
            inline_terms: None,
            unlearned_letters: String::new(),
            decoding: DecoderDefaults::default(),
            architecture: Architecture::Transformer(transformer),
        })
    }
}

/// The function between the maps of a feed-forward block, and whether it has a gate.
fn activation(path: &Path, name: &str) -> Result<(Activation, bool), ModelError> {
    let (function, gated) = name.strip_prefix("gated-").map_or((name, false), |function| (function, true));
    match function {
        "relu" => Ok((Activation::Relu, gated)),
        "silu" | "swish" => Ok((Activation::Swish, gated)),
        // What T5 calls so with a gate is the approximation by tanh.
        "gelu" if !gated => Ok((Activation::Gelu, gated)),
        "gelu" | "gelu_new" => Ok((Activation::GeluTanh, gated)),
        _ => {
            let advice = "it can be relu, silu, gelu or gelu_new, also after `gated-`";
            Err(ModelError::unsupported(path, format!("feed_forward_proj `{name}`"), advice))
        }
    }
}

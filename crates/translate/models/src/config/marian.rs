//! Marian's settings, as its model files carry them in `special:model.yml`.

use super::{
    Activation, Architecture, AverageAttention, Cell, Config, DecoderDefaults, DecoderForm, DecoderLayer, EncoderType,
    FeedForward, LayerNorm, Operations, Positions, RecurrentConfig, TiedEmbeddings, TransformerConfig,
};
use crate::{ModelError, Weights};
use metaphrase_settings::from_yaml;
use serde::Deserialize;
use std::path::Path;

/// Marian's vocabularies have `</s>` and `<unk>` here.
pub(crate) const END_OF_SENTENCE: u32 = 0;
pub(crate) const UNKNOWN: u32 = 1;

settings! {
    /// The keys of `special:model.yml` that decoding depends on, with the values that Marian supplies where older
    /// versions wrote none. Other keys speak of training.
    #[serde(rename_all = "kebab-case")]
    pub(super) struct Settings {
        r#type: String = "amun".into(),
        dim_vocabs: Vec<usize> = Vec::new(),
        dim_emb: usize = 512,
        dim_rnn: usize = 1024,
        enc_type: EncoderType = EncoderType::Bidirectional,
        enc_cell: Cell = Cell::Gru,
        enc_cell_depth: usize = 1,
        enc_depth: usize = 1,
        dec_cell: Cell = Cell::Gru,
        dec_cell_base_depth: usize = 2,
        dec_cell_high_depth: usize = 1,
        dec_depth: usize = 1,
        skip: bool = false,
        layer_normalization: bool = false,
        right_left: bool = false,
        input_types: Vec<String> = Vec::new(),
        special_vocab: Vec<usize> = Vec::new(),
        tied_embeddings: bool = false,
        tied_embeddings_src: bool = false,
        tied_embeddings_all: bool = false,
        transformer_heads: usize = 8,
        transformer_no_projection: bool = false,
        transformer_rnn_projection: bool = false,
        transformer_pool: bool = false,
        transformer_dim_ffn: usize = 2048,
        transformer_decoder_dim_ffn: usize = 0,
        transformer_ffn_depth: usize = 2,
        transformer_decoder_ffn_depth: usize = 0,
        transformer_ffn_activation: String = "swish".into(),
        transformer_dim_aan: usize = 2048,
        transformer_aan_depth: usize = 2,
        transformer_aan_activation: String = "swish".into(),
        transformer_aan_nogate: bool = false,
        transformer_decoder_autoreg: String = "self-attention".into(),
        transformer_tied_layers: Vec<usize> = Vec::new(),
        transformer_guided_alignment_layer: LayerNumber = LayerNumber::Name("last".into()),
        transformer_preprocess: String = String::new(),
        transformer_postprocess: String = "dan".into(),
        transformer_postprocess_emb: String = "d".into(),
        transformer_postprocess_top: String = String::new(),
        transformer_train_positions: bool = false,
        transformer_train_position_embeddings: bool = false,
        transformer_disable_position_embeddings: bool = false,
        transformer_attention_mask: String = "default".into(),
        transformer_no_bias: bool = false,
        transformer_no_affine: bool = false,
        ulr: bool = false,
        output_omit_bias: bool = false,
        lemma_dim_emb: usize = 0,
        factors_dim_emb: usize = 0,
    }
}

/// A layer by number, counted from 1, or `last`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum LayerNumber {
    Number(usize),
    Name(String),
}

/// The settings in `yml`, for the model whose tensors, under their canonical names, are `weights`.
///
/// A setting that would change the translation and is not implemented is an error, never ignored.
pub(crate) fn config(yml: &str, weights: &Weights) -> Result<Config, ModelError> {
    let path = weights.path();
    let settings: Settings = from_yaml(yml).map_err(|e| {
        let line = e.line(yml);
        ModelError::settings(path, format!("`special:model.yml` can not be read: line {line}: {e}"))
    })?;
    settings.refuse_unsupported(path)?;
    let &[source_words, target_words] = &settings.dim_vocabs[..] else {
        let what = format!("a model with {} vocabularies (dim-vocabs)", settings.dim_vocabs.len());
        return Err(ModelError::unsupported(path, what, "one source and one target are expected"));
    };
    let architecture = match settings.r#type.as_str() {
        "transformer" => Architecture::Transformer(settings.transformer(weights)?),
        "s2s" | "amun" | "nematus" => Architecture::Recurrent(settings.recurrent()),
        other => {
            let advice = "types that can be read are transformer, s2s, amun and nematus";
            return Err(ModelError::unsupported(path, format!("model type `{other}`"), advice));
        }
    };
    Ok(Config {
        source_words,
        target_words,
        end_of_sentence: END_OF_SENTENCE,
        never: vec![UNKNOWN],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: DecoderDefaults::default(),
        architecture,
    })
}

/// Whether source and target words share a table, which then keeps its stored name `Wemb`.
pub(crate) fn ties_source_table(yml: &str) -> bool {
    from_yaml::<Settings>(yml).is_ok_and(|s| s.tied_embeddings_src || s.tied_embeddings_all)
}

impl Settings {
    fn refuse_unsupported(&self, path: &Path) -> Result<(), ModelError> {
        let sequences = self.input_types.iter().all(|kind| kind == "sequence");
        let refused = [
            (self.right_left, "right-left: true", "its translations run from right to left"),
            (!sequences, "input-types other than sequence", "inputs are one source and one target text"),
            (!self.special_vocab.is_empty(), "special-vocab", "no words have a special role"),
            (self.ulr, "ulr: true", "universal language representations are not implemented"),
            (self.lemma_dim_emb > 0, "lemma-dim-emb", "factored vocabularies are not implemented"),
            (self.factors_dim_emb > 0, "factors-dim-emb", "factored vocabularies are not implemented"),
        ];
        ModelError::refuse(path, &refused)
    }

    fn refuse_unsupported_transformer(&self, path: &Path) -> Result<(), ModelError> {
        let mask = self.transformer_attention_mask != "default";
        let ssru = self.transformer_decoder_autoreg == "rnn";
        let refused = [
            (mask, "a transformer-attention-mask other than default", "ALiBi is not implemented"),
            (self.transformer_pool, "transformer-pool: true", "the decoder must attend to all source words"),
            (self.transformer_no_bias, "transformer-no-bias: true", "linear layers must have biases"),
            (self.transformer_no_affine, "transformer-no-affine: true", "normalisations must have scale and bias"),
            (
                ssru && self.dec_cell != Cell::Ssru,
                "a recurrent Transformer decoder with a cell other than ssru",
                "only dec-cell: ssru is implemented",
            ),
            (
                ssru && self.layer_normalization,
                "layer-normalization: true within SSRU cells",
                "only the Transformer's own normalisations are implemented",
            ),
        ];
        ModelError::refuse(path, &refused)
    }

    fn transformer(&self, weights: &Weights) -> Result<TransformerConfig, ModelError> {
        let path = weights.path();
        self.refuse_unsupported_transformer(path)?;
        let operations = |letters: &str| {
            Operations::try_from(letters.to_owned()).map_err(|problem| ModelError::settings(path, problem))
        };
        let positions = self.positions(weights)?;
        Ok(TransformerConfig {
            dim_emb: self.dim_emb,
            heads: self.transformer_heads,
            dim_head: None,
            encoder_depth: self.enc_depth,
            decoder_depth: self.dec_depth,
            encoder_ffn: FeedForward { dim: self.transformer_dim_ffn, depth: self.transformer_ffn_depth },
            decoder_ffn: FeedForward {
                dim: or_else(self.transformer_decoder_dim_ffn, self.transformer_dim_ffn),
                depth: or_else(self.transformer_decoder_ffn_depth, self.transformer_ffn_depth),
            },
            activation: activation(path, &self.transformer_ffn_activation)?,
            gated_ffn: false,
            preprocess: operations(&self.transformer_preprocess)?,
            postprocess: operations(&self.transformer_postprocess)?,
            postprocess_emb: operations(&self.transformer_postprocess_emb)?,
            postprocess_top: operations(&self.transformer_postprocess_top)?,
            decoder_layer: self.decoder_layer(path)?,
            tied_embeddings: self.tied(),
            tied_layers: self.transformer_tied_layers.clone(),
            positions,
            scale_embeddings: matches!(positions, Positions::SinusoidalMarian),
            alignment_layer: self.alignment_layer(path)?,
            attention_projection: !self.transformer_no_projection,
            layer_norm_epsilon: 1e-6,
            output_bias: !self.output_omit_bias,
            normalised_keys: false,
            start_word: None,
            source_start: None,
            source_without_end: false,
        })
    }

    /// Marian has had two keys for trained positions, of which the present one is not read by `type:
    /// transformer`; what the file holds decides.
    fn positions(&self, weights: &Weights) -> Result<Positions, ModelError> {
        if self.transformer_disable_position_embeddings {
            return Ok(Positions::None);
        }
        match (weights.contains("Wpos"), self.transformer_train_positions) {
            (false, false) => Ok(Positions::SinusoidalMarian),
            (true, _) if self.transformer_train_positions || self.transformer_train_position_embeddings => {
                Ok(Positions::Trained)
            }
            (false, true) => Err(ModelError::MissingTensor { path: weights.path().to_owned(), tensor: "Wpos".into() }),
            (true, _) => {
                let problem = "there is a table of trained positions (`Wpos`), but the settings do not use it";
                Err(ModelError::settings(weights.path(), problem))
            }
        }
    }

    fn decoder_layer(&self, path: &Path) -> Result<DecoderLayer, ModelError> {
        match self.transformer_decoder_autoreg.as_str() {
            "self-attention" => Ok(DecoderLayer::SelfAttention),
            "rnn" => Ok(DecoderLayer::Ssru { projection: self.transformer_rnn_projection }),
            "average-attention" => Ok(DecoderLayer::AverageAttention(AverageAttention {
                ffn: FeedForward { dim: self.transformer_dim_aan, depth: self.transformer_aan_depth },
                activation: activation(path, &self.transformer_aan_activation)?,
                gate: !self.transformer_aan_nogate,
            })),
            other => Err(ModelError::unsupported(
                path,
                format!("transformer-decoder-autoreg: {other}"),
                "it can be self-attention, average-attention or rnn",
            )),
        }
    }

    fn alignment_layer(&self, path: &Path) -> Result<usize, ModelError> {
        match &self.transformer_guided_alignment_layer {
            LayerNumber::Number(layer) => Ok(*layer),
            LayerNumber::Name(name) if name == "last" => Ok(self.dec_depth),
            LayerNumber::Name(name) => name.parse().map_err(|_| {
                let problem = format!("transformer-guided-alignment-layer is `{name}`, expected a number or `last`");
                ModelError::settings(path, problem)
            }),
        }
    }

    fn recurrent(&self) -> RecurrentConfig {
        RecurrentConfig {
            dim_emb: self.dim_emb,
            dim_rnn: self.dim_rnn,
            dim_encoder: None,
            encoder_type: self.enc_type,
            encoder_cell: self.enc_cell,
            encoder_cell_depth: self.enc_cell_depth,
            encoder_depth: self.enc_depth,
            decoder_cell: self.dec_cell,
            decoder_cell_base_depth: self.dec_cell_base_depth,
            decoder_cell_high_depth: self.dec_cell_high_depth,
            decoder_depth: self.dec_depth,
            skip: self.skip,
            layer_norm: match (self.layer_normalization, self.r#type.as_str()) {
                (false, _) => LayerNorm::None,
                (true, "nematus") => LayerNorm::Nematus,
                (true, _) => LayerNorm::Marian,
            },
            tied_embeddings: self.tied(),
            output_bias: !self.output_omit_bias,
            attention_heads: 1,
            decoder: DecoderForm::Conditional,
        }
    }

    fn tied(&self) -> TiedEmbeddings {
        TiedEmbeddings {
            source_target: self.tied_embeddings_src || self.tied_embeddings_all,
            target_output: self.tied_embeddings || self.tied_embeddings_all,
        }
    }
}

/// In Marian's settings 0 stands for "as the other".
fn or_else(value: usize, other: usize) -> usize {
    if value == 0 { other } else { value }
}

fn activation(path: &Path, name: &str) -> Result<Activation, ModelError> {
    match name {
        "relu" => Ok(Activation::Relu),
        "swish" => Ok(Activation::Swish),
        "gelu" => Ok(Activation::Gelu),
        "sigmoid" => Ok(Activation::Sigmoid),
        _ => {
            Err(ModelError::unsupported(path, format!("activation `{name}`"), "it can be relu, swish, gelu or sigmoid"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(names: &[&str]) -> Weights {
        Weights::from_tensors("m.npz", names.iter().map(|&n| (n, vec![0], vec![]))).unwrap()
    }

    fn transformer(yml: &str) -> Result<TransformerConfig, ModelError> {
        let yml = format!("type: transformer\ndim-vocabs: [10, 12]\ndim-emb: 16\n{yml}");
        let config = config(&yml, &weights(&[]))?;
        config.check(Path::new("m.npz"))?;
        match config.architecture {
            Architecture::Transformer(transformer) => Ok(transformer),
            Architecture::Recurrent(_) => panic!("a Transformer"),
        }
    }

    #[test]
    fn defaults_are_marians() {
        let config = transformer("").unwrap();
        assert_eq!(config.heads, 8);
        assert_eq!(config.encoder_ffn, FeedForward { dim: 2048, depth: 2 });
        assert_eq!(config.decoder_ffn, config.encoder_ffn);
        assert_eq!(config.activation, Activation::Swish);
        assert_eq!(String::from(config.postprocess.clone()), "an");
        assert_eq!(config.alignment_layer, 1);
        assert!(config.output_bias && config.scale_embeddings);
        assert_eq!(config, TransformerConfig { dim_emb: 16, ..TransformerConfig::default() });
        let amun = super::config("dim-vocabs: [10, 12]", &weights(&[])).unwrap();
        assert_eq!(amun.architecture, Architecture::Recurrent(RecurrentConfig::default()));
    }

    #[test]
    fn plain_n_is_a_letter_not_a_boolean() {
        let config = transformer("transformer-preprocess: n\ntransformer-postprocess-top: n").unwrap();
        assert_eq!(String::from(config.preprocess), "n");
        assert_eq!(String::from(config.postprocess_top), "n");
    }

    #[test]
    fn what_would_change_the_translation_is_refused() {
        for yml in [
            "right-left: true",
            "input-types: [sequence, class]",
            "special-vocab: [3]",
            "ulr: true",
            "lemma-dim-emb: 8",
            "transformer-attention-mask: alibi",
            "transformer-pool: true",
            "transformer-no-bias: true",
            "transformer-no-affine: true",
            "transformer-decoder-autoreg: rnn\ndec-cell: lstm",
            "transformer-decoder-autoreg: other",
            "transformer-ffn-activation: mish",
            "transformer-preprocess: x",
            "transformer-heads: 0",
            "transformer-heads: 5",
            "dec-depth: 2\ntransformer-tied-layers: [1]",
            "dec-depth: 2\ntransformer-tied-layers: [1, 3]",
            "transformer-guided-alignment-layer: 2",
            "enc-type: sideways",
            "dim-rnn: [",
        ] {
            let message = transformer(yml).expect_err(yml).to_string();
            assert!(message.starts_with("m.npz: ") && !message.contains('\n'), "{yml}: {message}");
        }
        for yml in ["type: char-s2s\ndim-vocabs: [1, 1]", "type: transformer\ndim-vocabs: [1, 1, 1]"] {
            assert!(matches!(config(yml, &weights(&[])), Err(ModelError::Unsupported { .. })));
        }
    }

    #[test]
    fn the_table_of_positions_must_agree_with_the_settings() {
        let yml = "type: transformer\ndim-vocabs: [10, 12]\ntransformer-train-position-embeddings: true";
        let positions = |weights: &Weights| match config(yml, weights).unwrap().architecture {
            Architecture::Transformer(transformer) => transformer.positions,
            Architecture::Recurrent(_) => panic!("a Transformer"),
        };
        assert_eq!(positions(&weights(&["Wpos"])), Positions::Trained);
        assert_eq!(positions(&weights(&[])), Positions::SinusoidalMarian);
        let silent = "type: transformer\ndim-vocabs: [10, 12]";
        assert!(config(silent, &weights(&["Wpos"])).is_err());
    }

    #[test]
    fn recurrent_models_know_their_normalisation() {
        let yml = "type: nematus\ndim-vocabs: [10, 12]\nlayer-normalization: true\nenc-cell: gru-nematus\ndec-cell: gru-nematus";
        let Architecture::Recurrent(nematus) = config(yml, &weights(&[])).unwrap().architecture else {
            panic!("a recurrent model")
        };
        assert_eq!(nematus.layer_norm, LayerNorm::Nematus);
        assert_eq!(nematus.encoder_cell, Cell::GruNematus);
    }
}

//! All architectures, tiny: for tests.

use metaphrase_models::config::{
    Activation, AttentionFirst, AverageAttention, Cell, DecoderForm, DecoderLayer, EncoderType, FeedForward, LayerNorm,
    Operations, Positions, RecurrentConfig, TiedEmbeddings, Top, TransformerConfig,
};
use metaphrase_models::{Architecture, Config};

/// Words of both vocabularies.
pub(crate) const WORDS: usize = 23;

fn operations(letters: &str) -> Operations {
    letters.to_owned().try_into().unwrap()
}

/// The kinds of positions that are trained.
pub(crate) const POSITIONS: [Positions; 6] = [
    Positions::SinusoidalMarian,
    Positions::SinusoidalHuggingFace,
    Positions::Trained,
    Positions::None,
    Positions::Relative { distance: 0 },
    Positions::Relative { distance: 3 },
];

pub(crate) fn transformer() -> TransformerConfig {
    TransformerConfig {
        dim_emb: 16,
        heads: 2,
        dim_head: None,
        encoder_depth: 2,
        decoder_depth: 2,
        encoder_ffn: FeedForward { dim: 24, depth: 2 },
        decoder_ffn: FeedForward { dim: 24, depth: 2 },
        activation: Activation::Relu,
        gated_ffn: false,
        preprocess: operations(""),
        postprocess: operations("an"),
        postprocess_emb: operations(""),
        postprocess_top: operations(""),
        decoder_layer: DecoderLayer::SelfAttention,
        tied_embeddings: TiedEmbeddings { source_target: true, target_output: true },
        tied_layers: Vec::new(),
        positions: Positions::SinusoidalMarian,
        scale_embeddings: true,
        alignment_layer: 2,
        attention_projection: true,
        layer_norm_epsilon: 1e-6,
        output_bias: true,
        normalised_keys: false,
        start_word: None,
        source_start: None,
        source_without_end: false,
    }
}

pub(crate) fn config(architecture: Architecture) -> Config {
    Config {
        source_words: WORDS,
        target_words: WORDS,
        end_of_sentence: 0,
        never: vec![1],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: Default::default(),
        architecture,
    }
}

/// Transformers with every kind of layer.
pub(crate) fn transformers() -> Vec<(String, Config)> {
    let untied = TiedEmbeddings { source_target: false, target_output: false };
    let average = AverageAttention { ffn: FeedForward { dim: 20, depth: 2 }, activation: Activation::Gelu, gate: true };
    let plain = transformer();
    let all = [
        ("post-norm", plain.clone()),
        (
            "pre-norm, swish, untied",
            TransformerConfig {
                preprocess: operations("n"),
                postprocess: operations("a"),
                postprocess_top: operations("n"),
                activation: Activation::Swish,
                tied_embeddings: untied,
                ..plain.clone()
            },
        ),
        (
            "pre-norm, as we translate",
            TransformerConfig {
                preprocess: operations("n"),
                postprocess: operations("a"),
                postprocess_top: operations("n"),
                normalised_keys: true,
                ..plain.clone()
            },
        ),
        (
            "rms norm, highway, gelu, trained positions, depths",
            TransformerConfig {
                postprocess: operations("hr"),
                postprocess_emb: operations("n"),
                activation: Activation::Gelu,
                positions: Positions::Trained,
                encoder_ffn: FeedForward { dim: 24, depth: 3 },
                decoder_ffn: FeedForward { dim: 24, depth: 1 },
                ..plain.clone()
            },
        ),
        (
            "relative positions",
            TransformerConfig {
                preprocess: operations("n"),
                postprocess: operations("a"),
                postprocess_top: operations("n"),
                positions: Positions::Relative { distance: 2 },
                ..plain.clone()
            },
        ),
        ("a start word", TransformerConfig { start_word: Some(7), ..plain.clone() }),
        (
            "a start word, SSRU",
            TransformerConfig {
                start_word: Some(3),
                decoder_layer: DecoderLayer::Ssru { projection: false },
                ..plain.clone()
            },
        ),
        ("SSRU", TransformerConfig { decoder_layer: DecoderLayer::Ssru { projection: false }, ..plain.clone() }),
        (
            "SSRU with projection, tied layers",
            TransformerConfig {
                decoder_layer: DecoderLayer::Ssru { projection: true },
                tied_layers: vec![1, 1],
                output_bias: false,
                ..plain.clone()
            },
        ),
        (
            "average attention",
            TransformerConfig {
                decoder_layer: DecoderLayer::AverageAttention(average),
                attention_projection: false,
                positions: Positions::SinusoidalHuggingFace,
                ..plain.clone()
            },
        ),
        (
            "average attention without gates, of equal size",
            TransformerConfig {
                decoder_layer: DecoderLayer::AverageAttention(AverageAttention {
                    ffn: FeedForward { dim: 16, depth: 2 },
                    gate: false,
                    ..average
                }),
                ..plain
            },
        ),
    ];
    all.map(|(name, settings)| (name.to_owned(), config(Architecture::Transformer(settings)))).to_vec()
}

pub(crate) fn recurrent() -> RecurrentConfig {
    RecurrentConfig {
        dim_emb: 12,
        dim_rnn: 16,
        dim_encoder: None,
        encoder_type: EncoderType::Bidirectional,
        encoder_cell: Cell::GruNematus,
        encoder_cell_depth: 1,
        encoder_depth: 1,
        decoder_cell: Cell::GruNematus,
        decoder_cell_base_depth: 2,
        decoder_cell_high_depth: 1,
        decoder_depth: 1,
        skip: false,
        layer_norm: LayerNorm::None,
        tied_embeddings: TiedEmbeddings { source_target: false, target_output: false },
        output_bias: true,
        attention_heads: 1,
        decoder: DecoderForm::Conditional,
    }
}

/// Recurrent networks with every kind of cell and encoder.
pub(crate) fn recurrent_networks() -> Vec<(String, Config)> {
    let amun = recurrent();
    let mut networks = vec![("amun".to_owned(), amun.clone())];
    for layer_norm in [LayerNorm::Marian, LayerNorm::Nematus] {
        let nematus = RecurrentConfig {
            layer_norm,
            encoder_cell_depth: 2,
            decoder_cell_base_depth: 4,
            decoder_depth: 2,
            skip: true,
            tied_embeddings: TiedEmbeddings { source_target: false, target_output: true },
            ..amun.clone()
        };
        networks.push((format!("nematus, {layer_norm:?}"), nematus));
    }
    let all = [Cell::Gru, Cell::Lstm, Cell::Mlstm, Cell::Mgru, Cell::Tanh, Cell::Relu, Cell::Sru, Cell::Ssru];
    for (i, cell) in all.into_iter().enumerate() {
        for layer_norm in [LayerNorm::None, LayerNorm::Marian] {
            if cell == Cell::Tanh && layer_norm != LayerNorm::None {
                continue;
            }
            // Kinds that need an input of the state's size, and can not be transitions.
            let reading = matches!(cell, Cell::Sru | Cell::Ssru | Cell::Mlstm | Cell::Mgru);
            let types = [EncoderType::Bidirectional, EncoderType::BiUnidirectional, EncoderType::Alternating];
            let square = matches!(cell, Cell::Sru | Cell::Ssru);
            let settings = RecurrentConfig {
                dim_emb: if square { 16 } else { 12 },
                encoder_type: if square { types[2 * (i % 2)] } else { types[i % 3] },
                encoder_cell: cell,
                encoder_cell_depth: if reading { 1 } else { 2 },
                encoder_depth: 3,
                decoder_cell: if square { Cell::Gru } else { cell },
                decoder_cell_base_depth: if reading && !square { 2 } else { 3 },
                decoder_cell_high_depth: if reading && !square { 1 } else { 2 },
                decoder_depth: 2,
                skip: i % 2 == 0,
                layer_norm,
                ..amun.clone()
            };
            networks.push((format!("{cell:?}, {layer_norm:?}"), settings));
        }
    }
    let without_second = RecurrentConfig { decoder_cell_base_depth: 1, decoder_cell: Cell::Lstm, ..amun };
    networks.push(("one cell before attention".to_owned(), without_second));
    networks.into_iter().map(|(name, settings)| (name, config(Architecture::Recurrent(settings)))).collect()
}

/// S1 to S6 of Devlin 2017, table 2, but for their sizes.
pub(crate) fn devlin() -> Vec<(&'static str, RecurrentConfig)> {
    let (tanh, dim_layers) = (Top::Tanh { dim: 20 }, 18);
    let systems = [
        ("S1", 0, Top::None),
        ("S2", 0, Top::Gru),
        ("S3", 3, tanh),
        ("S4", 7, tanh),
        ("S5", 7, Top::Gru),
        ("S6", 15, tanh),
        ("even layers, another encoder", 2, Top::None),
    ];
    let config = |layers, top| RecurrentConfig {
        dim_encoder: (layers == 2).then_some(10),
        encoder_type: EncoderType::Joined,
        encoder_cell: Cell::Gru,
        encoder_depth: 3,
        decoder_cell: Cell::Gru,
        decoder: DecoderForm::AttentionFirst(AttentionFirst { dim_attention: 14, layers, dim_layers, top }),
        ..recurrent()
    };
    systems.map(|(name, layers, top)| (name, config(layers, top))).to_vec()
}

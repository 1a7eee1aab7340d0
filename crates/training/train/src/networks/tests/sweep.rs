//! Whatever the check of settings accepts can be declared, trained and loaded, and both forward passes agree.

use super::*;
use metaphrase_models::config::{
    Activation, AttentionFirst, AverageAttention, Cell, DecoderForm, DecoderLayer, EncoderType, FeedForward, LayerNorm,
    RecurrentConfig, TiedEmbeddings, Top, TransformerConfig,
};

/// How many networks of a sweep were accepted, refused, and refused for training alone.
#[derive(Debug, Default, PartialEq)]
struct Verdicts {
    accepted: usize,
    refused: usize,
    untrainable: usize,
}

impl Verdicts {
    fn add(&mut self, architecture: Architecture) {
        let config = config(architecture);
        let declared = Network::declare(&config, &mut Parameters::new(1));
        let Some(problem) = config.problem() else {
            let mut parameters = Parameters::new(1);
            let Ok(_) = parts::Network::build(&config, &mut parameters);
            randomise(&mut parameters);
            let model = model_of(&config, &parameters);
            if let Err(error) = declared {
                assert!(error.to_string().contains("can not be trained"), "{error}: {config:?}");
                self.untrainable += 1;
                return;
            }
            self.accepted += 1;
            agree(&format!("{config:?}"), &config, &parameters, &model);
            return;
        };
        // All commands report the same.
        assert_eq!(declared.err().expect("a refusal").to_string(), problem);
        let weights = metaphrase_models::Weights::from_tensors::<String>("m", []).unwrap();
        let refusal = metaphrase_models::Model::new(config, &weights).err().expect("a refusal");
        assert_eq!(refusal.to_string(), format!("m: {problem}"));
        self.refused += 1;
    }
}

const CELLS: [Cell; 9] =
    [Cell::Gru, Cell::GruNematus, Cell::Lstm, Cell::Mlstm, Cell::Mgru, Cell::Tanh, Cell::Relu, Cell::Sru, Cell::Ssru];
const NORMS: [LayerNorm; 3] = [LayerNorm::None, LayerNorm::Marian, LayerNorm::Nematus];
const TYPES: [EncoderType; 4] =
    [EncoderType::Bidirectional, EncoderType::BiUnidirectional, EncoderType::Alternating, EncoderType::Joined];

/// Small networks with embeddings as wide as states and not.
fn small() -> [RecurrentConfig; 2] {
    [4, 5].map(|dim_emb| RecurrentConfig { dim_emb, dim_rnn: 4, ..recurrent() })
}

#[test]
fn every_encoder_that_is_accepted_can_be_built() {
    let mut verdicts = Verdicts::default();
    for base in small() {
        for encoder_cell in CELLS {
            for layer_norm in NORMS {
                for encoder_type in TYPES {
                    for (encoder_depth, encoder_cell_depth) in [(1, 1), (1, 2), (2, 1), (3, 1), (2, 2)] {
                        let (encoder_type, skip) = (encoder_type, encoder_depth == 3);
                        let depths =
                            RecurrentConfig { encoder_depth, encoder_cell_depth, encoder_type, skip, ..base.clone() };
                        verdicts.add(Architecture::Recurrent(RecurrentConfig { encoder_cell, layer_norm, ..depths }));
                    }
                }
            }
        }
    }
    assert!(verdicts.accepted > 500 && verdicts.refused > 250 && verdicts.untrainable == 80, "{verdicts:?}");
}

#[test]
fn every_decoder_that_is_accepted_can_be_built() {
    let mut verdicts = Verdicts::default();
    for base in small() {
        for decoder_cell in CELLS {
            for layer_norm in NORMS {
                // Annotations of both directions, and of one.
                for (encoder_type, encoder_depth) in [(TYPES[0], 1), (TYPES[1], 2)] {
                    for depths in [(1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (2, 2, 2), (1, 3, 2), (2, 1, 2)] {
                        let (decoder_cell_base_depth, decoder_depth, decoder_cell_high_depth) = depths;
                        let encoder = RecurrentConfig { encoder_type, encoder_depth, ..base.clone() };
                        let decoder = RecurrentConfig { decoder_cell_base_depth, decoder_depth, ..encoder };
                        let cells = RecurrentConfig { decoder_cell_high_depth, decoder_cell, ..decoder };
                        verdicts.add(Architecture::Recurrent(RecurrentConfig { layer_norm, ..cells }));
                    }
                }
            }
        }
    }
    assert!(verdicts.accepted > 400 && verdicts.refused > 150 && verdicts.untrainable == 56, "{verdicts:?}");
}

#[test]
fn every_decoder_that_begins_with_attention_and_is_accepted_can_be_built() {
    let mut verdicts = Verdicts::default();
    for base in small() {
        for (layers, top) in (0..4).flat_map(|n| [Top::None, Top::Gru, Top::Tanh { dim: 5 }].map(|top| (n, top))) {
            for (decoder_cell, layer_norm) in [(Cell::Gru, NORMS[0]), (Cell::Lstm, NORMS[0]), (Cell::Gru, NORMS[1])] {
                for target_output in [false, true] {
                    let form = AttentionFirst { dim_attention: 3, layers, dim_layers: 4, top };
                    let decoder = DecoderForm::AttentionFirst(form);
                    let tied_embeddings = TiedEmbeddings { source_target: false, target_output };
                    let tied = RecurrentConfig { decoder, tied_embeddings, ..base.clone() };
                    verdicts.add(Architecture::Recurrent(RecurrentConfig { decoder_cell, layer_norm, ..tied }));
                }
            }
        }
    }
    assert!(verdicts.accepted > 30 && verdicts.refused > 90 && verdicts.untrainable == 0, "{verdicts:?}");
}

#[test]
fn every_transformer_that_is_accepted_can_be_built() {
    let operations = |letters: &str| letters.to_owned().try_into().unwrap();
    let average = |dim, depth, gate| {
        let ffn = FeedForward { dim, depth };
        DecoderLayer::AverageAttention(AverageAttention { ffn, activation: Activation::Swish, gate })
    };
    let layers = [
        DecoderLayer::SelfAttention,
        DecoderLayer::Ssru { projection: false },
        DecoderLayer::Ssru { projection: true },
        average(4, 2, true),
        average(4, 1, false),
        average(5, 3, false),
    ];
    let surroundings = [
        ["", "an", "", ""],
        ["n", "a", "n", "n"],
        ["r", "h", "r", "a"],
        ["nr", "", "", "h"],
        ["a", "an", "", ""],
        ["", "an", "ha", ""],
    ];
    let mut verdicts = Verdicts::default();
    for decoder_layer in layers {
        for (i, letters) in surroundings.into_iter().enumerate() {
            for (depth, heads) in [(1, 1), (2, 4), (3, 2), (3, 3), (0, 2)] {
                for tied_layers in [vec![], vec![1, 1], vec![2, 1], vec![1], vec![3, 1]] {
                    let [preprocess, postprocess, postprocess_emb, postprocess_top] = letters.map(operations);
                    let operations = TransformerConfig {
                        preprocess,
                        postprocess,
                        postprocess_emb,
                        postprocess_top,
                        ..transformer()
                    };
                    let ffn = FeedForward { dim: 6, depth };
                    let sizes = TransformerConfig {
                        dim_emb: 4,
                        heads,
                        encoder_ffn: ffn,
                        decoder_ffn: ffn,
                        positions: POSITIONS[(i + depth) % 6],
                        attention_projection: depth != 3,
                        tied_layers,
                        ..operations
                    };
                    verdicts.add(Architecture::Transformer(TransformerConfig { decoder_layer, ..sizes }));
                }
            }
        }
    }
    assert!(verdicts.accepted > 150 && verdicts.refused > 400 && verdicts.untrainable == 0, "{verdicts:?}");
}

/// The three recipes that once trained until their first validation, and died there.
#[test]
fn what_inference_refuses_is_refused_before_training() {
    let refusal = |architecture| check(&architecture).unwrap_err().to_string();
    let only = "but only normalisations (`n`, `r`) can stand there";
    let add = || "a".to_owned().try_into().unwrap();
    let preprocess = TransformerConfig { preprocess: add(), ..transformer() };
    assert_eq!(refusal(Architecture::Transformer(preprocess)), format!("the setting `preprocess` is `a`, {only}"));
    let postprocess_emb = TransformerConfig { postprocess_emb: add(), ..transformer() };
    let expected = format!("the setting `postprocess-emb` is `a`, {only}");
    assert_eq!(refusal(Architecture::Transformer(postprocess_emb)), expected);
    let high = RecurrentConfig { decoder_depth: 2, decoder_cell_high_depth: 2, ..recurrent() };
    assert_eq!(
        refusal(Architecture::Recurrent(high)),
        "`decoder-cell-high-depth` is 2, expected 1: higher layers of the decoder have one cell of kind gru-nematus"
    );
    let tanh = RecurrentConfig { encoder_cell: Cell::Tanh, layer_norm: LayerNorm::Marian, ..recurrent() };
    assert!(refusal(Architecture::Recurrent(tanh)).contains("can not be trained with layer normalisation"));
}

//! What is trained is what translates.

use super::*;
use crate::data::Sentences;
use crate::tape::Workspace;
use metaphrase_base::{Parent, Row, SentId, StepModel, StepRow, StepScores, WordId};
use metaphrase_models::config::{
    Activation, AverageAttention, DecoderLayer, FeedForward, Operations, Positions, TransformerConfig,
};
use metaphrase_models::{Model, Weights};

const WORDS: usize = 23;

/// Sentences of different lengths; word 0 ends each.
fn batch() -> Batch {
    let sentences = |all: &[&[u32]]| {
        let mut sentences = Sentences::default();
        all.iter().for_each(|words| sentences.push(&words.iter().map(|&w| WordId(w)).collect::<Vec<_>>()));
        sentences
    };
    Batch {
        source: sentences(&[&[5, 6, 7, 8, 0], &[9, 0], &[0], &[4, 4, 22, 3, 2, 11, 0]]),
        target: sentences(&[&[3, 4, 0], &[21, 20, 19, 18, 17, 0], &[6, 0], &[0]]),
        alignments: Vec::new(),
    }
}

/// ln p of each target word, by inference.
fn inferred(config: &Config, parameters: &Parameters, batch: &Batch) -> Vec<Vec<f32>> {
    let tensors = parameters.iter().map(|(name, m)| (name, vec![m.rows(), m.cols()], m.as_slice().to_vec()));
    let weights = Weights::from_tensors("trained", tensors).unwrap();
    let model = Model::new(config.clone(), &weights).unwrap();
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let slot = SentId(0);
    let sentence = |i: usize| {
        model.encode(&[slot], &[batch.source.sentence(i)], &mut state);
        model.expect_given_words(slot, &mut state);
        let mut parent = None;
        let mut log_probs = Vec::new();
        for &word in batch.target.sentence(i) {
            model.step(&[StepRow { sentence: slot, parent }], &mut state, &mut scores);
            log_probs.push(scores.score(Row::new(0), word));
            parent = Some(Parent { row: Row::new(0), word });
        }
        model.release(slot, &mut state);
        log_probs
    };
    (0..batch.source.len()).map(sentence).collect()
}

/// Random numbers in all parameters, also where training begins with zeros or ones.
fn randomise(parameters: &mut Parameters) {
    for (i, matrix) in parameters.values_mut().iter_mut().enumerate() {
        for (j, value) in matrix.as_mut_slice().iter_mut().enumerate() {
            *value += 0.3 * ((i * 31 + j * 17) as f32).sin();
        }
    }
}

fn assert_same(name: &str, config: &Config) {
    let mut parameters = Parameters::new(3);
    let network = Network::declare(config, &mut parameters).unwrap();
    randomise(&mut parameters);
    let batch = batch();
    let mut workspace = Workspace::default();
    let mut tape = Tape::new(&parameters, None, None, &mut workspace);
    let losses = network.loss(&mut tape, &batch, &Dropout::default(), &LossSettings::default(), 1.0);
    let mut trained: Vec<f32> = losses.log_probs;
    let mut expected: Vec<f32> = inferred(config, &parameters, &batch).concat();
    // The order of the words is the network's own.
    trained.sort_by(f32::total_cmp);
    expected.sort_by(f32::total_cmp);
    assert_eq!(trained.len(), expected.len());
    for (trained, expected) in trained.iter().zip(&expected) {
        assert!((trained - expected).abs() < 1e-4, "{name}: {trained} in training, {expected} in inference");
    }
}

fn operations(letters: &str) -> Operations {
    letters.to_owned().try_into().unwrap()
}

pub(crate) fn transformer() -> TransformerConfig {
    TransformerConfig {
        dim_emb: 16,
        heads: 2,
        encoder_depth: 2,
        decoder_depth: 2,
        encoder_ffn: FeedForward { dim: 24, depth: 2 },
        decoder_ffn: FeedForward { dim: 24, depth: 2 },
        activation: Activation::Relu,
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
    }
}

pub(crate) fn config(architecture: Architecture) -> Config {
    Config {
        source_words: WORDS,
        target_words: WORDS,
        end_of_sentence: 0,
        never: vec![1],
        decoding: Default::default(),
        architecture,
    }
}

#[test]
fn transformers_train_as_they_translate() {
    let untied = TiedEmbeddings { source_target: false, target_output: false };
    let average = AverageAttention { ffn: FeedForward { dim: 20, depth: 2 }, activation: Activation::Gelu, gate: true };
    let plain = transformer();
    for (name, settings) in [
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
    ] {
        assert_same(name, &config(Architecture::Transformer(settings)));
    }
}

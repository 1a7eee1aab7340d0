//! The trained network and the translating model are the same function.

pub(crate) mod architectures;
mod sweep;

use super::*;
use crate::data::Sentences;
use crate::optimizer::{Decay, OptimizerSettings, Schedule};
use crate::{Trainer, TrainerSettings};
use architectures::*;
use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
use metaphrase_device::{Host, Products, TrainingPrecision};
use metaphrase_models::config::{
    Activation, AttentionFirst, AverageAttention, Cell, DecoderForm, DecoderLayer, FeedForward, LayerNorm, Positions,
    RecurrentConfig, TransformerConfig,
};
use metaphrase_models::{Model, Weights};

/// Sentences of different lengths; word 0 ends each.
pub(crate) fn batch() -> Batch {
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

/// The model of these parameters.
pub(crate) fn model_of(config: &Config, parameters: &Parameters) -> Model {
    model_in(metaphrase_models::Precision::F32, config, parameters)
}

fn model_in(precision: metaphrase_models::Precision, config: &Config, parameters: &Parameters) -> Model {
    let tensors = parameters.iter().map(|(name, m)| (name, vec![m.rows(), m.cols()], m.as_slice().to_vec()));
    let weights = Weights::from_tensors("trained", tensors).unwrap();
    Model::with_precision(config.clone(), &weights, precision).unwrap()
}

/// ln p of each target word, by inference.
fn inferred(config: &Config, model: &Model, batch: &Batch) -> Vec<f32> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let slot = SentId(0);
    let normalised_keys = matches!(&config.architecture, Architecture::Transformer(t) if t.normalised_keys);
    let sentence = |i: usize| {
        // Or else Marian's translation, which is not what it trains.
        let given_target = !normalised_keys;
        model.encode(&[Sentence { given_target, ..Sentence::new(slot, batch.source.get(i)) }], &mut state);
        let mut parent = None;
        let mut log_probs = Vec::new();
        for &word in batch.target.get(i) {
            model.step(Step::New, StepDemand::ANYTHING, &[StepRow { sentence: slot, parent }], &mut state, &mut scores);
            log_probs.push(scores.score(Row::new(0), word));
            parent = Some(Parent { row: Row::new(0), word });
        }
        model.release(slot, &mut state);
        log_probs
    };
    (0..batch.source.len()).flat_map(sentence).collect()
}

/// ln p of each target word, by the forward pass of training, sentence after sentence.
fn trained(config: &Config, parameters: &Parameters, batch: &Batch) -> Vec<f32> {
    trained_in(TrainingPrecision::F32, config, parameters, batch)
}

fn trained_in(precision: TrainingPrecision, config: &Config, parameters: &Parameters, batch: &Batch) -> Vec<f32> {
    let mut declared = Parameters::new(1);
    let network = Network::declare(config, &mut declared).unwrap();
    assert!(declared.iter().map(|(name, _)| name).eq(parameters.iter().map(|(name, _)| name)));
    let mut host = Host::default();
    host.set_precision(precision);
    let mut tape = Tape::new(parameters, None, None, &mut host);
    let log_probs = network.loss(&mut tape, batch, &Dropout::NONE, &LossSettings::PLAIN, 1.0).log_probs;
    by_sentence(&network, batch, log_probs)
}

/// Numbers of target words as the network has them, sentence after sentence.
fn by_sentence(network: &Network, batch: &Batch, numbers: Vec<f32>) -> Vec<f32> {
    match network.parts {
        parts::Network::Transformer(_) => numbers,
        parts::Network::Recurrent(_) => recurrent::by_sentence(&batch.target, &numbers),
    }
}

/// Random numbers in all parameters, also where training begins with zeros or ones.
pub(crate) fn randomise(parameters: &mut Parameters) {
    for (i, matrix) in parameters.values_mut().enumerate() {
        for (j, value) in matrix.as_mut_slice().iter_mut().enumerate() {
            *value += 0.3 * ((i * 31 + j * 17) as f32).sin();
        }
    }
}

fn assert_same(name: &str, config: &Config) {
    let mut parameters = Parameters::new(3);
    Network::declare(config, &mut parameters).unwrap();
    randomise(&mut parameters);
    agree(name, config, &parameters, &model_of(config, &parameters));
}

/// Training and inference give each word of each sentence the same probability.
pub(super) fn agree(name: &str, config: &Config, parameters: &Parameters, model: &Model) {
    let batch = batch();
    let (trained, expected) = (trained(config, parameters, &batch), inferred(config, model, &batch));
    assert_eq!(trained.len(), expected.len());
    for (i, (trained, expected)) in trained.iter().zip(&expected).enumerate() {
        let difference = (trained - expected).abs();
        assert!(difference < 1e-4, "{name}, word {i}: {trained} in training, {expected} in inference");
    }
}

#[test]
fn transformers_train_as_they_translate() {
    transformers().iter().for_each(|(name, config)| assert_same(name, config));
}

/// A Transformer of int8 has keys and values of bf16, which training has not: there each rounding falls anew.
#[test]
fn training_in_int8_rounds_as_translation_does() {
    let (batch, mut apart) = (batch(), [0.0; 2]);
    for (_, config) in recurrent_networks() {
        let mut parameters = Parameters::new(3);
        Network::declare(&config, &mut parameters).unwrap();
        randomise(&mut parameters);
        let model = model_in(metaphrase_models::Precision::Int8, &config, &parameters);
        let expected = inferred(&config, &model, &batch);
        for (apart, precision) in apart.iter_mut().zip([TrainingPrecision::Int8, TrainingPrecision::F32]) {
            let trained = trained_in(precision, &config, &parameters, &batch);
            *apart += trained.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum::<f32>();
        }
    }
    let [int8, f32] = apart;
    assert!(int8 < 0.5 * f32, "training is {int8} from translation in int8, {f32} in f32");
}

#[test]
fn recurrent_networks_train_as_they_translate() {
    recurrent_networks().iter().for_each(|(name, config)| assert_same(name, config));
}

#[test]
fn decoders_that_begin_with_attention_train_as_they_translate() {
    for (name, settings) in devlin() {
        assert_same(name, &config(Architecture::Recurrent(settings)));
    }
}

#[test]
fn decoders_that_begin_with_attention_learn_by_heart() {
    for (name, settings) in devlin() {
        let (dim_emb, dim_rnn) = (32, 48);
        let DecoderForm::AttentionFirst(form) = settings.decoder else { continue };
        let decoder = DecoderForm::AttentionFirst(AttentionFirst { dim_attention: 32, dim_layers: 40, ..form });
        let settings = RecurrentConfig { dim_emb, dim_rnn, encoder_depth: 1, decoder, ..settings };
        assert_learns(name, &config(Architecture::Recurrent(settings)));
    }
}

#[test]
fn fully_connected_layers_keep_the_variance() {
    for (system, settings) in devlin() {
        let DecoderForm::AttentionFirst(form) = settings.decoder else { continue };
        let decoder = DecoderForm::AttentionFirst(AttentionFirst { dim_layers: 40, ..form });
        let settings = RecurrentConfig { dim_rnn: 48, decoder, ..settings };
        let mut parameters = Parameters::new(1);
        Network::declare(&config(Architecture::Recurrent(settings)), &mut parameters).unwrap();
        let is_layer = |name: &str| name.starts_with("decoder_fc") && name.contains("_W");
        let layers: Vec<_> = parameters.iter().filter(|(name, _)| is_layer(name)).collect();
        assert_eq!(layers.len(), form.layers, "{system}");
        for (name, w) in layers {
            // What a map makes of numbers of variance 1; a ReLU takes half of it.
            let variance = metaphrase_kernels::dot(w.as_slice(), w.as_slice()) / w.cols() as f32;
            assert!((variance - 2.0).abs() < 0.3, "{system}, {name}: {variance}");
        }
    }
}

#[test]
fn recurrent_networks_learn_by_heart() {
    let amun = RecurrentConfig { dim_emb: 32, dim_rnn: 48, ..recurrent() };
    assert_learns("amun", &config(Architecture::Recurrent(amun.clone())));
    for cell in [Cell::Gru, Cell::Lstm, Cell::Mlstm, Cell::Mgru, Cell::Tanh, Cell::Relu] {
        let settings = RecurrentConfig { encoder_cell: cell, decoder_cell: cell, ..amun.clone() };
        assert_learns(&format!("{cell:?}"), &config(Architecture::Recurrent(settings)));
    }
    for cell in [Cell::Sru, Cell::Ssru] {
        let settings = RecurrentConfig { encoder_cell: cell, dim_emb: 48, ..amun.clone() };
        assert_learns(&format!("{cell:?}"), &config(Architecture::Recurrent(settings)));
    }
    let normalised = RecurrentConfig {
        layer_norm: LayerNorm::Marian,
        encoder_cell: Cell::Lstm,
        decoder_cell: Cell::Lstm,
        encoder_depth: 2,
        decoder_depth: 2,
        skip: true,
        ..amun
    };
    assert_learns("deep LSTM", &config(Architecture::Recurrent(normalised)));
}

/// Sentence pairs in which nothing can be guessed: random words.
pub(crate) fn random_pairs(count: usize) -> Batch {
    let mut batch = Batch::default();
    let mut state = 1_u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    for _ in 0..count {
        for side in [&mut batch.source, &mut batch.target] {
            let length = 2 + next(6) as usize;
            let words: Vec<_> = (0..length).map(|_| WordId(2 + next(WORDS as u32 - 2))).chain([WordId(0)]).collect();
            side.push(&words);
        }
    }
    batch
}

/// The loss per word of 32 sentences falls below 0.01: everything is learned by heart.
fn assert_learns(name: &str, config: &Config) {
    let batch = random_pairs(32);
    let schedule = Schedule { rate: 5e-3, warmup: 20, decay: Decay::InverseSquareRoot { from: 100 } };
    let optimizer = OptimizerSettings { schedule, clip_norm: 1.0, ..OptimizerSettings::default() };
    let settings = TrainerSettings { optimizer, ..TrainerSettings::plain() };
    let mut trainer = Trainer::new(config, settings, 1, 2).unwrap();
    let words = batch.target.all().len() as f64;
    let mut loss = f64::INFINITY;
    for _ in 0..600 {
        loss = trainer.update(&batch).unwrap().losses.loss / words;
        if loss < 0.01 {
            return;
        }
    }
    panic!("{name}: {loss} per word after 600 updates");
}

#[test]
fn transformers_learn_by_heart() {
    let settings = TransformerConfig {
        dim_emb: 32,
        encoder_ffn: FeedForward { dim: 64, depth: 2 },
        decoder_ffn: FeedForward { dim: 64, depth: 2 },
        ..transformer()
    };
    let relative = TransformerConfig { positions: Positions::Relative { distance: 4 }, ..settings.clone() };
    assert_learns("relative positions", &config(Architecture::Transformer(relative)));
    for (name, decoder_layer) in [
        ("self-attention", DecoderLayer::SelfAttention),
        ("SSRU", DecoderLayer::Ssru { projection: false }),
        (
            "average attention",
            DecoderLayer::AverageAttention(AverageAttention {
                ffn: FeedForward { dim: 48, depth: 2 },
                activation: Activation::Relu,
                gate: true,
            }),
        ),
    ] {
        let settings = TransformerConfig { decoder_layer, ..settings.clone() };
        assert_learns(name, &config(Architecture::Transformer(settings)));
    }
}

/// Attention learns to follow the given alignment, here to the other end of the sentence.
#[test]
fn attention_follows_given_alignments() {
    let mut batch = Batch::default();
    for i in 0..12_u32 {
        let length = 3 + i % 4;
        let words = |factor: u32| (0..length).map(move |t| WordId(2 + (i * factor + t * 5) % 20)).chain([WordId(0)]);
        batch.source.push(&words(7).collect::<Vec<_>>());
        batch.target.push(&words(3).collect::<Vec<_>>());
        batch.alignments.push((0..length).map(|t| (length - 1 - t, t)).collect());
    }
    let wider = RecurrentConfig { dim_emb: 32, dim_rnn: 48, ..recurrent() };
    let wide = TransformerConfig { dim_emb: 32, ..transformer() };
    for architecture in [
        Architecture::Transformer(wide),
        Architecture::Recurrent(wider.clone()),
        Architecture::Recurrent(RecurrentConfig { dim_emb: 32, dim_rnn: 48, ..devlin()[2].1.clone() }),
    ] {
        let config = config(architecture);
        let loss = LossSettings { guided_alignment: 1.0, ..LossSettings::PLAIN };
        let schedule = Schedule { rate: 5e-3, warmup: 20, ..Schedule::default() };
        let optimizer = OptimizerSettings { schedule, clip_norm: 1.0, ..OptimizerSettings::default() };
        let settings = TrainerSettings { loss, optimizer, ..TrainerSettings::plain() };
        let mut trainer = Trainer::new(&config, settings, 1, 2).unwrap();
        for _ in 0..150 {
            trainer.update(&batch).unwrap();
        }
        let parameters = trainer.parameters();
        let tensors = parameters.iter().map(|(name, m)| (name, vec![m.rows(), m.cols()], m.as_slice().to_vec()));
        let model = Model::new(config, &Weights::from_tensors("trained", tensors).unwrap()).unwrap();
        let (mut state, mut scores) = (model.new_state(), model.new_scores());
        let (mut right, mut all) = (0, 0);
        for i in 0..batch.source.len() {
            let sentence = Sentence { attention: true, ..Sentence::new(SentId(0), batch.source.get(i)) };
            model.encode(&[sentence], &mut state);
            let mut parent = None;
            for (t, &word) in batch.target.get(i).iter().enumerate() {
                model.step(
                    Step::New,
                    StepDemand::ANYTHING,
                    &[StepRow { sentence: SentId(0), parent }],
                    &mut state,
                    &mut scores,
                );
                let weights = model.attention(&state, Row::new(0));
                if let Some(&(source, _)) = batch.alignments[i].iter().find(|(_, target)| *target as usize == t) {
                    right += usize::from(weights[source as usize] > 0.5);
                    all += 1;
                }
                parent = Some(Parent { row: Row::new(0), word });
            }
            model.release(SentId(0), &mut state);
        }
        assert!(right * 10 > all * 9, "{right} of {all} words");
    }
}

#[test]
fn a_network_begins_with_the_shares_of_words() {
    let counts: Vec<u64> = (0..WORDS as u64).map(|word| 100 * word * word).collect();
    let sum = counts.iter().map(|&count| count as f64 + 1.0).sum::<f64>();
    for architecture in [Architecture::Transformer(transformer()), Architecture::Recurrent(recurrent())] {
        let mut parameters = Parameters::new(3);
        let network = Network::declare(&config(architecture), &mut parameters).unwrap();
        network.start_from(&counts, &mut parameters);
        // The contribution of the rest of the network to the bias.
        let output = network.parts.words().output;
        parameters.set(output, &Matrix::zeros(WORDS, parameters.value(output).cols())).unwrap();
        let mut host = Host::default();
        let mut tape = Tape::new(&parameters, None, None, &mut host);
        let pairs = random_pairs(4);
        let losses = network.loss(&mut tape, &pairs, &Dropout::NONE, &LossSettings::PLAIN, 1.0);
        let mut expected: Vec<f64> = pairs.target.all().iter().map(|w| counts[w.0 as usize] as f64 + 1.0).collect();
        expected.iter_mut().for_each(|count| *count = (*count / sum).ln());
        let got = by_sentence(&network, &pairs, losses.log_probs);
        assert_eq!(got.len(), expected.len());
        got.iter().zip(&expected).for_each(|(&got, expected)| assert!((f64::from(got) - expected).abs() < 1e-4));
        assert!(losses.log_z.iter().all(|z| z.abs() < 1e-4));
    }
}

/// Dropout takes numbers from what a state's products read, not from what its gates keep.
#[test]
fn what_a_gate_keeps_is_kept_whole() {
    let (_, settings) = devlin().swap_remove(0);
    let mut parameters = Parameters::new(3);
    let network = Network::declare(&config(Architecture::Recurrent(settings)), &mut parameters).unwrap();
    // Always the same start, gates of one half, and candidates of zero.
    let value_of = |name: &str| match name {
        "decoder_ff_state_b" => Some(0.7),
        "decoder_ff_state_W" => Some(0.0),
        _ => name.starts_with("decoder_cell1").then_some(0.0),
    };
    let values: Vec<_> = parameters.iter().map(|(name, _)| value_of(name)).collect();
    for (matrix, value) in parameters.values_mut().zip(values) {
        value.into_iter().for_each(|value| matrix.as_mut_slice().fill(value));
    }
    let parts::Network::Recurrent(recurrent) = &network.parts else { unreachable!() };
    let mut host = Host::default();
    let mut tape = Tape::new(&parameters, None, Some(1), &mut host);
    let dropout = Dropout { recurrent: 0.5, ..Dropout::NONE };
    let decoded = recurrent::forward(recurrent, &mut tape, &batch(), &dropout);
    let states = tape.value(decoded.output);
    // Position by position; the last is the sixth of the longest sentence.
    let last = states.row(states.rows() - 1);
    assert!(last.iter().all(|&x| (x - 0.7_f32.tanh() / 64.0).abs() < 1e-6), "{last:?}");
}

/// Memory does not grow from batch to batch: a pool that is given more than was taken from it would.
#[test]
fn batches_leave_no_memory_behind() {
    let all = [Architecture::Transformer(transformer()), Architecture::Recurrent(recurrent())];
    for architecture in all.into_iter().chain([Architecture::Recurrent(devlin()[2].1.clone())]) {
        let config = config(architecture);
        let mut parameters = Parameters::new(3);
        let network = Network::declare(&config, &mut parameters).unwrap();
        let mut gradients = crate::parameters::Gradients::new(&parameters);
        let mut host = Host::default();
        let settings = LossSettings { label_smoothing: 0.1, ..LossSettings::PLAIN };
        let dropout = Dropout { layer: 0.1, attention: 0.1, recurrent: 0.1, target_words: 0.1, ..Dropout::NONE };
        let mut capacities = Vec::new();
        for i in 0..12 {
            let mut tape = Tape::new(&parameters, Some(&mut gradients), Some(i), &mut host);
            network.loss(&mut tape, &random_pairs(16), &dropout, &settings, 1.0);
            tape.backward();
            capacities.push(host.pooled());
        }
        assert_eq!(capacities[4..], [capacities[4]; 8], "{capacities:?}");
    }
}

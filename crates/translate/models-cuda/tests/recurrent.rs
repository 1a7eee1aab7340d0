//! A recurrent network on a device (the emulator, or a GPU with `METAPHRASE_TEST_GPU`) is the network of the CPU: the
//! same translations, scores and attention within a bound; and the same bits alone and in any batch.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{assert_near, both, both_of, mixed, search, sentences_of, tasks};
use metaphrase_base::{Unit, UnitTimes, WordId};
use metaphrase_models::config::{
    AttentionFirst, Cell, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, TiedEmbeddings, Top,
};
use metaphrase_models::parts::{Init, Network, Supply};
use metaphrase_models::{Architecture, Config, DecoderDefaults, Model, Weights};
use metaphrase_models_cuda::WeightNumbers;
use metaphrase_search::{Options, Strategy};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

/// The recurrent networks of the repository, which Marian made: all kinds of cells.
const FIXTURES: [&str; 10] = [
    "amun",
    "amun-norm-tied-all",
    "nematus-norm-deep",
    "s2s-gru-alternating",
    "s2s-lstm-uni-tied",
    "s2s-mgru",
    "s2s-mlstm-norm",
    "s2s-sru-norm",
    "s2s-ssru",
    "s2s-tanh-relu",
];

/// Translations that are about as long as their sources, as networks of made-up numbers do not end by themselves.
fn options(model: &Model, beam_size: usize) -> Options {
    Options { max_length_factor: 0.8, ..common::options(model, beam_size) }
}

fn fixture(name: &str) -> String {
    format!("../recurrent/{name}")
}

/// Tensors of made-up numbers, by name.
#[derive(Default)]
struct MadeUp(BTreeMap<String, (Vec<usize>, Vec<f32>)>);

impl Supply for MadeUp {
    type Tensor = ();
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], init: Init) -> Result<(), Infallible> {
        let (middle, width) = match init {
            Init::Constant(middle) => (middle, 0.3),
            Init::Glorot => (0.0, 2.0 * (6.0 / (shape[0] + shape[1]) as f32).sqrt()),
            Init::He => (0.0, (6.0 / shape[0] as f32).sqrt()),
            Init::Uniform(limit) => (0.0, limit),
        };
        let seed: f32 = name.bytes().map(f32::from).sum();
        let number = |i: usize| middle + width * (seed + 1.7 * i as f32 + (i / 7) as f32).sin();
        self.0
            .entry(name.to_owned())
            .or_insert_with(|| (shape.to_vec(), (0..shape[0] * shape[1]).map(number).collect()));
        Ok(())
    }
}

/// A network of these settings on the CPU and on the device.
fn made_up(settings: RecurrentConfig) -> [Model; 2] {
    let config = Config {
        source_words: 33,
        target_words: 35,
        end_of_sentence: 0,
        never: vec![1],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: DecoderDefaults::default(),
        architecture: Architecture::Recurrent(settings),
    };
    let mut tensors = MadeUp::default();
    let Ok(_) = Network::build(&config, &mut tensors);
    let tensors = tensors.0.into_iter().map(|(name, (shape, numbers))| (name, shape, numbers));
    let weights = Weights::from_tensors("made up", tensors).unwrap();
    both_of(config, &weights, WeightNumbers::F32, true)
}

/// Networks of sizes that fill no team of threads, and of settings that the models of the repository have not.
fn settings() -> Vec<(&'static str, RecurrentConfig)> {
    let plain = RecurrentConfig { dim_emb: 12, dim_rnn: 20, ..RecurrentConfig::default() };
    let nematus = RecurrentConfig {
        layer_norm: LayerNorm::Nematus,
        encoder_cell: Cell::GruNematus,
        decoder_cell: Cell::GruNematus,
        ..plain.clone()
    };
    let first =
        |layers, top| DecoderForm::AttentionFirst(AttentionFirst { dim_attention: 9, layers, dim_layers: 14, top });
    let devlin = |decoder| RecurrentConfig {
        dim_encoder: Some(11),
        encoder_type: EncoderType::Joined,
        encoder_depth: 2,
        decoder_cell_base_depth: 1,
        decoder,
        ..plain.clone()
    };
    let all = TiedEmbeddings { source_target: false, target_output: true };
    vec![
        ("a conditional GRU", plain.clone()),
        ("a wide one", RecurrentConfig { dim_emb: 40, dim_rnn: 90, ..plain.clone() }),
        ("tied target words", RecurrentConfig { tied_embeddings: all, ..plain.clone() }),
        ("Nematus' norms", nematus.clone()),
        ("Marian's norms", RecurrentConfig { layer_norm: LayerNorm::Marian, ..plain.clone() }),
        ("four attentions", RecurrentConfig { attention_heads: 4, ..plain.clone() }),
        ("deep transitions", RecurrentConfig { encoder_cell_depth: 4, decoder_cell_base_depth: 8, ..nematus }),
        (
            "stacks with skip connections",
            RecurrentConfig {
                encoder_type: EncoderType::BiUnidirectional,
                encoder_depth: 3,
                decoder_depth: 3,
                decoder_cell_high_depth: 2,
                skip: true,
                ..plain.clone()
            },
        ),
        (
            "stacks of LSTM",
            RecurrentConfig {
                encoder_type: EncoderType::Alternating,
                encoder_cell: Cell::Lstm,
                decoder_cell: Cell::Lstm,
                encoder_depth: 2,
                decoder_depth: 2,
                encoder_cell_depth: 2,
                ..plain.clone()
            },
        ),
        ("attention first", devlin(first(0, Top::None))),
        ("attention first, layers and a map on top", devlin(first(6, Top::Tanh { dim: 15 }))),
        ("attention first, layers and a GRU on top", devlin(first(3, Top::Gru))),
    ]
}

fn assert_equal(name: &str, [cpu, device]: &[Model; 2]) {
    for beam_size in [1, 4] {
        let of = |model: &Model| search(model, 100, tasks(model, &options(model, beam_size), sentences_of(model, 7)));
        assert_near(name, &of(device), &of(cpu), 1e-4);
    }
    assert_eq!(device.device_failure(), None);
}

#[test]
fn models_of_marian_have_the_n_best_lists_and_the_attention_of_the_cpu() {
    for name in FIXTURES {
        assert_equal(name, &both(&fixture(name), WeightNumbers::F32));
    }
}

#[test]
fn networks_of_all_settings_have_the_n_best_lists_and_the_attention_of_the_cpu() {
    for (name, settings) in settings() {
        assert_equal(name, &made_up(settings));
    }
}

#[test]
fn a_sentence_has_the_same_bits_alone_and_in_any_batch() {
    for (name, settings) in settings() {
        let [_, device] = made_up(settings);
        let of = |batch_tokens| {
            search(&device, batch_tokens, tasks(&device, &options(&device, 3), sentences_of(&device, 5)))
        };
        let alone = of(1);
        for batch_tokens in [10, 1000] {
            assert_eq!(of(batch_tokens), alone, "{name}, batch {batch_tokens}");
        }
    }
}

#[test]
fn shortlists_constraints_and_prefixes_work_in_one_batch() {
    for name in ["amun-norm-tied-all", "s2s-lstm-uni-tied"] {
        let [cpu, device] = both(&fixture(name), WeightNumbers::F32);
        let terms = [vec![vec![WordId(9), WordId(11)]], vec![vec![WordId(5)]]];
        let of = |model: &Model| {
            let tasks = tasks(model, &options(model, 3), sentences_of(model, 6));
            search(model, 1000, mixed(model, tasks, &terms))
        };
        assert_near(name, &of(&device), &of(&cpu), 1e-4);
    }
}

#[test]
fn ensembles_and_cube_pruning_work() {
    let [first, on_device] = both(&fixture("amun"), WeightNumbers::F32);
    let [second, other] = both(&fixture("s2s-mgru"), WeightNumbers::F32);
    let cpu = Model::ensemble(vec![first, second], &[0.7, 0.3]).unwrap();
    let device = Model::ensemble(vec![on_device, other], &[0.7, 0.3]).unwrap();
    let cube = Options { strategy: Strategy::CUBE, ..options(&cpu, 4) };
    let drawn = Options { sampling: Some("topk:5".parse().unwrap()), n_best: 1, beam_size: 1, ..options(&cpu, 1) };
    for options in [cube, drawn, options(&cpu, 3)] {
        let of = |model: &Model| search(model, 100, tasks(model, &options, sentences_of(model, 4)));
        assert_near("an ensemble", &of(&device), &of(&cpu), 1e-4);
    }
}

#[test]
fn weights_in_bf16_give_scores_near_those_in_f32() {
    let path = fixture("nematus-norm-deep");
    let [cpu, device] = both(&path, WeightNumbers::Bf16);
    let target: Vec<WordId> = [5, 9, 12, 7, 3, 0].map(WordId).to_vec();
    let scores = |model: &Model| {
        let mut task = tasks(model, &options(model, 1), vec![target.clone()]);
        task[0].prefix.clone_from(&target);
        search(model, 1, task).remove(0).hypotheses.remove(0).word_log_probs
    };
    let difference = |(a, b): (&f32, &f32)| (a - b).abs();
    let most = scores(&device).iter().zip(&scores(&cpu)).map(difference).fold(0.0, f32::max);
    assert!(0.0 < most && most < 0.1, "scores differ by {most}");
}

#[test]
fn slots_are_used_again() {
    let [cpu, device] = both(&fixture("amun"), WeightNumbers::F32);
    let of = |model: &Model| search(model, 20, tasks(model, &options(model, 2), sentences_of(model, 20)));
    assert_near("slots", &of(&device), &of(&cpu), 1e-4);
}

#[test]
fn a_thread_that_measures_has_the_time_of_each_part() {
    let [_, device] = both(&fixture("amun"), WeightNumbers::F32);
    let of = || search(&device, 20, tasks(&device, &options(&device, 2), sentences_of(&device, 3)));
    let times = Arc::new(UnitTimes::default());
    let measurement = times.measure();
    let measured = of();
    drop(measurement);
    for unit in [Unit::Encoder, Unit::Attention, Unit::Decoder, Unit::Output, Unit::Softmax] {
        assert!(times.get(unit).seconds > 0.0, "{unit}");
    }
    assert_eq!(of(), measured);
}

//! Shrinking is exact where the members are equal.

use super::*;
use crate::data::Sentences;
use crate::networks::Network;
use crate::networks::tests::architectures::{WORDS, config, recurrent};
use crate::networks::tests::randomise;
use crate::parameters::Parameters;
use crate::unfold::Table;
use metaphrase_base::WordId;
use metaphrase_models::config::Cell;
use std::collections::BTreeMap;

fn network() -> RecurrentConfig {
    RecurrentConfig {
        encoder_cell: Cell::Gru,
        decoder_cell: Cell::Gru,
        encoder_cell_depth: 2,
        decoder_cell_base_depth: 3,
        tied_embeddings: TiedEmbeddings { source_target: false, target_output: true },
        ..recurrent()
    }
}

/// The tensors of a network that was drawn from this seed.
fn tensors(seed: u64) -> BTreeMap<String, Table> {
    let mut parameters = Parameters::new(seed);
    Network::declare(&config(Architecture::Recurrent(network())), &mut parameters).unwrap();
    randomise(&mut parameters);
    let table =
        |m: &metaphrase_kernels::Matrix| Table { rows: m.rows(), columns: m.cols(), numbers: m.as_slice().into() };
    parameters.iter().map(|(name, matrix)| (name.to_owned(), table(matrix))).collect()
}

fn member(tensors: BTreeMap<String, Table>) -> (Config, Weights) {
    let tensors = tensors.into_iter().map(|(name, table)| (name, vec![table.rows, table.columns], table.numbers));
    (config(Architecture::Recurrent(network())), Weights::from_tensors("member", tensors).unwrap())
}

/// Pairs of random words, of different lengths.
fn text(pairs: usize) -> Corpus {
    let mut random = 12345_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    let mut sentence = || {
        let length = 2 + next(8);
        let words = (0..length).map(|_| WordId(2 + next(WORDS as u32 - 2))).chain([WordId(0)]);
        words.collect::<Vec<_>>()
    };
    let (mut source, mut target) = (Sentences::default(), Sentences::default());
    for _ in 0..pairs {
        source.push(&sentence());
        target.push(&sentence());
    }
    Corpus::new(Batch { source, target, alignments: Vec::new() })
}

/// ln p of each target word of a text.
fn log_probs(config: &Config, tensor: impl Fn(&str) -> Option<Table>, text: &Corpus) -> Vec<f32> {
    let mut parameters = Parameters::new(1);
    let network = Network::declare(config, &mut parameters).unwrap();
    let names: Vec<String> = parameters.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let table = tensor(&name).unwrap();
        let value = metaphrase_kernels::Matrix::from_vec(table.rows, table.columns, table.numbers);
        parameters.set(parameters.find(&name).unwrap(), &value).unwrap();
    }
    let mut host = metaphrase_device::Host::default();
    let mut log_probs = Vec::new();
    for batch in batches(text) {
        let mut tape = crate::tape::Tape::new(&parameters, None, None, &mut host);
        let (none, plain) = (crate::networks::Dropout::NONE, crate::networks::LossSettings::PLAIN);
        log_probs.extend(network.loss(&mut tape, &batch, &none, &plain, 1.0).log_probs);
    }
    log_probs
}

/// The greatest difference between ln p of a model and of the network that these members were shrunk to.
fn difference(model: &BTreeMap<String, Table>, members: Vec<BTreeMap<String, Table>>) -> f32 {
    let members: Vec<_> = members.into_iter().map(member).collect();
    let (UnfoldedNetwork { config, tensors }, report) = shrink_members(&members, &text(200)).unwrap();
    assert!(report.fitted <= report.removed);
    // A text that neurons were not chosen by.
    let other = text(230);
    let shrunk = log_probs(&config, |name| tensors.get(name).cloned(), &other);
    let expected = log_probs(&members[0].0, |name| model.get(name).cloned(), &other);
    shrunk.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// The neurons of the decoder's states, the forward states and the hidden layer in another order.
fn permuted(mut tensors: BTreeMap<String, Table>) -> BTreeMap<String, Table> {
    let turned = |size: usize| -> Vec<usize> { (0..size).map(|i| (i * 5 + 3) % size).collect() };
    let unfolded = UnfoldedNetwork::new(&[member(tensors.clone())]).unwrap();
    let plan = plan::Plan::new(crate::unfold::names(&unfolded.config, &network())).unwrap();
    let of = |layer: plan::Layer, size: usize| match layer {
        plan::Layer::State | plan::Layer::Attention => turned(size),
        plan::Layer::Forward => turned(size),
        plan::Layer::Annotations => turned(size / 2).into_iter().chain(size / 2..size).collect(),
        _ => (0..size).collect::<Vec<_>>(),
    };
    let with = |table: &Table, rows: &[usize], columns: &[usize]| {
        let numbers = rows.iter().flat_map(|row| columns.iter().map(move |column| row * table.columns + column));
        Table { numbers: numbers.map(|place| table.numbers[place]).collect(), ..table.clone() }
    };
    let columns = |map: &plan::Map, table: &Table| -> Vec<usize> {
        let size = table.columns / map.parts;
        (0..map.parts).flat_map(|part| of(map.to, size).into_iter().map(move |i| part * size + i)).collect()
    };
    for reading in &plan.readings {
        for map in &reading.maps {
            let table = &tensors[&map.name];
            let table = with(table, &of(reading.from, table.rows), &columns(map, table));
            tensors.insert(map.name.clone(), table);
        }
    }
    for bias in &plan.biases {
        let table = with(&tensors[&bias.name], &[0], &columns(bias, &tensors[&bias.name]));
        tensors.insert(bias.name.clone(), table);
    }
    let v = with(&tensors[&plan.v], &turned(tensors[&plan.v].rows), &[0]);
    tensors.insert(plan.v, v);
    tensors
}

#[test]
fn copies_of_a_model_become_the_model() {
    let model = tensors(1);
    let found = difference(&model, vec![model.clone(), model.clone(), model.clone()]);
    assert!(found < 0.01, "{found}");
}

#[test]
fn members_with_their_neurons_in_another_order_become_one() {
    let model = tensors(1);
    let turned = permuted(model.clone());
    assert_ne!(turned, model);
    let found = difference(&model, vec![model.clone(), turned]);
    assert!(found < 0.01, "{found}");
}

#[test]
fn a_model_that_keeps_its_size_keeps_its_scores() {
    let model = tensors(1);
    let found = difference(&model, vec![model.clone()]);
    assert!(found < 0.01, "{found}");
}

#[test]
fn a_short_text_is_refused() {
    let problem = shrink_members(&[member(tensors(1))], &text(5)).err().unwrap();
    assert!(problem.contains("target words, and 128 are the least"), "{problem}");
}

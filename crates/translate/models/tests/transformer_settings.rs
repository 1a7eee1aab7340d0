//! A Transformer whose tensors do not fit its settings is refused in one sentence; equivalent settings agree.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, word_scores};
use metaphrase_base::WordId;
use metaphrase_models::config::{Operations, Positions, TransformerConfig};
use metaphrase_models::{Architecture, Config, Model, Weights, load};

type Tensors = Vec<(String, Vec<usize>, Vec<f32>)>;

/// Settings and tensors of a tiny model.
fn tiny(name: &str) -> (Config, Tensors) {
    let (config, weights) = load(&fixtures("transformer").join(format!("{name}.npz"))).unwrap();
    let tensor = |name: &str| {
        let tensor = weights.tensor(name).unwrap();
        (name.to_owned(), tensor.shape.to_vec(), tensor.data.to_vec())
    };
    let tensors = weights.names().map(tensor).collect();
    (config, tensors)
}

fn model(config: Config, tensors: Tensors) -> Result<Model, String> {
    let weights = Weights::from_tensors("tiny.npz", tensors).unwrap();
    Model::new(config, &weights).map_err(|error| error.to_string())
}

fn network(config: &mut Config) -> &mut TransformerConfig {
    match &mut config.architecture {
        Architecture::Transformer(network) => network,
        Architecture::Recurrent(_) => panic!("a Transformer"),
    }
}

fn expect_refusal(result: Result<Model, String>, about: &str) {
    let message = result.err().expect("a refusal");
    assert!(message.starts_with("tiny.npz: ") && message.contains(about), "{message}");
}

#[test]
fn every_tensor_is_needed_and_has_one_shape() {
    let (config, tensors) = tiny("post-relu-tied-all");
    for i in 0..tensors.len() {
        let (name, shape, data) = &tensors[i];
        let mut without = tensors.clone();
        without.remove(i);
        expect_refusal(model(config.clone(), without), &format!("`{name}`"));
        let mut other = tensors.clone();
        other[i] = (name.clone(), vec![shape[0], shape[1], 1], data.clone());
        expect_refusal(model(config.clone(), other), &format!("tensor `{name}` is {} × {} × 1", shape[0], shape[1]));
    }
    assert!(model(config, tensors).is_ok());
}

#[test]
fn settings_that_contradict_themselves_are_refused() {
    let (config, tensors) = tiny("post-relu-tied-all");
    let refused = |change: fn(&mut TransformerConfig), about: &str| {
        let mut config = config.clone();
        change(network(&mut config));
        expect_refusal(model(config, tensors.clone()), about);
    };
    refused(|n| n.heads = 3, "an embedding size of 16 is not a multiple of 3 heads");
    refused(|n| n.alignment_layer = 3, "the alignment layer 3 is not one of the decoder's 2");
    refused(|n| n.tied_layers = vec![1, 4], "tied layers [1, 4] do not fit a decoder of 2 layers");
    refused(|n| n.tied_layers = vec![1], "tied layers [1] do not fit a decoder of 2 layers");
    refused(|n| n.decoder_ffn.depth = 0, "the decoder feed-forward depth is 0, expected 1 to 1024");
    refused(
        |n| n.preprocess = Operations::try_from("a".to_owned()).unwrap(),
        "the setting `preprocess` is `a`, but only normalisations (`n`, `r`) can stand there",
    );
    refused(
        |n| n.postprocess_emb = Operations::try_from("nh".to_owned()).unwrap(),
        "the setting `postprocess-emb` is `nh`",
    );
    refused(|n| n.layer_norm_epsilon = f32::NAN, "the layer-norm-epsilon is NaN");
    refused(|n| n.positions = Positions::Trained, "`Wpos`");
    refused(|n| n.start_word = Some(1 << 20), "word 1048576, which the decoder starts with, is not one of");
}

/// Marian 1.12.42 can not run `type: transformer` with trained positions, so there is nothing to compare with but
/// the sinusoids.
#[test]
fn trained_positions_can_be_sinusoids() {
    let (mut config, mut tensors) = tiny("untied-swish-depths");
    let source: Vec<_> = [5, 9, 2, 17, 0].map(WordId).to_vec();
    let target: Vec<_> = [8, 3, 11, 4, 6, 0].map(WordId).to_vec();
    let expected = word_scores(&model(config.clone(), tensors.clone()).unwrap(), &source, &target);

    let dim = network(&mut config).dim_emb;
    network(&mut config).positions = Positions::Trained;
    let frequency = |k: usize| 10000_f64.powf(-(k as f64) / (dim as f64 / 2.0 - 1.0));
    let mut table = Vec::new();
    for t in 0..target.len() {
        let angles = (0..dim / 2).map(|k| t as f64 * frequency(k));
        table.extend(angles.clone().map(|angle| angle.sin() as f32));
        table.extend(angles.map(|angle| angle.cos() as f32));
    }
    tensors.push(("Wpos".into(), vec![target.len(), dim], table));
    let scores = word_scores(&model(config, tensors).unwrap(), &source, &target);
    assert!(scores.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{scores:?}, not {expected:?}");
}

/// A decoder that starts from the vector v of a word instead of zeros. The reference starts from zeros: v is added to
/// the vector of position 0, and taken from the embedding of the source's first word.
#[test]
fn a_start_word_is_read_before_the_first_word() {
    let (mut config, mut tensors) = tiny("untied-swish-depths");
    let source: Vec<_> = [5, 9, 2, 17, 0].map(WordId).to_vec();
    let target: Vec<_> = [8, 3, 11, 4, 6, 0].map(WordId).to_vec();
    let zeros = word_scores(&model(config.clone(), tensors.clone()).unwrap(), &source, &target);
    network(&mut config).positions = Positions::Trained;
    let (dim, start) = (network(&mut config).dim_emb, 7);
    let mut table: Vec<f32> = (0..target.len() * dim).map(|i| (i as f32).sin()).collect();
    let place = |name: &str| tensors.iter().position(|(tensor, ..)| tensor == name).unwrap();
    let (encoder, decoder) = (place("encoder_Wemb"), place("decoder_Wemb"));
    let with_positions = |mut tensors: Tensors, table: Vec<f32>| {
        tensors.push(("Wpos".into(), vec![target.len(), dim], table));
        tensors
    };
    let mut started = config.clone();
    network(&mut started).start_word = Some(start);
    let started = model(started, with_positions(tensors.clone(), table.clone())).unwrap();
    let scores = word_scores(&started, &source, &target);

    let scale = if network(&mut config).scale_embeddings { (dim as f32).sqrt() } else { 1.0 };
    for (i, position) in table.iter_mut().enumerate().take(dim) {
        let number = tensors[decoder].2[start as usize * dim + i];
        *position += scale * number;
        tensors[encoder].2[source[0].index() * dim + i] -= number;
    }
    let expected = word_scores(&model(config, with_positions(tensors, table)).unwrap(), &source, &target);
    assert!(scores.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{scores:?}, not {expected:?}");
    assert!(scores.iter().zip(&zeros).any(|(a, b)| (a - b).abs() > 1e-2), "the start makes a difference");
}

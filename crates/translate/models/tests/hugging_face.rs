//! Log-probabilities of Hugging Face models equal those of `transformers` (`testdata/models/make_hugging_face.py`).

#![allow(clippy::unwrap_used)] // a test fails by panicking

use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
use metaphrase_models::{Architecture, Model, StoredPrecision, convert};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A pair of sentences and the natural logarithm of the probability of each target word.
#[derive(Deserialize)]
struct Golden {
    source: Vec<u32>,
    target: Vec<u32>,
    log_probs: Vec<f32>,
}

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models").join(name)
}

/// The log-probabilities of the words of `target`, one step at a time.
fn log_probs(model: &Model, source: &[u32], target: &[u32]) -> Vec<f32> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let source: Vec<WordId> = source.iter().map(|&word| WordId(word)).collect();
    model.encode(&[Sentence::new(SentId(0), &source)], &mut state);
    let mut parent = None;
    let step = |&word: &u32| {
        model.step(
            Step::New,
            StepDemand::ANYTHING,
            &[StepRow { sentence: SentId(0), parent }],
            &mut state,
            &mut scores,
        );
        parent = Some(Parent { row: Row(0), word: WordId(word) });
        scores.score(Row(0), WordId(word))
    };
    target.iter().map(step).collect()
}

fn check(model: &Model, golden: &[Golden], tolerance: f32) {
    for pair in golden {
        let ours = log_probs(model, &pair.source, &pair.target);
        for (ours, theirs) in ours.iter().zip(&pair.log_probs) {
            assert!((ours - theirs).abs() < tolerance, "{ours} and {theirs} for {:?}", pair.target);
        }
        assert_eq!(ours.len(), pair.log_probs.len());
    }
}

#[test]
fn log_probabilities_equal_those_of_transformers() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["hugging-face-tied", "hugging-face-untied"] {
        let json = std::fs::read(testdata(name).join("golden.json")).unwrap();
        let golden: Vec<Golden> = serde_json::from_slice(&json).unwrap();
        check(&Model::load(&testdata(name)).unwrap(), &golden, 1e-5);

        let converted = folder.path().join(name);
        convert(&testdata(name), &converted, StoredPrecision::F32).unwrap();
        check(&Model::load(&converted).unwrap(), &golden, 1e-5);
    }
}

/// The vector of `<pad>`, which decoding starts from, is zeros in models of Marian, and may be others after further
/// training.
#[test]
fn a_start_word_with_a_vector_is_read() {
    let folder = testdata("hugging-face-tied");
    let json = std::fs::read(folder.join("config.json")).unwrap();
    let mut tensors = std::fs::read(folder.join("model.safetensors")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let pad = settings["pad_token_id"].as_u64().unwrap() as usize;
    let read = |tensors: &[u8]| {
        let (config, _) = metaphrase_models::from_bytes::hugging_face(&folder, &json, tensors.to_vec()).unwrap();
        match config.architecture {
            Architecture::Transformer(network) => network.start_word,
            Architecture::Recurrent(_) => panic!("a Transformer"),
        }
    };
    assert_eq!(read(&tensors), None);
    let length = u64::from_le_bytes(tensors[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&tensors[8..8 + length]).unwrap();
    let names = ["model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"];
    let table = names.iter().map(|name| &header[name]).find(|table| table.is_object()).unwrap();
    let start = table["data_offsets"][0].as_u64().unwrap() as usize;
    let cols = table["shape"][1].as_u64().unwrap() as usize;
    let number = 8 + length + start + pad * cols * 4;
    tensors[number..number + 4].copy_from_slice(&0.5_f32.to_le_bytes());
    assert_eq!(read(&tensors), Some(pad as u32));
}

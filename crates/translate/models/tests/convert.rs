//! From any format to our own directory, and back.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use crate::common::word_scores;
use metaphrase_base::WordId;
use metaphrase_models::{
    Encoding, Format, Model, ModelFiles, Precision, StoredPrecision, Weights, convert, inspect, load,
};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models").join(name)
}

fn assert_close(a: &Weights, b: &Weights, relative: f32) {
    assert!(a.names().eq(b.names()));
    for name in a.names() {
        let (a, b) = (a.tensor(name).unwrap(), b.tensor(name).unwrap());
        assert_eq!(a.shape, b.shape);
        for (x, y) in a.data.iter().zip(b.data.iter()) {
            assert!((x - y).abs() <= relative * x.abs().max(1e-4), "{name}: {x} and {y}");
        }
    }
}

#[test]
fn all_formats_convert_at_all_precisions() {
    let folder = tempfile::tempdir().unwrap();
    for model in ["marian-tiny", "nematus-tiny", "hugging-face-tied", "hugging-face-untied"] {
        let (config, exact) = load(&testdata(model)).unwrap();
        // f16 has 11 significant bits, bf16 has 8; half a unit of the last.
        let roundings =
            [(StoredPrecision::F32, 0.0), (StoredPrecision::F16, 2e-3), (StoredPrecision::Bf16, 1.0 / 256.0)];
        for (precision, relative) in roundings {
            let to = folder.path().join(format!("{model}-{precision:?}"));
            convert(&testdata(model), &to, precision).unwrap();
            let (same, weights) = load(&to).unwrap();
            assert_eq!(same, config);
            assert_close(&exact, &weights, relative);
            let tensors = inspect(&to).unwrap().tensors;
            assert!(tensors.iter().all(|tensor| tensor.shape[0] > 1 || tensor.encoding == Encoding::F32));
            let files = ModelFiles::find(&to).unwrap();
            assert_eq!(files.format, Format::Directory);
            let vocabularies = files.vocabularies().unwrap();
            assert!(vocabularies.source.words.is_file() && vocabularies.target.words.is_file());
        }
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 12, "{left:?}");
}

#[test]
fn our_directory_converts_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (once, twice) = (folder.path().join("once"), folder.path().join("twice"));
    convert(&testdata("marian-tiny"), &once, StoredPrecision::F16).unwrap();
    convert(&once, &twice, StoredPrecision::F16).unwrap();
    for file in ["config.toml", "model.safetensors"] {
        assert_eq!(std::fs::read(once.join(file)).unwrap(), std::fs::read(twice.join(file)).unwrap());
    }
}

#[test]
fn nothing_is_overwritten_and_nothing_half_done_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    std::fs::create_dir(&to).unwrap();
    std::fs::write(to.join("precious"), "text").unwrap();
    let message = convert(&testdata("marian-tiny"), &to, StoredPrecision::F32).unwrap_err().to_string();
    assert!(message.contains("exists already"), "{message}");
    assert!(convert(&folder.path().join("nowhere"), &folder.path().join("new"), StoredPrecision::F32).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_newer_directory_is_refused_for_being_newer() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    convert(&testdata("marian-tiny"), &to, StoredPrecision::F32).unwrap();
    let manifest = std::fs::read_to_string(to.join("config.toml")).unwrap();
    let newer = manifest.replace("version = 1", "version = 4\nnew-setting = true");
    std::fs::write(to.join("config.toml"), newer).unwrap();
    let message = load(&to).unwrap_err().to_string();
    assert!(message.contains("version 4"), "{message}");
    std::fs::write(to.join("config.toml"), manifest.replace("heads", "haeds")).unwrap();
    let message = load(&to).unwrap_err().to_string();
    assert!(message.contains("config.toml: line") && message.contains("haeds"), "{message}");
}

/// Weights that were rounded by the converter are those that are rounded at loading, and are used as they are.
#[test]
fn int8_directories_are_the_model_in_int8() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["marian-tiny", "nematus-tiny", "hugging-face-tied", "hugging-face-untied"] {
        let (config, exact) = load(&testdata(name)).unwrap();
        let to = folder.path().join(name);
        convert(&testdata(name), &to, StoredPrecision::Int8).unwrap();
        let (mut same, stored) = load(&to).unwrap();
        assert_eq!(
            same.decoding.precision.take(),
            Some(Precision::Int8),
            "its files recommend what they were made for"
        );
        assert_eq!(same, config);
        for precision in [Precision::Int8, Precision::F32] {
            let [here, there] = [&exact, &stored].map(|weights| {
                let model = Model::with_precision(config.clone(), weights, precision).unwrap();
                word_scores(&model, &[WordId(3), WordId(5), WordId(0)], &[WordId(4), WordId(2), WordId(0)])
            });
            assert_eq!(here == there, precision == Precision::Int8, "{name}, {precision:?}: {here:?}, {there:?}");
        }
        // Again: the integers stay.
        let twice = folder.path().join(format!("{name}-twice"));
        convert(&to, &twice, StoredPrecision::Int8).unwrap();
        for file in ["config.toml", "model.safetensors"] {
            assert_eq!(std::fs::read(to.join(file)).unwrap(), std::fs::read(twice.join(file)).unwrap());
        }
        let report = inspect(&to).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        let is_int8 = |encoding| matches!(encoding, Encoding::Scaled8 | Encoding::Panels8);
        let is_integers = |name: &str| report.tensors.iter().any(|t| t.name == name && is_int8(t.encoding));
        assert!(stored.names().filter(|name| name.contains("Wemb")).all(is_integers));
        assert!(report.bytes() < inspect(&testdata(name)).unwrap().bytes(), "{name}");
    }
}

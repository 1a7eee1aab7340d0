//! Reports of `inspect` on sound and on damaged models.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use metaphrase_models::{Format, StoredPrecision, convert, inspect};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models").join(name)
}

#[test]
fn a_sound_model_has_no_problems() {
    let report = inspect(&testdata("marian-tiny")).unwrap();
    assert_eq!(report.format, Format::MarianNpz);
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    // Wemb and its bias; three attentions of 4 · (8·8 + 8) + 16; two feed-forward blocks.
    let expected = (12 * 8 + 12) + 3 * (4 * (64 + 8) + 16) + 2 * (8 * 12 + 12 + 12 * 8 + 8 + 16);
    assert_eq!(report.parameters(), expected);
    assert_eq!(report.bytes(), 4 * expected);
    let text = report.to_string();
    for part in ["Marian npz", "vocab.yml", "heads = 2", "encoder_l1_self_Wq", "8 × 8", "no problems"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn hugging_face_models_have_no_problems() {
    for name in ["hugging-face-tied", "hugging-face-untied"] {
        let report = inspect(&testdata(name)).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        assert_eq!(report.format, Format::HuggingFace);
    }
}

/// Replaces text of the same length in a file.
fn patch(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn missing_misshapen_unused_and_strange_tensors_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let problems = |name: &str, damage: &dyn Fn(&Path, &Path)| {
        let to = folder.path().join(name);
        convert(&testdata("marian-tiny"), &to, StoredPrecision::F32).unwrap();
        damage(&to.join("config.toml"), &to.join("model.safetensors"));
        std::fs::remove_file(to.join("checksums")).unwrap();
        inspect(&to).unwrap().problems.join("\n")
    };
    let missing = problems("missing", &|_, weights| patch(weights, "encoder_l1_self_Wq", "encoder_l1_self_Wx"));
    assert!(missing.contains("there is no tensor `encoder_l1_self_Wq`"), "{missing}");
    let misshapen = problems("misshapen", &|config, _| {
        patch(config, "source-words = 12", "source-words = 11");
        patch(config, "target-words = 12", "target-words = 11");
    });
    assert!(misshapen.contains("tensor `Wemb` is 12 × 8, expected 11 × 8"), "{misshapen}");
    let unused = problems("unused", &|config, _| patch(config, "output-bias = true", "output-bias=false "));
    assert!(unused.contains("`decoder_ff_logit_out_b` is not used"), "{unused}");
    let strange = problems("strange", &|_, weights| {
        let mut bytes = std::fs::read(weights).unwrap();
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        std::fs::write(weights, bytes).unwrap();
    });
    assert!(strange.contains("1 numbers that are infinite or not a number"), "{strange}");
}

#[test]
fn scales_of_activations_are_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("scales");
    convert(&testdata("marian-tiny"), &to, StoredPrecision::F32).unwrap();
    patch(&to.join("config.toml"), "output-bias = true", "output-bias=false ");
    patch(&to.join("model.safetensors"), "decoder_ff_logit_out_b", "decoder_abc_QuantMultA");
    std::fs::remove_file(to.join("checksums")).unwrap();
    let report = inspect(&to).unwrap();
    assert_eq!((report.problems.as_slice(), report.activation_scales), (&[][..], 1));
    assert!(report.to_string().contains("1 scales of activations, which are not needed"), "{report}");
}

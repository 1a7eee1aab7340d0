//! A translator on a device, which is emulated here: lines in, lines out, as on the CPU.
//!
//! `cargo test -p metaphrase --features emulator --test device`
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase::{Case, Device, Glossary, Gpus, Package, Precision, Translator, TranslatorBuilder};
use std::path::{Path, PathBuf};

/// The first GPU.
const FIRST: Device = Device::Cuda(Gpus::FIRST);

fn tiny(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/transformer").join(file)
}

fn builder(device: Device) -> TranslatorBuilder {
    builder_of("pre-gelu-tied-src.npz", device)
}

/// A builder with a model next to the tiny Transformers, or in another folder of tiny models.
fn builder_of(model: &str, device: Device) -> TranslatorBuilder {
    let model = tiny(model);
    let vocabularies = ["vocab.source.yml", "vocab.target.yml"].map(|name| model.with_file_name(name));
    let package = Package::files(&model, &vocabularies).unwrap();
    Translator::builder().package(package.with_precision(Precision::F32)).device(device).threads(2)
}

/// The texts and scores of the best translations.
fn texts(translator: &Translator, lines: &[&str]) -> Vec<(String, f32)> {
    let translations = translator.translate(lines).unwrap();
    translations.iter().map(|t| (t.text().to_owned(), t.hypotheses[0].score)).collect()
}

#[test]
fn lines_have_the_translations_of_the_cpu() {
    let source = std::fs::read_to_string(tiny("source.txt")).unwrap();
    assert_equal("pre-gelu-tied-src.npz", &source);
}

#[test]
fn recurrent_networks_translate_as_on_the_cpu() {
    let source = std::fs::read_to_string(tiny("../recurrent/source.txt")).unwrap();
    for model in ["amun-norm-tied-all", "nematus-norm-deep", "s2s-lstm-uni-tied"] {
        assert_equal(&format!("../recurrent/{model}.npz"), &source);
    }
}

/// Asserts that a model has the same translations on the CPU and on the device, there alone and in a batch.
fn assert_equal(model: &str, source: &str) {
    let lines: Vec<&str> = source.lines().take(4).collect();
    let expected = texts(&builder_of(model, Device::Cpu).build().unwrap(), &lines);
    let on_device = texts(&builder_of(model, FIRST).build().unwrap(), &lines);
    assert_eq!(on_device.len(), lines.len());
    for ((text, score), (expected, expected_score)) in on_device.iter().zip(&expected) {
        assert_eq!(text, expected, "{model}");
        assert!((score - expected_score).abs() < 1e-4, "{model}: {score}, on the CPU {expected_score}");
    }
    let alone = builder_of(model, FIRST).batch_tokens(1).build().unwrap();
    assert_eq!(texts(&alone, &lines), on_device, "{model}");
}

#[test]
fn several_gpus_have_the_same_translations() {
    let source = std::fs::read_to_string(tiny("source.txt")).unwrap();
    let lines: Vec<&str> = source.lines().take(6).collect();
    let three = builder("cuda:0,1,5".parse().unwrap()).batch_tokens(1).build().unwrap();
    assert_eq!(texts(&three, &lines), texts(&builder(FIRST).build().unwrap(), &lines));
}

#[test]
fn a_bundled_model_translates_with_its_glossary() {
    let lines = ["The house is old."];
    let glossary = Glossary::parse("house\tGebäude\n", Case::Ignore).unwrap();
    let translator = |device| {
        let builder = Translator::builder().model("en-de").precision(Precision::F32).threads(1).device(device);
        builder.glossary(glossary.clone()).build().unwrap()
    };
    let (cpu, device) = (texts(&translator(Device::Cpu), &lines), texts(&translator(FIRST), &lines));
    assert_eq!(device[0].0, cpu[0].0);
    assert!(device[0].0.contains("Gebäude"), "{device:?}");
    assert!((device[0].1 - cpu[0].1).abs() < 1e-3, "{device:?} {cpu:?}");
}

#[test]
fn integers_are_refused() {
    let refused = builder(FIRST).model("de-en").precision(Precision::Int8).build().err().unwrap().to_string();
    assert!(refused.starts_with("the device `cuda:0` has models in f32 or bf16, not in integers"), "{refused}");
}

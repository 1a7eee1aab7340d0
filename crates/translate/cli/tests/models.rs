//! Models by path: `inspect`, `convert`, and what is said about files that are none.

use crate::common::{file, names, run, translate};
use std::path::Path;

/// The model that comes with the program, as a directory.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/en-de");
/// A model of Marian's with few numbers.
const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/models/marian-tiny");
const TEXT: &str = "Good morning!\nI am tired.\n";

#[test]
fn a_model_tells_what_it_is() {
    let report = run(&["inspect", MODEL], "").ok();
    for told in ["transformer", "source.spm", "no problems", "parameters"] {
        assert!(report.contains(told), "{told}: {report}");
    }
}

#[test]
fn models_that_come_with_the_program_have_names() {
    assert_eq!(translate(&["-m", "en-de"], TEXT).ok(), translate(&[], TEXT).ok());
    assert_eq!(translate(&["-m", "de-en"], "Guten Morgen!\nIch bin müde.\n").ok(), "Good morning!\nI'm tired.\n");
    assert_eq!(run(&["inspect", "en-de"], "").ok(), run(&["inspect", MODEL], "").ok().replace(MODEL, "en-de"));
    let line = "de-en: sound, and the checksums of its 2 files are right\n";
    assert_eq!(run(&["inspect", "--check", "de-en"], "").ok(), line);

    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    run(&["convert", "-m", "en-de", "--to", to.to_str().unwrap(), "--precision", "int8"], "").ok();
    assert_eq!(translate(&["-m", to.to_str().unwrap()], TEXT).ok(), translate(&[], TEXT).ok());
    let again = folder.path().join("again");
    run(&["convert", "-m", to.to_str().unwrap(), "--to", again.to_str().unwrap(), "--precision", "int8"], "").ok();
    let weights = |model: &Path| std::fs::read(model.join("model.safetensors")).unwrap();
    assert!(weights(&to) == weights(&again), "the same bytes");
}

#[test]
fn models_of_other_languages_form_no_ensemble() {
    let error = translate(&["-m", "en-de", "-m", "de-en"], TEXT).error(1);
    let expected = "these models can not form an ensemble: model 2 translates from de to en, model 1 from en to de";
    assert_eq!(error, expected);
}

#[test]
fn a_converted_model_translates_alike() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let to = to.to_str().unwrap();
    run(&["convert", "-m", MODEL, "--to", to, "--precision", "int8"], "").ok();
    let expected = translate(&["--n-best", "2"], TEXT).ok();
    assert_eq!(translate(&["-m", MODEL, "--n-best", "2"], TEXT).ok(), expected);
    assert_eq!(translate(&["-m", to, "--n-best", "2"], TEXT).ok(), expected);
    let vocabulary = format!("{to}/source.spm");
    let weights = format!("{to}/model.safetensors");
    assert_eq!(translate(&["-m", &weights, "--vocab", &vocabulary, "--n-best", "2"], TEXT).ok(), expected);
    let error = run(&["convert", "-m", MODEL, "--to", to], "").error(1);
    assert!(error.contains(to), "{error}");
    assert_eq!(names(folder.path()), [Path::new("model")], "nothing is left behind");
}

#[test]
fn a_model_is_written_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    for (format, model, files) in [
        ("ctranslate2", "en-de", &["model.bin", "config.json", "sentencepiece.model"][..]),
        ("ctranslate2", TINY, &["model.bin", "config.json"]),
        ("marian", TINY, &["model.npz", "decoder.yml"]),
    ] {
        let to = folder.path().join(format!("{format}-{}", model.len()));
        let to = to.to_str().unwrap();
        run(&["convert", "-m", model, "--to", to, "--format", format], "").ok();
        for file in files {
            assert!(Path::new(to).join(file).is_file(), "{format} {file}");
        }
        let options = ["--beam-size", "1", "--precision", "f32"];
        let expected = translate(&[&["-m", model], &options[..]].concat(), TEXT).ok();
        assert_eq!(translate(&[&["-m", to], &options[..]].concat(), TEXT).ok(), expected, "{format}");
    }
    let to = folder.path().join("refused");
    let error = run(&["convert", "-m", "en-de", "--to", to.to_str().unwrap(), "--format", "hugging-face"], "").error(1);
    assert!(error.contains("is not supported"), "{error}");
    assert!(!to.exists());
    run(&["convert", "-m", "en-de", "--to", "x", "--format", "onnx"], "").error(2);
}

#[test]
fn a_model_computes_in_the_numbers_that_it_recommends() {
    let folder = tempfile::tempdir().unwrap();
    let [floats, integers] = ["f32", "int8"].map(|precision| {
        let to = folder.path().join(precision);
        let to = to.to_str().unwrap().to_owned();
        run(&["convert", "-m", TINY, "--to", &to, "--precision", precision], "").ok();
        to
    });
    // With scores, whose last places show the numbers.
    let scores = |model: &str, precision: &[&str]| {
        translate(&[&["-m", model, "--n-best", "1"], precision].concat(), "Hello, world!\n").ok()
    };
    let exact = scores(&floats, &["--precision", "f32"]);
    let rounded = scores(&floats, &["--precision", "int8"]);
    assert!(exact != rounded);
    for auto in [&[][..], &["--precision", "auto"]] {
        assert_eq!(scores(&floats, auto), exact);
        assert_eq!(scores(&integers, auto), rounded);
    }
    assert!(scores(&integers, &["--precision", "f32"]) != rounded, "the option counts more");
}

#[test]
fn a_damaged_model_is_found_before_it_translates() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    run(&["convert", "-m", MODEL, "--to", to.to_str().unwrap(), "--precision", "f16"], "").ok();
    let model = to.to_str().unwrap();
    let line = format!("{model}: sound, and the checksums of its 2 files are right");
    assert_eq!(run(&["inspect", "--check", model], "").lines(), [line]);
    assert!(run(&["inspect", model], "").ok().contains("checksums   right for 2 files"));

    let weights = to.join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    for args in [&["inspect", "--check", model][..], &["inspect", model], &["translate", "-m", model]] {
        let error = run(args, "Good morning!\n").error(1);
        let expected = format!("{model}/model.safetensors: the file is damaged: its checksum is ");
        assert!(error.starts_with(&expected), "{error}");
    }
    std::fs::remove_file(to.join("checksums")).unwrap();
    let line = run(&["inspect", "--check", model], "").ok();
    assert!(line.contains("it has no checksums (a model that `metaphrase convert` writes has them)"), "{line}");
}

#[test]
fn what_is_no_model_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap().to_owned();
    let text = file(&folder, "model.npz", "not a model");
    let missing = format!("{empty}/missing");
    for path in [&text, &missing, &empty] {
        for args in [&["translate", "-m", path][..], &["inspect", path], &["score", "-m", path]] {
            let run = run(args, "");
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
            let error = run.error(1);
            assert!(error.contains(&**path), "{args:?}: {error}");
        }
    }
    let error = run(&["translate", "-m", MODEL, "--vocab", &text], "").error(1);
    assert!(error.contains(&text), "{error}");
}

#[cfg(feature = "serve")]
#[test]
fn what_is_no_model_is_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap().to_owned();
    let text = file(&folder, "notes.txt", "not a model");
    for path in [&text, &format!("{empty}/missing"), &empty] {
        // Without the check the server fails, too: no machine has an address for documentation.
        let error =
            run(&["serve", "-m", "de-en=de-en", "-m", &format!("en-de={path}"), "--host", "192.0.2.1"], "").error(1);
        assert!(error.starts_with("the model en-de cannot be served: ") && error.contains(&**path), "{error}");
    }
}

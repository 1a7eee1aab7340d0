//! `phrase train` takes the files that its stages would make, and leaves the files of others alone.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{command, file, names, path, run};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The lines from `from` on of a training text of `testdata/phrase`, tokenised.
fn part(folder: &TempDir, name: &str, language: &str, from: usize) -> String {
    let text =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/phrase").join(format!("train.{language}.gz"));
    let tokens = run(&["tokenize", "-l", language, "--escape", "-i", text.to_str().unwrap()], "").lines();
    file(folder, &format!("{name}.{language}"), tokens[from..from + 100].join("\n") + "\n")
}

/// Both sides of the first and of the second hundred lines.
fn texts(folder: &TempDir) -> [String; 4] {
    [("a", "de", 0), ("a", "en", 0), ("b", "de", 100), ("b", "en", 100)]
        .map(|(name, language, from)| part(folder, name, language, from))
}

fn content(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(folder);
    names(folder).into_iter().map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap())).collect()
}

const QUICK: [&str; 4] = ["--rounds", "1", "--n-best", "5"];

#[test]
fn tables_of_another_text_are_not_taken() {
    let folder = TempDir::new().unwrap();
    let [a_de, a_en, b_de, b_en] = texts(&folder);
    let [links, model] = ["links", "model"].map(|name| path(&folder, name));
    run(&["align", &a_de, &a_en, "-o", &links], "").ok();
    run(&["extract", &a_de, &a_en, &links, "-o", &model], "").ok();
    let before = content(&model);
    let train = ["phrase", "train", &b_de, &b_en, "-o", &model];
    for resume in [&[][..], &["--resume"]] {
        let error = run(&[&train, resume].concat(), "").error(1);
        let expected = "candidates.s2t.gz is not of a training in this directory; train in another directory";
        assert_eq!(error, format!("{model}/{expected}"));
        assert!(content(&model) == before, "nothing is written");
    }
}

#[test]
fn another_text_is_told_and_trained_on() {
    let folder = TempDir::new().unwrap();
    let [a_de, a_en, b_de, b_en] = texts(&folder);
    let [model, fresh] = ["model", "fresh"].map(|name| path(&folder, name));
    let train = |de: &str, en: &str, model: &str, more: &[&str]| {
        let args = ["phrase", "train", de, en, "--dev", &a_de, &a_en, "-o", model];
        run(&[&args[..], &QUICK, more].concat(), "")
    };
    train(&a_de, &a_en, &model, &[]).ok();
    let error = train(&b_de, &b_en, &model, &[]).error(1);
    assert!(
        error.ends_with("has a training already; go on with it (--resume), or train in another directory"),
        "{error}"
    );
    let again = train(&a_de, &a_en, &model, &["--resume"]);
    assert!(!again.stderr.contains("repeated ("), "{}", again.stderr);

    let other = train(&b_de, &b_en, &model, &["--resume"]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    let repeated: Vec<&str> = other.stderr.lines().filter(|line| line.contains("repeated (")).collect();
    assert_eq!(repeated.len(), 5, "{}", other.stderr);
    assert_eq!(repeated[0], "metaphrase: warning: word alignment: repeated (source text: another content now)");
    train(&b_de, &b_en, &fresh, &[]).ok();
    assert!(content(&model) == content(&fresh), "the same bytes");
}

/// The program is killed when a file comes to be: each one in turn, by SIGKILL.
#[cfg(unix)]
#[test]
fn a_training_that_was_killed_goes_on_to_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let [de, en, ..] = texts(&folder);
    let [whole, killed] = ["whole", "killed"].map(|name| path(&folder, name));
    let train = ["phrase", "train", &de, &en, "--dev", &de, &en];
    run(&[&train[..], &QUICK, &["-o", &whole]].concat(), "").ok();
    for file in ["", "alignment.gz", "phrase-table.gz", "lm.arpa.gz", "lm.bin", "moses.untuned.ini"] {
        let resume: &[&str] = if Path::new(&killed).join("stages.toml").exists() { &["--resume"] } else { &[] };
        let mut child = command(&[&train[..], &QUICK, &["-o", &killed], resume].concat()).spawn().unwrap();
        let begun = Instant::now();
        while !Path::new(&killed).join(file).exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{file}");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run(&[&train[..], &QUICK, &["-o", &killed, "--resume"]].concat(), "").ok();
    assert!(content(&killed) == content(&whole), "the same bytes, and nothing besides");
}

//! Files that change while they are in use, that are damaged, or that lie elsewhere.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{command, run, spawn};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a program with a file, line by line; truncates the file after the first answer.
fn truncated_meanwhile(args: &[&str], file: &Path) -> (String, Option<i32>, String) {
    let mut child = spawn(args);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"a b c\n").unwrap();
    let mut answer = String::new();
    stdout.read_line(&mut answer).unwrap();
    File::options().write(true).open(file).unwrap().set_len(0).unwrap();
    let _ = stdin.write_all("c b a\n".repeat(100).as_bytes());
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    (answer, output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_file_that_is_truncated_in_use_ends_the_program_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let lm = folder.path().join("lm.bin");
    run(&["lm", "compile", "-m", text(&testdata("ngram/lmplz.arpa")), "-o", text(&lm)], "").ok();
    let (answer, status, error) = truncated_meanwhile(&["lm", "query", "-m", text(&lm), "--level", "sentence"], &lm);
    assert!(answer.starts_with('-'), "{answer}");
    assert_eq!(status, Some(1), "{error}");
    let expected = format!(
        "metaphrase: error: {}: the file was truncated while it was in use; run the command again, and replace files that \
         are in use by renaming others over them\n",
        lm.display()
    );
    assert_eq!(error, expected);
}

/// The worker threads of a process choose their instruction set themselves, so each run is a process of its own. A set
/// that this CPU lacks is ignored.
#[test]
fn instruction_sets_change_nothing() {
    let text = "The house is old.\nHe took a cab home.\tTaxi\nI have many apples and pears.\n";
    let translated = |set: &str| {
        let options = [
            "--input-format",
            "tsv",
            "--output-format",
            "json",
            "--n-best",
            "2",
            "--word-scores",
            "--alignment",
            "soft",
        ];
        let mut command = command(&[&["translate", "--threads", "2", "-b", "3"][..], &options].concat());
        let mut child = command.env("METAPHRASE_ISA", set).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout.iter().filter(|byte| **byte == b'\n').count() == 3);
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = translated("portable");
    for set in ["avx2", "avx512"] {
        assert_eq!(translated(set), expected, "{set}");
    }
}

/// Names of files and what they hold must not break or colour the terminal.
#[test]
fn messages_have_no_control_characters() {
    let error = run(&["inspect", "\u{1b}[31mred\nnext"], "");
    assert_eq!(error.stderr.lines().count(), 1, "{}", error.stderr);
    assert!(!error.stderr.trim_end().contains(char::is_control), "{}", error.stderr);
}

//! Output that cannot be written, and files that are written whole or not at all.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{command, file, names, run, spawn, translate};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the end of a program that should end by itself.
fn ends(child: &mut std::process::Child) -> Option<i32> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("the program does not end");
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut child = spawn(&["translate", "-b", "1"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all("I am tired.\n".repeat(50).as_bytes()).unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    // The input stays open and nothing more comes.
    assert_eq!(ends(&mut child), Some(0));
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
    drop(stdin);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_even_while_the_input_is_open() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let mut child = command(&["translate", "-b", "1"]).stdout(full()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"I am tired.\n").unwrap();
    assert_eq!(ends(&mut child), Some(1));
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(stderr.starts_with("metaphrase: error: cannot write standard output: No space left"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);

    let error = translate(&["-o", "/dev/full"], "I am tired.\n").error(1);
    assert!(error.starts_with("cannot write /dev/full: No space left"), "{error}");
    let status = command(&["translate", "--help"]).stdout(full()).status().unwrap();
    assert_eq!(status.code(), Some(1));
    // The error cannot be printed, but the work is done.
    let mut child = command(&["translate", "-b", "1"]).stderr(full()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"b\xffad\n").unwrap();
    assert_eq!(ends(&mut child), Some(0));
}

#[test]
fn packed_files_are_read_and_written_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = "Good morning!\nI am tired.\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let input = file(&folder, "text.en.gz", packed.finish().unwrap());
    let output = folder.path().join("text.de.gz");
    let written = run(&["translate", "-i", &input, "-o", output.to_str().unwrap()], "").ok();
    assert_eq!(written, "");
    let mut translation = String::new();
    MultiGzDecoder::new(File::open(output).unwrap()).read_to_string(&mut translation).unwrap();
    assert_eq!(translation, translate(&[], text).ok());
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(&folder, "text", "I am tired.\nI am hungry.\n");
    let prefix = file(&folder, "prefix", "Ich\n");
    let output = file(&folder, "output", "old\n");
    let error = translate(&["-i", &text, "--prefix", &prefix, "-o", &output], "").error(1);
    assert!(error.contains("has only 1 lines"), "{error}");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "old\n");
    translate(&["-i", &text, "-o", &output], "").ok();
    assert_eq!(std::fs::read_to_string(&output).unwrap().lines().count(), 2);
    assert_eq!(names(folder.path()).len(), 3, "nothing is left behind");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such file");
    let missing = missing.to_str().unwrap();
    assert!(translate(&["-i", missing], "").error(1).starts_with(&format!("cannot read {missing}: ")));
    let inside = format!("{missing}/output");
    let error = translate(&["-o", &inside], "a\n").error(1);
    assert!(error.starts_with(&format!("cannot write {inside}: ")) && !error.contains(".part"), "{error}");
    let here = folder.path().to_str().unwrap();
    assert!(translate(&["-i", here], "").error(2).starts_with(&format!("{here} is a folder; name another folder")));
    let broken = file(&folder, "broken.gz", "not packed");
    assert!(translate(&["-i", &broken], "").error(1).starts_with(&format!("cannot read {broken}: ")));
    let error = translate(&["-m", missing], "a\n").error(1);
    assert!(error.contains(missing), "{error}");
}

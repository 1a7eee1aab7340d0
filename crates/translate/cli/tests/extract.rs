//! Phrase tables on the command line.

use crate::common::{file, names, run};
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

const GERMAN: &str = "das haus\ndas haus\ndas buch\nein Ärger\n";
const ENGLISH: &str = "the house\nhouse the\nthe book\ntrouble\n";
const LINKS: &str = "0-0 1-1\n0-1 1-0\n0-0 1-1\n1-0\n";

#[allow(clippy::unwrap_used, reason = "a helper of tests")]
fn unpacked(folder: &Path, name: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(folder.join(name)).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn tables_are_moses_tables() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", ENGLISH);
    let links = file(&folder, "links", LINKS);
    let output = folder.path().join("model");
    let arguments = |output: &Path| {
        let all = ["extract", &german, &english, &links, "--smoothing", "none", "-o", output.to_str().unwrap()];
        all.map(str::to_owned)
    };
    assert_eq!(run(&arguments(&output), "").ok(), "");
    // das: 3 times `the`. haus: twice `house`. `ein` has no link, so `Ärger` is `trouble` with it and without.
    let expected = "\
buch ||| book ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||
das buch ||| the book ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||
das haus ||| house the ||| 1 1 0.5 1 ||| 1-0 0-1 ||| 1 2 1 ||| |||
das haus ||| the house ||| 1 1 0.5 1 ||| 0-0 1-1 ||| 1 2 1 ||| |||
das ||| the ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||
ein Ärger ||| trouble ||| 0.5 1 1 1 ||| 1-0 ||| 2 1 1 ||| |||
haus ||| house ||| 1 1 1 1 ||| 0-0 ||| 2 2 2 ||| |||
Ärger ||| trouble ||| 0.5 1 1 1 ||| 0-0 ||| 2 1 1 ||| |||
";
    assert_eq!(unpacked(&output, "phrase-table.gz"), expected);
    let reordering = unpacked(&output, "reordering-table.wbe-msd-bidirectional-fe.gz");
    assert_eq!(reordering.lines().count(), 8);
    // `das` follows the start twice and `haus` once, from its right; `haus` and `buch` follow it, or the end, from its
    // left.
    let line = "das ||| the ||| 0.555556 0.333333 0.111111 0.555556 0.111111 0.333333";
    assert!(reordering.lines().any(|found| found == line), "{reordering}");
    assert_eq!(unpacked(&output, "lex.s2t.gz"), "the das 1\nhouse haus 1\nbook buch 1\ntrouble Ärger 1\n");
    let all =
        ["candidates.s2t.gz", "extract.checksums", "lex.s2t.gz", "lex.t2s.gz", "phrase-table.gz"].map(PathBuf::from);
    assert_eq!(names(&output)[..5], all);

    let again = folder.path().join("again");
    run(&[&arguments(&again)[..], &["--threads".into(), "3".into()]].concat(), "").ok();
    for name in names(&output) {
        let read = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(read(&output) == read(&again), "{}", name.display());
    }
}

#[test]
fn only_word_translations() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", ENGLISH);
    let output = folder.path().join("lists");
    let arguments = ["extract", &german, &english, "-", "--lexicon-only", "-o", output.to_str().unwrap()];
    run(&arguments, LINKS).ok();
    assert_eq!(
        names(&output),
        ["candidates.s2t.gz", "extract.checksums", "lex.s2t.gz", "lex.t2s.gz"].map(PathBuf::from)
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", ENGLISH);
    let output = folder.path().join("model").to_str().unwrap().to_owned();
    for (links, expected) in [
        ("0-0\n0-0\n0-0\n", "there are 3 lines of links for 4 sentence pairs"),
        ("0-0\n0-0\n2-0\n\n", "line 3: link 2-0 is outside the sentence pair of 2 and 2 words"),
        ("0-0\n0:0\n0-0\n\n", "standard input, line 2: '0:0' is no link; expected source and target position"),
    ] {
        let error = run(&["extract", &german, &english, "-", "-o", &output], links).error(1);
        assert!(error.starts_with(expected), "{error}");
    }
    let separator = file(&folder, "s.en", "the house\nhouse the\nthe ||| book\ntrouble\n");
    let error = run(&["extract", &german, &separator, "-", "-o", &output], LINKS).error(1);
    assert!(error.starts_with("line 3 has the word '|||'"), "{error}");
    let error = run(&["extract", &german, &english, "-", "-o", &output, "--max-length", "9"], LINKS).error(1);
    assert!(error.starts_with("phrases of up to 9 words are not supported; choose 1 to 8"), "{error}");
    let blocked = file(&folder, "blocked", "");
    let error = run(&["extract", &german, &english, "-", "-o", &blocked], LINKS).error(1);
    assert!(error.starts_with("cannot make the folder"), "{error}");
    assert!(!Path::new(&output).exists());
}

#[test]
fn text_that_is_not_parallel_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", "the house\nhouse the\n");
    let output = folder.path().join("model").to_str().unwrap().to_owned();
    let error = run(&["extract", &german, &english, "-", "-o", &output], LINKS).error(1);
    assert!(error.starts_with(&format!("{english} ends after 2 lines and {german} goes on")), "{error}");
    assert!(run(&["extract", &german, "-", "-", "-o", &output], LINKS).error(2).contains("standard input"));
    let english = file(&folder, "t.en", ENGLISH);
    for probability in ["nan", "-0.1", "1.5"] {
        let option = format!("--min-probability={probability}");
        let error = run(&["extract", &german, &english, "-", "-o", &output, &option], LINKS).error(2);
        assert!(error.contains("expected a probability from 0 to 1"), "{error}");
    }
    let error = run(&["extract", &german, &english, "-", "-o", &output, "--memory", "1024"], LINKS).error(2);
    assert!(error.contains("expected at least 16M"), "{error}");
    assert!(!Path::new(&output).exists());
}

#[test]
fn lines_may_be_empty_or_long() {
    let folder = tempfile::tempdir().unwrap();
    let long: Vec<String> = (0..10_000).map(|n| format!("w{n}")).collect();
    let german = file(&folder, "t.de", format!("\ndas\n\ndas\n{}\n{}\n", long.join(" "), long.join(" ")));
    let english = file(&folder, "t.en", format!("\n\nthe\nthe\n{}\nthe\n", long.join(" ")));
    // The long line word by word; then all its words with one.
    let diagonal: String = (0..10_000).map(|n| format!("{n}-{n} ")).collect();
    let column: String = (0..10_000).map(|n| format!("{n}-0 ")).collect();
    let output = folder.path().join("model");
    let arguments = ["extract", &german, &english, "-", "-o", output.to_str().unwrap(), "--max-length", "3"];
    run(&arguments, format!("\n\n\n0-0\n{diagonal}\n{column}\n")).ok();
    let table = unpacked(&output, "phrase-table.gz");
    // Phrases of one, two and three words of the diagonal; `das` and `the`; none has all words that `the` is linked
    // with.
    assert_eq!(table.lines().count(), 10_000 + 9_999 + 9_998 + 1);
    assert!(table.lines().any(|line| line.starts_with("w9998 w9999 ||| w9998 w9999 ||| ")));
}

/// A limit on the size of files is the disk that is full.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let words = |prefix: &str| (0..5_000).map(|n| format!("{prefix}{n}\n")).collect::<String>();
    let german = file(&folder, "t.de", words("d"));
    let english = file(&folder, "t.en", words("e"));
    let links = file(&folder, "links", "0-0\n".repeat(5_000));
    let output = folder.path().join("model");
    for blocks in [0, 1, 20] {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let done = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_metaphrase")])
            .args(["extract", &german, &english, &links, "-o", output.to_str().unwrap()])
            .output()
            .unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        assert!(message.starts_with("metaphrase: error: cannot write "), "{blocks}: {message}");
        assert!(!output.exists(), "{blocks}");
    }
    std::fs::create_dir_all(output.join("lex.t2s.gz")).unwrap();
    let error = run(&["extract", &german, &english, &links, "-o", output.to_str().unwrap()], "").error(1);
    assert!(error.contains("lex.t2s.gz"), "{error}");
    assert_eq!(names(&output), ["lex.t2s.gz"].map(PathBuf::from));
}

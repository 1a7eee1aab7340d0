//! Phrase tables on the command line.

mod common;

use common::{file, names, run};
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};

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
    let (german, english) = (file(&folder, "t.de", GERMAN), file(&folder, "t.en", ENGLISH));
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
    // `das` follows the start twice and `haus` once, from its right; `haus` and `buch` follow it, or the end, from its left.
    let line = "das ||| the ||| 0.555556 0.333333 0.111111 0.555556 0.111111 0.333333";
    assert!(reordering.lines().any(|found| found == line), "{reordering}");
    assert_eq!(unpacked(&output, "lex.s2t.gz"), "the das 1\nhouse haus 1\nbook buch 1\ntrouble Ärger 1\n");
    let all = ["candidates.s2t.gz", "lex.s2t.gz", "lex.t2s.gz", "phrase-table.gz"].map(PathBuf::from);
    assert_eq!(names(&output)[..4], all);

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
    let (german, english) = (file(&folder, "t.de", GERMAN), file(&folder, "t.en", ENGLISH));
    let output = folder.path().join("lists");
    let arguments = ["extract", &german, &english, "-", "--lexicon-only", "-o", output.to_str().unwrap()];
    run(&arguments, LINKS).ok();
    assert_eq!(names(&output), ["candidates.s2t.gz", "lex.s2t.gz", "lex.t2s.gz"].map(PathBuf::from));
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (german, english) = (file(&folder, "t.de", GERMAN), file(&folder, "t.en", ENGLISH));
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
    assert_eq!(names(Path::new(&output)), [""; 0].map(PathBuf::from));
}

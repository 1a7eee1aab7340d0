//! Word alignment on the command line.

use crate::common::{file, names, run};
use std::path::PathBuf;

const GERMAN: &str = "das haus\ndas buch\nein buch\nein haus\n";
const ENGLISH: &str = "the house\nthe book\na book\na house\n";

#[test]
fn each_line_has_its_links() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", ENGLISH);
    assert_eq!(run(&["align", &german, &english], "").lines(), ["0-0 1-1"; 4]);
    assert_eq!(run(&["align", "-", &english, "--threads", "3"], GERMAN).lines(), ["0-0 1-1"; 4]);
    let output = folder.path().join("links.gz").to_str().unwrap().to_owned();
    assert_eq!(run(&["align", &german, &english, "-o", &output, "--symmetrize", "union"], "").ok(), "");
    assert_eq!(names(folder.path()), ["links.gz", "t.de", "t.en"].map(PathBuf::from));
}

#[test]
fn both_texts_may_be_in_one_file() {
    let joined: String = GERMAN.lines().zip(ENGLISH.lines()).map(|(de, en)| format!("{de} ||| {en}\n")).collect();
    assert_eq!(run(&["align", "-"], format!("{joined}\n")).lines(), ["0-0 1-1", "0-0 1-1", "0-0 1-1", "0-0 1-1", ""]);
    for wrong in ["das haus", "das haus ||| the house ||| 1"] {
        let error = run(&["align", "-"], format!("{joined}{wrong}\n")).error(1);
        assert!(error.starts_with("standard input, line 5: expected `source ||| target`"), "{error}");
    }
}

#[test]
fn lines_that_cannot_be_aligned_have_no_links() {
    let folder = tempfile::tempdir().unwrap();
    let long = "das ".repeat(10_000);
    let german = file(&folder, "t.de", format!("{GERMAN}\n\nein buch\n{long}\n"));
    let english = file(&folder, "t.en", format!("{ENGLISH}\none\n\nthe\n"));
    let run = run(&["align", &german, &english], "");
    let warnings = run.stderr.clone();
    assert_eq!(run.lines()[4..], [""; 4]);
    assert!(warnings.contains("2 lines have words on one side only, the first is line 6: no links"), "{warnings}");
    assert!(warnings.contains("line 8 has 10000 and 1 words, more than --max-words 256: no links"), "{warnings}");
}

#[test]
fn texts_that_are_not_parallel_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let german = file(&folder, "t.de", GERMAN);
    let english = file(&folder, "t.en", "the house\nthe book\n");
    let output = folder.path().join("links").to_str().unwrap().to_owned();
    let error = run(&["align", &german, &english, "-o", &output], "").error(1);
    let expected =
        format!("{english} ends after 2 lines and {german} goes on; line n of both has to be the same sentence");
    assert_eq!(error, expected);
    let error = run(&["align", &english, &german], "").error(1);
    assert!(error.contains("goes on"), "{error}");
    let empty = file(&folder, "empty", "\n\n");
    let error = run(&["align", &empty, &empty], "").error(1);
    assert!(error.starts_with("there is no sentence pair with words on both sides"), "{error}");
    assert_eq!(names(folder.path()), ["empty", "t.de", "t.en"].map(PathBuf::from));
    assert!(run(&["align", "-", "-"], "").error(2).starts_with("only one text can come from standard input"));
    let error = run(&["align", &german, &english, "--symmetrize", "grow"], "").error(2);
    assert!(error.contains("grow-diag-final-and"), "{error}");
}

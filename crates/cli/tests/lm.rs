//! `metaphrase lm`: from text to a model, its compiled forms, and scores.

mod common;

use common::{command, run};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/ngram").join(name)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

#[test]
fn from_text_to_scores() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| path(&folder.path().join(name)).to_owned();
    let text = std::fs::read_to_string(testdata("text.en")).expect("the text");
    let (arpa, bin, small) = (file("lm.arpa.gz"), file("lm.bin"), file("lm.q8.bin"));
    run(&["lm", "estimate", "-o", "3", "--prune", "0", "0", "1", "--output", &arpa], &text).ok();
    run(&["lm", "compile", "-m", &arpa, "-o", &bin], "").ok();
    run(&["lm", "compile", "-m", &bin, "-o", &small, "--quantise", "8", "8"], "").ok();
    let size = |name: &str| std::fs::metadata(name).expect("a file").len();
    assert!(size(&small) < size(&bin));

    let query =
        |model: &str, level: &str| run(&["lm", "query", "-m", model, "--level", level], "Tom is zzyx .\n\n").lines();
    for level in ["word", "sentence", "summary"] {
        let expected = query(path(&testdata("lmplz.arpa")), level);
        assert_eq!(expected.len(), if level == "summary" { 6 } else { 2 });
        for model in [&arpa, &bin] {
            let got = query(model, level);
            for (got, expected) in got.iter().zip(&expected) {
                let fields = got.split(['\t', ' ']).zip(expected.split(['\t', ' ']));
                for (got, expected) in fields {
                    match (got.parse::<f64>(), expected.parse::<f64>()) {
                        (Ok(got), Ok(expected)) => assert!((got - expected).abs() < 1e-3 * expected.abs().max(1.0)),
                        _ => assert_eq!(got, expected),
                    }
                }
            }
        }
    }
    let words = query(&bin, "word");
    assert!(words[0].starts_with("Tom="), "{}", words[0]);
    assert!(words[0].contains("\tzzyx=0 1 -") && words[0].ends_with("\t1"), "{}", words[0]);
    let again = run(&["lm", "compile", "-m", &bin, "--arpa"], "").ok();
    assert!(again.starts_with("\\data\\\nngram 1="));
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let arpa = folder.path().join("lm.arpa");
    std::fs::write(&arpa, "old").expect("a file");
    let error = run(&["lm", "estimate", "--output", path(&arpa)], "a <s> b\n").error(1);
    assert!(error.starts_with("standard input, line 1: the word <s> has a meaning of its own"), "{error}");
    assert_eq!(std::fs::read_to_string(&arpa).expect("the file"), "old", "outputs are whole or as they were");
    let error = run(&["lm", "estimate", "--output", path(&arpa)], "a b\n").error(1);
    assert!(error.contains("give discounts to fall back to (--discount-fallback)"), "{error}");
    run(&["lm", "estimate", "-o", "2", "--discount-fallback", "--output", path(&arpa)], "a b\n").ok();
    let error = run(&["lm", "query", "-m", path(&testdata("text.en"))], "").error(1);
    assert!(error.contains("text.en, line 401: the file ends where \\data\\ should come"), "{error}");
    run(&["lm", "estimate", "-o", "7"], "").error(2);
    run(&["lm", "estimate", "-S", "1X"], "").error(2);
    let missing = command(&["lm", "compile", "-m", "/no/such/model"]).output().expect("a run");
    assert_eq!(missing.status.code(), Some(1));
}

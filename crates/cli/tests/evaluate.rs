//! Evaluation on the command line; the numbers themselves are tested in `metaphrase-metrics`.

use crate::common::{file, run};
use serde_json::Value;

const REFERENCE: &str = "The cat sat on the mat.\nThere is a house behind the hill.\n";
const SYSTEM: &str = "The cat sat on a mat.\nThere is one house behind the hill.\n";

#[test]
fn each_metric_has_a_line_in_sacrebleus_form() {
    let folder = tempfile::tempdir().unwrap();
    let reference = file(&folder, "reference", REFERENCE);
    // sacrebleu 2.6.0: sacrebleu reference -i system -m bleu chrf ter -f text
    let expected = [
        "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 54.9 86.7/69.2/45.5/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 15 ref_len = 15)",
        "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 77.1",
        "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 15.4",
    ];
    assert_eq!(run(&["evaluate", "--metric", "bleu,chrf,ter", &reference], SYSTEM).lines(), expected);
    assert_eq!(run(&["evaluate", &reference], SYSTEM).lines(), expected[..1]);
    let json = run(&["evaluate", "--metric", "bleu,ter", "--json", &reference], SYSTEM).ok();
    let scores: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&scores[0]["name"], &scores[1]["name"]), (&"BLEU".into(), &"TER".into()));
    let best = run(&["evaluate", "-b", "--lowercase", &reference], REFERENCE.to_uppercase()).ok();
    assert_eq!(best, "100.0\n");
}

#[test]
fn systems_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let (reference, other) = (file(&folder, "reference", REFERENCE), file(&folder, "other", REFERENCE));
    let text = run(&["evaluate", &reference, "--compare", &other], SYSTEM).ok();
    assert!(text.contains("Baseline: standard input") && text.contains("(p = "), "{text}");
    let json = run(&["evaluate", &reference, "--compare", &other, "--json"], SYSTEM).ok();
    let systems: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(systems[1]["BLEU"]["score"].as_f64().map(f64::round), Some(100.0));
    let interval = run(&["evaluate", "--confidence", &reference], SYSTEM).ok();
    assert!(interval.contains("bs:1000") && interval.contains('±'), "{interval}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let reference = file(&folder, "reference", REFERENCE);
    let error = run(&["evaluate", &reference], "one line\n").error(1);
    assert!(error.contains("the hypothesis has 1 lines and the references have 2"), "{error}");
    let missing = run(&["evaluate", "/no/such/file"], "").error(1);
    assert!(missing.starts_with("cannot read /no/such/file: "), "{missing}");
    for (args, expected) in [
        (["--tokenize", "ja-mecab"], "ja-mecab"),
        (["--tokenize", "other"], "there is no tokeniser 'other'"),
        (["--smooth", "floor:x"], "what follows the colon is not a number"),
        (["--metric", "meteor"], "invalid value 'meteor'"),
    ] {
        let error = run(&["evaluate", &reference, args[0], args[1]], SYSTEM).error(2);
        assert!(error.contains(expected), "{error}");
    }
    let error = run(&["evaluate", &reference, "--sentence-level", "--metric", "bleu,ter"], SYSTEM).error(2);
    assert!(error.contains("takes one metric"), "{error}");
}

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
    let reference = file(&folder, "reference", REFERENCE);
    let other = file(&folder, "other", REFERENCE);
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
        (["--smooth", "floor:x"], "expected a number after the colon"),
        (["--metric", "meteor"], "invalid value 'meteor'"),
        (["--tokenize", "ko-mecab"], "needs MeCab and its Korean dictionary, which is not part of this program"),
        (["--tokenize", "flores200"], "needs a SentencePiece model (--tokenizer-model of"),
        (["--tokenizer-model", "x.spm"], "--tokenizer-model is for --tokenize spm, flores101, flores200"),
    ] {
        let error = run(&["evaluate", &reference, args[0], args[1]], SYSTEM).error(2);
        assert!(error.contains(expected), "{error}");
    }
    let error = run(&["evaluate", &reference, "--sentence-level", "--metric", "bleu,ter"], SYSTEM).error(2);
    assert!(error.contains("takes one metric"), "{error}");
}

/// Numbers of sacrebleu 2.6.0; for flores200 with our models in the place of its own: `SACREBLEU=DIR sacrebleu
/// LANGUAGE.ref.txt -i LANGUAGE.hyp.txt -tok flores200 -w 4 -f text`, DIR/models/flores200sacrebleuspm.
#[test]
fn options_of_sacrebleu_have_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let reference = file(&folder, "reference", REFERENCE);
    let system = "THE CAT SAT ON THE MAT.\nthere is a house behind the hill ☃ 猫.\n";
    let evaluate = |options: &[&str]| run(&[&["evaluate", "-w", "4", &reference], options].concat(), system).ok();
    let chrf = evaluate(&["--metric", "chrf", "--chrf-whitespace", "--chrf-lowercase", "--chrf-eps-smoothing"]);
    assert_eq!(chrf, "chrF2|nrefs:1|case:lc|eff:no|nc:6|nw:0|space:yes|version:2.6.0 = 96.8033\n");
    let chrf = evaluate(&["--metric", "chrf", "--chrf-beta", "0"]);
    assert_eq!(chrf, "chrF0|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 54.6592\n");

    let other = file(&folder, "other", system);
    let compared = ["evaluate", &reference, "--compare", &other, "--paired-ar", "--trials", "100", "--json"];
    let compared = run(&compared, SYSTEM).ok();
    assert!(compared.contains("\"p_value\": 0.009900990099009901,"), "{compared}");

    let data = |name: &str| format!("{}/../../../{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = data("recipes/vocabularies/en-de.spm");
    let unknown = data("testdata/text/sentencepiece/unigram-nmt_nfkc.spm");
    for (model, language, expected) in [
        (&bytes, "de", "66.3266 87.0/72.8/60.5/50.5"),
        (&bytes, "zh", "88.6951 96.7/93.1/89.0/85.0"),
        (&bytes, "nasty", "41.1048 51.1/41.8/37.7/35.4"),
        (&unknown, "de", "81.9181 93.4/88.0/82.3/76.9"),
        (&unknown, "zh", "42.1301 72.0/48.1/36.5/24.9"),
        (&unknown, "nasty", "40.6646 52.7/46.8/40.9/36.6"),
    ] {
        let [reference, hypothesis] =
            ["ref", "hyp"].map(|side| data(&format!("testdata/metrics/{language}.{side}.txt")));
        let pieces = ["--tokenize", "flores200", "--tokenizer-model", model, "-i", &hypothesis, "-w", "4"];
        let bleu = run(&[&["evaluate", &reference], &pieces[..]].concat(), "").ok();
        let signature = "BLEU|nrefs:1|case:mixed|eff:no|tok:flores200|smooth:exp|version:2.6.0";
        assert!(bleu.starts_with(&format!("{signature} = {expected} ")), "{model}, {language}: {bleu}");
    }
}

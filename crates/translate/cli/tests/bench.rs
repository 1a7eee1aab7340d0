//! `metaphrase bench`.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{file, run};
use serde_json::Value;

fn number(object: &Value, pointer: &str) -> f64 {
    object.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number {pointer} in {object:#}"))
}

#[test]
fn a_bench_has_all_figures_and_its_units_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("bench.json");
    let picture = folder.path().join("bench.svg");
    let text = file(&folder, "text.en", "Good morning!\n\nWhere is the station?\n");
    let reference = file(&folder, "text.de", "Guten Morgen!\n\nWo ist der Bahnhof?\n");
    let [json_name, picture_name] = [&json, &picture].map(|path| path.to_str().unwrap());
    let args = [
        "bench",
        "-i",
        &text,
        "-r",
        &reference,
        "-b",
        "2",
        "--threads",
        "1",
        "--runs",
        "2",
        "--precisions",
        "f32,int8",
    ];
    let table = run(&[&args[..], &["--json", json_name, "--picture", picture_name]].concat(), "").ok();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();

    for number_of in ["f32", "bf16", "int16", "int8"] {
        assert!(number(&report, &format!("/machine/peak_gops/{number_of}")) > 0.0);
    }
    assert_eq!((number(&report, "/text/lines"), number(&report, "/text/words")), (3.0, 6.0));
    assert_eq!((number(&report, "/beam_size"), number(&report, "/threads")), (2.0, 1.0));
    assert_eq!(report["settings"].as_array().unwrap().len(), 2);
    for setting in report["settings"].as_array().unwrap() {
        let name = setting["name"].as_str().unwrap();
        assert!(table.contains(&format!("\n{name} ")), "{table}");
        assert_eq!(setting["batched"]["seconds"].as_array().unwrap().len(), 2);
        assert_eq!(number(setting, "/single/sentences"), 2.0, "the empty line has no latency");
        let [p50, p95, p99] = ["p50", "p95", "p99"].map(|p| number(setting, &format!("/single/latency_ms/{p}")));
        assert!(0.0 < p50 && p50 <= p95 && p95 <= p99);
        assert!(number(setting, "/batched/words_per_second") > 0.0 && number(setting, "/batched/start_seconds") > 0.0);
        assert!(number(setting, "/bleu") > 50.0 && number(setting, "/identical") > 0.0);
        if cfg!(target_os = "linux") {
            assert!(number(setting, "/batched/peak_mb") > 1.0 && number(setting, "/single/peak_mb") > 1.0);
            assert!(number(setting, "/batched/share_of_peak") > 0.0);
        }
        units_add_up(setting);
    }
    let picture = std::fs::read_to_string(&picture).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains(">output layer</text>"));
}

/// The units of a setting: each has a share, the shares make one, and products were counted where products are.
fn units_add_up(setting: &Value) {
    let units = setting["units"].as_array().unwrap();
    let sum = |field: &str| units.iter().map(|unit| number(unit, &format!("/{field}"))).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-6);
    assert!((sum("seconds") - number(setting, "/units_seconds")).abs() < 1e-9);
    let of = |name: &str| units.iter().find(|unit| unit["unit"] == name).unwrap();
    for unit in ["segmentation", "encoder", "embedding", "decoder", "attention", "output layer", "top-k", "search"] {
        assert!(number(of(unit), "/seconds") > 0.0 && number(of(unit), "/calls") > 0.0, "{unit}");
    }
    for unit in ["encoder", "decoder", "output layer"] {
        assert!(number(of(unit), "/operations") > 0.0 && number(of(unit), "/share_of_peak") > 0.0, "{unit}");
    }
    assert_eq!(number(of("attention"), "/operations"), 0.0);
}

#[test]
fn what_can_not_be_measured_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(&folder, "text.en", "One.\nTwo.\n");
    let reference = file(&folder, "text.de", "Eins.\n");
    let error = run(&["bench", "-i", &text, "-r", &reference], "").error(2);
    assert!(error.contains("the text has 2 lines and its reference 1"), "{error}");
    let error = run(&["bench", "-i", "-"], "\n").error(1);
    assert!(error.contains("there is no word to translate"), "{error}");
    let error = run(&["bench", "-i", &text, "-m", "no-such-model"], "").error(1);
    assert!(error.contains("no-such-model"), "{error}");
}

//! Terms that must, and must not, appear: from TSV, JSON and glossaries.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{run, translate};
use serde_json::{Value, json};

#[test]
fn terms_after_tabs_appear() {
    let text = "He took a cab home.\tTaxi\nHe took a cab home.\nThe house is old.\tGebäude\n\n";
    let lines = translate(&["--input-format", "tsv"], text).lines();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].contains("Taxi"), "{lines:?}");
    assert_eq!(lines[1], translate(&[], "He took a cab home.\n").lines()[0], "nothing is asked of it");
    assert!(lines[2].contains("Gebäude"), "{lines:?}");
    assert_eq!(lines[3], "");
}

#[test]
fn json_says_what_is_met_where_and_what_is_missing() {
    let text = concat!(
        r#"{"text": "The house is old.", "constraints": [["Bau", "Gebäude"], "sehr"], "avoid": ["Das"], "id": 7}"#,
        "\n",
        r#"{"text": "The car is red.", "constraints": ["rot"], "avoid": ["rot"]}"#,
        "\n",
        r#"{"text": "The car is red.", "constraints": 5}"#,
        "\n",
        r#"{"text": "Hello.", "constraints": ["", "Tag"]}"#,
        "\n"
    );
    let result = run(&["translate", "--input-format", "json", "--output-format", "json"], text);
    let objects: Vec<Value> = result.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let translation = objects[0]["translation"].as_str().unwrap();
    assert!(translation.contains("Gebäude") || translation.contains("Bau"), "{translation}");
    assert!(translation.contains("sehr") && !translation.contains("Das "), "{translation}");
    assert_eq!(objects[0]["constraints_missing"], json!([]));
    assert_eq!(objects[0]["id"], 7);
    let met = objects[0]["constraints_met"].as_array().unwrap();
    assert_eq!(met.len(), 2);
    let first = met[1][1].as_u64().unwrap() as usize;
    assert_eq!(objects[0]["pieces"][first], "▁sehr");
    assert_eq!(objects[1]["constraints_missing"], json!([0]));
    assert!(objects[1]["notes"][0].as_str().unwrap().contains("contains a phrase that must not appear"));
    assert!(objects[2]["error"].as_str().unwrap().starts_with("the value of 'constraints' is not a list"));
    assert_eq!(objects[3]["constraints_missing"], json!([0]));
    assert!(objects[3]["translation"].as_str().unwrap().contains("Tag"));
    for message in ["line 2: the constraint 'rot' is left out", "line 3: ", "line 4: an empty constraint is left out"] {
        assert!(result.stderr.contains(message), "{}", result.stderr);
    }
}

/// The keys of an object in their order.
fn keys(line: &str) -> Vec<String> {
    let object: indexmap::IndexMap<String, Value> = serde_json::from_str(line).unwrap();
    object.into_keys().collect()
}

#[test]
fn keys_of_the_output_are_not_taken_from_the_input() {
    let text = concat!(
        r#"{"id": 1, "error": "old", "notes": ["old"], "text": "The house is old.", "constraints_missing": [7], "#,
        r#""constraints_met": [], "avoid_present": [9], "translation": "old", "word_scores": 1, "alignments": 2, "a": 3}"#,
        "\n"
    );
    let result = run(&["translate", "--input-format", "json", "--output-format", "json"], text).ok();
    let object: Value = serde_json::from_str(&result).unwrap();
    let ours = ["translation", "sentence_id", "score", "log_prob", "pieces", "source_pieces"];
    assert_eq!(
        keys(&result),
        [&ours[..], &["id", "text", "a"]].concat(),
        "ours first, then those of the input in order"
    );
    assert_ne!(object["translation"], "old");
}

#[test]
fn a_misspelt_key_is_reported_with_its_line() {
    let text = "{\"text\": \"Hello.\", \"Terms\": [\"Tag\"]}\n{\"text\": \"Hello.\", \"constraint\": [\"Tag\"]}\n";
    let result = run(&["translate", "--input-format", "json", "--output-format", "json"], text);
    let terms = "line 1: the key 'Terms' has no meaning here; did you mean 'constraints'?";
    assert!(result.stderr.contains(terms), "{}", result.stderr);
    assert!(result.stderr.contains("line 2: the key 'constraint' has no meaning here"), "{}", result.stderr);
    let last: Value = serde_json::from_str(result.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["notes"][0], "the key 'constraint' has no meaning here; did you mean 'constraints'?");
    assert_eq!(last["constraint"], json!(["Tag"]), "it is copied like any other key");
}

#[test]
fn avoided_phrases_of_a_prefix_are_reported() {
    let text = "{\"text\": \"The house is old.\", \"target_prefix\": \"Das Haus\", \"avoid\": [\"sehr\", \"Haus\"]}\n";
    let result = run(&["translate", "--input-format", "json", "--output-format", "json"], text);
    let object: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(object["avoid_present"], json!([1]));
    assert!(
        result.stderr.contains("line 1: the translation contains 'Haus', which its given prefix has"),
        "{}",
        result.stderr
    );
}

#[test]
fn a_source_term_that_a_glossary_has_twice_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let glossary = crate::common::file(&folder, "terms.tsv", "\u{feff}house\tGebäude\nHouse\tBau\n");
    let result = run(&["translate", "--glossary", &glossary], "The house is old.\n");
    assert!(result.stdout.contains("Gebäude") || result.stdout.contains("Bau"), "{}", result.stdout);
    assert!(
        result.stderr.contains("terms.tsv: line 2 has the source term 'House' of line 1 again"),
        "{}",
        result.stderr
    );
}

#[test]
fn glossaries_apply_where_their_terms_stand() {
    let folder = tempfile::tempdir().unwrap();
    let glossary = folder.path().join("terms.tsv");
    std::fs::write(&glossary, "house\tGebäude\tBau\ncity hall\tStadthalle\n").unwrap();
    let args = ["--glossary", glossary.to_str().unwrap()];
    let lines = translate(&args, "The HOUSE is old.\nThe city is old.\nThe city hall is old.\n").lines();
    assert!(lines[0].contains("Gebäude") || lines[0].contains("Bau"), "{lines:?}");
    assert_eq!(lines[1], translate(&[], "The city is old.\n").lines()[0]);
    assert!(lines[2].contains("Stadthalle"), "{lines:?}");

    std::fs::write(&glossary, "house\tGebäude\nno target\n").unwrap();
    let refused = run(&["translate", args[0], args[1]], "Hello.\n");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("line 2 of the glossary has no target term"), "{}", refused.stderr);
}

#[test]
fn what_does_not_fit_is_said_and_the_line_is_translated() {
    let long = ["Wort"; 40].join("\t");
    let result = run(&["translate", "--input-format", "tsv"], format!("Hello.\t{long}\nGood morning!\n"));
    assert_eq!(result.stdout.lines().count(), 2);
    assert!(result.stdout.starts_with("Hallo"), "{}", result.stdout);
    assert!(result.stderr.contains("line 1: the constraints are left out: they take"), "{}", result.stderr);
}

#[test]
fn n_best_lines_say_where_terms_are() {
    let lines = translate(&["--input-format", "tsv", "--n-best", "3"], "The house is old.\tGebäude\n").lines();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line.contains(" ||| Terms= 0:"), "{line}");
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for (args, message) in [
        (&["--strategy", "cube", "--sampling", "full"][..], "cannot be used with"),
        (&["--weights", "0.5", "0.5", "-m", "x"], "--weights has 2 numbers for 1 models"),
        (&["--beam-width", "2"], "--beam-width is 2; it must be a number from 0 to 1"),
        (&["--prune-threshold", "-1"], "--prune-threshold is -1"),
    ] {
        let all: Vec<&str> = ["translate"].iter().chain(args).copied().collect();
        let result = run(&all, "Hello.\n");
        assert_eq!(result.code, Some(2), "{}", result.stderr);
        assert!(result.stderr.contains(message), "{}", result.stderr);
    }
}

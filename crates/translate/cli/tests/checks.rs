//! Checks of translations: warnings, and a key of JSON.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{run, translate};
use serde_json::{Value, json};

/// The given beginning keeps the model from saying what the source says.
const TEXT: &str = concat!(
    r#"{"text": "Hello.", "target_prefix": "Hallo"}"#,
    "\n",
    r#"{"text": "It costs $77 at 8 p.m.", "target_prefix": "Es kostet 9 € um 8 Uhr."}"#,
    "\n"
);

#[test]
fn numbers_are_checked_in_json() {
    let result =
        run(&["translate", "--input-format", "json", "--output-format", "json", "--max-target-length", "12"], TEXT);
    let objects: Vec<Value> = result.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects[0].get("check").is_none());
    assert!(objects[1]["check"]["numbers"].as_array().unwrap().contains(&json!("$77")), "{}", objects[1]);
    assert!(!result.stderr.contains("lacks"), "{}", result.stderr);
    let unchecked = run(
        &[
            "translate",
            "--input-format",
            "json",
            "--output-format",
            "json",
            "--max-target-length",
            "12",
            "--check",
            "none",
        ],
        TEXT,
    );
    assert!(!unchecked.stdout.contains("check"), "{}", unchecked.stdout);
}

#[test]
fn missing_numbers_are_warnings() {
    let result = translate(&["--input-format", "json", "--max-target-length", "12", "--check", "numbers"], TEXT);
    assert!(result.stderr.contains("line 2: the translation lacks \"$77\""), "{}", result.stderr);
    assert!(!result.stderr.contains("line 1:"), "{}", result.stderr);
    let unchecked = translate(&["--input-format", "json", "--max-target-length", "12"], TEXT);
    assert!(!unchecked.stderr.contains("lacks"), "{}", unchecked.stderr);
}

//! The forms of the result: n-best lists, alignments, word scores, JSON.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{run, translate};
use serde_json::{Value, json};

const TEXT: &str = "I am tired.\n\nGood morning!\n";

/// The numbers of a field such as `F0= -1.5`.
fn numbers(field: &str) -> Vec<f64> {
    field.split_whitespace().filter(|word| !word.ends_with('=')).map(|word| word.parse().unwrap()).collect()
}

#[test]
fn n_best_lists_have_moses_form() {
    let best = translate(&[], TEXT).lines();
    let lines = translate(&["--n-best", "4"], TEXT).lines();
    let mut last = (usize::MAX, f64::INFINITY);
    for line in &lines {
        let fields: Vec<&str> = line.split(" ||| ").collect();
        let [number, text, features, score] = fields[..] else { panic!("{line}") };
        let number: usize = number.parse().unwrap();
        let score: f64 = score.parse().unwrap();
        assert!(features.starts_with("F0= "), "{line}");
        if number == last.0 {
            assert!(score <= last.1, "best first: {line}");
        } else {
            assert_eq!(text, best[number]);
        }
        last = (number, score);
    }
    let of = |number: &str| lines.iter().filter(|line| line.split(' ').next() == Some(number)).count();
    assert_eq!([of("0"), of("1"), of("2")], [4, 1, 4]);
    assert!(lines.contains(&"1 |||  ||| F0= 0 ||| 0".to_owned()), "{lines:?}");
}

#[test]
fn scores_are_normalised_as_specified() {
    for (normalize, word_penalty) in [("0", "0"), ("1", "0"), ("0.6", "0.2"), ("1", "-0.5")] {
        let args = ["-n", normalize, "--word-penalty", word_penalty, "--n-best", "3", "--word-scores"];
        for line in translate(&args, "I am tired.\n").lines() {
            let fields: Vec<&str> = line.split(" ||| ").collect();
            let [_, _, words, features, score] = fields[..] else { panic!("{line}") };
            let words = numbers(words.strip_prefix("WordScores=").unwrap());
            let log_prob = numbers(features)[0];
            let length = words.len() as f64;
            assert!((words.iter().sum::<f64>() - log_prob).abs() < 1e-3, "{line}");
            let alpha: f64 = normalize.parse().unwrap();
            let penalty: f64 = word_penalty.parse().unwrap();
            let expected = (log_prob - penalty * length) / length.powf(alpha);
            assert!((numbers(score)[0] - expected).abs() < 1e-4, "{line}: {expected}");
        }
    }
}

#[test]
fn draws_depend_on_the_seed_alone() {
    let draw = |seed, threads| {
        let args = ["translate", "--sampling", "topk:5", "--n-best", "8", "--seed", seed, "--threads", threads];
        run(&args, "I do not know what to say.\n".repeat(5)).ok()
    };
    assert_eq!(draw("1", "1"), draw("1", "2"));
    assert_ne!(draw("1", "1"), draw("2", "1"));
}

#[test]
fn json_carries_what_it_does_not_know() {
    let input = concat!(
        r#"{"text": "Good morning!", "id": 12345678901234567890123, "nested": {"b": [1, "ü"]}}"#,
        "\n",
        "{broken\n",
        r#"{"id": 2}"#,
        "\n",
        r#"{"text": ""}"#,
        "\n",
        r#"{"text": "I am hungry.", "target_prefix": "Jetzt"}"#,
        "\n",
    );
    let run =
        translate(&["--input-format", "json", "--output-format", "json", "--n-best", "2", "--word-scores"], input);
    assert!(run.stderr.contains("metaphrase: warning: line 2: not a JSON object"), "{}", run.stderr);
    assert!(run.stderr.contains("metaphrase: warning: line 3: no key 'text'"), "{}", run.stderr);
    let lines = run.lines();
    assert!(lines[0].contains(r#""id":12345678901234567890123,"#), "{}", lines[0]);
    let objects: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 5);
    let numbers: Vec<&Value> = objects.iter().map(|object| &object["sentence_id"]).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);

    let first = &objects[0];
    assert_eq!(first["nested"], json!({"b": [1, "ü"]}));
    assert_eq!(first["text"], "Good morning!");
    assert_eq!(first["translation"], "Guten Morgen!");
    assert_eq!(first["translations"][0], first["translation"]);
    assert_eq!(first["scores"].as_array().unwrap().len(), 2);
    assert_eq!(first["scores"][0], first["score"]);
    assert_eq!(first["log_probs"][0], first["log_prob"]);
    let pieces = first["pieces"].as_array().unwrap().len();
    assert_eq!(first["word_scores"].as_array().unwrap().len(), pieces + 1, "with the end of sentence");
    assert!(!first["source_pieces"].as_array().unwrap().is_empty());
    assert!(first.get("notes").is_none());

    assert!(objects[1]["error"].as_str().unwrap().starts_with("not a JSON object"));
    assert_eq!(objects[1]["translation"], "");
    assert_eq!(objects[3]["translation"], "");
    assert!(objects[3].get("error").is_none());
    assert!(objects[4]["translation"].as_str().unwrap().starts_with("Jetzt"));
}

#[test]
fn json_and_plain_text_can_be_mixed() {
    let lines = translate(&["--input-format", "json"], "{\"text\": \"Good morning!\"}\nbroken\n").lines();
    assert_eq!(lines, ["Guten Morgen!", ""]);
    let lines = translate(&["--output-format", "json"], "b\u{fffd}\u{fffd}\nGood morning!\n").lines();
    let object: Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!((&object["translation"], object.get("text")), (&json!("Guten Morgen!"), None));
    let lines = translate(&["--output-format", "json"], b"b\xffad\n").lines();
    let object: Value = serde_json::from_str(&lines[0]).unwrap();
    assert!(object["notes"][0].as_str().unwrap().starts_with("not valid UTF-8"));
}

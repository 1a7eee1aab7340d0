//! Scores of given translations.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{file, run, translate};

const SOURCE: &str = "I am tired.\nGood morning!\n";

fn numbers(text: &str) -> Vec<f64> {
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Scores `SOURCE` with these translations, from files.
fn score(targets: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = file(&folder, "source", SOURCE);
    let target = file(&folder, "target", targets);
    run(&[&["score", &source, &target], args].concat(), "").ok()
}

#[test]
fn a_found_translation_scores_as_it_was_found() {
    let found = translate(&["--n-best", "1"], SOURCE).lines();
    let mut targets = String::new();
    let mut expected = Vec::new();
    for line in &found {
        let fields: Vec<&str> = line.split(" ||| ").collect();
        targets += &format!("{}\n", fields[1]);
        expected.push((fields[2][4..].parse::<f64>().unwrap(), fields[3].parse::<f64>().unwrap()));
    }
    for (got, (log_prob, _)) in numbers(&score(&targets, &[])).into_iter().zip(&expected) {
        assert!((got - log_prob).abs() < 1e-4, "{got} {log_prob}");
    }
    for (got, (_, score)) in numbers(&score(&targets, &["--normalize"])).into_iter().zip(&expected) {
        assert!((got - score).abs() < 1e-4, "{got} {score}");
    }
}

#[test]
fn files_and_columns_are_the_same() {
    let targets = "Ich bin müde.\nGute Nacht!\n";
    let scores = score(targets, &[]);
    assert_eq!(scores.lines().count(), 2);
    let table: String = SOURCE.lines().zip(targets.lines()).map(|(s, t)| format!("{s}\t{t}\n")).collect();
    assert_eq!(run(&["score"], &table).ok(), scores);
    let error = run(&["score"], "a\tb\nc\n").error(1);
    assert_eq!(error, "line 2 of standard input has no tab between source and translation");
}

#[test]
fn summaries_are_sums_of_the_scores() {
    let targets = "Ich bin müde.\nGute Nacht!\n";
    let lines = score(targets, &["--word-scores"]);
    let mut sum = 0.0;
    let mut words = 0.0;
    for line in lines.lines() {
        let (score, parts) = line.split_once(" ||| WordScores= ").unwrap();
        let parts: Vec<f64> = parts.split(' ').map(|part| part.parse().unwrap()).collect();
        let score: f64 = score.parse().unwrap();
        assert!((parts.iter().sum::<f64>() - score).abs() < 1e-3, "{line}");
        sum -= score;
        words += parts.len() as f64;
    }
    for (kind, expected) in
        [("ce-sum", sum), ("ce-mean", sum / 2.0), ("ce-mean-words", sum / words), ("perplexity", (sum / words).exp())]
    {
        let got: f64 = score(targets, &["--summary", kind]).trim().parse().unwrap();
        assert!((got / expected - 1.0).abs() < 1e-4, "{kind}: {got} {expected}");
    }
}

#[test]
fn files_of_different_lengths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let long = file(&folder, "long", "a\nb\nc\n");
    let short = file(&folder, "short", "a\n");
    for files in [[&long, &short], [&short, &long]] {
        let error = run(&["score", files[0], files[1]], "").error(1);
        let expected = format!("{short} has 1 lines and {long} has more; line n of both has to be the same sentence");
        assert_eq!(error, expected);
    }
}

#[test]
fn n_best_lists_get_a_feature() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(&folder, "source", SOURCE);
    let list = "1 ||| Gute Nacht! ||| LM0= -1 -2 ||| -3\n0 ||| Ich bin müde. ||| LM0= -4 -5 ||| -6 ||| 0-0\n";
    let path = file(&folder, "list", list);
    let args = ["score", "--n-best", &path, "--source", &source, "--feature-name", "Back"];
    let lines = run(&args, "").lines();
    let scores = numbers(&score("Ich bin müde.\nGute Nacht!\n", &[]));
    for (line, head, tail, expected) in [
        (&lines[0], "1 ||| Gute Nacht! ||| LM0= -1 -2 Back= ", " ||| -3", scores[1]),
        (&lines[1], "0 ||| Ich bin müde. ||| LM0= -4 -5 Back= ", " ||| -6 ||| 0-0", scores[0]),
    ] {
        let number: f64 = line.strip_prefix(head).unwrap().strip_suffix(tail).unwrap().parse().unwrap();
        assert!((number - expected).abs() < 1e-4, "{line} {expected}");
    }
    for (line, expected) in [
        ("nothing", "line 1 of LIST is not `N ||| translation ||| features ||| score`"),
        ("2 ||| a ||| F0= 1 ||| 1", "line 1 of LIST has the source 2, counted from 0, but SOURCE has 2 lines"),
    ] {
        std::fs::write(&path, line).unwrap();
        let error = run(&args, "").error(1);
        assert_eq!(error, expected.replace("LIST", &path).replace("SOURCE", &source));
    }
}

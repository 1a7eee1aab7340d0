//! Measures sentence splitting: `cargo run --release -p metaphrase-document --example split -- DATA`, where DATA is the
//! folder of shared data.
//!
//! Boundaries: five lines of NTREX-128 joined (by a blank, or by nothing in Japanese and Chinese); a boundary is right
//! if a line ends there. Round trip: each `.gz` file below DATA as a text, each sentence its own translation.
#![allow(clippy::unwrap_used, reason = "a measurement may panic")]

use metaphrase_document::{Answer, Link, Options, SegmentedText, Splitter};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Precision and recall of the boundaries between lines.
fn boundaries(folder: &Path, language: &str) -> Value {
    let text = read(&folder.join(format!("ntrex128/test.{language}.gz")));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joint = if matches!(language, "ja" | "zh") { "" } else { " " };
    let splitter = Splitter::new(language);
    let (mut right, mut found, mut expected) = (0, 0, 0);
    for group in lines.chunks(5) {
        let joined = group.join(joint);
        let mut gold = BTreeSet::new();
        let mut end = 0;
        for line in &group[..group.len() - 1] {
            end += line.len();
            gold.insert(end);
            end += joint.len();
        }
        let recognised: BTreeSet<usize> =
            splitter.sentences(&joined).into_iter().map(|range| range.end).filter(|&end| end < joined.len()).collect();
        right += gold.intersection(&recognised).count();
        (found, expected) = (found + recognised.len(), expected + gold.len());
    }
    let share = |of: usize| (right as f64 / of as f64 * 1000.0).round() / 1000.0;
    json!({"language": language, "boundaries": expected, "precision": share(found), "recall": share(expected)})
}

/// Each word belongs to itself.
fn words(text: &str) -> Vec<Link> {
    let mut at = 0;
    let word = |word: &str| {
        let range = at..at + word.trim_end().len();
        at += word.len();
        Link { source: range.clone(), target: range, weight: 1.0 }
    };
    text.split_inclusive(' ').map(word).filter(|link| !link.source.is_empty()).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            found.push(path);
        }
    }
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("the folder of shared data"));
    let splitting: Vec<Value> = ["en", "de", "fr", "ja", "zh"].map(|language| boundaries(&folder, language)).into();
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut same, mut bytes, mut sentences, mut differ) = (0, 0, 0, Vec::new());
    let tag = regex::Regex::new("<[^<>]*>").unwrap();
    for path in &paths {
        let text = read(path);
        let language = path
            .file_stem()
            .and_then(|stem| Path::new(stem).extension())
            .map_or("en".into(), |code| code.to_string_lossy());
        let prepared =
            SegmentedText::new(text.as_str(), &Options { language: language.into(), ..Options::default() }).unwrap();
        let answers: Vec<Option<Answer>> = prepared
            .sentences()
            .map(|source| {
                // A tab inside a sentence is a blank for the model.
                let given = text[source.range.clone()].contains('\t');
                let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
                (!given).then(|| Answer { links: words(&source.text), text: source.text.into_owned(), kept })
            })
            .collect();
        let found = prepared.finish(&answers).text;
        if found == text {
            same += 1;
        } else {
            // The first lines that differ, how many lines do, and whether they do without what looks like tags.
            let lines = || text.split('\n').zip(found.split('\n')).filter(|(given, found)| given != found);
            let first: Vec<_> = lines().take(3).collect();
            let same_without_tags = tag.replace_all(&text, "") == tag.replace_all(&found, "");
            let file = path.display().to_string();
            differ.push(
                json!({"file": file, "lines": lines().count(), "same_without_tags": same_without_tags, "first": first}),
            );
        }
        (bytes, sentences) = (bytes + text.len(), sentences + prepared.len());
    }
    let round_trip =
        json!({"files": paths.len(), "same": same, "bytes": bytes, "sentences": sentences, "differ": differ});
    println!("{}", serde_json::to_string_pretty(&json!({"splitting": splitting, "round_trip": round_trip})).unwrap());
}

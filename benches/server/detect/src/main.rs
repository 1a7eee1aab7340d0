//! `cargo run --release -- ../../../../shared/data`: lines of NTREX-128, and pieces of four words of them (in Japanese and Chinese eight
//! characters), in en, de, fr, ja, zh; each detector may choose among these five, or between English and German.
//! A second argument is the name of the one detector to measure: memory is that of a process that has no other one.

#[path = "../../../../crates/translate/server/src"]
#[allow(dead_code, reason = "its tests are not run here")]
mod server {
    pub mod detect;
}

use server::detect as ours;

use lingua::{IsoCode639_1, Language, LanguageDetectorBuilder};
use serde_json::json;
use std::io::Read;
use std::time::Instant;
use whatlang::{Detector, Lang};

const ALL: [&str; 5] = ["en", "de", "fr", "ja", "zh"];

fn lines(folder: &str, code: &str) -> Vec<String> {
    let file = std::fs::File::open(format!("{folder}/ntrex128/test.{code}.gz")).expect("NTREX");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphabetic)).map(str::to_owned).collect()
}

/// A piece of each line, from its middle.
fn pieces(lines: &[String], code: &str) -> Vec<String> {
    let piece = |line: &String| {
        if matches!(code, "ja" | "zh") {
            let characters: Vec<char> = line.chars().collect();
            return characters.iter().skip(characters.len() / 2).take(8).collect::<String>();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        words
            .iter()
            .skip((words.len() / 2).min(words.len().saturating_sub(4)))
            .take(4)
            .copied()
            .collect::<Vec<_>>()
            .join(" ")
    };
    lines.iter().map(piece).filter(|piece| piece.chars().any(char::is_alphabetic)).collect()
}

fn whatlang_code(code: &str) -> Lang {
    Lang::from_code(["eng", "deu", "fra", "jpn", "cmn"][ALL.iter().position(|known| *known == code).expect("a code")])
        .expect("a language")
}

/// Resident memory of this process, in MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn language(code: &str) -> Language {
    Language::from_iso_code_639_1(&code.parse::<IsoCode639_1>().expect("a code"))
}

/// A detector, which gives the code of a text's language.
fn detector(name: &str, codes: &[&'static str]) -> Box<dyn Fn(&str) -> Option<&'static str>> {
    let codes = codes.to_vec();
    if name == "Metaphrase" {
        let known: Vec<String> = codes.iter().map(ToString::to_string).collect();
        return Box::new(move |text| {
            let found = ours::detect(text, &known).languages.swap_remove(0);
            codes.iter().copied().find(|code| found.confidence > 0.0 && *code == found.language)
        });
    }
    if name == "whatlang" {
        let allowed: Vec<Lang> = codes.iter().map(|code| whatlang_code(code)).collect();
        let detector = Detector::with_allowlist(allowed);
        return Box::new(move |text| {
            let found = detector.detect_lang(text)?;
            codes.iter().copied().find(|code| whatlang_code(code) == found)
        });
    }
    let languages: Vec<Language> = codes.iter().map(|code| language(code)).collect();
    let mut builder = LanguageDetectorBuilder::from_languages(&languages);
    if name == "lingua, low accuracy" {
        builder.with_low_accuracy_mode();
    }
    let detector = builder.with_preloaded_language_models().build();
    Box::new(move |text| {
        let found = detector.detect_language_of(text)?;
        codes.iter().copied().find(|code| language(code) == found)
    })
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of shared data");
    let only = std::env::args().nth(2);
    let mut rows = Vec::new();
    let names = ["Metaphrase", "whatlang", "lingua, low accuracy", "lingua, high accuracy"];
    for name in names.into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name)) {
        for codes in [&ALL[..], &ALL[..2]] {
            let before = memory();
            let detect = detector(name, codes);
            let (mut all, mut seconds) = ([[0_usize; 2]; 2], 0.0);
            let mut by_language = serde_json::Map::new();
            for &code in codes {
                let whole = lines(&folder, code);
                let cut = pieces(&whole, code);
                let mut shares = Vec::new();
                for (kind, texts) in [whole, cut].iter().enumerate() {
                    let begun = Instant::now();
                    let right = texts.iter().filter(|text| detect(text) == Some(code)).count();
                    seconds += begun.elapsed().as_secs_f64();
                    all[kind] = [all[kind][0] + right, all[kind][1] + texts.len()];
                    shares.push(share(right, texts.len()));
                }
                by_language.insert(code.into(), json!({"lines": shares[0], "pieces": shares[1]}));
            }
            let count = all[0][1] + all[1][1];
            rows.push(json!({
                "detector": name, "languages": codes, "lines": all[0][1], "right": share(all[0][0], all[0][1]),
                "pieces": all[1][1], "right_pieces": share(all[1][0], all[1][1]), "by_language": by_language,
                "microseconds": (1e6 * seconds / count as f64).round(), "megabytes": ((memory() - before) * 10.0).round() / 10.0,
            }));
        }
    }
    println!("{}", serde_json::to_string_pretty(&rows).expect("JSON"));
}

fn share(right: usize, count: usize) -> f64 {
    (1000.0 * right as f64 / count as f64).round() / 1000.0
}

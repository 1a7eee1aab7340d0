//! `cargo run --release -- ../../../../shared/data`: lines of NTREX-128, and pieces of four words of them (in Japanese and Chinese eight
//! characters), in en, de, fr, ja, zh; each detector may choose among these five, or between English and German.

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
        words.iter().skip((words.len() / 2).min(words.len().saturating_sub(4))).take(4).copied().collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(piece).filter(|piece| piece.chars().any(char::is_alphabetic)).collect()
}

fn whatlang_code(code: &str) -> Lang {
    Lang::from_code(["eng", "deu", "fra", "jpn", "cmn"][ALL.iter().position(|known| *known == code).expect("a code")]).expect("a language")
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of shared data");
    let mut rows = Vec::new();
    for codes in [&ALL[..], &ALL[..2]] {
        let begun = Instant::now();
        let iso: Vec<Language> = codes.iter().map(|code| Language::from_iso_code_639_1(&code.parse::<IsoCode639_1>().expect("a code"))).collect();
        let low = LanguageDetectorBuilder::from_languages(&iso).with_low_accuracy_mode().with_preloaded_language_models().build();
        let high = LanguageDetectorBuilder::from_languages(&iso).with_preloaded_language_models().build();
        eprintln!("lingua is ready after {:?}", begun.elapsed());
        let what = Detector::with_allowlist(codes.iter().map(|code| whatlang_code(code)).collect());
        let mut right = [[0_usize; 2]; 3];
        let mut seconds = [0.0; 3];
        let mut count = [0_usize; 2];
        for code in codes {
            let whole = lines(&folder, code);
            let cut = pieces(&whole, code);
            let language = Language::from_iso_code_639_1(&code.parse::<IsoCode639_1>().expect("a code"));
            for (kind, texts) in [whole, cut].iter().enumerate() {
                count[kind] += texts.len();
                for text in texts {
                    let begun = Instant::now();
                    right[0][kind] += usize::from(what.detect_lang(text) == Some(whatlang_code(code)));
                    seconds[0] += begun.elapsed().as_secs_f64();
                    for (number, detector) in [(1, &low), (2, &high)] {
                        let begun = Instant::now();
                        right[number][kind] += usize::from(detector.detect_language_of(text.as_str()) == Some(language));
                        seconds[number] += begun.elapsed().as_secs_f64();
                    }
                }
            }
        }
        for (number, name) in ["whatlang", "lingua, low accuracy", "lingua, high accuracy"].iter().enumerate() {
            let share = |kind: usize| (1000.0 * right[number][kind] as f64 / count[kind] as f64).round() / 1000.0;
            rows.push(json!({
                "languages": codes, "detector": name, "lines": count[0], "right": share(0), "pieces": count[1], "right_pieces": share(1),
                "microseconds": (1e6 * seconds[number] / (count[0] + count[1]) as f64).round(),
            }));
        }
    }
    println!("{}", serde_json::to_string_pretty(&rows).expect("JSON"));
}

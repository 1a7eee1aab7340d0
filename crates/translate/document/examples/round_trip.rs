//! Reads real files and writes them again:
//! `cargo run --release -p metaphrase-document --example round_trip -- FOLDER [OUT]`.
//!
//! Each sentence is its own translation, and each file has to come back byte for byte. Catalogues with empty
//! translations are counted apart, as these are filled. With OUT, files whose sentences are in capitals are written
//! there, for the parsers of other programs. `benches/real_files.py` collects a folder.
#![allow(clippy::unwrap_used, reason = "a measurement may panic")]

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile, Source};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What became of the files of a format.
#[derive(Default)]
struct Counts {
    files: usize,
    sentences: usize,
    equal: usize,
    filled: usize,
    without_text: usize,
    refused: usize,
    differ: usize,
}

fn answers(file: &SegmentedFile, change: impl Fn(&Source<'_>) -> String) -> Vec<Option<Answer>> {
    let answer = |source: Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        Some(Answer { text: change(&source), kept, links: vec![] })
    };
    file.sentences().map(answer).collect()
}

/// A sentence in capitals, without its things to copy.
fn capitals(source: &Source<'_>) -> String {
    let mut text = source.text.to_ascii_uppercase().into_bytes();
    for kept in source.kept {
        text[kept.range.clone()].copy_from_slice(&source.text.as_bytes()[kept.range.clone()]);
    }
    String::from_utf8(text).unwrap()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Whether a format has translations next to its texts, which are filled.
fn is_filled(format: FileFormat) -> bool {
    matches!(format, FileFormat::Po | FileFormat::Xliff | FileFormat::Tmx | FileFormat::Ts | FileFormat::Xcstrings)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap());
    let out = args.next().map(PathBuf::from);
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    paths.sort();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for path in paths {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let Some(format) = FileFormat::from_extension(&extension).filter(|&format| format != FileFormat::Pdf) else {
            continue;
        };
        let count = counts.entry(format.name()).or_default();
        count.files += 1;
        let bytes = std::fs::read(&path).unwrap();
        let options =
            Options { target: if is_filled(format) { "de".into() } else { String::new() }, ..Options::default() };
        let file = match SegmentedFile::new(bytes.clone(), format, &options) {
            Ok(file) => file,
            Err(metaphrase_document::Error::NothingToTranslate { .. }) => {
                count.without_text += 1;
                continue;
            }
            Err(error) => {
                count.refused += 1;
                println!("{}: {error}", path.display());
                continue;
            }
        };
        count.sentences += file.len();
        let same = file.finish(&answers(&file, |source| source.text.to_string())).unwrap().bytes;
        match same == bytes {
            true => count.equal += 1,
            false if is_filled(format) => count.filled += 1,
            false => {
                count.differ += 1;
                let at = same.iter().zip(&bytes).take_while(|(new, old)| new == old).count();
                let part = |bytes: &[u8]| {
                    String::from_utf8_lossy(&bytes[at.saturating_sub(30)..(at + 30).min(bytes.len())]).into_owned()
                };
                println!("{}: byte {at}: {:?} became {:?}", path.display(), part(&bytes), part(&same));
            }
        }
        if let Some(out) = &out {
            let name = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('/', "_");
            std::fs::write(out.join(name), file.finish(&answers(&file, capitals)).unwrap().bytes).unwrap();
        }
    }
    for (format, count) in counts {
        let Counts { files, sentences, equal, filled, without_text, refused, differ } = count;
        println!(
            "{}",
            json!({"format": format, "files": files, "sentences": sentences, "equal": equal, "filled": filled,
                   "without_text": without_text, "refused": refused, "differ": differ})
        );
    }
}

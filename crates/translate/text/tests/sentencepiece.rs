//! SentencePiece models give the ids, pieces and texts of the C++ library.
//!
//! The models and expectations are made by `testdata/text/make_sentencepiece.py` with the package
//! sentencepiece 0.2.3.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_base::WordId;
use metaphrase_text::sentencepiece::{Scratch, SentencePieceModel};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Golden {
    /// Ids of unknown, start, end, padding; -1 where there is none.
    special: [i64; 4],
    size: usize,
    lines: Vec<Line>,
    decode: Vec<Decode>,
}

#[derive(Deserialize)]
struct Line {
    ids: Vec<u32>,
    pieces: Vec<String>,
    decoded: String,
}

#[derive(Deserialize)]
struct Decode {
    ids: Vec<u32>,
    decoded: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text/sentencepiece")
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> T {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn words(ids: &[u32]) -> Vec<WordId> {
    ids.iter().copied().map(WordId).collect()
}

fn check(name: &str) {
    let model = SentencePieceModel::open(&folder().join(name).with_extension("spm")).unwrap();
    let golden: Golden = read(&folder().join(name).with_extension("json"));
    let lines: Vec<String> = read(&folder().join("lines.json"));
    assert_eq!(golden.lines.len(), lines.len());
    assert_eq!(model.len(), golden.size);
    let special = [model.unk(), model.bos(), model.eos(), model.pad()];
    assert_eq!(special.map(|id| id.map_or(-1, |id| i64::from(id.0))), golden.special);

    let mut scratch = Scratch::default();
    let mut ids = Vec::new();
    for (line, expected) in lines.iter().zip(&golden.lines) {
        model.encode_with(&mut scratch, line, &mut ids);
        assert_eq!(ids, words(&expected.ids), "{name}: ids of {line:?}");
        assert_eq!(model.encode_pieces(line), expected.pieces, "{name}: pieces of {line:?}");
        assert_eq!(model.decode(&ids), expected.decoded, "{name}: text of {line:?}");
    }
    for expected in &golden.decode {
        assert_eq!(model.decode(&words(&expected.ids)), expected.decoded, "{name}: text of {:?}", expected.ids);
    }
    for id in (0..model.len()).map(WordId::new) {
        // A piece of type byte or control may have a normal twin, but not in these models.
        assert_eq!(model.id(model.piece(id)), Some(id));
    }
}

macro_rules! models {
    ($($test:ident $name:literal;)*) => {$(
        #[test]
        fn $test() {
            check($name);
        }
    )*};
}

models! {
    unigram_nmt_nfkc "unigram-nmt_nfkc";
    unigram_with_byte_fallback "unigram-bytes";
    unigram_with_folded_case "unigram-folded";
    unigram_with_suffixes "unigram-suffix";
    unigram_with_unused_pieces "unigram-suffix-unused";
    bpe_with_byte_fallback "bpe-bytes";
    bpe_with_unused_pieces "bpe-bytes-unused";
    bpe_identity_and_denormalizer "bpe-identity";
    bpe_with_suffixes "bpe-suffix";
    bpe_across_words "bpe-phrases";
    words_model "word";
    characters_model "char";
}

#[test]
fn pieces_can_be_decoded_by_text() {
    let model = SentencePieceModel::open(&folder().join("bpe-bytes.spm")).unwrap();
    let line = "Hello ☃ world";
    let pieces = model.encode_pieces(line);
    assert_eq!(model.decode_pieces(pieces.iter().map(String::as_str)), line);
    assert_eq!(model.decode_pieces(["▁no piece", "</s>", "<0xE2>", "<0x98>", "<0x83>"]), "▁no piece☃");
}

/// A line of a million characters takes time in proportion, for every model type.
#[test]
fn long_lines_are_no_trouble() {
    let mut ids = Vec::new();
    for name in ["unigram-bytes", "bpe-bytes", "bpe-bytes-unused", "word"] {
        let model = SentencePieceModel::open(&folder().join(name).with_extension("spm")).unwrap();
        for line in ["a".repeat(1_000_000), "☃ab\u{301} ".repeat(100_000)] {
            let start = std::time::Instant::now();
            model.encode(&line, &mut ids);
            let text = model.decode(&ids);
            assert!(!text.is_empty());
            let seconds = start.elapsed().as_secs_f64();
            // Quadratic time would be many minutes; the machine may be busy.
            assert!(seconds < 60.0, "{name}: {seconds} s for {} bytes", line.len());
        }
    }
}

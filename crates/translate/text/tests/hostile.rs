//! Broken files are errors: no panic, no endless loop, no memory beyond what their size explains.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_text::sentencepiece::SentencePieceModel;
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use proptest::prelude::*;
use std::path::Path;

const LINE: &str = "Ein <mask> Haus ☃ of the e\u{301} １２３ --  \u{200B}x";

fn model(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text/sentencepiece");
    std::fs::read(folder.join(name)).unwrap()
}

/// Reads a model that may be broken and uses it if it can be read.
fn try_model(bytes: &[u8]) -> bool {
    let Ok(model) = SentencePieceModel::from_bytes(bytes) else { return false };
    let mut ids = Vec::new();
    model.encode(LINE, &mut ids);
    assert!(ids.iter().all(|id| id.index() < model.len()));
    let _ = (model.decode(&ids), model.encode_pieces(LINE));
    true
}

/// The model with its first 60 pieces: the same structure in fewer bytes.
fn small(model: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut rest, mut pieces) = (model, 0);
    // Pieces come first and are shorter than 128 bytes.
    while let [0x0A, length, ..] = *rest {
        let (piece, after) = rest.split_at(2 + usize::from(length));
        if pieces < 60 {
            out.extend_from_slice(piece);
        }
        (rest, pieces) = (after, pieces + 1);
    }
    out.extend_from_slice(rest);
    out
}

/// Every byte of some models flipped in two ways, and the files cut at every byte.
#[test]
fn flipped_and_cut_models() {
    for name in ["word.spm", "bpe-identity.spm", "unigram-suffix-unused.spm"] {
        let good = small(&model(name));
        assert!(try_model(&good), "{name}");
        let mut read = 0;
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1 << (i % 8);
            read += usize::from(try_model(&bad));
            bad[i] = !good[i];
            read += usize::from(try_model(&bad));
            try_model(&good[..i]);
        }
        // Many flips hit a score or the letters of a piece and leave a valid model.
        assert!(read > 0 && read < 2 * good.len(), "{name}: {read}");
    }
    if let Some(peak) = peak_memory() {
        assert!(peak < 200 << 20, "{peak} bytes");
    }
}

/// The most memory that the process has had, in bytes, where the system reports it.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// A length-delimited field.
fn field(number: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = body.len();
    while length > 127 {
        bytes.push(length as u8 | 128);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(body);
    bytes
}

fn piece(text: &[u8], kind: u8) -> Vec<u8> {
    field(1, &[field(1, text), vec![0x18, kind]].concat())
}

fn fault(parts: &[Vec<u8>]) -> String {
    SentencePieceModel::from_bytes(&parts.concat()).unwrap_err().to_string()
}

#[test]
fn impossible_models_are_refused_in_one_sentence() {
    let unk = piece(b"<unk>", 2);
    assert_eq!(fault(&[]), "it has no piece for unknown text");
    assert_eq!(fault(std::slice::from_ref(&unk)), "it has no pieces of text");
    assert_eq!(fault(&[unk.clone(), piece(b"<oov>", 2)]), "it has two pieces for unknown text");
    assert_eq!(fault(&[unk.clone(), piece(b"", 1)]), "piece 1 is empty");
    assert_eq!(fault(&[unk.clone(), piece(b"a\0", 1)]), "piece 1 has a zero byte");
    assert_eq!(fault(&[unk.clone(), piece(&[b'a'; 8000], 1)]), "piece 1 is 8000 bytes long or longer");
    assert_eq!(fault(&[unk.clone(), piece(b"\xFF", 1)]), "piece at byte 15 is not valid UTF-8");
    assert_eq!(fault(&[unk.clone(), piece(b"a", 1), piece(b"a", 4)]), "piece 2 `a` is already defined as piece 1");
    assert_eq!(fault(&[unk.clone(), piece(b"<0x41>", 6)]), "piece 1 is a byte, although byte_fallback is not set");
    let fallback = field(2, &[0x98, 2, 1]); // Field 35, byte_fallback.
    let few_bytes = "byte_fallback is set and there are fewer than 256 byte pieces";
    assert_eq!(fault(&[unk.clone(), piece(b"a", 1), fallback]), few_bytes);
    let unknown_type = "unknown model type 9, expected 1 (unigram), 2 (BPE), 3 (word) or 4 (char)";
    assert_eq!(fault(&[unk, field(2, &[0x18, 9])]), unknown_type);
}

#[test]
fn broken_tables_are_refused() {
    let with_table = |table: &[u8]| {
        fault(&[piece(b"<unk>", 2), piece(b"a", 1), field(3, &field(2, table))])
            .strip_prefix("the precompiled_charsmap is broken: ")
            .map(str::to_owned)
            .unwrap()
    };
    let trie = |units: &[u32], replacements: &[u8]| {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        [&(bytes.len() as u32).to_le_bytes(), bytes.as_slice(), replacements].concat()
    };
    let mut units = [0; 256];
    units[0] = 1 << 10;
    assert_eq!(with_table(b"ab"), "it is cut off");
    assert_eq!(with_table(&[255; 8]), "it is cut off");
    assert_eq!(with_table(&trie(&units[..255], b"\0")), "its trie is not a multiple of 1024 bytes");
    assert_eq!(with_table(&trie(&units, b"")), "its replacements do not end in a zero byte");
    assert_eq!(with_table(&trie(&units, b"a")), "its replacements do not end in a zero byte");
    assert_eq!(
        with_table(&trie(&units, &[&[b'a'; 1025], &b"\0"[..]].concat())),
        "a replacement is longer than 1024 bytes"
    );
    let mut far = units;
    far[7] = 256 << 10;
    assert_eq!(with_table(&trie(&far, b"\0")), "its trie points outside");
    let mut value = units;
    value[7] = 1 << 31 | 9;
    assert_eq!(with_table(&trie(&value, b"12345678\0")), "its trie points outside");
}

/// Pieces chosen to make the index of pieces slow or large.
#[test]
fn awkward_sets_of_pieces_take_little_time() {
    let mut parts = vec![piece(b"<unk>", 2)];
    for i in 0..40_000u32 {
        let text: String = [i % 37 * 16, i / 37 % 41 * 16 + 5, i / 1517 * 17 + 1]
            .iter()
            .filter_map(|&code| char::from_u32(code + 0x4E00))
            .collect();
        parts.push(piece(text.as_bytes(), 1));
    }
    parts.push(piece("ab".repeat(3999).as_bytes(), 1));
    let start = std::time::Instant::now();
    let bytes = parts.concat();
    let model = SentencePieceModel::from_bytes(&bytes).map(|model| model.len());
    assert!(matches!(model, Ok(40_002)), "{model:?}");
    assert!(start.elapsed().as_secs() < 20);
}

proptest! {
    #[test]
    fn any_bytes_as_any_format(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_model(&bytes);
        for format in [VocabularyFormat::Mapping, VocabularyFormat::List, VocabularyFormat::SentencePiece] {
            let _ = Vocabulary::from_bytes(format, &bytes);
        }
    }

    #[test]
    fn any_lines_as_a_mapping(text in "(\"?'?[a-z\\\\\"':? ]{0,5}[xuU\\\\'\"]{0,3}[0-9a-f]{0,4}\"?'?:? ?[0-9]{0,3}\n){0,6}") {
        let _ = Vocabulary::from_bytes(VocabularyFormat::Mapping, text.as_bytes());
    }

    #[test]
    fn any_text_and_ids(text in "\\PC{0,40}", ids in prop::collection::vec(any::<u32>(), 0..20)) {
        for name in ["unigram-bytes.spm", "bpe-bytes-unused.spm", "char.spm"] {
            let model = SentencePieceModel::from_bytes(&model(name)).unwrap();
            let mut words = Vec::new();
            model.encode(&text, &mut words);
            let _ = model.decode(&words);
            let _ = model.decode(&ids.iter().map(|&id| metaphrase_base::WordId(id % 800)).collect::<Vec<_>>());
            let _ = model.decode(&ids.iter().copied().map(metaphrase_base::WordId).collect::<Vec<_>>());
        }
    }
}

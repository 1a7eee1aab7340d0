//! Any bytes as a compiled language model; name, version, length and checksum are made true, so that the rest is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::language_models::use_language_model;
use metaphrase_ngram::Model;
use std::sync::LazyLock;
use tempfile::NamedTempFile;

/// A file in memory, where there is such a thing.
static FILE: LazyLock<NamedTempFile> =
    LazyLock::new(|| NamedTempFile::new_in("/dev/shm").or_else(|_| NamedTempFile::new()).expect("a temporary file"));

/// Where the checked bytes start.
const CHECKED: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() > CHECKED {
        bytes[..16].copy_from_slice(b"metaphrase ngram");
        bytes[16..20].copy_from_slice(&1u32.to_le_bytes());
        let length = bytes.len() as u64;
        bytes[24..32].copy_from_slice(&length.to_le_bytes());
        let sum = checksum(&bytes[CHECKED..]);
        bytes[32..CHECKED].copy_from_slice(&sum.to_le_bytes());
    }
    std::fs::write(FILE.path(), bytes).expect("space for a small file");
    use_language_model(Model::open(FILE.path()));
});

/// As `docs/formats/ngram.md` has it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |state, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    })
}

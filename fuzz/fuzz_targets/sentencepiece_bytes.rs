//! Any bytes as a SentencePiece model.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::sentencepiece::use_model;

fuzz_target!(|bytes: &[u8]| use_model(bytes, &String::from_utf8_lossy(&bytes[..bytes.len().min(200)])));

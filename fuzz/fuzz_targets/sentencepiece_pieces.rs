//! SentencePiece models of any pieces and rules, field by field.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::sentencepiece::{ModelFile, use_model};

fuzz_target!(|input: (ModelFile, String)| {
    let (file, text) = input;
    use_model(&file.bytes(), &(file.line() + &text));
});

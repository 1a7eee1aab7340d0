//! Any bytes as `config.json` and, after a zero byte, any bytes as `model.bin`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, use_model};
use metaphrase_fuzz::text::parts;
use metaphrase_models::from_bytes;
use std::path::Path;

const WORDS: &[u8] = br#"["</s>", "<unk>", "<s>", "a", "b", "c"]"#;

fuzz_target!(|input: &[u8]| {
    let [config, tensors] = parts(input);
    let config = (!config.is_empty()).then_some(config);
    use_model(from_bytes::ctranslate2(Path::new(NAME), tensors.to_vec(), config, WORDS));
});

//! Any bytes as `config.json` and, behind a zero byte, any bytes as `model.safetensors`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, use_model};
use metaphrase_fuzz::text::parts;
use metaphrase_models::from_bytes;
use std::path::Path;

fuzz_target!(|input: &[u8]| {
    let [config, tensors] = parts(input);
    use_model(from_bytes::hugging_face(Path::new(NAME), config, tensors.to_vec()));
});

//! Any text as `config.toml` and, behind a zero byte, any bytes as `model.safetensors`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, use_model};
use metaphrase_fuzz::text::parts;
use metaphrase_models::from_bytes;
use std::path::Path;

fuzz_target!(|input: &[u8]| {
    let [manifest, tensors] = parts(input);
    let manifest = String::from_utf8_lossy(manifest);
    use_model(from_bytes::directory(Path::new(NAME), &manifest, tensors.to_vec()));
});

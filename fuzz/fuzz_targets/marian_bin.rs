//! Any bytes as Marian's `.bin`: those that are not meant as one get its first eight bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, use_model};
use metaphrase_models::from_bytes;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if let Some(version) = bytes.first_chunk_mut::<8>() {
        *version = if version[0] == 2 { [2, 0, 0, 0, 0, 0, 0, 0] } else { [1, 0, 0, 0, 0, 0, 0, 0] };
    }
    use_model(from_bytes::marian(Path::new(NAME), bytes));
});

//! Any bytes as Marian's or Nematus' `.npz`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, use_model};
use metaphrase_models::from_bytes;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| use_model(from_bytes::marian(Path::new(NAME), bytes.to_vec())));

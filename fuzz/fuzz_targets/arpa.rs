//! Any bytes as an ARPA file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::language_models::use_language_model;
use metaphrase_ngram::arpa;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| use_language_model(arpa::read_from(bytes, Path::new("fuzzed.arpa"))));

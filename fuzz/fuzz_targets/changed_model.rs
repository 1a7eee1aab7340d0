//! Sound models with some tensors and settings changed, in all formats.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::changes::{Change, changed};
use metaphrase_fuzz::containers::{bin, npz, safetensors};
use metaphrase_fuzz::models::{BASES, Family, NAME, use_model};
use metaphrase_models::from_bytes;
use std::path::Path;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
struct Input {
    base: u8,
    container: Container,
    changes: Vec<Change>,
}

/// What models of Marian's are in.
#[derive(Arbitrary, Debug)]
enum Container {
    Npz { deflated: bool },
    Bin,
}

// Reading the sound models takes longer than an input may.
fuzz_target!(init: LazyLock::force(&BASES), |input: Input| change_and_use(&input));

fn change_and_use(input: &Input) {
    let base = &BASES[usize::from(input.base) % BASES.len()];
    let (settings, arrays) = changed(base, &input.changes);
    let name = Path::new(NAME);
    use_model(match (base.family, &input.container) {
        (Family::Marian, Container::Npz { deflated }) => from_bytes::marian(name, npz(&arrays, *deflated)),
        (Family::Marian, Container::Bin) => from_bytes::marian(name, bin(&arrays)),
        (Family::Directory, _) => from_bytes::directory(name, &settings, safetensors(&arrays)),
        (Family::HuggingFace, _) => from_bytes::hugging_face(name, settings.as_bytes(), safetensors(&arrays)),
    });
}

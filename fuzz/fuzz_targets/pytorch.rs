//! `pytorch_model.bin` next to the settings of a model: any bytes, or any pickle in a sound archive with a storage of 64
//! bytes. The first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::containers::zip;
use metaphrase_fuzz::models::{testdata, use_model};
use metaphrase_fuzz::text::memory_folder;
use metaphrase_models::ModelFiles;
use std::fs::{copy, write};
use std::sync::LazyLock;
use tempfile::TempDir;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = memory_folder();
    for name in ["config.json", "vocab.json"] {
        copy(testdata("models/hugging-face-tied").join(name), folder.path().join(name)).expect("a copy");
    }
    folder
});

fuzz_target!(|input: &[u8]| {
    let Some((which, bytes)) = input.split_first() else { return };
    let archive = || {
        let members = [("m/data.pkl", bytes), ("m/data/0", &[1; 64])];
        zip(&members.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())), false)
    };
    let file = if which % 2 == 0 { archive() } else { bytes.to_vec() };
    write(DIRECTORY.path().join("pytorch_model.bin"), file).expect("space for a small file");
    use_model(ModelFiles::find(DIRECTORY.path()).and_then(|files| files.load()));
});

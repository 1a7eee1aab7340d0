//! The small files beside a model, which are read from a directory only: `decoder.yml`, `generation_config.json`,
//! `model.safetensors.index.json`, our own `config.toml`. The first byte says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{check_message, testdata};
use metaphrase_models::ModelFiles;
use std::fs::{copy, write};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Directories that lack the file of the same place in [`FILES`].
static DIRECTORIES: LazyLock<Vec<TempDir>> = LazyLock::new(|| {
    let shard = ("hugging-face-tied", "model.safetensors", "shard.safetensors");
    let hugging_face = ["config.json", "model.safetensors", "vocab.json"].map(|name| ("hugging-face-tied", name, name));
    let marian = ["model.npz", "vocab.yml"].map(|name| ("marian-tiny", name, name));
    let index = [hugging_face[0], shard, hugging_face[2]];
    vec![directory(&marian), directory(&hugging_face), directory(&index), directory(&hugging_face[1..])]
});

const FILES: [&str; 4] = ["decoder.yml", "generation_config.json", "model.safetensors.index.json", "config.toml"];

/// A directory in memory, where there is such a thing, with copies of files from `testdata/models`.
fn directory(files: &[(&str, &str, &str)]) -> TempDir {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let directory = directory.expect("a temporary directory");
    for (model, from, to) in files {
        copy(testdata("models").join(model).join(from), directory.path().join(to)).expect("a copy");
    }
    directory
}

fuzz_target!(|input: &[u8]| {
    let Some((which, content)) = input.split_first() else { return };
    let which = usize::from(*which) % FILES.len();
    let directory = DIRECTORIES[which].path();
    write(directory.join(FILES[which]), content).expect("space for a small file");
    let found = ModelFiles::find(directory).and_then(|files| {
        files.vocabularies()?;
        files.load()
    });
    if let Err(error) = found {
        check_message(&error);
    }
});

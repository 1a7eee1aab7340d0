//! The small files next to a model, which are read from a directory only. The first byte chooses the file: see
//! [`CASES`].
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{check_message, ctranslate2, testdata};
use metaphrase_fuzz::text::memory_folder;
use std::fs::{copy, create_dir_all, write};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// The file that an input becomes, and the model that it stands next to.
const CASES: [(&str, Model); 11] = [
    ("decoder.yml", Model::Marian),
    ("generation_config.json", Model::HuggingFace),
    ("model.safetensors.index.json", Model::Sharded),
    ("config.toml", Model::Marian),
    ("tokenizer_config.json", Model::Hub("m2m100")),
    ("added_tokens.json", Model::Hub("m2m100")),
    ("tokenizer.json", Model::Hub("nllb")),
    ("metadata.json", Model::Argos),
    ("model/shared_vocabulary.json", Model::Argos),
    ("model/shared_vocabulary.txt", Model::Argos),
    ("bpe.model", Model::Argos),
];

/// A model of `testdata/models`, or made of one.
#[derive(Clone, Copy)]
enum Model {
    Marian,
    HuggingFace,
    /// That of Hugging Face with its tensors in a file that an index names.
    Sharded,
    /// A small model of many languages.
    Hub(&'static str),
    /// A package of Argos Translate.
    Argos,
}

/// A directory for each case, without the file of the case.
static DIRECTORIES: LazyLock<Vec<TempDir>> = LazyLock::new(|| {
    let directory = |(file, model): &(&str, Model)| {
        let folder = memory_folder();
        model.write(folder.path(), file);
        folder
    };
    CASES.iter().map(directory).collect()
});

impl Model {
    /// Writes the files of the model except `missing`.
    fn write(self, folder: &Path, missing: &str) {
        let copies = |model: &str, files: &[(&str, &str)]| {
            for (from, to) in files.iter().filter(|(_, to)| *to != missing) {
                copy(testdata("models").join(model).join(from), folder.join(to)).expect("a copy");
            }
        };
        let own_names = |names: &[&'static str]| names.iter().map(|&name| (name, name)).collect::<Vec<_>>();
        match self {
            Self::Marian => copies("marian-tiny", &own_names(&["model.npz", "vocab.yml"])),
            Self::HuggingFace => {
                copies("hugging-face-tied", &own_names(&["config.json", "model.safetensors", "vocab.json"]));
            }
            Self::Sharded => {
                let shard = ("model.safetensors", "shard.safetensors");
                copies("hugging-face-tied", &[shard, ("config.json", "config.json"), ("vocab.json", "vocab.json")]);
            }
            Self::Hub(name) => {
                let path = testdata("models/hub").join(name);
                for entry in std::fs::read_dir(&path).expect("a model") {
                    let file = entry.expect("an entry").file_name();
                    if file != missing {
                        copy(path.join(&file), folder.join(&file)).expect("a copy");
                    }
                }
            }
            Self::Argos => {
                create_dir_all(folder.join("model")).expect("a folder");
                for (name, content) in ctranslate2() {
                    if !missing.starts_with("model/shared") || name == "model.bin" || name == "config.json" {
                        write(folder.join("model").join(name), content).expect("a copy");
                    }
                }
                write(folder.join("metadata.json"), br#"{"from_code":"en","to_code":"de"}"#).expect("a copy");
            }
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((which, content)) = input.split_first() else { return };
    let which = usize::from(*which) % CASES.len();
    let directory = DIRECTORIES[which].path();
    write(directory.join(CASES[which].0), content).expect("space for a small file");
    match metaphrase::inspect(directory) {
        Ok(report) => assert!(!report.to_string().is_empty()),
        Err(error) => check_message(&error),
    }
});

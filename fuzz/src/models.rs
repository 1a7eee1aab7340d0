//! Sound models from `testdata/`, and what must hold of a model that opens.

use crate::arrays::{Array, Kind};
use crate::containers;
use metaphrase_base::{StepModel as _, WordId};
use metaphrase_models::{Config, ForeignFormat, Model, ModelError, StoredPrecision, Weights, from_bytes};
use metaphrase_search::{Options, Searcher, Task};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Stands for the file in messages.
pub const NAME: &str = "fuzzed";

/// The array of Marian's settings.
pub const SETTINGS: &str = "special:model.yml";

/// The model that is too large to translate with in the time of one input.
const MAX_PARAMETERS: usize = 1 << 20;

/// A sound model.
pub struct Base {
    /// Its settings as Marian's yml, our toml or Hugging Face's JSON; empty where they are inferred.
    pub settings: String,
    pub arrays: Vec<Array>,
    pub family: Family,
}

/// Whose files hold a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Marian,
    Directory,
    HuggingFace,
}

/// A folder of the repository's `testdata/`.
#[must_use]
pub fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata").join(name)
}

/// All small models of `testdata/models`, those of Marian as ours too.
pub static BASES: LazyLock<Vec<Base>> = LazyLock::new(|| {
    let mut bases = Vec::new();
    for path in npz_files(&testdata("models")) {
        let bytes = std::fs::read(&path).expect("a model");
        bases.push(marian(&bytes));
        bases.push(directory(&path, bytes));
    }
    for name in ["hugging-face-tied", "hugging-face-untied"] {
        let directory = testdata("models").join(name);
        let tensors = std::fs::read(directory.join("model.safetensors")).expect("tensors");
        bases.push(Base {
            settings: std::fs::read_to_string(directory.join("config.json")).expect("settings"),
            arrays: containers::read_safetensors(&tensors),
            family: Family::HuggingFace,
        });
    }
    assert!(bases.len() > 4, "no models in testdata");
    bases
});

/// The `.npz` files below a folder, in the order of their names.
fn npz_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("testdata/models");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let files = |path: PathBuf| match path.is_dir() {
        true => npz_files(&path),
        false => Vec::from_iter(path.extension().is_some_and(|e| e == "npz").then_some(path)),
    };
    paths.into_iter().flat_map(files).collect()
}

fn marian(bytes: &[u8]) -> Base {
    let mut arrays = containers::read_npz(bytes);
    // Models of Nematus on Theano have none.
    let yml = arrays.extract_if(.., |array| array.name == SETTINGS).next().map_or(Vec::new(), |array| array.bytes);
    let settings = String::from_utf8(yml).expect("text").trim_end_matches('\0').to_owned();
    Base { settings, arrays, family: Family::Marian }
}

/// The same model as our own directory has it.
fn directory(path: &Path, bytes: Vec<u8>) -> Base {
    #[derive(serde::Serialize)]
    struct Manifest {
        version: u32,
        model: Config,
    }
    let (model, weights) = from_bytes::marian(path, bytes).expect("a sound model");
    let array = |name: &str| {
        let tensor = weights.tensor(name).expect("a tensor");
        Array {
            name: name.to_owned(),
            kind: Kind::F32,
            shape: tensor.shape.iter().map(|&size| size as i64).collect(),
            bytes: tensor.data.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    };
    let arrays = weights.names().map(array).collect();
    let settings = toml::to_string(&Manifest { version: 1, model }).expect("settings");
    Base { settings, arrays, family: Family::Directory }
}

/// The files of a sound model of CTranslate2, by name.
#[must_use]
pub fn ctranslate2() -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("source");
    std::fs::create_dir(&source).expect("a folder");
    let models = testdata("models/transformer");
    for name in ["post-relu-tied-all.npz", "vocab.source.yml", "vocab.target.yml"] {
        std::fs::copy(models.join(name), source.join(name)).expect("a copy");
    }
    let to = folder.path().join("to");
    metaphrase::export(&source, &to, ForeignFormat::CTranslate2, StoredPrecision::F32).expect("a model of CTranslate2");
    let files = std::fs::read_dir(&to).expect("the files").map(|entry| entry.expect("a file"));
    files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), std::fs::read(file.path()).expect("a file")))
        .collect()
}

/// The files of a model of CTranslate2 that was MADLAD-400's, by name.
#[must_use]
pub fn ctranslate2_madlad() -> Vec<(String, Vec<u8>)> {
    let folder = testdata("models/hub-ctranslate2/madlad");
    let read = |name: &str| (name.to_owned(), std::fs::read(folder.join(name)).expect("a file"));
    ["model.bin", "shared_vocabulary.json"].map(read).into()
}

/// What opens must build or say why not, and what is built must translate.
pub fn use_model(opened: Result<(Config, Weights), ModelError>) {
    match opened.and_then(|(config, weights)| Model::new(config, &weights)) {
        Ok(model) => translate(&model),
        Err(error) => check_message(&error),
    }
}

/// An error can be said. That it is one line without control characters is the task of the program that prints it.
pub fn check_message(error: &dyn std::error::Error) {
    assert!(!error.to_string().is_empty(), "an error without a message");
}

fn translate(model: &Model) {
    if model.parameters() > MAX_PARAMETERS {
        return;
    }
    let end = model.facts().end_of_sentence;
    let options = Options {
        beam_size: 3,
        n_best: 3,
        max_length_factor: 2.0,
        excluded: model.config().never.iter().map(|&word| WordId(word)).filter(|&word| word != end).collect(),
        attention: model.facts().attention,
        ..Options::default()
    };
    let options = options.check(model).expect("sound options");
    let last = WordId(model.config().source_words as u32 - 1);
    let sources = [vec![end], vec![WordId(0), last, last, end]];
    let mut tasks = sources.into_iter().map(|source| Task::new((), source, &options));
    let mut outcomes = 0;
    Searcher::new(model, 64).run(|| tasks.next(), |_| outcomes += 1);
    assert_eq!(outcomes, 2, "a lost sentence");
}

//! Folders of models.

use crate::common::{Running, server_with};
use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_server::{Config, ServeError, Server};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

fn copy(from: &str, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(shipped(from)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// A folder with models of several formats, and with other things.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    copy("models/en-de", &inside("ours-en-de"));
    copy("testdata/models/marian-tiny", &inside("fr-it"));
    copy("testdata/models/hub/m2m100", &inside("m2m100_418M"));
    copy("testdata/models/marian-tiny", &inside("my-model"));
    fs::create_dir(inside("notes")).unwrap();
    fs::create_dir(inside(".git")).unwrap();
    fs::write(inside("README.md"), "my models").unwrap();
    fs::write(inside("broken.zip"), "no archive").unwrap();
    folder
}

fn server(folder: &Path) -> Running {
    server_with(|config| {
        config.models.clear();
        config.model_folders = vec![folder.to_owned()];
    })
}

#[test]
fn models_of_a_folder_are_listed_and_loaded_when_they_are_needed() {
    let folder = folder();
    let server = server(folder.path());
    let states = server.get("/api/v1/models").json();
    let states = states["models"].as_array().unwrap();
    let names: Vec<&str> = states.iter().map(|state| state["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.contains(&"en-de") && names.contains(&"fr-it"), "{names:?}");
    assert!(states.iter().all(|state| state["loaded"] == false && state["bytes"].is_null()));

    let many = states.iter().find(|state| state["sources"].as_array().unwrap().len() > 1).unwrap();
    let [one, other] = [0, 1].map(|at| many["sources"][at].as_str().unwrap());
    let languages = server.get("/languages").json();
    let of_one = languages.as_array().unwrap().iter().find(|language| language["code"] == one).unwrap();
    assert!(of_one["targets"].as_array().unwrap().contains(&json!(other)), "{of_one}");

    for (source, target) in [("en", "de"), ("fr", "it"), (one, other), (other, one)] {
        let answer = server.post("/translate", &json!({"q": "Hello.", "source": source, "target": target}));
        assert_eq!(answer.status, 200, "{source}-{target}: {}", answer.text());
    }
    let states = server.get("/api/v1/models").json();
    let states = states["models"].as_array().unwrap();
    assert!(
        states.iter().all(|state| state["loaded"] == true && state["bytes"].as_u64().unwrap() > 1000),
        "{states:?}"
    );
    assert_eq!(server.metric("models"), 3, "a model of many languages is in memory once");
}

#[test]
fn a_folder_without_models_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let start = |path: &Path| {
        let mut config = Config::local();
        config.address.set_port(0);
        config.models.clear();
        config.model_folders = vec![path.to_owned()];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(Server::start(config)).err().unwrap();
        runtime.shutdown_timeout(Duration::from_secs(1));
        error
    };
    assert!(matches!(start(folder.path()), ServeError::NoModels(_)));
    let absent = folder.path().join("absent");
    let error = start(&absent);
    assert!(matches!(error, ServeError::Folder { .. }) && error.to_string().contains("absent"), "{error}");
}

/// A package of Argos Translate that holds the bundled model, and a directory of CTranslate2.
#[test]
fn packages_of_argos_and_directories_of_ctranslate2_are_served_from_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let write = |to: &Path| {
        let (format, precision) = (metaphrase::ForeignFormat::CTranslate2, metaphrase::StoredPrecision::Int8);
        metaphrase::export(shipped("models/en-de"), to, format, precision).unwrap();
    };
    write(&folder.path().join("en-de"));
    let package = folder.path().join("translate-nb_sv-1_9");
    fs::create_dir(&package).unwrap();
    write(&package.join("model"));
    let pieces = "sentencepiece.model";
    fs::rename(package.join("model").join(pieces), package.join(pieces)).unwrap();
    fs::write(package.join("metadata.json"), r#"{"from_code": "nb", "to_code": "sv", "type": "translate"}"#).unwrap();

    let server = server(folder.path());
    let languages = server.get("/languages").json();
    for (source, target) in [("en", "de"), ("nb", "sv")] {
        let of_source = languages.as_array().unwrap().iter().find(|language| language["code"] == source).unwrap();
        assert!(of_source["targets"].as_array().unwrap().contains(&json!(target)), "{of_source}");
        let answer = server.post("/translate", &json!({"q": "Good morning!", "source": source, "target": target}));
        assert_eq!(answer.json()["translatedText"], "Guten Morgen!", "{source}-{target}: {}", answer.text());
    }
}

/// A SentencePiece model of letters, whose `</s>` is piece 0, as Marian has it.
fn letters() -> Vec<u8> {
    let piece = |text: &str, kind: u8| {
        let inner = [&[0x0a, text.len() as u8], text.as_bytes(), &[0x18, kind]].concat();
        [&[0x0a, inner.len() as u8], &inner[..]].concat()
    };
    let letters = ('a'..='z').flat_map(|letter| piece(&letter.to_string(), 1));
    // The fields 40 and 42 of the trainer's settings are the pieces of unknown words and of the end.
    let settings = [0x12, 6, 0xc0, 0x02, 1, 0xd0, 0x02, 0];
    let special = [piece("</s>", 3), piece("<unk>", 2), piece("\u{2581}", 1)].concat();
    special.into_iter().chain(letters).chain(settings).collect()
}

fn pack(folder: &Path, name: &str) {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&fs::read(folder.join(name)).unwrap()).unwrap();
    fs::write(folder.join(format!("{name}.gz")), packer.finish().unwrap()).unwrap();
    fs::remove_file(folder.join(name)).unwrap();
}

/// Two students in the layout of Firefox: one with options, as programs unpack it, and one as Mozilla publishes it,
/// packed and without options. The names of the directories have no languages.
#[test]
fn students_of_firefox_are_served_from_their_folder() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("models");
    fs::create_dir(&folder).unwrap();
    for (pair, name) in [("en-pt", "unpacked"), ("pt-en", "packed")] {
        let marian = work.path().join(pair);
        fs::create_dir(&marian).unwrap();
        fs::copy(shipped("testdata/models/transformer/ssru-tied-all.npz"), marian.join("model.npz")).unwrap();
        fs::write(marian.join("vocab.spm"), letters()).unwrap();
        let (format, precision) = (metaphrase::ForeignFormat::Firefox, metaphrase::StoredPrecision::Int8);
        metaphrase::export(&marian, folder.join(name), format, precision).unwrap();
    }
    let packed = folder.join("packed");
    fs::remove_file(packed.join("config.intgemm8bit.yml")).unwrap();
    pack(&packed, "model.pten.intgemm8.bin");
    pack(&packed, "vocab.pten.spm");

    let server = server(&folder);
    let states = server.get("/api/v1/models").json();
    let names: Vec<&str> =
        states["models"].as_array().unwrap().iter().map(|state| state["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pt-en", "en-pt"]);
    for (source, target) in [("en", "pt"), ("pt", "en")] {
        let answer = server.post("/translate", &json!({"q": "hello house", "source": source, "target": target}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_ne!(answer.json()["translatedText"], "", "{source}-{target}");
    }
    assert_eq!(server.metric("models"), 2);
}

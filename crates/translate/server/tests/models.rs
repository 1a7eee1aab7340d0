//! Models that change while the server runs.

use crate::common::{Running, server_with};
use metaphrase_server::parse_model;
use serde_json::json;
use std::path::{Path, PathBuf};

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models").join(name)
}

/// Replaces the files of a model as a careful operator does: by renaming.
fn install(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        let part = to.join("part");
        std::fs::copy(&path, &part).unwrap();
        std::fs::rename(part, to.join(name)).unwrap();
    }
}

fn translated(server: &Running, text: &str) -> String {
    let answer = server.post("/translate", &json!({"q": text, "source": "en", "target": "de"}));
    answer.json()["translatedText"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_replaced_model_is_loaded_again_and_a_broken_one_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    install(&bundled("en-de"), &model);
    let spec = parse_model(&format!("en-de={}", model.display())).unwrap();
    let server = server_with(|config| config.models = vec![spec]);
    assert_eq!(translated(&server, "Good morning!"), "Guten Morgen!");
    let problem = |server: &Running| server.get("/api/v1/models").json()["models"][0]["problem"].clone();

    // Broken files: the old model is used, and the reason is reported.
    let whole = std::fs::read(model.join("model.safetensors")).unwrap();
    std::fs::write(model.join("part"), &whole[..1000]).unwrap();
    std::fs::rename(model.join("part"), model.join("model.safetensors")).unwrap();
    server.wait("the refusal", |server| {
        server.look();
        server.metric("failed_reloads_total") == 1
    });
    assert_eq!(translated(&server, "Good morning!"), "Guten Morgen!");
    assert!(problem(&server).is_string());
    server.look();
    server.look();
    assert_eq!(server.metric("failed_reloads_total"), 1, "it is tried once");

    // Another model in its place.
    install(&bundled("de-en"), &model);
    server.wait("the new model", |server| {
        server.look();
        server.metric("model_reloads_total") >= 1 && problem(server).is_null()
    });
    assert_eq!(translated(&server, "Guten Morgen!"), "Good morning!");
}

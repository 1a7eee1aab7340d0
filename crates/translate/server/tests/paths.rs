//! No answer has a path or a file's name of the server's machine, whatever fails.

use crate::common::{Answer, Running, server_with};
use metaphrase_server::{ModelSpec, ServeError, Server, parse_model};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const TOO_LONG: usize = 3000;

fn spec(pair: &str, path: &Path) -> ModelSpec {
    parse_model(&format!("{pair}={}", path.display())).unwrap()
}

/// A copy of a small model in a folder of this name, next to a file that clients must not learn of.
fn model(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir(&path).unwrap();
    for entry in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny")).unwrap()
    {
        let from = entry.unwrap().path();
        fs::copy(&from, path.join(from.file_name().unwrap())).unwrap();
    }
    fs::write(path.join("private-notes.txt"), "").unwrap();
    path
}

/// What no answer may have, in small letters: paths of this machine and names of files.
fn secrets(folder: &Path) -> Vec<String> {
    let here = std::env::current_dir().unwrap();
    let mut all = vec![folder.to_path_buf(), here];
    all.extend(std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.components().count() > 1));
    let mut all: Vec<String> = all.iter().map(|path| path.to_str().unwrap().to_lowercase()).collect();
    all.extend(
        ["cut-model", "gone-model", "moses-model", "data-file", "private-notes", "no such table"].map(str::to_owned),
    );
    all
}

/// The paths in the sources of the server; a part in braces has `id` in its place.
fn routes() -> BTreeSet<String> {
    let (mut folders, mut found) = (vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")], BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(path).unwrap();
                let names = text.split(".route(\"").skip(1).filter_map(|rest| rest.split_once('"'));
                found.extend(names.map(|(name, _)| name.replace("{id}", "id").replace("{name}", "name")));
            }
        }
    }
    assert!(found.len() > 30, "{found:?}");
    found.extend(["/".into(), "/nothing/here".into()]);
    found
}

/// Bodies as clients of all interfaces send them, right and wrong.
fn bodies() -> Vec<Vec<u8>> {
    let mut values: Vec<Value> = Vec::new();
    for (source, target) in [("en", "de"), ("de", "en"), ("fr", "en"), ("fr", "de"), ("xx", "de")] {
        values.extend([
            json!({"q": "a house", "source": source, "target": target}),
            json!({"text": "a house", "source": source, "target": target}),
            json!({"text": ["a house"], "source_lang": source, "target_lang": target}),
        ]);
    }
    let long = "a ".repeat(TOO_LONG / 2);
    values.extend([
        json!({"q": long, "source": "en", "target": "de"}),
        json!({"text": long, "source": "en", "target": "de", "format": "lines"}),
        json!({"text": "a <b>house", "source": "en", "target": "de", "format": "xml"}),
        json!({"text": "a house", "source": "en", "target": "de", "stream": true}),
        json!({"text": "a house", "source": "en", "target": "de", "glossary": "none"}),
        json!({"text": "a house", "source": "en", "target": "de", "require": ["\u{1}"], "alternatives": 3}),
        json!({"text": "a house"}),
        json!({"name": "g", "source": "en", "target": "de", "tsv": "house\tHaus"}),
        json!({"name": "g", "source": "en", "target": "de", "tsv": "no tab"}),
        json!({"name": "g", "source_lang": "en", "target_lang": "de", "entries": "a\tb", "entries_format": "tsv"}),
        json!({"name": "g", "source_lang": "en", "target_lang": "de", "entries": "a", "entries_format": "tsv"}),
    ]);
    let broken = ["", "{", "\u{0}", "{\"q\": 1, \"text\": {}}"].map(|text| text.as_bytes().to_vec());
    let deep = "[".repeat(20_000).into_bytes();
    values.iter().map(|value| value.to_string().into_bytes()).chain(broken).chain([deep]).collect()
}

/// An answer without secrets.
struct Checked<'a>(&'a [String]);

impl Checked<'_> {
    fn check(&self, what: &str, answer: Answer) -> Answer {
        let text = format!("{}\n{}", answer.head, String::from_utf8_lossy(&answer.body).to_lowercase());
        for secret in self.0 {
            assert!(!text.contains(secret), "{what}: {secret} is in {text}");
        }
        answer
    }

    /// Sends everything everywhere; gives the sentences of the answers that say that the server is at fault.
    fn ask_everything(&self, server: &Running) -> BTreeSet<String> {
        let mut failures = BTreeSet::new();
        for path in routes() {
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                for body in bodies() {
                    let head = "content-type: application/json\r\n";
                    let answer = self.check(&format!("{method} {path}"), server.send(method, &path, head, &body));
                    if answer.status >= 500 || String::from_utf8_lossy(&answer.body).contains("event: error") {
                        failures.insert(format!("{path} {}", String::from_utf8_lossy(&answer.body).trim()));
                    }
                }
            }
        }
        failures
    }

    /// Uploads damaged files of all formats everywhere, and asks how they are.
    fn upload_everything(&self, server: &Running) {
        let info = server.get("/api/v1/info").json();
        let names = info["files"].as_array().unwrap().iter().map(|name| format!("a{}", name.as_str().unwrap()));
        let names: Vec<String> = names.chain(["a.exe".into(), "../../a".into()]).collect();
        let contents: [&[u8]; 5] = [b"", b"PK\x03\x04\x14\0", b"\xff\xfe", b"<a><b></a>", b"1\n2\n3\n"];
        for (name, content) in names.iter().flat_map(|name| contents.map(|content| (name, content))) {
            let fields = [("source", "en"), ("target", "de"), ("source_lang", "EN"), ("target_lang", "DE")];
            self.check(name, server.upload("/translate_file", &fields, name, content));
            let file = self.check(name, server.upload("/api/v1/files", &fields, name, content));
            let document = self.check(name, server.upload("/v2/document", &fields, name, content));
            if file.status == 202 {
                let path = format!("/api/v1/files/{}", file.json()["id"].as_str().unwrap());
                server.wait("the end of the file", |server| {
                    self.check(name, server.get(&path)).json()["status"] != "translating"
                });
                self.check(name, server.get(&format!("{path}/result")));
            }
            if document.status == 200 {
                let [id, key] = ["document_id", "document_key"].map(|field| document.json()[field].clone());
                let path = format!("/v2/document/{}", id.as_str().unwrap());
                server.wait("the end of the document", |server| {
                    let state = self.check(name, server.post(&path, &json!({"document_key": key})));
                    state.json()["status"] != "translating"
                });
                self.check(name, server.post(&format!("{path}/result"), &json!({"document_key": key})));
            }
        }
    }
}

#[test]
fn no_answer_has_a_path_when_models_cannot_be_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (cut, gone, moses) = (model(folder, "cut-model"), model(folder, "gone-model"), folder.join("moses-model"));
    fs::create_dir(&moses).unwrap();
    fs::write(moses.join("moses.ini"), "[feature]\nPhraseDictionaryMemory path=no-table\n").unwrap();
    let server = server_with(|config| {
        config.models = vec![spec("en-de", &cut), spec("de-en", &moses), spec("fr-en", &gone)];
        config.limits.characters = TOO_LONG - 1;
    });
    let weights = cut.join("model.npz");
    let whole = fs::read(&weights).unwrap();
    fs::write(&weights, &whole[..whole.len() / 2]).unwrap();
    fs::remove_dir_all(&gone).unwrap();

    let secrets = secrets(folder);
    let checked = Checked(&secrets);
    let failures = checked.ask_everything(&server);
    for path in ["/translate", "/v2/translate", "/api/v1/translate"] {
        for model in ["en-de", "de-en", "fr-en"] {
            let expected = format!("the model {model} cannot be loaded\"");
            let is_told = |failure: &String| failure.starts_with(&format!("{path} ")) && failure.contains(&expected);
            assert!(failures.iter().any(is_told), "{path} {model}: {failures:#?}");
        }
    }
    let states = server.get("/api/v1/models").json();
    assert_eq!(states["models"][0]["problem"], "the model en-de cannot be loaded");
    checked.upload_everything(&server);
}

#[test]
fn no_answer_has_a_path_when_files_are_damaged_or_the_data_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data-file");
    let server = server_with(|config| {
        config.data = Some(data.clone());
        config.limits.characters = TOO_LONG - 1;
    });
    let secrets = secrets(folder.path());
    let checked = Checked(&secrets);
    checked.upload_everything(&server);
    let other = rusqlite::Connection::open(&data).unwrap();
    other.execute_batch("DROP TABLE dictionaries; DROP TABLE glossaries").unwrap();
    let failures = checked.ask_everything(&server);
    let is_told = |failure: &String| failure.contains("the server could not use its data file\"");
    assert!(failures.iter().any(|failure| failure.starts_with("/v3/glossaries ") && is_told(failure)), "{failures:#?}");
}

#[test]
fn what_cannot_be_a_model_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.txt");
    fs::write(&text, "no model").unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    for (path, reason) in
        [(&folder.path().join("absent"), "read"), (&empty, "there is no model here"), (&text, "text.txt")]
    {
        let mut config = metaphrase_server::Config::local();
        config.address.set_port(0);
        config.models = vec![spec("en-de", path)];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(Server::start(config)).err().unwrap();
        runtime.shutdown_timeout(Duration::from_secs(1));
        assert!(matches!(&error, ServeError::Model { name, .. } if name == "en-de"), "{error}");
        let sentence = error.to_string();
        assert!(sentence.contains(reason) && sentence.contains(path.to_str().unwrap()), "{sentence}");
    }
}

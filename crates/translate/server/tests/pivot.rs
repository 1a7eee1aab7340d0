//! Languages without a model of their own, by way of a language between. The bundled models stand for three languages:
//! `xx` is English as a source, `yy` is English as a target.

use crate::common::{Running, server_with};
use metaphrase_server::parse_model;
use serde_json::{Value, json};
use std::path::Path;

fn server() -> Running {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models");
    let spec = |pair: &str, name: &str| parse_model(&format!("{pair}={}", folder.join(name).display())).unwrap();
    server_with(|config| config.models = vec![spec("xx-de", "en-de"), spec("de-yy", "de-en")])
}

#[test]
fn all_interfaces_translate_through_a_third_language() {
    let server = server();
    let libre = json!({"q": ["Good morning!", "The house is old."], "source": "xx", "target": "yy", "alternatives": 1});
    let libre = server.post("/translate", &libre);
    assert_eq!(libre.status, 200, "{}", libre.text());
    assert_eq!(libre.json()["translatedText"], json!(["Good morning!", "The house is old."]));
    assert_eq!(libre.json()["alternatives"][1].as_array().map(Vec::len), Some(1));

    let deepl = json!({"text": ["Good morning!"], "source_lang": "XX", "target_lang": "YY"});
    let deepl = server.post("/v2/translate", &deepl).json();
    assert_eq!(deepl["translations"][0]["text"], "Good morning!");

    let body = json!({"text": "The house of {name} is very <b>old</b>.", "source": "xx", "target": "yy", "format": "html",
        "terms": [{"source": "house", "target": ["cottage"]}], "alignment": true, "scores": true});
    let own = server.post("/api/v1/translate", &body).json();
    let translation = &own["translations"][0];
    let text = translation["text"].as_str().unwrap();
    assert!(["cottage", "{name}", "<b>old</b>"].iter().all(|kept| text.contains(kept)), "{text}");
    assert_eq!((&translation["through"], &translation["terms"]), (&json!("de"), &json!({"met": 1, "missing": 0})));
    assert!(!translation["sentences"][0]["alignment"].as_array().unwrap().is_empty());

    let direct =
        server.post("/api/v1/translate", &json!({"text": "Good morning!", "source": "xx", "target": "de"})).json();
    assert_eq!(
        (&direct["translations"][0]["text"], &direct["translations"][0]["through"]),
        (&json!("Guten Morgen!"), &Value::Null)
    );
    let none = server.post("/translate", &json!({"q": "a", "source": "yy", "target": "de"}));
    assert_eq!(none.status, 400);
}

#[test]
fn the_lists_of_languages_show_the_pairs() {
    let server = server();
    for path in ["/languages", "/api/v1/languages"] {
        let answer = server.get(path).json();
        let languages = answer.as_array().or(answer["languages"].as_array()).unwrap().clone();
        let targets =
            |code: &str| languages.iter().find(|language| language["code"] == code).unwrap()["targets"].clone();
        assert_eq!(
            (targets("xx"), targets("de"), targets("yy")),
            (json!(["de", "yy"]), json!(["yy"]), json!([])),
            "{path}"
        );
    }
    let pairs = server.get("/v2/glossary-language-pairs").json();
    let through = json!({"source_lang": "xx", "target_lang": "yy"});
    assert!(pairs["supported_languages"].as_array().unwrap().contains(&through), "{pairs}");
    let models = server.get("/api/v1/models").json();
    assert_eq!(models["models"].as_array().map(Vec::len), Some(2));
}

#[test]
fn files_are_translated_through_a_third_language() {
    let server = server();
    let fields = [("source", "xx"), ("target", "yy")];
    let answer = server.upload("/translate_file", &fields, "a.txt", b"Good morning!\n");
    let link = answer.json()["translatedFileUrl"].as_str().unwrap_or_default().to_owned();
    let path = link.split_once("test").map(|(_, path)| path).unwrap_or_default();
    assert_eq!(server.get(path).text(), "Good morning!\n", "{}", answer.text());
}

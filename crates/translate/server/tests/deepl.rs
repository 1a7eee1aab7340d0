//! DeepL's interface, as its clients use it.

use crate::common::{Running, server, server_with};
use serde_json::{Value, json};

#[test]
fn texts_are_translated_and_billed() {
    let server = server();
    // The Python client sends JSON, the one for Node a form.
    let body = json!({"text": ["Good morning!", "How are you?"], "source_lang": "EN", "target_lang": "DE", "show_billed_characters": true});
    let expected = json!({"translations": [
        {"detected_source_language": "EN", "text": "Guten Morgen!", "billed_characters": 13},
        {"detected_source_language": "EN", "text": "Wie geht es dir?", "billed_characters": 12},
    ]});
    assert_eq!(server.post("/v2/translate", &body).json(), expected);
    let form =
        server.form("/v2/translate", "text=Good%20morning!&text=How%20are%20you%3F&source_lang=en&target_lang=de");
    assert_eq!(form.json(), expected);
    let german =
        server.post("/v2/translate", &json!({"text": ["Guten Morgen!"], "source_lang": "DE", "target_lang": "EN-US"}));
    assert_eq!(german.json()["translations"][0]["text"], "Good morning!");
    let usage = server.get("/v2/usage").json();
    assert_eq!(usage["character_count"], 13 + 12 + 13 + 12 + 13);
}

#[test]
fn languages_have_the_variants_that_clients_ask_for() {
    let server = server();
    let codes = |answer: Value| -> Vec<String> {
        answer.as_array().unwrap().iter().map(|language| language["language"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(server.get("/v2/languages").json()), ["EN", "DE"]);
    assert_eq!(codes(server.get("/v2/languages?type=target").json()), ["DE", "EN-GB", "EN-US"]);
    // The Python client sends the parameter in the body of a GET.
    let head = "content-type: application/x-www-form-urlencoded\r\n";
    assert_eq!(codes(server.send("GET", "/v2/languages", head, b"type=target").json()), ["DE", "EN-GB", "EN-US"]);
    let pairs = server.get("/v2/glossary-language-pairs").json();
    assert_eq!(pairs["supported_languages"][0], json!({"source_lang": "en", "target_lang": "de"}));
}

#[test]
fn errors_have_a_message_and_a_detail() {
    let server = server_with(|config| config.limits.characters = 100);
    for (body, status) in [
        (json!({"target_lang": "DE"}), 400),
        (json!({"text": ["a"]}), 400),
        (json!({"text": ["a"], "target_lang": "XX"}), 400),
        (json!({"text": ["a"], "target_lang": "DE", "source_lang": "EN", "glossary_id": "none"}), 404),
        (json!({"text": ["a"], "target_lang": "DE", "tag_handling": "latex"}), 400),
        (json!({"text": ["a".repeat(101)], "target_lang": "DE"}), 413),
    ] {
        let answer = server.post("/v2/translate", &body);
        assert_eq!(answer.status, status, "{body} {}", answer.text());
        assert!(answer.json()["message"].is_string() && answer.json()["detail"].is_string(), "{body}");
    }
    assert_eq!(server.post("/v2/document/none", &json!({"document_key": "x"})).status, 404);
}

#[test]
fn documents_are_uploaded_asked_for_and_fetched() {
    let server = server();
    let fields = [("source_lang", "EN"), ("target_lang", "DE")];
    let document = server.upload("/v2/document", &fields, "a.txt", b"Good morning!").json();
    let (id, key) = (document["document_id"].as_str().unwrap(), json!({"document_key": document["document_key"]}));
    let path = format!("/v2/document/{id}");
    server.wait("the document", |server| server.post(&path, &key).json()["status"] == "done");
    assert_eq!(server.post(&path, &key).json()["billed_characters"], 13);
    assert_eq!(server.post(&format!("{path}/result"), &key).text(), "Guten Morgen!");
    assert_eq!(server.post(&path, &json!({"document_key": "other"})).status, 404);
}

/// The translation of a line with a glossary.
fn translated(server: &Running, glossary: &Value) -> String {
    let body =
        json!({"text": ["The house is old."], "source_lang": "EN", "target_lang": "DE", "glossary_id": glossary});
    server.post("/v2/translate", &body).json()["translations"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn glossaries_of_one_pair_are_made_used_and_removed() {
    let server = server();
    let body = json!({"name": "g", "source_lang": "en", "target_lang": "de", "entries": "house\tGebäude", "entries_format": "tsv"});
    let made = server.post("/v2/glossaries", &body);
    assert_eq!(made.status, 201);
    let made = made.json();
    assert_eq!((&made["name"], &made["ready"], &made["entry_count"]), (&json!("g"), &json!(true), &json!(1)));
    assert!(translated(&server, &made["glossary_id"]).contains("Gebäude"));
    let path = format!("/v2/glossaries/{}", made["glossary_id"].as_str().unwrap());
    assert_eq!(server.get(&path).json(), made);
    assert_eq!(server.get("/v2/glossaries").json(), json!({"glossaries": [made]}));
    assert_eq!(server.get(&format!("{path}/entries")).text(), "house\tGebäude\n");
    assert_eq!(server.json("DELETE", &path, &json!({})).status, 204);
    assert_eq!(server.get(&path).status, 404);
    let bad =
        json!({"name": "g", "source_lang": "en", "target_lang": "de", "entries": "house", "entries_format": "tsv"});
    assert_eq!(server.post("/v2/glossaries", &bad).status, 400);
}

#[test]
fn glossaries_of_several_pairs_change_in_parts() {
    let server = server();
    let part = |source: &str, target: &str, entries: &str| json!({"source_lang": source, "target_lang": target, "entries": entries, "entries_format": "tsv"});
    let body =
        json!({"name": "g", "dictionaries": [part("en", "de", "house\tGebäude"), part("de", "en", "Haus\tbuilding")]});
    let made = server.post("/v3/glossaries", &body).json();
    assert_eq!(made["dictionaries"].as_array().unwrap().len(), 2);
    let path = format!("/v3/glossaries/{}", made["glossary_id"].as_str().unwrap());
    assert!(translated(&server, &made["glossary_id"]).contains("Gebäude"));
    let change = json!({"name": "h", "dictionaries": [part("en", "de", "house\tBau\nold\talt")]});
    assert_eq!(server.json("PATCH", &path, &change).json()["name"], "h");
    let entries = format!("{path}/entries?source_lang=en&target_lang=de");
    assert_eq!(server.get(&entries).json()["dictionaries"][0]["entries"], "house\tBau\nold\talt");
    assert!(translated(&server, &made["glossary_id"]).contains("Bau"));
    let whole = format!("{path}/dictionaries");
    assert_eq!(server.json("PUT", &whole, &part("en", "de", "a\tb")).json()["entry_count"], 1);
    assert_eq!(server.json("DELETE", &format!("{whole}?source_lang=en&target_lang=de"), &json!({})).status, 204);
    assert_eq!(server.get(&entries).status, 404);
    assert_eq!(server.get("/v3/glossaries").json()["glossaries"][0]["dictionaries"].as_array().unwrap().len(), 1);
    assert_eq!(server.json("DELETE", &path, &json!({})).status, 204);
}

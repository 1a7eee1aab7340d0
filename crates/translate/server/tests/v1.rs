//! Our own interface.

use crate::common::{Running, server, server_with};
use serde_json::{Value, json};
use std::io::Read;

fn translated(server: &Running, body: Value) -> Value {
    let answer = server.post("/api/v1/translate", &body);
    assert_eq!(answer.status, 200, "{body} {}", answer.text());
    answer.json()
}

/// A part of a text by code units.
fn part(text: &Value, place: &Value) -> String {
    let units: Vec<u16> = text.as_str().unwrap().encode_utf16().collect();
    let at = |name: &str| place[name].as_u64().unwrap() as usize;
    String::from_utf16(&units[at("start")..at("end")]).unwrap()
}

#[test]
fn sentences_have_places_words_alignments_and_scores() {
    let server = server();
    let text = "😀 Good morning!\n\n  The house is old.";
    let answer = translated(
        &server,
        json!({"text": text, "source": "en", "target": "de", "alignment": true, "scores": true, "alternatives": 2}),
    );
    let found = &answer["translations"][0];
    assert_eq!(answer["characters"], text.chars().count());
    let sentences = found["sentences"].as_array().unwrap();
    for sentence in sentences {
        assert_eq!(part(&json!(text), &sentence["source"]), sentence["source"]["text"].as_str().unwrap());
        assert_eq!(part(&found["text"], &sentence["target"]), sentence["target"]["text"].as_str().unwrap());
        assert_eq!(sentence["alternatives"].as_array().unwrap().len(), 2);
    }
    let last = sentences.last().unwrap();
    let words = |side: &str, list: &str| -> Vec<String> {
        last[list].as_array().unwrap().iter().map(|place| part(&last[side]["text"], place)).collect()
    };
    assert_eq!(words("source", "source_words"), ["The", "house", "is", "old", "."]);
    assert_eq!(words("target", "target_words"), ["Das", "Haus", "ist", "alt", "."]);
    assert!(last["alignment"].as_array().unwrap().contains(&json!([1, 1])), "{last}");
    for word in last["target_words"].as_array().unwrap() {
        assert!((0.0..=1.0).contains(&word["probability"].as_f64().unwrap()));
    }
    assert!(found["text"].as_str().unwrap().ends_with("\n\n  Das Haus ist alt."));
    assert!(found["alternatives"].as_array().unwrap().len() >= 2);
}

#[test]
fn numbers_that_a_translation_lacks_have_places() {
    let server = server();
    let body = json!({"text": "Ä, the room has 77 chairs.", "source": "en", "target": "de", "avoid": ["77"]});
    let sentence = &translated(&server, body)["translations"][0]["sentences"][0];
    let found = &sentence["check"]["numbers"][0];
    assert_eq!(part(&sentence["source"]["text"], found), "77", "{sentence}");
    assert_eq!(found["text"], "77");
    let equal = translated(&server, json!({"text": "Hello.", "source": "en", "target": "de"}));
    assert_eq!(equal["translations"][0]["sentences"][0]["check"], json!({"numbers": []}));
}

#[test]
fn terms_are_met_or_missing_and_have_places() {
    let server = server();
    let terms =
        json!([{"source": "house", "target": ["Gebäude", "Bau"]}, {"source": "old", "target": ["alt", "betagt"]}]);
    let answer = translated(
        &server,
        json!({"text": "The house is old.", "source": "en", "target": "de", "terms": terms, "require": ["Tag"], "avoid": ["Das", "alt", "betagt"]}),
    );
    let sentence = &answer["translations"][0]["sentences"][0];
    let found = sentence["terms"].as_array().unwrap();
    assert_eq!(found.len(), 3, "{sentence}");
    let house = found.iter().find(|term| term["text"] == "house").unwrap();
    assert_eq!(part(&sentence["source"]["text"], &house["source"]), "house");
    assert!(
        house["met"] == true && ["Gebäude", "Bau"].contains(&&*part(&sentence["target"]["text"], &house["target"])),
        "{sentence}"
    );
    let old = found.iter().find(|term| term["text"] == "old").unwrap();
    assert!(old["met"] == false && old["target"].is_null());
    assert!(!sentence["notes"].as_array().unwrap().is_empty(), "what is missing is said");
    assert!(
        found.iter().any(|term| term["source"].is_null() && term["targets"] == json!(["Tag"]) && term["met"] == true)
    );
    assert!(!sentence["target"]["text"].as_str().unwrap().contains("Das "));
    assert_eq!(answer["translations"][0]["terms"], json!({"met": 2, "missing": 1}));
}

#[test]
fn a_prefix_has_continuations_that_differ_in_the_next_word() {
    let server = server();
    let body = json!({"text": "I am hungry.", "source": "en", "target": "de", "format": "lines", "target_prefix": "Ich", "alternatives": 3, "distinct_next_word": true});
    let answer = translated(&server, body);
    let sentence = &answer["translations"][0]["sentences"][0];
    let mut texts = vec![sentence["target"]["text"].as_str().unwrap()];
    texts.extend(sentence["alternatives"].as_array().unwrap().iter().map(|other| other["text"].as_str().unwrap()));
    let mut next: Vec<&str> = texts.iter().map(|text| text.split(' ').nth(1).unwrap()).collect();
    assert!(texts.iter().all(|text| text.starts_with("Ich ")), "{texts:?}");
    next.sort_unstable();
    next.dedup();
    assert!(next.len() == texts.len() && texts.len() >= 2, "{texts:?}");
    let two = json!({"text": "a", "target": "de", "source": "en", "target_prefix": "Das"});
    assert_eq!(server.post("/api/v1/translate", &two).status, 400);
}

#[test]
fn sentences_are_events() {
    // The text is translated twice.
    let server = server_with(|config| config.limits.cache_bytes = 0);
    let body = json!({"text": "Good morning!\nThe house is old.", "source": "en", "target": "de", "stream": true});
    let answer = server.post("/api/v1/translate", &body);
    assert!(answer.head.contains("content-type: text/event-stream"), "{}", answer.head);
    let text = answer.text();
    let events: Vec<(&str, Value)> = text
        .split("\n\n")
        .filter(|event| event.starts_with("event"))
        .map(|event| {
            let (name, data) = event.split_once('\n').unwrap();
            (&name[7..], serde_json::from_str(&data[6..]).unwrap())
        })
        .collect();
    let names: Vec<&str> = events.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["start", "sentence", "sentence", "done"]);
    assert_eq!(events[0].1["texts"][0]["sentences"], 2);
    assert!(events[1..3].iter().any(|(_, data)| data["sentence"] == 0 && data["target"]["text"] == "Guten Morgen!"));
    let whole =
        translated(&server, json!({"text": "Good morning!\nThe house is old.", "source": "en", "target": "de"}));
    assert_eq!(events[3].1["translations"], whole["translations"]);
}

#[test]
fn errors_name_what_is_wrong() {
    let server = server_with(|config| config.limits.characters = 50);
    for (body, status, code, words) in [
        (json!({"target": "de"}), 400, "bad_request", "missing field `text`"),
        (json!({"text": "a", "target": "de", "txt": 1}), 400, "bad_request", "unknown field `txt`"),
        (json!({"text": 5, "target": "de"}), 400, "bad_request", "a text or a list of texts"),
        (json!({"text": "a", "target": "xx"}), 400, "bad_request", "`xx`"),
        (json!({"text": "a", "target": "de", "format": "pdf"}), 400, "bad_request", "`pdf`"),
        (json!({"text": "a".repeat(51), "target": "de"}), 413, "too_large", "51 characters"),
        (json!({"text": "a", "target": "de", "alternatives": 10000}), 413, "too_large", "10000 alternatives"),
        (json!({"text": "a", "source": "en", "target": "de", "glossary": "x"}), 404, "not_found", "glossary"),
        (json!({"text": "a", "target": "de", "glossary": "x"}), 400, "bad_request", "source language"),
    ] {
        let answer = server.post("/api/v1/translate", &body);
        let error = &answer.json()["error"];
        assert_eq!((answer.status, error["code"].as_str().unwrap()), (status, code), "{body} {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{body} {error}");
    }
}

#[test]
fn glossaries_are_kept() {
    let server = server();
    let body = json!({"name": "Building", "source": "en", "target": "de", "entries": [{"source": "house", "target": ["Gebäude"]}]});
    let made = server.post("/api/v1/glossaries", &body);
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let path = format!("/api/v1/glossaries/{}", made["id"].as_str().unwrap());
    assert_eq!(server.get("/api/v1/glossaries").json(), json!({"glossaries": [made]}));
    assert_eq!(server.get(&path).json()["entries"], json!([{"source": "house", "target": ["Gebäude"]}]));
    let text = json!({"text": "The house is old.", "source": "en", "target": "de", "glossary": made["id"]});
    assert!(translated(&server, text.clone())["translations"][0]["text"].as_str().unwrap().contains("Gebäude"));
    let changed = json!({"name": "B", "source": "en", "target": "de", "tsv": "house\tBau\n"});
    assert_eq!(server.json("PUT", &path, &changed).json()["name"], "B");
    assert!(translated(&server, text)["translations"][0]["text"].as_str().unwrap().contains("Bau"));
    assert_eq!(server.get(&format!("{path}/entries")).text(), "house\tBau\n");
    assert_eq!(server.json("DELETE", &path, &json!({})).status, 204);
    assert_eq!(server.get(&path).status, 404);
}

#[test]
fn files_have_progress_and_a_result() {
    let server = server();
    let fields = [("source", "auto"), ("target", "de"), ("terms", r#"[{"source": "house", "target": "Bau"}]"#)];
    let begun =
        server.upload("/api/v1/files", &fields, "a.txt", "The house is old.\nWhere is the station?\n".as_bytes());
    assert_eq!(begun.status, 202, "{}", begun.text());
    let path = format!("/api/v1/files/{}", begun.json()["id"].as_str().unwrap());
    server.wait("the file", |server| server.get(&path).json()["status"] == "done");
    let state = server.get(&path).json();
    assert_eq!((&state["done"], &state["total"], &state["source"]), (&json!(2), &json!(2), &json!("en")));
    let result = server.get(&format!("{path}/result"));
    assert!(result.text().contains("Bau") && result.head.contains("a.de.txt"), "{}", result.head);
    assert_eq!(server.send("DELETE", &path, "", b"").status, 204);
    assert_eq!(server.get(&path).status, 404);
    let empty = server.upload("/api/v1/files", &fields[..2], "b.txt", b"\n\n").json();
    let path = format!("/api/v1/files/{}", empty["id"].as_str().unwrap());
    server.wait("the empty file", |server| server.get(&path).json()["error"]["code"] == "nothing_translated");
}

#[test]
fn every_path_is_described() {
    let server = server();
    let description = server.get("/api/v1/openapi.json").json();
    let sources =
        [include_str!("../src/v1.rs"), include_str!("../src/v1/files.rs"), include_str!("../src/v1/glossaries.rs")];
    for source in sources {
        for route in source.split(".route(\"").skip(1) {
            let (path, rest) = route.split_once('"').unwrap();
            let methods = rest.split('\n').next().unwrap();
            for method in ["get", "post", "put", "delete"] {
                let has = methods.contains(&format!("{method}("));
                let described = description["paths"][path].get(method).is_some();
                assert_eq!(has, described, "{method} {path}");
            }
        }
    }
}

#[test]
fn a_client_that_leaves_a_stream_stops_its_work() {
    let server = server();
    let text = "the old house and the new house ".repeat(20).repeat(50);
    let body = json!({"text": text.replace("new house the", "new house.\nThe"), "source": "en", "target": "de", "stream": true});
    let mut stream =
        server.begin("POST", "/api/v1/translate", "content-type: application/json\r\n", body.to_string().as_bytes());
    let mut first = [0; 200];
    assert!(stream.read(&mut first).unwrap() > 0);
    drop(stream);
    server.wait("the end of the work", |server| {
        server.metric("batch_tokens") == 0 && server.metric("waiting_sentences") == 0
    });
    assert!(server.metric("stopped_waiting_total") + server.metric("stopped_in_search_total") > 0);
}

#[test]
fn a_term_that_the_request_and_its_glossary_require_is_required_once() {
    let server = server();
    // A term that begins with # is no comment here: this is not a file.
    let terms = json!([{"source": "house", "target": "Haus"}, {"source": "#1", "target": "#eins"}]);
    let body =
        json!({"text": "The house is old.", "source": "en", "target": "de", "terms": terms, "require": ["Haus"]});
    let answer = translated(&server, body);
    let sentence = &answer["translations"][0]["sentences"][0];
    assert_eq!(sentence["terms"].as_array().unwrap().len(), 1, "{sentence}");
    assert_eq!(sentence["terms"][0]["text"], "house", "{sentence}");
    assert_eq!(sentence["target"]["text"].as_str().unwrap().matches("Haus").count(), 1, "{sentence}");
}

//! Sentences that come again are translated once, and their translations are the same.

use crate::common::{Running, server, server_with};
use serde_json::{Value, json};

fn translate(server: &Running, body: &Value) -> Value {
    let mut answer = server.post("/api/v1/translate", body).json();
    let object = answer.as_object_mut().unwrap();
    object.remove("milliseconds");
    for text in object["translations"].as_array_mut().unwrap() {
        text.as_object_mut().unwrap().remove("repeated");
    }
    answer
}

#[test]
fn a_repeated_sentence_is_translated_once() {
    let server = server();
    let texts = json!(["The house is old. The house is old.", "The house is old.", "The door is new."]);
    let body = json!({"text": texts, "source": "en", "target": "de"});
    let answer = server.post("/api/v1/translate", &body).json();
    let repeated: Vec<&Value> =
        answer["translations"].as_array().unwrap().iter().map(|text| &text["repeated"]).collect();
    assert_eq!(repeated, [1, 1, 0]);
    assert_eq!((server.metric("sentences_total"), server.metric("repeated_sentences_total")), (2, 2));
    // Later requests of other interfaces, too.
    server.post("/translate", &json!({"q": "The house is old.", "source": "en", "target": "de"}));
    assert_eq!((server.metric("sentences_total"), server.metric("repeated_sentences_total")), (3, 2));
    server.post("/v2/translate", &json!({"text": ["The house is old."], "source_lang": "EN", "target_lang": "DE"}));
    assert_eq!((server.metric("sentences_total"), server.metric("repeated_sentences_total")), (3, 3));
}

#[test]
fn answers_are_those_of_a_server_without_a_cache() {
    let (with, without) = (server(), server_with(|config| config.limits.cache_bytes = 0));
    let terms = json!([{"source": "house", "target": "Gebäude"}]);
    let bodies = [
        json!({"text": ["The house is old.", "The house is old."], "source": "en", "target": "de"}),
        json!({"text": "The house is old.", "source": "en", "target": "de", "terms": terms}),
        json!({"text": "The house is old.", "source": "en", "target": "de", "alternatives": 2, "alignment": true, "scores": true}),
        json!({"text": "The house is old.", "source": "en", "target": "de", "avoid": ["Haus"]}),
        json!({"text": "<p>The <b>house</b> is old.</p>", "source": "en", "target": "de", "format": "html"}),
        json!({"text": "Das Haus ist alt.", "source": "de", "target": "en"}),
        json!({"text": "The house is old.", "source": "en", "target": "de", "format": "lines", "target_prefix": "Das alte"}),
    ];
    for body in &bodies {
        let expected = translate(&without, body);
        assert_eq!(translate(&with, body), expected, "{body}");
        assert_eq!(translate(&with, body), expected, "again: {body}");
    }
    assert!(with.metric("repeated_sentences_total") >= bodies.len() as u64);
    assert_eq!(without.metric("repeated_sentences_total"), 0);
}

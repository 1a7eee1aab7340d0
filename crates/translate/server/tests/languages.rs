//! Source languages: named ones, detected ones, and texts in none of them.

use crate::common::server;
use serde_json::{Value, json};

const BUTTERFLY: &str = "Dove si trova la stazione?";

#[test]
fn a_text_in_the_target_language_comes_back() {
    let server = server();
    for (code, text) in [("en", "Good morning"), ("de", "Guten Morgen"), ("en-US", "Good morning")] {
        let body = json!({"q": text, "source": code, "target": &code[..2]});
        assert_eq!(server.post("/translate", &body).json(), json!({"translatedText": text}));
        let body = json!({"text": [text], "source_lang": code, "target_lang": &code[..2]});
        assert_eq!(server.post("/v2/translate", &body).json()["translations"][0]["text"], text);
        let body = json!({"text": text, "source": code, "target": &code[..2]});
        assert_eq!(server.post("/api/v1/translate", &body).json()["translations"][0]["text"], text);
    }
    let fields = [("source", "en"), ("target", "en")];
    let link = server.upload("/translate_file", &fields, "a.txt", b"Good morning!\n").json();
    let path = link["translatedFileUrl"].as_str().unwrap().strip_prefix("http://test").unwrap().to_owned();
    assert_eq!(server.get(&path).text(), "Good morning!\n");
    let refused = server.post("/translate", &json!({"q": "a", "source": "xx", "target": "xx"}));
    assert_eq!(refused.json(), json!({"error": "xx is not supported"}));
}

#[test]
fn short_texts_are_translated_from_their_language() {
    let server = server();
    for (text, target, source) in [
        ("hello handsome man", "de", "en"),
        ("yes", "de", "en"),
        ("Open file", "de", "en"),
        ("Katze", "en", "de"),
        ("ja", "en", "de"),
        ("Hilfe", "en", "de"),
        // A word of both languages is translated rather than returned.
        ("Name", "de", "en"),
        ("Name", "en", "de"),
    ] {
        let answer = server.post("/translate", &json!({"q": text, "source": "auto", "target": target})).json();
        assert_eq!(answer["detectedLanguage"]["language"], source, "{text}: {answer}");
    }
    let answer = server.post("/translate", &json!({"q": "Katze und Hund", "source": "auto", "target": "de"})).json();
    assert_eq!(
        (&answer["translatedText"], &answer["detectedLanguage"]["language"]),
        (&json!("Katze und Hund"), &json!("de"))
    );
}

#[test]
fn a_text_in_another_language_is_refused_with_a_sentence() {
    let server = server();
    let sentence = "the text is in none of the source languages (English, German); name the source language to have it translated all \
                    the same";
    for text in [BUTTERFLY, "Доброе утро", "早上好", "Waar is het station?"] {
        let answer = server.post("/translate", &json!({"q": text, "source": "auto", "target": "de"}));
        assert_eq!((answer.status, answer.json()), (400, json!({"error": sentence})), "{text}");
        let answer = server.post("/v2/translate", &json!({"text": [text], "target_lang": "DE"}));
        assert_eq!((answer.status, &answer.json()["detail"]), (400, &json!(sentence)), "{text}");
        let answer = server.post("/api/v1/translate", &json!({"text": text, "target": "de"}));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!("no_known_language")), "{text}");
        let confidences = server.form("/detect", &format!("q={text}")).json();
        assert!(confidences.as_array().unwrap().iter().all(|one| one["confidence"] == 0.0), "{confidences}");
        assert_eq!(server.post("/api/v1/detect", &json!({"text": text})).json()["language_is"], "other");
        // A named language is believed.
        assert_eq!(server.post("/translate", &json!({"q": text, "source": "en", "target": "de"})).status, 200);
    }
    let fields = [("source", "auto"), ("target", "de")];
    let refused = server.upload("/translate_file", &fields, "a.txt", BUTTERFLY.as_bytes());
    assert_eq!((refused.status, refused.json()), (400, json!({"error": sentence})));
}

#[test]
fn one_text_of_several_in_another_language_comes_back_and_is_reported() {
    let server = server();
    let texts = json!(["Good morning!", BUTTERFLY, "123"]);
    let answer = server.post("/translate", &json!({"q": texts, "source": "auto", "target": "de"}));
    assert!(answer.head.contains("x-metaphrase-untranslated: 2"), "{}", answer.head);
    let body = answer.json();
    assert_eq!(body["translatedText"][0], "Guten Morgen!");
    assert_eq!(
        (&body["translatedText"][1], &body["detectedLanguage"][1]["confidence"]),
        (&json!(BUTTERFLY), &json!(0.0))
    );
    let answer = server.post("/v2/translate", &json!({"text": texts, "target_lang": "DE"}));
    assert!(answer.head.contains("x-metaphrase-untranslated: 2"), "{}", answer.head);
    let answer = server.post("/api/v1/translate", &json!({"text": texts, "target": "de"})).json();
    assert!(
        answer["translations"][1]["notes"][0].as_str().unwrap().contains("none of the source languages"),
        "{answer}"
    );
    assert_eq!(answer["translations"][0]["notes"], json!([]));
}

#[test]
fn texts_without_words_have_no_language() {
    let server = server();
    let answer = server.post("/translate", &json!({"q": "🌷🌷🌷 🌷", "source": "auto", "target": "de"})).json();
    assert_eq!(answer["translatedText"], "🌷🌷🌷 🌷");
    assert_eq!(answer["detectedLanguage"]["confidence"], 0.0);
    let detected: Value = server.post("/api/v1/detect", &json!({"text": "123"})).json();
    assert_eq!(detected["language_is"], "no_words");
}

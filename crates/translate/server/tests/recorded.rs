//! Requests of programs, as they send them.

use crate::common::server;
use serde_json::json;

#[test]
fn weblate_translates_with_placeholders_in_xml() {
    let server = server();
    let body = json!({
        "text": ["Good morning, <x id=\"7\"></x>!"],
        "source_lang": "EN",
        "target_lang": "DE",
        "formality": "default",
        "tag_handling": "xml",
        "ignore_tags": ["x"],
    });
    let head = "content-type: application/json\r\nauthorization: DeepL-Auth-Key none\r\nuser-agent: Weblate/5\r\n";
    let answer = server.send("POST", "/v2/translate", head, body.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = answer.json()["translations"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("<x id=\"7\"></x>"), "{text}");
}

/// Further requests of its DeepL service: languages, pairs of glossaries, and a glossary that it makes, uses
/// and removes.
#[test]
fn weblate_keeps_its_glossaries() {
    let server = server();
    let codes = |path: &str| -> Vec<String> {
        let answer = server.get(path).json();
        let languages = answer.as_array().unwrap().iter();
        languages.map(|language| language["language"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes("/v2/languages?type=source"), ["EN", "DE"]);
    assert_eq!(codes("/v2/languages?type=target"), ["DE", "EN-GB", "EN-US"]);
    let pairs = server.get("/v2/glossary-language-pairs").json();
    assert_eq!(pairs["supported_languages"][0], json!({"source_lang": "en", "target_lang": "de"}));
    let body = json!({"name": "weblate:1:EN:DE", "source_lang": "EN", "target_lang": "DE", "entries": "house\tGebäude", "entries_format": "tsv"});
    assert_eq!(server.post("/v2/glossaries", &body).status, 201);
    let list = server.get("/v2/glossaries").json();
    let glossary = &list["glossaries"][0];
    assert!(glossary["creation_time"].as_str().is_some_and(|time| time.contains('T')), "{list}");
    let id = glossary["glossary_id"].as_str().unwrap();
    let body = json!({"text": ["The house is old &amp; <x id=\"4\"></x>."], "source_lang": "EN", "target_lang": "DE-DE", "formality": "default",
        "tag_handling": "xml", "ignore_tags": ["x"], "context": "a page", "glossary_id": id, "model_type": "prefer_quality_optimized"});
    let text = server.post("/v2/translate", &body).json()["translations"][0]["text"].to_string();
    assert!(["Gebäude", "<x id=\\\"4\\\"></x>"].iter().all(|kept| text.contains(kept)), "{text}");
    // The model may write the sign as a word.
    assert!(!text.replace("&amp;", "").contains('&'), "{text}");
    assert_eq!(server.send("DELETE", &format!("/v2/glossaries/{id}"), "", b"").status, 204);
    assert_eq!(server.send("DELETE", &format!("/v2/glossaries/{id}"), "", b"").status, 404);
}

#[test]
fn mastodon_translates_html_with_deepl_and_with_libretranslate() {
    let server = server();
    let form = "text=%3Cp%3EGood%20morning!%3C%2Fp%3E&source_lang=EN&target_lang=de&tag_handling=html";
    let answer = server.form("/v2/translate", form);
    assert_eq!(answer.json()["translations"][0]["text"], "<p>Guten Morgen!</p>");
    // Several texts, and a post whose language is not known.
    let form = "text=%3Cp%3EGuten%20Morgen!%3C%2Fp%3E&text=Wo%20ist%20der%20Bahnhof%3F&source_lang=&target_lang=en-GB&tag_handling=html";
    let answer = server.form("/v2/translate", form).json();
    assert_eq!(answer["translations"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["translations"][0]["detected_source_language"], "DE");
    let body = json!({"q": ["<p>Good morning!</p>", "The house is old."], "source": "auto", "target": "de", "format": "html", "api_key": null});
    let answer = server.post("/translate", &body).json();
    assert_eq!(answer["translatedText"][0], "<p>Guten Morgen!</p>");
    assert_eq!(answer["detectedLanguage"][1]["language"], "en");
    let languages = server.get("/languages").json();
    assert!(languages.as_array().unwrap().iter().all(|language| language["targets"].is_array()), "{languages}");
}

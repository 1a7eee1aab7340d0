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

#[test]
fn mastodon_translates_html_with_deepl_and_with_libretranslate() {
    let server = server();
    let form = "text=%3Cp%3EGood%20morning!%3C%2Fp%3E&source_lang=EN&target_lang=de&tag_handling=html";
    let answer = server.form("/v2/translate", form);
    assert_eq!(answer.json()["translations"][0]["text"], "<p>Guten Morgen!</p>");
    let body =
        json!({"q": ["<p>Good morning!</p>"], "source": "en", "target": "de", "format": "html", "api_key": null});
    assert_eq!(server.post("/translate", &body).json()["translatedText"][0], "<p>Guten Morgen!</p>");
}

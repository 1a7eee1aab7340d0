//! Keys and usage.

use crate::common::server_with;
use metaphrase_server::Store;
use serde_json::json;

#[test]
fn keys_are_asked_for_and_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let store = Store::open(Some(&path)).unwrap();
    let (small, other) =
        (store.add_key("small", Some(20), None).unwrap(), store.add_key("other", None, Some(2)).unwrap());
    let server = server_with(|config| (config.data, config.require_key) = (Some(path), true));
    let body = json!({"text": "Good morning!", "source": "en", "target": "de"});
    let v1 = |head: &str| server.send("POST", "/api/v1/translate", head, body.to_string().as_bytes());
    assert_eq!((v1("").status, v1("").json()["error"]["code"].clone()), (401, json!("key_missing")));
    assert_eq!(v1("x-api-key: wrong\r\n").status, 403);
    assert_eq!(v1(&format!("authorization: Bearer {small}\r\n")).status, 200);
    assert_eq!(v1(&format!("x-api-key: {small}\r\n")).json()["error"]["code"], "quota");

    let libre = |key: &str| server.form("/translate", &format!("q=Good&source=en&target=de&api_key={key}"));
    assert_eq!(libre("").json()["error"], "Please contact the server operator to get an API key");
    assert_eq!((libre("wrong").status, libre("wrong").json()["error"].clone()), (403, json!("Invalid API key")));
    assert_eq!((libre(&other).status, libre(&other).status), (200, 200));
    let slow = libre(&other);
    assert_eq!(slow.status, 429);
    assert!(slow.head.contains("retry-after: "), "{}", slow.head);

    let body = json!({"text": ["Good morning!"], "source_lang": "EN", "target_lang": "DE"}).to_string();
    let deepl = |key: &str| {
        server.send(
            "POST",
            "/v2/translate",
            &format!("authorization: DeepL-Auth-Key {key}\r\ncontent-type: application/json\r\n"),
            body.as_bytes(),
        )
    };
    assert_eq!((deepl("wrong").status, deepl(&small).status), (403, 456));
    let usage = server.send("GET", "/v2/usage", &format!("authorization: DeepL-Auth-Key {small}\r\n"), b"").json();
    assert_eq!(usage, json!({"character_count": 13, "character_limit": 20}));
    server.stop();
    assert_eq!(store.used(1).unwrap(), 13, "usage is in the file after the end");
}

#[test]
fn glossaries_of_a_key_are_seen_by_this_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let store = Store::open(Some(&path)).unwrap();
    let keys = ["a", "b"].map(|name| format!("x-api-key: {}\r\n", store.add_key(name, None, None).unwrap()));
    let server = server_with(|config| config.data = Some(path));
    let body = json!({"name": "g", "source": "en", "target": "de", "tsv": "house\tBau"}).to_string();
    let made = server.send("POST", "/api/v1/glossaries", &keys[0], body.as_bytes()).json();
    let path = format!("/api/v1/glossaries/{}", made["id"].as_str().unwrap());
    assert_eq!(server.send("GET", &path, &keys[0], b"").status, 200);
    assert_eq!(server.send("GET", &path, &keys[1], b"").status, 404);
    assert_eq!(server.get(&path).status, 404);
}

//! LibreTranslate's interface, as its clients use it.

use crate::common::{server, server_with};
use serde_json::json;

#[test]
fn texts_come_as_a_form_as_json_and_in_the_query() {
    let server = server();
    let expected = json!({"translatedText": "Guten Morgen!"});
    // libretranslatepy sends a form, deep-translator a query string without a body, npm's libretranslate JSON with
    // `apiKey`.
    let form = server.form("/translate", "q=Good+morning%21&source=en&target=de&api_key=");
    assert_eq!((form.status, form.json()), (200, expected.clone()));
    let query = server.send("POST", "/translate?q=Good%20morning%21&source=en&target=de&format=text", "", b"");
    assert_eq!((query.status, query.json()), (200, expected.clone()));
    let body = json!({"q": "Good morning!", "source": "en", "target": "de", "format": "text", "apiKey": ""});
    assert_eq!(server.post("/translate", &body).json(), expected);
}

#[test]
fn lists_have_lists() {
    let server = server();
    let q = json!(["Good morning!", "", "How are you?"]);
    let body = json!({"q": q, "source": "auto", "target": "de", "alternatives": 2});
    let answer = server.post("/translate", &body).json();
    assert_eq!(answer["translatedText"], json!(["Guten Morgen!", "", "Wie geht es dir?"]));
    assert_eq!(answer["alternatives"][2].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(answer["detectedLanguage"][0]["language"], "en");
    let one = server.post("/translate", &json!({"q": "Good morning!", "source": "auto", "target": "de"})).json();
    assert!(one["detectedLanguage"]["confidence"].as_f64().unwrap() > 0.0);
    assert!(one.get("alternatives").is_none());
}

#[test]
fn errors_have_the_sentences_that_clients_know() {
    let server = server_with(|config| (config.limits.characters, config.limits.texts) = (100, 3));
    let long = "a".repeat(101);
    for (body, status, error) in [
        (json!({"source": "en", "target": "de"}), 400, "Invalid request: missing q parameter"),
        (json!({"q": "", "source": "en", "target": "de"}), 400, "Invalid request: missing q parameter"),
        (json!({"q": "a", "target": "de"}), 400, "Invalid request: missing source parameter"),
        (json!({"q": "a", "source": "en"}), 400, "Invalid request: missing target parameter"),
        (json!({"q": "a", "source": "en", "target": "zz"}), 400, "zz is not supported"),
        (json!({"q": "a", "source": "zz", "target": "de"}), 400, "zz is not supported"),
        (json!({"q": "a", "source": "en", "target": "de", "format": "xml"}), 400, "xml format is not supported"),
        (
            json!({"q": "a", "source": "en", "target": "de", "alternatives": 10000}),
            400,
            "Invalid request: alternatives parameter must be <= 10",
        ),
        (
            json!({"q": "a", "source": "en", "target": "de", "alternatives": "many"}),
            400,
            "Invalid request: alternatives parameter is not a number",
        ),
        (
            json!({"q": long, "source": "en", "target": "de"}),
            400,
            "Invalid request: request (101) exceeds text limit (100)",
        ),
        (
            json!({"q": ["a", "b", "c", "d"], "source": "en", "target": "de"}),
            400,
            "Invalid request: request (4) exceeds text limit (3)",
        ),
    ] {
        let answer = server.post("/translate", &body);
        assert_eq!((answer.status, answer.json()), (status, json!({"error": error})), "{body}");
    }
    assert_eq!(server.form("/detect", "").json(), json!({"error": "Invalid request: missing q parameter"}));
    assert_eq!(server.get("/translate").status, 405);
    assert_eq!(server.form("/suggest", "q=a&s=b&source=en&target=de").status, 403);
}

#[test]
fn the_small_paths_answer() {
    let server = server();
    let languages = server.get("/languages").json();
    let english = json!({"code": "en", "name": "English", "targets": ["de"]});
    assert!(languages.as_array().unwrap().contains(&english), "{languages}");
    assert_eq!(server.get("/health").json(), json!({"status": "ok"}));
    let settings = server.get("/frontend/settings").json();
    assert_eq!((settings["keyRequired"].clone(), settings["charLimit"].clone()), (json!(false), json!(1_000_000)));
    assert_eq!(server.get("/spec").json()["swagger"], "2.0");
    assert!(server.get("/metrics").text().contains("# TYPE metaphrase_sentences_total counter"));
    let detected = server.form("/detect", "q=Where+is+the+station%3F").json();
    assert_eq!(detected[0]["language"], "en");
    assert_eq!(server.post("/languages", &json!({})).status, 405);
    assert_eq!(server.get("/nothing").status, 404);
    let page = server.get("/");
    assert!(page.status == 200 && page.head.contains("content-security-policy: default-src 'none'"));
}

#[test]
fn files_are_translated() {
    let server = server();
    let fields = [("source", "en"), ("target", "de")];
    let answer = server.upload("/translate_file", &fields, "a b.txt", b"Good morning!\n\nHow are you?\n").json();
    let link = answer["translatedFileUrl"].as_str().unwrap();
    let path = link.strip_prefix("http://test").unwrap();
    let file = server.get(path);
    assert_eq!(file.text(), "Guten Morgen!\n\nWie geht es dir?\n");
    assert!(file.head.contains("filename=\"a b.de.txt\""), "{}", file.head);
    let other = path.replacen('.', ".0", 1);
    assert_eq!(server.get(&other).status, 400, "the name is a secret");
    let page = server.upload("/translate_file", &fields, "a.HTML", b"<p id=x>Good morning!</p>").json();
    let link = page["translatedFileUrl"].as_str().unwrap().strip_prefix("http://test").unwrap();
    assert_eq!(server.get(link).text(), "<p id=x>Guten Morgen!</p>");
    let refused = server.upload("/translate_file", &fields, "a.exe", b"x");
    assert_eq!(refused.json(), json!({"error": "Invalid request: file format not supported"}));
    // The format is known, its bytes are not.
    let refused = server.upload("/translate_file", &fields, "a.srt", b"1\n00:00:01,000 --> 00:00:02,000\ncaf\xe9\n");
    let reason = refused.json()["error"].to_string();
    assert!(refused.status == 400 && reason.contains("UTF-8"), "{reason}");
}

#[test]
fn subtitles_are_translated_in_place() {
    let server = server();
    let subtitles = "1\n00:00:01,000 --> 00:00:02,000\nGood morning!\n";
    let answer =
        server.upload("/translate_file", &[("source", "auto"), ("target", "de")], "a.srt", subtitles.as_bytes());
    let link = answer.json()["translatedFileUrl"].as_str().unwrap().strip_prefix("http://test").unwrap().to_owned();
    assert_eq!(server.get(&link).text(), subtitles.replace("Good morning!", "Guten Morgen!"));
}

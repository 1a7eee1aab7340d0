//! Parameters that this server does not have are refused or reported.

use crate::common::{Running, server};
use serde_json::{Value, json};

fn glossary(server: &Running, entries: &str) -> String {
    let body =
        json!({"name": "g", "source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"});
    server.post("/v2/glossaries", &body).json()["glossary_id"].as_str().unwrap().to_owned()
}

fn with(extra: &Value) -> Value {
    let mut body = json!({"text": ["The house has a door."], "source_lang": "EN", "target_lang": "DE"});
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    body
}

#[test]
fn several_glossaries_apply_in_their_order() {
    let server = server();
    let (first, second) = (glossary(&server, "house\tGebäude"), glossary(&server, "house\tBau\ndoor\tPforte"));
    let text = |ids: Value| {
        let answer = server.post("/v2/translate", &with(&json!({"glossary_ids": ids})));
        answer.json()["translations"][0]["text"].as_str().unwrap_or_else(|| panic!("{}", answer.text())).to_owned()
    };
    let both = text(json!([first, second]));
    assert!(both.contains("Gebäude") && both.contains("Pforte") && !both.contains("Bau"), "{both}");
    let turned = text(json!([second, first]));
    assert!(turned.contains("Bau") && turned.contains("Pforte"), "{turned}");
    assert!(text(json!([first])).contains("Gebäude"));
    let form =
        format!("text=The+house+has+a+door.&source_lang=EN&target_lang=DE&glossary_ids={first}&glossary_ids={second}");
    let form = server.form("/v2/translate", &form).json();
    assert_eq!(form["translations"][0]["text"], both);
    // In a document they are one field.
    let ids = format!("{first},{second}");
    let fields = [("source_lang", "EN"), ("target_lang", "DE"), ("glossary_ids", &*ids)];
    let document = server.upload("/v2/document", &fields, "a.txt", b"The house has a door.").json();
    let (path, key) =
        (format!("/v2/document/{}", document["document_id"].as_str().unwrap()), &document["document_key"]);
    let key = json!({"document_key": key});
    server.wait("the document", |server| server.post(&path, &key).json()["status"] == "done");
    assert_eq!(server.post(&format!("{path}/result"), &key).text(), both);
}

#[test]
fn glossaries_that_do_not_fit_are_refused() {
    let server = server();
    let id = glossary(&server, "house\tGebäude");
    let unknown = "00000000-0000-0000-0000-000000000000";
    for (extra, status, part) in [
        (json!({"glossary_ids": [id, unknown]}), 404, "glossary"),
        (json!({"glossary_ids": [id], "glossary_id": id}), 400, "not both"),
        (json!({"glossary_ids": []}), 400, "1 to 5"),
        (json!({"glossary_ids": [id, id, id, id, id, id]}), 400, "has 6 glossaries"),
        (json!({"glossary_ids": [id], "source_lang": ""}), 400, "source language"),
        (json!({"glossary_ids": [id], "source_lang": "DE", "target_lang": "EN"}), 404, "languages"),
    ] {
        let answer = server.post("/v2/translate", &with(&extra));
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(answer.status == status && detail.contains(part), "{extra}: {} {detail}", answer.status);
    }
    let fields = [("source_lang", "EN"), ("target_lang", "DE"), ("glossary_ids", unknown)];
    assert_eq!(server.upload("/v2/document", &fields, "a.txt", b"A house.").status, 404);
}

#[test]
fn parameters_that_would_change_the_result_are_refused() {
    let server = server();
    for extra in [
        json!({"formality": "more"}),
        json!({"formality": "less"}),
        json!({"formality": "wrong"}),
        json!({"model_type": "wrong"}),
        json!({"tag_handling_version": "v9"}),
        json!({"style_id": "a"}),
        json!({"custom_instructions": ["Be kind"]}),
        json!({"translation_memory_id": "a"}),
    ] {
        let answer = server.post("/v2/translate", &with(&extra));
        let name = extra.as_object().unwrap().keys().next().unwrap().clone();
        assert!(answer.status == 400 && answer.text().contains(&name), "{extra}: {}", answer.text());
    }
    for fields in [[("output_format", "docx"), ("target_lang", "DE")], [("formality", "more"), ("target_lang", "DE")]] {
        assert_eq!(server.upload("/v2/document", &fields, "a.txt", b"A house.").status, 400, "{fields:?}");
    }
    let fields = [("output_format", "txt"), ("target_lang", "DE"), ("source_lang", "EN")];
    assert_eq!(server.upload("/v2/document", &fields, "a.txt", b"A house.").status, 200);
}

#[test]
fn other_parameters_are_reported() {
    let server = server();
    let extra = json!({"context": "a story", "formality": "prefer_more", "split_sentences": "1", "show_billed_characters": true,
        "model_type": "prefer_quality_optimized", "outline_detection": false, "splitting_tags": [], "unheard_of": 1});
    let answer = server.post("/v2/translate", &with(&extra));
    assert_eq!(answer.status, 200);
    let reported = "x-metaphrase-ignored: context, formality, outline_detection, unheard_of\r\n";
    assert!(answer.head.contains(reported), "{}", answer.head);
    let answer = server.post("/v2/translate", &with(&json!({"formality": "default", "context": ""})));
    assert!(!answer.head.contains("x-metaphrase-ignored"), "{}", answer.head);
    let body =
        json!({"q": "Good morning!", "source": "en", "target": "de", "format": "text", "api_key": "", "glossary": "g"});
    let answer = server.post("/translate", &body);
    assert!(answer.head.contains("x-metaphrase-ignored: glossary\r\n"), "{}", answer.head);
}

#[test]
fn immersive_translate_is_served() {
    let server = server();
    let body = json!({"source_lang": "en", "target_lang": "de", "text_list": ["Good morning!", "How are you?"]});
    let expected = json!({"translations": [
        {"detected_source_lang": "en", "text": "Guten Morgen!"},
        {"detected_source_lang": "en", "text": "Wie geht es dir?"},
    ]});
    assert_eq!(server.post("/imme?token=none", &body).json(), expected);
    let body = json!({"source_lang": "auto", "target_lang": "de", "text_list": ["Good morning!"]});
    assert_eq!(server.post("/imme", &body).json()["translations"][0]["text"], "Guten Morgen!");
    assert_eq!(server.post("/imme", &json!({"target_lang": "de"})).status, 400);
}

#[test]
fn paths_that_are_not_there_answer_in_the_form_of_their_interface() {
    let server = server();
    for (path, status) in [("/nothing", 404), ("/translate", 405), ("/v2/nothing", 404)] {
        let answer = server.get(path);
        let body = answer.json();
        assert!(answer.status == status && body["error"].is_string() && body["message"].is_string(), "{path}: {body}");
    }
    assert_eq!(server.get("/api/v1/nothing").json()["error"]["code"], "not_found");
}

#[test]
fn glossaries_come_as_files() {
    let server = server();
    let base = r#"<martif type="TBX"><text><body><termEntry><langSet xml:lang="en"><tig><term>house</term></tig></langSet>
        <langSet xml:lang="de"><tig><term>Gebäude</term></tig></langSet></termEntry></body></text></martif>"#;
    let fields = [("source", "en"), ("target", "de"), ("name", "terms")];
    for (name, text) in [("a.tbx", base), ("a.csv", "source;target\nhouse;Gebäude\n"), ("a.tsv", "house\tGebäude\n")]
    {
        let made = server.upload("/api/v1/glossaries", &fields, name, text.as_bytes());
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        assert_eq!((&made["entries"], &made["name"]), (&json!(1), &json!("terms")));
        let body = json!({"text": "The house is old.", "source": "en", "target": "de", "glossary": made["id"]});
        let answer = server.post("/api/v1/translate", &body).json();
        assert!(answer["translations"][0]["text"].as_str().unwrap().contains("Gebäude"), "{name}: {answer}");
    }
    let refused = server.upload("/api/v1/glossaries", &fields, "a.html", b"<html></html>");
    assert!(refused.status == 400 && refused.text().contains("TBX"), "{}", refused.text());
}

#[test]
fn a_glossary_file_is_read_and_not_stored() {
    let server = server();
    let fields = [("source", "en"), ("target", "de")];
    let read = |name: &str, text: &str| server.upload("/api/v1/glossary-file", &fields, name, text.as_bytes());
    for (name, text) in [
        ("a.csv", "source;target\nhouse;Gebäude\n"),
        ("a.tsv", "# terms\nhouse\tGebäude\n"),
        (
            "a.tmx",
            "<tmx><body><tu><tuv xml:lang='en'><seg>house</seg></tuv><tuv xml:lang='de'><seg>Gebäude</seg></tuv></tu></body></tmx>",
        ),
    ] {
        assert_eq!(read(name, text).json(), json!({"entries": [{"source": "house", "target": ["Gebäude"]}]}), "{name}");
    }
    // Terms of a request have no alternatives in their source terms, and all may be targets.
    let terms = json!([
        {"source": "house", "target": ["Haus*", "Bau"]},
        {"source": "home", "target": ["Haus*", "Bau"]},
        {"source": "a|b", "target": ["c|d"]},
    ]);
    assert_eq!(read("a.tsv", "house|home*\tHaus*|Bau\na\\|b\tc\\|d\n").json()["entries"], terms);
    assert_eq!(read("a.html", "<html></html>").status, 400);
    assert_eq!(server.get("/api/v1/glossaries").json(), json!({"glossaries": []}));
}

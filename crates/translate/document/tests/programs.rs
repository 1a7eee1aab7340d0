//! Files of programs: what programs read stays, and messages say what is left to do.

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};

/// The file with its sentences in capitals, and the messages about it.
fn translated(text: &str, format: FileFormat, options: &Options) -> (String, Vec<String>) {
    let file = SegmentedFile::new(text.as_bytes().to_vec(), format, options).unwrap();
    let answer = |source: metaphrase_document::Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        Some(Answer { text: source.text.to_ascii_uppercase().replace('\u{a0}', " "), kept, links: vec![] })
    };
    let finished = file.finish(&file.sentences().map(answer).collect::<Vec<_>>()).unwrap();
    (String::from_utf8(finished.bytes).unwrap(), finished.notes)
}

fn german() -> Options {
    Options { language: "en".into(), target: "de".into(), ..Options::default() }
}

#[test]
fn values_that_programs_read_stay() {
    let text = r#"{"a": "Open", "b": "image/*", "c": "1px solid red", "d": "MM/DD/YYYY", "e": "btn btn-primary", "f": "true"}"#;
    assert_eq!(translated(text, FileFormat::Json, &german()).0, text.replace("Open", "OPEN"));
    let text = "a: Open\nb: Arial, Helvetica, sans-serif\nc: \"**/*.js\"\n";
    assert_eq!(translated(text, FileFormat::Yaml, &german()).0, text.replace("Open", "OPEN"));
}

#[test]
fn a_catalogue_of_another_language_is_told() {
    let header = |language: &str, forms: &str| {
        format!(
            "msgid \"\"\nmsgstr \"\"\n\"Language: {language}\\n\"\n\"Plural-Forms: {forms};\\n\"\n\nmsgid \"house\"\nmsgid_plural \"houses\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"
        )
    };
    let notes = |language: &str, forms: &str| translated(&header(language, forms), FileFormat::Po, &german()).1;
    assert!(notes("de", "nplurals=2; plural=(n != 1)").is_empty());
    assert!(notes("en", "nplurals=2; plural=(n != 1)").is_empty());
    assert!(notes("", "nplurals=2; plural=(n != 1)").is_empty());
    let polish = notes("pl", "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2)").join("");
    assert!(polish.contains("names the language pl") && polish.contains("3 forms"), "{polish}");
    let japanese = notes("de", "nplurals=1; plural=0").join("");
    assert!(japanese.contains("Plural-Forms states 1 form,"), "{japanese}");
}

#[test]
fn a_file_of_flutter_names_its_language() {
    let text = "{\n  \"@@locale\": \"en\",\n  \"title\": \"The house\"\n}\n";
    let expected = "{\n  \"@@locale\": \"de\",\n  \"title\": \"THE HOUSE\"\n}\n";
    assert_eq!(translated(text, FileFormat::Arb, &german()).0, expected);
    assert_eq!(translated(text, FileFormat::Json, &german()).0, expected);
    let unknown = Options { target: String::new(), ..german() };
    assert_eq!(translated(text, FileFormat::Arb, &unknown).0, text.replace("The house", "THE HOUSE"));
    let brazilian = Options { target: "pt-BR".into(), ..german() };
    assert!(translated(text, FileFormat::Arb, &brazilian).0.contains("\"@@locale\": \"pt_BR\""));
}

#[test]
fn spaces_without_a_break_stay() {
    let text = "<resources>\n<string name=\"a\">Only 5\\u00A0km to go</string>\n<item type=\"string\" name=\"b\">The house</item>\n<item type=\"id\" name=\"c\"/>\n</resources>\n";
    let expected = text.replace("Only 5\\u00A0km to go", "ONLY 5\\u00A0KM TO GO").replace("The house", "THE HOUSE");
    assert_eq!(translated(text, FileFormat::Xml, &german()).0, expected);
    assert_eq!(
        translated("a=Size: {0}\\u00a0MB now\n", FileFormat::Properties, &german()).0,
        "a=SIZE: {0}\\u00a0MB NOW\n"
    );
    assert_eq!(
        translated("{\"a\": \"up to 10\u{a0}km\"}", FileFormat::Json, &german()).0,
        "{\"a\": \"UP TO 10\u{a0}KM\"}"
    );
}

#[test]
fn choices_of_java_are_told() {
    let (text, notes) =
        translated("a=There are {0,choice,0#no files|1#one file}.\n", FileFormat::Properties, &german());
    assert_eq!(text, "a=THERE ARE {0,choice,0#no files|1#one file}.\n");
    assert!(notes.join("").contains("choice"), "{notes:?}");
}

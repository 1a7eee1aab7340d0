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
    let text = "? [complex, key]\n: Open\nc: {d: [Open]}\n";
    assert_eq!(translated(text, FileFormat::Yaml, &german()).0, text.replace("Open", "OPEN"));
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
fn a_sentence_of_a_message_may_have_several_lines() {
    let sentences = |text: &str, format| {
        let file = SegmentedFile::new(text.as_bytes().to_vec(), format, &german()).unwrap();
        file.sentences().map(|source| source.text.into_owned()).collect::<Vec<_>>()
    };
    let text = r#"{"a": "The file cannot be read,\nbecause it is too large.\nTry again.", "b": "Are you sure\nyou want to quit?"}"#;
    let read = sentences(text, FileFormat::Json);
    assert_eq!(
        read,
        ["The file cannot be read, because it is too large.", "Try again.", "Are you sure you want to quit?"]
    );
    let expected = text.to_ascii_uppercase().replace("\\N", "\\n").replace("\"A\"", "\"a\"").replace("\"B\"", "\"b\"");
    assert_eq!(translated(text, FileFormat::Json, &german()).0, expected);
    let text = "msgid \"Choose a {colour}\\nthat fits.\"\nmsgstr \"\"\n";
    assert_eq!(sentences(text, FileFormat::Po).len(), 1);
    let expected = text.replace("msgstr \"\"", "msgstr \"CHOOSE A {colour}\\nTHAT FITS.\"");
    assert_eq!(translated(text, FileFormat::Po, &german()).0, expected);
    assert_eq!(sentences("msgid \"copy\\npaste\"\nmsgstr \"\"\n", FileFormat::Po), ["copy", "paste"]);
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

#[test]
fn formulas_in_tables_stay() {
    let text = "text,sum\nThe house,=SUM(A1:A2)\n";
    assert_eq!(translated(text, FileFormat::Csv, &german()).0, "text,sum\nTHE HOUSE,=SUM(A1:A2)\n");
}

#[test]
fn pairs_of_angular_are_elements() {
    let xliff = |source: &str, target: &str| {
        format!(
            "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body><trans-unit id=\"a\"><source>{source}</source>{target}</trans-unit></body></file></xliff>"
        )
    };
    for (source, expected) in [
        (
            "<x id=\"START_LINK\" ctype=\"x-a\"/>Here<x id=\"CLOSE_LINK\"/> is the <x id=\"START_BOLD_TEXT_1\"/>house<x id=\"CLOSE_BOLD_TEXT\"/>.",
            "<x id=\"START_LINK\" ctype=\"x-a\"/>HERE<x id=\"CLOSE_LINK\"/> IS THE <x id=\"START_BOLD_TEXT_1\"/>HOUSE<x id=\"CLOSE_BOLD_TEXT\"/>.",
        ),
        ("Line one<cp hex=\"0009\"/>after", "LINE ONE<cp hex=\"0009\"/>AFTER"),
        ("Line one<x id=\"LINE_BREAK\"/>line two", "LINE ONE<x id=\"LINE_BREAK\"/>LINE TWO"),
        ("(<x id=\"INTERPOLATION\"/>)", "(<x id=\"INTERPOLATION\"/>)"),
        ("Save <x id=\"INTERPOLATION\"/> now", "SAVE <x id=\"INTERPOLATION\"/> NOW"),
    ] {
        // A file of nothing but names has nothing to translate.
        let more = "<trans-unit id=\"b\"><source>More</source></trans-unit>";
        let input = xliff(source, "").replace("</body>", &format!("{more}</body>"));
        let found = translated(&input, FileFormat::Xliff, &german()).0;
        assert!(found.contains(&format!("<target>{expected}</target>")), "{found}");
    }
}

#[test]
fn a_mark_of_the_byte_order_is_no_text_of_xml() {
    let text = "\u{feff}<doc><title>The title</title><p>The house is old.</p></doc>";
    let file = SegmentedFile::new(text.as_bytes().to_vec(), FileFormat::Xml, &german()).unwrap();
    let sentences: Vec<String> = file.sentences().map(|sentence| sentence.text.into_owned()).collect();
    assert_eq!(sentences, ["The title", "The house is old."]);
}

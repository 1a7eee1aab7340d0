//! Files of messages, tables, subtitles of ASS, workbooks and PDF: their texts are translated, and nothing else.

use crate::files::{archive, part};
use metaphrase_document::{Answer, Entries, Error, FileFormat, FileOptions, Options, SegmentedFile};
use std::path::PathBuf;

/// All fixtures, with their formats.
fn fixtures() -> Vec<(String, FileFormat, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let format = FileFormat::from_extension(&path.extension().unwrap().to_string_lossy()).unwrap();
            (path.file_name().unwrap().to_string_lossy().into_owned(), format, std::fs::read(&path).unwrap())
        })
        .collect();
    found.sort_by_key(|(name, ..)| name.clone());
    found
}

fn fixture(name: &str) -> (FileFormat, String) {
    let (_, format, bytes) = fixtures().into_iter().find(|(known, ..)| known == name).unwrap();
    (format, String::from_utf8(bytes).unwrap())
}

fn options() -> Options {
    Options { target: "de".into(), ..Options::default() }
}

/// Each sentence changed by `change`, with its things to copy.
fn answers(file: &SegmentedFile, change: impl Fn(&str) -> String) -> Vec<Option<Answer>> {
    let answer = |source: metaphrase_document::Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        Some(Answer { text: change(&source.text), kept, links: vec![] })
    };
    file.sentences().map(answer).collect()
}

fn changed(bytes: &[u8], format: FileFormat, options: &Options, change: impl Fn(&str) -> String) -> Vec<u8> {
    let file = SegmentedFile::new(bytes.to_vec(), format, options).unwrap();
    file.finish(&answers(&file, change)).unwrap().bytes
}

/// A text with its sentences in capitals.
fn capitals(text: &str, format: FileFormat, options: &Options) -> String {
    String::from_utf8(changed(text.as_bytes(), format, options, str::to_ascii_uppercase)).unwrap()
}

/// Checks that a fixture becomes what the replacements make of it.
fn check(name: &str, replacements: &[(&str, &str)]) {
    check_with(name, &options(), replacements);
}

fn check_with(name: &str, options: &Options, replacements: &[(&str, &str)]) {
    let (format, text) = fixture(name);
    let mut expected = text.clone();
    for (from, to) in replacements {
        assert!(expected.contains(from), "{name}: {from}");
        expected = expected.replacen(from, to, 1);
    }
    let found = capitals(&text, format, options);
    let differ = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "{name}, found and expected: {differ:#?}\n{found}");
}

#[test]
fn json_keeps_keys_and_what_programs_read() {
    check(
        "i18next.json",
        &[
            ("The old house", "THE OLD HOUSE"),
            ("Open the door", "OPEN THE DOOR"),
            ("file was \\\"deleted\\\"", "FILE WAS \\\"DELETED\\\""),
            ("files were deleted", "FILES WERE DELETED"),
            ("It is {{date, datetime}}", "IT IS {{date, datetime}}"),
            ("Good morning", "GOOD MORNING"),
            ("Good night", "GOOD NIGHT"),
            ("Read <a", "READ <a"),
            ("our page</a> &amp; go", "OUR PAGE</a> &amp; GO"),
            ("No car | One car | {n} cars", "NO CAR | ONE CAR | {n} CARS"),
            ("is here", "IS HERE"),
            ("Total: {{ sum | currency }} only", "TOTAL: {{ sum | currency }} ONLY"),
            ("First line\\nSecond line", "FIRST LINE\\nSECOND LINE"),
            ("The café is open", "THE CAFé IS OPEN"),
        ],
    );
}

#[test]
fn kinds_of_json_are_told_apart() {
    check(
        "app.arb",
        &[
            ("\"@@locale\": \"en\"", "\"@@locale\": \"de\""),
            ("\"hello\": \"Hello {name}, it''s {date}", "\"hello\": \"HELLO {name}, IT''S {date}"),
            ("one{# file} other{# files}", "one{# FILE} other{# FILES}"),
        ],
    );
    check(
        "messages.json",
        &[
            ("A small helper", "A SMALL HELPER"),
            ("Hello $USER$, you have $1 messages", "HELLO $USER$, YOU HAVE $1 MESSAGES"),
        ],
    );
    check(
        "formatjs.json",
        &[
            ("The house of {name} isn't <b>old</b>", "THE HOUSE OF {name} ISN'T <b>OLD</b>"),
            ("Open the '{'door", "OPEN THE '{'DOOR"),
        ],
    );
    let escaped = "{\"a\": \"The caf\\u00e9\"}";
    assert_eq!(capitals(escaped, FileFormat::Json, &options()), "{\"a\": \"THE CAF\\u00e9\"}");
}

#[test]
fn catalogues_of_xcode_get_a_language() {
    let unit = |text: &str| {
        format!(
            "{{\n          \"stringUnit\" : {{\n            \"state\" : \"needs_review\",\n            \"value\" : \"{text}\"\n          }}\n        }}"
        )
    };
    let (format, text) = fixture("Localizable.xcstrings");
    let found = capitals(&text, format, &options());
    let value: serde_json::Value = serde_json::from_str(&found).unwrap();
    let german = |key: &str| value["strings"][key]["localizations"]["de"].clone();
    assert_eq!(german("Good morning")["stringUnit"]["value"], "GOOD MORNING");
    assert_eq!(german("Open the door")["stringUnit"]["state"], "needs_review");
    assert_eq!(german("Good night")["stringUnit"]["value"], "Gute Nacht");
    assert_eq!(german("The end")["stringUnit"]["value"], "THE END");
    assert_eq!(german("BigHouse"), serde_json::Value::Null);
    let forms = &german("files")["variations"]["plural"];
    assert_eq!(forms["one"]["stringUnit"]["value"], "%lld FILE WAS DELETED");
    assert_eq!(forms["other"]["stringUnit"]["value"], "%lld FILES WERE DELETED");
    assert!(found.contains(&format!("        }},\n        \"de\" : {}\n", unit("OPEN THE DOOR"))), "{found}");
    // Everything else is there as it was.
    let added = |line: &&str| !text.lines().any(|known| known.trim_end_matches(',') == line.trim_end_matches(','));
    assert!(
        found
            .lines()
            .filter(added)
            .all(|line| line.contains(": ") || line.trim_matches(['}', '{', ' ', ',']).is_empty())
    );
    let none = SegmentedFile::new(text.into_bytes(), format, &Options::default()).unwrap_err();
    assert_eq!(none, Error::NoTargetLanguage { format: "xcstrings" });
}

#[test]
fn yaml_keeps_keys_anchors_comments_and_styles() {
    check(
        "rails.yml",
        &[
            ("title: The old house", "title: THE OLD HOUSE"),
            ("Hello %{name}, welcome \\\"back\\\"!", "HELLO %{name}, WELCOME \\\"BACK\\\"!"),
            ("'It''s open'", "'IT''S OPEN'"),
            ("Come in, please", "COME IN, PLEASE"),
            ("Read <a", "READ <a"),
            ("our page", "OUR PAGE"),
            ("    The house is old.\n\n    The door is open.", "    THE HOUSE IS OLD.\n\n    THE DOOR IS OPEN."),
            ("    The garden is\n    big.\n\n    The tree is old.", "    THE GARDEN IS BIG.\n\n    THE TREE IS OLD."),
            ("The house is old\n    and the door is open", "THE HOUSE IS OLD AND THE DOOR IS OPEN"),
            ("The house is \\\n    old and\n    big.", "THE HOUSE IS OLD AND BIG."),
            ("[Monday, \"Tuesday\", 'Wednesday']", "[MONDAY, \"TUESDAY\", 'WEDNESDAY']"),
            ("{one: One file, other: \"%{count} files\"}", "{one: ONE FILE, other: \"%{count} FILES\"}"),
            ("&greeting Good morning", "&greeting GOOD MORNING"),
            ("'Yes'", "'YES'"),
            ("- Good night", "- GOOD NIGHT"),
            ("- Good evening", "- GOOD EVENING"),
        ],
    );
    // A translation that would be something else without quotation marks gets them.
    let plain = "a: Not so\nb: [Not so]\n";
    let found = changed(plain.as_bytes(), FileFormat::Yaml, &options(), |_| "Nein: so, #1 so".into());
    assert_eq!(String::from_utf8(found).unwrap(), "a: \"Nein: so, #1 so\"\nb: [\"Nein: so, #1 so\"]\n");
    let no = changed(b"a: Not so\n", FileFormat::Yaml, &options(), |_| "No".into());
    assert_eq!(no, b"a: \"No\"\n");
}

#[test]
fn properties_are_written_for_all_versions_of_java() {
    check(
        "messages.properties",
        &[
            ("The old house", "THE OLD HOUSE"),
            ("Hello {0}, it''s open", "HELLO {0}, IT''S OPEN"),
            ("The caf\\u00e9 is open", "THE CAF\\u00e9 IS OPEN"),
            ("It's open", "IT'S OPEN"),
            ("The first line \\\n    and the second line", "THE FIRST LINE AND THE SECOND LINE"),
            ("One\\ttwo\\nThree", "ONE\\tTWO\\nTHREE"),
            ("A '{'0'}' here with", "A '{'0'}' HERE WITH"),
        ],
    );
    let latin = changed(b"a=caf\xe9 is open\n# \xe9\n", FileFormat::Properties, &options(), |_| "Gänse →".into());
    assert_eq!(latin, b"a=G\xe4nse \\u2192\n# \xe9\n");
    let wide = changed("a=café is open\n".as_bytes(), FileFormat::Properties, &options(), |_| "Gänse".into());
    assert_eq!(wide, "a=Gänse\n".as_bytes());
}

#[test]
fn strings_of_android_keep_escapes_and_tags() {
    check(
        "strings.xml",
        &[
            ("Hello %1$s, you have %2$d new messages!", "HELLO %1$s, YOU HAVE %2$d NEW MESSAGES!"),
            ("Don\\'t open the door\\nClose the window", "DON\\'T OPEN THE DOOR\\nCLOSE THE WINDOW"),
            ("The house is <b>old</b> &amp; big.", "THE HOUSE IS <b>OLD</b> &amp; BIG."),
            (">Hello <xliff", ">HELLO <xliff"),
            (", good morning.", ", GOOD MORNING."),
            ("Read <a href=\"x\">our page</a> & go.", "READ <a href=\"x\">OUR PAGE</a> & GO."),
            ("Good\\u0020morning \\u2026", "GOOD MORNING …"),
            ("\"  The garden is big.  \"", "\"  THE GARDEN IS BIG.  \""),
            ("The door\n        is open.", "THE DOOR IS OPEN."),
            ("Text with &lt;b&gt;bold&lt;/b&gt; word.", "TEXT WITH &lt;b&gt;BOLD&lt;/b&gt; WORD."),
            ("%d file was deleted", "%d FILE WAS DELETED"),
            ("%d files were deleted", "%d FILES WERE DELETED"),
            (
                "<item>Monday</item><item>Tuesday</item></string-array>\n    <string-array name=\"codes\"",
                "<item>MONDAY</item><item>TUESDAY</item></string-array>\n    <string-array name=\"codes\"",
            ),
        ],
    );
}

#[test]
fn strings_of_apple_keep_keys_and_types() {
    check(
        "Localizable.strings",
        &[
            ("Hello %@, good morning!", "HELLO %@, GOOD MORNING!"),
            ("He said \\\"hello\\\".\\nThen he left.", "HE SAID \\\"HELLO\\\".\\nTHEN HE LEFT."),
            ("The caf\\U00e9 is open", "THE CAFé IS OPEN"),
            ("\"Old house\"", "\"OLD HOUSE\""),
            ("= \"Good night\"", "= \"GOOD NIGHT\""),
        ],
    );
    check(
        "Localizable.stringsdict",
        &[
            ("We deleted %#@files@ today", "WE DELETED %#@files@ TODAY"),
            ("%lld file<", "%lld FILE<"),
            ("%lld files &amp; more", "%lld FILES &amp; MORE"),
        ],
    );
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let found = changed(&wide("\u{feff}\"a\" = \"house\";\n"), FileFormat::Strings, &options(), |_| "Gänse".into());
    assert_eq!(found, wide("\u{feff}\"a\" = \"Gänse\";\n"));
    let broken = SegmentedFile::new(b"\"a\" = \"b\"\n\"c\" = \"d\";".to_vec(), FileFormat::Strings, &options());
    assert_eq!(
        broken.unwrap_err().to_string(),
        "line 2: expected a semicolon after an entry, as in \"key\" = \"value\";"
    );
}

#[test]
fn resources_of_dotnet_keep_notes_and_objects() {
    check(
        "Strings.resx",
        &[
            ("Hello {0}, you have {1} messages &amp; more.", "HELLO {0}, YOU HAVE {1} MESSAGES &amp; MORE."),
            ("&amp;Open file...", "&amp;OPEN FILE..."),
            ("First line\nSecond line", "FIRST LINE\nSECOND LINE"),
        ],
    );
}

#[test]
fn messages_of_qt_get_translations() {
    let forms = "<numerusform></numerusform>";
    let written = |files: &str| format!("<numerusform>%n {files} WERE DELETED</numerusform>");
    let (one, many) = (written("FILE"), written("FILES"));
    let translated = [
        (
            "<translation type=\"unfinished\"></translation>",
            "<translation type=\"unfinished\">&amp;OPEN THE FILE...</translation>",
        ),
        (forms, one.as_str()),
        (forms, many.as_str()),
        (
            "<translation type=\"unfinished\"/>",
            "<translation type=\"unfinished\">SAVED %1 OF %2 FILES &lt;b&gt;NOW&lt;/b&gt;.</translation>",
        ),
        (
            "<translation type=\"unfinished\"></translation>",
            "<translation type=\"unfinished\">IT&apos;S &quot;OPEN&quot;</translation>",
        ),
        (
            "<translation type=\"unfinished\"></translation>",
            "<translation type=\"unfinished\">IMAGES (*.png *.jpg)</translation>",
        ),
        ("<translation type=\"unfinished\"></translation>", "<translation type=\"unfinished\">%1</translation>"),
    ];
    check("app_de.ts", &translated);
    let all = FileOptions { entries: Entries::All, ..FileOptions::default() };
    let more = [("Guten Morgen", "GOOD MORNING"), ("Guten Abend", "GOOD EVENING")];
    check_with("app_de.ts", &Options { files: all, ..Options::default() }, &[&translated[..], &more].concat());
}

#[test]
fn plural_forms_of_qt_that_are_equal_are_told() {
    let message = "<TS><context><message numerus=\"yes\"><source>%n files</source><translation><numerusform></numerusform>\
                   <numerusform></numerusform></translation></message></context></TS>";
    let file = SegmentedFile::new(message.as_bytes().to_vec(), FileFormat::Ts, &options()).unwrap();
    let finished = file.finish(&answers(&file, str::to_uppercase)).unwrap();
    assert!(finished.notes.iter().any(|note| note.starts_with("1 messages with a number")), "{:?}", finished.notes);
}

#[test]
fn titles_of_charts_in_workbooks_are_translated() {
    let chart = "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Old house</a:t></a:r></a:p></c:rich></c:tx></c:title>\
                 <c:ser><c:tx><c:strRef><c:f>Sheet1!$A$1</c:f><c:strCache><c:pt><c:v>Price</c:v></c:pt></c:strCache></c:strRef></c:tx></c:ser></c:chart></c:chartSpace>";
    let book = archive(&[("xl/charts/chart1.xml", chart), ("xl/workbook.xml", "<workbook/>")]);
    let found = changed(&book, FileFormat::Xlsx, &options(), str::to_ascii_uppercase);
    assert_eq!(part(&found, "xl/charts/chart1.xml"), chart.replace("Old house", "OLD HOUSE"));
}

#[test]
fn a_sentence_of_a_cell_may_have_several_lines() {
    let strings =
        "<sst><si><t>The house is old,\nand it is for sale.\nCall us.</t></si><si><t>red\nblue</t></si></sst>";
    let book = archive(&[("xl/sharedStrings.xml", strings), ("xl/workbook.xml", "<workbook/>")]);
    let file = SegmentedFile::new(book.clone(), FileFormat::Xlsx, &options()).unwrap();
    let read: Vec<String> = file.sentences().map(|source| source.text.into_owned()).collect();
    assert_eq!(read, ["The house is old, and it is for sale.", "Call us.", "red", "blue"]);
    let found = changed(&book, FileFormat::Xlsx, &options(), str::to_ascii_uppercase);
    let expected =
        "<sst><si><t>THE HOUSE IS OLD,\nAND IT IS FOR SALE.\nCALL US.</t></si><si><t>RED\nBLUE</t></si></sst>";
    assert_eq!(part(&found, "xl/sharedStrings.xml"), expected);
}

#[test]
fn characters_and_choices_of_programs_stay() {
    let json = r#"{"a": "The &copy; of Tom &amp; Jerry", "b": "en-US", "c": "It&#39;s \\\"old\\\""}"#;
    let expected = r#"{"a": "THE &copy; OF TOM &amp; JERRY", "b": "en-US", "c": "IT&#39;S \\\"OLD\\\""}"#;
    assert_eq!(capitals(json, FileFormat::Json, &options()), expected);
    let choice = "a=There are {0,choice,0#no files|1#one file|1<{0} files} here\n";
    let expected = choice.replace("There are", "THERE ARE").replace("here", "HERE");
    assert_eq!(capitals(choice, FileFormat::Properties, &options()), expected);
}

#[test]
fn subtitles_of_ass_may_be_indented() {
    let text = " [Script Info]\n Title: house\n\n [Events]\n Format: Start, Text\n\tDialogue: 0:00,{\\an8}old, house\n";
    assert_eq!(capitals(text, FileFormat::Ass, &options()), text.replace("old, house", "OLD, HOUSE"));
}

#[test]
fn what_is_its_own_translation_stays_byte_for_byte() {
    for (format, text) in [
        (
            FileFormat::Html,
            "<p>It&#8217;s &quot;fine&quot; &nbsp;<a\nhref='x' title='a > b'>the\n door</a></p><span>a</span><span>b</span>",
        ),
        (FileFormat::Markdown, "---\ntitle: The house\n---\nSee [[a](x)]\nand *b*  \nc\n"),
        (FileFormat::Srt, "1\n00:00:01,000 --> 00:00:02,000\n<i>Good morning,</i>\n<i>my friend.</i>\n"),
        (FileFormat::Text, "The inter\u{ad}national  house.\n"),
        (FileFormat::Yaml, "a: >\n  The old\n  house\n"),
        (FileFormat::Properties, "a = The old \\\n   house\n"),
    ] {
        assert_eq!(changed(text.as_bytes(), format, &Options::default(), str::to_owned), text.as_bytes(), "{format:?}");
    }
    let docx = archive(&[("word/document.xml", "<w:p><w:r><w:t>old house</w:t></w:r></w:p>"), ("word/x.xml", "<a/>")]);
    assert_eq!(changed(&docx, FileFormat::Docx, &Options::default(), str::to_owned), docx);
}

#[test]
fn a_file_of_messages_has_the_encoding_that_is_named() {
    let latin1 = Options { encoding: Some(metaphrase_document::TextEncoding::named("latin1").unwrap()), ..options() };
    for (format, text, expected) in [
        (FileFormat::Csv, &b"text\nold caf\xe9\n"[..], &b"text\nOLD CAF\xe9\n"[..]),
        (FileFormat::Json, b"{\"a\": \"old caf\xe9\"}", b"{\"a\": \"OLD CAF\xe9\"}"),
        (FileFormat::Yaml, b"a: old caf\xe9\n", b"a: OLD CAF\xe9\n"),
        (FileFormat::Properties, b"a=old caf\xe9\n", b"a=OLD CAF\xe9\n"),
        (FileFormat::Ftl, b"a = old caf\xe9\n", b"a = OLD CAF\xe9\n"),
        (
            FileFormat::Xml,
            b"<resources><string name=\"a\">old caf\xe9</string></resources>",
            b"<resources><string name=\"a\">OLD CAF\xe9</string></resources>",
        ),
    ] {
        let found = changed(text, format, &latin1, str::to_ascii_uppercase);
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(expected), "{format:?}");
        if format != FileFormat::Properties {
            assert!(
                matches!(SegmentedFile::new(text.to_vec(), format, &options()), Err(Error::Encoding { .. })),
                "{format:?}"
            );
        }
    }
    let utf_8 = changed(b"a: old\n", FileFormat::Yaml, &latin1, |_| "→".into());
    assert_eq!(utf_8, "a: →\n".as_bytes());
}

#[test]
fn access_keys_of_programs_move_to_a_letter() {
    let resx = "<root><data name=\"a\"><value>&amp;Open file</value></data></root>";
    let open = |text: &str| if text.starts_with("Open") { "Datei offen".into() } else { text.to_owned() };
    let found = changed(resx.as_bytes(), FileFormat::Resx, &options(), open);
    assert!(String::from_utf8(found).unwrap().contains("Datei &amp;offen"));
    for (format, input, expected) in [
        (FileFormat::Properties, "a=&Open\nb=Salt & pepper\n", "a=Datei &offen\nb=Salt & pepper\n"),
        (FileFormat::Json, "{\"a\": \"&Open\"}", "{\"a\": \"Datei &offen\"}"),
        (
            FileFormat::Json,
            "{\"a\": \"R&D\", \"b\": \"Q&A\", \"c\": \"Open\"}",
            "{\"a\": \"R&D\", \"b\": \"Q&A\", \"c\": \"Datei offen\"}",
        ),
    ] {
        assert_eq!(String::from_utf8(changed(input.as_bytes(), format, &options(), open)).unwrap(), expected);
    }
}

#[test]
fn messages_of_icu_in_files_of_programs_are_translated() {
    for (format, input, expected) in [
        (
            FileFormat::Arb,
            r#"{"@@locale": "de", "n": "You have {n, plural, =0 {no files} one {# file} other {# files}} here, isn't it"}"#,
            r#"{"@@locale": "de", "n": "YOU HAVE {n, plural, =0 {NO FILES} one {# FILE} other {# FILES}} HERE, ISN’T IT"}"#,
        ),
        (
            FileFormat::Json,
            r#"{"n": "{g, select, male {He has <b>one</b> dog} other {They have {n, plural, one {a dog} other {# dogs}}}}"}"#,
            r#"{"n": "{g, select, male {HE HAS <b>ONE</b> DOG} other {THEY HAVE {n, plural, one {A DOG} other {# DOGS}}}}"}"#,
        ),
        (
            FileFormat::Yaml,
            "n: \"{n, plural, one {a dog} other {# dogs}}\"\n",
            "n: \"{n, plural, one {A DOG} other {# DOGS}}\"\n",
        ),
    ] {
        assert_eq!(capitals(input, format, &options()), expected);
        assert_eq!(changed(input.as_bytes(), format, &options(), str::to_owned), input.as_bytes());
    }
    let polish = Options { target: "pl".into(), ..Options::default() };
    let found = capitals(r#"{"n": "{n, plural, one {# file} other {# files}}"}"#, FileFormat::Json, &polish);
    assert_eq!(found, r#"{"n": "{n, plural, one {# FILE} few {# FILES} many {# FILES} other {# FILES}}"}"#);
}

#[test]
fn all_entries_of_catalogues_are_translated_on_demand() {
    let all = FileOptions { entries: Entries::All, ..FileOptions::default() };
    let all = Options { files: all, ..options() };
    let po = "msgid \"\"\nmsgstr \"Language: de\\n\"\n\nmsgid \"old house\"\nmsgstr \"\"\n\"altes Haus\"\n\nmsgid \"dog\"\nmsgid_plural \"dogs\"\n\
              msgstr[0] \"Hund\"\nmsgstr[1] \"\"\n\nmsgid \"100%\"\nmsgstr \"100 %\"\n";
    let expected = po
        .replace("\"\"\n\"altes Haus\"", "\"OLD HOUSE\"")
        .replace("\"Hund\"", "\"DOG\"")
        .replace("msgstr[1] \"\"", "msgstr[1] \"DOGS\"");
    assert_eq!(capitals(po, FileFormat::Po, &all), expected);
    let xliff = "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body><trans-unit id=\"1\"><source>old house</source>\
                 <target state=\"translated\">altes Haus</target></trans-unit><trans-unit id=\"2\" approved=\"yes\"><source>dog</source>\
                 <target>Hund</target></trans-unit></body></file></xliff>";
    let expected = xliff.replace("\"translated\">altes Haus", "\"needs-review-translation\">OLD HOUSE");
    assert_eq!(capitals(xliff, FileFormat::Xliff, &all), expected);
    // A sentence that failed leaves the translation that was there.
    for (text, format) in [(po, FileFormat::Po), (xliff, FileFormat::Xliff)] {
        let file = SegmentedFile::new(text.as_bytes().to_vec(), format, &all).unwrap();
        let mut answers = answers(&file, str::to_ascii_uppercase);
        answers[0] = None;
        answers.push(None);
        if answers.iter().any(Option::is_some) {
            assert!(String::from_utf8(file.finish(&answers).unwrap().bytes).unwrap().contains("altes Haus"));
        }
    }
}

#[test]
fn messages_of_fluent_keep_placeables_and_selectors() {
    check(
        "app.ftl",
        &[
            ("-brand = Old house", "-brand = OLD HOUSE"),
            ("Hello { $name }, welcome to", "HELLO { $name }, WELCOME TO"),
            ("The old house", "THE OLD HOUSE"),
            (
                "The house is old\n    and big.\n\n    The door is open.",
                "THE HOUSE IS OLD AND BIG.\n\n    THE DOOR IS OPEN.",
            ),
            ("One file was deleted", "ONE FILE WAS DELETED"),
            ("files were deleted", "FILES WERE DELETED"),
            ("You have {", "YOU HAVE {"),
            ("no messages", "NO MESSAGES"),
            ("many messages", "MANY MESSAGES"),
            ("} today.", "} TODAY."),
            ("Write {\"{\"} here", "WRITE {\"{\"} HERE"),
            ("Close the window", "CLOSE THE WINDOW"),
        ],
    );
    let broken = SegmentedFile::new(b"a = b\n\n= c\n".to_vec(), FileFormat::Ftl, &options()).unwrap_err();
    assert_eq!(broken.to_string(), "line 3: expected an entry of Fluent, as `key = text`");
}

#[test]
fn tables_have_columns() {
    let all = [
        ("The house is old, and big.", "THE HOUSE IS OLD, AND BIG."),
        ("red", "RED"),
        ("He said \"\"hello\"\".", "HE SAID \"\"HELLO\"\"."),
        ("blue", "BLUE"),
        ("Er sagte", "ER SAGTE"),
        ("Two\r\nlines", "TWO\r\nLINES"),
        ("green", "GREEN"),
        ("Open the door", "OPEN THE DOOR"),
    ];
    check("table.csv", &all);
    let chosen = |columns: &[&str]| {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Options { files: FileOptions { columns, ..FileOptions::default() }, ..Options::default() }
    };
    check_with("table.csv", &chosen(&["3"]), &[("red", "RED"), ("blue", "BLUE"), ("green", "GREEN"), ("x_y", "X_Y")]);
    check_with(
        "table.csv",
        &chosen(&["text=de"]),
        &[
            ("red,\r\n", "red,\"THE HOUSE IS OLD, AND BIG.\"\r\n"),
            ("green,\r\n", "green,\"TWO\r\nLINES\"\r\n"),
            ("x_y,\r\n", "x_y,OPEN THE DOOR\r\n"),
        ],
    );
    check_with("table.tsv", &chosen(&["en=de"]), &[("door\t\n", "door\tOPEN THE DOOR\n")]);
    let (format, text) = fixture("table.csv");
    let wrong = SegmentedFile::new(text.into_bytes(), format, &chosen(&["texts"])).unwrap_err();
    assert_eq!(wrong.to_string(), "the table has no column texts; its first line names id, text, Note, de");
    let same = |from: &str, to: &str| assert_eq!(capitals(from, FileFormat::Csv, &options()), to);
    same("a;b\nx;one, two\n", "a;b\nX;ONE, TWO\n");
    same("Key,en\nopen,Open\n", "Key,en\nopen,OPEN\n");
    same("source,target\nopen,\nhouse,Haus\n", "source,target\nopen,OPEN\nhouse,Haus\n");
}

#[test]
fn subtitles_of_ass_keep_codes() {
    check(
        "talk.ass",
        &[
            ("{\\i1}Good morning,{\\i0}\\Nmy friend.", "{\\i1}GOOD MORNING,{\\i0}\\NMY FRIEND."),
            ("- Where are you?\\N- I am here, of course.", "- WHERE ARE YOU?\\N- I AM HERE, OF COURSE."),
            ("The\\hgarden is big", "THE\\hGARDEN IS BIG"),
        ],
    );
}

#[test]
fn workbooks_keep_formulas_and_names_of_columns() {
    let strings = "<sst xmlns=\"x\" count=\"9\" uniqueCount=\"5\"><si><t>The house is old</t></si><si><t xml:space=\"preserve\"> Two\nlines &amp; more </t><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si><si><r><t>one </t></r><r><rPr><b/></rPr><t xml:space=\"preserve\">bold</t></r></si><si><t>Price</t></si><si><t>12</t></si><si><t>Yes</t></si><si><t>Maybe later</t></si><si><t>Sold</t></si></sst>";
    let sheet = "<worksheet><dataValidations><dataValidation prompt=\"Choose one\" errorTitle=\"Wrong\"><formula1>&quot;Yes,Maybe later&quot;</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref=\"A1\" tooltip=\"Go there\"/></hyperlinks><conditionalFormatting><cfRule><formula>A1=\"Sold\"</formula></cfRule></conditionalFormatting><sheetData><row><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>Inside</t></is></c><c r=\"C1\" t=\"str\"><f>\"Total \"&amp;'My data'!A1</f><v>Total</v></c></row></sheetData></worksheet>";
    let table = "<table name=\"T\"><tableColumns><tableColumn id=\"1\" name=\"Price\"/></tableColumns></table>";
    let comments = "<comments><authors><author>Ann</author></authors><commentList><comment ref=\"A1\"><text><r><rPr/><t>A note</t></r></text></comment></commentList></comments>";
    let shapes = "<xdr:wsDr><xdr:sp><a:p><a:r><a:t>In a shape</a:t></a:r></a:p></xdr:sp></xdr:wsDr>";
    let workbook = "<workbook><sheets><sheet name=\"My data\" sheetId=\"1\"/><sheet name=\"Notes\" sheetId=\"2\"/></sheets></workbook>";
    let parts = [
        ("xl/workbook.xml", workbook),
        ("xl/sharedStrings.xml", strings),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/tables/table1.xml", table),
        ("xl/comments1.xml", comments),
        ("xl/drawings/drawing1.xml", shapes),
        ("docProps/app.xml", "<a>My data</a>"),
        ("docProps/core.xml", "<a><dc:title>The year</dc:title></a>"),
    ];
    let bytes = archive(&parts);
    let found = changed(&bytes, FileFormat::Xlsx, &Options::default(), str::to_ascii_uppercase);
    let rich =
        "<si><r><t xml:space=\"preserve\">ONE </t></r><r><rPr><b/></rPr><t xml:space=\"preserve\">BOLD</t></r></si>";
    let expected = strings
        .replace("The house is old", "THE HOUSE IS OLD")
        .replace("Two\nlines &amp; more", "TWO\nLINES &amp; MORE")
        .replace("<si><r><t>one </t></r><r><rPr><b/></rPr><t xml:space=\"preserve\">bold</t></r></si>", rich);
    assert_eq!(part(&found, "xl/sharedStrings.xml"), expected);
    assert_eq!(
        part(&found, "xl/worksheets/sheet1.xml"),
        sheet
            .replace("Inside", "INSIDE")
            .replace("Choose one", "CHOOSE ONE")
            .replace("Wrong", "WRONG")
            .replace("Go there", "GO THERE")
    );
    assert!(part(&found, "xl/comments1.xml").contains(">A NOTE</t>"), "{}", part(&found, "xl/comments1.xml"));
    assert!(part(&found, "xl/drawings/drawing1.xml").contains("IN A SHAPE"));
    assert!(part(&found, "docProps/core.xml").contains("THE YEAR"));
    for (name, text) in [&parts[0], &parts[3], &parts[6]] {
        assert_eq!(part(&found, name), *text);
    }
    let files = FileOptions { sheet_names: true, ..FileOptions::default() };
    let found = changed(&bytes, FileFormat::Xlsx, &Options { files, ..Options::default() }, str::to_ascii_uppercase);
    assert_eq!(part(&found, "xl/workbook.xml"), workbook.replace("Notes", "NOTES"), "a formula names the other sheet");
}

/// A document of pages with these contents, drawn in Helvetica.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    for (page, content) in pages.iter().enumerate() {
        let place = 5 + 2 * page;
        let picture = "<</Im <</Type/XObject>>>>";
        objects.push(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {place} 0 R/Resources<</Font<</F 3 0 R>>/XObject {picture}>>>>"));
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (number, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let (count, at) = (objects.len() + 1, file.len());
    file += &format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n"
    );
    file.into_bytes()
}

#[test]
fn text_of_pdf_is_a_text() {
    let first = "BT /F 20 Tf 50 750 Td (A heading) Tj ET BT /F 10 Tf 50 700 Td 12 TL (The first line of a long paragraph that is in-) Tj T* (teresting, as it goes on here and then it ends.) Tj T* ET BT /F 10 Tf 50 600 Td [(An) -300 (other) -600 (one)] TJ ET";
    let picture = "q 100 0 0 100 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q";
    let file = SegmentedFile::new(pdf(&[first, picture]), FileFormat::Pdf, &Options::default()).unwrap();
    let expected = "A HEADING\n\nTHE FIRST LINE OF A LONG PARAGRAPH THAT IS INTERESTING, AS IT GOES ON HERE AND THEN IT ENDS.\n\nAN OTHER ONE\n";
    let found = file.finish(&answers(&file, str::to_ascii_uppercase)).unwrap();
    assert_eq!(String::from_utf8(found.bytes).unwrap(), expected);
    assert_eq!(found.notes, ["pages without text, as those of a scanner, are left out: 2"]);
    assert_eq!(FileFormat::Pdf.translated_extension(), Some("txt"));
    let refused =
        |bytes: Vec<u8>| SegmentedFile::new(bytes, FileFormat::Pdf, &Options::default()).unwrap_err().to_string();
    assert_eq!(
        refused(pdf(&[picture])),
        "the text of the file cannot be read: its pages are pictures, as of a scanner; recognise their text (OCR) first"
    );
    assert!(refused(b"%PDF-1.4".to_vec()).starts_with("the text of the file cannot be read: it is not a PDF document"));
}

/// Files that are not translated come back byte for byte.
#[test]
fn files_come_back_as_they_were() {
    for (name, format, bytes) in fixtures() {
        // A file of Flutter names its language.
        let options = if format == FileFormat::Arb { Options::default() } else { options() };
        let same = changed(&bytes, format, &options, str::to_owned);
        let source_only = matches!(format, FileFormat::Ts | FileFormat::Xcstrings);
        assert!(source_only || same == bytes, "{name}: {}", String::from_utf8_lossy(&same));
        let crlf = String::from_utf8(bytes.clone()).unwrap().replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
        let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
        for bytes in [crlf, marked] {
            let file =
                SegmentedFile::new(bytes.clone(), format, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
            let same = file.finish(&answers(&file, str::to_owned)).unwrap().bytes;
            assert!(source_only || same == bytes, "{name}: {}", String::from_utf8_lossy(&same));
        }
    }
}

/// Files that are cut off, and files with parts cut out, doubled and exchanged, are read or refused, and what is read
/// can be written.
#[test]
fn broken_fixtures_are_no_harm() {
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let mut samples = fixtures();
    samples.push(("a.pdf".into(), FileFormat::Pdf, pdf(&["BT /F 10 Tf 50 700 Td (One two) Tj ET"])));
    let check = |bytes: Vec<u8>, format| {
        if let Ok(file) = SegmentedFile::new(bytes, format, &options()) {
            file.finish(&answers(&file, str::to_uppercase)).unwrap();
        }
    };
    for (_, format, bytes) in samples {
        (0..60).for_each(|part| check(bytes[..bytes.len() * part / 60].to_vec(), format));
        for _ in 0..120 {
            let mut bytes = bytes.clone();
            for _ in 0..=random(3) {
                let (from, length) = (random(bytes.len()), random(12));
                let part = bytes[from..(from + length).min(bytes.len())].to_vec();
                if random(2) == 0 {
                    bytes.drain(from..from + part.len());
                }
                let to = random(bytes.len());
                bytes.splice(to..to, part);
            }
            // What is no UTF-8 is refused at once.
            let text = if format == FileFormat::Pdf {
                bytes
            } else {
                String::from_utf8_lossy(&bytes).into_owned().into_bytes()
            };
            check(text, format);
        }
    }
}

/// A file that is made to be slow is not: its time grows as its length.
#[test]
fn hostile_files_take_linear_time() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    for (format, text) in [
        (FileFormat::Json, deep("[", "]")),
        (FileFormat::Json, "{\"a\":".repeat(50_000)),
        (FileFormat::Json, format!("[{}]", "\"a b\",".repeat(50_000))),
        (FileFormat::Yaml, deep("[", "]")),
        (FileFormat::Yaml, "- ".repeat(20_000)),
        (FileFormat::Yaml, "- é b\n".repeat(20_000)),
        (FileFormat::Yaml, format!("a: |\n{}", "  b\n".repeat(20_000))),
        (FileFormat::Properties, "a=b\\\n".repeat(50_000)),
        (FileFormat::Properties, "\\".repeat(200_000)),
        (FileFormat::Strings, "\"a\"=\"b c\";".repeat(20_000)),
        (FileFormat::Strings, "\"".repeat(100_001)),
        (FileFormat::Ftl, format!("a = {}", "{".repeat(100_000))),
        (FileFormat::Ftl, format!("a = {}", deep("{ $n ->\n [a] ", "}\n"))),
        (FileFormat::Ftl, format!("a = {}", "{\"".repeat(50_000))),
        (FileFormat::Csv, "\"".repeat(200_001)),
        (FileFormat::Csv, ",\"a".repeat(100_000)),
        (FileFormat::Csv, "\"a\"\",".repeat(100_000)),
        (FileFormat::Ass, format!("[Events]\nDialogue: 0,0,0,0,0,0,0,0,0,{}", "a\\N".repeat(5_000))),
        (FileFormat::Ts, format!("<TS>{}</TS>", deep("<message>", "</message>"))),
        (FileFormat::Resx, format!("<root>{}</root>", deep("<data>", "</data>"))),
        (FileFormat::Xml, format!("<resources>{}</resources>", deep("<string>", "</string>"))),
        (FileFormat::Stringsdict, format!("<plist>{}</plist>", deep("<string>", "</string>"))),
    ] {
        let start = std::time::Instant::now();
        let _ = SegmentedFile::new(text.clone().into_bytes(), format, &options());
        let took = start.elapsed();
        assert!(took.as_secs() < 60, "{format:?}: {} bytes in {took:?}: {:.30}", text.len(), text);
    }
}

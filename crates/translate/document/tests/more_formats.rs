//! JSON lines, translation memories, spreadsheets of OpenDocument and reStructuredText.

use crate::files::{answers, archive, part};
use metaphrase_document::{Answer, Entries, FileFormat, FileOptions, Options, SegmentedFile};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

fn options() -> Options {
    Options { language: "en".into(), target: "de".into(), ..Options::default() }
}

/// A file with each sentence in capitals, but for its things to copy.
fn bytes(input: &[u8], format: FileFormat, options: &Options) -> Vec<u8> {
    let file = SegmentedFile::new(input.to_vec(), format, options).unwrap();
    file.finish(&answers(&file, str::to_uppercase)).unwrap().bytes
}

fn capitals(input: &str, format: FileFormat) -> String {
    String::from_utf8(bytes(input.as_bytes(), format, &options())).unwrap()
}

/// A file whose sentences are their own translations.
fn same(input: &str, format: FileFormat) -> String {
    let file = SegmentedFile::new(input.into(), format, &options()).unwrap();
    String::from_utf8(file.finish(&answers(&file, str::to_owned)).unwrap().bytes).unwrap()
}

#[test]
fn each_line_of_json_is_a_value() {
    let text = "\u{feff}{\"id\": \"a-17\", \"text\": \"The house\", \"tags\": [\"An old door\", 5]}\r\n\n\"A garden\"\n[\"\"]\n";
    let expected = text.replace("The house", "THE HOUSE").replace("An old door", "AN OLD DOOR");
    assert_eq!(capitals(text, FileFormat::Jsonl), expected.replace("A garden", "A GARDEN"));
    let error = SegmentedFile::new(b"{\"a\": \"b c\"}\n{\"a\"".to_vec(), FileFormat::Jsonl, &options()).unwrap_err();
    assert_eq!(error.to_string(), "line 2: expected a colon after a key of JSON");
    assert_eq!(FileFormat::from_extension("ndjson"), Some(FileFormat::Jsonl));
}

const MEMORY: &str = r#"<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" datatype="plaintext"/>
<body>
  <tu tuid="1">
    <tuv xml:lang="en-US"><seg>Open <bpt i="1">&lt;b></bpt>the door<ept i="1">&lt;/b></ept> &amp; go</seg></tuv>
  </tu>
  <tu><tuv xml:lang="EN"><seg>A house</seg></tuv><tuv xml:lang="de-AT"><seg>Ein Haus</seg></tuv></tu>
  <tu><tuv xml:lang="en"><seg>A tree</seg></tuv><tuv xml:lang="de"><seg/></tuv></tu>
  <tu><tuv xml:lang="fr"><seg>Un arbre</seg></tuv></tu>
  <tu><tuv xml:lang="en"><seg>17</seg></tuv></tu>
</body></tmx>
"#;

#[test]
fn memories_are_filled() {
    let found = capitals(MEMORY, FileFormat::Tmx);
    let first = "<seg>Open <bpt i=\"1\">&lt;b></bpt>the door<ept i=\"1\">&lt;/b></ept> &amp; go</seg></tuv>";
    let added = "\n    <tuv xml:lang=\"de\"><seg>OPEN <bpt i=\"1\">&lt;b></bpt>THE DOOR<ept i=\"1\">&lt;/b></ept> &amp; GO</seg></tuv>";
    let expected = MEMORY
        .replace(first, &format!("{first}{added}"))
        .replace("<tuv xml:lang=\"de\"><seg/></tuv>", "<tuv xml:lang=\"de\"><seg>A TREE</seg></tuv>");
    assert_eq!(found, expected);
    let all = Options { files: FileOptions { entries: Entries::All, ..FileOptions::default() }, ..options() };
    let found = String::from_utf8(bytes(MEMORY.as_bytes(), FileFormat::Tmx, &all)).unwrap();
    assert_eq!(found, expected.replace("Ein Haus", "A HOUSE"));
    let file = SegmentedFile::new(MEMORY.into(), FileFormat::Tmx, &options()).unwrap();
    let answers = vec![Some(Answer { text: "x".into(), ..Answer::default() }); file.len()];
    assert_eq!(
        file.finish(&answers).unwrap().notes,
        ["1 of 3 messages have a translation already and stay as they are"]
    );
    let error = SegmentedFile::new(MEMORY.into(), FileFormat::Tmx, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("give the code of the target language"), "{error}");
}

#[test]
fn a_memory_names_its_source_language() {
    let memory = "<tmx version=\"1.1\"><header srclang=\"en\"/><body><tu><tuv lang=\"fr\"><seg>Un</seg></tuv><tuv lang=\"en\"><seg>One house</seg></tuv></tu></body></tmx>";
    let options = Options { target: "de".into(), ..Options::default() };
    let found = String::from_utf8(bytes(memory.as_bytes(), FileFormat::Tmx, &options)).unwrap();
    let added = "<seg>One house</seg></tuv><tuv lang=\"de\"><seg>ONE HOUSE</seg></tuv>";
    assert_eq!(found, memory.replace("<seg>One house</seg></tuv>", added));
}

#[test]
fn cells_of_spreadsheets_are_translated() {
    let cell = |attributes: &str, shown: &str| {
        format!("<table:table-cell{attributes}><text:p>{shown}</text:p></table:table-cell>")
    };
    let text = " office:value-type=\"string\"";
    let sheet = |house: &str, help: &str, note: &str| {
        let cells = [
            cell(text, house),
            cell(text, "Done"),
            cell(" office:value-type=\"float\" office:value=\"5\"", "five pieces"),
            cell(
                " table:formula=\"of:=IF([.B1]=&quot;Done&quot;;&quot;Great work&quot;;1)\" office:value-type=\"string\"",
                "Great work",
            ),
        ];
        format!(
            "<office:document-content><table:content-validation table:name=\"v\"><table:help-message table:title=\"{help}\" table:display=\"true\"/></table:content-validation><table:table table:name=\"Sheet one\"><table:table-row>{}</table:table-row><table:table-row><table:table-cell><office:annotation><text:p>{note}</text:p></office:annotation></table:table-cell></table:table-row></table:table></office:document-content>",
            cells.concat()
        )
    };
    let input = sheet("The old house", "Your name", "A comment");
    let file = archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &input)]);
    let found = bytes(&file, FileFormat::Ods, &options());
    assert_eq!(part(&found, "content.xml"), sheet("THE OLD HOUSE", "YOUR NAME", "A comment"));
    let comments = Options { comments: metaphrase_document::Comments::Translate, ..options() };
    assert!(part(&bytes(&file, FileFormat::Ods, &comments), "content.xml").contains("A COMMENT"));
}

/// A text in which what is translated stands between `{` and `}`, and its translation.
fn marked(text: &str) -> (String, String) {
    let (mut plain, mut translated, mut inside) = (String::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '{' | '}' => inside = c == '{',
            c => {
                plain.push(c);
                if inside { translated.extend(c.to_uppercase()) } else { translated.push(c) }
            }
        }
    }
    (plain, translated)
}

#[test]
fn restructured_text_is_translated_in_place() {
    let (plain, expected) = marked(include_str!("fixtures/marked.rst"));
    assert_eq!(same(&plain, FileFormat::Rst), plain);
    let found = capitals(&plain, FileFormat::Rst);
    let differ = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "found and expected: {differ:#?}\n{found}");
    let windows = plain.replace('\n', "\r\n");
    assert_eq!(capitals(&windows, FileFormat::Rst), expected.replace('\n', "\r\n"));
}

#[test]
fn lines_under_titles_follow_them() {
    let translated = |input: &str, text: &str| {
        let file = SegmentedFile::new(input.into(), FileFormat::Rst, &options()).unwrap();
        let answers = vec![Some(Answer { text: text.into(), ..Answer::default() }); file.len()];
        String::from_utf8(file.finish(&answers).unwrap().bytes).unwrap()
    };
    assert_eq!(translated("House\n=====\n", "Das Haus"), "Das Haus\n========\n");
    assert_eq!(translated("House\n----------\n", "Das Haus"), "Das Haus\n----------\n");
    assert_eq!(
        translated("=======\n House\n=======\n", "Das alte Haus"),
        "=============\n Das alte Haus\n=============\n"
    );
    // Another paragraph refers to the title.
    assert_eq!(translated("House\n=====\n\n`house`_\n", "Haus"), ".. _House:\n\nHaus\n====\n\n`Haus <house_>`__\n");
    // A translation that begins as a list does is none.
    assert_eq!(translated("The first\n", "1. Haus"), "\\1. Haus\n");
    assert_eq!(translated("The code::\n\n  x y\n", "Der Code"), "Der Code::\n\n  x y\n");
}

#[test]
fn hostile_files_are_harmless() {
    for format in [FileFormat::Rst, FileFormat::Jsonl, FileFormat::Tmx] {
        for piece in [
            "- ",
            "  a\n",
            "=\n",
            "a\n=\n",
            "+-+\n",
            "|a|\n",
            ".. ",
            "..\n\n",
            "::\n\n",
            ":a: ",
            "`",
            "*a",
            "|a ",
            "__ ",
            "[",
            "{\"a\":",
            "\"a b\"\n",
            "<tu>",
            "<tu><tuv xml:lang=\"en\"><seg>a b</seg></tuv></tu>",
            "=== ===\n",
            ".. a::\n",
            "a\n b\n",
        ] {
            let text = piece.repeat(20_000);
            if let Ok(file) = SegmentedFile::new(text.into_bytes(), format, &options()) {
                file.finish(&vec![Some(Answer::default()); file.len()]).unwrap();
            }
        }
    }
    let deep: String = (0..2000).map(|depth| format!("{}- a\n", " ".repeat(depth))).collect();
    assert!(SegmentedFile::new(deep.into_bytes(), FileFormat::Rst, &options()).is_ok());
}

/// Books may have parts in UTF-16, and older tables of contents in Latin-1.
#[test]
fn parts_of_archives_keep_their_encodings() {
    let package = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-16\"?><package><dc:title>A café</dc:title></package>";
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let contents = "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><ncx><text>Old café</text></ncx>";
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in [("book.opf", wide(package)), ("toc.ncx", latin(contents))] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(&part).unwrap();
    }
    let book = writer.finish().unwrap().into_inner();
    let file = SegmentedFile::new(book.clone(), FileFormat::Epub, &options()).unwrap();
    assert_eq!(file.finish(&answers(&file, str::to_owned)).unwrap().bytes, book);
    let translated = file.finish(&answers(&file, str::to_uppercase)).unwrap().bytes;
    let mut archive = ZipArchive::new(Cursor::new(translated)).unwrap();
    let mut part = |name: &str| {
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    assert_eq!(part("book.opf"), wide(&package.replace("A café", "A CAFÉ")));
    assert_eq!(part("toc.ncx"), latin(&contents.replace("Old café", "OLD CAFÉ")));
}

#[test]
fn files_that_have_no_text_to_read_are_named() {
    for (bytes, format, expected) in [
        (&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"[..], FileFormat::Xlsx, "has a password"),
        (b"bplist00\xd1\x01\x02", FileFormat::Strings, "compiled property list"),
    ] {
        let error = SegmentedFile::new(bytes.to_vec(), format, &options()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

//! Files that are made to fill the memory, or to take long, are refused or read within limits.

use crate::files::{answers, archive, part};
use metaphrase_document::{Error, FileFormat, Options, SegmentedFile};
use std::io::{Cursor, Write};
use std::time::Instant;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const PARAGRAPH: &str = "<w:p><w:r><w:t>One house.</w:t></w:r></w:p>";

fn read(bytes: Vec<u8>, format: FileFormat) -> Result<SegmentedFile, Error> {
    let options = Options { language: "en".into(), target: "de".into(), ..Options::default() };
    SegmentedFile::new(bytes, format, &options)
}

/// The file with each sentence in capitals.
fn capitals(file: &SegmentedFile) -> Vec<u8> {
    file.finish(&answers(file, str::to_uppercase)).unwrap().bytes
}

/// A document with other parts, none of which has text to translate.
fn with_parts(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    writer.write_all(PARAGRAPH.as_bytes()).unwrap();
    for (name, bytes) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn archives_inside_archives_are_not_unpacked() {
    let mut bomb = archive(&[("zeros", &"\0".repeat(10 << 20))]);
    for _ in 0..5 {
        bomb = with_parts(&[("a.zip", bomb.clone()), ("b.zip", bomb.clone()), ("c.zip", bomb)]);
    }
    let file = read(bomb, FileFormat::Docx).unwrap();
    assert_eq!(file.len(), 1);
    assert!(part(&capitals(&file), "word/document.xml").contains("ONE HOUSE."));
    // An archive of archives that has the name of a document.
    let bomb = archive(&[("lib 0.zip", "PK"), ("lib 1.zip", "PK")]);
    assert!(matches!(read(bomb, FileFormat::Docx), Err(Error::NothingToTranslate { .. })));
}

/// The number of bytes of the directory at the end of an archive, and its first byte.
fn directory(bytes: &[u8]) -> (usize, usize) {
    let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06").unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    (number(end + 12), number(end + 16))
}

/// An archive with the last entry of its directory `count` times more: all have the bytes of one part.
fn overlapping(bytes: &[u8], count: usize) -> Vec<u8> {
    let (size, start) = directory(bytes);
    let last = start + bytes[start..start + size].windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    let entry = &bytes[last..start + size];
    let name = 46;
    let mut changed = bytes[..start + size].to_vec();
    for number in 0..count {
        let mut other = entry.to_vec();
        other[name..name + 4].copy_from_slice(format!("{number:04}").as_bytes());
        changed.extend(other);
    }
    let directory_size = changed.len() - start;
    let mut end = bytes[start + size..].to_vec();
    let entries = u16::from_le_bytes([end[10], end[11]]) + u16::try_from(count).unwrap();
    end[8..10].copy_from_slice(&entries.to_le_bytes());
    end[10..12].copy_from_slice(&entries.to_le_bytes());
    end[12..16].copy_from_slice(&u32::try_from(directory_size).unwrap().to_le_bytes());
    changed.extend(end);
    changed
}

#[test]
fn parts_that_overlap_are_refused() {
    // Bytes that can not be packed: the output would have a copy of them for each entry.
    let mut seed = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    })
    .take(1 << 20)
    .collect();
    let picture = with_parts(&[("0000.png", noise)]);
    assert!(read(picture.clone(), FileFormat::Docx).is_ok());
    let refused = read(overlapping(&picture, 9_999), FileFormat::Docx).unwrap_err();
    assert!(refused.to_string().contains("its parts overlap"), "{refused}");
}

#[test]
fn sizes_that_an_archive_states_are_not_trusted() {
    let honest = archive(&[("word/document.xml", &PARAGRAPH.repeat(10))]);
    let (_, start) = directory(&honest);
    // The size of a part, unpacked, in the directory and before the part.
    for size in [0_u32, 1, 0x7fff_ffff, u32::MAX - 1] {
        let mut lying = honest.clone();
        for at in [start + 24, 22] {
            lying[at..at + 4].copy_from_slice(&size.to_le_bytes());
        }
        match read(lying, FileFormat::Docx) {
            Ok(file) => assert_eq!(file.len(), 10),
            Err(error) => assert!(matches!(error, Error::Archive { .. }), "{error}"),
        }
    }
}

#[test]
fn archives_of_many_parts_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..100_000 {
        writer.start_file(format!("word/header{number}.xml"), SimpleFileOptions::default()).unwrap();
    }
    let many = writer.finish().unwrap().into_inner();
    assert!(matches!(read(many, FileFormat::Docx), Err(Error::TooLarge { what: "parts", .. })));
}

#[test]
fn entities_are_not_expanded() {
    let mut declarations = "<!ENTITY a0 \"ha\">".to_owned();
    for number in 1..10 {
        let before = format!("&a{};", number - 1).repeat(10);
        declarations += &format!("<!ENTITY a{number} \"{before}\">");
    }
    let document = |root: &str, inner: &str| format!("<!DOCTYPE {root} [{declarations}]><{root}>{inner}</{root}>");
    let unit = "<file><body><trans-unit id=\"1\"><source>One house &a9; here.</source></trans-unit></body></file>";
    for (format, text) in [
        (FileFormat::Html, document("html", "<p>One house &a9; here.</p>")),
        (FileFormat::Xml, document("doc", "<p>One house &a9; here.</p>")),
        (FileFormat::Xml, document("resources", "<string name=\"a\">One house &a9; here.</string>")),
        (FileFormat::Xliff, document("xliff", unit)),
        (FileFormat::Resx, document("root", "<data name=\"a\"><value>One house &a9; here.</value></data>")),
        (
            FileFormat::Ts,
            document(
                "TS",
                "<context><message><source>One house &a9; here.</source><translation type=\"unfinished\"></translation></message></context>",
            ),
        ),
        (
            FileFormat::Stringsdict,
            document(
                "plist",
                "<dict><key>a</key><dict><key>b</key><dict><key>other</key><string>One house &a9; here.</string></dict></dict></dict>",
            ),
        ),
    ] {
        let start = Instant::now();
        let length = text.len();
        // A message with such a reference may stay; nothing else may happen.
        if let Ok(file) = read(text.into_bytes(), format) {
            let written = String::from_utf8(capitals(&file)).unwrap();
            assert!(written.contains("&a9;") && written.len() < 2 * length, "{format:?}: {written}");
        }
        assert!(start.elapsed().as_secs() < 10, "{format:?}");
    }
    let part = document("w:document", "<w:p><w:r><w:t>&a9;</w:t></w:r></w:p>");
    for (format, name) in [
        (FileFormat::Docx, "word/document.xml"),
        (FileFormat::Docx, "word/styles.xml"),
        (FileFormat::Pptx, "ppt/slides/slide1.xml"),
        (FileFormat::Xlsx, "xl/sharedStrings.xml"),
        (FileFormat::Odt, "content.xml"),
        (FileFormat::Odp, "styles.xml"),
        (FileFormat::Epub, "a.xhtml"),
        (FileFormat::Epub, "book.opf"),
    ] {
        assert!(matches!(read(archive(&[(name, &part)]), format), Err(Error::Entities { .. })), "{format:?} {name}");
    }
}

/// What lies deep does not overflow the stack, and takes linear time.
#[test]
fn deep_documents_are_harmless() {
    let deep = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(10_000), close.repeat(10_000));
    for (format, text) in [
        (FileFormat::Html, deep("<div>", "One house.", "</div>")),
        (FileFormat::Html, deep("<b>", "One house.", "</b>")),
        (FileFormat::Html, deep("<svg><select>", "One house.", "")),
        (FileFormat::Xml, deep("<a>", "One house.", "</a>")),
        (FileFormat::Xml, deep("<a>b", "One house.", "</a>")),
        (FileFormat::Text, format!("One house.{} Two", ")".repeat(200_000))),
        (FileFormat::Markdown, format!("{} One house.\n", "> ".repeat(2_000))),
        (FileFormat::Markdown, format!("{}One house.\n", "- ".repeat(2_000))),
        (FileFormat::Markdown, deep("*a ", "One house.", " b*")),
        (FileFormat::Markdown, deep("[", "One house.", "](a)")),
        (FileFormat::Markdown, deep("<b>", "One house.", "</b>")),
        (FileFormat::Xliff, deep("<group>", "<source>One house.</source>", "</group>")),
        (FileFormat::Po, format!("msgid \"{}\"\nmsgstr \"\"\n", deep("<b>", "One house.", "</b>"))),
        (FileFormat::Json, format!("{{\"a\": \"{}\"}}", deep("{n, plural, other {", "One house.", "}}"))),
        (FileFormat::Yaml, deep("[", "One house", "]")),
        (FileFormat::Yaml, format!("a:{}", deep(" {b:", " One house", "}"))),
        (FileFormat::Vtt, format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n", deep("<i>", "One house.", "</i>"))),
    ] {
        let start = Instant::now();
        if let Ok(file) = read(text.clone().into_bytes(), format) {
            capitals(&file);
        }
        assert!(start.elapsed().as_secs() < 60, "{format:?}: {:?}: {text:.20}", start.elapsed());
    }
    for (format, name, open, inner, close) in [
        (FileFormat::Docx, "word/document.xml", "<w:p><w:r>", PARAGRAPH, "</w:r></w:p>"),
        (FileFormat::Docx, "word/document.xml", "<w:p><w:hyperlink>", PARAGRAPH, "</w:hyperlink></w:p>"),
        (FileFormat::Docx, "word/document.xml", "<w:tbl>", PARAGRAPH, "</w:tbl>"),
        (
            FileFormat::Odt,
            "content.xml",
            "<text:p><draw:frame>",
            "<text:p>One house.</text:p>",
            "</draw:frame></text:p>",
        ),
        (FileFormat::Odt, "content.xml", "<text:span>", "<text:p>One house.</text:p>", "</text:span>"),
        (FileFormat::Xlsx, "xl/sharedStrings.xml", "<si>", "<si><t>One house.</t></si>", "</si>"),
        (FileFormat::Epub, "a.xhtml", "<div>", "One house.", "</div>"),
    ] {
        let start = Instant::now();
        let count = 2_000;
        let text = format!("<x>{}{inner}{}</x>", open.repeat(count), close.repeat(count));
        if let Ok(file) = read(archive(&[(name, &text)]), format) {
            capitals(&file);
        }
        assert!(start.elapsed().as_secs() < 60, "{format:?} {open}: {:?}", start.elapsed());
    }
}

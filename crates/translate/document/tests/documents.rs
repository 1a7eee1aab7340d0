//! All texts of a document, and the language that it names.

use crate::files::{archive, part as part_of};
use metaphrase_document::{Answer, Comments, FileFormat, Format, Options, SegmentedFile, SegmentedText, Source};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

fn options() -> Options {
    Options { language: "en".into(), target: "de".into(), ..Options::default() }
}

fn capitals(source: Source<'_>) -> Option<Answer> {
    let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
    Some(Answer { text: source.text.to_ascii_uppercase(), kept, links: vec![] })
}

/// The translation of the one part of an archive.
fn part(format: FileFormat, name: &str, input: &str, options: &Options) -> String {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default()).unwrap();
    writer.write_all(input.as_bytes()).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let file = SegmentedFile::new(bytes, format, options).unwrap();
    let answers: Vec<Option<Answer>> = file.sentences().map(capitals).collect();
    let bytes = file.finish(&answers).unwrap().bytes;
    let mut text = String::new();
    ZipArchive::new(Cursor::new(bytes)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn page(input: &str, format: Format) -> String {
    let text = SegmentedText::new(input, &Options { format, ..options() }).unwrap();
    let answers: Vec<Option<Answer>> = text.sentences().map(capitals).collect();
    text.finish(&answers).text
}

#[test]
fn charts_diagrams_and_properties_are_translated() {
    let chart = "<c:chartSpace><c:title><a:p><a:r><a:rPr lang=\"en-US\"/><a:t>Houses</a:t></a:r></a:p></c:title><c:tx><c:strRef><c:f>Sheet1!A1</c:f><c:strCache><c:pt><c:v>Red &amp; blue</c:v></c:pt></c:strCache></c:strRef></c:tx><c:numCache><c:v>5</c:v></c:numCache></c:chartSpace>";
    let expected = chart.replace("Houses", "HOUSES").replace("Red &amp; blue", "RED &amp; BLUE").replace("en-US", "de");
    assert_eq!(part(FileFormat::Docx, "word/charts/chart1.xml", chart, &options()), expected);
    assert_eq!(part(FileFormat::Pptx, "ppt/charts/chart2.xml", chart, &options()), expected);
    let diagram =
        "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Open the door</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>";
    assert_eq!(
        part(FileFormat::Docx, "word/diagrams/data1.xml", diagram, &options()),
        diagram.replace("Open the door", "OPEN THE DOOR")
    );
    let core = "<cp:coreProperties><dc:title>The old house</dc:title><dc:creator>Ann Lee</dc:creator><dc:language>en-US</dc:language></cp:coreProperties>";
    let expected = core.replace("The old house", "THE OLD HOUSE").replace("en-US", "de");
    assert_eq!(part(FileFormat::Docx, "docProps/core.xml", core, &options()), expected);
    let package = "<package xml:lang=\"en\"><metadata><dc:title id=\"t\">A book</dc:title><dc:language>en</dc:language><dc:identifier>en</dc:identifier></metadata></package>";
    let expected = package
        .replace("A book", "A BOOK")
        .replace("xml:lang=\"en\"", "xml:lang=\"de\"")
        .replace("<dc:language>en", "<dc:language>de");
    assert_eq!(part(FileFormat::Epub, "OEBPS/content.opf", package, &options()), expected);
}

#[test]
fn descriptions_and_entries_are_translated() {
    let word = "<w:p><w:r><w:rPr><w:lang w:val=\"en-GB\" w:eastAsia=\"ja-JP\"/></w:rPr><w:t>See</w:t></w:r><w:r><w:drawing><wp:docPr id=\"1\" name=\"Picture 1\" descr=\"A red &quot;house&quot;\" title=\"House\"/></w:drawing></w:r></w:p><w:sdt><w:dropDownList><w:listItem w:displayText=\"Choose\" w:value=\"1\"/></w:dropDownList></w:sdt>";
    let output = part(FileFormat::Docx, "word/document.xml", word, &options());
    for expected in [
        "descr=\"A RED &quot;HOUSE&quot;\"",
        "title=\"HOUSE\"",
        "w:displayText=\"CHOOSE\" w:value=\"1\"",
        "<w:lang w:val=\"de\" w:eastAsia=\"ja-JP\"/>",
        ">SEE<",
        "name=\"Picture 1\"",
    ] {
        assert!(output.contains(expected), "{expected}: {output}");
    }
    let slide = "<p:sld><p:cNvPr id=\"1\" name=\"x\" descr=\"A garden\"/><a:p><a:r><a:rPr lang=\"en-US\"/><a:t>One</a:t></a:r><a:endParaRPr lang=\"fr-FR\"/></a:p></p:sld>";
    let expected = slide.replace("A garden", "A GARDEN").replace("One", "ONE").replace("en-US", "de");
    assert_eq!(part(FileFormat::Pptx, "ppt/slides/slide1.xml", slide, &options()), expected);
    let odt = "<office:text><style:text-properties fo:language=\"en\" fo:country=\"US\"/><text:p>One <draw:frame><svg:title>A title</svg:title><svg:desc>A text</svg:desc></draw:frame></text:p></office:text>";
    let expected = odt
        .replace("fo:language=\"en\" fo:country=\"US\"", "fo:language=\"de\" fo:country=\"none\"")
        .replace("One", "ONE")
        .replace("A title", "A TITLE")
        .replace("A text", "A TEXT");
    assert_eq!(part(FileFormat::Odt, "content.xml", odt, &options()), expected);
}

#[test]
fn comments_and_deleted_text_stay() {
    let odt = "<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>One <office:annotation><dc:creator>Ann</dc:creator><text:p>A comment</text:p></office:annotation>two.</text:p></office:text>";
    let expected = odt.replace("One", "ONE").replace("two.", "TWO.");
    assert_eq!(part(FileFormat::Odt, "content.xml", odt, &options()), expected);
    let with = Options { comments: Comments::Translate, ..options() };
    let output = part(FileFormat::Odt, "content.xml", odt, &with);
    assert!(output.contains("A COMMENT") && output.contains("Deleted") && output.contains("Ann"), "{output}");
    let word = "<w:comments><w:comment><w:p><w:r><w:t>Is this right?</w:t></w:r></w:p></w:comment></w:comments>";
    assert!(part(FileFormat::Docx, "word/comments.xml", word, &with).contains("IS THIS RIGHT?"));
    let spaces = "<text:p>One <text:s text:c=\"2\"/>two. <text:s/>Three.</text:p>";
    assert_eq!(
        part(FileFormat::Odt, "content.xml", spaces, &options()),
        spaces.replace("One", "ONE").replace("two", "TWO").replace("Three", "THREE")
    );
}

#[test]
fn pages_are_translated_whole() {
    let html = "<html lang=\"en-US\"><p>Choose <select><optgroup label=\"Big ones\"><option value=\"a\">A house</option><option selected>Garden &amp; tree</option></optgroup></select> now.</p><svg><title>A picture</title><text x=\"1\">Red <tspan>house</tspan></text><style>.a{}</style></svg><p lang=\"fr\">Oui</p><select translate=\"no\"><option>Stay</option></select></html>";
    let expected = html
        .replace("lang=\"en-US\"", "lang=\"de\"")
        .replace("Choose", "CHOOSE")
        .replace("Big ones", "BIG ONES")
        .replace("A house", "A HOUSE")
        .replace("Garden &amp; tree", "GARDEN &amp; TREE")
        .replace("now.", "NOW.")
        .replace("A picture", "A PICTURE")
        .replace("Red <tspan>house", "RED <tspan>HOUSE");
    assert_eq!(page(html, Format::Html), expected);
    let xml = "<doc xml:lang=\"en\"><p>One</p></doc>";
    assert_eq!(page(xml, Format::Xml), "<doc xml:lang=\"de\"><p>ONE</p></doc>");
}

#[test]
fn files_keep_their_encoding() {
    let translated = |bytes: &[u8], format, options: &Options| {
        let file = SegmentedFile::new(bytes.to_vec(), format, options).unwrap();
        let answers: Vec<Option<Answer>> =
            file.sentences().map(|_| Some(Answer { text: "Für dich".into(), ..Answer::default() })).collect();
        file.finish(&answers).unwrap()
    };
    let finished = translated(b"<meta charset=\"iso-8859-1\"><p>Caf\xe9 is open", FileFormat::Html, &options());
    assert_eq!(finished.bytes, b"<meta charset=\"iso-8859-1\"><p>F\xfcr dich");
    let utf_16: Vec<u8> = "\u{feff}1\n00:00 --> 00:01\nHello\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let expected: Vec<u8> =
        "\u{feff}1\n00:00 --> 00:01\nFür dich\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(translated(&utf_16, FileFormat::Srt, &options()).bytes, expected);
    let refused =
        SegmentedFile::new(b"1\n00:00 --> 00:01\nCaf\xe9\n".to_vec(), FileFormat::Srt, &options()).unwrap_err();
    assert!(refused.to_string().contains("not UTF-8 at byte 22"), "{refused}");
}

/// Fields are words of their sentences.
#[test]
fn fields_with_a_text_are_read_with_it() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF x </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Table 4</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let simple = "<w:fldSimple w:instr=\"PAGE\"><w:r><w:t>12</w:t></w:r></w:fldSimple>";
    let body = format!("<w:p>{}{field}{}{simple}{}</w:p>", run("As shown in "), run(" on page "), run(", it is big."));
    let bytes = archive(&[("word/document.xml", &format!("<w:document>{body}</w:document>"))]);
    let file = SegmentedFile::new(bytes, FileFormat::Docx, &Options::default()).unwrap();
    let source = file.sentences().next().unwrap();
    assert_eq!(source.text, "As shown in Table 4 on page 12, it is big.");
    let text = "Wie Table 4 auf Seite 12 zeigt, ist es groß.";
    let kept = ["Table 4", "12"].map(|thing| text.find(thing).map(|at| at..at + thing.len())).into();
    let finished = file.finish(&[Some(Answer { text: text.into(), kept, links: vec![] })]).unwrap();
    let document = part_of(&finished.bytes, "word/document.xml");
    let expected = [&run("Wie "), field, &run(" auf Seite "), simple, &run(" zeigt, ist es groß.")].concat();
    assert!(document.contains(&expected), "{document}");

    let odt = "<office:text><text:p>See page <text:page-number>4</text:page-number>, please.</text:p></office:text>";
    let bytes = archive(&[("content.xml", odt)]);
    let file = SegmentedFile::new(bytes, FileFormat::Odt, &Options::default()).unwrap();
    assert_eq!(file.sentences().next().unwrap().text, "See page 4, please.");
    let text = "Bitte sehen Sie Seite 4.";
    let answer = Answer { text: text.into(), kept: vec![text.find('4').map(|at| at..at + 1)], links: vec![] };
    let found = part_of(&file.finish(&[Some(answer)]).unwrap().bytes, "content.xml");
    assert!(found.contains("Seite <text:page-number>4</text:page-number>.<"), "{found}");
}

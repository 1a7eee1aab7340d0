//! Files: text is translated in place, the rest stays byte for byte.

use metaphrase_document::{Answer, Error, FileFormat, Options, SegmentedFile};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The file with each sentence in capitals, and its sentences.
fn capitals(bytes: &[u8], format: FileFormat) -> (Vec<u8>, Vec<String>) {
    let prepared = SegmentedFile::new(bytes.to_vec(), format, &Options::default()).unwrap();
    let sentences: Vec<String> = prepared.sentences().map(|source| source.text.into_owned()).collect();
    (prepared.finish(&answers(&prepared, str::to_ascii_uppercase)).unwrap().bytes, sentences)
}

/// An answer for each sentence: its text after a change that moves no letter, with its things to copy where they were.
pub(crate) fn answers(file: &SegmentedFile, change: impl Fn(&str) -> String) -> Vec<Option<Answer>> {
    file.sentences()
        .map(|source| {
            let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
            Some(Answer { text: change(&source.text), kept, links: vec![] })
        })
        .collect()
}

fn text(input: &str, format: FileFormat) -> String {
    String::from_utf8(capitals(input.as_bytes(), format).0).unwrap()
}

pub(crate) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn part(bytes: &[u8], name: &str) -> String {
    let mut text = String::new();
    ZipArchive::new(Cursor::new(bytes)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The translation of the one part of an archive that has text.
fn inside(format: FileFormat, name: &str, input: &str) -> String {
    let (bytes, _) = capitals(&archive(&[("mimetype", "x"), (name, input), ("other.bin", "\0\u{1}")]), format);
    assert_eq!((part(&bytes, "mimetype").as_str(), part(&bytes, "other.bin").as_str()), ("x", "\0\u{1}"));
    part(&bytes, name)
}

#[test]
fn subtitles_keep_their_times() {
    let srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello</i> there,\r\nfriend.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBye!\r\n";
    let expected = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>HELLO</i> THERE,  FRIEND.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBYE!\r\n";
    assert_eq!(text(srt, FileFormat::Srt), expected);
    let vtt = "WEBVTT\n\nNOTE a comment\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hello</v>\n";
    assert_eq!(text(vtt, FileFormat::Vtt), vtt.replace("Hello", "HELLO"));
}

#[test]
fn codes_of_subtitles_and_dialogues_stay() {
    let srt = "1\n00:01 --> 00:02\n{\\an8}Good morning,\nfriend!\n\n2\n00:03 --> 00:04\n- Where are you?\n– <i>I am</i> here.\n\n3\n0 --> 1\n-five\n";
    let expected = srt
        .replace("Good morning,\nfriend!", "GOOD MORNING, FRIEND!")
        .replace("Where are you", "WHERE ARE YOU")
        .replace("I am</i> here", "I AM</i> HERE")
        .replace("five", "FIVE");
    assert_eq!(text(srt, FileFormat::Srt), expected);
    let vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow>You &amp; me</c> <00:00:01.500>and R&B\n";
    let expected = vtt.replace("You &amp; me", "YOU &amp; ME").replace("and R&B", "AND R&amp;B");
    assert_eq!(text(vtt, FileFormat::Vtt), expected);
}

#[test]
fn tags_of_messages_are_tags() {
    let po = "msgid \"Click <a href=\\\"%s\\\">here</a>.\"\nmsgstr \"\"\n";
    let (bytes, sentences) = capitals(po.as_bytes(), FileFormat::Po);
    assert_eq!(sentences, ["Click here."]);
    let expected = po.replace("msgstr \"\"", "msgstr \"CLICK <a href=\\\"%s\\\">HERE</a>.\"");
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn what_xliff_says_is_done() {
    let xliff = "<xliff><file><body><trans-unit id=\"1\" translate=\"no\"><source>Stay</source></trans-unit>\n<group translate=\"no\"><trans-unit><source>Stay</source></trans-unit><trans-unit translate=\"yes\"><source>Go</source></trans-unit></group><trans-unit><source>One. Two.</source><seg-source><mrk>One.</mrk></seg-source> <!-- c --><target></target></trans-unit><trans-unit><source>Three</source><seg-source>Three</seg-source><note>n</note><alt-trans><source>Tree</source><target/></alt-trans></trans-unit><trans-unit><source>Click <bpt id=\"1\">&lt;b></bpt>here<ept id=\"1\">&lt;/b></ept> in <ph id=\"2\">{0}</ph></source></trans-unit></body></file><unit><mtc:matches><mtc:match><source>A</source><target/></mtc:match></mtc:matches></unit></xliff>";
    let expected = xliff
        .replace("Go</source>", "Go</source><target>GO</target>")
        .replace("<target></target>", "<target>ONE. TWO.</target>")
        .replace("Three</seg-source>", "Three</seg-source><target>THREE</target>")
        .replace("</ph></source>", "</ph></source><target>CLICK <bpt id=\"1\">&lt;b></bpt>HERE<ept id=\"1\">&lt;/b></ept> IN <ph id=\"2\">{0}</ph></target>");
    assert_eq!(text(xliff, FileFormat::Xliff), expected);
}

#[test]
fn messages_without_translations_get_them() {
    let po = "# comment\nmsgid \"\"\nmsgstr \"Language: de\\n\"\n\n#: a.c:1\nmsgid \"Open \\\"%s\\\"\"\nmsgstr \"\"\n\nmsgid \"done\"\nmsgstr \"fertig\"\n\nmsgid \"%d file\"\nmsgid_plural \"\"\n\"%d files\\n\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
    let expected = po
        .replace("\\\"%s\\\"\"\nmsgstr \"\"", "\\\"%s\\\"\"\nmsgstr \"OPEN \\\"%s\\\"\"")
        .replace("msgstr[0] \"\"", "msgstr[0] \"%d FILE\"")
        .replace("msgstr[1] \"\"", "msgstr[1] \"%d FILES\\n\"");
    assert_eq!(text(po, FileFormat::Po), expected);
    let broken = SegmentedFile::new(b"msgid \"a\nmsgstr \"\"\n".to_vec(), FileFormat::Po, &Options::default());
    assert_eq!(broken.unwrap_err().to_string(), "line 1: expected a string in quotation marks");
}

#[test]
fn targets_of_xliff_are_written() {
    let xliff = "<xliff><file><body>\n<trans-unit id=\"1\"><source>Click <g id=\"1\">here</g> &amp; go<x id=\"2\"/></source></trans-unit>\n<trans-unit id=\"2\"><source>Old</source>\n<target>Alt</target></trans-unit>\n<trans-unit id=\"3\"><source>New</source><target state=\"new\"/></trans-unit><unit><segment><source>Two</source><target></target></segment></unit></body></file></xliff>";
    let output = text(xliff, FileFormat::Xliff);
    let expected = xliff
        .replace(
            "<x id=\"2\"/></source>",
            "<x id=\"2\"/></source><target>CLICK <g id=\"1\">HERE</g> &amp; GO<x id=\"2\"/></target>",
        )
        .replace("<target state=\"new\"/>", "<target state=\"needs-review-translation\">NEW</target>")
        .replace("<target></target>", "<target>TWO</target>");
    assert_eq!(output, expected);
}

#[test]
fn markdown_keeps_its_signs() {
    let input = "---\ntitle: x\n---\n# A *title* `code`\n\nSome **bold [link](http://a.example/b \"t\")** text\nwrapped. See <http://a.example>.\n\n- [ ] item one\n- item \\* two\n\n> quoted\n\n```rust\nlet x;\n```\n\n| a | b |\n|---|---|\n| one | two |\n\n![alt text](i.png)\n<div>\nhtml\n</div>\n";
    let expected = "---\ntitle: \"X\"\n---\n# A *TITLE* `code`\n\nSOME **BOLD [LINK](http://a.example/b \"T\")** TEXT WRAPPED. SEE <http://a.example>.\n\n- [ ] ITEM ONE\n- ITEM * TWO\n\n> QUOTED\n\n```rust\nlet x;\n```\n\n| A | B |\n|---|---|\n| ONE | TWO |\n\n![ALT TEXT](i.png)\n<div>\nHTML\n</div>\n";
    assert_eq!(text(input, FileFormat::Markdown), expected);
}

#[test]
fn word_keeps_runs() {
    let input = "<w:document><w:body><w:p w:rsidR=\"1\"><w:pPr><w:jc/></w:pPr><w:bookmarkStart w:id=\"0\"/><w:r w:rsidR=\"2\"><w:t xml:space=\"preserve\">Hello </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>wor</w:t></w:r><w:r w:rsidR=\"3\"><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r><w:r><w:t>. Good</w:t><w:br/><w:t>day &amp; night</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p><w:p><w:r><w:t>123</w:t></w:r></w:p><w:tbl><w:p><w:hyperlink r:id=\"1\"><w:r><w:rPr><w:u/></w:rPr><w:t>link</w:t></w:r></w:hyperlink></w:p></w:tbl></w:body></w:document>";
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let first = format!(
        "{}<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">WORLD</w:t></w:r>{}<w:r><w:br/></w:r>{}",
        run("HELLO "),
        run(". GOOD"),
        run("DAY &amp; NIGHT"),
    );
    let output = inside(FileFormat::Docx, "word/document.xml", input);
    let output = output.replace(&run(""), "");
    assert!(output.contains(&first), "{output}");
    assert!(
        output.starts_with(
            "<w:document><w:body><w:p w:rsidR=\"1\"><w:pPr><w:jc/></w:pPr><w:bookmarkStart w:id=\"0\"/><w:r>"
        ),
        "{output}"
    );
    assert!(
        output.contains(
            "</w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p><w:p><w:r><w:t>123</w:t></w:r></w:p><w:tbl>"
        ),
        "{output}"
    );
    assert!(output.contains("<w:p><w:hyperlink r:id=\"1\"><w:r><w:rPr><w:u/></w:rPr><w:t xml:space=\"preserve\">LINK</w:t></w:r></w:hyperlink></w:p>"), "{output}");
}

#[test]
fn fields_of_word_stay_together() {
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Table 1</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let input = format!("<w:p><w:r><w:t>see </w:t></w:r>{field}<w:r><w:t> there</w:t></w:r></w:p>");
    let output = inside(FileFormat::Docx, "word/document.xml", &input);
    assert!(output.contains(field) && output.contains("SEE") && output.contains("THERE"), "{output}");
}

#[test]
fn links_and_controls_of_word_are_translated() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let kind = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let link = |text: &str| {
        format!(
            "{}<w:r><w:instrText>HYPERLINK \"x\"</w:instrText></w:r>{}{}{}",
            kind("begin"),
            kind("separate"),
            run(text),
            kind("end")
        )
    };
    let control = |text: &str| format!("<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>", run(text));
    let moved = |text: &str| {
        format!(
            "<w:moveFrom>{}</w:moveFrom><w:moveTo>{}</w:moveTo><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
            run("old"),
            run(text)
        )
    };
    let paragraph = |texts: [&str; 5]| {
        format!(
            "<w:p>{}{}{}{}{}</w:p>",
            run(texts[0]),
            link(texts[1]),
            run(texts[2]),
            control(texts[3]),
            moved(texts[4])
        )
    };
    let input = paragraph(["see ", "this page", " and ", "that one ", "there"]);
    let output = inside(FileFormat::Docx, "word/document.xml", &input);
    assert_eq!(output.replace(&run(""), ""), paragraph(["SEE ", "THIS PAGE", " AND ", "THAT ONE ", "THERE"]));
}

#[test]
fn slides_and_open_documents_and_books() {
    let slide = "<p:sld><a:p><a:pPr/><a:r><a:rPr lang=\"en\"/><a:t>One two</a:t></a:r><a:endParaRPr/></a:p></p:sld>";
    assert_eq!(inside(FileFormat::Pptx, "ppt/slides/slide1.xml", slide), slide.replace("One two", "ONE TWO"));
    let odt = "<office:text><text:h>Title</text:h><text:p text:style-name=\"a\">One <text:span>two</text:span>.<text:s/>Three<text:line-break/>four<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Note.</text:p></text:note-body></text:note></text:p></office:text>";
    let expected = odt
        .replace("Title", "TITLE")
        .replace("One", "ONE")
        .replace("two", "TWO")
        .replace("Three", "THREE")
        .replace("four", "FOUR")
        .replace("Note.", "NOTE.");
    let output = inside(FileFormat::Odt, "content.xml", odt);
    assert_eq!(
        output.replace(".<text:s/> THREE", ".<text:s/>THREE").replace(". <text:s/>THREE", ".<text:s/>THREE"),
        expected
    );
    let page = "<?xml version=\"1.0\"?><html><head><title>A book</title></head><body><p>It is <em>old</em>.<br/>Yes.</p></body></html>";
    let expected =
        page.replace("A book", "A BOOK").replace("It is", "IT IS").replace("old", "OLD").replace("Yes", "YES");
    assert_eq!(inside(FileFormat::Epub, "OEBPS/page1.xhtml", page), expected);
    let contents = "<ncx><head><meta name=\"a\" content=\"b\"/></head><docTitle><text>A book</text></docTitle><navMap><navPoint id=\"n1\"><navLabel><text>One</text></navLabel><content src=\"p.xhtml\"/></navPoint></navMap></ncx>";
    let expected = contents.replace("A book", "A BOOK").replace("One", "ONE");
    assert_eq!(inside(FileFormat::Epub, "OEBPS/toc.ncx", contents), expected);
}

#[test]
fn hostile_files_are_refused() {
    let refused = |bytes: Vec<u8>, format| SegmentedFile::new(bytes, format, &Options::default()).unwrap_err();
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><w:p><w:r><w:t>&b;</w:t></w:r></w:p>";
    assert!(matches!(refused(archive(&[("word/document.xml", entities)]), FileFormat::Docx), Error::Entities { .. }));
    assert!(matches!(refused(b"no archive".to_vec(), FileFormat::Docx), Error::Archive { .. }));
    assert!(matches!(
        refused(archive(&[("word/document.xml", "<w:p/>")]), FileFormat::Docx),
        Error::NothingToTranslate { .. }
    ));
    assert!(matches!(refused(b"\xc3(".to_vec(), FileFormat::Text), Error::Encoding { byte: 1 }));
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..129 {
        writer.write_all(&zeros).unwrap();
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    assert!(matches!(refused(bomb, FileFormat::Docx), Error::TooLarge { .. }));
    let prepared = SegmentedFile::new(b"Hello".to_vec(), FileFormat::Text, &Options::default()).unwrap();
    assert_eq!(prepared.finish(&[None]).unwrap_err(), Error::NothingTranslated);
}

/// Files with parts cut out, doubled and exchanged are read or refused, and what is read can be written.
#[test]
fn broken_files_are_no_harm() {
    let run = "<w:p><w:r><w:t>One</w:t></w:r><w:hyperlink><w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t><w:br/></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:p><w:r><w:t>in</w:t></w:r></w:p></w:p>";
    let samples = [
        (FileFormat::Docx, run.to_owned()),
        (FileFormat::Pptx, run.replace("w:", "a:")),
        (FileFormat::Odt, "<text:p>One <text:span>two<text:note><text:p>n</text:p></text:note></text:span><text:line-break/>x<text:s/></text:p>".to_owned()),
        (FileFormat::Xliff, "<xliff><source>One <g>two</g></source><target/><source>a<x/></source><target></target></xliff>".to_owned()),
        (FileFormat::Po, "msgid \"a\\n\"\nmsgid_plural \"b\"\n\"c\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n".to_owned()),
        (FileFormat::Srt, "1\n00:00 --> 00:01\nOne <i>two</i>\n\n2\n0 --> 1\n\nx".to_owned()),
        (FileFormat::Markdown, "# a *b* `c`\n> d **e\n- [f](g \"h\") <i>\n  - j  \nk ![l](m)\n\n| n | o |\n|--|--|\n| p\\|q | *r* |\n\n[^s]: t\n".to_owned()),
        (FileFormat::Epub, "<p>One <b>two<br/></b> <code>x</code>&amp;&x;<!-- c --><script>y</script></p>".to_owned()),
    ];
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    for (format, sample) in samples {
        for _ in 0..150 {
            let mut text: Vec<char> = sample.chars().collect();
            for _ in 0..=random(3) {
                let (from, length) = (random(text.len()), random(12));
                let part: Vec<char> = text[from..(from + length).min(text.len())].to_vec();
                if random(2) == 0 {
                    text.drain(from..from + part.len());
                }
                let to = random(text.len());
                text.splice(to..to, part);
            }
            let text: String = text.into_iter().collect();
            let name = match format {
                FileFormat::Docx => "word/document.xml",
                FileFormat::Pptx => "ppt/slides/slide1.xml",
                FileFormat::Odt => "content.xml",
                FileFormat::Epub => "a.html",
                _ => "",
            };
            let bytes = if name.is_empty() { text.into_bytes() } else { archive(&[(name, &text)]) };
            if let Ok(prepared) = SegmentedFile::new(bytes, format, &Options::default()) {
                let answer = |source: metaphrase_document::Source<'_>| {
                    Some(Answer { text: source.text.to_uppercase(), ..Answer::default() })
                };
                let answers: Vec<Option<Answer>> = prepared.sentences().map(answer).collect();
                prepared.finish(&answers).unwrap();
            }
        }
    }
}

#[test]
fn files_that_are_too_long_are_refused() {
    let refused = SegmentedFile::new(vec![b'a'; (128 << 20) + 1], FileFormat::Csv, &Options::default()).unwrap_err();
    assert_eq!(refused, Error::TooLong { limit: 128 << 20 });
}

//! Texts in another language than that of the document stay as they are.

use crate::files::{archive, part};
use metaphrase_document::{Answer, FileFormat, Format, Options, SegmentedFile, SegmentedText, Source};

fn options(format: Format) -> Options {
    Options { format, language: "en".into(), target: "de".into(), ..Options::default() }
}

fn answer(source: &Source<'_>) -> Option<Answer> {
    let kept: Vec<_> = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
    Some(Answer { text: source.text.to_ascii_uppercase(), kept, links: vec![] })
}

/// The text with each sentence in capitals, and the messages about it.
fn markup(input: &str, format: Format) -> (String, Vec<String>) {
    let text = SegmentedText::new(input, &options(format)).unwrap();
    let answers: Vec<_> = text.sentences().map(|source| answer(&source)).collect();
    (text.finish(&answers).text, text.notes())
}

fn page(input: &str) -> (String, String) {
    let (text, notes) = markup(input, Format::Html);
    (text, notes.join("; "))
}

#[test]
fn texts_of_pages_in_other_languages_stay() {
    for (input, expected, note) in [
        (
            "<p>Good day.</p><p lang=\"fr\">Bonjour. <b>Merci</b>.</p>",
            "<p>GOOD DAY.</p><p lang=\"fr\">Bonjour. <b>Merci</b>.</p>",
            "1 text in French stays as it is",
        ),
        (
            "<p>He said <i lang=\"fr\">bonjour à tous</i> to us.</p>",
            "<p>HE SAID <i lang=\"fr\">bonjour à tous</i> TO US.</p>",
            "1 text in French stays as it is",
        ),
        (
            "<p>Hi</p><div xml:lang=\"fr-CA\"><p>Un</p><p>Deux</p></div><p lang=\"ita\">Tre</p><img lang=\"fr\" alt=\"Maison\"><p>You</p>",
            "<p>HI</p><div xml:lang=\"fr-CA\"><p>Un</p><p>Deux</p></div><p lang=\"ita\">Tre</p><img lang=\"fr\" alt=\"Maison\"><p>YOU</p>",
            "2 texts in French, 1 text in Italian stay as they are",
        ),
        // An attribute without a value names no language.
        (
            "<html lang><p xml:lang lang=>Good day.</p><meta property=\"og:locale\" content></html>",
            "<html lang><p xml:lang lang=>GOOD DAY.</p><meta property=\"og:locale\" content></html>",
            "",
        ),
        // Nested back into the language of the page, whose name follows the translation.
        (
            "<p>Hi</p><div lang=\"fr\"><p>Un</p><p lang=\"en-GB\">Good</p><img alt=\"Maison\"></div><img alt=\"House\">",
            "<p>HI</p><div lang=\"fr\"><p>Un</p><p lang=\"de\">GOOD</p><img alt=\"Maison\"></div><img alt=\"HOUSE\">",
            "1 text in French stays as it is",
        ),
        // The language of the translation is another one, too.
        (
            "<p lang=en>Hi <q lang=\"de-DE\">guten Tag</q></p>",
            "<p lang=de>HI <q lang=\"de-DE\">guten Tag</q></p>",
            "1 text in German stays as it is",
        ),
    ] {
        assert_eq!(page(input), (expected.to_owned(), note.to_owned()), "{input}");
    }
}

#[test]
fn texts_in_no_other_language_are_translated() {
    for (input, expected) in [
        ("<p lang=\"en-GB\">Hi</p><p>You</p>", "<p lang=\"de\">HI</p><p>YOU</p>"),
        ("<p lang=\"\">Hi</p><p lang=\"und\">You</p>", "<p lang=\"\">HI</p><p lang=\"und\">YOU</p>"),
        ("<p lang=\"{{ lang }}\">Hi</p><p>You</p>", "<p lang=\"{{ lang }}\">HI</p><p>YOU</p>"),
        // The page as a whole has another name than the model's language.
        (
            "<html lang=\"fr\"><p>Hi</p><p lang=\"fr\">You</p></html>",
            "<html lang=\"fr\"><p>HI</p><p lang=\"fr\">YOU</p></html>",
        ),
        ("<p lang=\"fr\">Hi.</p>", "<p lang=\"fr\">HI.</p>"),
        ("<p lang=\"fr\">Hi.</p><p>12</p>", "<p lang=\"fr\">HI.</p><p>12</p>"),
    ] {
        assert_eq!(page(input), (expected.to_owned(), String::new()), "{input}");
    }
    let unknown = Options { language: String::new(), ..options(Format::Html) };
    let text = SegmentedText::new("<p>Hi</p><p lang=\"fr\">You</p>", &unknown).unwrap();
    assert_eq!((text.len(), text.notes()), (2, Vec::new()));
}

#[test]
fn texts_of_xml_in_other_languages_stay() {
    let input = "<a xml:lang=\"en\"><s>Hi</s><s xml:lang=\"fr\">Un</s><s>A <e xml:lang=\"la\">quid novi</e> b</s></a>";
    let expected =
        "<a xml:lang=\"de\"><s>HI</s><s xml:lang=\"fr\">Un</s><s>A <e xml:lang=\"la\">quid novi</e> B</s></a>";
    let notes = vec!["1 text in French, 1 text in Latin stay as they are".to_owned()];
    assert_eq!(markup(input, Format::Xml), (expected.to_owned(), notes));
}

/// The translation of the one text of an archive, and the messages.
fn in_archive(format: FileFormat, name: &str, input: &str) -> (String, Vec<String>) {
    let file = SegmentedFile::new(archive(&[(name, input)]), format, &options(Format::Text)).unwrap();
    let answers: Vec<_> = file.sentences().map(|source| answer(&source)).collect();
    let finished = file.finish(&answers).unwrap();
    (part(&finished.bytes, name), finished.notes)
}

#[test]
fn paragraphs_and_phrases_of_word_in_other_languages_stay() {
    let run = |language: &str, text: &str| {
        format!("<w:r><w:rPr><w:lang w:val=\"{language}\"/></w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
    };
    let document = |paragraphs: &[&[String]]| {
        let paragraphs = paragraphs.iter().map(|runs| format!("<w:p>{}</w:p>", runs.concat()));
        format!("<w:document><w:body>{}</w:body></w:document>", paragraphs.collect::<String>())
    };
    let word = |input: &str| in_archive(FileFormat::Docx, "word/document.xml", input);
    let french = [run("fr-FR", "Bonjour"), run("fr-FR", " tout le monde.")];
    let input = document(&[
        &[run("en-US", "A long text about houses and gardens.")],
        &french,
        &[run("en-US", "He said "), run("fr-FR", "bonne nuit"), run("en-US", " and went.")],
        // A single word inside a sentence is translated with it.
        &[run("en-US", "The "), run("fr-FR", "town"), run("en-US", " is old.")],
    ]);
    let (found, notes) = word(&input);
    // Text of one form may have several runs.
    let form = "<w:r><w:rPr><w:lang w:val=\"de\"/></w:rPr><w:t xml:space=\"preserve\">";
    let joined = |text: &str| text.replace(&format!("</w:t></w:r>{form}"), "");
    let expected = document(&[
        &[run("de", "A LONG TEXT ABOUT HOUSES AND GARDENS.")],
        &french,
        &[run("de", "HE SAID "), run("fr-FR", "bonne nuit"), run("de", " AND WENT.")],
        &[run("de", "THE "), run("fr-FR", "TOWN"), run("de", " IS OLD.")],
    ]);
    assert_eq!(joined(&found), joined(&expected));
    assert_eq!(notes, ["3 texts in French stay as they are"]);
    // Most of a document in "another" language is in the language of the keyboard.
    let (found, notes) = word(&document(&[&[run("fr-FR", "A long text about houses.")], &[run("en-US", "Hi.")]]));
    assert!(found.contains("A LONG TEXT") && found.contains("HI.") && notes.is_empty(), "{found}");
}

#[test]
fn paragraphs_and_phrases_of_open_document_in_other_languages_stay() {
    let styles =
        "<style:style style:name=\"F\"><style:text-properties fo:language=\"fr\" fo:country=\"FR\"/></style:style>";
    let document = |text: &str| format!("<office:document>{styles}{text}</office:document>");
    let text = "<text:p>A long text about houses.</text:p><text:p text:style-name=\"F\">Bonjour.</text:p><text:p>He said <text:span text:style-name=\"F\">bonne nuit</text:span> to us.</text:p>";
    let expected = "<text:p>A LONG TEXT ABOUT HOUSES.</text:p><text:p text:style-name=\"F\">Bonjour.</text:p><text:p>HE SAID <text:span text:style-name=\"F\">bonne nuit</text:span> TO US.</text:p>";
    let (found, notes) = in_archive(FileFormat::Odt, "content.xml", &document(text));
    assert_eq!(found, document(expected));
    assert_eq!(notes, ["2 texts in French stay as they are"]);
}

#[test]
fn styles_of_other_parts_and_parents_name_languages() {
    let named = |language: &str, parent: &str, name: &str| {
        format!(
            "<style:style style:name=\"{name}\" style:parent-style-name=\"{parent}\"><style:text-properties {language}/></style:style>"
        )
    };
    let french = "fo:language=\"fr\" fo:country=\"FR\"";
    let styles = format!("<office:document-styles>{}</office:document-styles>", named(french, "Text", "Quotation"));
    let document = |one: &str| {
        format!(
            "<office:document-content>{}<text:p>{one}</text:p><text:p text:style-name=\"P1\">Bonjour.</text:p><text:p text:style-name=\"Quotation\">Merci.</text:p></office:document-content>",
            named("fo:color=\"#000000\"", "Quotation", "P1")
        )
    };
    let input = document("A long text about houses.");
    let archive = archive(&[("content.xml", &input), ("styles.xml", &styles)]);
    let file = SegmentedFile::new(archive, FileFormat::Odt, &options(Format::Text)).unwrap();
    let answers: Vec<_> = file.sentences().map(|source| answer(&source)).collect();
    let finished = file.finish(&answers).unwrap();
    assert_eq!(part(&finished.bytes, "content.xml"), document("A LONG TEXT ABOUT HOUSES."));
    assert_eq!(finished.notes, ["2 texts in French stay as they are"]);
}

#[test]
fn paragraphs_of_slides_in_other_languages_stay() {
    let run = |language: &str, text: &str| format!("<a:r><a:rPr lang=\"{language}\"/><a:t>{text}</a:t></a:r>");
    let slide = |language: &str, one: &str, two: &str| {
        format!(
            "<p:sld><a:p>{}</a:p><a:p>{}</a:p><a:p>{}{}{}</a:p></p:sld>",
            run(language, one),
            run("fr-FR", "Bonjour tout le monde."),
            run(language, two),
            run("fr-FR", "bonne nuit"),
            run(language, ".")
        )
    };
    let input = slide("en-US", "A long text about houses and gardens.", "He said ");
    let (found, notes) = in_archive(FileFormat::Pptx, "ppt/slides/slide1.xml", &input);
    assert_eq!(found, slide("de", "A LONG TEXT ABOUT HOUSES AND GARDENS.", "HE SAID "));
    assert_eq!(notes, ["2 texts in French stay as they are"]);
    // The language of the keyboard.
    let input =
        format!("<p:sld><a:p>{}</a:p><a:p>{}</a:p></p:sld>", run("fr-FR", "A long text here."), run("en-US", "Hi."));
    let (found, notes) = in_archive(FileFormat::Pptx, "ppt/slides/slide1.xml", &input);
    assert!(found.contains("A LONG TEXT") && notes.is_empty(), "{found}");
}

#[test]
fn elements_of_markdown_in_other_languages_stay() {
    let markdown = |input: &str| {
        let file = SegmentedFile::new(input.into(), FileFormat::Markdown, &options(Format::Text)).unwrap();
        let answers: Vec<_> = file.sentences().map(|source| answer(&source)).collect();
        let finished = file.finish(&answers).unwrap();
        (String::from_utf8(finished.bytes).unwrap(), finished.notes.join("; "))
    };
    for (input, expected, note) in [
        (
            "He said <i lang=\"fr\">bonne *nuit*</i> to us.\n",
            "HE SAID <i lang=\"fr\">bonne *nuit*</i> TO US.\n",
            "1 text in French stays as it is",
        ),
        (
            "Hi\n\n<div lang=\"fr\">\n\nBonjour **Marie**\n\n</div>\n\n<p lang=\"fr\" title=\"le jour\">Un</p>\n\nYou\n",
            "HI\n\n<div lang=\"fr\">\n\nBonjour **Marie**\n\n</div>\n\n<p lang=\"fr\" title=\"le jour\">Un</p>\n\nYOU\n",
            "2 texts in French stay as they are",
        ),
        ("<p lang=\"en\">Hi</p>\n\n`<p lang=\"fr\">` you\n", "<p lang=\"en\">HI</p>\n\n`<p lang=\"fr\">` YOU\n", ""),
    ] {
        assert_eq!(markdown(input), (expected.to_owned(), note.to_owned()), "{input}");
    }
}

#[test]
fn the_texts_of_all_pages_of_a_book_are_counted_once() {
    let page = "<html xml:lang=\"en\"><body><p>Hi.</p><p xml:lang=\"fr\">Bonjour.</p></body></html>";
    let book = archive(&[("1.xhtml", page), ("2.xhtml", page)]);
    let file = SegmentedFile::new(book, FileFormat::Epub, &options(Format::Text)).unwrap();
    let answers: Vec<_> = file.sentences().map(|source| answer(&source)).collect();
    let finished = file.finish(&answers).unwrap();
    assert_eq!(finished.notes, ["2 texts in French stay as they are"]);
    let expected = page.replace("\"en\"", "\"de\"").replace("Hi.", "HI.");
    assert_eq!(part(&finished.bytes, "2.xhtml"), expected);
}

/// Elements inside each other, in turns of languages, take linear time.
#[test]
fn hostile_pages_take_little_time() {
    let deep = "<i lang=\"fr\">a<i lang=\"en\">b".repeat(30_000);
    let wide = "<p lang=fr>a</p><p>b</p>".repeat(30_000);
    let start = std::time::Instant::now();
    for input in [deep.clone() + &"</i></i>".repeat(30_000), deep, wide] {
        SegmentedText::new(input, &options(Format::Html)).unwrap();
    }
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

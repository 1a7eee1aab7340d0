//! Texts of any form, with the models that come with the program.

use metaphrase::{
    Document, Request, SamplingPool, Split, TextFormat, TextOptions, TranslateOptions, TranslatedDocument, Translator,
};

fn translator(model: &str) -> Translator {
    Translator::builder().model(model).threads(1).build().expect("a bundled model")
}

fn translate(translator: &Translator, format: TextFormat, input: &str) -> TranslatedDocument {
    let options = TextOptions { format, ..TextOptions::default() };
    translator.translate_text(&translator.options(), &options, input).expect("a translation")
}

/// Hot draws have bytes in any order unless the search gives them only those that make a character.
#[test]
fn characters_are_whole() {
    let translator = translator("en-de");
    let mut options = translator.options();
    options.search.sampling = Some(SamplingPool::Full.at(6.0));
    let broken = |allow_special: bool| {
        let options = TranslateOptions { allow_special, ..options.clone() };
        let requests = vec![Request::translate("She bought a house for a good price, and the bank paid it."); 20];
        let found = translator.run(&options, requests).expect("translations");
        found.iter().filter(|translation| translation.text().contains('\u{FFFD}')).count()
    };
    assert_eq!(broken(false), 0);
    assert!(broken(true) > 5);
}

/// A model that learns a sign as a piece of its own may leave it out where its text has few.
#[test]
fn signs_stay() {
    let translator = translator("de-en");
    let lines =
        ["Das kostet 5 €.", "Nach § 5 des Gesetzes gilt das.", "Es sind 20 °C draußen.", "Er zahlte 300 £ – zu viel."];
    let found = translator.translate(&lines).expect("translations");
    // A sign may stand before or after its number, as the language has it.
    for (found, parts) in found.iter().zip([["5", "€"], ["§", "5"], ["20", "°C"], ["300", "£"]]) {
        assert!(parts.iter().all(|part| found.text().contains(part)), "{parts:?} in {}", found.text());
    }
}

/// LibreTranslate's issue 123: `%1$s` ended the translation.
#[test]
fn placeholders_stay() {
    let translator = translator("en-de");
    let input = "Hello %1$s, good to see you again!\n\n  The file {name} could not be opened.  See https://example.org/help?id=1#top for more.\n";
    let translated = translate(&translator, TextFormat::Text, input);
    for kept in ["%1$s", "{name}", "https://example.org/help?id=1#top"] {
        assert_eq!(translated.text().matches(kept).count(), 1, "{kept} in {}", translated.text());
    }
    assert_eq!(translated.sentences.len(), 3);
    assert!(
        translated.text().starts_with("Hallo %1$s, ") && translated.text().contains("!\n\n  Die Datei {name} "),
        "{}",
        translated.text()
    );
    assert!(translated.text().ends_with(".\n") && translated.notes.is_empty(), "{:?}", translated.notes);
    for sentence in &translated.sentences {
        assert_eq!(&translated.text()[sentence.target.clone()], sentence.translation.text());
        assert!(!input[sentence.source.clone()].is_empty());
    }
    let french = "Je souhaite rendre <span style=\"color:%2$s;\">%1$s</span> dabbas";
    let translated = translate(&translator, TextFormat::Text, french);
    assert!(translated.text().contains("<span style=\"color:%2$s;\">%1$s</span>"), "{}", translated.text());
}

#[test]
fn the_parts_are_the_whole() {
    let translator = translator("en-de");
    let input = "<p>Where is the <b>station</b>?</p><p>The <i>old</i> house is <a href=\"x\">here</a>.</p>";
    let whole = translate(&translator, TextFormat::Html, input);
    let options = TextOptions { format: TextFormat::Html, ..TextOptions::default() };
    let prepared = Document::text(input, &options).expect("a text");
    assert!(prepared.needs_alignment() && prepared.len() == 2 && !prepared.is_empty());
    let requests = prepared.requests();
    assert_eq!(requests[0], Request::translate("Where is the station?"));
    let options = translator.with_alignment(&translator.options());
    let answers = translator.run(&options, requests).expect("translations");
    assert_eq!(prepared.sentence(0, &answers[0]).as_deref(), Some(answers[0].text()));
    assert_eq!(prepared.alternative(&answers, 0).expect("a text"), whole.bytes);
    let again = prepared.finish(answers).expect("a text");
    assert_eq!((again.bytes, again.notes), (whole.bytes.clone(), whole.notes.clone()));
    assert!(prepared.finish(vec![]).is_err());
    // The article may stand within the mark.
    let end = "Bahnhof</b>?</p><p>Das <i>alte</i> Haus ist <a href=\"x\">hier</a>.</p>";
    assert!(whole.text().starts_with("<p>Wo ist ") && whole.text().ends_with(end), "{}", whole.text());
    assert!(whole.sentences.iter().all(|sentence| sentence.translation.hypotheses[0].attention.is_none()));
}

/// LibreTranslate's issue 288, with the page of that issue.
#[test]
fn a_page_is_one_text() {
    let translator = translator("de-en");
    let page = |text: &str| format!("<html lang=\"de\">\n\t<body>\n\t<p>{text}</p>\n\t</body>\n</html>");
    let translated = |text: &str| translate(&translator, TextFormat::Html, &page(text)).text().to_owned();
    let broken = translated("Wenn eine Zeile kein Verb\n\t\tenthält, muss die Übersetzung\n\t\tfalsch sein.");
    assert_eq!(broken, translated("Wenn eine Zeile kein Verb enthält, muss die Übersetzung falsch sein."));
    let xml = TextOptions { format: TextFormat::Xml, ..TextOptions::default() };
    let error = translator.translate_text(&translator.options(), &xml, "<a>").expect_err("no end tag");
    assert_eq!(error.to_string(), "line 1: the element <a> has no end tag; write it, or read the text as HTML");
}

/// The markup of LibreTranslate's issue 806: all words of the source stand in two elements.
#[test]
fn no_word_leaves_elements_that_have_them_all() {
    let page = "<a href=\"#\">\n <em>\n  <u>\n   View the complete range of\n  </u>\n </em>\n <em>\n  <u>\n   drawer systems here!\n  </u>\n </em>\n</a>";
    let text = translate(&translator("en-de"), TextFormat::Html, page).text().to_owned();
    let outside = text.split("<em>").map(|part| part.rsplit("</em>").next().unwrap_or_default());
    let outside: String = outside.collect::<String>().replace("<a href=\"#\">", "").replace("</a>", "");
    assert_eq!((outside.trim(), text.matches("<em>").count()), ("", 2), "{text}");
}

#[test]
fn a_text_of_nothing_comes_back() {
    let translator = translator("en-de");
    for input in ["", " \n\t\r\n", "{a} 1.5 %s", "<p> </p>"] {
        for format in [TextFormat::Lines, TextFormat::Text, TextFormat::Html] {
            let options = TextOptions { format, split: Split::Wrapped, ..TextOptions::default() };
            let translated = translator.translate_text(&translator.options(), &options, input).expect("a text");
            assert_eq!((translated.text(), translated.sentences.len()), (input, 0));
        }
    }
    assert_eq!(translator.languages().expect("languages").join("-"), "en-de");
}

#[test]
fn a_paragraph_in_one_line_is_told() {
    let translator = translator("en-de");
    let sentence = "The old house on the hill is small and the large garden is behind it.";
    let lines = [sentence.to_owned(), [sentence; 8].join(" "), "the house and the garden and ".repeat(25)];
    let whole = TranslateOptions { longest_sentence: None, ..translator.options() };
    let requests = lines.iter().map(Request::translate).collect();
    let found = translator.run(&whole, requests).expect("translations");
    assert!(found[0].notes.is_empty(), "{:?}", found[0].notes);
    assert!(!found[2].notes.concat().contains("sentences"), "one sentence: {:?}", found[2].notes);
    let pieces = found[1].source_pieces.len();
    let told = format!("the source has 8 sentences in {pieces} pieces, and models lose parts of such lines");
    assert_eq!(found[1].notes, [format!("{told}; split it into sentences, or set `longest_sentence`")]);
    let split = translate(&translator, TextFormat::Text, &lines[1]);
    assert!(split.notes.is_empty() && split.sentences.len() == 8, "{:?}", split.notes);
}

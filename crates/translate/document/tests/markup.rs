//! HTML and XML: every tag is kept, and belongs to the words that it belonged to.

use metaphrase_document::{Answer, Format, Link, Options, SegmentedText};
use proptest::prelude::*;

fn html(input: &str) -> SegmentedText {
    SegmentedText::new(input, &Options { format: Format::Html, ..Options::default() }).unwrap()
}

fn texts(prepared: &SegmentedText) -> Vec<String> {
    prepared.sentences().map(|sentence| sentence.text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// A translation and its words' places in the source, by pairs of words that belong to each other.
fn answer(source: &str, target: &str, pairs: &[(&str, &str)]) -> Option<Answer> {
    let link = |&(from, to): &(&str, &str)| {
        let range = |text: &str, word: &str| text.find(word).map(|at| at..at + word.len());
        Some(Link { source: range(source, from)?, target: range(target, to)?, weight: 1.0 })
    };
    Some(Answer { text: target.into(), kept: vec![], links: pairs.iter().filter_map(link).collect() })
}

/// The translation of an input of one sentence.
fn one(input: &str, target: &str, pairs: &[(&str, &str)]) -> String {
    let prepared = html(input);
    let source = prepared.sentences().next().unwrap().text.into_owned();
    assert_eq!(prepared.len(), 1, "{input}");
    prepared.finish(&[answer(&source, target, pairs)]).text
}

#[test]
fn tags_go_with_their_words() {
    let translated = one(
        "<p>Click <a href=\"x\">this link</a> <em>now</em>.</p>",
        "Klicken Sie jetzt auf diesen Link.",
        &[
            ("Click", "Klicken"),
            ("Click", "Sie"),
            ("this", "diesen"),
            ("link", "Link"),
            ("now", "jetzt"),
            ("Click", "auf"),
        ],
    );
    assert_eq!(translated, "<p>Klicken Sie <em>jetzt</em> auf <a href=\"x\">diesen Link</a>.</p>");
}

#[test]
fn nested_tags_stay_nested() {
    let translated = one(
        "Go <b>to the <i>old</i> house</b> today",
        "Gehe heute zum alten Haus",
        &[("Go", "Gehe"), ("today", "heute"), ("to", "zum"), ("old", "alten"), ("house", "Haus")],
    );
    assert_eq!(translated, "Gehe heute <b>zum <i>alten</i> Haus</b>");
}

/// Each took the square of its length.
#[test]
fn a_page_of_nothing_but_tags_takes_little_time() {
    let begun = std::time::Instant::now();
    let pages = [
        format!("<p>x{}", "<b>".repeat(60_000)),
        format!("<p>x{}{}", "<b>".repeat(60_000), "</i>".repeat(60_000)),
        format!("<p>x{}y", "<i> </i>".repeat(60_000)),
        format!("<p>{}", "<i>a</i> ".repeat(6_000)),
    ];
    for page in pages {
        let prepared = html(&page);
        let short = |text: &str| answer(text, "z.", &[]);
        let answers: Vec<_> = prepared.sentences().map(|sentence| short(&sentence.text)).collect();
        let finished = prepared.finish(&answers);
        assert_eq!(finished.text.matches('<').count(), page.matches('<').count());
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
}

/// LibreTranslate's issue 288: the white space of a page's source is no end of a sentence.
#[test]
fn line_breaks_of_the_source_mean_nothing() {
    let input = "<html lang=\"de\">\n\t<body>\n\t<p>\n\t\tWenn eine Zeile kein Verb\n\t\tenthält, muss die Übersetzung\n\t\tfalsch sein.\n\t</p>\n\t</body>\n</html>";
    let prepared = html(input);
    assert_eq!(texts(&prepared), ["Wenn eine Zeile kein Verb enthält, muss die Übersetzung falsch sein."]);
    let finished = prepared.finish(&[answer("", "It is wrong.", &[])]);
    assert_eq!(finished.text, "<html lang=\"de\">\n\t<body>\n\t<p>\n\t\tIt is wrong.\n\t</p>\n\t</body>\n</html>");
}

/// LibreTranslate's issue 806: nested tags do not divide a sentence.
#[test]
fn nested_tags_do_not_divide_a_sentence() {
    let input = "<a href=\"#\">\n  <em>\n    <span>\n     View the complete range of\n    </span>\n  </em>\n  <em>\n    <span>\n      drawer systems here!\n    </span>\n  </em>\n</a>";
    let prepared = html(input);
    assert_eq!(texts(&prepared), ["View the complete range of drawer systems here!"]);
    let source = prepared.sentences().next().unwrap().text.into_owned();
    let target = "Sehen Sie hier das Sortiment der Schubladensysteme!";
    let pairs = [
        ("View", "Sehen"),
        ("View", "Sie"),
        ("here", "hier"),
        ("the", "das"),
        ("range", "Sortiment"),
        ("of", "der"),
        ("drawer", "Schubladensysteme"),
    ];
    let text = prepared.finish(&[answer(&source, target, &pairs)]).text;
    let tags = |text: &str| {
        text.split('<').skip(1).filter_map(|tag| Some(tag.split_once('>')?.0.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(tags(&text), tags(input), "{text}");
    assert!(text.ends_with("Schubladensysteme!\n    </span>\n  </em>\n</a>"), "{text}");
}

/// bergamot-translator's issue 288: no tag is lost, even if one word of the translation stands for many.
#[test]
fn no_tag_is_lost() {
    let translated = one("<b>d</b><i>o</i><a id=\"1\">g</a>", "perro", &[("dog", "perro")]);
    for tag in ["<b>", "</b>", "<i>", "</i>", "<a id=\"1\">", "</a>"] {
        assert_eq!(translated.matches(tag).count(), 1, "{translated}");
    }
    let translated = one(
        "<b id=\"1a\">1<i id=\"1b\"> dentro b</i></b> <i id=\"1c\">italic</i>",
        "1 in b italic",
        &[("dentro", "in")],
    );
    assert_eq!(translated, "<b id=\"1a\">1<i id=\"1b\"> in b</i></b> <i id=\"1c\">italic</i>");
}

/// bergamot-translator's issue 302: blocks and line breaks end sentences.
#[test]
fn blocks_end_sentences() {
    assert_eq!(
        texts(&html("<div>one<br>Two<p>three<li>four <b>five</b></div>six")),
        ["one", "Two", "three", "four five", "six"]
    );
    assert_eq!(texts(&html("<td>a</td><td>b</td>")), ["a", "b"]);
    // An element that HTML does not know ends no sentence.
    assert_eq!(texts(&html("<p>Use <function>rand</function> now</p>")), ["Use rand now"]);
}

#[test]
fn void_elements_and_comments_are_written_once() {
    let translated = one(
        "An <img src=\"a>b\"> image<!-- note --> here",
        "Hier ein Bild",
        &[("An", "ein"), ("image", "Bild"), ("here", "Hier")],
    );
    assert_eq!(translated, "Hier ein <img src=\"a>b\"> Bild<!-- note -->");
}

#[test]
fn code_is_copied() {
    let input = "<p>Use <code>a &lt; <b>b</b></code> and <span translate=\"no\">Hello World</span>.</p><pre><code>let x;</code></pre><script>alert('x')</script><p class=\"notranslate\">keep me</p>";
    let prepared = html(input);
    let source = prepared.sentences().next().unwrap();
    assert_eq!((source.text.as_ref(), prepared.len()), ("Use a < b and Hello World.", 1));
    let target = "Hello World und a < b nutzen.";
    let kept = vec![Some(16..21), Some(0..11)];
    let finished = prepared.finish(&[Some(Answer { text: target.into(), kept, links: vec![] })]);
    let expected = "<p><span translate=\"no\">Hello World</span> und <code>a &lt; <b>b</b></code> nutzen.</p>";
    assert!(finished.text.starts_with(expected), "{}", finished.text);
    assert!(finished.text.ends_with(&input[input.find("<pre>").unwrap()..]));
}

#[test]
fn references_are_read_and_written() {
    let prepared = html("<p>Fish &amp; chips &lt; &#228;&unknown; &copy;</p>");
    assert_eq!(texts(&prepared), ["Fish & chips < äunknown ©"]);
    let finished = prepared.finish(&[answer("", "A & B < ä", &[])]);
    assert!(finished.text == "<p>A &amp; B &lt; ä &unknown;</p>", "{}", finished.text);
}

#[test]
fn xml_knows_paragraphs_by_their_text() {
    let xml = |input: &str| SegmentedText::new(input, &Options { format: Format::Xml, ..Options::default() });
    let prepared = xml("<doc><title>One</title><p>Two <e>three</e>.</p><l><i>Four</i><i>Five</i></l></doc>").unwrap();
    assert_eq!(texts(&prepared), ["One", "Two three.", "Four", "Five"]);
    assert_eq!(
        texts(&xml("Hello <x id=\"1\"/>, you have <x id=\"2\"></x> messages").unwrap()),
        ["Hello X1, you have X2 messages"]
    );
    assert_eq!(
        xml("<a>\n<b></a>").unwrap_err().to_string(),
        "line 2: the end tag </a> stands where <b> is open; end <b> first, or read the text as HTML"
    );
    assert!(xml("<a>").is_err() && xml("</a>").is_err());
}

#[test]
fn sentences_inside_elements_share_them() {
    let prepared = html("<p><b>One. Two</b> three.</p>");
    assert_eq!(texts(&prepared), ["One.", "Two three."]);
    let finished = prepared.finish(&[
        answer("One.", "Eins.", &[("One", "Eins")]),
        answer("Two three.", "Zwei drei.", &[("Two", "Zwei"), ("three", "drei")]),
    ]);
    assert_eq!(finished.text, "<p><b>Eins. Zwei</b> drei.</p>");
    let found: Vec<&str> = finished.sentences.iter().map(|range| &finished.text[range.clone()]).collect();
    assert_eq!(found, ["<b>Eins.", "Zwei</b> drei."]);
}

/// Found by fuzzing: an attribute without a value has no text.
#[test]
fn attributes_without_values_have_no_text() {
    for input in
        ["<p title Ba b'>Good <b>morning", "<p title>a</p>", "<img alt>a", "<p title=>a", "<p title>>='a b'>Good"]
    {
        let prepared = html(input);
        assert_eq!(prepared.finish(&[]).text, input);
        assert_eq!(prepared.len(), 1, "{input}");
    }
}

/// No word of the translation belongs to the second element.
#[test]
fn elements_without_a_translation_stay_near_their_place() {
    let translated = one(
        "<p>This is <b>bold</b> and <i>italic</i> text here</p>",
        "Das ist fetter und Text hier",
        &[("This", "Das"), ("is", "ist"), ("bold", "fetter"), ("and", "und"), ("text", "Text"), ("here", "hier")],
    );
    assert_eq!(translated, "<p>Das ist <b>fetter</b> und <i>Text</i> hier</p>");
}

#[test]
fn what_pages_say_of_themselves_is_translated() {
    let page = "<meta name=\"description\" content=\"A page\"><meta name=\"viewport\" content=\"a b\"><meta property=\"og:title\" content='Old houses'><input type=\"submit\" value=\"Send now\"><input type=\"text\" value=\"a b\">";
    assert_eq!(texts(&html(page)), ["A page", "Old houses", "Send now"]);
}

#[test]
fn lines_of_preformatted_text_stay_lines() {
    let input = "<pre>The first <b>line</b>.\n  The second\n\nlast</pre> <p>A\nparagraph</p>";
    let prepared = html(input);
    assert_eq!(texts(&prepared), ["The first line.", "The second", "last", "A paragraph"]);
    let answers: Vec<_> = ["A.", "B", "C", "D"].iter().map(|text| answer("", text, &[])).collect();
    let expected = "<pre><b>A</b>.\n  B\n\nC</pre> <p>D</p>";
    assert_eq!(prepared.finish(&answers).text, expected);
}

/// A page in a document: tags that are written as text, or in a CDATA section, are tags.
#[test]
fn tags_inside_the_text_of_xml_are_tags() {
    let options = Options { format: Format::Xml, ..Options::default() };
    let shouted = |input: &str| {
        let prepared = SegmentedText::new(input, &options).unwrap();
        let answers: Vec<_> =
            prepared.sentences().map(|source| answer("", &format!("{}!", source.text), &[])).collect();
        (texts(&prepared), prepared.finish(&answers).text)
    };
    let escaped = "<a><s>Click &lt;a href=\"x?a&amp;b\"&gt;here &amp; there&lt;/a&gt; now, 5 &lt; 6</s></a>";
    let (sentences, written) = shouted(escaped);
    assert_eq!(sentences, ["Click here & there now, 5 < 6"]);
    assert!(
        written.contains("Click &lt;a href=\"x?a&amp;b\"&gt;here &amp; there")
            && written.ends_with("5 &lt; 6!</s></a>")
    );
    let section = "<a><s><![CDATA[The <b>old</b> & new house]]></s><t><![CDATA[Two]]></t></a>";
    let written = "<a><s>The &lt;b&gt;old&lt;/b&gt; &amp; new house!</s><t>Two!</t></a>";
    assert_eq!(shouted(section), (vec!["The old & new house".into(), "Two".into()], written.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Whatever the markup is, it can be read; each tag comes back once; well-formed markup stays well-formed.
    #[test]
    fn any_markup_is_kept(parts in prop::collection::vec(prop::sample::select(vec![
        "<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<br>", "<img>", "word", "two words", ". ", " ", "&amp;", "&x;", "<", ">", "é", "<code>x</code>", "<x/>", "<!--c-->", "\n", "!",
    ]), 0..25), reverse in any::<bool>()) {
        let input = parts.concat();
        let prepared = html(&input);
        let answers: Vec<Option<Answer>> = prepared.sentences().map(|source| {
            let mut words: Vec<&str> = source.text.split_whitespace().collect();
            if reverse {
                words.reverse();
            }
            Some(Answer { text: words.join(" "), ..Answer::default() })
        }).collect();
        let output = prepared.finish(&answers).text;
        for tag in ["<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<br>", "<img>", "<code>", "<x/>", "<!--c-->"] {
            prop_assert_eq!(input.matches(tag).count(), output.matches(tag).count(), "{} in {} of {}", tag, &output, &input);
        }
        if well_formed(&input) {
            prop_assert!(well_formed(&output), "{} of {}", &output, &input);
        }
    }
}

/// Whether `b`, `i` and `p` are nested.
fn well_formed(text: &str) -> bool {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1).filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag)) {
        match tag {
            "b" | "i" | "p" => open.push(tag),
            "/b" | "/i" | "/p" if open.pop() != Some(&tag[1..]) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

#[test]
fn attributes_that_readers_see_are_translated() {
    let input = "<p>See the <a href=\"x\" title='old &amp; \"new\" %s'>house</a> <img src=a.png alt=\"a tree\">.</p><input placeholder=\"your name\"><textarea title=\"text\">stays</textarea><p translate=\"no\" title=\"no\">no <b title=\"x\">y</b></p><h2 title=plain>one</h2><h3 title=\"\">two</h3>";
    let prepared = SegmentedText::new(input, &Options { format: Format::Html, ..Options::default() }).unwrap();
    let sentences: Vec<String> = prepared.sentences().map(|source| source.text.into_owned()).collect();
    assert_eq!(
        sentences,
        ["See the house .", "one", "two", "old & \"new\" %s", "a tree", "your name", "text", "plain"]
    );
    assert_eq!(prepared.finish(&[]).text, input);
    let answers: Vec<Option<Answer>> = prepared
        .sentences()
        .map(|source| {
            let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
            let text = source.text.to_ascii_uppercase().replace("%S", "%s").replace("A TREE", "it's \"x\"");
            Some(Answer { text, kept, links: vec![] })
        })
        .collect();
    let finished = prepared.finish(&answers);
    for part in [
        "title='OLD &amp; &quot;NEW&quot; %s'",
        "alt=\"it&#39;s &quot;x&quot;\"",
        "placeholder=\"YOUR NAME\"",
        "<textarea title=\"TEXT\">stays",
    ] {
        assert!(finished.text.contains(part), "{part} in {}", finished.text);
    }
    assert!(
        finished.text.ends_with(
            "<p translate=\"no\" title=\"no\">no <b title=\"x\">y</b></p><h2 title=\"PLAIN\">ONE</h2><h3 title=\"\">TWO</h3>"
        ),
        "{}",
        finished.text
    );
    assert_eq!(finished.sentences.len(), prepared.len());
    assert_eq!(&finished.text[finished.sentences[5].clone()], "YOUR NAME");
    // A page of nothing but attributes has text.
    let prepared =
        SegmentedText::new("<img alt=\"a tree\">", &Options { format: Format::Html, ..Options::default() }).unwrap();
    assert_eq!((prepared.len(), prepared.is_empty()), (1, false));
}

//! Plain text: nothing is lost, whatever it holds.

use metaphrase_document::{Answer, Format, Keep, Options, SegmentedText, Split};
use proptest::prelude::*;

fn options(format: Format) -> Options {
    Options { format, ..Options::default() }
}

/// Each sentence as its own translation.
fn unchanged(prepared: &SegmentedText) -> Vec<Option<Answer>> {
    let answer = |source: metaphrase_document::Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        Some(Answer { text: source.text.into_owned(), kept, links: Vec::new() })
    };
    prepared.sentences().map(answer).collect()
}

fn upper(prepared: &SegmentedText) -> String {
    let mut answers = unchanged(prepared);
    for answer in answers.iter_mut().flatten() {
        answer.text = answer.text.to_ascii_uppercase();
    }
    prepared.finish(&answers).text
}

#[test]
fn white_space_and_order_come_back() {
    let text = "  First line. Second!\r\n\r\n\tThird {name}, 5 < 6.   Fourth? http://a.example/b.\n\n\n1.5 !\n  end";
    for format in [Format::Text, Format::Lines] {
        let prepared = SegmentedText::new(text, &options(format)).unwrap();
        assert_eq!(prepared.finish(&unchanged(&prepared)).text, text);
        assert_eq!(prepared.finish(&[]).text, text);
        let expected =
            text.to_ascii_uppercase().replace("{NAME}", "{name}").replace("HTTP://A.EXAMPLE/B", "http://a.example/b");
        assert_eq!(upper(&prepared), expected);
    }
}

#[test]
fn sentences_know_their_bytes() {
    let text = " One. Two {x}!\nThree";
    let prepared = SegmentedText::new(text, &Options::default()).unwrap();
    let ranges: Vec<&str> = prepared.sentences().map(|sentence| &text[sentence.range]).collect();
    assert_eq!(ranges, ["One.", "Two {x}!", "Three"]);
    let answers = ["Eins.", "Zwei {x}!", "Drei"].map(|text| Some(Answer { text: text.into(), ..Answer::default() }));
    let finished = prepared.finish(&answers);
    // The places of the things are unknown: they are put in again.
    assert_eq!(finished.inserted, [0, 1, 0]);
    let found: Vec<&str> = finished.sentences.iter().map(|range| &finished.text[range.clone()]).collect();
    assert_eq!((found[0], found[2]), ("Eins.", "Drei"));
}

#[test]
fn things_that_stay_are_in_each_translation() {
    let text = "Hello %1$s, good to see you (again: {x}) at https://example.org/a!";
    let prepared = SegmentedText::new(text, &Options::default()).unwrap();
    let source = prepared.sentences().next().unwrap();
    let shown: Vec<&str> = source.kept.iter().map(|kept| &source.text[kept.range.clone()]).collect();
    assert_eq!(shown, ["%1$s", "{x}", "https://example.org/a"]);
    // The engine reports the places of the first two, and none for the third.
    let translated = "Hallo % 1$s, schön (nochmal: { x }) dich zu sehen!";
    let place = |what: &str| translated.find(what).map(|at| at..at + what.len());
    let answer = Answer { text: translated.into(), kept: vec![place("% 1$s"), place("{ x }"), None], links: vec![] };
    let finished = prepared.finish(&[Some(answer)]);
    assert!(finished.text.starts_with("Hallo %1$s, schön (nochmal: {x}) dich"), "{}", finished.text);
    assert_eq!(finished.text.matches("https://example.org/a").count(), 1);
    assert_eq!(finished.inserted, [1]);
}

#[test]
fn tags_in_plain_text_stay() {
    let text = "Je souhaite rendre <span style=\"color:%2$s;\">%1$s</span> dabbas à mon <x id=\"1\"/> commerçant <a@b.example>";
    let prepared = SegmentedText::new(text, &Options::default()).unwrap();
    let source = prepared.sentences().next().unwrap();
    assert_eq!(source.text, "Je souhaite rendre %1$s dabbas à mon X1 commerçant <a@b.example>");
    assert_eq!(prepared.finish(&unchanged(&prepared)).text, text);
    let nothing = Options { keep: Keep::NOTHING, ..Options::default() };
    let prepared = SegmentedText::new(text, &nothing).unwrap();
    assert_eq!(prepared.sentences().next().unwrap().text, text);
}

#[test]
fn what_looks_like_tags_comes_back_where_it_stood() {
    for text in [
        "Defined as <width> <width> 0 so that <b> x </b> is not <i>",
        "Titles are marked by the tags <h1> at the beginning and </h1> at the end (<form> ... </form>).",
        "The <type>int</type>s of <object>_data(), and before<tag>Contents</tag>after",
        "plugin_<object>_data() is use_facet<num_get (getloc).get(InIt(rdbuf) > 5).",
        "<SEGMENT_LIST:{seg|<seg.type>,<seg.sid>}; like \"{ <201> }\" in {a<b>c} or <b>ftp://</b>-URLs",
        "H<sub>2</sub>O, <b>two<i>words</b> </i> and <code> x</code> ",
    ] {
        let prepared = SegmentedText::new(text, &Options::default()).unwrap();
        assert_eq!(prepared.finish(&unchanged(&prepared)).text, text);
    }
}

#[test]
fn pictures_stay_at_their_places() {
    let text = "😀 Good morning 👨‍👩‍👧! I like it ☺️. Bye 🇩🇪\n😀";
    let prepared = SegmentedText::new(text, &Options::default()).unwrap();
    let sources: Vec<String> = prepared.sentences().map(|source| source.text.into_owned()).collect();
    assert_eq!(sources, ["Good morning!", "I like it.", "Bye"]);
    assert_eq!(prepared.finish(&unchanged(&prepared)).text, text);
    let answers = ["Guten Morgen!", "Ich mag es.", "Bis bald"]
        .map(|text| Some(Answer { text: text.into(), ..Answer::default() }));
    assert_eq!(prepared.finish(&answers).text, "😀 Guten Morgen 👨‍👩‍👧! Ich mag es ☺️. Bis bald 🇩🇪\n😀");
}

#[test]
fn wrapped_lines_are_one_sentence() {
    let text = "A sentence that\ngoes on. Another\r\none\n\nA new paragraph";
    let sentences = |split| -> Vec<String> {
        let prepared = SegmentedText::new(text, &Options { split, ..Options::default() }).unwrap();
        assert_eq!(prepared.finish(&[]).text, text);
        prepared.sentences().map(|sentence| sentence.text.into_owned()).collect()
    };
    assert_eq!(sentences(Split::Wrapped), ["A sentence that goes on.", "Another  one", "A new paragraph"]);
    assert_eq!(sentences(Split::Sentences).len(), 5);
    assert_eq!(sentences(Split::Lines), ["A sentence that", "goes on. Another", "one", "A new paragraph"]);
}

#[test]
fn long_sentences_are_cut_and_nothing_is_lost() {
    let long = "word, ".repeat(300);
    let prepared = SegmentedText::new(long.clone(), &Options::default()).unwrap();
    assert!(prepared.len() > 1 && prepared.sentences().all(|sentence| sentence.text.len() <= 600));
    assert_eq!(prepared.finish(&unchanged(&prepared)).text, long);
    assert_eq!(SegmentedText::new(long, &options(Format::Lines)).unwrap().len(), 1);
}

#[test]
fn spaces_between_sentences_are_those_of_the_target() {
    let answers = |texts: [&str; 2]| texts.map(|text| Some(Answer { text: text.into(), ..Answer::default() }));
    let chinese = SegmentedText::new("你好。再见。", &Options { language: "zh".into(), ..Options::default() }).unwrap();
    assert_eq!(chinese.finish(&answers(["Hello.", "Bye."])).text, "Hello. Bye.");
    let english = SegmentedText::new("Hello. Bye.", &Options::default()).unwrap();
    assert_eq!(english.finish(&answers(["你好。", "再见。"])).text, "你好。再见。");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_comes_back(text in "([a-zA-Z .!?,\n\r\t]|[äé。！你好「」]|[<>/&;{}%$\"'=]|\\PC){0,80}") {
        for split in [Split::Sentences, Split::Wrapped, Split::Lines] {
            let options = Options { split, longest: 20, ..Options::default() };
            let prepared = SegmentedText::new(text.clone(), &options).unwrap();
            prop_assert_eq!(&prepared.finish(&[]).text, &text);
            for sentence in prepared.sentences() {
                prop_assert!(text.get(sentence.range.clone()).is_some());
            }
        }
    }

    #[test]
    fn any_text_with_tags_comes_back(parts in prop::collection::vec(prop::sample::select(vec![
        "<b>", "</b>", "<i>", "</i>", "<br/>", "<x/>", "<2>", "word", "two words", ". ", " ", "  ", "{a}", "{", "}", "é", "!", "\n", "你", "😀", "👨\u{200d}👧", "http://a.b/c", "-", "5",
    ]), 0..16)) {
        let text = parts.concat();
        let prepared = SegmentedText::new(text.clone(), &Options::default()).unwrap();
        prop_assert_eq!(prepared.finish(&unchanged(&prepared)).text, text);
    }
}

#[test]
fn signs_that_a_model_repeats_are_no_text() {
    for (source, thing, answer, expected) in [
        ("Hello __NAME__.", "__NAME__", "Hallo __NAME___.", "Hallo __NAME__."),
        ("Hello %%name%%, hi", "%%name%%", "Hallo %%%name%%%, hi", "Hallo %%name%%, hi"),
        ("See run() (it is new)", "run()", "(siehe run())", "(siehe run())"),
    ] {
        let text = SegmentedText::new(source, &Options::default()).unwrap();
        let place = |text: &str| text.find(thing).map(|at| at..at + thing.len());
        let kept = text.sentences().next().unwrap().kept.iter().map(|_| place(answer)).collect();
        let finished = text.finish(&[Some(Answer { text: answer.into(), kept, links: vec![] })]);
        assert_eq!(finished.text, expected);
    }
}

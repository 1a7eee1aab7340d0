//! Messages of programs.

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};

/// The file with each sentence in capitals, and its sentences.
fn capitals(input: &str, format: FileFormat, target: &str) -> (String, Vec<String>) {
    let options = Options { target: target.into(), ..Options::default() };
    let file = SegmentedFile::new(input.as_bytes().to_vec(), format, &options).unwrap();
    let sentences: Vec<String> = file.sentences().map(|source| source.text.into_owned()).collect();
    let answer = |source: metaphrase_document::Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        let mut text: Vec<u8> = source.text.to_ascii_uppercase().into_bytes();
        source
            .kept
            .iter()
            .for_each(|kept| text[kept.range.clone()].copy_from_slice(source.text[kept.range.clone()].as_bytes()));
        Some(Answer { text: String::from_utf8(text).unwrap(), kept, links: vec![] })
    };
    let answers: Vec<Option<Answer>> = file.sentences().map(answer).collect();
    let finished = file.finish(&answers).unwrap();
    (String::from_utf8(finished.bytes).unwrap(), sentences)
}

#[test]
fn xliff_units_are_translated_by_their_states() {
    let unit = |target: &str| format!("<trans-unit id=\"1\"><source>The house</source>{target}</trans-unit>");
    let file = |unit: &str| {
        format!(
            "<xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit><source>Go</source></trans-unit>{unit}</body></file></xliff>"
        )
    };
    let done = |target: &str| file(target).replace("<source>Go</source>", "<source>Go</source><target>GO</target>");
    for (target, expected) in [
        ("", "<target>THE HOUSE</target>"),
        ("<target/>", "<target>THE HOUSE</target>"),
        ("<target state=\"new\"/>", "<target state=\"needs-review-translation\">THE HOUSE</target>"),
        ("<target state=\"new\">The house</target>", "<target state=\"needs-review-translation\">THE HOUSE</target>"),
        (
            "<target state=\"needs-translation\">The  house</target>",
            "<target state=\"needs-review-translation\">THE HOUSE</target>",
        ),
        (
            "<target state=\"needs-adaptation\"></target>",
            "<target state=\"needs-review-translation\">THE HOUSE</target>",
        ),
        ("<target state=\"new\">Das Haus</target>", "<target state=\"new\">Das Haus</target>"),
        ("<target state=\"final\">The house</target>", "<target state=\"final\">The house</target>"),
        ("<target>The house</target>", "<target>The house</target>"),
    ] {
        let (output, _) = capitals(&file(&unit(target)), FileFormat::Xliff, "");
        assert_eq!(output, done(&unit(expected)), "{target}");
    }
    let two = "<xliff version=\"2.0\" srcLang=\"en\"><file><unit><segment id=\"s1\" state=\"initial\"><source>One</source><target>One</target></segment><segment><source>Two</source><target>Two</target></segment><segment state=\"reviewed\"><source>Three</source><target>Three</target></segment></unit></file></xliff>";
    let expected = two
        .replace("state=\"initial\"", "state=\"translated\"")
        .replace("<target>One", "<target>ONE")
        .replace("<target>Two", "<target>TWO")
        .replace("srcLang=\"en\"", "srcLang=\"en\" trgLang=\"de\"");
    assert_eq!(capitals(two, FileFormat::Xliff, "de").0, expected);
    let none = "<xliff version=\"2.0\"><unit><segment state=\"initial\"><source>One</source></segment></unit></xliff>";
    let expected = none.replace("initial", "translated").replace("</source>", "</source><target>ONE</target>");
    assert_eq!(capitals(none, FileFormat::Xliff, "").0, expected);
}

#[test]
fn xliff_segments_are_translated_one_by_one() {
    let source = "<source>One. <g id=\"1\">Two</g>.</source>";
    let seg = "<seg-source><mrk mtype=\"seg\" mid=\"1\">One.</mrk> <mrk mtype=\"seg\" mid=\"2\"><g id=\"1\">Two</g>.</mrk></seg-source>";
    let all = "<target><mrk mtype=\"seg\" mid=\"1\">ONE.</mrk> <mrk mtype=\"seg\" mid=\"2\"><g id=\"1\">TWO</g>.</mrk></target>";
    let file = |target: &str| {
        format!("<xliff><file source-language=\"en-US\" target-language=\"fr\"><trans-unit id=\"a\">{source}{seg}{target}</trans-unit></file></xliff>").replace("fr", "de-DE")
    };
    for (target, expected) in [
        ("", all.to_owned()),
        ("<target></target>", all.to_owned()),
        ("<target><mrk mtype=\"seg\" mid=\"1\"/> <mrk mtype=\"seg\" mid=\"2\"></mrk></target>", all.to_owned()),
        (
            "<target><mrk mtype=\"seg\" mid=\"1\">Eins.</mrk> <mrk mtype=\"seg\" mid=\"2\"/></target>",
            all.replace("ONE.", "Eins."),
        ),
    ] {
        let (output, sentences) = capitals(&file(target), FileFormat::Xliff, "de");
        assert_eq!(output, file(&expected), "{target}");
        assert!(sentences.contains(&"Two.".to_owned()), "{sentences:?}");
    }
}

#[test]
fn access_keys_keep_their_letters() {
    let po =
        "msgid \"&File\"\nmsgstr \"\"\n\nmsgid \"Save &as...\"\nmsgstr \"\"\n\nmsgid \"Cut && paste\"\nmsgstr \"\"\n";
    let (output, sentences) = capitals(po, FileFormat::Po, "");
    assert_eq!(sentences, ["File", "Save as...", "Cut && paste"]);
    let expected = po
        .replace("&File\"\nmsgstr \"", "&File\"\nmsgstr \"&FILE")
        .replace("&as...\"\nmsgstr \"", "&as...\"\nmsgstr \"SAVE &AS...")
        .replace("paste\"\nmsgstr \"", "paste\"\nmsgstr \"CUT && PASTE");
    assert_eq!(output, expected);
    let gtk = "msgid \"\"\nmsgstr \"\"\n\"X-Accelerator-Marker: _\\n\"\n\nmsgid \"_Open <b>%s</b>\"\nmsgstr \"\"\n\nmsgid \"Cu_t\"\nmsgstr \"\"\n\nmsgid \"Set max_size & go\"\nmsgstr \"\"\n";
    let (output, _) = capitals(gtk, FileFormat::Po, "");
    assert!(output.contains("msgstr \"_OPEN <b>%s</b>\"") && output.contains("msgstr \"CU_T\""), "{output}");
    let xliff = "<xliff><trans-unit><source>&amp;File</source></trans-unit><trans-unit><source>Save <g id=\"1\">&amp;as</g> &lt;b></source></trans-unit></xliff>";
    let (output, sentences) = capitals(xliff, FileFormat::Xliff, "");
    assert_eq!(sentences[0], "File");
    assert!(output.contains("<target>&amp;FILE</target>"), "{output}");
}

#[test]
fn branches_of_icu_are_translated() {
    use metaphrase_document::SegmentedText;
    let finish = |input: &str, target: &str| {
        let options = Options { target: target.into(), ..Options::default() };
        let text = SegmentedText::new(input, &options).unwrap();
        let sentences: Vec<String> = text.sentences().map(|source| source.text.into_owned()).collect();
        let answers: Vec<Option<Answer>> = text
            .sentences()
            .map(|source| {
                let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
                let mut upper = source.text.to_ascii_uppercase().into_bytes();
                source.kept.iter().for_each(|kept| {
                    upper[kept.range.clone()].copy_from_slice(&source.text.as_bytes()[kept.range.clone()])
                });
                Some(Answer { text: String::from_utf8(upper).unwrap(), kept, links: vec![] })
            })
            .collect();
        (text.finish(&answers).text, sentences)
    };
    for (input, target, expected) in [
        (
            "You have {n, plural, one {# file} other {# files}} in {dir}.",
            "de",
            "YOU HAVE {n, plural, one {# FILE} other {# FILES}} IN {dir}.",
        ),
        (
            "{n, plural, one {# file} other {# files}}",
            "pl",
            "{n, plural, one {# FILE} few {# FILES} many {# FILES} other {# FILES}}",
        ),
        ("{n, plural, =0 {no file} one {# file} other {# files}}", "ja", "{n, plural, =0 {NO FILE} other {# FILES}}"),
        (
            "{g, select, male {He has {n, plural, offset:1 one {one dog} other {{n, number, ::compact-short} dogs}}} other {They ''left'' '{x}'}}",
            "de",
            "{g, select, male {HE HAS {n, plural, offset:1 one {ONE DOG} other {{n, number, ::compact-short} DOGS}}} other {THEY ’LEFT’ '{x}'}}",
        ),
        (
            "A <b>{n, plural, one {<i>one</i> file} other {files}}</b> here",
            "",
            "A <b>{n, plural, one {<i>ONE</i> FILE} other {FILES}}</b> HERE",
        ),
        ("{n, plural, one {# file", "de", "{N, PLURAL, ONE {# FILE"),
    ] {
        let (output, sentences) = finish(input, target);
        assert_eq!(output, expected, "{sentences:?}");
    }
    let xliff = "<xliff><trans-unit><source>{VAR_PLURAL, plural, =0 {just now} =1 {one minute ago} other {<x id=\"INTERPOLATION\" equiv-text=\"{{n}}\"/> minutes ago}}</source></trans-unit><trans-unit><source>Updated <x id=\"ICU\"/> now</source></trans-unit></xliff>";
    let (output, sentences) = capitals(xliff, FileFormat::Xliff, "de");
    assert!(output.contains("<target>{VAR_PLURAL, plural, =0 {JUST NOW} =1 {ONE MINUTE AGO} other {<x id=\"INTERPOLATION\" equiv-text=\"{{n}}\"/> MINUTES AGO}}</target>"), "{output}\n{sentences:?}");
    let po = "msgid \"You have {n, plural, one {# \\\"file\\\"} other {# files}} now\"\nmsgstr \"\"\n";
    let (output, sentences) = capitals(po, FileFormat::Po, "pl");
    let expected =
        "msgstr \"YOU HAVE {n, plural, one {# \\\"FILE\\\"} few {# FILES} many {# FILES} other {# FILES}} NOW\"\n";
    assert!(output.ends_with(expected), "{output}\n{sentences:?}");
}

#[test]
fn gettext_has_the_plurals_of_the_language() {
    let po = |forms: &str, language: &str, lines: &str| {
        format!(
            "msgid \"\"\nmsgstr \"\"\n\"Language: {language}\\n\"\n\"Plural-Forms: {forms}\\n\"\n\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\n{lines}"
        )
    };
    let empty = "msgstr[0] \"\"\nmsgstr[1] \"\"\n";
    let polish = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);";
    let (output, _) = capitals(&po(polish, "en", empty), FileFormat::Po, "pl");
    assert_eq!(output, po(polish, "pl", "msgstr[0] \"%d FILE\"\nmsgstr[1] \"%d FILES\"\nmsgstr[2] \"%d FILES\"\n"));
    let japanese = "nplurals=1; plural=0;";
    let (output, _) = capitals(&po(japanese, "", empty), FileFormat::Po, "ja");
    assert_eq!(output, po(japanese, "ja", "msgstr[0] \"%d FILES\"\n"));
    let (output, _) =
        capitals("msgid \"100%\"\nmsgstr \"\"\n\nmsgid \"He said\\tand left.\"\nmsgstr \"\"\n", FileFormat::Po, "");
    assert_eq!(
        output,
        "msgid \"100%\"\nmsgstr \"100%\"\n\nmsgid \"He said\\tand left.\"\nmsgstr \"HE SAID\\tAND LEFT.\"\n"
    );
}

#[test]
fn messages_with_translations_are_counted() {
    let xliff = "<xliff><trans-unit><source>One</source></trans-unit><trans-unit><source>Two</source><target>Zwei</target></trans-unit></xliff>";
    let file = SegmentedFile::new(xliff.as_bytes().to_vec(), FileFormat::Xliff, &Options::default()).unwrap();
    let finished = file.finish(&[Some(Answer { text: "Eins".into(), ..Answer::default() })]).unwrap();
    assert_eq!(finished.notes, ["1 of 2 messages have a translation already and stay as they are"]);
}

#[test]
fn branches_inside_pages_are_translated() {
    for (input, expected) in [
        (
            "<p title=\"a house\">You have {n, plural, =0 {no <b>files</b>} other {<i>{{n}}</i> files<br>and &amp; more}} here.</p>",
            "<p title=\"A HOUSE\">YOU HAVE {n, plural, =0 {NO <b>FILES</b>} other {<i>{{n}}</i> FILES<br>AND &amp; MORE}} HERE.</p>",
        ),
        ("<p>{g, select, male {him} other {them}}</p>", "<p>{g, select, male {HIM} other {THEM}}</p>"),
        (
            "<script>x = '{n, plural, other {files}}'</script><code>{n, plural, other {files}}</code> old",
            "<script>x = '{n, plural, other {files}}'</script><code>{n, plural, other {files}}</code> OLD",
        ),
        ("<p>{n, plural, one {a dog} other {dogs</p>", "<p>{N, PLURAL, ONE {a dog} OTHER {DOGS</p>"),
    ] {
        assert_eq!(capitals(input, FileFormat::Html, "").0, expected);
    }
    let page = "<p>{n, plural, one {a dog} other {dogs}}</p>";
    assert_eq!(capitals(page, FileFormat::Html, "ja").0, "<p>{n, plural, other {DOGS}}</p>");
}

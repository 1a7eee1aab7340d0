//! Words and sub-words on the command line.

use crate::common::run;

#[test]
fn words_are_moses_words() {
    assert_eq!(run(&["tokenize", "-l", "de"], "Er sagte: \"Ja!\"\n\n").lines(), ["Er sagte : \" Ja ! \"", ""]);
    assert_eq!(run(&["tokenize", "--escape"], "R&B\n").lines(), ["R &amp; B"]);
    assert_eq!(run(&["detokenize"], "Yes , it 's late .\n").lines(), ["Yes, it's late."]);
}

#[test]
fn sub_words_are_the_models() {
    let vocabulary = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/en-de/source.spm");
    let lines = run(&["tokenize", "--vocabulary", vocabulary], "Good morning!\n\n").lines();
    assert_eq!(lines[0].replace(' ', ""), "▁Good▁morning!");
    assert!(lines[0].starts_with("▁Good ▁morning") && lines[1].is_empty(), "{lines:?}");
    let error = run(&["tokenize", "--vocabulary", vocabulary, "--escape"], "").error(2);
    assert!(error.contains("cannot be used with"), "{error}");
    let error = run(&["tokenize", "--vocabulary", "/no/such/file.spm"], "").error(1);
    assert!(error.contains("/no/such/file.spm"), "{error}");
}

#[test]
fn languages_are_known_by_their_codes() {
    assert_eq!(run(&["tokenize", "-l", "zh"], "我用iPhone。\n").lines(), ["我 用 iPhone 。"]);
    assert_eq!(run(&["detokenize", "-l", "zh"], "我 用 猫 。\n").lines(), ["我用猫。"]);
    for command in ["tokenize", "detokenize"] {
        let error = run(&[command, "-l", "xx"], "").error(2);
        assert!(error.contains("there is no language code `xx`; the codes are af am ar "), "{error}");
    }
    for (source, target) in [("german", "en"), ("de", "german")] {
        let train = ["phrase", "train", "no.de", "no.en", "-o", "no-model", "--tokenize", source, target];
        let error = run(&train, "").error(2);
        assert!(error.contains("there is no language code `german`; write `de` for German"), "{error}");
    }
}

//! Subtitles: sentences over several of them, and lines.

use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};

fn translated(input: &str, format: FileFormat, answers: &[&str]) -> (String, Vec<String>) {
    let options = Options { target: "de".into(), ..Options::default() };
    let file = SegmentedFile::new(input.as_bytes().to_vec(), format, &options).unwrap();
    let sentences: Vec<String> = file.sentences().map(|source| source.text.into_owned()).collect();
    let answers: Vec<Option<Answer>> =
        answers.iter().map(|text| Some(Answer { text: (*text).to_owned(), ..Answer::default() })).collect();
    (String::from_utf8(file.finish(&answers).unwrap().bytes).unwrap(), sentences)
}

#[test]
fn a_sentence_over_two_subtitles_is_one() {
    let srt = "1\n00:00:11,000 --> 00:00:12,000\nThe house is\n\n2\n00:00:12,500 --> 00:00:14,000\nvery old and big.\n\n3\n00:00:15,000 --> 00:00:16,000\nYes.\n";
    let (output, sentences) = translated(srt, FileFormat::Srt, &["Das Haus ist sehr alt und groß.", "Ja."]);
    assert_eq!(sentences, ["The house is very old and big.", "Yes."]);
    let expected = srt
        .replace("The house is", "Das Haus ist")
        .replace("very old and big.", "sehr alt und groß.")
        .replace("Yes.", "Ja.");
    assert_eq!(output, expected);
}

#[test]
fn sentences_of_others_stay_apart() {
    for (first, second) in [
        ("The house is old.", "and big"),
        ("The house", "John is here"),
        ("- I am", "- you are"),
        ("♪ I love you", "and you ♪"),
        ("{\\an8}The house", "is old"),
        ("<v Ann>The house", "<v Bob>is old"),
        ("The house...", "...is old"),
    ] {
        let srt = format!("1\n00:00:11,000 --> 00:00:12,000\n{first}\n\n2\n00:00:12,500 --> 00:00:14,000\n{second}\n");
        let (_, sentences) = translated(&srt, FileFormat::Srt, &["A"]);
        assert_eq!(sentences.len(), 2, "{sentences:?}");
    }
    let far = "1\n00:00:11,000 --> 00:00:12,000\nThe house\n\n2\n00:01:12,500 --> 00:01:14,000\nis old\n";
    assert_eq!(translated(far, FileFormat::Srt, &["A"]).1.len(), 2);
}

#[test]
fn lines_of_others_stay_apart() {
    let lines = |text: &str| {
        let srt = format!("1\n00:00:11,000 --> 00:00:12,000\n{text}\n");
        translated(&srt, FileFormat::Srt, &["A"]).1
    };
    assert_eq!(lines(">> JOHN: It is old.\n>> Very old."), ["JOHN: It is old.", "Very old."]);
    assert_eq!(lines(">> Hello there.\n...and then we left."), ["Hello there.", "and then we left."]);
    assert_eq!(lines("[music playing]\nCome in, please."), ["[music playing]", "Come in, please."]);
    assert_eq!(lines("Chapter One\nTHE OLD HOUSE"), ["Chapter One", "THE OLD HOUSE"]);
    assert_eq!(lines("♪ La, la, la ♪\n<i>♪ La, la ♪</i>"), ["La, la, la", "La, la"]);
    assert_eq!(lines("♪ The house is\nvery old ♪"), ["The house is very old"]);
    assert_eq!(lines("The house is\nvery old."), ["The house is very old."]);
}

#[test]
fn lines_are_at_most_42_characters() {
    let srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>The door of the old house in the garden\r\nis open, and nobody is here.</i>\r\n";
    let (output, _) =
        translated(srt, FileFormat::Srt, &["Die Tür des alten Hauses im Garten steht offen, und niemand ist hier."]);
    let lines: Vec<&str> = output.lines().skip(2).collect();
    assert_eq!(lines.len(), 2, "{output:?}");
    assert!(output.ends_with("\r\n") && lines.iter().all(|line| line.chars().count() <= 45), "{output:?}");
    let short = "1\n00:00:01,000 --> 00:00:02,000\nOne short\nline.\n";
    assert!(translated(short, FileFormat::Srt, &["Eine kurze Zeile."]).0.ends_with("\nEine kurze Zeile.\n"));
}

#[test]
fn marks_of_the_web_stay() {
    let vtt = "WEBVTT - My film\nKind: captions\nLanguage: en\n\n00:08.000 --> 00:09.000\n<c.yellow>Yellow</c> house &amp; garden &lrm;\n";
    let (output, _) = translated(vtt, FileFormat::Vtt, &["Gelbes Haus & Garten"]);
    assert!(output.contains("Language: de\n") && output.contains("&lrm;") && output.contains("&amp;"), "{output}");
}

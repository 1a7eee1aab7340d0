//! One line in, one line out, in order, whatever the bytes are.

use crate::common::{run, spawn, translate};
use std::io::{BufRead, BufReader, Write};

const GREEDY: [&str; 2] = ["-b", "1"];

/// The translation of a line alone.
fn alone(line: &str) -> String {
    translate(&GREEDY, format!("{line}\n")).lines().remove(0)
}

#[test]
fn text_becomes_other_text() {
    let lines = translate(&[], "Good morning!\nHow are you?\n").lines();
    assert_eq!(lines, ["Guten Morgen!", "Wie geht es dir?"]);
}

#[test]
fn a_second_model_goes_on_from_the_first() {
    let lines = translate(&["-m", "en-de", "--then", "de-en"], "Good morning!\n\nI am tired.\n").lines();
    assert_eq!(lines, ["Good morning!", "", "I'm tired."]);
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!(translate(&GREEDY, "").ok(), "");
}

#[test]
fn hostile_lines_keep_their_places() {
    let good = alone("I am tired.");
    let long = "very long words ".repeat(70_000);
    let hostile: [&[u8]; 14] = [
        b"",
        b" ",
        b"\t\t",
        b"\0\0a\0b",
        b"\xff\xfe\xfd",
        b"bro\xc3ken \xe2\x82",
        "\u{2028}a\u{2029}b\u{85}c\x0b\x0cd\x1e".as_bytes(),
        b"a\rb",
        b"\r",
        "\u{feff}".as_bytes(),
        "\u{1f600}\u{200d}\u{202e}\u{0301}\u{0301}".as_bytes(),
        b"<s> </s> <unk> \xe2\x96\x81\xe2\x96\x81",
        b"||| ||| |||",
        long.as_bytes(),
    ];
    let mut text = Vec::new();
    for line in hostile {
        text.extend_from_slice(line);
        text.extend_from_slice(b"\nI am tired.\n");
    }
    let run = translate(&["-b", "1", "--max-source-length", "50"], text);
    for (place, note) in
        [("standard input", "2 lines are not valid UTF-8, the first is line 9"), ("line 27", "cut off")]
    {
        let told = run
            .stderr
            .lines()
            .any(|said| said.starts_with(&format!("metaphrase: warning: {place}: ")) && said.contains(note));
        assert!(told, "{place}: {}", run.stderr);
    }
    let lines = run.lines();
    assert_eq!(lines.len(), 2 * hostile.len());
    for pair in lines.chunks(2) {
        assert_eq!(pair[1], good);
    }
    assert_eq!(lines[0], "", "an empty line gives an empty line");
}

#[test]
fn line_ends_do_not_matter() {
    let expected = translate(&GREEDY, "I am tired.\nHello!\n").ok();
    for text in ["I am tired.\r\nHello!\r\n", "I am tired.\nHello!", "I am tired.\r\nHello!\r"] {
        assert_eq!(translate(&GREEDY, text).ok(), expected, "{text:?}");
    }
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let mut child = spawn(&["translate", "-b", "1", "--threads", "1"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for question in ["Good morning!", "", "Thank you."] {
        // The beginning of a line that is not there yet must not hold back the one that is.
        write!(stdin, "{question}\nI").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert_eq!(answer.is_empty(), question.is_empty());
        writeln!(stdin, " am here.").unwrap();
        assert!(!answers.next().unwrap().unwrap().is_empty());
    }
    drop(stdin);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn batches_and_threads_change_nothing() {
    let text: String = (1..20).map(|n| format!("I have {n} apples{}.\n", " and pears".repeat(n % 7))).collect();
    let expected = run(&["translate", "--batch-tokens", "1", "--threads", "1", "--n-best", "2"], &text).ok();
    for (tokens, threads) in [("64", "1"), ("512", "2"), ("4096", "3")] {
        let args = ["translate", "--batch-tokens", tokens, "--threads", threads, "--n-best", "2"];
        assert_eq!(run(&args, &text).ok(), expected, "{args:?}");
    }
}

#[test]
fn a_prefix_starts_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "I am tired.\nI am hungry.\n";
    let prefix = crate::common::file(&folder, "prefix", "\nJetzt\n");
    let lines = translate(&["--prefix", &prefix], text).lines();
    assert_eq!(lines[0], translate(&[], text).lines()[0]);
    assert!(lines[1].starts_with("Jetzt"), "{lines:?}");

    let short = crate::common::file(&folder, "short", "Jetzt\n");
    let error = translate(&["--prefix", &short], text).error(1);
    assert!(error.contains("has only 1 lines but standard input has more"), "{error}");
    let long = crate::common::file(&folder, "long", "\n\n\n");
    let error = translate(&["--prefix", &long], text).error(1);
    assert!(error.contains("has more lines than standard input, which has 2"), "{error}");
}

#[test]
fn what_was_said_may_be_forbidden_to_come_again() {
    for (size, repeats) in [("0", true), ("1", false)] {
        let text = translate(&["--no-repeat-ngram-size", size], "no no no no no no no no no\n").ok();
        let words: Vec<&str> = text.split_whitespace().collect();
        let distinct: std::collections::HashSet<_> = words.iter().collect();
        assert_eq!(distinct.len() < words.len(), repeats, "{size}: {text}");
    }
}

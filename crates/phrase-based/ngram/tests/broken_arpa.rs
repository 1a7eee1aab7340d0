//! A broken ARPA file is refused with the line and what is wrong there.

use metaphrase_ngram::{Model, arpa};
use std::io::{BufReader, Write};
use std::path::Path;

const GOOD: &str = "a comment\n\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n-0.7\t</s>\n\
    -0.4\thello\t-0.2\n\n\\2-grams:\n-0.1\t<s> hello\n-0.3\thello </s>\n\n\\end\\\n";

fn read(text: impl AsRef<[u8]>) -> Result<Model, String> {
    arpa::read_from(text.as_ref(), Path::new("lm.arpa")).map_err(|error| error.to_string())
}

/// The message on `GOOD` with a change.
fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    read(GOOD.replacen(from, to, 1)).expect_err("it is broken")
}

#[test]
fn sound_files_of_all_kinds() {
    let same = |text: &str| {
        let (model, good) = (read(text).unwrap(), read(GOOD).unwrap());
        let hello = model.vocabulary().id("hello");
        assert_eq!(model.sentence([hello, hello]), good.sentence([hello, hello]), "{text}");
    };
    same(&GOOD.replace('\n', "\r\n"));
    same(&GOOD.replace('\t', " "));
    same(&GOOD.replace("a comment\n", "\u{FEFF}"));
    same(&GOOD.replace("<unk>", "<UNK>"));
    same(&GOOD.replace("</s>\n", "</s>\t0\n"));
    same(&GOOD.replace("-0.1\t<s> hello\n-0.3\thello </s>\n", "-0.3\thello </s>\n-0.1\t<s> hello\n"));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(GOOD.as_bytes()).unwrap();
    let packed = gz.finish().unwrap();
    assert_eq!(read(&packed).unwrap().counts(), [4, 2]);
    let message = read(&packed[..packed.len() - 12]).unwrap_err();
    assert!(message.contains("lm.arpa, line ") && message.contains("gzip data are cut off"), "{message}");
}

#[test]
fn numbers() {
    let message = refused("-0.4\thello", "NaN\thello");
    assert_eq!(message, "lm.arpa, line 10: expected a log10 probability, got `NaN`");
    let message = refused("hello\t-0.2", "hello\tinf");
    assert_eq!(message, "lm.arpa, line 10: expected a log10 back-off weight, got `inf`");
    assert_eq!(refused("-0.3\thello", "0.3\thello"), "lm.arpa, line 14: the log10 probability 0.3 is above 0");
    let message = refused("-0.3\thello </s>", "-0.3\thello");
    assert_eq!(message, "lm.arpa, line 14: expected a probability and 2 words, got 1 words in `-0.3\thello`");
    let message = refused("hello </s>", "hello </s>\t0\t0");
    assert!(
        message.starts_with("lm.arpa, line 14: more than a probability, 2 words and a back-off weight"),
        "{message}"
    );
}

#[test]
fn counts_that_disagree() {
    assert_eq!(
        refused("ngram 2=2", "ngram 2=3"),
        "lm.arpa, line 15: the 2-grams end after 2 lines, \\data\\ declares 3"
    );
    let message = refused("ngram 2=2", "ngram 2=1");
    let expected = "lm.arpa, line 14: expected `\\end\\`, got `-0.3\thello </s>`: is a count in \\data\\ wrong?";
    assert_eq!(message, expected);
    assert_eq!(refused("ngram 2=2", "ngram 3=2"), "lm.arpa, line 4: expected `ngram 2=` and a number, got `ngram 3=2`");
    let message = refused("ngram 2=2", "ngram 2=99999999999");
    assert_eq!(message, "lm.arpa, line 4: 99999999999 n-grams of one order are more than 2^32");
    let seven: String = (2..=7).map(|order| format!("ngram {order}=1\n")).collect();
    assert_eq!(refused("ngram 2=2\n", &seven), "lm.arpa, line 9: n-grams of order 7; at most 6 is supported");
}

#[test]
fn words() {
    assert_eq!(refused("hello </s>", "hallo </s>"), "lm.arpa, line 14: the word `hallo` is not among the 1-grams");
    assert_eq!(refused("<unk>", "hello"), "lm.arpa, line 10: the word `hello` is here for the second time");
    assert_eq!(refused("hello </s>", "<s> hello"), "lm.arpa, line 14: this 2-gram is already in line 13");
    assert_eq!(refused("</s>\n", "end\n"), "lm.arpa, line 10: the word </s> is missing among the 1-grams");
    let latin1 = GOOD.as_bytes().iter().map(|&byte| if byte == b'o' { 0xF6 } else { byte }).collect::<Vec<_>>();
    assert_eq!(read(latin1).unwrap_err(), "lm.arpa, line 1: the line is not UTF-8");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, GOOD)
    });
    assert_eq!(Model::open(&pipe).unwrap().counts(), [4, 2]);
    writer.join().unwrap().unwrap();
}

#[test]
fn a_line_without_an_end_is_not_read_into_memory() {
    let message = arpa::read_from(BufReader::new(std::io::repeat(b'a')), Path::new("lm.arpa")).unwrap_err().to_string();
    assert_eq!(message, "lm.arpa, line 1: the line is longer than 1048576 bytes: this is no ARPA file");
}

/// Every cut is refused, in the last line there is.
#[test]
fn cut_off_anywhere() {
    let whole = GOOD.trim_end().len();
    for cut in 0..whole {
        let message = read(&GOOD[..cut]).expect_err("it is cut off");
        let lines = GOOD[..cut].lines().count();
        let line = message.strip_prefix("lm.arpa, line ").and_then(|rest| rest.split_once(':')).expect("a line").0;
        assert!((lines..=lines + 1).contains(&line.parse().unwrap()), "cut at {cut}: {message}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let model = read(GOOD).unwrap();
    let mut text = Vec::new();
    arpa::write(&model, &mut text).unwrap();
    let expected =
        GOOD.replace("a comment\n", "").replace("-1\t<unk>", "-1\t<unk>\t0").replace("-0.7\t</s>", "-0.7\t</s>\t0");
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}

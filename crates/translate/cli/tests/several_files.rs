//! Several files at once: one after another to standard output, or each into a folder.

use crate::common::{file, names, path, run};
use std::fs;
use std::path::Path;

#[test]
fn files_follow_each_other_on_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    // The first file lacks its last line feed.
    let first = file(&folder, "a.txt", "Good morning!");
    let second = file(&folder, "b.txt", "I am tired.\nThe house is old.\n");
    let expected = run(&["translate"], "Good morning!\nI am tired.\nThe house is old.\n").ok();
    assert_eq!(run(&["translate", "-i", &first, "-i", &second], "").ok(), expected);
    assert_eq!(run(&["translate", "-i", &first, &second], "").ok(), expected, "as the shell expands *.txt");
    let page = file(&folder, "page.html", "<p>Good morning!</p>");
    let error = run(&["translate", "-i", &first, &page], "").error(2);
    assert!(error.contains("page.html is a html file, need a folder for their translations"), "{error}");
    let error = run(&["translate", "-i", &first, &second, "--prefix", &first], "").error(2);
    assert_eq!(error, "--prefix goes with one input, and these are 2");
}

#[test]
fn a_folder_is_translated_into_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (path(&folder, "en"), path(&folder, "de"));
    fs::create_dir_all(Path::new(&from).join("sub")).unwrap();
    for (name, text) in [
        ("a.txt", "Good morning!\n"),
        ("sub/page.html", "<p>I am <b>tired</b>.</p>\n"),
        ("app.json", "{\"title\": \"Good morning!\"}\n"),
        ("picture.png", "\u{89}PNG"),
        ("sub/style.css", "p { color: red }\n"),
        ("empty.md", ""),
        ("empty.docx", ""),
        ("values.json", "{\"colour\": \"#ff8800\"}\n"),
    ] {
        fs::write(Path::new(&from).join(name), text).unwrap();
    }
    let run_folder = run(&["translate", "-i", &from, "-o", &to], "");
    for expected in [
        "en: copying 2 files in no known format, such as ",
        "values.json: there is nothing to translate; it is copied",
        "empty.md: there is nothing to translate; it is copied",
        "empty.docx: there is nothing to translate; it is copied",
    ] {
        assert!(run_folder.stderr.contains(expected), "{}", run_folder.stderr);
    }
    run_folder.ok();
    let all = ["a.txt", "app.json", "empty.docx", "empty.md", "picture.png", "sub", "values.json"];
    assert_eq!(names(Path::new(&to)), all.map(Path::new));
    assert_eq!(names(&Path::new(&to).join("sub")), ["page.html", "style.css"].map(Path::new));
    let read = |name: &str| fs::read_to_string(Path::new(&to).join(name)).unwrap();
    let greeting = run(&["translate", "Good morning!"], "").ok();
    assert_eq!(read("a.txt"), greeting);
    for same in ["picture.png", "values.json", "empty.md", "empty.docx", "sub/style.css"] {
        assert_eq!(read(same), fs::read_to_string(Path::new(&from).join(same)).unwrap(), "{same}");
    }
    assert_eq!(read("app.json"), format!("{{\"title\": \"{}\"}}\n", greeting.trim_end()));
    assert!(read("sub/page.html").contains("<b>") && !read("sub/page.html").contains("tired"));
}

#[test]
fn a_file_that_cannot_be_translated_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let bad = file(&folder, "bad.docx", "no archive");
    let good = file(&folder, "good.txt", b"Good morning!\nb\xffad\n");
    let to = path(&folder, "de");
    let run = run(&["translate", "-i", &bad, &good, "-o", &to], "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines[0].starts_with(&format!("metaphrase: error: {bad}: ")), "{lines:?}");
    assert!(lines[1].starts_with(&format!("metaphrase: warning: {good}: ")), "{lines:?}");
    assert_eq!(lines.last(), Some(&"metaphrase: error: 1 of 2 files were not translated"));
    assert_eq!(names(Path::new(&to)), [Path::new("good.txt")]);
}

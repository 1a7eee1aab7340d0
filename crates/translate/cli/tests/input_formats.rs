//! The end of a file's name and its first bytes decide how it is read.

use crate::common::{file, path, run, translate};
use std::io::Write;

/// The same on standard output and as a file.
fn translated(folder: &tempfile::TempDir, name: &str, content: &str, options: &[&str]) -> String {
    let input = file(folder, name, content);
    let output = path(folder, &format!("out-{name}"));
    let args = [&["-b", "1", "-i", &input][..], options].concat();
    let printed = translate(&args, "").ok();
    translate(&[&args[..], &["-o", &output]].concat(), "").ok();
    if !name.ends_with(".gz") {
        assert_eq!(std::fs::read_to_string(output).unwrap(), printed);
    }
    printed
}

#[test]
fn the_end_of_a_name_chooses_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let subtitles =
        "1\n00:00:01,000 --> 00:00:02,000\nGood\nmorning!\n\n2\n00:00:03,000 --> 00:00:04,000\nI am tired.\n";
    for (name, format, content) in [
        ("page.html", "html", "<ul><li>Good morning!</li>\n<li>I am\n\n<b>tired</b>.</li></ul>\n"),
        ("PAGE.HTM", "html", "<p>Good\nmorning!</p>\n"),
        ("talk.srt", "srt", subtitles),
        ("talk.vtt", "vtt", &format!("WEBVTT\n\n{}", subtitles.replace(',', "."))),
        ("notes.md", "md", "# Good morning!\n\n* I am\n  tired.\n\n```\nlet house = 1;\n```\n"),
        ("data.xml", "xml", "<a><b>Good\n\nmorning!</b>\n<b>I am tired.</b></a>\n"),
        ("de.po", "po", "msgid \"Good morning!\"\nmsgstr \"\"\n"),
    ] {
        let chosen = translated(&folder, name, content, &[]);
        assert_eq!(chosen, translated(&folder, name, content, &["--input-format", format]), "{name}");
        assert_ne!(chosen, translated(&folder, name, content, &["--input-format", "plain"]), "{name}");
    }
}

#[test]
fn the_end_before_gz_counts() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("page.html.gz");
    let mut writer =
        flate2::write::GzEncoder::new(std::fs::File::create(&packed).unwrap(), flate2::Compression::fast());
    let page = "<p>Good\nmorning!</p>\n";
    writer.write_all(page.as_bytes()).unwrap();
    writer.finish().unwrap();
    let unpacked = translate(&["-b", "1", "-i", packed.to_str().unwrap()], "").ok();
    assert_eq!(unpacked, translated(&folder, "page.html", page, &[]));
}

#[test]
fn other_names_are_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = "Good morning!\tTaxi\n<p>I am\n\n{\"text\": \"tired\"}\n";
    let expected = translate(&["-b", "1"], text).ok();
    assert_eq!(expected.lines().count(), 4);
    for name in ["a.txt", "a.en", "a.so", "a", "a.docx.old"] {
        assert_eq!(translated(&folder, name, text, &[]), expected, "{name}");
    }
    for name in ["a.html", "a.pdf", "a.docx", "a.tsv", "a.json", "a.jsonl", "a.rst"] {
        assert_eq!(translated(&folder, name, text, &["--input-format", "plain"]), expected, "{name}");
    }
}

#[test]
fn files_of_json_and_tables_are_read_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let json = translated(&folder, "app.json", "{\"greeting\": \"Good morning!\"}\n", &[]);
    assert_eq!(json, "{\"greeting\": \"Guten Morgen!\"}\n");
    let table = translated(&folder, "table.tsv", "id\ttext\n1\tGood morning!\n", &[]);
    assert_eq!(table, "id\ttext\n1\tGuten Morgen!\n");
    let lines = file(&folder, "lines.json", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
    let error = translate(&["-i", &lines], "").error(1);
    assert!(
        error.contains("line 2: ") && error.contains("--input-format json reads an object on each line"),
        "{error}"
    );
    let lines = translated(&folder, "a.jsonl", "{\"text\": \"Good morning!\"}\n[\"Good morning!\"]\n", &[]);
    assert_eq!(lines, "{\"text\": \"Guten Morgen!\"}\n[\"Guten Morgen!\"]\n");
}

#[test]
fn options_that_change_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let json = file(&folder, "app.json", "{\"greeting\": \"Good morning!\"}\n");
    for (options, others) in [
        (&["--columns", "en"][..], "csv, tsv"),
        (&["--subtitle-width", "30"], "srt, vtt"),
        (&["--comments"], "docx, pptx, odt, ods, odp"),
        (&["--sheet-names"], "xlsx"),
        (&["--all"], "po, xliff, tmx, xcstrings, ts, csv, tsv"),
        (&["--keep-elements", "var"], "html, xml, xliff, epub"),
    ] {
        let error = translate(&[&["-i", &json][..], options].concat(), "").error(2);
        let expected = format!("{} changes nothing in a file of format json; it is for {others}", options[0]);
        assert_eq!(error.trim_end(), expected);
    }
    let error = translate(&["--subtitle-width", "30"], "Good morning!\n").error(2);
    assert!(error.starts_with("--subtitle-width is for files"), "{error}");
    let latin = file(&folder, "a.csv", b"text\nThe caf\xe9 is open.\n");
    assert!(translate(&["-i", &latin], "").error(1).contains("--encoding"));
    let output = path(&folder, "out.csv");
    translate(&["-i", &latin, "-o", &output, "--encoding", "windows-1252"], "").ok();
    let found = std::fs::read(&output).unwrap();
    assert!(found.starts_with(b"text\n") && found.contains(&0xe9), "{:?}", String::from_utf8_lossy(&found));
}

#[test]
fn archives_are_read_as_what_their_names_end_in() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.docx", "a.pptx", "a.odt", "a.odp", "a.epub"] {
        let error = translate(&["-i", &file(&folder, name, "Good morning!\n")], "").error(1);
        assert!(error.contains("the file is not an archive that can be read"), "{name}: {error}");
    }
}

#[test]
fn files_of_other_kinds_are_refused_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for (name, what) in [
        ("a.doc", "an Office document from before 2007"),
        ("a.rtf", "an RTF document"),
        ("a.jpeg", "a picture"),
        ("a.zip", "an archive"),
        ("a.tar.gz", "an archive"),
        ("a.exe", "a program"),
        ("a.tex", "a LaTeX document"),
    ] {
        let input = file(&folder, name, "Good morning!\n");
        let output = path(&folder, "out");
        let error = translate(&["-i", &input, "-o", &output], "").error(2);
        assert!(error.starts_with(&format!("{input} is {what}, which cannot be translated; ")), "{error}");
        assert!(error.ends_with("or add --input-format plain to read its bytes as lines"), "{error}");
        assert!(!std::path::Path::new(&output).exists());
    }
}

#[test]
fn files_of_other_kinds_are_refused_by_their_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, what) in [
        (&b"%PDF-1.7\n%\xe2\xe3\n"[..], "a PDF document"),
        (b"PK\x03\x04\x14\0\n", "an archive, like docx, pptx, xlsx, odt, ods, odp and epub files; name its format"),
        (b"\x1f\x8b\x08\0\n", "a compressed file"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a picture"),
        (b"\x7fELF\x02\x01\n", "a program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\n", "an Office document from before 2007"),
        (b"\xff\xfeG\0o\0o\0d\0\n\0", "a UTF-16 text"),
        (b"G\0o\0o\0d\0\n\0", "a UTF-16 text"),
    ] {
        // A text as a whole may be in UTF-16.
        let ways: &[&[&str]] = if what == "a UTF-16 text" { &[&[]] } else { &[&[], &["--split"]] };
        for split in ways {
            let run = translate(split, bytes);
            assert_eq!(run.stdout, "");
            let error = run.error(1);
            assert!(error.starts_with(&format!("standard input is {what}")), "{error}");
            assert!(error.ends_with("or add --input-format plain to read its bytes as lines"), "{error}");
        }
        let error = translate(&["-i", &file(&folder, "unnamed", bytes)], "").error(1);
        assert!(error.contains(&format!("unnamed is {what}")), "{error}");
        let lines = translate(&["-b", "1", "--input-format", "plain"], bytes).lines().len();
        assert_eq!(lines, bytes.split_inclusive(|byte| *byte == b'\n').count(), "{what}");
    }
    // The same bytes anywhere else are text.
    assert_eq!(translate(&["-b", "1"], "Good morning!\n%PDF-1.7\n").lines().len(), 2);
}

#[test]
fn options_of_lines_are_refused_for_a_chosen_format() {
    let folder = tempfile::tempdir().unwrap();
    let page = file(&folder, "page.html", "<p>Good morning!</p>\n");
    let prefix = file(&folder, "prefix", "Gut\n");
    for options in [&["--n-best", "2"][..], &["--output-format", "json"], &["--prefix", &prefix], &["--word-scores"]] {
        let error = translate(&[&["-i", &page][..], options].concat(), "").error(2);
        let expected = "is for lines, and the input is read as html because of its extension; leave it out, or add --input-format plain";
        assert!(error.starts_with(options[0]) && error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_text_in_another_encoding_has_one_warning() {
    let folder = tempfile::tempdir().unwrap();
    let latin: Vec<u8> = b"Good morning!\nA caf\xe9.\n".repeat(50);
    let expected =
        "50 lines are not valid UTF-8, the first is line 2, from byte 6 on; each invalid sequence is read as U+FFFD";
    let one = run(&["translate", "-b", "1"], &latin);
    let warnings: Vec<&str> = one.stderr.lines().collect();
    let code = one.code;
    assert_eq!((warnings.len(), code), (1, Some(0)), "{warnings:?}");
    assert!(warnings[0].starts_with(&format!("metaphrase: warning: standard input: {expected}")), "{warnings:?}");
    assert_eq!(one.stdout.lines().count(), 100);
    let text = file(&folder, "text", &latin);
    let other = run(&["evaluate", &text, "-i", &text], "");
    assert_eq!(other.stderr.lines().filter(|line| line.contains(expected)).count(), 2, "{}", other.stderr);
    assert_eq!(other.stderr.lines().count(), 2, "{}", other.stderr);
}

#[test]
fn texts_are_read_in_their_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "cafe.txt", b"The caf\xe9 is open.\n");
    for ways in [&["--split"][..], &["--input-format", "html"], &["--input-format", "srt"]] {
        let error = translate(&[ways, &["-i", &path]].concat(), "").error(1);
        assert!(error.contains("not UTF-8 at byte 8") && error.ends_with("(--encoding NAME)"), "{error}");
    }
    let error = translate(&["--split", "--encoding", "klingon", "-i", &path], "").error(2);
    assert!(error.contains("the encoding klingon is not known"), "{error}");
    let utf_16: Vec<u8> = "\u{feff}Good morning!".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let output = folder.path().join("out.txt");
    translate(&["-b", "1", "--split", "-o", output.to_str().unwrap()], &utf_16[..]).ok();
    assert!(std::fs::read(output).unwrap().starts_with(b"\xff\xfe"));
}

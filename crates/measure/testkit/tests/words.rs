//! Comments use plain words and fit the width of the page.

use metaphrase_testkit::{files_below, repository};
use std::fs;
use std::path::{Path, PathBuf};

/// The most columns of a line with a comment. Rows of tables, which can not be broken, may be longer.
const WIDTH: usize = 120;

/// Phrases that readers stumble over, and plainer ones.
const PHRASES: [(&str, &str); 11] = [
    ("behind", "after"),
    ("beside", "next to, or: in addition to"),
    ("so many", "this number of, or: n"),
    ("as often as may be", "duplicates do not matter"),
    ("on its way", "in flight"),
    ("on the way", "in flight"),
    ("tell", "name, show, report"),
    ("tells", "names, shows, reports"),
    ("told", "named, shown, reported"),
    ("whoever", "the user who, the caller that"),
    ("for ever", "without end, or: never returns"),
];

/// Folders and files that are not checked yet.
const UNFINISHED: &[&str] = &[];

/// Offences that stay, each with a reason.
const EXCEPTIONS: &[Exception] = &[];

struct Exception {
    /// The end of the file's path.
    file: &'static str,
    /// The phrase that the file may use.
    phrase: &'static str,
    #[expect(dead_code, reason = "for readers of the list")]
    reason: &'static str,
}

/// All Rust and CUDA files of the workspace's packages, with their paths from the root.
fn sources() -> Vec<(String, String)> {
    let is_source = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "rs" || end == "cu");
    let mut files = files_below(&repository().join("crates"), &is_source);
    files.extend(files_below(&repository().join("python/src"), &is_source));
    let read = |path: PathBuf| {
        let name = path.strip_prefix(repository()).expect("a path below the root").display().to_string();
        (name, fs::read_to_string(&path).expect("a source file"))
    };
    files.into_iter().map(read).collect()
}

/// A comment up to the end of its line.
struct Comment<'a> {
    /// Counted from 1.
    line: usize,
    /// Columns of the whole line.
    columns: usize,
    /// Without the slashes.
    text: &'a str,
    /// Whether nothing but white space precedes it on its line.
    alone: bool,
}

/// The line comments of a source. A `//` in a string or a block comment is none.
fn comments(source: &str) -> Vec<Comment<'_>> {
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        at += if rest.starts_with("//") {
            let comment = rest.lines().next().unwrap_or_default();
            let before = source[..at].rsplit('\n').next().unwrap_or_default();
            comments.push(Comment {
                line: source[..at].matches('\n').count() + 1,
                columns: before.chars().count() + comment.chars().count(),
                text: comment.trim_start_matches(['/', '!']).trim(),
                alone: before.trim().is_empty(),
            });
            comment.len()
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            literal(rest, source[..at].chars().next_back()).unwrap_or(first.len_utf8())
        };
    }
    comments
}

/// The bytes of the string, raw string or character that `rest` begins with; `before` precedes it.
fn literal(rest: &str, before: Option<char>) -> Option<usize> {
    let hashes = rest.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
    if let Some(hashes) = hashes.filter(|hashes| rest[1 + hashes..].starts_with('"')) {
        let name = |c: char| c != 'b' && c != 'c' && (c.is_alphanumeric() || c == '_');
        let end = format!("\"{}", "#".repeat(hashes));
        let length = rest[2 + hashes..].find(&end).map_or(rest.len(), |length| 2 + hashes + length + end.len());
        return (!before.is_some_and(name)).then_some(length);
    }
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut inside = rest.char_indices().skip(1);
    while let Some((at, c)) = inside.next() {
        match c {
            '\\' => drop(inside.next()),
            // A quote that is not closed after one character begins a lifetime.
            _ if quote == '\'' && c != '\'' && at > 1 && !rest[1..].starts_with('\\') => return None,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A fault of a comment.
#[derive(Debug, PartialEq)]
struct Offence {
    line: usize,
    /// The phrase, `Of`, or nothing for a line that is too long.
    phrase: &'static str,
    advice: String,
}

/// A word of a paragraph, in lower case and without punctuation other than backquotes, and its line.
type Word = (usize, String);

fn offences(source: &str) -> Vec<Offence> {
    let mut offences = Vec::new();
    let mut paragraph: Vec<Word> = Vec::new();
    let mut previous = 0;
    for Comment { line, columns, text, alone } in comments(source) {
        if columns > WIDTH && !text.starts_with('|') {
            offences.push(Offence { line, phrase: "", advice: format!("{columns} columns, at most {WIDTH} fit") });
        }
        if !alone || text.is_empty() || line != previous + 1 {
            offences.extend(phrases(&paragraph));
            paragraph.clear();
        }
        previous = if alone { line } else { 0 };
        if paragraph.is_empty() && text.starts_with("Of ") {
            offences.push(Offence { line, phrase: "Of", advice: "name the subject".to_owned() });
        }
        let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '`').to_lowercase();
        paragraph.extend(text.split_whitespace().map(|word| (line, plain(word))));
    }
    offences.extend(phrases(&paragraph));
    offences
}

/// The phrases of a paragraph that have plainer ones.
fn phrases(paragraph: &[Word]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for (phrase, plainer) in PHRASES {
        let words: Vec<&str> = phrase.split(' ').collect();
        for place in paragraph.windows(words.len()) {
            if place.iter().map(|(_, word)| word.as_str()).eq(words.iter().copied()) {
                offences.push(Offence { line: place[0].0, phrase, advice: plainer.to_owned() });
            }
        }
    }
    offences
}

#[test]
fn comments_are_plain_and_fit_the_page() {
    let mut faults = Vec::new();
    let mut unused: Vec<&Exception> = EXCEPTIONS.iter().collect();
    for (file, source) in sources() {
        if UNFINISHED.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        for Offence { line, phrase, advice } in offences(&source) {
            let excepted = |exception: &Exception| file.ends_with(exception.file) && phrase == exception.phrase;
            if EXCEPTIONS.iter().any(excepted) {
                unused.retain(|exception| !excepted(exception));
            } else {
                faults.push(format!("{file}:{line}: `{phrase}`: {advice}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} comments to write anew:\n{}", faults.len(), faults.join("\n"));
    let unused: Vec<&str> = unused.into_iter().map(|exception| exception.file).collect();
    assert!(unused.is_empty(), "files that need their exception no more: {}", unused.join(", "));
}

#[test]
fn phrases_are_found_across_lines_and_only_in_comments() {
    let source = "//! Of a file.\n\n/// One on its\n/// way, `behind` and beside.\nfn f<'a>(c: &'a str) {\n    \
                  \"// behind\"; // Behind\n    r#\"\"// beside\"#; '\"'; '\\''; // so\n    // many\n}\n\
                  /* // behind */\n// Of\n";
    let mut found: Vec<_> = offences(source).into_iter().map(|offence| (offence.line, offence.phrase)).collect();
    found.sort();
    assert_eq!(found, [(1, "Of"), (3, "on its way"), (4, "beside"), (6, "behind")]);
    let long = format!("// {}\n// | {} |\n", "x".repeat(118), "x".repeat(118));
    let advice = "121 columns, at most 120 fit".to_owned();
    assert_eq!(offences(&long), [Offence { line: 1, phrase: "", advice }]);
}

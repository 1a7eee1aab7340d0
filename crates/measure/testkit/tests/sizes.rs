//! Functions, files and traits stay small enough to be read at once.

use metaphrase_testkit::{crate_folders, repository};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a function, from `fn` to its closing brace.
const FUNCTION: usize = 60;

/// The most lines of a file, without its tests.
const FILE: usize = 400;

/// The most methods of `StepModel`.
const STEP_MODEL: usize = 9;

/// All source files of the crates, without tests.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "tests") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|e| e == "rs") && path.file_name().is_some_and(|n| n != "tests.rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in crate_folders() {
        walk(&folder.join("src"), &mut found);
    }
    walk(&repository().join("python/src"), &mut found);
    found.sort();
    found
}

fn parse(path: &Path) -> (TokenStream, usize) {
    let text = fs::read_to_string(path).expect("a source file");
    (text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())), text.lines().count())
}

/// The content of a file: the lines of its tests, and its functions with their lines.
#[derive(Debug, Default, PartialEq)]
struct FinishedSequence {
    test_lines: usize,
    functions: Vec<(String, usize)>,
}

impl FinishedSequence {
    /// Looks through the tokens of a file or a block. An item after `#[cfg(test)]` is a test.
    fn look(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let rest = &tokens[at + 1..];
            match (token, rest.first()) {
                (TokenTree::Punct(_), Some(TokenTree::Group(attribute))) if attribute.to_string() == "[cfg (test)]" => {
                    let (body, length) = item(&rest[1..]);
                    let last = body.map_or(attribute.span_close(), Group::span_close);
                    self.test_lines += last.end().line + 1 - attribute.span_open().start().line;
                    at += 1 + length;
                }
                (TokenTree::Ident(keyword), Some(TokenTree::Ident(name))) if *keyword == "fn" => {
                    if let (Some(body), _) = item(rest) {
                        self.functions.push((name.to_string(), lines(keyword, body)));
                    }
                }
                (TokenTree::Group(group), _) => self.look(group.stream()),
                _ => {}
            }
            at += 1;
        }
    }
}

/// The body of the item that begins here, if it has one, and the number of tokens of the item.
fn item(tokens: &[TokenTree]) -> (Option<&Group>, usize) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return (Some(group), at + 1),
            TokenTree::Punct(end) if end.as_char() == ';' => return (None, at + 1),
            _ => {}
        }
    }
    (None, tokens.len())
}

fn lines(first: &Ident, body: &Group) -> usize {
    body.span_close().end().line + 1 - first.span().start().line
}

#[test]
fn functions_and_files_are_small() {
    let mut offenders = Vec::new();
    for path in sources() {
        let (tokens, length) = parse(&path);
        let mut found = FinishedSequence::default();
        found.look(tokens);
        let name = path.strip_prefix(repository()).unwrap_or(&path).display().to_string();
        let long = found.functions.iter().filter(|(_, lines)| *lines > FUNCTION);
        offenders.extend(long.map(|(function, lines)| format!("{name}: fn {function} has {lines} lines")));
        let length = length - found.test_lines;
        if length > FILE {
            offenders.push(format!("{name} has {length} lines without tests"));
        }
    }
    let offenders = offenders.join("\n");
    assert!(offenders.is_empty(), "longer than {FUNCTION} lines a function or {FILE} lines a file:\n{offenders}");
}

#[test]
fn the_model_seam_has_few_methods() {
    let mut counts = Vec::new();
    for path in sources().iter().filter(|path| path.starts_with(repository().join("crates/translate/base"))) {
        let tokens: Vec<TokenTree> = parse(path).0.into_iter().collect();
        let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if *ident == word);
        for at in 1..tokens.len() {
            if is(&tokens[at - 1], "trait") && is(&tokens[at], "StepModel") {
                let body = item(&tokens[at..]).0.expect("the body of the trait");
                counts.push(body.stream().into_iter().filter(|token| is(token, "fn")).count());
            }
        }
    }
    assert_eq!(counts.len(), 1, "`base` has one trait `StepModel`");
    assert!(counts[0] <= STEP_MODEL, "`StepModel` has {} methods, more than {STEP_MODEL}", counts[0]);
}

#[test]
fn lines_are_counted_without_tests() {
    let source = "fn a(f: fn(u8)) -> [u8; 2] {\n    \"fn x() {\"; // }\n    fn b() {}\n}\n\ntrait T {\n    fn c();\n}\n\n\
                  #[cfg(test)]\nmod tests {\n    fn d() {}\n}\n\nimpl T for U {\n    fn e() {\n    }\n}\n";
    let mut found = FinishedSequence::default();
    found.look(source.parse().expect("tokens"));
    let functions = [("a", 4), ("b", 1), ("e", 2)].map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(found, FinishedSequence { test_lines: 4, functions: functions.to_vec() });
}

//! Functions, files and traits stay small enough to be read at once.

mod rust_files;

use metaphrase_testkit::repository;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use rust_files::{name, parse, sources};

/// The lines of a function, from `fn` to its closing brace, above which it needs a reason.
const FUNCTION: usize = 60;

/// The lines of a file, without its tests, above which it needs a reason.
const FILE: usize = 400;

/// Functions and files that are longer, each with the reason why they are better in one piece. A limit is never a
/// reason to cut code that belongs together.
const EXCEPTIONS: &[Exception] = &[
    Exception { file: "document/src/block.rs", function: None, reason: "a paragraph is one thing" },
    Exception {
        file: "document/src/files/odf.rs",
        function: Some("paragraphs"),
        reason: "one loop over the tokens, with a case for each kind",
    },
    Exception {
        file: "document/src/markup/xml.rs",
        function: Some("read"),
        reason: "one loop over the tokens, with a case for each kind",
    },
];

struct Exception {
    /// The end of the file's path.
    file: &'static str,
    /// The function; `None`: the file itself.
    function: Option<&'static str>,
    #[expect(dead_code, reason = "for readers of the list")]
    reason: &'static str,
}

/// The most methods of `StepModel`.
const STEP_MODEL: usize = 9;

/// The content of a file: the lines of its tests, and its functions with their lines.
#[derive(Debug, Default, PartialEq)]
struct FileContent {
    test_lines: usize,
    functions: Vec<(String, usize)>,
}

impl FileContent {
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

/// A function or a file that is longer than the limits.
#[derive(Debug, PartialEq)]
struct Offender {
    file: String,
    /// `None`: the file itself.
    function: Option<String>,
    lines: usize,
}

fn offenders(file: &str, tokens: TokenStream, length: usize) -> Vec<Offender> {
    let mut content = FileContent::default();
    content.look(tokens);
    let long = content.functions.into_iter().filter(|(_, lines)| *lines > FUNCTION);
    let function = |(name, lines)| Offender { file: file.to_owned(), function: Some(name), lines };
    let mut offenders: Vec<Offender> = long.map(function).collect();
    let lines = length - content.test_lines;
    if lines > FILE {
        offenders.push(Offender { file: file.to_owned(), function: None, lines });
    }
    offenders
}

#[test]
fn functions_and_files_are_small_or_have_a_reason() {
    let mut faults = Vec::new();
    let mut unused: Vec<&Exception> = EXCEPTIONS.iter().collect();
    for path in sources() {
        let (tokens, length) = parse(&path);
        for Offender { file, function, lines } in offenders(&name(&path), tokens, length) {
            let excepted =
                |exception: &Exception| file.ends_with(exception.file) && function.as_deref() == exception.function;
            if EXCEPTIONS.iter().any(excepted) {
                unused.retain(|exception| !excepted(exception));
            } else {
                let function = function.map(|name| format!(": fn {name}")).unwrap_or_default();
                faults.push(format!("{file}{function} has {lines} lines"));
            }
        }
    }
    let faults = faults.join("\n");
    assert!(
        faults.is_empty(),
        "longer than {FUNCTION} lines a function or {FILE} lines a file: divide what has two ideas, or add it to EXCEPTIONS \
         with the reason why it is better in one piece; do not cut code only to fit:\n{faults}"
    );
    let unused: Vec<&str> = unused.into_iter().map(|exception| exception.file).collect();
    assert!(unused.is_empty(), "exceptions that are needed no more: {}", unused.join(", "));
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
    let mut content = FileContent::default();
    content.look(source.parse().expect("tokens"));
    let functions = [("a", 4), ("b", 1), ("e", 2)].map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(content, FileContent { test_lines: 4, functions: functions.to_vec() });
}

#[test]
fn long_functions_and_files_are_found() {
    let function = format!("fn long() {{{}}}\n", "\n".repeat(60));
    let file = function.clone() + &"\n".repeat(400);
    let found = |text: &str| offenders("a.rs", text.parse().expect("tokens"), text.lines().count());
    let offender = |function: Option<&str>, lines| Offender {
        file: "a.rs".to_owned(),
        function: function.map(str::to_owned),
        lines,
    };
    assert_eq!(found(&function), [offender(Some("long"), 61)]);
    assert_eq!(found(&file), [offender(Some("long"), 61), offender(None, 461)]);
}

//! A function takes its parameters one by one, or in a struct that names them; not in a tuple.

mod rust_files;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use rust_files::{name, parse, sources};

/// Functions that may take a tuple apart, each with a reason.
const EXCEPTIONS: &[Exception] = &[
    Exception { file: "plot/src/lib.rs", function: "at", reason: "a point is a pair of coordinates" },
    Exception { file: "plot/src/lib.rs", function: "ticks", reason: "an interval is a pair of its ends" },
    Exception { file: "sentencepiece/train/bpe.rs", function: "join", reason: "byte-pair encoding joins pairs" },
];

/// Folders with functions that are still to be changed.
const UNFINISHED: &[&str] = &[];

struct Exception {
    /// The end of the file's path.
    file: &'static str,
    function: &'static str,
    #[expect(dead_code, reason = "for readers of the list")]
    reason: &'static str,
}

/// The functions whose parameters have a tuple pattern of two or more values, as in `(a, b): (A, B)`. Closures are
/// none.
fn offenders(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let (TokenTree::Ident(keyword), Some(TokenTree::Ident(function))) = (token, tokens.get(at + 1))
            && *keyword == "fn"
            && let Some(parameters) = parameters(&tokens[at + 2..])
            && split(parameters).iter().any(|parameter| is_tuple_pattern(parameter))
        {
            found.push(function.to_string());
        }
        if let TokenTree::Group(group) = token {
            found.extend(offenders(group.stream()));
        }
    }
    found
}

/// The parameters of a function whose name precedes these tokens: the first parenthesis after its generics.
fn parameters(tokens: &[TokenTree]) -> Option<TokenStream> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for token in tokens {
        match token {
            TokenTree::Group(group) if depth == 0 && group.delimiter() == Delimiter::Parenthesis => {
                return Some(group.stream());
            }
            TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
            TokenTree::Punct(mark) if mark.as_char() == '>' && before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = if let TokenTree::Punct(mark) = token { mark.as_char() } else { ' ' };
    }
    None
}

/// The parts between the commas that are outside of angle brackets.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_usize;
    let mut before = ' ';
    for token in tokens {
        let mark = if let TokenTree::Punct(mark) = &token { mark.as_char() } else { ' ' };
        match mark {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        before = mark;
        if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts
}

fn is_tuple_pattern(parameter: &[TokenTree]) -> bool {
    let pattern = parameter.iter().find(|token| !matches!(token, TokenTree::Punct(mark) if mark.as_char() == '&'));
    let Some(TokenTree::Group(group)) = pattern else { return false };
    let values = split(group.stream()).into_iter().filter(|value| !value.is_empty());
    group.delimiter() == Delimiter::Parenthesis && values.count() > 1
}

#[test]
fn parameters_are_no_tuples() {
    let mut faults = Vec::new();
    let mut unused: Vec<&Exception> = EXCEPTIONS.iter().collect();
    for path in sources() {
        let file = name(&path);
        for function in offenders(parse(&path).0) {
            let excepted = |exception: &Exception| file.ends_with(exception.file) && function == exception.function;
            if EXCEPTIONS.iter().any(excepted) {
                unused.retain(|exception| !excepted(exception));
            } else if !UNFINISHED.iter().any(|folder| file.starts_with(folder)) {
                faults.push(format!("{file}: fn {function}"));
            }
        }
    }
    let faults = faults.join("\n");
    assert!(
        faults.is_empty(),
        "functions that take a tuple of values; take them one by one, make a struct that says what they are together, \
         or add the function to EXCEPTIONS if the tuple is one thing, with the reason:\n{faults}"
    );
    let unused: Vec<&str> = unused.into_iter().map(|exception| exception.function).collect();
    assert!(unused.is_empty(), "functions that need their exception no more: {}", unused.join(", "));
}

#[test]
fn tuples_are_found_in_functions_alone() {
    let source = "fn a(x: u8, (y, z): (u8, u8)) { fn b(&(p, q): &(u8, u8)) {} let c = |(r, s): (u8, u8)| r; }\n\
                  impl T { fn d<F: Fn((u8, u8)) -> u8>(self, f: F, m: HashMap<(u8, u8), u8>, (n,): (u8,)) {} }\n\
                  fn e([i, j]: [u8; 2], S { k, l }: S, t: (u8, u8)) {}\n";
    assert_eq!(offenders(source.parse().expect("tokens")), ["a", "b"]);
}

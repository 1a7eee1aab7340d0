//! Messages of the libraries name fields, never options of the command line: the command line writes its own names.

use metaphrase_testkit::{crate_folders, files_below};
use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;

/// Crates that are a program, or are not published.
const PROGRAMS: [&str; 3] = ["cli", "experiments", "testkit"];

/// Options that a library itself gives to another program.
const OTHERS: [&str; 1] = ["--gpu-architecture"];

/// The strings of a source, without those of documentation.
fn strings(tokens: TokenStream, found: &mut Vec<String>) {
    let mut after_hash = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if !(after_hash && group.to_string().starts_with("[doc")) => {
                strings(group.stream(), found);
                after_hash = false;
            }
            TokenTree::Literal(literal) if literal.to_string().contains('"') => found.push(literal.to_string()),
            // A `!` stands between the hash and the documentation of a file.
            TokenTree::Punct(mark) => after_hash = mark.as_char() == '#' || after_hash && mark.as_char() == '!',
            _ => after_hash = false,
        }
    }
}

/// A text without the commands in it, as `metaphrase tokenize --vocabulary`: where they are meant, their options are.
fn without_commands(text: &str) -> String {
    let is_command = |part: &&str| ["metaphrase ", "cargo "].iter().any(|program| part.starts_with(program));
    text.split('`').filter(|part| !is_command(part)).collect::<Vec<_>>().join("`")
}

/// The option of a command line that a text names.
fn option(text: &str) -> Option<&str> {
    text.match_indices("--").map(|(at, _)| text.split_at(at)).find_map(|(before, rest)| {
        let begins = before.is_empty() || before.ends_with([' ', '`', '(', '"', '\'']);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let is_option = begins && rest[2..].starts_with(|c: char| c.is_ascii_lowercase());
        (is_option && !OTHERS.contains(&&rest[..end])).then_some(&rest[..end])
    })
}

#[test]
fn messages_of_libraries_name_no_option_of_the_command_line() {
    let is_source = |path: &Path| {
        let is_tests = path.file_stem().is_some_and(|name| name == "tests");
        !is_tests && (path.is_dir() || path.extension().is_some_and(|extension| extension == "rs"))
    };
    let mut offenders = Vec::new();
    for member in crate_folders() {
        if PROGRAMS.iter().any(|program| member.ends_with(program)) {
            continue;
        }
        for path in files_below(&member.join("src"), &is_source) {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("\n#[cfg(test)]\n").next().unwrap_or_default();
            let mut found = Vec::new();
            strings(code.parse().expect("tokens"), &mut found);
            let named = found.iter().map(|text| without_commands(text));
            let named = named.filter_map(|text| Some(format!("{}: {}", path.display(), option(&text)?)));
            offenders.extend(named);
        }
    }
    assert!(
        offenders.is_empty(),
        "name the field in place of the option of the command line:\n{}",
        offenders.join("\n")
    );
}

#[test]
fn options_are_found_in_messages_alone() {
    let source = "#![doc = \"see --not\"]\n/// As `--not` does.\n#[error(\"add --stop fill\")]\nconst A: &str = \"a--b -- c <!--d\";";
    let mut found = Vec::new();
    strings(source.parse().expect("tokens"), &mut found);
    let options: Vec<_> = found.iter().filter_map(|text| option(text)).collect();
    assert_eq!((found.len(), options), (2, vec!["--stop"]));
    assert_eq!(without_commands("use `metaphrase tokenize --x` or `--y z`"), "use ` or `--y z`");
}

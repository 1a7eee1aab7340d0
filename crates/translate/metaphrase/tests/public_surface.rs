//! The public surface is what `docs/api.md` lists: a change of it is seen in a diff, and is a decision.
//!
//! After a change: `UPDATE_API=1 cargo test -p metaphrase --test public_surface`.

use metaphrase_testkit::{crate_folders, repository};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The items that a crate's `lib.rs` re-exports: public name, crate, name there.
fn re_exports(lib: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for statement in lib.split("\npub use ").skip(1) {
        let path = statement.split(';').next().expect("a statement").replace(['\n', ' '], "");
        let (from, names) = path.rsplit_once("::").expect("a path");
        let origin = from.split("::").next().expect("a crate or a module");
        let folder = origin.strip_prefix("metaphrase_").unwrap_or("metaphrase");
        for name in names.trim_matches(['{', '}']).split(',').filter(|name| !name.is_empty()) {
            // Without spaces `Options as SearchOptions` reads `OptionsasSearchOptions`.
            let (there, here) =
                name.split_once("as").filter(|(_, here)| here.starts_with(char::is_uppercase)).unwrap_or((name, name));
            found.push((here.to_owned(), folder.to_owned(), there.to_owned()));
        }
    }
    found
}

/// The sources in a folder and its folders, without their unit tests.
fn sources(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            texts.push(text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned());
        }
    }
    texts
}

/// An item as rustfmt lays it out: its kind and name, then its public fields, variants and functions.
fn item(name: &str, sources: &[String]) -> Vec<String> {
    let mut members = Vec::new();
    let mut kind = None;
    for source in sources {
        // The item that the line belongs to, if it is one of interest.
        let mut inside: Option<&str> = None;
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            let is_impl =
                line.starts_with("impl") && [" {", "<T> {"].iter().any(|end| line.ends_with(&format!(" {name}{end}")));
            let header = line.strip_prefix("pub ").and_then(|rest| rest.split_once(' '));
            let of_name = |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next() == Some(name);
            match header {
                Some((word @ ("struct" | "enum" | "trait"), rest)) if of_name(rest) => {
                    kind = Some(word.to_owned());
                    inside = line.ends_with('{').then_some(word);
                }
                Some(("fn", rest)) if of_name(rest) => kind = Some(signature(line, &mut lines)),
                _ if is_impl => inside = Some("impl"),
                _ if line == "}" => inside = None,
                _ => {}
            }
            let Some(member) =
                line.strip_prefix("    ").filter(|member| !member.starts_with([' ', '}', ')', '/', '#']))
            else {
                continue;
            };
            match inside {
                Some("struct") if member.starts_with("pub ") => members.push(member.trim_end_matches(',').to_owned()),
                Some("enum") => members.push(member.split([',', ' ', '(']).next().expect("a name").to_owned()),
                Some("trait") => members.push(signature(member, &mut lines)),
                Some("impl") if member.starts_with("pub fn") || member.starts_with("pub const fn") => {
                    members.push(signature(member, &mut lines));
                }
                _ => {}
            }
        }
    }
    // The ids of `base` are made by a macro.
    let kind = kind.unwrap_or_else(|| "macro".to_owned());
    let head = if kind.contains(' ') { kind } else { format!("{kind} {name}") };
    std::iter::once(head).chain(members.into_iter().map(|member| format!("    {member}"))).collect()
}

/// A signature that begins with `line`, on one line.
fn signature<'a>(line: &'a str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut text = line.trim().to_owned();
    while !text.ends_with(['{', ';']) && !text.ends_with("{ }") {
        text += &format!(" {}", lines.next().expect("the end of a signature").trim());
    }
    let text =
        text.trim_end_matches(['{', ';']).trim_end().trim_start_matches("pub ").replace("( ", "(").replace(", )", ")");
    // Generated code of one line is not part of a signature.
    text.split(" = &[").next().unwrap_or_default().to_owned()
}

fn crate_folder(name: &str) -> PathBuf {
    crate_folders().into_iter().find(|folder| folder.ends_with(name)).expect("a crate of this name")
}

#[test]
fn the_public_surface_is_the_listed_one() {
    let lib = fs::read_to_string(repository().join("crates/translate/metaphrase/src/lib.rs")).expect("lib.rs");
    let mut listing = BTreeMap::new();
    for (here, folder, there) in re_exports(&lib) {
        let mut lines = item(&there, &sources(&crate_folder(&folder).join("src")));
        lines[0] = if here == there { lines[0].clone() } else { lines[0].replace(&there, &here) };
        listing.insert(here, lines.join("\n") + "\n");
    }
    let listing: String = listing.into_values().collect();
    let page = repository().join("docs/api.md");
    let text = fs::read_to_string(&page).expect("docs/api.md");
    let (before, rest) = text.split_once("```text\n").expect("the listing");
    let (listed, after) = rest.split_once("```").expect("the end of the listing");
    if std::env::var_os("UPDATE_API").is_some() {
        fs::write(&page, format!("{before}```text\n{listing}```{after}")).expect("the page");
        return;
    }
    let difference = listed.lines().zip(listing.lines()).find(|(listed, found)| listed != found);
    assert!(
        listed == listing,
        "docs/api.md differs, first in {difference:?}: run with UPDATE_API=1 and look at the diff"
    );
}

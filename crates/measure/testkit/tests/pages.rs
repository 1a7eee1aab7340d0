//! The pages of the documentation: each is in the summary of the book, and their links lead somewhere.

use metaphrase_testkit::{files_below, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages and folders with pages, from the root.
const PAGES: [&str; 11] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
    "models",
    "recipes",
    "examples",
    "testdata",
    "python/README.md",
];

/// All pages, with their paths from the root.
fn pages() -> Vec<(PathBuf, String)> {
    let is_page = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "md");
    let found = PAGES.iter().flat_map(|name| match repository().join(name) {
        path if path.is_dir() => files_below(&path, &is_page),
        path => vec![path],
    });
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page");
        (path.strip_prefix(repository()).expect("a path below the root").to_owned(), text)
    };
    found.map(read).collect()
}

/// The lines of a page outside blocks of code, with their numbers from 1.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    page.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !inside && !is_fence
    })
}

/// The targets of the links of a line, without links in `code`.
fn links(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        if ticks > 0 {
            let end = rest[ticks..].find(&rest[..ticks]);
            at += end.map_or(ticks, |end| 2 * ticks + end);
        } else if let Some(target) = rest.strip_prefix("](").and_then(|target| Some(target.split_once(')')?.0)) {
            found.push(target);
            at += 2;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The anchors that GitHub and mdBook give to the headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let headings =
        prose(page).filter(|(_, line)| line.starts_with('#')).map(|(_, line)| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    let mut numbered = |anchor: String| {
        let count = counts.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.map(|heading| numbered(anchor(&without_links(heading)))).collect()
}

/// The heading as it is shown: of `[text](target)` the text.
fn without_links(heading: &str) -> String {
    let mut shown = heading.to_owned();
    for target in links(heading) {
        shown = shown.replace(&format!("]({target})"), "");
    }
    shown
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The fault of a link on a page, if there is one.
fn fault(page: &Path, target: &str, anchors_of: &BTreeMap<PathBuf, BTreeSet<String>>) -> Option<String> {
    let target = target.split_whitespace().next().unwrap_or_default();
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match path {
        "" => page.to_owned(),
        path => plain(&page.parent().expect("a folder").join(path)),
    };
    if !repository().join(&path).exists() {
        return Some(format!("{} is not there", path.display()));
    }
    let known = anchors_of.get(&path);
    (!anchor.is_empty() && known.is_some_and(|known| !known.contains(anchor)))
        .then(|| format!("{} has no heading #{anchor}", path.display()))
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let anchors_of: BTreeMap<_, _> = pages.iter().map(|(path, text)| (path.clone(), anchors(text))).collect();
    let mut faults = Vec::new();
    for (page, text) in &pages {
        for (line, target) in
            prose(text).flat_map(|(number, line)| links(line).into_iter().map(move |link| (number, link)))
        {
            if let Some(fault) = fault(page, target, &anchors_of) {
                faults.push(format!("{}:{line}: {target}: {fault}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{} links lead nowhere:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn each_page_of_the_documentation_is_in_the_summary_once() {
    let summary = Path::new("docs/SUMMARY.md");
    let text = fs::read_to_string(repository().join(summary)).expect("the summary");
    let mut listed: Vec<PathBuf> =
        prose(&text).flat_map(|(_, line)| links(line)).map(|page| plain(&Path::new("docs").join(page))).collect();
    listed.sort();
    let pages = pages().into_iter().map(|(path, _)| path);
    let mut expected: Vec<PathBuf> = pages.filter(|path| path.starts_with("docs") && path != summary).collect();
    expected.sort();
    assert_eq!(listed, expected);
}

#[test]
fn links_and_anchors_are_read_as_browsers_see_them() {
    assert_eq!(links("[a](b.md), `[c](d)`, ``[`e`](f)`` ![g](h.png) [`i`](#j)"), ["b.md", "h.png", "#j"]);
    let page = "# A page\n```\n# no heading\n```\n## `a.b`, [Link](x.md) & more\n## Twice\n### Twice\n";
    let expected = ["a-page", "ab-link--more", "twice", "twice-1"].map(str::to_owned);
    assert_eq!(anchors(page), BTreeSet::from(expected));
}

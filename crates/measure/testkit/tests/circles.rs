//! The files of a crate use each other one way, but for the circles that `ARCHITECTURE.md` names with their reasons.
//!
//! An arrow leads from a file to the file that declares a name of its `use` lines. A module and the modules inside it
//! belong together: arrows between them are not counted.

mod rust_files;

use metaphrase_testkit::{crate_folders, repository};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use rust_files::{name, parse, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The path of a module in its crate; that of the crate itself is empty.
type Module = Vec<String>;

/// The names that a file takes from another one.
type Ties = BTreeMap<Module, BTreeSet<String>>;

/// A path of a `use` line, and whether the line makes the name public.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    path: Vec<String>,
    is_public: bool,
}

/// The paths of the `use` lines of a file. Those inside functions and tests are left out.
fn imports(tokens: TokenStream) -> Vec<Import> {
    let mut found = Vec::new();
    let mut is_public = false;
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "pub" => is_public = true,
            TokenTree::Ident(word) if word == "use" => {
                let tree: Vec<TokenTree> = tokens.by_ref().take_while(|token| !is_mark(token, ';')).collect();
                paths(&tree, &[], &mut |path| found.push(Import { path, is_public }));
                is_public = false;
            }
            TokenTree::Group(group) if is_public && group.delimiter() == Delimiter::Parenthesis => {}
            _ => is_public = false,
        }
    }
    found
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// The paths of a tree such as `a::{b, c::D as E}`.
fn paths(tree: &[TokenTree], before: &[String], found: &mut dyn FnMut(Vec<String>)) {
    let mut path = before.to_vec();
    for token in tree {
        match token {
            TokenTree::Ident(word) if *word == "as" => break,
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) => {
                let members: Vec<TokenTree> = group.stream().into_iter().collect();
                members.split(|token| is_mark(token, ',')).for_each(|tree| paths(tree, &path, found));
                return;
            }
            _ => {}
        }
    }
    if path.len() > before.len() {
        found(path);
    }
}

/// The files of a crate by their modules.
struct Crate {
    imports: BTreeMap<Module, Vec<Import>>,
}

impl Crate {
    /// The crate in a folder, whose sources are among `files`.
    fn read(folder: &Path, files: &[std::path::PathBuf]) -> Self {
        let files = files.iter().filter_map(|file| Some((file, file.strip_prefix(folder.join("src")).ok()?)));
        let module = |path: &Path| {
            let mut names: Module = path.with_extension("").iter().map(|name| name.display().to_string()).collect();
            let is_root = names.len() == 1 && matches!(names[0].as_str(), "lib" | "main");
            if is_root || names.last().is_some_and(|name| name == "mod") {
                names.pop();
            }
            names
        };
        Self { imports: files.map(|(file, path)| (module(path), imports(parse(file).0))).collect() }
    }

    /// The path from the crate's root that a path in a module means; `None`: it leads to another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let up = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path.first()?.as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (&module[..], &path[1..]),
            "super" => (&module[..module.len().checked_sub(up)?], &path[up..]),
            child => {
                let child = [module.clone(), vec![child.to_owned()]].concat();
                self.imports.contains_key(&child).then_some((&module[..], path))?
            }
        };
        Some([base, rest].concat())
    }

    /// The module that declares what a path means, through the modules that pass the name on, and its name.
    fn declared(&self, path: &[String], depth: usize) -> Option<(Module, String)> {
        let length = (0..=path.len()).rev().find(|&length| self.imports.contains_key(&path[..length]))?;
        let (module, rest) = path.split_at(length);
        let module = module.to_vec();
        let Some(name) = rest.first() else { return Some((module, "the module".to_owned())) };
        let passed_on = self.imports[&module].iter().filter(|import| import.is_public);
        let passed_on = passed_on.filter(|import| import.path.last() == Some(name));
        for import in passed_on.filter(|_| depth > 0) {
            if let Some(path) = self.absolute(&module, &import.path) {
                return self.declared(&[&path, &rest[1..]].concat(), depth - 1);
            }
        }
        Some((module, name.clone()))
    }

    /// The files whose names a file takes, but for those of the modules around it and inside it.
    fn ties(&self, module: &Module) -> Ties {
        let mut ties = Ties::new();
        for import in self.imports[module].iter().filter(|import| !import.is_public) {
            let declared = self.absolute(module, &import.path).and_then(|path| self.declared(&path, 5));
            if let Some((other, name)) = declared
                && !other.starts_with(module)
                && !module.starts_with(&other)
            {
                ties.entry(other).or_default().insert(name);
            }
        }
        ties
    }

    /// The sets of files that use each other in a circle.
    fn circles(&self) -> BTreeSet<BTreeSet<Module>> {
        let ties: BTreeMap<&Module, Ties> = self.imports.keys().map(|module| (module, self.ties(module))).collect();
        let reached = |from: &Module| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from];
            while let Some(module) = open.pop() {
                open.extend(ties[module].keys().filter(|&other| reached.insert(other.clone())));
            }
            reached
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> =
            self.imports.keys().map(|module| (module, reached(module))).collect();
        let circle = |module: &&Module| {
            let members = reached[*module].iter().filter(|other| reached[other].contains(*module));
            members.cloned().collect::<BTreeSet<Module>>()
        };
        self.imports.keys().map(|module| circle(&module)).filter(|circle| !circle.is_empty()).collect()
    }
}

/// The circles of the table "crate | files | why they stay": files in backquotes.
fn listed(map: &str) -> BTreeSet<(String, BTreeSet<Module>)> {
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>();
    let table = map.split("| crate | files | why they stay |").nth(1).expect("the table of circles");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let files = quoted(cells.get(2)?).iter().map(|file| file.split('/').map(str::to_owned).collect()).collect();
        Some((cells.get(1)?.trim().to_owned(), files))
    };
    table.lines().skip(2).take_while(|line| line.starts_with('|')).filter_map(row).collect()
}

#[test]
fn files_use_each_other_one_way() {
    let map = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the map");
    let mut listed = listed(&map);
    let files = sources();
    let mut found = String::new();
    for folder in crate_folders().into_iter().chain([repository().join("python")]) {
        let files = Crate::read(&folder, &files);
        let package = folder.file_name().and_then(|name| name.to_str()).expect("a folder").to_owned();
        for circle in files.circles() {
            if listed.remove(&(package.clone(), circle.clone())) {
                continue;
            }
            found += &format!("in {}:\n", name(&folder));
            for module in &circle {
                for (other, names) in files.ties(module).iter().filter(|(other, _)| circle.contains(*other)) {
                    let names = names.iter().cloned().collect::<Vec<_>>().join(", ");
                    found += &format!("  {} uses {names} of {}\n", module.join("/"), other.join("/"));
                }
            }
        }
    }
    assert!(found.is_empty(), "circles that ARCHITECTURE.md does not name:\n{found}");
    assert!(listed.is_empty(), "circles of ARCHITECTURE.md that are open now: {listed:?}");
}

#[test]
fn paths_lead_to_the_files_that_declare_their_names() {
    let file = |text: &str| imports(text.parse().expect("tokens"));
    let module = |path: &str| path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Module>();
    let text = "use crate::{B, c::{self, D as E}};\nuse std::fs;\nmod tests { use crate::F; }";
    let read: Vec<String> = file(text).into_iter().map(|import| import.path.join("::")).collect();
    assert_eq!(read, ["crate::B", "crate::c::self", "crate::c::D", "std::fs"]);
    let files = Crate {
        imports: [
            ("", "pub use b::B;"),
            ("a", "use crate::B;\nuse inner::Own;"),
            ("a/inner", "use super::Parent;"),
            ("b", "pub(crate) use d::D;\nuse super::c;"),
            ("c", "use super::a::A;\nuse crate::b::D;"),
            ("b/d", "use crate::c::C;"),
        ]
        .into_iter()
        .map(|(path, text)| (module(path), file(text)))
        .collect(),
    };
    let circle = |names: &[&str]| names.iter().map(|name| module(name)).collect::<BTreeSet<Module>>();
    assert_eq!(files.circles(), [circle(&["a", "b", "c", "b/d"])].into());
}

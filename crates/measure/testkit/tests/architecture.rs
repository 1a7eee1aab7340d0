//! The arrows between crates are those of `ARCHITECTURE.md`. The name of an optional dependency ends with `?`.

use metaphrase_testkit::{crate_folders, files_below, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The table "crate | purpose | may use": names in backquotes.
fn allowed(map: &str) -> Arrows {
    let quoted = |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let table = map.split("| crate | purpose | may use |").nth(1).expect("the map's table");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        Some((quoted(cells.get(1)?).pop_first()?, quoted(cells.get(3)?)))
    };
    table.lines().skip(2).take_while(|line| line.starts_with('|')).filter_map(row).collect()
}

/// The workspace's own dependencies without those of tests, by the names of the crates' folders.
fn present(metadata: &Value) -> Arrows {
    let array = |value: &Value| value.as_array().cloned().expect("an array");
    let folder = |path: &Value| {
        let path = Path::new(path.as_str().expect("a path")).to_owned();
        path.file_name().and_then(|name| name.to_str()).expect("a folder").to_owned()
    };
    let arrows = |package: &Value| {
        let ours = array(&package["dependencies"]).into_iter();
        let name = |d: Value| folder(&d["path"]) + if d["optional"] == true { "?" } else { "" };
        let ours = ours.filter(|d| d["kind"] != "dev" && d["path"].is_string()).map(name).collect();
        let manifest =
            Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned();
        (folder(&manifest.to_str().into()), ours)
    };
    array(&metadata["packages"]).iter().map(arrows).collect()
}

#[test]
fn the_map_is_the_territory() {
    let root = repository();
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the map");
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(&root).output().expect("cargo metadata");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let (allowed, present) = (allowed(&map), present(&metadata));
    let names = |arrows: &Arrows| arrows.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&allowed), names(&present), "crates of the map and of the workspace");
    for (name, uses) in &present {
        assert_eq!(uses, &allowed[name], "crates that {name} uses, and may use by ARCHITECTURE.md");
    }
}

/// A row of the map such as "**translate**" begins the crates of that folder.
#[test]
fn a_crate_stands_in_the_wing_of_the_map() {
    let map = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the map");
    let (mut wing, mut crates) = (String::new(), 0);
    for line in map.lines() {
        if let Some((name, _)) = line.strip_prefix("| **").and_then(|rest| rest.split_once("** |")) {
            wing = name.to_owned();
        } else if let Some((name, _)) = line.strip_prefix("| `").and_then(|rest| rest.split_once("` |"))
            && name != "python"
        {
            crates += 1;
            assert!(repository().join("crates").join(&wing).join(name).is_dir(), "{name} is not in crates/{wing}");
        }
    }
    assert_eq!(crates, crate_folders().len());
}

/// A file of tests that is in no program would never run.
#[test]
fn every_file_of_tests_is_run() {
    for folder in crate_folders() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        if !manifest.contains("autotests = false") {
            continue;
        }
        let main =
            std::fs::read_to_string(folder.join("tests/main.rs")).expect("the tests of a crate without autotests");
        for file in std::fs::read_dir(folder.join("tests")).expect("the tests") {
            let path = file.expect("a file").path();
            // A folder without sources has files that tests read.
            if path.is_dir() && !path.with_extension("rs").is_file() && !path.join("mod.rs").is_file() {
                continue;
            }
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
            let run = main.contains(&format!("mod {name};\n")) || manifest.contains(&format!("name = \"{name}\"\n"));
            assert!(run, "{} is neither a module of main.rs nor a [[test]]", path.display());
        }
    }
}

/// The page about safety names a test for each promise.
#[test]
fn every_test_that_a_promise_names_exists() {
    let root = repository();
    let is_source = |path: &Path| path.is_dir() || path.extension().is_some_and(|extension| extension == "rs");
    let files = files_below(&root.join("crates"), &is_source);
    let code: String = files.iter().map(|path| std::fs::read_to_string(path).expect("a source file")).collect();
    let page = std::fs::read_to_string(root.join("SECURITY.md")).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    let tests: Vec<&str> = rows.filter_map(|row| row.split('|').nth(2)).collect();
    assert!(tests.len() >= 15);
    for name in tests.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        assert!(code.contains(&format!("fn {name}(")), "SECURITY.md names the test {name}, which does not exist");
    }
    assert!(tests.iter().all(|cell| cell.contains('`')), "each promise has a test");
}

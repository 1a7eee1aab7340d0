//! Training text from several sources.

use crate::common::{file, names, path, run};
use std::fs;
use std::path::PathBuf;

const RECIPE: &str = "[languages]\nsource = \"en\"\ntarget = \"de\"\n[limits]\nmin-agreement = 0.1\n\
                      [[source]]\nname = \"houses\"\nsource = \"t.en\"\ntarget = \"t.de\"\nweight = 2.0\n";

#[test]
fn a_table_a_report_and_a_picture_tell_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    file(&folder, "t.en", "the house\nthe book\nthe house\na book\n\na house\n");
    file(&folder, "t.de", "das haus\ndas buch\ndas Haus!\nein buch\nnichts\nein haus\n");
    let recipe = file(&folder, "corpus.toml", RECIPE);
    let output = path(&folder, "out");
    let args = ["corpus", "-c", &recipe, "-o", &output];
    let lines = run(&args, "").lines();
    assert_eq!(lines[1].split("  ").last(), Some("1 without text, 1 duplicates"));
    assert_eq!(lines[2].split("  ").last(), Some("8 pairs written, 0 of them noisy; 0 set aside"));
    let expected = ["corpus.checksums", "report.json", "report.svg", "train.de.gz", "train.en.gz"].map(PathBuf::from);
    assert_eq!(names(folder.path().join("out").as_path()), expected);
    let report = fs::read_to_string(folder.path().join("out/report.json")).unwrap();
    assert!(report.contains("\"duplicate\": 1") && report.contains("\"line\": 3"), "{report}");
    // A second run replaces the folder; a run that fails leaves it alone.
    run(&args, "").ok();
    file(&folder, "t.de", "das haus\n");
    let error = run(&args, "").error(1);
    assert!(error.contains("t.de has 1 lines and ") && error.contains("t.en has more"), "{error}");
    assert_eq!(names(folder.path().join("out").as_path()), expected);
    assert_eq!(names(folder.path()).len(), 4, "nothing is left behind");
}

#[test]
fn noise_is_in_the_source_of_either_direction() {
    let folder = tempfile::tempdir().unwrap();
    file(&folder, "t.en", "The house\n");
    file(&folder, "t.de", "Das Haus\n");
    let recipe = file(&folder, "corpus.toml", format!("noise = {{ lower-case = 1.0 }}\n{RECIPE}"));
    let output = path(&folder, "out");
    for (option, english, german) in [(None, "the house", "Das Haus"), (Some("--reverse"), "The house", "das haus")] {
        run(&["corpus", "-c", &recipe, "-o", &output].into_iter().chain(option).collect::<Vec<_>>(), "").ok();
        for (language, noisy) in [("en", english), ("de", german)] {
            let file = fs::File::open(folder.path().join(format!("out/train.{language}.gz"))).unwrap();
            let text = std::io::read_to_string(flate2::read::GzDecoder::new(file)).unwrap();
            assert!(text.lines().any(|line| line == noisy), "{option:?}: {text}");
        }
    }
}

#[test]
fn a_fault_of_the_recipe_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = file(&folder, "corpus.toml", RECIPE.replace("weight", "wait"));
    let error = run(&["corpus", "-c", &recipe, "-o", &path(&folder, "out")], "").error(1);
    assert!(error.starts_with(&format!("{recipe}, line 10: unknown field `wait`, expected one of ")), "{error}");
    assert_eq!(names(folder.path()).len(), 1);
}

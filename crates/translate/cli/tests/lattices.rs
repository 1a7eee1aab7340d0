//! Lattices of the neural search, and pictures of lattices.

use crate::common::{file, names, path, run, translate};
use tempfile::TempDir;

const TEXT: &str = "Good morning!\n\nThe house is very old, but it is beautiful.\n";

#[test]
fn the_search_writes_the_lattice_of_what_it_kept() {
    let folder = TempDir::new().unwrap();
    let plain = translate(&["--n-best", "4", "-b", "4"], TEXT).ok();
    for units in ["words", "pieces"] {
        let name = path(&folder, units);
        let args = ["--n-best", "4", "-b", "4", "--lattice", &name, "--lattice-units", units];
        assert_eq!(translate(&args, TEXT).ok(), plain, "the translations stay as they are");
        let text = std::fs::read_to_string(&name).unwrap();
        let lattices: Vec<&str> = text.split_terminator("\n\n").collect();
        assert_eq!(lattices.len(), 3);
        assert_eq!(lattices[1], "0", "the translation of an empty line is empty");
        let word = if units == "words" { " Guten Guten " } else { " ▁Gute ▁Gute " };
        assert!(lattices[0].contains(word), "{}", lattices[0]);
    }
    // The best path of a lattice of written words is the most probable of the translations that ended.
    let best = |line: &&str| line.starts_with("2 ||| ");
    let log_prob = |line: &str| line.split("F0= ").nth(1).unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    let expected = plain.lines().filter(best).map(log_prob).fold(f64::NEG_INFINITY, f64::max);
    let args =
        ["posteriors", "--threads", "1", "--format", "openfst", "--lmbr-order", "1", "-i", &path(&folder, "words")];
    let posteriors = run(&args, "").ok();
    assert_eq!(posteriors.matches("# ").count(), 3, "{posteriors}");
    let costs = std::fs::read_to_string(path(&folder, "words")).unwrap();
    let third = costs.split_terminator("\n\n").nth(2).unwrap();
    assert!((best_cost(third) + expected).abs() < 1e-3, "{} for {expected}", best_cost(third));
}

/// The least cost of a path of a lattice in OpenFst's form, whose arcs are in order.
fn best_cost(lattice: &str) -> f64 {
    let mut costs = std::collections::HashMap::from([(0usize, 0.0f64)]);
    let mut end = 0;
    for line in lattice.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let state = |place: usize| fields[place].parse::<usize>().unwrap();
        if fields.len() == 1 {
            end = state(0);
        } else if let Some(&before) = costs.get(&state(0)) {
            let cost = before + fields[4].parse::<f64>().unwrap();
            let best = costs.entry(state(1)).or_insert(f64::INFINITY);
            *best = best.min(cost);
        }
    }
    costs[&end]
}

#[test]
fn the_search_draws_itself() {
    let folder = TempDir::new().unwrap();
    let lines = translate(&["--lattice", &path(&folder, "all.svg")], TEXT).lines();
    let picture = std::fs::read_to_string(path(&folder, "all.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains(">1: Good morning!<"), "{picture}");
    let bold = |word: &str| picture.contains(&format!("font-weight=\"bold\">{word}<"));
    let words = lines.iter().flat_map(|line| line.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()));
    assert!(words.clone().count() > 8 && words.clone().all(bold), "{picture}");
    assert!(picture.contains(" ×</text>"), "hypotheses that were dropped");
    translate(&["--lattice", &path(&folder, "line-%d.svg")], TEXT).ok();
    let found = names(folder.path());
    let expected = ["all.svg", "line-1.svg", "line-2.svg", "line-3.svg"].map(std::path::PathBuf::from);
    assert_eq!(found, expected);
    let refused = translate(&["--lattice", "-"], TEXT).error(2);
    assert_eq!(refused, "--lattice takes a file: standard output is for the translations");
}

#[test]
fn lattices_are_drawn_with_their_posteriors() {
    let folder = TempDir::new().unwrap();
    let picture = path(&folder, "all.svg");
    let compact = "4\t0 1 -1 das\t1 1 -0.5 Haus\t0 1 -2 Gebäude\t1 1 0 .\nx\n1\n";
    let found = run(&["draw", "--format", "compact", "-o", &picture], compact);
    assert!(found.stderr.contains("sentence 2: expected the number of a lattice's states"), "{}", found.stderr);
    found.ok();
    let text = std::fs::read_to_string(&picture).unwrap();
    // 1 / (1 + e^-1.5) and the rest.
    for word in [">1: das Haus .<", ">Haus<", "82%<", ">Gebäude<", "18%<", ">3: <"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let args = ["draw", "--format", "compact", "-o", &picture, "--prune", "0.3"];
    run(&args, compact).ok();
    assert!(!std::fs::read_to_string(&picture).unwrap().contains("Gebäude"));
    let list = file(&folder, "list", "0 ||| das Haus ||| F0= -1 ||| -1\n0 ||| ein Haus ||| F0= -2 ||| -2\n");
    run(&["draw", "--format", "n-best", "-i", &list, "-o", &picture], "").ok();
    let text = std::fs::read_to_string(&picture).unwrap();
    assert_eq!(text.matches(">Haus<").count(), 1, "equal rests are drawn once: {text}");
    let refused = run(&["draw", "--format", "compact", "-o", "x.png"], "").error(2);
    assert_eq!(refused, "x.png is not the name of a picture; choose a name that ends with .svg");
    assert!(
        run(&["draw", "--format", "compact", "-o", "x.svg", "--prune", "1"], "").error(2).starts_with("--prune is 1;")
    );
}

#[test]
fn a_file_holds_a_thousand_pictures() {
    let folder = TempDir::new().unwrap();
    let picture = path(&folder, "all.svg");
    let refused = run(&["draw", "--format", "compact", "-o", &picture], "1\n".repeat(1001)).error(2);
    assert!(refused.ends_with("put %d into the name, and each sentence has its own file"), "{refused}");
    assert!(names(folder.path()).is_empty());
}

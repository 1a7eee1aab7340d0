//! Evidence of other systems: counted by `posteriors`, used by `translate`.

use crate::common::{file, names, run, translate};
use tempfile::TempDir;

/// Two sentences, the second of which says something else than the model would.
const TEXT: &str = "Good morning!\nThe house is old.\n";
const LIST: &str = "0 ||| Guten Morgen! ||| F0= -1 ||| -1\n1 ||| Das Gebäude ist uralt. ||| F0= -1 ||| -1\n\
    1 ||| Das Haus ist uralt. ||| F0= -2 ||| -2\n";

fn posteriors(args: &[&str], input: &str) -> crate::common::Run {
    run(&[&["posteriors", "--threads", "1"], args].concat(), input)
}

#[test]
fn posteriors_change_translations() {
    let folder = TempDir::new().unwrap();
    let text = posteriors(&["--format", "n-best"], LIST).ok();
    let blocks: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(blocks.len(), 2);
    assert!(blocks[0].starts_with("# 1\n") && blocks[1].starts_with("# 2\n"), "{text}");
    // The bundled model's end of sentence is 0: it stands before the first piece and after the last.
    assert!(blocks[0].lines().skip(1).all(|line| line.ends_with(" : 1")), "{text}");
    let path = file(&folder, "posteriors", &text);
    let plain = translate(&[], TEXT).lines();
    let informed = translate(&["--lmbr", &path, "--lmbr-weight", "40"], TEXT);
    assert!(!informed.stderr.contains("without evidence"), "{}", informed.stderr);
    let informed = informed.lines();
    assert_eq!((&*informed[0], &*informed[1]), ("Guten Morgen!", "Das Gebäude ist uralt."));
    assert_ne!(plain[1], informed[1]);
    assert_eq!(translate(&["--lmbr", &path, "--lmbr-weight", "0"], TEXT).lines(), plain);
    let own = translate(&["--lmbr", "self"], TEXT);
    assert!(own.stderr.is_empty() && own.lines().len() == 2);
}

#[test]
fn each_sentence_has_a_file_of_its_own_for_sgnmt() {
    let folder = TempDir::new().unwrap();
    let pattern = folder.path().join("%d.txt");
    let pattern = pattern.to_str().unwrap();
    assert_eq!(posteriors(&["--format", "n-best", "-o", pattern], LIST).ok(), "");
    assert_eq!(names(folder.path()).len(), 2);
    let together = posteriors(&["--format", "n-best"], LIST).ok();
    let path = file(&folder, "posteriors", together);
    let of = |name: &str| translate(&["--lmbr", name, "--output-format", "json"], TEXT).lines();
    assert_eq!(of(pattern), of(&path));
}

#[test]
fn all_forms_give_the_same_posteriors() {
    let compact = "4\t0 1 -1 das\t1 1 -0.5 Haus\t0 1 -2 Gebäude\t1 1 0 .\n1\n";
    let openfst = "0 1 das das 1\n1 2 Haus Haus 0.5\n1 2 Gebäude Gebäude 2\n2 3 . . 0\n3\n\n0\n";
    let graph = "0 hyp=0 stack=0\n0 hyp=1 stack=1 back=0 transition=-1 out=das\n0 hyp=2 stack=2 back=1 transition=-0.5 out=Haus\n\
        0 hyp=3 stack=2 back=1 transition=-2 recombined=2 out=Gebäude\n0 hyp=4 stack=3 back=2 transition=0 out=.\n1 hyp=0 stack=0\n";
    let list =
        "0 ||| das Haus . ||| TM= -1 ||| -1.5 ||| 0-0\n0 ||| das Gebäude . ||| TM= -1 ||| -3\n1 |||  ||| TM= 0 ||| 0\n";
    let json = r#"{"translations": ["das Haus .", "das Gebäude ."], "log_probs": [-1.5, -3]}
{"translations": [""], "log_probs": [0]}
"#;
    let of = |format: &str, input: &str| {
        let args =
            ["--format", format, "--evidence-tokenize", "en", "de", "--evidence-capitalize", "--lmbr-scale", "0.5"];
        posteriors(&args, input).ok()
    };
    let expected = of("compact", compact);
    assert!(expected.contains("# 1\n") && expected.contains("# 2\n0 : 1\n0 0 : 1\n\n"), "{expected}");
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<f32>().ok();
    for (format, input) in [("openfst", openfst), ("moses", graph), ("n-best", list), ("json", json)] {
        let found = of(format, input);
        assert_eq!(found.lines().count(), expected.lines().count(), "{format}: {found}");
        for (a, b) in found.lines().zip(expected.lines()) {
            let same = a == b || number(a).zip(number(b)).is_some_and(|(a, b)| (a - b).abs() < 1e-5);
            assert!(same, "{format}: {a}, {b}");
        }
    }
    let counts =
        posteriors(&["--format", "n-best", "--expected", "--lmbr-order", "1"], "0 ||| das das ||| F0= 0 ||| 0\n").ok();
    assert!(counts.lines().any(|line| line.ends_with(" : 2")), "{counts}");
}

#[test]
fn sentences_that_can_not_be_read_have_no_evidence() {
    for (format, input, problem) in [
        ("compact", "x\n", "sentence 1: expected the number of a lattice's states, found `x`"),
        ("compact", "2\t0 1 nan a\n", "sentence 1: arc 1 of a lattice: expected"),
        ("compact", "2\t0 1 -inf a\n", "sentence 1: the evidence has no translation with a finite score"),
        ("openfst", "0 1 a 1\n1 0 b 1\n1\n", "sentence 1: line 2 of a lattice: an arc from 1 to 0; sort the lattice"),
        ("openfst", "0 1 a\n2 3 b\n3\n", "sentence 1: the evidence has no translation with a finite score"),
        ("moses", "0 hyp=1 stack=1 back=5 transition=0 out=a\n", "sentence 1: line 1 of a search graph: expected"),
        ("n-best", "0 ||| a\n", "sentence 1: expected `N ||| translation ||| features ||| score`, found `0 ||| a`"),
        ("n-best", "1 ||| a ||| F= 1 ||| 1\n", "sentence 1: the input has no lines of this sentence"),
        ("n-best", "1 ||| a ||| F= 1 ||| 1\n0 ||| a ||| F= 1 ||| 1\n", "sentence 1 comes in sentence 2"),
        ("json", "{}\n", "sentence 1: expected an object with the lists `translations` and `log_probs`"),
    ] {
        let found = posteriors(&["--format", format], input);
        assert!(found.stderr.contains(problem), "{input}: {}", found.stderr);
        assert!(found.ok().starts_with("# 1\n\n"), "{input}");
    }
}

/// From lattices to translations: each fault is a fault of its sentence, and the others keep their evidence.
#[test]
fn a_bad_lattice_is_translated_without_evidence() {
    let folder = TempDir::new().unwrap();
    let good = "0 1 Guten Guten 1\n1 2 Tag! Tag! 0\n2\n\n";
    let bad = [
        ("0 1 a a 1\n1 0 b b 1\n1\n\n", "line 2 of a lattice: an arc from 1 to 0"),
        ("0 1 a a 1\n2 3 b b 1\n3\n\n", "the evidence has no translation with a finite score"),
        ("0 1 a a nan\n1\n\n", "line 1 of a lattice: expected `from to word word cost`"),
        ("0 1 a a 1\n\n", "a lattice without a final state"),
    ];
    let lattices: String = bad.iter().map(|(bad, _)| format!("{bad}{good}")).collect();
    let counted = posteriors(&["--format", "openfst"], &lattices);
    for (number, (_, problem)) in bad.iter().enumerate() {
        let message = format!("standard input, sentence {}: {problem}", 2 * number + 1);
        assert_eq!(counted.stderr.matches(&message).count(), 1, "{message}: {}", counted.stderr);
    }
    assert_eq!(counted.stderr.lines().count(), bad.len(), "{}", counted.stderr);
    let path = file(&folder, "posteriors", counted.ok());
    let text = "Good morning!\n".repeat(8);
    let found = translate(&["--lmbr", &path, "--lmbr-weight", "40"], &text);
    for number in 1..=8 {
        let told =
            found.stderr.contains(&format!("line {number}: translated without evidence: the evidence has no n-grams"));
        assert_eq!(told, number % 2 == 1, "{}", found.stderr);
    }
    let plain = translate(&[], "Good morning!\n").lines();
    let lines = found.lines();
    assert!(lines.iter().step_by(2).all(|line| *line == plain[0]), "{lines:?}");
    assert!(lines.iter().skip(1).step_by(2).all(|line| line == "Guten Tag!"), "{lines:?}");
}

#[test]
fn lines_without_evidence_are_told() {
    let folder = TempDir::new().unwrap();
    let plain = translate(&[], TEXT).lines();
    for (blocks, problem) in [
        ("# 1\n5 : 0.5\n\n", "line 2: translated without evidence: "),
        ("# 2\n5 : 0.5\n", "line 1: translated without evidence: "),
        ("# 2\n5 : 0.5\n\n# 1\n5 : 1\n", "line 1: translated without evidence: "),
        ("# 1\n5 : 1.5\n\n# 2\n5 : 1\n", "the posterior is 1.5; expected a number from 0 to 1"),
        ("# 1\n99999999 : 1\n\n# 2\n5 : 1\n", "word 99999999 is outside the vocabulary of"),
        ("5 : 1\n", "expected `# N`, the number of a sentence, found `5 : 1`"),
        ("# 1\n\n# 2\n5 : 1\n", "line 1: translated without evidence: the evidence has no n-grams"),
    ] {
        let path = file(&folder, "posteriors", blocks);
        let found = translate(&["--lmbr", &path, "--lmbr-weight", "0"], TEXT);
        assert!(found.stderr.contains(problem), "{blocks}: {}", found.stderr);
        assert_eq!(found.lines(), plain, "{blocks}");
    }
    let path = file(&folder, "posteriors", "# 1\n5 : 1\n\n# 2\n5 : 1\n\n# 3\n5 : 1\n");
    let more = translate(&["--lmbr", &path], TEXT);
    assert!(more.stderr.contains("has more sentences than the text, which has 2 lines"), "{}", more.stderr);
    let missing = translate(&["--lmbr", "no-such/%d.txt"], TEXT);
    assert!(
        missing.stderr.contains("line 1: translated without evidence: cannot read no-such/1.txt"),
        "{}",
        missing.stderr
    );
    assert!(translate(&["--lmbr", "no-such"], TEXT).error(1).starts_with("cannot read no-such"));
    let usage = translate(&["--evidence-tokenize", "de", "en"], TEXT).error(2);
    assert_eq!(usage, "--evidence-tokenize and --evidence-capitalize go with --evidence");
}

#[test]
fn a_phrase_based_model_translates_first() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/phrase/tiny");
    let args = ["-m", "de-en", "--evidence", model, "--evidence-tokenize", "de", "en"];
    let found = translate(&args, "das Haus\n\nHaus das\n");
    assert!(!found.stderr.contains("without"), "{}", found.stderr);
    let lines = found.lines();
    assert_eq!((lines.len(), lines[0].to_lowercase(), &*lines[1]), (3, "the house".into(), ""));
}

#[test]
fn mbr_takes_the_translation_that_the_others_resemble() {
    let list = "0 ||| the old house is big ||| F0= -1 ||| -1.2\n0 ||| a bird sang in spring ||| F0= -1 ||| -1\n\
        0 ||| the old house is large ||| F0= -1 ||| -1.5\n2 ||| x ||| F0= 0 ||| 0\n";
    for metric in ["bleu", "chrf", "chrf++", "ter"] {
        let found = run(&["mbr", "--metric", metric], list);
        assert!(found.stderr.contains("sentence 2: the input has no lines of this sentence"), "{}", found.stderr);
        assert_eq!(found.lines(), ["the old house is big", "", "x"], "{metric}");
    }
    let sharp = run(&["mbr", "--scale", "50"], list).lines();
    assert_eq!(sharp[0], "a bird sang in spring");
    assert!(run(&["mbr", "--format", "moses"], "").error(2).contains("possible values: n-best, json"));
    assert!(run(&["mbr", "--scale", "-1"], "").error(2).contains("a number from 0 on"));
}

#[test]
fn factors_are_tuned() {
    let folder = TempDir::new().unwrap();
    let posteriors = file(&folder, "posteriors", posteriors(&["--format", "n-best"], LIST).ok());
    let source = file(&folder, "dev.en", TEXT);
    let reference = file(&folder, "dev.de", "Guten Morgen!\nDas Gebäude ist uralt.\n");
    let tune = |args: &[&str]| {
        let fixed = ["tune-evidence", &source, &reference, "--lmbr", &posteriors, "--threads", "1", "-b", "4"];
        run(&[&fixed, args].concat(), "")
    };
    let grid = ["--grid-weights", "0.1,30", "--grid-precisions", "0.6", "--grid-ratios", "0.7"];
    for method in [&["--method", "mert", "--rounds", "2", "--n-best", "12"][..], &grid] {
        let found = tune(method).lines();
        let options: Vec<&str> = found[0].split(' ').collect();
        assert_eq!((found.len(), options.len(), options[0], options[2]), (1, 8, "--lmbr-weight", "--lmbr-theta"));
        let lines = translate(&[&["--lmbr", &posteriors], &options[..]].concat(), TEXT).lines();
        if method == grid {
            assert_eq!(lines[1], "Das Gebäude ist uralt.", "{found:?}");
        }
    }
    let usage = run(&["tune-evidence", &source, &reference], "").error(2);
    assert_eq!(usage, "--lmbr names the file of the posteriors; `metaphrase posteriors` writes it");
    let own = ["tune-evidence", &source, &reference, "--lmbr", "self"];
    assert_eq!(run(&own, "").error(2), usage);
    let draws = ["tune-evidence", &source, &reference, "--lmbr", &posteriors, "--sampling", "full"];
    assert!(run(&draws, "").error(2).starts_with("--sampling draws translations at random"));
    for option in ["--lmbr-scale", "--lmbr-order", "--lmbr-prune", "--lmbr-paths"] {
        let usage = translate(&["--lmbr", &posteriors, option, "1"], TEXT).error(2);
        assert!(usage.starts_with(&format!("{option} has no effect on the counted n-grams")), "{usage}");
    }
    let usage = run(&["tune-evidence", &source, &posteriors, "--lmbr", &posteriors], "").error(2);
    assert!(usage.starts_with("the text has 2 lines and a translation of it "), "{usage}");
}

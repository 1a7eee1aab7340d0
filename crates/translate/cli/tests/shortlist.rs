//! Shortlists on the command line.

use crate::common::{file, run, translate};
use std::path::Path;

fn text() -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    let text = std::fs::read_to_string(examples).unwrap();
    text.lines().take(12).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_list_is_learnt_from_the_model_s_own_translations() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(&folder, "text.en", text());
    let lists = folder.path().join("lists");
    let lists = lists.to_str().unwrap();
    let learn = ["shortlist", "learn", "-b", "2", "-i", &input, "-o", lists, "--first", "20", "--log", "info"];
    let learnt = run(&learn, "");
    assert!(learnt.stderr.contains("learnt from 12 lines; for 12 lines"), "{}", learnt.stderr);
    assert!(
        learnt.stderr.contains(" 100.00 % of the translated words"),
        "each word is in the list of its line: {}",
        learnt.stderr
    );
    learnt.ok();
    let [free, short] =
        [&["-b", "2"][..], &["-b", "2", "--shortlist", lists]].map(|args| translate(args, text()).lines());
    let same = free.iter().zip(&short).filter(|(free, short)| free == short).count();
    assert!(same >= 10, "{same} of 12");
    // Fewer words for each source word are other words.
    let one = ["-b", "2", "--shortlist", lists, "--shortlist-words", "1", "--shortlist-first", "1"];
    assert_ne!(translate(&one, text()).lines(), free);
}

#[test]
fn marian_s_table_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    // Each source piece with each piece of the translation.
    let json = translate(&["--output-format", "json"], "Good morning!\n").ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pieces = |key: &str| json[key].as_array().unwrap().iter().map(|piece| piece.as_str().unwrap().to_owned());
    let lines = |source: String| pieces("pieces").map(move |target| format!("{target} {source} 0.5\n"));
    let table = file(&folder, "lex.s2t", pieces("source_pieces").flat_map(lines).collect::<String>());
    let lists = folder.path().join("lists");
    let lists = lists.to_str().unwrap();
    run(&["shortlist", "convert", &table, "-o", lists, "--shortlist-first", "10"], "").ok();
    let both = [["--shortlist", &table, "--shortlist-first", "10"].to_vec(), ["--shortlist", lists].to_vec()];
    let [text, ours] = both.map(|args| translate(&args, "Good morning!\n").ok());
    assert_eq!((text.as_str(), ours), ("Guten Morgen!\n", text.clone()));
    let refused = translate(&["--shortlist", lists, "--shortlist-threshold", "0.1"], "").error(1);
    assert!(refused.contains("has no probabilities"), "{refused}");
    let refused = translate(&["--shortlist-words", "3"], "").error(2);
    assert!(refused.contains("--shortlist"), "{refused}");
}

//! Recipes, training and vocabularies on the command line.

use crate::common::{file, path, run};
use std::path::Path;

/// The errors of a run that ended with status 1.
fn errors(recipe: &str, output: &str) -> Vec<String> {
    let run = run(&["train", "-c", recipe, "-o", output], "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(!Path::new(output).exists(), "nothing is left behind");
    let errors = run.stderr.lines().filter_map(|line| line.strip_prefix("metaphrase: error: "));
    errors.map(str::to_owned).collect()
}

#[test]
fn all_faults_of_a_recipe_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[model.architecture.transformer]\nheads = 7\n[training]\nupdates = \"many\"\n";
    let recipe = file(&folder, "recipe.toml", text);
    let output = path(&folder, "run");
    let errors = errors(&recipe, &output);
    let expected = [
        "line 2: `model.architecture.transformer.heads`: an embedding size of 512 is not a multiple of 7 heads",
        "line 4: `training.updates`: invalid type: string \"many\", expected u64",
    ];
    for (error, expected) in errors.iter().zip(expected) {
        assert_eq!(*error, format!("{recipe}, {expected}"));
    }
    assert_eq!(errors[2..], ["data", "vocabulary"].map(|key| format!("{recipe}: the key `{key}` is missing")));
}

#[test]
fn files_that_are_not_there_are_told_with_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[data]\ntrain = [{ source = \"no.en\", target = \"a.de\" }]\ndev = { source = \".\", target = \"a.de\" }\n\
                [vocabulary.train]\n[model]\narchitecture = \"recurrent\"\n[training]\nupdates = 1\n";
    file(&folder, "a.de", "ein Haus\n");
    let recipe = file(&folder, "recipe.toml", text);
    let output = path(&folder, "run");
    let errors = errors(&recipe, &output);
    assert!(errors[0].starts_with(&format!("{recipe}, line 2: `data.train[0].source`: ")), "{errors:?}");
    assert!(errors[0].contains("no.en can not be opened: No such file"), "{errors:?}");
    assert!(errors[1].starts_with(&format!("{recipe}, line 3: `data.dev.source`: ")), "{errors:?}");
    assert!(errors[1].ends_with("can not be opened: it is a directory") && errors.len() == 2, "{errors:?}");
}

/// Settings as a newcomer writes them: almost none.
const SMALL: &str = "\
[data]
train = [{ source = \"t.en\", target = \"t.de\" }]
dev = { source = \"d.en\", target = \"d.de\" }
[vocabulary.train]
kind = \"words\"
size = 20
[model.architecture.transformer]
dim-emb = 16
encoder-ffn.dim = 16
[training]
updates = 1
";

#[test]
fn a_model_that_translates_nothing_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.en", "t.de", "d.en", "d.de"] {
        file(&folder, name, (0..8).map(|i| format!("{name}{i} house number {i}\n")).collect::<String>());
    }
    let recipe = file(&folder, "recipe.toml", SMALL);
    let output = path(&folder, "run");
    let run = run(&["train", "-c", &recipe, "-o", &output, "--threads", "1"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let warning = run.stderr.lines().find_map(|line| line.strip_prefix("metaphrase: warning: BLEU is 0."));
    let expected = " on the development set: the model is useless; train for more updates";
    assert!(warning.is_some_and(|warning| warning.contains(expected)), "{}", run.stderr);
}

#[test]
fn lines_are_counted_before_a_vocabulary_is_trained() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.en", "t.de", "d.en"] {
        file(&folder, name, "a house\na door\n");
    }
    file(&folder, "d.de", "ein Haus\n");
    let recipe = file(&folder, "recipe.toml", SMALL);
    let output = path(&folder, "run");
    let error = run(&["train", "-c", &recipe, "-o", &output], "").error(1);
    assert!(error.contains("d.en` has 2 lines, but `") && error.contains("d.de` has 1"), "{error}");
    assert!(!Path::new(&output).join("source.yml").exists(), "no vocabulary was trained");
}

#[test]
fn vocabularies_are_trained_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let text = |side: &str| format!("{}/../../../testdata/phrase/dev.{side}.gz", env!("CARGO_MANIFEST_DIR"));
    let pieces = path(&folder, "both.spm");
    let words = path(&folder, "en.yml");
    run(&["vocabulary", "train", &text("de"), &text("en"), "-o", &pieces, "--size", "150"], "").ok();
    let line = &run(&["tokenize", "--vocabulary", &pieces], "Where is the money?\n").lines()[0];
    assert!(line.split(' ').count() > 4 && line.replace(' ', "") == "▁Where▁is▁the▁money?", "{line}");
    run(&["vocabulary", "train", &text("en"), "-o", &words, "--kind", "words", "--size", "40"], "").ok();
    assert_eq!(std::fs::read_to_string(&words).unwrap().lines().count(), 40);
    let error = run(&["vocabulary", "train", &text("en"), "-o", &pieces, "--size", "999999"], "").error(1);
    assert!(error.starts_with("no vocabulary of this kind and size can be trained on the text: "), "{error}");
    let error = run(&["vocabulary", "train", "/no/such/text", "-o", &pieces], "").error(1);
    assert!(error.starts_with("/no/such/text: "), "{error}");
}

#[test]
fn a_vocabulary_is_given_characters_that_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(&folder, "text", "Der Preis ist hoch und der Preis bleibt hoch.\n".repeat(30));
    let old = path(&folder, "old.spm");
    let new = path(&folder, "new.spm");
    run(&["vocabulary", "train", &text, "-o", &old, "--size", "281", "--byte-fallback"], "").ok();
    let line = "Preis: 5 € – hoch\n";
    let pieces = |vocabulary: &str| run(&["tokenize", "--vocabulary", vocabulary], line).lines().remove(0);
    assert!(pieces(&old).contains("<0xE2> <0x82> <0xAC>"), "{}", pieces(&old));
    let told = run(&["vocabulary", "extend", &old, &text, "--characters", "€–P", "-o", &new, "--log", "info"], "");
    let messages = told.stderr;
    assert!(messages.contains("€ replaces ") && messages.contains("2 characters added"), "{messages}");
    let pieces = pieces(&new);
    assert!(pieces.contains(" € ") && pieces.contains(" – ") && !pieces.contains("0xE2"), "{pieces}");
    let error = run(&["vocabulary", "extend", &old, &text, "--characters", "…", "-o", &new], "").error(1);
    assert_eq!(error, format!("{old}: the model reads `…` as `...`, so it would never use a piece for it"));
    let error = run(&["vocabulary", "extend", &text, &text, "--characters", "€", "-o", &new], "").error(1);
    assert!(error.starts_with(&text), "{error}");
}

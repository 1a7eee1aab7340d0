//! Models that become one.

use crate::common::{file, path, run, translate};
use std::path::Path;

/// A conditional GRU as small as can be.
const RECIPE: &str = "\
[data]
train = [{ source = \"t.de\", target = \"t.en\" }]
dev = { source = \"t.de\", target = \"t.en\" }
[vocabulary.train]
kind = \"words\"
size = 12
[model.architecture.recurrent]
dim-emb = 6
dim-rnn = 8
encoder-type = \"bidirectional\"
encoder-cell = \"gru\"
encoder-cell-depth = 1
encoder-depth = 1
decoder-cell = \"gru\"
decoder-cell-base-depth = 2
decoder-cell-high-depth = 1
decoder-depth = 1
skip = false
layer-norm = \"none\"
tied-embeddings = { source-target = false, target-output = true }
output-bias = true
[training]
updates = 2
";

/// `average` of two models of one kind, with these arguments.
fn average(folder: &tempfile::TempDir, models: &[String], args: &[&str]) -> crate::common::Run {
    let models = models.iter().flat_map(|model| ["-m", model]);
    run(&[&["average"][..], &models.collect::<Vec<_>>(), args, &["--to", &path(folder, "to")]].concat(), "")
}

#[test]
fn an_ensemble_shrinks_to_a_model_that_translates_and_is_trained_further() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| (0..3 + i % 4).map(|j| format!("w{} ", (i * 7 + j * 5) % 9)).collect::<String>() + "\n";
    let text: String = (0..40).map(line).collect();
    let [source, target] = ["t.de", "t.en"].map(|name| file(&folder, name, &text));
    let recipe = file(&folder, "recipe.toml", RECIPE);
    let train = |output: &str, more: &[&str]| {
        let output = path(&folder, output);
        run(&[&["train", "-c", &recipe, "-o", &output, "--threads", "1"][..], more].concat(), "").ok();
        format!("{output}/best")
    };
    let first = train("one", &[]);
    let words = |side: &str| format!("vocabulary={{files={{source=\"one/{side}\",target=\"one/target.yml\"}}}}");
    let same_words = words("source.yml");
    let models = [first, train("two", &["--set", "training.seed=2", "--set", &same_words])];

    let error = average(&folder, &models, &["--shrink", "--text", &source, &target]).error(2);
    assert!(error.contains("--unfold"), "{error}");
    let error = average(&folder, &models, &["--unfold", "--shrink"]).error(2);
    assert!(error.contains("--text <SOURCE> <TARGET>"), "{error}");
    let error = average(&folder, &models, &["--unfold", "--text", &source, &target]).error(2);
    assert!(error.contains("--shrink"), "{error}");
    let short = file(&folder, "short", "w1 w2\n");
    let error = average(&folder, &models, &["--unfold", "--shrink", "--text", &short, &short]).error(1);
    assert!(
        error.ends_with("the text has 3 target words, and 64 are the least for networks of this size; give more lines")
    );
    let error = average(&folder, &models, &["--unfold", "--shrink", "--text", &source, &short]).error(1);
    assert!(error.contains("short` has 1"), "{error}");
    assert!(!folder.path().join("to").exists(), "nothing is left behind");

    average(&folder, &models, &["--unfold", "--shrink", "--text", &source, &target]).ok();
    let to = path(&folder, "to");
    let sizes = run(&["inspect", &to], "").ok();
    assert!(sizes.contains("8 × 16") && !sizes.contains("16 × 32"), "the size of one member: {sizes}");
    assert_eq!(translate(&["-m", &to], "w1 w2 w3\n").lines().len(), 1);
    let start = format!("model.start-from={to:?}");
    let untied = "model.architecture.recurrent.tied-embeddings.target-output=false";
    assert!(Path::new(&train("further", &["--set", &start, "--set", untied, "--set", &same_words])).exists());
}

/// A bundled model has no files; the message says how to get them.
#[test]
fn a_bundled_model_is_written_to_a_folder_first() {
    let folder = tempfile::tempdir().unwrap();
    let error = run(&["average", "-m", "en-de", "-m", "de-en", "--to", &path(&folder, "to")], "").error(2);
    assert!(error.contains("`metaphrase convert -m en-de --to FOLDER`"), "{error}");
}

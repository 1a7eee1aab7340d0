//! Unknown words of translations, replaced by alignment.

use crate::common::{file, translate};
use std::path::Path;

#[test]
fn an_unknown_word_becomes_a_source_word_or_its_translation() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny");
    let folder = tempfile::tempdir().unwrap();
    // A model of words: a list of as many as it has, with an unknown word. It never was trained: the prefix is unknown
    // to it.
    let words = metaphrase_models::Model::load(&model).unwrap().config().target_words;
    let list: String = (2..words).map(|id| format!("w{id}\n")).collect();
    let vocabulary = file(&folder, "words.txt", format!("</s>\n<unk>\n{list}"));
    let weights = model.join("model.npz");
    let prefix = file(&folder, "prefix", "unheard-of\n");
    let weights = weights.to_str().unwrap();
    let args = ["-m", weights, "--vocab", &vocabulary, "--prefix", &prefix, "--max-length-factor", "1"];
    let with = |more: &[&str], source: &str| translate(&[&args, more].concat(), format!("{source}\n")).ok();
    assert!(with(&[], "Zyx").starts_with("<unk>"));
    assert_eq!(with(&["--replace-unk"], "Zyx").split_whitespace().next(), Some("Zyx"));
    let dictionary = file(&folder, "names.tsv", "Zyx\tXyz\n");
    for strategy in ["beam", "grid", "cube", "fast-cube"] {
        let found = with(&["--replace-unk", &dictionary, "--strategy", strategy], "Zyx");
        assert_eq!(found.split_whitespace().next(), Some("Xyz"), "{found}");
    }
    let drawn = with(&["--replace-unk", "--sampling", "full", "--n-best", "2"], "Zyx");
    assert!(drawn.lines().all(|line| line.contains("||| Zyx")), "{drawn}");
    let wrong = file(&folder, "wrong.tsv", "a\tb\nc\n");
    let refused = translate(&[&args[..], &["--replace-unk", &wrong]].concat(), "Zyx\n").error(1);
    assert!(refused.ends_with("line 2: expected a source word, a tab and its translation, found `c`"), "{refused}");
}

//! A vocabulary belongs to its model.

use metaphrase::{Execution, Package, Translator};
use std::path::{Path, PathBuf};

fn tiny(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models/marian-tiny").join(file)
}

/// A translator of the tiny model with a vocabulary of `words` words whose end of sentence has the id `end`.
fn with_vocabulary(name: &str, words: u32, end: u32) -> Result<Translator, metaphrase::Error> {
    let entry = |id: u32| match id {
        _ if id == end => format!("\"</s>\": {id}\n"),
        _ if id == u32::from(end != 1) => format!("\"<unk>\": {id}\n"),
        _ => format!("w{id}: {id}\n"),
    };
    let path = std::env::temp_dir().join(format!("metaphrase-{}-{name}.yml", std::process::id()));
    std::fs::write(&path, (0..words).map(entry).collect::<String>()).expect("a file");
    let loaded = Package::files(&tiny("model.npz"), &[&path])
        .and_then(|package| Translator::load(&package, Execution { threads: 1, batch_tokens: 1 }));
    std::fs::remove_file(&path).expect("the file");
    loaded
}

#[test]
fn the_vocabulary_says_which_word_ends_a_sentence() {
    let words = Translator::load(&Package::find(&tiny("")).expect("files"), Execution::default());
    let words = words.expect("the model").model().config().target_words as u32;
    for end in [0, 1, 5] {
        let translator = with_vocabulary("end", words, end).expect("a translator");
        assert_eq!(translator.model().config().end_of_sentence, end);
        assert_eq!(translator.segment("w7").last().expect("words").0, end);
        assert!(translator.translate(&["w7 w8 nothing"]).is_ok());
    }
    // A longer list is cut to the model's words, but not before its end of sentence.
    assert!(with_vocabulary("long", words + 10, 0).is_ok());
    let refused = with_vocabulary("beyond", words + 10, words + 3).err().expect("a refusal").to_string();
    assert!(refused.contains("give the vocabulary that belongs to the model"), "{refused}");
    assert!(with_vocabulary("short", 6, 0).is_err() || words < 70);
}

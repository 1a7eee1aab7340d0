//! A directory of our own with prepared pieces: they are used, they change nothing, and a broken file gives no
//! translation.

use crate::hugging_face::{folder, open, options};
use metaphrase::{Request, StoredPrecision, Translator};
use metaphrase_base::Checksums;
use std::fs;
use std::path::Path;

const PIECES: &str = "source.vocab.json.pieces";
const VOCABULARY: &str = "source.vocab.json";
const WEIGHTS: &str = "model.safetensors";

/// A directory that `convert` made of a model with a `tokenizer.json`.
fn convert(to: &Path) {
    metaphrase::convert(folder("nllb"), to, StoredPrecision::Int8).unwrap();
}

fn pieces(translator: &Translator) -> Vec<Vec<String>> {
    let options = options(translator, Some("en"), Some("de"), 4);
    let found =
        translator.run(&options, vec![Request::translate("The house is old."), Request::translate("ok")]).unwrap();
    found.into_iter().map(|mut found| found.hypotheses.remove(0).pieces).collect()
}

fn problem(folder: &Path) -> String {
    Translator::builder().model(folder).threads(1).build().err().unwrap().to_string()
}

/// Writes the checksums of the files of a directory anew.
fn list(folder: &Path, names: &[&str]) {
    let checksums = Checksums::from_files(folder, names.iter().copied()).unwrap();
    fs::write(folder.join(Checksums::FILE), checksums.to_string()).unwrap();
}

#[test]
fn a_directory_translates_alike_with_prepared_pieces_and_without() {
    let made = tempfile::tempdir().unwrap();
    let own = made.path().join("own");
    convert(&own);
    assert!(Checksums::read(&own).unwrap().unwrap().names().eq([WEIGHTS, VOCABULARY, PIECES]));
    let expected = pieces(&open(&own));
    // What stands in the file counts: a reader of the vocabulary itself would not notice another one.
    let vocabulary = fs::read(own.join(VOCABULARY)).unwrap();
    fs::write(own.join(VOCABULARY), "{}").unwrap();
    assert!(problem(&own).contains(VOCABULARY) && problem(&own).contains("its checksum is"), "{}", problem(&own));
    list(&own, &[WEIGHTS, VOCABULARY, PIECES]);
    let sentence = "it was made from other files than those next to it; convert the model again";
    assert!(problem(&own).contains(PIECES) && problem(&own).ends_with(sentence), "{}", problem(&own));
    // Without a place in the list, and without a list, the file does not count.
    fs::write(own.join(VOCABULARY), vocabulary).unwrap();
    list(&own, &[WEIGHTS, VOCABULARY]);
    assert_eq!(pieces(&open(&own)), expected);
    fs::remove_file(own.join(Checksums::FILE)).unwrap();
    fs::write(own.join(PIECES), "none").unwrap();
    assert_eq!(pieces(&open(&own)), expected);
}

#[test]
fn a_damaged_file_gives_no_translation() {
    let made = tempfile::tempdir().unwrap();
    for name in [WEIGHTS, VOCABULARY, PIECES] {
        let own = made.path().join(name);
        convert(&own);
        let content = fs::read(own.join(name)).unwrap();
        for place in [0, content.len() / 3, content.len() - 1] {
            let mut damaged = content.clone();
            damaged[place] ^= 1;
            fs::write(own.join(name), damaged).unwrap();
            let problem = problem(&own);
            assert!(problem.contains(name) && problem.contains("is damaged: its checksum is"), "{name}: {problem}");
        }
    }
}

//! Prepared pieces are those of the files that they were made from, and a broken file of them is refused.

use metaphrase_base::WordId;
use metaphrase_text::sentencepiece::SentencePieceModel;
use metaphrase_text::vocab::Vocabulary;
use std::fs;
use std::path::{Path, PathBuf};

const ORIGINALS: [u64; 2] = [7, u64::MAX];

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata")
}

fn tokenizer(name: &str) -> SentencePieceModel {
    let path = testdata().join("models/hub").join(name).join("tokenizer.json");
    SentencePieceModel::from_tokenizer_json(&fs::read(path).unwrap()).unwrap()
}

/// The models of all kinds, with their names.
fn models() -> Vec<(String, SentencePieceModel)> {
    let files = fs::read_dir(testdata().join("text/sentencepiece")).unwrap().map(|entry| entry.unwrap().path());
    let pieces = files.filter(|path| path.extension().is_some_and(|extension| extension == "spm"));
    let own = pieces.map(|path| (path.display().to_string(), SentencePieceModel::open(&path).unwrap()));
    let json = ["madlad", "mbart50", "nllb", "t5"].map(|name| (name.to_owned(), tokenizer(name)));
    own.chain(json).collect()
}

fn problem(bytes: &[u8], originals: &[u64]) -> String {
    SentencePieceModel::from_prepared(bytes, originals).unwrap_err().to_string()
}

#[test]
fn prepared_pieces_divide_text_as_their_originals_do() {
    let lines = fs::read(testdata().join("text/sentencepiece/lines.json")).unwrap();
    let lines: Vec<String> = serde_json::from_slice(&lines).unwrap();
    let models = models();
    let (prepared, without): (Vec<_>, Vec<_>) = models
        .iter()
        .map(|(name, model)| (name, model, model.to_prepared(&ORIGINALS)))
        .partition(|made| made.2.is_some());
    // The file has no table for the text of translations.
    assert!(prepared.len() > 12 && without.len() == 1 && without[0].0.ends_with("bpe-identity.spm"));
    for (name, model, prepared) in prepared {
        let prepared = prepared.unwrap();
        let again = SentencePieceModel::from_prepared(&prepared, &ORIGINALS).unwrap();
        assert!(again.to_prepared(&ORIGINALS).unwrap() == prepared, "{name}");
        let special = |model: &SentencePieceModel| [model.unk(), model.bos(), model.eos(), model.pad()];
        assert_eq!((again.len(), special(&again)), (model.len(), special(model)), "{name}");
        for id in (0..model.len()).map(WordId::new) {
            assert_eq!((again.piece(id), again.score(id)), (model.piece(id), model.score(id)), "{name}");
            assert_eq!(again.id(model.piece(id)), model.id(model.piece(id)), "{name}");
        }
        assert!(again.bytes().eq(model.bytes()), "{name}");
        let (mut ids, mut expected) = (Vec::new(), Vec::new());
        for line in &lines {
            again.encode(line, &mut ids);
            model.encode(line, &mut expected);
            assert_eq!(ids, expected, "{name}: {line:?}");
            assert_eq!(again.decode(&ids), model.decode(&ids), "{name}: {line:?}");
            assert_eq!(again.encode_pieces(line), model.encode_pieces(line), "{name}: {line:?}");
        }
    }
}

#[test]
fn pieces_of_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pieces");
    let json = testdata().join("models/hub/nllb/tokenizer.json");
    let vocabulary = Vocabulary::open(&json).unwrap();
    fs::write(&path, vocabulary.to_prepared(&ORIGINALS).unwrap()).unwrap();
    let again = Vocabulary::open_prepared(&path, &ORIGINALS).unwrap();
    assert_eq!((again.len(), again.eos(), again.unk()), (vocabulary.len(), vocabulary.eos(), vocabulary.unk()));
    let error = Vocabulary::open_prepared(&path, &[7]).unwrap_err().to_string();
    let sentence = "the prepared pieces can not be used: it was made from other files than those next to it; convert the model again";
    assert_eq!(error, format!("vocabulary {}: {sentence}", path.display()));
    assert!(problem(&fs::read(&json).unwrap(), &ORIGINALS).contains("it does not begin as such a file"));
    let mut newer = fs::read(&path).unwrap();
    newer[7] += 1;
    assert!(problem(&newer, &ORIGINALS).contains("it has version 2, and this program reads version 1"));
}

/// The file cut at every byte and changed at every byte: it is refused, or gives a model that does no harm. Where the
/// index, a kind or a settings' brace is changed, it is refused.
#[test]
fn broken_files_do_no_harm() {
    for name in ["nllb", "madlad"] {
        let good = tokenizer(name).to_prepared(&ORIGINALS).unwrap();
        let mut ids = Vec::new();
        let mut read = 0;
        for i in 0..good.len() {
            assert!(i % 7 != 0 || problem(&good[..i], &ORIGINALS).starts_with("the prepared pieces"), "{name}: {i}");
            let mut bad = good.clone();
            bad[i] ^= 1 << (i % 8);
            if let Ok(model) = SentencePieceModel::from_prepared(&bad, &ORIGINALS) {
                read += 1;
                model.encode("Ein Haus ☃ of the e\u{301} １２３ --  \u{200B}x", &mut ids);
                assert!(ids.iter().all(|id| id.index() < model.len()), "{name}: {i}");
                let _ = (model.decode(&ids), model.encode_pieces("Haus"));
            }
        }
        // What is read has another score, or a change in a unit of the index or of a table that leads nowhere.
        assert!(read > 0 && read < good.len() / 2, "{name}: {read} of {}", good.len());
        let longer = [&good[..], b"x"].concat();
        assert!(problem(&longer, &ORIGINALS).contains("more bytes than its tables"), "{name}");
    }
}

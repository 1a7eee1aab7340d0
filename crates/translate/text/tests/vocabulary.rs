//! Vocabularies of every format: what a line becomes, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_base::WordId;
use metaphrase_text::sentencepiece::SentencePieceModel;
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use serde::Deserialize;
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text").join(name)
}

fn mapping(text: &str) -> Result<Vocabulary, String> {
    Vocabulary::from_bytes(VocabularyFormat::Mapping, text.as_bytes()).map_err(|error| error.to_string())
}

fn list(text: &str) -> Result<Vocabulary, String> {
    Vocabulary::from_bytes(VocabularyFormat::List, text.as_bytes()).map_err(|error| error.to_string())
}

fn encode(vocabulary: &Vocabulary, line: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    vocabulary.encode(line, &mut ids);
    ids.into_iter().map(|id| id.0).collect()
}

fn decode(vocabulary: &Vocabulary, ids: &[u32]) -> String {
    vocabulary.decode(&ids.iter().copied().map(WordId).collect::<Vec<_>>())
}

/// Written by Marian 1.12.42 with words that YAML has other ideas about (`testdata/text/make_vocabulary.py`).
#[test]
fn yaml_is_read_as_marian_wrote_it() {
    let vocabulary = Vocabulary::open(&testdata("vocabulary/marian.yml")).unwrap();
    let words = std::fs::read(testdata("vocabulary/marian.words.json")).unwrap();
    let words: Vec<String> = serde_json::from_slice(&words).unwrap();
    assert_eq!(vocabulary.len(), words.len());
    for (id, word) in words.iter().enumerate() {
        assert_eq!(vocabulary.word(WordId::new(id)), word);
        assert_eq!(vocabulary.id(word), Some(WordId::new(id)));
    }
}

#[test]
fn a_line_of_words() {
    for vocabulary in [
        mapping("</s>: 0\n<unk>: 1\nthe: 2\nhouse: 3\n").unwrap(),
        mapping(r#"{"</s>": 0, "<unk>": 1, "the": 2, "house": 3}"#).unwrap(),
        list("</s>\n<unk>\nthe\r\nhouse").unwrap(),
    ] {
        assert_eq!((vocabulary.len(), vocabulary.eos(), vocabulary.unk()), (4, WordId(0), Some(WordId(1))));
        // Runs of blanks count as one; tabs and no-break spaces do not separate words.
        assert_eq!(encode(&vocabulary, "  the house\tthe  the\u{A0}x the "), [2, 1, 1, 2, 0]);
        assert_eq!(encode(&vocabulary, ""), [0]);
        assert_eq!(decode(&vocabulary, &[2, 1, 3, 0]), "the <unk> house");
        assert_eq!(vocabulary.pieces(" the  cat"), ["the", "cat"]);
        assert!(vocabulary.is_unknown(WordId(1)) && !vocabulary.is_unknown(WordId(2)));
        assert_eq!(vocabulary.word(WordId(9)), "");
    }
}

#[test]
fn every_way_to_write_a_word_in_yaml() {
    let text = "\u{FEFF}# made by hand\n%YAML 1.2\n---\n</s>: 0\n<unk>:   1  \n'it''s': 2\n\"a\\\"\\x84\\u00e9\\ud835\\udd18\\t\" : 3\n\
                ? long\n: 4\n? \"qu:oted\"\n: 5\nx: y: 6\n~: 7\r\n\n\"n\": \"8\"\n...: 9\n";
    let vocabulary = mapping(text).unwrap();
    let words = ["it's", "a\"\u{84}é𝔘\t", "long", "qu:oted", "x: y", "~", "n", "..."];
    for (id, word) in (2..).zip(words) {
        assert_eq!(vocabulary.word(WordId(id)), word);
    }
    assert_eq!(vocabulary.len(), 10);
}

/// Ids may have gaps, and dictionaries of Nematus name or leave out the first two words in their own way.
#[test]
fn gaps_and_nematus_names() {
    let vocabulary = mapping("eos: 0\nUNK: 1\nthe: 5\n").unwrap();
    assert_eq!((vocabulary.eos(), vocabulary.unk(), vocabulary.len()), (WordId(0), Some(WordId(1)), 6));
    assert_eq!((vocabulary.word(WordId(3)), vocabulary.word(WordId(5))), ("", "the"));
    let vocabulary = mapping("the: 2\n").unwrap();
    assert_eq!((vocabulary.eos(), vocabulary.unk()), (WordId(0), Some(WordId(1))));
    let vocabulary = mapping("the: 0\n</s>: 1\n<unk>: 2\n").unwrap();
    assert_eq!((vocabulary.eos(), vocabulary.unk()), (WordId(1), Some(WordId(2))));
}

#[test]
fn a_model_may_know_the_first_words_only() {
    let mut vocabulary = mapping("</s>: 0\n<unk>: 1\nthe: 2\nhouse: 3\n").unwrap();
    vocabulary.truncate(3);
    assert_eq!(encode(&vocabulary, "the house"), [2, 1, 0]);
    assert_eq!((vocabulary.len(), vocabulary.id("house")), (3, None));
}

#[test]
fn faults_are_one_sentence() {
    let cases = [
        (mapping("a: 0\nb: 1\n"), "has no entry for `</s>`, which every vocabulary needs"),
        (list("</s>\n"), "has no entry for `<unk>`, which every vocabulary needs"),
        (list("</s>\n\n<unk>\n"), "line 2 is empty, expected one word in each line"),
        (list("</s>\n<unk>\n<unk>\n"), "word `<unk>` has the ids 1 and 2, expected one"),
        (mapping("a: 0\nb: 0\n"), "words `a` and `b` both have id 0, expected different ids"),
        (mapping("a: 4294967295\n"), "word `a` has id 4294967295, expected one below 4,194,304"),
        (mapping("a: 0\nb\n"), "line 2 `b` has a broken word, expected a word and its id such as `</s>: 0`"),
        (mapping("a: x\n"), "line 1 `a: x` has an id that is no number, expected a word and its id such as `</s>: 0`"),
        (mapping("'a: 1\n"), "line 1 `'a: 1` has a broken word, expected a word and its id such as `</s>: 0`"),
        (mapping("? a\n? b\n"), "line 2 `? b` has no id, expected a word and its id such as `</s>: 0`"),
        (
            mapping("{\"a\": 0, \"b\": \"c\"}"),
            "expected a JSON object of words and ids such as {\"</s>\": 0}: invalid type: string \"c\", expected u32 at line 1 column 17",
        ),
    ];
    for (result, expected) in cases {
        assert_eq!(result.unwrap_err(), expected);
    }
    let error = Vocabulary::from_bytes(VocabularyFormat::List, b"</s>\n<unk>\n\xFF\n").unwrap_err();
    assert_eq!(error.to_string(), "line 3 is not valid UTF-8");
}

#[test]
fn the_format_follows_the_name_and_then_the_content() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = std::fs::read(testdata("sentencepiece/unigram-bytes.spm")).unwrap();
    for (name, bytes, words) in [
        ("vocab.yaml", b"</s>: 0\n<unk>: 1\n".as_slice(), 2),
        ("vocab.JSON", b"{\"</s>\": 0, \"<unk>\": 1, \"x\": 7}", 8),
        ("vocab.txt", b"</s>\n<unk>\na: 5\n", 3),
        ("vocab.spm", &pieces, 700),
        ("sentencepiece.bpe.bin", &pieces, 700),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Vocabulary::open(&path).unwrap().len(), words, "{name}");
    }
    let error = Vocabulary::open(&folder.path().join("no.yml")).unwrap_err().to_string();
    assert!(error.starts_with("vocabulary ") && error.contains("no.yml: can not be read"), "{error}");
    let path = folder.path().join("cut.spm");
    std::fs::write(&path, &pieces[..1000]).unwrap();
    let error = Vocabulary::open(&path).unwrap_err().to_string();
    assert!(error.contains("cut.spm: cut off or not a SentencePiece model: a value at byte"), "{error}");
}

#[test]
fn pieces_end_with_the_end_of_sentence() {
    let vocabulary = Vocabulary::open(&testdata("sentencepiece/unigram-bytes.spm")).unwrap();
    let line = "Das ist ein Haus. ☃";
    let ids = encode(&vocabulary, line);
    assert_eq!(ids.last(), Some(&0));
    assert_eq!(decode(&vocabulary, &ids), line);
    assert_eq!(vocabulary.pieces(line).len(), ids.len() - 1);
    assert_eq!(encode(&vocabulary, ""), [0]);
    // The bytes of control characters, <0x00> to <0x1F>.
    assert_eq!(vocabulary.special_words().len(), 32);
    assert_eq!(vocabulary.word(vocabulary.special_words()[10]), "<0x0A>");
}

/// Pieces of bytes are such with a list next to the model, too: as CTranslate2's converter writes MADLAD-400.
#[test]
fn bytes_of_a_list_are_bytes() {
    let model = testdata("sentencepiece/unigram-bytes.spm");
    let own = Vocabulary::open(&model).unwrap();
    let ids = || (0..own.len()).map(WordId::new);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared_vocabulary.json");
    let words: Vec<&str> = ids().map(|id| own.word(id)).collect();
    std::fs::write(&path, serde_json::to_string(&words).unwrap()).unwrap();
    let listed = Vocabulary::open_marian_mt(&path, &model).unwrap();
    let bytes = |vocabulary: &Vocabulary| vocabulary.bytes().collect::<Vec<_>>();
    assert_eq!((bytes(&listed).len(), bytes(&listed)), (256, bytes(&own)));
    for id in ids() {
        assert_eq!((listed.is_byte(id), listed.is_open(id)), (own.is_byte(id), own.is_open(id)), "{}", own.word(id));
    }
    assert!(!listed.lacks_characters());
    let line = "Das ist ein Haus. ☃";
    assert_eq!(decode(&listed, &encode(&listed, line)), line);
}

#[derive(Deserialize)]
struct MarianMt {
    source: Vec<Row>,
    target: Vec<Row>,
    decode: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    line: String,
    ids: Vec<u32>,
}

/// Made with `MarianTokenizer` of transformers 5.23.0 (`testdata/text/make_marian_mt.py`).
#[test]
fn marian_mt_is_as_in_transformers() {
    let golden = std::fs::read(testdata("marian-mt/golden.json")).unwrap();
    let golden: MarianMt = serde_json::from_slice(&golden).unwrap();
    let json = testdata("marian-mt/vocab.json");
    let source = Vocabulary::open_marian_mt(&json, &testdata("sentencepiece/unigram-nmt_nfkc.spm")).unwrap();
    let target = Vocabulary::open_marian_mt(&json, &testdata("sentencepiece/unigram-folded.spm")).unwrap();
    for (vocabulary, rows) in [(&source, &golden.source), (&target, &golden.target)] {
        for row in rows {
            assert_eq!(encode(vocabulary, &row.line), row.ids, "{:?}", row.line);
            assert_eq!(vocabulary.pieces(&row.line).len(), row.ids.len() - 1, "{:?}", row.line);
        }
    }
    for row in &golden.decode {
        assert_eq!(decode(&target, &row.ids), row.line, "{:?}", row.ids);
    }
    // The decoder never writes padding; its id is the last.
    assert_eq!(target.special_words(), [WordId::new(target.len() - 1)]);
}

/// OPUS-MT publishes the list as Marian writes it, or one word in each line.
#[test]
fn lists_of_pieces_have_any_format() {
    let pieces = testdata("sentencepiece/unigram-nmt_nfkc.spm");
    let words = ["</s>", "<unk>", ">>deu<<", "\u{2581}a", "b", "\"", "\\"];
    let folder = tempfile::tempdir().unwrap();
    let yaml = words.iter().zip(0..).map(|(word, id)| format!("{word:?}: {id}\n")).collect::<String>();
    let json = format!("{{{}}}", yaml.trim_end().replace('\n', ", "));
    let plain = words.map(|word| word.to_owned() + "\n").concat();
    for (name, list) in
        [("opus.vocab.yml", &yaml), ("vocab.yml", &json), ("vocab.json", &json), ("opus.src.vocab", &plain)]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, list).unwrap();
        let vocabulary = Vocabulary::open_marian_mt(&path, &pieces).unwrap();
        assert_eq!(encode(&vocabulary, ">>deu<< a"), [2, 3, 0], "{name}");
        assert_eq!((vocabulary.word(WordId(5)), vocabulary.word(WordId(6))), ("\"", "\\"), "{name}");
    }
    for (name, list, part) in [
        ("cut.yml", "\"</s>\": 0\n\"<unk>", "line 2"),
        ("no-end.vocab", "<unk>\na\n", "`</s>`"),
        ("twice.yml", "</s>: 0\n<unk>: 1\na: 1\n", "both have id 1"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, list).unwrap();
        let error = Vocabulary::open_marian_mt(&path, &pieces).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains(name), "{error}");
    }
    let error = Vocabulary::open_marian_mt(&pieces, &pieces).unwrap_err().to_string();
    assert!(error.contains("expected a list"), "{error}");
}

#[test]
fn marian_mt_takes_special_words_and_stray_arrows_for_text() {
    let json = std::fs::read(testdata("marian-mt/vocab.json")).unwrap();
    let model = SentencePieceModel::open(&testdata("sentencepiece/unigram-nmt_nfkc.spm")).unwrap();
    let vocabulary = Vocabulary::marian_mt(VocabularyFormat::Mapping, &json, model).unwrap();
    let pieces = vocabulary.pieces(">> a << b </s> <pad>").concat();
    assert_eq!(pieces, "▁>>▁a▁<<▁b▁</s>▁<pad>");
    assert!(!encode(&vocabulary, "</s> <pad> x").contains(&vocabulary.id("<pad>").unwrap().0));
}

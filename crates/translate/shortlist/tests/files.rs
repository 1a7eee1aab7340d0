//! Files are read as Marian reads them, ours come back as they were, and wrong ones are refused.

use metaphrase_base::WordId;
use metaphrase_shortlist::{Entry, ShortlistOptions, Shortlists};
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

/// `</s>`, `<unk>`, and words w2, w3, … up to `words` of them.
fn vocabulary(prefix: &str, words: usize) -> Vocabulary {
    let list: String = (2..words).map(|id| format!("{prefix}{id}\n")).collect();
    Vocabulary::from_bytes(VocabularyFormat::List, format!("</s>\n<unk>\n{list}").as_bytes()).unwrap()
}

fn file(folder: &tempfile::TempDir, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn words(words: &[u32]) -> Vec<WordId> {
    words.iter().copied().map(WordId).collect()
}

fn options(first: usize, words: usize) -> ShortlistOptions {
    ShortlistOptions { first: Some(first), words: Some(words), threshold: None }
}

const TABLE: &str = "t5 s2 0.5\nt6 s2 0.25\nt7 s2 0.25\nNULL s2 0.1\nt8 NULL 0.2\nt9 s3 1e-3\nt10 s3 0\nt5 s2 0.1\nnew s4 0.9\nt11 old 0.3\n";

#[test]
fn text_is_read_as_marian_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
    let path = file(&folder, "lex.s2t", TABLE.as_bytes());
    let open = |options| Shortlists::open(&path, options, [&source, &target]).unwrap();
    let lists = open(options(3, 2));
    // The last probability of t5 counts: 0.1. Of the two with 0.25 the larger id is better.
    assert_eq!(lists.words_of(WordId(2)), words(&[7, 6]));
    assert_eq!(lists.words_of(WordId(3)), words(&[9]), "0 is not above the threshold");
    assert_eq!(lists.words_of(WordId(4)), words(&[1]), "an unknown word is <unk>");
    assert_eq!(lists.words_of(WordId(1)), words(&[11]));
    assert_eq!(lists.words_of(WordId(7)), words(&[]));
    assert_eq!(lists.words_of(WordId(70)), words(&[]));
    // The first three words, those of s2 and s3, and the next ones up to eight.
    assert_eq!(lists.for_sentence(&words(&[3, 2, 3, 0])).words(), words(&[0, 1, 2, 3, 4, 6, 7, 9]));
    assert_eq!(
        open(ShortlistOptions { threshold: Some(0.2), ..options(0, 9) }).for_sentence(&words(&[2])).words(),
        words(&[0, 1, 2, 3, 4, 5, 6, 7])
    );
    assert_eq!(
        open(ShortlistOptions::default()).for_sentence(&words(&[2])).words().len(),
        40,
        "no more than there are"
    );

    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(TABLE.as_bytes()).unwrap();
    let compressed = file(&folder, "lex.s2t.gz", &gz.finish().unwrap());
    assert_eq!(Shortlists::open(&compressed, options(3, 2), [&source, &target]).unwrap(), lists);
}

#[test]
fn one_vocabulary_lists_the_sentence_s_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let both = vocabulary("t", 40);
    let path = file(&folder, "lex.s2t", b"t5 t2 0.5\n");
    let lists = Shortlists::open(&path, options(1, 5), [&both, &both.clone()]).unwrap();
    assert_eq!(lists.for_sentence(&words(&[2, 30, 31, 32, 33, 34])).words(), words(&[0, 2, 5, 30, 31, 32, 33, 34]));
}

/// Marian's form, written here from its description.
fn binary(first: u64, lists: &[&[u32]]) -> Vec<u8> {
    let mut offsets = vec![0u64];
    lists.iter().for_each(|list| offsets.push(offsets[offsets.len() - 1] + list.len() as u64));
    let all: Vec<u32> = lists.concat();
    let mut body: Vec<u8> =
        [first, 9, offsets.len() as u64, all.len() as u64].iter().flat_map(|n| n.to_le_bytes()).collect();
    body.extend(offsets.iter().flat_map(|n| n.to_le_bytes()));
    body.extend(all.iter().flat_map(|n| n.to_le_bytes()));
    let mut hash = 0u64;
    for number in body.chunks_exact(8) {
        let number = u64::from_le_bytes(number.try_into().unwrap());
        hash ^= number.wrapping_add(0x9e37_79b9).wrapping_add(hash << 6).wrapping_add(hash >> 2);
    }
    [&0xF11A_48D5_0134_17F5u64.to_le_bytes()[..], &hash.to_le_bytes(), &body].concat()
}

#[test]
fn marian_s_binary_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
    let bytes = binary(3, &[&[], &[], &[6, 7], &[9]]);
    let open = |bytes: &[u8], options| Shortlists::open(&file(&folder, "lex.bin", bytes), options, [&source, &target]);
    let lists = open(&bytes, ShortlistOptions::default()).unwrap();
    assert_eq!(lists.for_sentence(&words(&[3, 2, 3, 0])).words(), words(&[0, 1, 2, 3, 4, 6, 7, 9]));
    assert_eq!(lists.words_of(WordId(5)), words(&[]));
    let refused = |bytes: &[u8], options| open(bytes, options).unwrap_err().to_string();
    for (wrong, options, expected) in [
        (bytes[..bytes.len() - 1].to_vec(), ShortlistOptions::default(), "is cut off or has grown"),
        (binary(3, &[&[40]]), ShortlistOptions::default(), "was made for another model: it has word 40"),
        (binary(3, &[&[][..]; 9]), ShortlistOptions::default(), "was made for another model: it has 9 source words"),
        (bytes.clone(), options(1, 1), "has no scores to choose the best words"),
    ] {
        assert!(refused(&wrong, options).contains(expected), "{}", refused(&wrong, options));
    }
    let mut damaged = bytes;
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(damaged.len() % 8, 4, "Marian's checksum leaves out the last word of an odd number");
    damaged[60] ^= 1;
    assert!(refused(&damaged, ShortlistOptions::default()).contains("its checksum is wrong"));
}

fn example(vocabularies: [&Vocabulary; 2]) -> Shortlists {
    let entry = |(source, target, probability)| Entry { source: WordId(source), target: WordId(target), probability };
    let entries = [(2, 6, 0.5), (2, 30, 0.25), (2, 7, 0.4), (5, 9, 1.0), (5, 99, 2.0)].map(entry).into();
    Shortlists::new(entries, words(&[0, 20, 3, 21, 4]), options(2, 5), vocabularies)
}

#[test]
fn our_files_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
    let lists = example([&source, &target]);
    assert_eq!(lists.words_of(WordId(2)), words(&[6, 7, 30]), "the best ones first");
    assert_eq!(lists.for_sentence(&words(&[2])).words(), words(&[0, 3, 4, 6, 7, 20, 21, 30]));
    let path = folder.path().join("lists");
    lists.write(&path, [&source, &target]).unwrap();
    let open = |options| Shortlists::open(&path, options, [&source, &target]);
    assert_eq!(open(ShortlistOptions::default()).unwrap(), lists);
    let fewer = open(options(4, 2)).unwrap();
    assert_eq!((fewer.words_of(WordId(2)), fewer.words_of(WordId(5))), (&words(&[6, 7])[..], &words(&[9])[..]));
    assert_eq!(fewer.for_sentence(&words(&[5])).words(), words(&[0, 3, 4, 9, 20, 21]));
    let refused = open(ShortlistOptions { threshold: Some(0.1), ..ShortlistOptions::default() }).unwrap_err();
    assert!(refused.to_string().contains("has no probabilities"), "{refused}");
    for others in [[&target, &source], [&source, &vocabulary("u", 40)], [&vocabulary("s", 9), &target]] {
        let refused = Shortlists::open(&path, ShortlistOptions::default(), others).unwrap_err().to_string();
        assert!(refused.contains("was made for other vocabularies"), "{refused}");
    }
}

#[test]
fn every_changed_bit_of_a_shortlist_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
    let path = folder.path().join("lists");
    example([&source, &target]).write(&path, [&source, &target]).unwrap();
    let good = std::fs::read(&path).unwrap();
    // All bits of version, numbers and checksum, then one of some bytes.
    for bit in (8 * 16..8 * 40).chain((40..good.len()).step_by(3).map(|byte| 8 * byte + byte % 8)) {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &bytes).unwrap();
        let opened = Shortlists::open(&path, ShortlistOptions::default(), [&source, &target]);
        assert!(opened.is_err(), "bit {} of byte {}", bit % 8, bit / 8);
    }
}

#[test]
fn wrong_text_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
    let refused = |text: &[u8]| {
        let path = file(&folder, "lex.s2t", text);
        Shortlists::open(&path, ShortlistOptions::default(), [&source, &target]).unwrap_err().to_string()
    };
    for (text, expected) in [
        (
            &b"t5 s2 0.5\nt5 s2\n"[..],
            "lex.s2t, line 2: 2 fields; expected a target word, a source word and a probability",
        ),
        (b"t5 s2 x\n", "lex.s2t, line 1: `x` is not a probability; expected a target word"),
        (b"t5 s2 nan\n", "`nan` is not a probability"),
        (b"t5 s2 \xff\n", "line 1: expected a target word"),
        (b"", "was made for other vocabularies: of its 0 lines"),
        (b"s5 t2 0.5\nt3 s3 0.1\na b 0.1\n", "of its 3 lines 1 have words of both"),
    ] {
        assert!(refused(text).contains(expected), "{}", refused(text));
    }
    let nothing = Shortlists::open(Path::new("nowhere"), ShortlistOptions::default(), [&source, &target]);
    assert!(nothing.unwrap_err().to_string().starts_with("shortlist nowhere: cannot read: "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Nothing in a file is believed that would be followed out of it.
    #[test]
    fn changed_files_do_no_harm(ours in any::<bool>(), changes in prop::collection::vec((0usize..400, any::<u8>()), 1..9)) {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (vocabulary("s", 8), vocabulary("t", 40));
        let path = folder.path().join("lists");
        example([&source, &target]).write(&path, [&source, &target]).unwrap();
        let mut bytes = if ours { std::fs::read(&path).unwrap() } else { binary(3, &[&[], &[], &[6, 7], &[9]]) };
        // After name and version, or after the length and the checksum, which are true.
        let checked = if ours { 40 } else { 16 };
        for (at, byte) in changes {
            let at = checked + at % (bytes.len() - checked);
            bytes[at] = byte;
        }
        if ours {
            let sum = metaphrase_base::checksum([&bytes[..32], &bytes[checked..]]);
            bytes[32..40].copy_from_slice(&sum.to_le_bytes());
        }
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(lists) = Shortlists::open(&path, ShortlistOptions::default(), [&source, &target]) {
            let list = lists.for_sentence(&words(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 31]));
            prop_assert!(list.words().iter().all(|word| word.index() < 40));
        }
    }
}

//! Parallel files: pairs that are kept, pairs that are left out and counted, files that are refused.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use flate2::{Compression, write::GzEncoder};
use metaphrase_text::TermMarks;
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use metaphrase_train::data::{Batches, Corpus, CorpusFiles, DataError, Limits, Position, Report, TextVocabularies};
use std::io::Write;
use std::num::NonZeroU32;
use std::path::PathBuf;
use tempfile::TempDir;

/// Files of one test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn pair(&self, source: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> CorpusFiles {
        CorpusFiles::new(self.write("source", source), self.write("target", target))
    }
}

fn gz(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Words `a` to `d` with ids 2 to 5.
fn vocabulary() -> Vocabulary {
    Vocabulary::from_bytes(VocabularyFormat::List, b"</s>\n<unk>\na\nb\nc\nd\n").unwrap()
}

fn read_with(files: &[CorpusFiles], limits: Limits, threads: usize) -> Result<(Corpus, Report), DataError> {
    Corpus::read(files, TextVocabularies::new(&vocabulary(), &vocabulary()), limits, threads)
}

fn read(files: &[CorpusFiles]) -> Result<(Corpus, Report), DataError> {
    read_with(files, Limits::default(), 2)
}

/// Source and target ids of all pairs.
fn pairs(corpus: &Corpus) -> Vec<(Vec<u32>, Vec<u32>)> {
    let all: Vec<u32> = (0..corpus.len() as u32).collect();
    let batch = corpus.batch(&all);
    let ids = |words: &[metaphrase_base::WordId]| words.iter().map(|word| word.0).collect();
    (0..batch.len()).map(|i| (ids(batch.source.get(i)), ids(batch.target.get(i)))).collect()
}

fn message(result: Result<(Corpus, Report), DataError>, files: &Files) -> String {
    let message = result.unwrap_err().to_string();
    message.replace(&files.0.path().display().to_string(), "DIR")
}

#[test]
fn plain_and_packed_files_one_after_the_other() {
    let files = Files::new();
    let first = files.pair("a b\nc", "d\na x\n");
    let second = CorpusFiles::new(files.write("more.gz", gz("d d\n")), files.write("more.en.gz", gz("b\n")));
    let (corpus, report) = read(&[first, second]).unwrap();
    assert_eq!(pairs(&corpus), [(vec![2, 3, 0], vec![5, 0]), (vec![4, 0], vec![2, 1, 0]), (vec![5, 5, 0], vec![3, 0])]);
    assert_eq!(report.to_string(), "3 of 3 sentence pairs: 8 source and 7 target words, 0.00 % and 14.29 % unknown");
}

#[test]
fn a_source_of_written_words_has_words_that_no_text_becomes() {
    let files = Files::new();
    let pieces = include_bytes!("../../../../testdata/text/sentencepiece/unigram-bytes.spm");
    let vocabulary = Vocabulary::from_bytes(VocabularyFormat::SentencePiece, pieces).unwrap();
    let id = |word| vocabulary.id(word).unwrap().0;
    let read = |source_words| {
        let files = CorpusFiles { source_words, ..files.pair("<0x01> \u{2581}the\n", "the\n") };
        Corpus::read(&[files], TextVocabularies::new(&vocabulary, &vocabulary), Limits::default(), 1).unwrap().0
    };
    let expected = vec![id("<0x01>"), id("\u{2581}the"), vocabulary.eos().0];
    assert_eq!(pairs(&read(true))[0].0, expected);
    assert!(!pairs(&read(false))[0].0.contains(&id("<0x01>")));
}

#[test]
fn terms_and_tags_become_pieces() {
    let files = Files::new();
    let pieces = include_bytes!("../../../../testdata/text/sentencepiece/unigram-bytes.spm");
    let vocabulary = Vocabulary::from_bytes(VocabularyFormat::SentencePiece, pieces).unwrap();
    let marks = ["<0x01>", "<0x02>", "<0x03>"].map(str::to_owned);
    let read = |source: &str, term_marks| {
        let vocabularies = TextVocabularies { term_marks, ..TextVocabularies::new(&vocabulary, &vocabulary) };
        let files = files.pair(source, "the\n");
        Corpus::read(&[files], vocabularies, Limits::default(), 1).map(|(corpus, _)| pairs(&corpus)[0].0.clone())
    };
    let ids = |words: &[&str]| -> Vec<u32> { words.iter().map(|word| vocabulary.id(word).unwrap().0).collect() };
    let encode = |text: &str| {
        let mut words = Vec::new();
        vocabulary.encode(text, &mut words);
        words.pop();
        words.into_iter().map(|word| word.0).collect::<Vec<_>>()
    };
    let mut expected = ids(&["<0x04>", "\u{2581}the", "<0x01>"]);
    expected.extend(encode("old"));
    expected.extend(ids(&["<0x02>"]));
    expected.extend(encode("alte"));
    expected.extend(ids(&["<0x03>"]));
    expected.push(vocabulary.eos().0);
    let marked = TermMarks::new(&marks, &vocabulary);
    assert_eq!(read("\u{4}the \u{1}old\u{2}alte\u{3}\n", marked).unwrap(), expected);
    let message = |source: &str, marks| read(source, marks).unwrap_err().to_string();
    assert!(message("the \u{1}old\u{2}alte\n", marked).ends_with(
        "source`, line 1: the marks of terms are not in order: expected U+0001, a term, U+0002, its translation, U+0003"
    ));
    assert!(message("the \u{1}old\u{2}alte\u{3}\n", None).contains("`model.inline-terms`"));
}

#[test]
fn what_is_left_out_is_counted() {
    let files = Files::new();
    let source = b"a\n  \nb\nc c c\na\n\xFF\na\nb\n";
    let target = b"a\na\n\na\nb b b b\na\na\xC3\nd\n";
    let limits = Limits { max_source_words: 3, max_target_words: 4 };
    let (corpus, report) = read_with(&[files.pair(source, target)], limits, 1).unwrap();
    assert_eq!(pairs(&corpus), [(vec![2, 0], vec![2, 0]), (vec![3, 0], vec![5, 0])]);
    let expected = Report {
        pairs: 8,
        kept: 2,
        empty: 2,
        too_long: 2,
        invalid: 2,
        first_invalid: Some((files.0.path().join("source"), 6)),
        source_words: 4,
        target_words: 4,
        unknown_source_words: 0,
        unknown_target_words: 0,
    };
    assert_eq!(report, expected);
    let text = report.to_string().replace(&files.0.path().display().to_string(), "DIR");
    let second = text.lines().nth(1);
    assert_eq!(second, Some("left out: 2 with an empty side, 2 too long, 2 not UTF-8 (first: DIR/source, line 6)"));
}

#[test]
fn threads_do_not_change_the_result() {
    let files = Files::new();
    let side = |step: usize| -> String {
        (0..20_000).map(|i| ["a b c\n", "d\n", "\n", "b b\n", "x\n"][i * step % 5]).collect()
    };
    let pair = [files.pair(side(1), side(2))];
    let expected = read_with(&pair, Limits::default(), 1).unwrap();
    assert_eq!(expected.1.pairs, 20_000);
    for threads in [0, 2, 3, 8] {
        assert_eq!(read_with(&pair, Limits::default(), threads).unwrap(), expected);
    }
}

#[test]
fn repeated_files_are_seen_more_often() {
    let files = Files::new();
    let mut small = files.pair("a\nb b\n", "a a\nb\n");
    small.repeat = NonZeroU32::new(3).unwrap();
    let large = CorpusFiles::new(files.write("s", "c\nd\n"), files.write("t", "c\nd\n"));
    let (corpus, report) = read(&[small, large.clone()]).unwrap();
    assert_eq!((report.kept, corpus.len()), (4, 4));
    assert_eq!(corpus.target_counts(6)[2..], [6, 3, 1, 1], "of a, b, c and d");
    let other = read(&[files.pair("a\nb b\n", "a a\nb\n"), large]).unwrap().0;
    assert_ne!(corpus.fingerprint(), other.fingerprint());
    let mut batches = Batches::new(corpus, metaphrase_settings::from_toml("size = { sentences = 1 }").unwrap(), 1);
    let epoch: Vec<_> = (0..8).map(|_| batches.next_batch()).collect();
    assert_eq!(batches.position(), Position { epoch: 1, batch: 0 });
    let words = epoch.iter().map(|batch| (batch.source.all().len(), batch.target.all().len()));
    assert_eq!(words.fold((0, 0), |(s, t), (source, target)| (s + source, t + target)), (19, 19));
    let mut seen: Vec<u32> = epoch.iter().map(|batch| batch.source.all()[0].0).collect();
    seen.sort_unstable();
    assert_eq!(seen, [2, 2, 2, 3, 3, 3, 4, 5]);
}

#[test]
fn alignments_go_with_their_pairs() {
    let files = Files::new();
    let mut first = files.pair("a b\n\nc\n", "a b\na\nc\n");
    first.alignment = Some(files.write("links.gz", gz("0-1 1-0\n\n0-0 1-1\n")));
    let second = CorpusFiles::new(files.write("s", "c\n"), files.write("t", "c\n"));
    let (corpus, _) = read(&[first.clone(), second]).unwrap();
    assert_eq!(corpus.batch(&[2, 0, 1]).alignments, [vec![], vec![(0, 1), (1, 0)], vec![(0, 0), (1, 1)]]);

    first.alignment = Some(files.write("links", "0-0\n\n0-2\n"));
    assert_eq!(
        message(read(&[first.clone()]), &files),
        "`DIR/links`, line 3: link `0-2`, but the sentences have 2 and 2 words, ends of sentence counted; expected \
         positions of words as the vocabulary segments them, from 0"
    );
    first.alignment = Some(files.write("links", "0=0\n\n\n"));
    let expected = "`DIR/links`, line 1: expected links such as `0-0 1-2`, found `0=0`";
    assert_eq!(message(read(&[first.clone()]), &files), expected);
    first.alignment = Some(files.write("links", "0-0\n"));
    let expected = "`DIR/source` has 3 lines, but `DIR/links` has 1: line n of one must belong to line n of the other";
    assert_eq!(message(read(&[first]), &files), expected);
}

#[test]
fn files_that_can_not_be_used_are_named() {
    let files = Files::new();
    let long = "a\n".repeat(9000);
    assert_eq!(
        message(read(&[files.pair("a\na\n", &long)]), &files),
        "`DIR/source` has 2 lines, but `DIR/target` has 9000: line n of one must belong to line n of the other"
    );
    assert!(message(read(&[files.pair(&long, &long[2..])]), &files).contains("9000 lines, but `DIR/target` has 8999"));

    let missing = CorpusFiles::new(files.0.path().join("none.gz"), files.write("t", "a\n"));
    assert!(message(read(&[missing]), &files).starts_with("`DIR/none.gz` can not be opened: "));

    let packed = gz(&(0..500).map(|i| format!("a {i}\n")).collect::<String>());
    for (name, bytes) in [("cut.gz", &packed[..packed.len() - 9]), ("plain.gz", &b"a\nb\n"[..]), ("empty.gz", b"")] {
        let pair = CorpusFiles::new(files.write(name, bytes), files.write("t", "a\n".repeat(500)));
        let message = message(read(&[pair]), &files);
        assert!(message.starts_with(&format!("`DIR/{name}` can not be read beyond line ")), "{message}");
    }
    let mut flipped = packed.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1; // the check sum
    let pair = CorpusFiles::new(files.write("flipped.gz", flipped), files.write("t", "a\n".repeat(500)));
    assert!(message(read(&[pair]), &files).starts_with("`DIR/flipped.gz` can not be read beyond line 500"));
}

#[test]
fn nothing_left_is_an_error() {
    let files = Files::new();
    assert_eq!(
        message(read(&[files.pair("a\n\n", "\nb\n")]), &files),
        "no sentence pair to train on: 0 of 2 sentence pairs: 0 source and 0 target words, 0.00 % and 0.00 % unknown\n\
         left out: 2 with an empty side, 0 too long, 0 not UTF-8"
    );
    assert!(matches!(read(&[]), Err(DataError::NothingLeft(_))));
    let mut many = files.pair("a\nb\n", "a\nb\n");
    many.repeat = NonZeroU32::MAX;
    assert!(matches!(read(&[many]), Err(DataError::TooManyPairs)));
}

#[test]
fn recipes_name_files() {
    let files: CorpusFiles = metaphrase_settings::from_toml("source = \"a\"\ntarget = \"b\"").unwrap();
    assert_eq!(files, CorpusFiles::new("a", "b"));
    for bad in ["source = \"a\"", "source = \"a\"\ntarget = \"b\"\nrepeat = 0", "source = \"a\"\ntarget = \"b\"\nx = 0"]
    {
        assert!(metaphrase_settings::from_toml::<CorpusFiles>(bad).is_err(), "{bad}");
    }
    assert_eq!(metaphrase_settings::from_toml::<Limits>("max-source-words = 7").unwrap().max_target_words, 100);
}

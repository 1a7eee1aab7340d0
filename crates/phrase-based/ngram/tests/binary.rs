//! A model in its binary form is the same model; a damaged file is refused.

use crate::common::Naive;
use metaphrase_ngram::{Model, WordId, arpa};
use std::path::Path;

const GOLDEN: &str = include_str!("../../../../testdata/ngram/lmplz.arpa");
const TEXT: &str = include_str!("../../../../testdata/ngram/text.en");

fn model() -> Model {
    arpa::read_from(GOLDEN.as_bytes(), Path::new("lmplz.arpa")).expect("a sound model")
}

fn bytes(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write(&mut bytes).expect("memory");
    bytes
}

/// Opens a file with these bytes; the message without the file's name.
fn open(bytes: &[u8]) -> Result<Model, String> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("a file");
    let name = format!("{}: ", file.path().display());
    Model::open(file.path()).map_err(|error| error.to_string().replace(&name, ""))
}

#[test]
fn the_same_scores() {
    let (model, naive) = (open(&bytes(&model())).expect("a sound file"), Naive::parse(GOLDEN));
    for line in TEXT.lines().take(50) {
        crate::common::compare(&model, &naive, &line.split(' ').collect::<Vec<_>>());
    }
    let (mut text, mut expected) = (Vec::new(), Vec::new());
    arpa::write(&model, &mut text).expect("memory");
    arpa::write(&self::model(), &mut expected).expect("memory");
    assert_eq!(text, expected);
}

/// The effect of codes of 8 bits on a sentence's score, and of 16 bits, which suffice for this small model.
#[test]
fn quantised() {
    let exact = model();
    for (bits, most) in [(4, 1.0), (8, 0.1), (16, 1e-3)] {
        let quantised = open(&bytes(&exact.quantised(bits, bits))).expect("a sound file");
        assert_eq!(quantised.counts(), exact.counts());
        for line in TEXT.lines().take(50) {
            let (mut state, mut exact_state) = (quantised.begin(), exact.begin());
            for word in line.split(' ').map(|word| exact.vocabulary().id(word)) {
                let (scored, expected) = (quantised.scored(&state, word), exact.scored(&exact_state, word));
                assert!((scored.log10 - expected.log10).abs() < most, "{bits} bits: {scored:?}, {expected:?}");
                assert_eq!((scored.order, scored.state.length()), (expected.order, expected.state.length()));
                assert_eq!(quantised.context(&state).score(word), scored.log10);
                (state, exact_state) = (scored.state, expected.state);
            }
        }
    }
    assert!(bytes(&exact.quantised(8, 8)).len() < bytes(&exact).len() * 3 / 4);
}

/// Files that were compiled once stay readable, on every machine, and are made to the byte: `metaphrase lm compile`
/// made them of `small.arpa`, the second with `--quantise 2 3`. Another version of the format needs another number in
/// its header.
#[test]
fn golden_files() {
    let text = include_str!("../../../../testdata/ngram/small.arpa");
    let small = arpa::read_from(text.as_bytes(), Path::new("small.arpa")).expect("a sound model");
    let golden = include_bytes!("../../../../testdata/ngram/small.bin");
    let golden_quantised = include_bytes!("../../../../testdata/ngram/small.q.bin");
    assert_eq!(bytes(&small), golden);
    assert_eq!(bytes(&small.quantised(2, 3)), golden_quantised);
    for model in [golden.as_slice(), golden_quantised] {
        let model = open(model).expect("a sound file");
        let words = ["a", "b"].map(|word| model.vocabulary().id(word));
        // `</s>` backs off from `a b` and from `b`.
        assert_eq!(model.sentence(words), -0.125 + -0.0625 + (-0.125 + -0.75));
    }
}

#[test]
fn damaged_files() {
    let good = bytes(&model());
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bad = good.clone();
        change(&mut bad);
        open(&bad).expect_err("it is damaged")
    };
    let message = refused(&|bytes| bytes.truncate(100));
    assert_eq!(message, "the file is cut off: 100 bytes are less than its header");
    let message = refused(&|bytes| bytes.truncate(bytes.len() - 1));
    assert!(message.starts_with("the file is cut off or has grown: "), "{message}");
    let message = refused(&|bytes| bytes.push(0));
    assert!(message.starts_with("the file is cut off or has grown: "), "{message}");
    let message = refused(&|bytes| bytes[16] = 2);
    assert!(message.starts_with("the file has version 2 of the format, this program reads version 1"), "{message}");
    for at in (32..good.len()).step_by(977) {
        let message = refused(&|bytes| bytes[at] ^= 0x10);
        assert_eq!(message, "the file is damaged: its checksum is wrong; compile the ARPA file again", "byte {at}");
    }
    let message = refused(&|bytes| bytes[..33].copy_from_slice(b"mmap lm http://kheafield.com/code"));
    assert!(message.starts_with("a binary file of KenLM"), "{message}");
    let message = refused(&|bytes| bytes[0] = b'M');
    assert!(message.contains("line 1"), "not a model of ours, so an ARPA file: {message}");
}

#[test]
fn no_word_is_out_of_range() {
    let model = model();
    let unknown = model.score(&model.null(), WordId(0));
    assert_eq!(model.score(&model.null(), WordId(u32::MAX)), unknown);
}

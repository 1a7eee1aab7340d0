//! Any bytes as BPE codes, a vocabulary of sub-words and a line, with zero bytes between.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::parts;
use metaphrase_text::bpe::{Bpe, BpeVocabulary};

fuzz_target!(|input: &[u8]| {
    let [codes, vocabulary, line] = parts(input);
    let line = String::from_utf8_lossy(line);
    let vocabulary = BpeVocabulary::from_bytes(vocabulary, "vocabulary", 1).inspect_err(|e| check_message(e));
    let bpe = match Bpe::from_bytes(codes, "codes") {
        Ok(bpe) => bpe,
        Err(error) => return check_message(&error),
    };
    // A line that has the mark in it can not be told from its sub-words.
    let joins = !line.contains("@@") && !line.contains(['\r', '\n']);
    let split = bpe.segment_line(&line);
    assert!(!joins || words(&bpe.join_line(&split)).eq(words(&line)), "{split:?}");
    if let Ok(vocabulary) = vocabulary {
        let bpe = bpe.with_vocabulary(vocabulary);
        let split = bpe.segment_line(&line);
        assert!(!joins || words(&bpe.join_line(&split)).eq(words(&line)), "{split:?} with a vocabulary");
    }
});

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ').filter(|word| !word.is_empty())
}

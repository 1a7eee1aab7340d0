//! Any bytes as a vocabulary of each format; the first byte says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_base::WordId;
use metaphrase_fuzz::models::{check_message, testdata};
use metaphrase_fuzz::text::LINES;
use metaphrase_text::sentencepiece::SentencePieceModel;
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use std::sync::LazyLock;

/// What divides text into the words of a list of Hugging Face's.
static PIECES: LazyLock<SentencePieceModel> = LazyLock::new(|| {
    SentencePieceModel::open(&testdata("text/sentencepiece/unigram-suffix.spm")).expect("a sound model")
});

fuzz_target!(|input: &[u8]| {
    let Some((which, bytes)) = input.split_first() else { return };
    let opened = match which % 5 {
        0 => Vocabulary::from_bytes(VocabularyFormat::Mapping, bytes),
        1 => Vocabulary::from_bytes(VocabularyFormat::List, bytes),
        2 => Vocabulary::from_bytes(VocabularyFormat::SentencePiece, bytes),
        3 => Vocabulary::marian_mt(VocabularyFormat::Mapping, bytes, PIECES.clone()),
        _ => Vocabulary::from_bytes(VocabularyFormat::Tokenizer, bytes),
    };
    let mut vocabulary = match opened {
        Ok(vocabulary) => vocabulary,
        Err(error) => return check_message(&error),
    };
    let text = String::from_utf8_lossy(bytes);
    let mut ids = Vec::new();
    for _ in 0..2 {
        for line in LINES.into_iter().chain(text.lines().take(20)) {
            vocabulary.encode(line, &mut ids);
            assert!(ids.iter().all(|id| id.index() < vocabulary.len()), "an id beyond the vocabulary");
            assert_eq!(ids.last(), Some(&vocabulary.eos()));
            let _ = (vocabulary.decode(&ids), vocabulary.pieces(line), vocabulary.special_words());
        }
        let all: Vec<_> = (0..vocabulary.len().min(1000) as u32 + 2).map(WordId).collect();
        let _ = vocabulary.decode(&all);
        vocabulary.truncate(vocabulary.len() / 2 + 1);
    }
});

//! A file of prepared pieces: any bytes, or a sound file with some bytes changed. The first byte says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{check_message, testdata};
use metaphrase_fuzz::sentencepiece::try_text;
use metaphrase_text::sentencepiece::SentencePieceModel;
use std::sync::LazyLock;

const ORIGINALS: [u64; 1] = [1];

/// Sound files: BPE with listed pairs, and Unigram with bytes.
static SOUND: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    ["nllb", "madlad"].map(|name| {
        let json = std::fs::read(testdata("models/hub").join(name).join("tokenizer.json")).expect("a tokenizer.json");
        let model = SentencePieceModel::from_tokenizer_json(&json).expect("a sound model");
        model.to_prepared(&ORIGINALS).expect("a file")
    })
});

fuzz_target!(|input: &[u8]| {
    let Some((&which, input)) = input.split_first() else { return };
    let mut file = match SOUND.get(usize::from(which % 3)) {
        Some(sound) => sound.clone(),
        None => input.to_vec(),
    };
    if which % 3 < 2 {
        // Three bytes for each change: a place, and what stands there then.
        for change in input.as_chunks::<3>().0 {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]]));
            if let Some(byte) = file.get_mut(place) {
                *byte = change[2];
            }
        }
    }
    match SentencePieceModel::from_prepared(&file, &ORIGINALS) {
        Ok(model) => try_text(&model, "Ein Haus ☃ of the e\u{301} x"),
        Err(error) => check_message(&error),
    }
});

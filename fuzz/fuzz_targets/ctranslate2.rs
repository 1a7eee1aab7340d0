//! `config.json` and, after a zero byte, `model.bin` of CTranslate2. A `model.bin` that begins with `!` is a sound one
//! with changes: of three bytes each, two that choose a byte of its header or of a variable's, and the new byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, ctranslate2, use_model};
use metaphrase_fuzz::text::parts;
use metaphrase_models::from_bytes;
use std::path::Path;
use std::sync::LazyLock;

/// A sound model, its words, and the places of the bytes that are not numbers of tensors.
struct Sound {
    model: Vec<u8>,
    words: Vec<u8>,
    headers: Vec<usize>,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let files = ctranslate2();
    let file = |end: &str| files.iter().find(|(name, _)| name.ends_with(end)).expect("a file").1.clone();
    let model = file("model.bin");
    let headers = headers(&model);
    Sound { words: file("source_vocabulary.json"), headers, model }
});

/// `docs/formats/ctranslate2.md` describes the file.
fn headers(model: &[u8]) -> Vec<usize> {
    let number = |at: usize| u32::from_le_bytes(model[at..at + 4].try_into().expect("four bytes")) as usize;
    let text_end = |at: usize| at + 2 + usize::from(u16::from_le_bytes([model[at], model[at + 1]]));
    let mut at = text_end(4) + 8;
    let mut headers = Vec::from_iter(0..at);
    for _ in 0..number(at - 4) {
        let rank = text_end(at);
        let data = rank + 1 + 4 * usize::from(model[rank]) + 5;
        headers.extend(at..data);
        at = data + number(data - 4);
    }
    headers.extend(at..model.len());
    headers
}

fuzz_target!(|input: &[u8]| {
    let [config, tensors] = parts(input);
    let config = (!config.is_empty()).then_some(config);
    let tensors = match tensors.strip_prefix(b"!") {
        Some(changes) => changed(changes),
        None => tensors.to_vec(),
    };
    use_model(from_bytes::ctranslate2(Path::new(NAME), tensors, config, &SOUND.words));
});

fn changed(changes: &[u8]) -> Vec<u8> {
    let mut model = SOUND.model.clone();
    for &[low, high, value] in changes.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([low, high])) % SOUND.headers.len();
        model[SOUND.headers[at]] = value;
    }
    model
}

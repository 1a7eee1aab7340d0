//! `config.json` and, after a zero byte, `model.bin` of CTranslate2. A `model.bin` that begins with `!` or `?` is one of
//! two sound ones with changes: of three bytes each, two that choose a byte of its header or of a variable's, and the
//! new byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::models::{NAME, ctranslate2, ctranslate2_madlad, use_model};
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

/// A Transformer of Marian's, and MADLAD-400, which has gates, buckets of distances, and integers of 8 bits.
static SOUND: LazyLock<[Sound; 2]> = LazyLock::new(|| {
    [ctranslate2(), ctranslate2_madlad()].map(|files| {
        let file = |starts: [&str; 2]| {
            let named = files.iter().find(|(name, _)| starts.iter().any(|start| name.starts_with(start)));
            named.expect("a file").1.clone()
        };
        let model = file(["model.bin"; 2]);
        let headers = headers(&model);
        Sound { words: file(["source_vocabulary", "shared_vocabulary"]), headers, model }
    })
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
    let (sound, changes) = match tensors {
        [b'?', changes @ ..] => (&SOUND[1], Some(changes)),
        [b'!', changes @ ..] => (&SOUND[0], Some(changes)),
        _ => (&SOUND[0], None),
    };
    let tensors = changes.map_or_else(|| tensors.to_vec(), |changes| sound.changed(changes));
    use_model(from_bytes::ctranslate2(Path::new(NAME), tensors, config, &sound.words));
});

impl Sound {
    fn changed(&self, changes: &[u8]) -> Vec<u8> {
        let mut model = self.model.clone();
        for &[low, high, value] in changes.as_chunks::<3>().0 {
            let at = usize::from(u16::from_le_bytes([low, high])) % self.headers.len();
            model[self.headers[at]] = value;
        }
        model
    }
}

//! Phrases, a line each, and a text, with a zero byte between: read in pieces of one, two and three bytes, the text has the
//! phrases that the whole text has.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_base::{PhraseStatus, ReadText};
use metaphrase_fuzz::text::texts;
use metaphrase_text::WholeWords;

fuzz_target!(|input: &[u8]| {
    let [phrases, text] = texts(input);
    let phrases = WholeWords::new(phrases.lines());
    let whole = !phrases.numbers_in(&text).is_empty();
    for size in 1..=3 {
        let (mut read, mut said) = (ReadText::default(), false);
        for piece in text.as_bytes().chunks(size) {
            read = phrases.read(&read.tail, piece);
            said |= read.status == PhraseStatus::Phrase;
        }
        // A character that combines with those before it may come after a phrase was completed.
        assert!(said || read.status == PhraseStatus::Open || !whole, "pieces of {size} bytes");
    }
});

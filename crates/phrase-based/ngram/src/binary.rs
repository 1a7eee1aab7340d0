//! The binary form of a model: a file that is used in place. `docs/formats/ngram.md` has it byte by byte.

use crate::bytes::{u32_at, u64_at};
use crate::layout::ModelLayout;
use crate::{HEADER, LmError, MAX_ORDER, Model, Vocabulary};
use metaphrase_base::{Bytes, MappedFile, checksum, start_of};
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 16] = b"metaphrase ngram";
const VERSION: u32 = 1;
/// The first bytes of KenLM's binary files.
const KENLM: &[u8] = b"mmap lm http://kheafield.com/code";

// Where the fields of the header are.
const AT_VERSION: usize = 16;
const AT_ORDER: usize = 20;
const AT_LENGTH: usize = 24;
const AT_CHECKSUM: usize = 32;
const AT_CHECKED: usize = 40;
const AT_QUANTISATION: usize = 40;
const AT_COUNTS: usize = 48;
const AT_SEEDS: usize = AT_COUNTS + 8 * MAX_ORDER;

/// Whether a file is a model of this crate, by its first bytes.
pub(crate) fn is_binary(path: &Path) -> Result<bool, LmError> {
    let start = start_of(path, KENLM.len() as u64).map_err(|e| LmError::io(path, "read", e))?;
    if start == KENLM {
        let problem = "a binary file of KenLM, which only KenLM reads: compile the ARPA file that it was made from";
        return Err(LmError::model(path, problem));
    }
    Ok(start.starts_with(MAGIC))
}

/// Maps a model into memory. The whole file is read once to compare the checksum.
pub(crate) fn open(path: &Path) -> Result<Model, LmError> {
    let bytes = MappedFile::open(path).map_err(|e| LmError::io(path, "read", e))?;
    let (layout, seeds) = layout(&bytes).map_err(|problem| LmError::model(path, problem))?;
    let vocabulary = vocabulary(&bytes[layout.end..], layout.words).map_err(|problem| LmError::model(path, problem))?;
    Ok(Model::from_parts(Bytes::Mapped(bytes), layout, seeds, vocabulary))
}

/// Checks the header and the checksum.
fn layout(bytes: &[u8]) -> Result<(ModelLayout, Vec<u64>), String> {
    if bytes.len() < HEADER {
        return Err(format!("the file is cut off: {} bytes are less than its header", bytes.len()));
    }
    let version = u32_at(bytes, AT_VERSION);
    if version != VERSION {
        return Err(format!(
            "the file has version {version} of the format, this program reads version {VERSION}: compile the ARPA file again"
        ));
    }
    let length = u64_at(bytes, AT_LENGTH);
    if length != bytes.len() as u64 {
        return Err(format!("the file is cut off or has grown: {} bytes, it was made with {length}", bytes.len()));
    }
    if checksum([&bytes[AT_CHECKED..]]) != u64_at(bytes, AT_CHECKSUM) {
        return Err("the file is damaged: its checksum is wrong; compile the ARPA file again".into());
    }
    // From here on the file is as it was written; still, nothing is believed that would be followed out of it.
    let wrong = || "the header contradicts itself: the file was not written by this program".to_owned();
    let order = u32_at(bytes, AT_ORDER) as usize;
    let quantisation = match [bytes[AT_QUANTISATION], bytes[AT_QUANTISATION + 1]].map(u32::from) {
        [0, 0] => None,
        widths if widths.iter().all(|width| WIDTHS.contains(width)) => Some(widths),
        _ => return Err(wrong()),
    };
    if !(1..=MAX_ORDER).contains(&order) {
        return Err(wrong());
    }
    let number = |at: usize| usize::try_from(u64_at(bytes, at)).map_err(|_| wrong());
    let counts = (0..order).map(|k| number(AT_COUNTS + 8 * k)).collect::<Result<Vec<usize>, _>>()?;
    let seeds: Vec<u64> = (0..order - 1).map(|k| u64_at(bytes, AT_SEEDS + 8 * k)).collect();
    let layout = ModelLayout::new(order, &counts, &seeds, quantisation, HEADER).ok_or_else(wrong)?;
    if layout.end > bytes.len() { Err(wrong()) } else { Ok((layout, seeds)) }
}

/// Bits of a code that a quantised model may have.
pub(crate) const WIDTHS: std::ops::RangeInclusive<u32> = 2..=16;

/// Words, each with a line feed after it.
fn vocabulary(text: &[u8], count: usize) -> Result<Vocabulary, String> {
    let text = str::from_utf8(text).map_err(|_| "the words are not UTF-8".to_owned())?;
    let mut vocabulary = Vocabulary::default();
    let all_new = text.split_terminator('\n').enumerate().all(|(i, word)| vocabulary.insert(word).index() == i);
    if all_new && vocabulary.len() == count { Ok(vocabulary) } else { Err("the words contradict the header".into()) }
}

/// Writes the binary form of a model.
///
/// # Errors
/// Errors of the writer.
pub(crate) fn write(model: &Model, writer: &mut dyn Write) -> io::Result<()> {
    let mut words = String::new();
    model.vocabulary().words().for_each(|word| words.extend([word, "\n"]));
    let body = &model.bytes[HEADER..model.layout.end];
    let mut header = [0; HEADER];
    let mut set = |at: usize, value: &[u8]| header[at..at + value.len()].copy_from_slice(value);
    set(0, MAGIC);
    set(AT_VERSION, &VERSION.to_le_bytes());
    set(AT_ORDER, &(model.order() as u32).to_le_bytes());
    set(AT_LENGTH, &((model.layout.end + words.len()) as u64).to_le_bytes());
    set(AT_QUANTISATION, &model.layout.quantisation.unwrap_or_default().map(|width| width as u8));
    for (k, count) in model.counts().into_iter().enumerate() {
        set(AT_COUNTS + 8 * k, &(count as u64).to_le_bytes());
    }
    for (k, seed) in model.seeds.iter().enumerate() {
        set(AT_SEEDS + 8 * k, &seed.to_le_bytes());
    }
    let sum = checksum([&header[AT_CHECKED..], body, words.as_bytes()]);
    header[AT_CHECKSUM..AT_CHECKED].copy_from_slice(&sum.to_le_bytes());
    [&header[..], body, words.as_bytes()].iter().try_for_each(|part| writer.write_all(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WordId;
    use metaphrase_base::{Scorer as _, SentId, Sentence};
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../../../testdata/ngram/lmplz.arpa");

    #[test]
    fn every_changed_bit_of_a_language_model_is_found() {
        let plain = include_bytes!("../../../../testdata/ngram/small.bin");
        let quantised = include_bytes!("../../../../testdata/ngram/small.q.bin");
        for good in [&plain[..], &quantised[..]] {
            // What does not begin with the name is read as an ARPA file, which it is not.
            for bit in 8 * MAGIC.len()..8 * good.len() {
                let mut bytes = good.to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let read = layout(&bytes).and_then(|(layout, _)| vocabulary(&bytes[layout.end..], layout.words));
                assert!(read.is_err(), "bit {} of byte {}", bit % 8, bit / 8);
            }
        }
    }

    proptest! {
        /// Not even a false file with a true checksum can make a query leave the file.
        #[test]
        fn false_files_with_true_checksums_do_no_harm(changes in prop::collection::vec((0usize..1 << 16, any::<u8>()), 1..40)) {
            let model = crate::arpa::read_from(TEXT.as_bytes(), Path::new("lm.arpa")).unwrap();
            let mut bytes = Vec::new();
            write(&model.quantised(3, 3), &mut bytes).unwrap();
            for (at, byte) in changes {
                let at = AT_CHECKED + at % (bytes.len() - AT_CHECKED);
                bytes[at] = byte;
            }
            let sum = checksum([&bytes[AT_CHECKED..]]);
            bytes[AT_CHECKSUM..AT_CHECKED].copy_from_slice(&sum.to_le_bytes());
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            if let Ok(model) = open(file.path()) {
                let mut state = model.begin();
                for word in (0..model.vocabulary().len()).map(WordId::new) {
                    let context = model.context(&state);
                    let _ = context.after(&context.look_up(word));
                    state = model.score(&state, word).1;
                }
                let _ = crate::arpa::write(&model, &mut Vec::new());
                let words = (0..model.vocabulary().len()).map(WordId::new).collect();
                let all = crate::AllWords::new(model, words);
                let start = all.start(&Sentence::new(SentId(0), &[]));
                let _ = all.scores(start, 0.5, &mut metaphrase_base::ScoreBuffer::default());
            }
        }
    }
}

//! The texts and settings of a training, so that a later run does not continue with others.

use crate::TrainOptions;
use crate::error::Error;
use crate::files;
use metaphrase_align::{Corpus, Words};
use metaphrase_base::WordId;
use std::path::Path;

/// The settings as text, `name = value`: all that the files depend on, except for tuning.
pub(crate) fn of(corpus: &Corpus, options: &TrainOptions) -> String {
    let TrainOptions { align, extract, language_model, lowercase, .. } = options;
    let words = |side: fn(metaphrase_align::Pair<'_>) -> usize| -> usize {
        (0..corpus.len()).map(|at| side(corpus.pair(at))).sum()
    };
    [
        ("sentence pairs", corpus.len().to_string()),
        ("source words", words(|pair| pair.source.len()).to_string()),
        ("target words", words(|pair| pair.target.len()).to_string()),
        ("text checksum", format!("{:016x}", checksum(corpus))),
        ("alignment in lower case", lowercase.to_string()),
        ("diagonal iterations", align.diagonal_iterations.to_string()),
        ("HMM iterations", align.hmm_iterations.to_string()),
        ("symmetrization", format!("{:?}", align.symmetrization)),
        ("longest sentence", align.max_words.to_string()),
        ("longest phrase", extract.max_length.to_string()),
        ("smoothing", format!("{:?}", extract.smoothing)),
        ("least probability", extract.min_probability.to_string()),
        ("language model", language_model.as_ref().map_or("estimated".into(), |path| path.display().to_string())),
        ("order", options.estimate.order.to_string()),
        ("pruning", format!("{:?}", options.estimate.prune)),
    ]
    .map(|(name, value)| format!("{name} = {value}\n"))
    .concat()
}

/// Writes the settings into a directory, or compares them with those there.
pub(crate) fn check_in(folder: &Path, settings: &str, resume: bool) -> Result<(), Error> {
    let path = folder.join(files::SETTINGS);
    match std::fs::read_to_string(&path) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => files::write_text(&path, settings),
        Err(cause) => Err(Error::read(&path, cause)),
        Ok(_) if !resume => Err(Error::Exists { path: folder.to_owned() }),
        Ok(found) => match difference(&found, settings) {
            Some(what) => Err(Error::OtherSettings { path, what }),
            None => Ok(()),
        },
    }
}

fn difference(found: &str, expected: &str) -> Option<String> {
    let value = |line: &str| line.split_once(" = ").map_or(line.to_owned(), |(_, value)| value.to_owned());
    for expected in expected.lines() {
        let name = expected.split(" = ").next().unwrap_or_default();
        let there = found.lines().find(|line| line.split(" = ").next() == Some(name));
        if there != Some(expected) {
            let there = there.map_or("missing".into(), value);
            return Some(format!("{name}: {there} then, {} now", value(expected)));
        }
    }
    None
}

/// FNV-1a of all words and where they stand.
fn checksum(corpus: &Corpus) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let mut add_words = |words: &Words| {
        for id in 0..words.len() {
            add(words.text(WordId::new(id)).as_bytes());
            add(b"\n");
        }
    };
    add_words(corpus.source_words());
    add_words(corpus.target_words());
    for at in 0..corpus.len() {
        let pair = corpus.pair(at);
        for side in [pair.source, pair.target] {
            side.iter().for_each(|word| add(&(word.index() as u32).to_le_bytes()));
            add(&u32::MAX.to_le_bytes());
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(source: &str) -> Corpus {
        let mut corpus = Corpus::default();
        corpus.push(source, "x y");
        corpus
    }

    #[test]
    fn only_the_same_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let options = TrainOptions::default();
        let settings = of(&corpus("a b"), &options);
        check_in(folder.path(), &settings, true).unwrap();
        check_in(folder.path(), &settings, true).unwrap();
        let exists = check_in(folder.path(), &settings, false).unwrap_err().to_string();
        assert!(exists.contains("has a training already"), "{exists}");

        let mut other = options.clone();
        other.extract.max_length = 5;
        let message = check_in(folder.path(), &of(&corpus("a b"), &other), true).unwrap_err().to_string();
        assert!(message.contains("longest phrase: 7 then, 5 now"), "{message}");
        let message = check_in(folder.path(), &of(&corpus("b a"), &options), true).unwrap_err().to_string();
        assert!(message.contains("text checksum"), "{message}");
    }
}

//! Vocabularies from the files of a model.

use crate::Error;
use metaphrase_models::{MosesScripts, Numbering, PreparedPieces, VocabularyFiles};
use metaphrase_text::moses::{Truecaser, TruecaserOptions};
use metaphrase_text::vocab::{MosesStepOptions, MosesSteps, Vocabulary, VocabularyError};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Models are sometimes padded to a rounder number of words than their vocabulary has.
const PADDING: usize = 128;

/// Opens a vocabulary and checks that it can belong to a model of `expected` words.
/// `words`: those that name languages.
pub(crate) fn open(
    files: &VocabularyFiles,
    side: &'static str,
    words: Option<&BTreeMap<String, u32>>,
    expected: usize,
    model: &Path,
) -> Result<Arc<Vocabulary>, Error> {
    let mut vocabulary = open_words(files, side, words)?;
    // A model of the most frequent words comes with a list of all of them.
    vocabulary.truncate(expected);
    let words = vocabulary.len();
    if words > expected || words + PADDING < expected {
        let (vocabulary, model) = (files.words.clone(), model.to_owned());
        return Err(Error::VocabularySize { side, vocabulary, model, words, expected });
    }
    Ok(Arc::new(vocabulary))
}

/// Opens a vocabulary of any number of words. `words`: those that name languages.
pub(crate) fn open_words(
    files: &VocabularyFiles,
    side: &'static str,
    words: Option<&BTreeMap<String, u32>>,
) -> Result<Vocabulary, VocabularyError> {
    let none = BTreeMap::new();
    let languages = words.unwrap_or(&none);
    if let Some(PreparedPieces { path, originals }) = &files.prepared {
        return Vocabulary::open_prepared(path, originals);
    }
    match &files.segmenter {
        None if files.numbering == Numbering::Fairseq => Vocabulary::open_fairseq(&files.words, languages),
        None => Vocabulary::open(&files.words),
        Some(codes) if files.has_codes() => open_moses_bpe(&files.words, codes, side),
        Some(tokenizer) if files.has_tokenizer() => Vocabulary::open_tokenizer(&files.words, tokenizer),
        Some(segmenter) => Vocabulary::open_marian_mt(&files.words, segmenter)?
            .with_language_words(languages)
            .map_err(|source| VocabularyError::File { path: files.words.clone(), source: Box::new(source) }),
    }
}

/// The pieces of a `tokenizer.json`, prepared: of all vocabularies these take the longest to read. One that can not be
/// read is left to the reader, who reports why.
pub(crate) fn prepare(files: &VocabularyFiles, originals: &[u64]) -> Option<Vec<u8>> {
    let tokenizer = files.segmenter.is_none() || files.has_tokenizer();
    let is_json = files.words.extension().is_some_and(|extension| extension == "json");
    let is_tokenizer = tokenizer && is_json && files.numbering == Numbering::Own;
    is_tokenizer.then(|| open_words(files, "source", None).ok()?.to_prepared(originals)).flatten()
}

/// Opens a vocabulary of BPE units, whose text passes the scripts that its directory names.
fn open_moses_bpe(list: &Path, codes: &Path, side: &'static str) -> Result<Vocabulary, VocabularyError> {
    let scripts = MosesScripts::of_directory(codes.parent().unwrap_or(Path::new(".")), list);
    let truecaser = scripts.truecaser.map(Truecaser::open).transpose()?;
    // A known form inside a sentence stays as it is, as in Moses' own script.
    let keep_known = TruecaserOptions { keep_known: true, ..TruecaserOptions::default() };
    let truecaser = truecaser.map(|truecaser| truecaser.with_options(keep_known));
    let options = MosesStepOptions {
        normalize: scripts.normalize,
        replace_unicode_punctuation: scripts.replace_unicode_punctuation,
        remove_control_characters: scripts.remove_control_characters,
        aggressive_dashes: scripts.aggressive_dashes,
    };
    let [source, target] = &scripts.languages;
    let language = if side == "source" { source } else { target };
    Vocabulary::open_moses_bpe(list, codes, MosesSteps::new(language, options, truecaser))
}
